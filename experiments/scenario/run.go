package scenario

import (
	"fmt"

	"pintlab/netsim/schema"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/workloads"
)

// Files of a run that a user can select; manifest.json is always written.
const (
	OutputParquet = "flows.parquet"
	OutputCSV     = "flows.csv"
	OutputFCT     = "fct.txt"
	OutputPFC     = "pfc.txt"
)

// Run defines when a run ends, how it treats time and what it records.
type Run struct {
	// Simulated time at which the run ends at the latest; "never" for no limit.
	Until unit.Time `yaml:"until" default:"10s" range:">0s" also:"never" draw:"6*10s|90..300us"`
	// Whether the run continues until all flows have finished; false: it ends with the last arrival, which must not
	// depend on other flows.
	Drain bool `yaml:"drain" default:"true" draw:"5*true|false"`
	// After the last measured arrival, unmeasured flows keep arriving until all measured flows have ended, but at most
	// for this time. Then the run ends, within 20us.
	KeepLoad unit.Time `yaml:"keep_load" default:"0s" range:">=0s" also:"never" omit:"default" draw:"0s|100us"`
	// How flows count that are still active at the end of keep_load or at run.until. They count as unfinished, or with
	// a completion time that is projected from their mean pace so far.
	CutOff string `yaml:"cut_off" default:"unfinished" oneof:"unfinished|projected" omit:"default"`
	// Time after the first arrival; flows that start in it are excluded from statistics.
	Warmup unit.Time `yaml:"warmup" default:"0s" range:">=0s" draw:"5*0s|1..9us"`
	// Time before the last arrival; flows that start in it are excluded from statistics.
	Cooldown unit.Time `yaml:"cooldown" default:"0s" range:">=0s" draw:"5*0s|1..9us"`
	// Whether the network carries the bytes that monitors add to packets, and the reports of monitors. none: these
	// bytes cost nothing, so that several monitors see the same packets as each monitor alone; this requires workers:
	// 1.
	MonitorCost string `yaml:"monitor_cost" default:"real" oneof:"real|none" omit:"default"`
	// Processor cores for this run; no effect on results.
	Workers int `yaml:"workers" default:"1" range:">=1 <=1024"`
	// Order of simultaneous events: drawn from the seed, or the order of scheduling.
	Ties string `yaml:"ties" default:"seeded" oneof:"seeded|fifo" draw:"3*seeded|fifo"`
	// Start times of flows: exact, or truncated to nanoseconds as in the published simulator.
	StartTimes string `yaml:"start_times" default:"exact" oneof:"exact|floor-ns"`
	// Ideal completion time, the divisor of slowdowns: the computed time alone in the network without
	// telemetry, or the formula of the published simulator.
	IdealFCT string `yaml:"ideal_fct" default:"store-and-forward" oneof:"store-and-forward|ns3" draw:"$ideal"`
	// Simulated time without an acknowledged byte after which the run ends with a diagnosis. This is checked every 20
	// us. A run also ends at once if it has nothing left to do, or if time does not advance for some million events.
	Stall unit.Time `yaml:"stall" default:"5s" range:">=20us" also:"never" draw:"30ms"`
	// Real time after which the run ends with a diagnosis.
	WallLimit unit.Time `yaml:"wall_limit" default:"never" range:">0s" also:"never"`
	// Time series of ports and flows; no effect on results.
	Sampling Sampling `yaml:"sampling"`
	// Packet capture for Wireshark and similar programs; no effect on results.
	Capture Capture `yaml:"capture" omit:"default"`
	// Files in addition to manifest.json.
	Outputs []string `yaml:"outputs" default:"flows.parquet, flows.csv, fct.txt" oneof:"$files" draw:"$outputs"`
}

// Group implements schema.Grouped.
func (Run) Group(name string) []string { return groups(name) }

// groups returns the groups of words in the tags of this package.
func groups(name string) []string {
	return map[string][]string{
		"files": {OutputParquet, OutputCSV, OutputFCT, OutputPFC},
		"outputs": {
			"[flows.parquet, flows.csv, fct.txt]", "[flows.parquet, flows.csv, fct.txt, pfc.txt]",
			"[flows.csv]", "[flows.parquet, fct.txt]",
		},
		"ideal": {"3*store-and-forward", "ns3"},
		"ext":   {FormatParquet, FormatCSV},
		"exts":  {"[parquet, csv]", "[csv]", "[parquet]"},
		"nodes": {"[all]", "[all]", "[switches]", "[hosts]"},
		"faults": {
			LinkDown, HostPause, Blackhole, BlackholeEntry, Loop,
			RandomDrop, Jitter, WrongPath, HostFailure, SwitchFailure,
		},
	}[name]
}

