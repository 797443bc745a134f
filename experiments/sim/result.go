package sim

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"pintlab/experiments/results/stats"
	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/netsim"
	"pintlab/netsim/schema"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// Result is the result of a run.
type Result struct {
	Scenario        scenario.Scenario
	Flows           *store.Flows
	Workload        WorkloadInfo
	Choices         []schema.Settled // values of settings that are auto
	Loads           *store.Loads     // offered loads; nil if no source has a duration
	Counters        netsim.Counters
	Ended           unit.Time // simulated time
	Summary         store.Summary
	Notes           []string
	Outcomes        []string         // outcomes of flows after faults, places of drops and losses, the busiest ports
	Deadlock        string           // switches in a PFC deadlock after the last flow; empty if there are none
	Faults          *telemetry.Table // flows that faults affected; nil if there are none
	Series          Series
	Capture         *Capture // nil if nothing was captured
	Monitors        []MonitorResult
	TelemetryTables []telemetry.Table // tables of the telemetry system
	LateFaults      []string          // faults after the end of the run
	Frames          []store.Frame     // PFC frames, if they are an output of the run
	Bounds          *netsim.Bounds    // nil unless Options.Bounds is set
	Jobs            *Jobs             // flows that wait for others; nil if there are none
	JobRows         []JobRow          // times of jobs and their parts
	LinkRows        []LinkRow         // links of a run with jobs

	unfinished *cutOff // nil if all flows have finished
	unmeasured int     // number of unmeasured flows that started
}

// NoFlows returns the error of a workload without flows. It names the keys to change, or the files without flows.
func NoFlows(s *scenario.Scenario) error {
	var want []string
	for _, x := range []struct{ suffix, advice string }{
		{".duration", "a longer workload.N.duration"}, {".load", "a higher workload.N.load"},
	} {
		if slices.ContainsFunc(s.Keys(), func(k schema.Present) bool {
			return strings.HasPrefix(k.Key, "workload.") && strings.HasSuffix(k.Key, x.suffix)
		}) {
			want = append(want, x.advice)
		}
	}
	if want != nil {
		return errors.New("the workload has no flows: set " + strings.Join(want, " or "))
	}
	var files []string
	for _, f := range s.Files() {
		if strings.HasPrefix(f.Key, "workload.") {
			files = append(files, f.Key+" = "+f.Value)
		}
	}
	if files == nil {
		return errors.New("the workload has no flows")
	}
	return errors.New("the workload has no flows: want flows in " + strings.Join(files, " or "))
}

// Complaint returns an error if a finished run is doubtful: none of its flows has finished, senders gave up flows,
// flows had no path, flows wait for a host that stays down, or faults begin after the end. If losses is set, Complaint
// reports only the faults that begin after the end.
func (r *Result) Complaint(losses bool) error {
	givenUp, pathless := 0, 0
	for f := range r.Flows.All() {
		switch f.Outcome {
		case store.OutOfTries:
			givenUp++
		case store.Unreachable:
			pathless++
		}
	}
	s := &r.Summary
	flows := int64(s.Flows) + s.NotStarted
	var err error
	switch {
	case losses:
	case flows == 0 && r.Jobs != nil: // jobs with computations only
	case flows == 0:
		err = NoFlows(&r.Scenario)
	case s.Finished == 0 && r.unfinished != nil:
		err = r.unfinished.noneFinished(flows, s.Failed)
	case s.Finished == 0:
		none := number.Plural(flows, "the only flow has not finished",
			fmt.Sprintf("none of %d flows has finished", flows))
		err = fmt.Errorf("%s: %d failed, %d under way at the end, %d not started", none, s.Failed, s.Unfinished,
			s.NotStarted)
	case !r.counts():
		run := &r.Scenario.Run
		err = fmt.Errorf("no flow counts: run.warmup = %v and run.cooldown = %v exclude %s that started", run.Warmup,
			run.Cooldown, number.Plural(s.Flows, "the only flow", fmt.Sprintf("all %d flows", s.Flows)))
	case givenUp > 0:
		err = fmt.Errorf("%d of %s %s given up after more than transport.max_retries consecutive timeouts", givenUp,
			number.Count(s.Flows, "flow"), number.Plural(givenUp, "was", "were"))
		if pathless > 0 {
			err = fmt.Errorf("%w, and %d had no path when they started", err, pathless)
		}
	case pathless > 0:
		err = fmt.Errorf("%d of %s had no path when %s started, and failed at once: only flows that are under way "+
			"wait for a repair", pathless, number.Count(s.Flows, "flow"), number.Plural(pathless, "it", "they"))
	case r.unfinished != nil && r.unfinished.stuck > 0:
		err = fmt.Errorf("%d of %s can never finish: %s from or to a host that is down for good (%s)",
			r.unfinished.stuck, number.Count(s.Flows, "flow"), number.Plural(r.unfinished.stuck, "it is", "they are"),
			r.unfinished.down)
	}
	return errors.Join(err, r.Late())
}

