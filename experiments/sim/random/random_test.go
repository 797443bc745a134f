package random

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/netsim/route"
	"pintlab/netsim/unit"
)

func TestScenarios(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		d := &draw{t: t, dir: dir}
		text := d.scenario()
		t.Logf("%s", text)
		sc := possible(t, parse(t, text))
		r, err := run(t, sc)
		judge(t, d, r, err)
		records := files(t, r)
		watched := d.watched(sc)
		again, _ := run(t, watched)
		if got := files(t, again); got != records {
			t.Fatalf("another result the second time, with sampling:\n%s\nand before\n%s", got, records)
		}
		if sc.Run.Ties == "fifo" {
			return // the order of scheduling exists on one engine only
		}
		for workers := 2; workers <= 3; workers++ {
			watched.Run.Workers = workers
			many, err := sim.Run(context.Background(), watched, sim.Options{})
			if err != nil && strings.Contains(err.Error(), "has no delay") {
				continue
			}
			if err != nil && !errors.Is(err, sim.ErrStalled) {
				t.Fatalf("on %d engines: %v", workers, err)
			}
			if got := files(t, many); got != records {
				t.Fatalf("on %d engines another result:\n%s\nand on one\n%s", workers, got, records)
			}
			if !bytes.Equal(many.Series.Ports, again.Series.Ports) || !bytes.Equal(many.Series.Flows, again.Series.Flows) {
				t.Fatalf("on %d engines another time series", workers)
			}
		}
	})
}

// watched is the scenario with time series.
func (d *draw) watched(sc scenario.Scenario) scenario.Scenario {
	set := []string{
		"run.sampling.enabled=true", "run.sampling.nodes=[all]", "run.sampling.to=300us",
		"run.sampling.period=" + d.one("sampling period", "10us", "1us", "77us"),
		"run.sampling.rows=" + d.one("sampled rows", "all", "changed"),
	}
	w, err := sc.With(set...)
	if err == nil {
		_, err = sim.Run(context.Background(), w, sim.Options{})
	}
	if err != nil && strings.Contains(err.Error(), "none was under way at any of the") {
		w, err = sc.With(append(set, "run.sampling.series=ports")...)
	}
	if err != nil && !errors.Is(err, sim.ErrStalled) {
		d.t.Fatal(err)
	}
	return w
}

// possible changes what a scenario is refused for, in a network that was drawn without
// regard to it.
func possible(t *rapid.T, sc scenario.Scenario) scenario.Scenario {
	for {
		_, err := sim.Build(sc, sim.Options{}, nil)
		change := ""
		switch {
		case err == nil:
			return sc
		case strings.Contains(err.Error(), "but headroom and reserve"):
			change = "network.buffer=100MB"
		case strings.Contains(err.Error(), "cannot describe this network"): // rates without a code
			change = "telemetry.precision=exact"
		case strings.HasPrefix(err.Error(), "faults."): // one that this network cannot have
			var i int
			if n, _ := fmt.Sscanf(err.Error(), "faults.%d", &i); n != 1 {
				t.Fatal(err)
			}
			sc.Faults = slices.Delete(slices.Clone(sc.Faults), i, i+1)
			continue
		default:
			t.Fatal(err)
		}
		if sc, err = sc.With(change); err != nil {
			t.Fatal(err)
		}
	}
}

func run(t *rapid.T, sc scenario.Scenario) (*sim.Result, error) {
	r, err := sim.Run(context.Background(), sc, sim.Options{})
	if err != nil && !errors.Is(err, sim.ErrStalled) {
		t.Fatal(err)
	}
	return r, err
}

