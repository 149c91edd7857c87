// Package gpu describes GPUs: their structure, limits, clocks, memories, rates
// and latencies, and what follows from those figures alone, such as occupancy.
//
// Each GPU is one JSON file in data/, and inherits what it has in common with
// its architecture from another file, for example sm_90.json. A figure is
// written as [value, "source"]; the sources table of the file, or of one it
// inherits, tells what the short source name stands for. A figure nobody could
// vouch for is left out and reads as unknown: see [GPU.Known]. Of what only the
// model of the machine needs, an H200's figure stands for one that is unmeasured,
// and says so: see [GPU.Borrowed]. The times of DRAM are those of its kind: a GPU
// names the kind, such as HBM3e, and hbm3e.json has the figures.
//
// Here are the data files and their loader, the occupancy rules, the driver's
// choice of the L1/shared split, and the table of NVIDIA's GPUs since the G80.
// How long a program takes, and how any of this is printed, is decided
// elsewhere.
package gpu
