package random

import (
	"fmt"
	"math"

	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
)

// span is the time of a job.
type span struct {
	begin, end float64 // in ps; NaN if a task has not ended
}

// jobs checks tasks against flows, jobs against tasks, and links against captured packets.
func (s *stored) jobs() error {
	if !s.has(sim.TasksFile) {
		return nil
	}
	spans := map[string]*span{}
	records := s.byID()
	hosts := map[[2]string]string{} // by job and rank
	if err := s.run.Lines(sim.TasksFile, func(l *columns.Line) {
		hosts[[2]string{l.Text("job"), l.Text("rank")}] = l.Text("host")
	}); err != nil {
		return err
	}
	if err := s.run.Lines(sim.TasksFile, func(l *columns.Line) {
		kind := l.Text("kind")
		if kind == "turnstile" {
			return
		}
		x := spans[l.Text("job")]
		if x == nil {
			x = &span{begin: math.Inf(1)}
			spans[l.Text("job")] = x
		}
		if ready := l.Maybe("ready_ps"); ready < x.begin {
			x.begin = ready
		}
		x.end = max(x.end, l.Maybe("done_ps")) // NaN stays
		if kind != "message" {
			return
		}
		x.end = max(x.end, l.Maybe("arrived_ps"))
		s.message(l, records[int64(l.Number("flow"))], hosts[[2]string{l.Text("job"), l.Text("peer")}])
	}); err != nil {
		return err
	}
	links, err := s.links()
	if err != nil {
		return err
	}
	return s.run.Lines(sim.JobsFile, func(l *columns.Line) {
		if l.Text("group") == "job" {
			x := spans[l.Text("job")]
			equal(s, "begin of "+l.Text("job"), l.Maybe("begin_ps"), x.begin)
			equal(s, "end of "+l.Text("job"), l.Maybe("end_ps"), x.end)
		}
		if at := l.Text("busiest_link"); at != "" && math.Abs(l.Number("link_use")-links[at]) > 1e-4 {
			s.wrong("%s of %s: %s is %v in use, links.csv has %v", l.Text("group"), l.Text("job"), at,
				l.Number("link_use"), links[at])
		}
	})
}

// message checks a line that describes a message from a task to the host dst; dst is empty if the receiving rank has
// no task.
func (s *stored) message(l *columns.Line, f *store.FlowRecord, dst string) {
	begin := l.Maybe("begin_ps")
	if f == nil {
		if !math.IsNaN(begin) {
			s.wrong("flow %s begins at %v ps, but it has no record", l.Text("flow"), begin)
		}
		return
	}
	at := fmt.Sprintf("flow %d: ", f.ID)
	equal(s, at+"begin", begin, float64(f.Start))
	equal(s, at+"size", l.Number("size_bytes"), float64(f.Size))
	equal(s, at+"source", l.Text("host"), fmt.Sprint(f.Src))
	if dst != "" { // the rank has a task
		equal(s, at+"destination", dst, fmt.Sprint(f.Dst))
	}
	if f.Outcome != store.Finished {
		return
	}
	end := float64(f.Start + f.FCT)
	// For its sender, an eager message is done as soon as it begins.
	if done := l.Number("done_ps"); done > end || done != end && done != begin {
		s.wrong("flow %d lasts from %v to %v ps, but the timeline ends it at %v ps", f.ID, begin, end, done)
	}
	if arrived := l.Number("arrived_ps"); arrived < begin || arrived > end {
		s.wrong("flow %d lasts from %v to %v ps, but the timeline shows its arrival at %v "+
			"ps", f.ID, begin, end, arrived)
	}
}

// links checks links.csv and returns the utilisation of each link.
func (s *stored) links() (map[string]float64, error) {
	use := map[string]float64{}
	captured, err := s.wires()
	if err != nil {
		return nil, err
	}
	plain := s.run.Scenario.Overhead() == 0 && len(s.run.Scenario.Monitors) == 0
	i := 0
	err = s.run.Lines(sim.LinksFile, func(l *columns.Line) {
		link := s.wiring.Graph.Links[i/2]
		at := port{int32(link.A), int32(link.B)}
		if i%2 == 1 {
			at[0], at[1] = at[1], at[0]
		}
		i++
		bytes, u := l.Number("bytes"), l.Number("use")
		use[l.Text("from")+" to "+l.Text("to")] = u
		room := l.Number("rate_bps") / 8 * s.r.Ended.Seconds()
		const last = 1 << 16 // a packet may be under way at the end
		if u < 0 || u > s.most() || s.r.Ended > 0 && (u*room > bytes+1e-6*room || u*room < bytes-last-1e-6*room) {
			s.wrong("link %v has taken %v bytes of %v, and is %v in use", at, bytes, room, u)
		}
		const more = 64 // bytes that the headers of a frame may need beyond what the simulation counts
		if w := captured[at.String()]; s.whole(scenario.All) && w != nil &&
			(float64(w.bytes) < bytes || plain && float64(w.bytes-more*w.packets) > bytes) {
			s.wrong("port %v has sent %v bytes, the capture has %d", at, bytes, w.bytes)
		}
	})
	return use, err
}