// files are the records and counters of a run.
func files(t *rapid.T, r *sim.Result) string {
	var b bytes.Buffer
	if err := errors.Join(store.WriteFlowsCSV(&b, r.Flows), store.WriteFCT(&b, r.Flows)); err != nil {
		t.Fatal(err)
	}
	c := r.Counters
	fmt.Fprintln(&b, c.PacketHops, c.Injected, c.Delivered, c.Dropped, c.Lost, c.Pauses, c.Trimmed, c.TrimmedBytes, c.Returned, c.Tolls, r.Summary.Marks, r.Ended)
	return b.String()
}

// judge holds the outcome of a run against what its scenario allows.
func judge(t *rapid.T, d *draw, r *sim.Result, stall error) {
	sc := &r.Scenario
	breaks := func(kind string) bool {
		return slices.ContainsFunc(sc.Faults, func(f scenario.Fault) bool { return f.Kind == kind })
	}
	rerouted := breaks(scenario.LinkDown) || breaks(scenario.SwitchFailure)
	forEver := slices.ContainsFunc(sc.Faults, func(f scenario.Fault) bool {
		return (f.Kind == scenario.HostPause || f.Kind == scenario.HostFailure) && f.Until == unit.Never
	})
	cut := !sc.Run.Drain || sc.Run.Until < 10*unit.Second
	// PFC in a network with cycles may lock up.
	sound := !d.faults && !d.file && (!d.timer || sc.Transport.MaxRetries == 30)

	outcomes := map[store.FlowStatus]int{}
	for f := range r.Flows.All() {
		outcomes[f.Outcome]++
		if f.Outcome != store.Finished {
			continue
		}
		// Alone means on the path that ECMP gives it.
		onePath := sc.Network.Balancing.Balancer().Splits() == route.Flows
		if f.FCT < f.Ideal && onePath && !rerouted {
			t.Errorf("flow %d took %v, alone it would take %v", f.ID, f.FCT, f.Ideal)
		}
		if least := uint32((f.Size + sc.Transport.FullPayload(sc.Telemetry.Overhead()) - 1) / sc.Transport.FullPayload(sc.Telemetry.Overhead())); f.Packets-f.Retransmitted < least {
			t.Errorf("flow %d of %v has sent %d packets, %d of them again; want at least %d", f.ID, f.Size, f.Packets, f.Retransmitted, least)
		}
	}
	started := int64(r.Flows.Len())
	if total := r.Workload.Stats.Flows; started > total || started < total && !cut && stall == nil {
		t.Errorf("%d flows of %d have a record", started, total)
	}
	allowed := map[store.FlowStatus]bool{
		store.Finished:   true,
		store.Unfinished: cut && stall == nil,
		// The timeouts of IRN do not back off, so that a long queue may use up all tries.
		store.OutOfTries:  d.timer && (!sound || sc.Transport.Kind == scenario.IRN),
		store.Unreachable: rerouted,
		store.Stalled:     stall != nil,
	}
	for o, n := range outcomes {
		if !allowed[o] {
			t.Errorf("%d flows are %v", n, o)
		}
	}
	if stall != nil && (sound || outcomes[store.Stalled] == 0) {
		t.Errorf("%d stalled flows: %v", outcomes[store.Stalled], stall)
	}
	c := &r.Counters
	if sound && (c.Dropped > 0 || c.Lost > 0) {
		t.Errorf("%d packets dropped, %d lost", c.Dropped, c.Lost)
	}
	var silent int64
	for _, toll := range c.Tolls {
		silent += toll.Packets
		if toll.Packets > 0 != (toll.Bytes > 0) {
			t.Errorf("silent faults have ended %d packets of %d bytes", toll.Packets, toll.Bytes)
		}
	}
	if silent > c.Dropped+c.Lost {
		t.Errorf("silent faults have ended %d packets, %d were dropped and %d lost", silent, c.Dropped, c.Lost)
	}
	left := c.Injected - c.Delivered - c.Dropped - c.Lost
	if left < 0 || left > 0 && !cut && stall == nil && !forEver && outcomes[store.OutOfTries] == 0 {
		t.Errorf("%d packets are left", left)
	}
}
