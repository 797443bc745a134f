package scenario

import (
	"fmt"

	"pintlab/internal/schema"
	"pintlab/netsim/unit"
	"pintlab/workloads"
)

// The files of a run that a user can choose; manifest.json is always written.
const (
	OutputParquet = "flows.parquet"
	OutputCSV     = "flows.csv"
	OutputFCT     = "fct.txt"
	OutputPFC     = "pfc.txt"
)

// Run is when a run ends, how it treats time and what it records.
type Run struct {
	// Simulated time at which the run ends in any case; "never" for no limit.
	Until unit.Time `yaml:"until" default:"10s" range:">0s"`
	// Go on until all flows have finished; false: end with the last arrival.
	Drain bool `yaml:"drain" default:"true"`
	// Flows that start in that time after the first arrival are left out of statistics.
	Warmup unit.Time `yaml:"warmup" default:"0s" range:">=0s"`
	// Flows that start in that time before the last arrival are left out of statistics.
	Cooldown unit.Time `yaml:"cooldown" default:"0s" range:">=0s"`
	// Processor cores for this run; no effect on results.
	Workers int `yaml:"workers" default:"1" range:">=1 <=1024"`
	// Order of simultaneous events: drawn from the seed, or the order of scheduling.
	Ties string `yaml:"ties" default:"seeded" oneof:"seeded|fifo"`
	// Start times of flows: exact, or cut to nanoseconds as the published simulator does.
	StartTimes string `yaml:"start_times" default:"exact" oneof:"exact|floor-ns"`
	// What a completion time is divided by: the computed time alone in the network without
	// telemetry, or the formula of the published simulator.
	IdealFCT string `yaml:"ideal_fct" default:"store-and-forward" oneof:"store-and-forward|ns3"`
	// Simulated time without an acknowledged byte after which the run is ended with a
	// diagnosis. A run in which nothing is left to happen is ended at once.
	Stall unit.Time `yaml:"stall" default:"5s" range:">0s"`
	// Real time after which the run is ended with a diagnosis.
	WallLimit unit.Time `yaml:"wall_limit" default:"never" range:">0s"`
	// Time series of ports and flows; no effect on results.
	Sampling Sampling `yaml:"sampling"`
	// Files beside manifest.json.
	Outputs []string `yaml:"outputs" default:"flows.parquet, flows.csv, fct.txt" oneof:"flows.parquet|flows.csv|fct.txt|pfc.txt"`
}

func (s Scenario) checkRun(c *schema.Checker) {
	r := s.Run
	for i, src := range s.Workload {
		start, duration := src.Traffic().Span()
		if start >= r.Until {
			c.FailFor(fmt.Sprintf("workload.%d.start", i), "run.until", fmt.Sprintf("ends before workload.%d starts at %v", i, start))
		}
		if _, poisson := src.Params.(*workloads.PoissonTraffic); poisson && r.Warmup+r.Cooldown >= duration && r.Warmup+r.Cooldown > 0 {
			c.Fail("run.warmup", fmt.Sprintf("with run.cooldown = %v leaves no flow of workload.%d, which lasts %v", r.Cooldown, i, duration))
		}
	}
	r.checkSampling(c)
	seen := map[string]bool{}
	for _, o := range r.Outputs {
		if seen[o] {
			c.Fail("run.outputs", o+" is listed twice")
		}
		seen[o] = true
	}
	s.checkFaults(c)
}
