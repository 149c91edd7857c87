package exec

import (
	"errors"
	"fmt"

	"silica/internal/ir"
)

// ErrLimit is returned when a launch used up its limit of instructions or of time.
var ErrLimit = errors.New("the kernel did not finish within its limit")

// FaultKind is what a kernel did wrong; the driver maps it to a CUDA error.
type FaultKind uint8

// The kinds of faults.
const (
	IllegalAddress      FaultKind = iota // outside every allocation
	MisalignedAddress                    // not a multiple of the access size
	IllegalInstruction                   // shared address outside the window, bad operand of an instruction
	Trap                                 // trap
	Assert                               // assert() failed
	StackOverflow                        // local memory or call depth used up
	InvalidPC                            // indirect call or branch to no function
	InvalidAddressSpace                  // an address of another space than the access is for
	Deadlock                             // every remaining warp waits for a barrier that cannot complete
	faultCount
)

var faultNames = [faultCount]string{
	IllegalAddress: "illegal address", MisalignedAddress: "misaligned address",
	IllegalInstruction: "illegal instruction", Trap: "trap", Assert: "assertion failed",
	InvalidAddressSpace: "invalid address space",
	StackOverflow:       "stack overflow", InvalidPC: "invalid program counter", Deadlock: "deadlock",
}

func (k FaultKind) String() string { return faultNames[k] }

// cudaNames gives the error that CUDA reports for each kind (CUresult of the driver API).
var cudaNames = [faultCount]string{
	IllegalAddress: "CUDA_ERROR_ILLEGAL_ADDRESS", MisalignedAddress: "CUDA_ERROR_MISALIGNED_ADDRESS",
	IllegalInstruction: "CUDA_ERROR_ILLEGAL_INSTRUCTION", Trap: "CUDA_ERROR_LAUNCH_FAILED", Assert: "CUDA_ERROR_ASSERT",
	StackOverflow: "CUDA_ERROR_HARDWARE_STACK_ERROR", InvalidPC: "CUDA_ERROR_INVALID_PC",
	InvalidAddressSpace: "CUDA_ERROR_INVALID_ADDRESS_SPACE",
	// A GPU would hang until its watchdog ends the launch.
	Deadlock: "CUDA_ERROR_LAUNCH_TIMEOUT",
}

// CUDAName returns the name of the CUDA error for the kind.
func (k FaultKind) CUDAName() string { return cudaNames[k] }

// Fault is an error that a kernel raised.
type Fault struct {
	Kind   FaultKind
	Kernel *ir.Kernel
	Func   *ir.Func
	PC     int
	// Block and Thread are the indices of the first thread (in lane order) that faulted.
	Block, Thread Dim3
	// Address and Bytes describe the access of an address fault; the address is generic.
	Address uint64
	Bytes   int
	// Detail adds what is known: "4 bytes after the allocation of 1024 bytes at 0x...".
	Detail string
}

// Error gives one line that starts with the source position when it is known, else the PTX position.
func (f *Fault) Error() string {
	s := fmt.Sprintf("%s: %s in %s", Position(f.Kernel, f.Func, f.PC), f.Kind, f.Kernel.Name)
	if f.Bytes > 0 {
		s += fmt.Sprintf(": access of %d bytes at 0x%x", f.Bytes, f.Address)
	}
	s += fmt.Sprintf(", block %s, thread %s", f.Block, f.Thread)
	if f.Detail != "" {
		s += ": " + f.Detail
	}
	return s
}
