package sim

import (
	"fmt"
	"slices"

	"pintlab/experiments/results/stats"
	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/internal/number"
	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// note returns a list of one note.
func note(format string, args ...any) []string { return []string{fmt.Sprintf(format, args...)} }

// warning returns a list of one warning.
func warning(format string, args ...any) []string { return note(Warning+format, args...) }

// allNotes returns the notes of a run, without the notes of monitors. active is the number of flows that
// were active at the end; complete is false if the run ended early.
func (s *Simulation) allNotes(r *Result, active int, complete bool) []string {
	var unmet []string
	if complete {
		unmet = s.faultsWithoutFlows(r.Flows, r.Ended)
	}
	notes := slices.Concat(s.notes(r), s.jobs.workerNote(r.Scenario.Run.Workers), s.unfinishedNotes(r),
		s.averageNotes(r),
		loadNotes(r.Loads, s.reported(), s.unloaded()), s.withoutFeedback(r.Flows), s.warnings(), unmet,
		trims(&r.Counters), s.earlyTimeouts(r.Flows, &r.Counters), s.sampler.missed(r.Flows, r.Ended),
		r.Series.notes(), r.Capture.notes())
	if active > 0 && r.Scenario.Published() {
		notes = append(notes, fmt.Sprintf("%s %s under way at the end: the hosts of the published simulator have no "+
			"retransmission timer, so a loss may stop a flow for good", number.Count(active, "flow"),
			number.Plural(active, "was", "were")))
	}
	return notes
}

// unfinishedNotes returns a note on the flows that have not finished or not started.
func (s *Simulation) unfinishedNotes(r *Result) []string {
	flows, notStarted := s.Workload.Stats.Flows, r.Summary.NotStarted
	switch {
	case r.unfinished != nil:
		return []string{r.unfinished.note(flows, r.Scenario.Run.Sampling.Enabled)}
	case notStarted > 0 && s.jobs != nil:
		return s.jobs.unstarted()
	case notStarted > 0:
		return note("%d of %s left out: not started at the end of the run", notStarted, number.Count(flows, "flow"))
	}
	return nil
}

// averageNotes returns notes on the flows that averages leave out.
func (s *Simulation) averageNotes(r *Result) (n []string) {
	run, flows := &r.Scenario.Run, r.Flows.Len()
	if out := flows - stats.Counted(r.Flows, run.Warmup, run.Cooldown).Len(); out > 0 {
		n = note("averages leave out %d of %s, which started in run.warmup = %v or run.cooldown = %v",
			out, number.Count(flows, "flow"), run.Warmup, run.Cooldown)
	}
	if r.unmeasured > 0 {
		n = append(n, fmt.Sprintf("the network also carried %s that only cause load (under_way: steady, "+
			"run.keep_load); averages and the files of flows leave them out",
			number.Count(r.unmeasured, "flow")))
	}
	return n
}

// loadNote returns a note on the load of the flows that have started, and on the expected load in the same time.
func (s *Simulation) loadNote(r *Result) []string {
	l := s.Workload.Stats.Load
	// Flows of lists and jobs are not spread over a period, so they have no load.
	if l == nil || slices.ContainsFunc(s.Scenario.Workload, func(x scenario.Source) bool {
		_, duration := x.Traffic().Span()
		return duration == 0
	}) {
		return nil
	}
	end, realised, nominal := l.End, l.Overall, s.Workload.Plan.Load(s.hosts)
	if r.Summary.NotStarted > 0 {
		end = min(l.End, r.Ended, s.endTime())
		if end <= l.Start {
			return nil
		}
		realised, nominal = s.loadUntil(end, r.Flows)
	}
	return note("realised load %s of the host links in %v to %v, nominal %s",
		number.Share(realised), l.Start, end, number.Share(nominal))
}

// loadUntil returns the realised and the nominal load from the start of the workload to a time before its end.
func (s *Simulation) loadUntil(end unit.Time, flows *store.Flows) (realised, nominal float64) {
	for f := range flows.All() {
		if f.Start < end {
			realised += float64(f.Size)
		}
	}
	for _, p := range s.Workload.plans {
		if start := min(p.Start, end); p.End > p.Start {
			nominal += p.Bytes * (min(p.End, end) - start).Ratio(p.End-p.Start)
		}
	}
	capacity := 0.0 // in bytes
	for _, h := range s.hosts {
		capacity += h.Rate.BytesPerSecond() * (end - s.Workload.Stats.Load.Start).Seconds()
	}
	return realised / capacity, nominal / capacity
}

// notes returns notes on the workload and the telemetry.
func (s *Simulation) notes(r *Result) []string {
	w := s.Workload.Stats
	n := []string{"no flows"}
	if s.Workload.Plan.Flows > 0 {
		n[0] = fmt.Sprintf("%s, %s of payload, mean size %s (expected %s)", number.Count(w.Flows, "flow"),
			inBytes(float64(w.Bytes)), inBytes(w.MeanSize), inBytes(s.Workload.Plan.MeanSize()))
	}
	n = append(n, s.loadNote(r)...)
	if s.parts.Notes != nil {
		n = append(n, s.parts.Notes()...)
	}
	return n
}

// trims returns a note on the trimmed packets.
func trims(c *netsim.Counters) []string {
	if c.Trimmed == 0 {
		return nil
	}
	return note("switches have trimmed %s with %.1f MB of payload, and sent %s back", number.Count(c.Trimmed, "packet"),
		float64(c.TrimmedBytes)/1e6, number.Count(c.Returned, "header"))
}

// earlyTimeouts returns a warning about timeouts in a run without losses: packets waited so long that senders
// retransmitted them and reduced windows.
func (s *Simulation) earlyTimeouts(flows *store.Flows, c *netsim.Counters) []string {
	if c.Dropped > 0 || c.Lost > 0 || len(s.Scenario.Faults) > 0 {
		return nil
	}
	timeouts, affected := 0, 0
	for f := range flows.All() {
		if f.Timeouts > 0 {
			timeouts, affected = timeouts+int(f.Timeouts), affected+1
		}
	}
	if timeouts == 0 {
		return nil
	}
	t := &s.Scenario.Transport
	key, least := "rto_min", t.RTOMin
	switch {
	case t.Pulled():
		key, least = "rto_initial", t.RTOInitial
	case t.Kind == transport.IRN:
		key, least = "rto_low", t.RTOLow
	}
	return warning("no packet was lost, but %d of %s had %s: packets or ACKs waited "+
		"for longer than the retransmission timer (transport.%s = %v), and were sent again",
		affected, number.Count(flows.Len(), "flow"), number.Count(timeouts, "timeout"), key, least)
}

// withoutFeedback returns a note on flows that are so short that they probably receive no telemetry.
func (s *Simulation) withoutFeedback(flows *store.Flows) []string {
	share := s.parts.Feedback.Share
	if share == 1 || share == 0 || len(s.Scenario.CC.Control().Needs().Feedback) == 0 {
		return nil
	}
	silent := 0
	for f := range flows.All() {
		if float64(f.Packets)*share < 1 {
			silent++
		}
	}
	if silent == 0 {
		return nil
	}
	n := fmt.Sprintf("%s = %v: %d of %s %s fewer than %.4g packets, so most of these flows never receive a digest",
		s.parts.Feedback.ShareOf, share, silent, number.Count(flows.Len(), "flow"),
		number.Plural(silent, "has", "have"), 1/share)
	if silent == flows.Len() {
		n = Warning + n + ": their congestion control almost never acts"
	}
	return []string{n}
}
