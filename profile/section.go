package profile

// SectionID names a section as Nsight Compute does.
type SectionID string

// The sections.
const (
	SpeedOfLight            SectionID = "SpeedOfLight"
	ComputeWorkloadAnalysis SectionID = "ComputeWorkloadAnalysis"
	MemoryWorkloadAnalysis  SectionID = "MemoryWorkloadAnalysis"
	MemoryWorkloadTables    SectionID = "MemoryWorkloadAnalysis_Tables"
	SchedulerStats          SectionID = "SchedulerStats"
	WarpStateStats          SectionID = "WarpStateStats"
	InstructionStats        SectionID = "InstructionStats"
	LaunchStats             SectionID = "LaunchStats"
	OccupancySection        SectionID = "Occupancy"
	WorkloadDistribution    SectionID = "WorkloadDistribution"
	SourceCounters          SectionID = "SourceCounters"
	RooflineChart           SectionID = "SpeedOfLight_RooflineChart"
	commandLineMetrics                = "Command line profiler metrics"
)

// Section is a group of metrics.
type Section struct {
	ID   SectionID
	Name string // as people read it
	// Basic sections are in the set basic; all are in the set full.
	Basic bool
	// Roofline sections are in the set roofline.
	Roofline bool
}

// Sections lists the sections in the order in which they are shown.
func Sections() []Section {
	return []Section{
		{SpeedOfLight, "GPU Speed Of Light Throughput", true, true},
		{RooflineChart, "GPU Speed Of Light Roofline Chart", false, true},
		{ComputeWorkloadAnalysis, "Compute Workload Analysis", false, false},
		{MemoryWorkloadAnalysis, "Memory Workload Analysis", false, false},
		{MemoryWorkloadTables, "Memory Workload Analysis Tables", true, false},
		{SchedulerStats, "Scheduler Statistics", false, false},
		{WarpStateStats, "Warp State Statistics", false, false},
		{InstructionStats, "Instruction Statistics", false, false},
		{LaunchStats, "Launch Statistics", true, false},
		{OccupancySection, "Occupancy", true, false},
		{WorkloadDistribution, "GPU and Memory Workload Distribution", false, true},
		{SourceCounters, "Source Counters", true, false},
	}
}