func (s Scenario) checkRun(c *schema.Checker) {
	r := s.Run
	for i, src := range s.Workload {
		start, duration := src.Traffic().Span()
		c.FailForIf(start >= r.Until, fmt.Sprintf("workload.%d.start", i), "run.until",
			fmt.Sprintf("ends before workload.%d starts at %v", i, start))
		if _, poisson := src.Params.(*workloads.PoissonTraffic); poisson && r.Warmup+r.Cooldown >= duration &&
			r.Warmup+r.Cooldown > 0 {
			c.Fail("run.warmup", fmt.Sprintf("together with run.cooldown = %v excludes all flows of workload.%d, "+
				"which lasts "+
				"%v", r.Cooldown, i, duration))
		}
	}
	r.checkSampling(c)
	r.checkCapture(c)
	s.checkSteady(c)
	c.FailIf(r.MonitorCost == "none" && len(s.Monitors) == 0, "run.monitor_cost",
		"has no effect: there are no monitors (accepted: real)")
	c.FailForIf(r.MonitorCost == "none" && r.Workers > 1, "run.monitor_cost", "run.workers",
		"want 1 with run.monitor_cost = none: reports without cost arrive at once, and engines that run in parallel "+
			"cannot deliver them")
	seen := map[string]bool{}
	for _, o := range r.Outputs {
		c.FailIf(seen[o], "run.outputs", o+" is listed twice")
		seen[o] = true
	}
	s.checkFaults(c)
}

// checkSteady reports settings about unmeasured traffic that have no effect or make no sense.
func (s Scenario) checkSteady(c *schema.Checker) {
	steady, poisson := false, 0
	for i, src := range s.Workload {
		p, ok := src.Params.(*workloads.PoissonTraffic)
		if !ok {
			continue
		}
		poisson++
		if p.UnderWay != workloads.Steady {
			continue
		}
		steady = true
		at := fmt.Sprintf("workload.%d.under_way", i)
		if busy := s.Busy(p.Load); !(busy > 0 && busy <= 0.999) {
			c.Fail(at, fmt.Sprintf("there is no steady state: headers, telemetry and acknowledgements raise the "+
				"load to %.3f of the rate that a link leaves for flows", busy))
		}
		c.FailIf(len(s.Workload) > 1, at,
			"want a single entry in workload: the model of processor sharing needs the whole load of a host")
	}
	r := &s.Run
	if r.KeepLoad > 0 {
		switch {
		case poisson < len(s.Workload):
			c.Fail("run.keep_load", "only poisson sources can continue after their duration")
		case !r.Drain:
			c.FailFor("run.keep_load", "run.drain", "want true: the run must wait for the flows that count")
		}
	}
	c.FailForIf((r.KeepLoad > 0 || steady) && s.Published(), "run.keep_load", "profile",
		"the hosts of the published simulator have no unmeasured flows")
	c.FailForIf(r.CutOff == "projected" && r.Drain && s.Cut() == unit.Never, "run.cut_off", "run.until",
		"want a time for run.until or run.keep_load: otherwise, no flow is cut off")
}

// Cut returns the time at which the run ends even if flows are still active. It returns unit.Never if the run waits for
// all flows. If Drain is false, the run ends earlier, with the last arrival.
func (s Scenario) Cut() unit.Time {
	r := &s.Run
	if r.KeepLoad == 0 || r.KeepLoad == unit.Never {
		return r.Until
	}
	last := unit.Time(0)
	for _, src := range s.Workload {
		start, duration := src.Traffic().Span()
		last = max(last, start+duration)
	}
	if r.KeepLoad >= unit.Never-last {
		return r.Until
	}
	return min(r.Until, last+r.KeepLoad)
}

// Busy returns how busy a host's link is if payload takes the share load of the link. The result is a share of the rate
// that the congestion control allows flows to use. A steady state exists only if it is below 1. Acknowledgements of
// received data are first subtracted from the usable rate, because no control slows them down.
func (s Scenario) Busy(load float64) float64 {
	t := s.Transport
	overhead := s.Overhead()
	echo := telemetry.AckField(s.Telemetry.System())
	if needs := s.CC.Control().Needs(); needs.Notice > 0 && !needs.Probes {
		echo += needs.Notice
	} else if len(needs.Feedback) > 0 {
		echo += overhead
	}
	ack := float64(max(t.AckMin, t.AckHeader+echo)) / float64(t.Acknowledged(t.FullPayload(overhead)))
	target := 1.0
	if c, ok := s.CC.Control().(transport.Targeted); ok {
		target = c.Target()
	}
	return load * s.WireShare() / (target - float64(load*ack))
}