// counts reports whether the statistics include any flow. They include flows that start after the warm-up and before
// the cool-down.
func (r *Result) counts() bool {
	run := &r.Scenario.Run
	if run.Warmup == 0 && run.Cooldown == 0 {
		return true
	}
	return stats.Counted(r.Flows, run.Warmup, run.Cooldown).Len() > 0
}

// Late returns an error that names the faults after the end of the run, or nil.
func (r *Result) Late() error {
	errs := lists.Map(r.LateFaults, func(key string) error {
		return fmt.Errorf("%s had no effect: the run ended before it, at %s", key,
			number.Format(r.Ended.Seconds(), number.Seconds, 4))
	})
	return errors.Join(errs...)
}

func (r *Result) summarise(s *Simulation, began time.Time) error {
	hash, err := r.Scenario.Hash()
	if err != nil {
		return err
	}
	print, err := r.Flows.Fingerprint()
	if err != nil {
		return err
	}
	var marks int64
	for p := range s.Net.Ports() {
		marks += s.Net.PortMarks(netsim.PortID(p))
	}
	c := r.Counters
	used := store.ThisUsage()
	r.Summary = store.Summary{
		Name: r.Scenario.Name, Hash: hash, Seed: r.Scenario.Seed, Flows: r.Flows.Len(), Fingerprint: print,
		NotStarted: r.Summary.NotStarted,
		PacketHops: uint64(c.PacketHops), Events: uint64(c.Events), SimulatedPS: int64(r.Ended),
		Network: &store.Network{
			Drops: uint64(c.Dropped), LinkLosses: uint64(c.Lost), Marks: uint64(marks), Pauses: uint64(c.Pauses),
			Trims: uint64(c.Trimmed), Returns: uint64(c.Returned), Overflows: uint64(s.overflows()),
		},
		WallSeconds: time.Since(began).Seconds(), CPUSeconds: used.CPUSeconds, PeakMemory: used.PeakMemory,
	}
	r.count()
	return nil
}

// count sets the summary's numbers of flows by outcome, and the fields that depend on them.
func (r *Result) count() {
	r.Summary.Finished, r.Summary.Unfinished, r.Summary.Failed = r.Flows.Count()
	for f := range r.Flows.All() {
		switch f.Outcome {
		case store.Projected:
			r.Summary.Projected++
		case store.Estimated:
			r.Summary.Estimated++
		}
	}
	r.Summary.Derive()
}

// describe sets the parts of a result that explain its records: notes, the outcomes of flows, and the tables
// of jobs, monitors and telemetry. active is the number of flows that were active at the end; complete is
// false if the run ended early.
func (s *Simulation) describe(r *Result, active int, complete bool) {
	if complete {
		r.unfinished = s.unfinished(r.Flows, r.Summary.NotStarted)
	}
	r.Notes = s.allNotes(r, active, complete)
	r.Jobs, r.JobRows, r.LinkRows = s.jobs, s.jobRows(r.Ended), s.linkRows(r.Ended)
	lines, faults := s.faultOutcomes(r.Flows)
	r.Outcomes, r.Faults = slices.Concat(lines, s.losses(&r.Counters), s.busiest(r.Ended)), faults
	if r.Deadlock = s.deadlock(); r.Deadlock != "" {
		stay := count(int(s.Engine.InFlight()), "packet stays", "packets stay")
		r.Outcomes = append(r.Outcomes,
			fmt.Sprintf("%s for ever between ports that PFC has paused in a cycle: %s", stay, r.Deadlock))
	}
	r.Frames = s.pfc.frames()
	if !r.Scenario.Published() {
		r.LateFaults = s.faults.late()
	}
	var notes []string
	r.Monitors, notes = s.monitorResults(r.Ended)
	r.Notes = append(r.Notes, notes...)
	if s.parts.Tables != nil {
		r.TelemetryTables = s.parts.Tables()
	}
}
