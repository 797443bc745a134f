package sim

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

var everywhere = flag.Bool("everywhere", false, "stop runs at every look and not at some only")

// clock is a real-time clock that exceeds run.wall_limit when it is read for the n-th time.
type clock struct {
	looks atomic.Int64
	last  int64 // reading at which the time is up; 0: never
}

func (c *clock) elapsed() time.Duration {
	if n := c.looks.Add(1); c.last > 0 && n >= c.last {
		return time.Hour
	}
	return 0
}

// interruptible lists small runs with losses, pauses, faults, samples, monitors and idle times.
var interruptible = map[string]string{
	"drops": `
topology: {kind: leafspine, leaves: 3, spines: 2, hosts_per_leaf: 2}
workload: [{kind: incast, senders: 5, size: 6KB}, {kind: poisson, sizes: hadoop, load: 0.3, duration: 20us}]
network: {port_limit: 4KB, pfc: {enabled: false}}
cc: {kind: fixed}
telemetry: {kind: none}
`,
	"faults": `
topology: {kind: leafspine, leaves: 3, spines: 2, hosts_per_leaf: 2}
workload: [{kind: permutation, size: 8KB}, {kind: permutation, size: 2KB, start: 100us}]
cc: {kind: hpcc}
telemetry: {kind: pint}
monitors: [{kind: int, mode: postcard, collector: 1}]
faults: [{kind: link-down, a: 6, b: 9, at: 2us, until: 40us}, {kind: host-pause, host: 3, at: 1us, until: 9us}]
run: {sampling: {enabled: true, period: 5us}}
`,
}

// limited parses a scenario and sets a limit of real time and the number of workers.
func limited(t *testing.T, text string, workers int) scenario.Scenario {
	t.Helper()
	sc, err := scenario.Parse([]byte(text), "test")
	if err != nil {
		t.Fatal(err)
	}
	sc.Run.Workers, sc.Run.WallLimit = workers, unit.Second
	return sc
}

// A run that polls its limits after every event, and on several engines after one event of each, has the same records
// as a run that does not. A run stops at any of these polls, by the limit of real time or by the end of its context. A
// flow that has finished by then has the same record as in the whole run. On one engine, if a flow has finished, all
// flows that finish earlier in the whole run have finished. Every packet and flow is accounted for. With -everywhere
// the test stops at each of the thousands of polls.
func TestRunStopsAnywhere(t *testing.T) {
	for name, text := range interruptible {
		for workers := 1; workers <= 3; workers++ {
			t.Run(fmt.Sprint(name, " ", workers), func(t *testing.T) {
				t.Parallel()
				stopAnywhere(t, limited(t, text, workers))
			})
		}
	}
}

