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
}

// Sections lists the sections in the order in which they are shown.
func Sections() []Section {
	return []Section{
		{SpeedOfLight, "GPU Speed Of Light Throughput", true},
		{RooflineChart, "GPU Speed Of Light Roofline Chart", false},
		{ComputeWorkloadAnalysis, "Compute Workload Analysis", false},
		{MemoryWorkloadAnalysis, "Memory Workload Analysis", false},
		{MemoryWorkloadTables, "Memory Workload Analysis Tables", true},
		{SchedulerStats, "Scheduler Statistics", false},
		{WarpStateStats, "Warp State Statistics", false},
		{InstructionStats, "Instruction Statistics", false},
		{LaunchStats, "Launch Statistics", true},
		{OccupancySection, "Occupancy", true},
		{WorkloadDistribution, "GPU and Memory Workload Distribution", false},
		{SourceCounters, "Source Counters", true},
	}
}
