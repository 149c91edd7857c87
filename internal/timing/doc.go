// Package timing tells how long a launch takes on a GPU, and what its warps wait for: it replays what the warps of some blocks did
// (Recorder) over the machine code of package sass, on one streaming multiprocessor, cycle by cycle, with the rest of the
// chip as load on the L2 cache and the memory. Nothing is executed here: results come from the engines of package exec.
//
//	listen     makes a launch tell what the model needs
//	recorder   what warps do, from an engine (exec.Tracer)
//	footprint  which blocks touch which bytes of which sectors, of all blocks (exec.Observer)
//	machine    the GPU's rates and latencies as the model needs them
//	decode     machine code as operations: pipe, registers, kind
//	waits      loops in which blocks wait for each other
//	replay     a warp's steps as a stream of operations with their accesses
//	core       the multiprocessor: four sub-cores that issue, and what each warp waits for (state)
//	registers  reading registers: two banks, and what is still there from the last instruction
//	pipes      what Nsight Compute's metrics call the parts that execute instructions
//	barrier    where the warps of a block meet
//	fetcher    instructions from memory, L2 and two caches
//	texture    the texture unit
//	memory     load and store unit, shared memory, constants, L1 (cache)
//	chip       what is beyond the multiprocessor: what each request asks of the parts
//	crossbar   the ports on the way to L2 and back
//	l2         slices, and atomic operations in them
//	dram       channels and banks of memory
//	server     what serves one request at a time, and many that work side by side
//	traffic    the chip's sums of sectors, as its counters show them
//	work       how much blocks do, and when the multiprocessors end
//	held       what earlier launches left in the caches
//	watch      what each warp does in some cycles
//	result     what comes out
//
// The result depends on the recording alone: not on the number of cores or on the order in which blocks ran.
package timing