func stopAnywhere(t *testing.T, sc scenario.Scenario) {
	want, err := Run(t.Context(), sc, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var free clock
	whole, err := Run(t.Context(), sc, Options{poll: 1, elapsed: free.elapsed})
	if err != nil {
		t.Fatal(err)
	}
	if whole.Summary.Fingerprint != want.Summary.Fingerprint || whole.Counters != want.Counters {
		t.Fatalf("looks after every event change the run: %+v, want %+v", whole.Counters, want.Counters)
	}
	records := map[int64]store.FlowRecord{}
	for f := range whole.Flows.All() {
		records[f.ID] = *f
	}
	looks, events := free.looks.Load(), uint64(0)
	t.Logf("%d events, %d looks", whole.Counters.Events, looks)
	step := int64(13)
	switch {
	case *everywhere:
		step = 1
	case testing.Short():
		step = 211
	}
	for n := int64(1); n <= looks; n += min(step, 1+n/16) {
		c := clock{last: n}
		r, err := Run(t.Context(), sc, Options{poll: 1, elapsed: c.elapsed})
		if err == nil && sc.Run.Workers > 1 && c.looks.Load() < n {
			break // the number of polls of several workers is random
		}
		if !errors.Is(err, ErrStopped) {
			t.Fatalf("look %d: %v, want %v", n, err, ErrStopped)
		}
		if r == nil { // before the first event
			continue
		}
		if after := c.looks.Load() - n; after > 0 {
			t.Fatalf("look %d: %d looks after that", n, after)
		}
		// Between two polls, each of the workers runs at least one event. The number is random, up to this limit.
		if most := uint64(n) * uint64(sc.Run.Workers); r.Summary.Events > most ||
			sc.Run.Workers == 1 && r.Summary.Events < events {
			t.Fatalf("look %d: %d events, %d at the look before; want at most %d", n, r.Summary.Events, events, most)
		}
		events = r.Summary.Events
		checkPart(t, n, r, whole, records)
	}
	for n := int64(1); n <= looks; n += 4 * step {
		ctx := &counting{Context: t.Context()}
		ctx.left.Store(n)
		_, err := Run(ctx, sc, Options{poll: 1})
		if err == nil && sc.Run.Workers > 1 && ctx.left.Load() >= 0 {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("look %d of the context: %v", n, err)
		}
	}
}

// checkPart compares a run that was stopped at poll n with the whole run.
func checkPart(t *testing.T, n int64, r, whole *Result, records map[int64]store.FlowRecord) {
	t.Helper()
	var last unit.Time // end of a flow that has finished
	finished := map[int64]bool{}
	for f := range r.Flows.All() {
		if f.Outcome != store.Finished {
			continue
		}
		if w := records[f.ID]; *f != w {
			t.Fatalf("look %d: flow %+v, in the whole run %+v", n, *f, w)
		}
		finished[f.ID], last = true, max(last, f.Start+f.FCT)
	}
	if r.Scenario.Run.Workers == 1 {
		for id, w := range records {
			if w.Outcome == store.Finished && w.Start+w.FCT < last && !finished[id] {
				t.Fatalf("look %d: flow %d is missing, which ended at %v; the last ended at %v", n, id, w.Start+w.FCT,
					last)
			}
		}
	}
	s := &r.Summary
	if got := int64(s.Finished+s.Failed+s.Unfinished) + s.NotStarted; got != r.Workload.Stats.Flows {
		t.Fatalf("look %d: %d flows finished, %d failed, %d unfinished, %d not started: %d, want %d", n, s.Finished,
			s.Failed, s.Unfinished, s.NotStarted, got, r.Workload.Stats.Flows)
	}
	c, w := &r.Counters, &whole.Counters
	if c.Injected < c.Delivered+c.Dropped+c.Lost || c.Injected > w.Injected || c.Delivered > w.Delivered ||
		c.PacketHops > w.PacketHops || c.Dropped > w.Dropped || c.Lost > w.Lost || c.Events > w.Events {
		t.Fatalf("look %d: counters %+v, in the whole run %+v", n, c, w)
	}
}

// counting is a context that ends after the given number of polls.
type counting struct {
	context.Context
	left atomic.Int64
}

func (c *counting) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// crowds lists runs in which one event starts many flows: on one engine, on several engines, and with the hosts of the
// published simulator.
var crowds = []string{
	"topology: {kind: star, hosts: 130}\nworkload: [{kind: alltoall, size: 1B}]\n",
	"topology: {kind: star, hosts: 130}\nworkload: [{kind: alltoall, size: 1B}]\n" +
		"network: {scheduling: {kind: strict}}\n",
	"topology: {kind: leafspine, leaves: 2, spines: 1, hosts_per_leaf: 65}\nworkload: [{kind: alltoall, size: 1B}]\n" +
		"run: {workers: 2}\n",
	"profile: ns3-artifact\ntopology: {kind: star, hosts: 130}\nworkload: [{kind: alltoall, size: 1B}]\n",
}

// One event starts all 16 770 flows of an all-to-all exchange. The run notices the end of its context (Ctrl-C) in the
// middle of this event, so that no simulated time passes afterwards.
func TestOneEventOfManyStartsIsLeft(t *testing.T) {
	for _, text := range crowds {
		sc, err := scenario.Parse([]byte(text), "test")
		if err != nil {
			t.Fatal(err)
		}
		for n := range int64(4) {
			ctx := &counting{Context: t.Context()}
			ctx.left.Store(n)
			_, err = Run(ctx, sc, Options{Progress: func(p Progress) {
				if p.Now > 0 {
					t.Errorf("%q: still there at %v", text, p.Now)
				}
			}})
			if left := ctx.left.Load(); !errors.Is(err, context.Canceled) || left < -10 {
				t.Errorf("%q: %v after %d looks too many", text, err, -left)
			}
		}
	}
}

// A run may be halted in the middle of an event that starts many flows. If it then continues, it has the same records
// as a run that is not halted.
func TestHaltedStartsGoOn(t *testing.T) {
	for _, text := range crowds {
		sc, err := scenario.Parse([]byte(text), "test")
		if err != nil {
			t.Fatal(err)
		}
		var want, got []transport.Record
		var asked atomic.Int64
		for _, records := range []*[]transport.Record{&want, &got} {
			s, err := Build(sc, Options{}, func(r *transport.Record) { *records = append(*records, *r) })
			if err != nil {
				t.Fatal(err)
			}
			if records == &got {
				s.feed.stop = func() error {
					asked.Add(1)
					return ErrStopped
				}
			}
			o := Options{elapsed: func() time.Duration { return 0 }}
			if err := s.loop(t.Context(), o, &recorder{out: &store.Flows{}, complete: s.setHops}); err != nil {
				t.Fatal(err)
			}
			s.Stack.Close(transport.Unfinished)
			slices.SortStableFunc(*records, func(a, b transport.Record) int { return cmp.Compare(a.Number, b.Number) })
		}
		if asked.Load() < 3 || !slices.Equal(got, want) {
			t.Errorf("%q: after %d halts the records of %d flows differ from all %d", text, asked.Load(), len(got),
				len(want))
		}
	}
}
