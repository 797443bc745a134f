package random

import (
	"context"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	outside "pintlab/experiments/pintlab/testdata/outside/parts"
	"pintlab/experiments/protocols"
	"pintlab/experiments/scenario"
)

// shrinking lets rapid make the choices, so that rapid can reduce them after a failure.
type shrinking struct{ t *rapid.T }

func (s shrinking) Int(name string, from, to int) int {
	return rapid.IntRange(from, to).Draw(s.t, name)
}

func TestScenarios(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		c, err := drawCase(nil, shrinking{t}, dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s", c.Scenario.YAML())
		if _, err := c.check(context.Background(), dir, false); err != nil {
			t.Fatal(err)
		}
	})
}

// Thousands of scenarios of one seed include every kind of every part, except networks with more than some tens of
// hosts and parts that are read from files. The number of scenarios is so large that the test passes even after a new
// kind is added, which changes all choices.
func TestEveryKindIsDrawn(t *testing.T) {
	dir := t.TempDir()
	missing := map[string]bool{}
	for part, kinds := range map[section]string{
		ofTopology: "star, dumbbell, chain, leafspine, fattree, fattree8, file",
		ofTraffic: "list, list after, incast, incast once, incast interval, incast load, poisson, poisson steady, " +
			"racks, racks lognormal, permutation, alltoall, staircase up, staircase up-down, " +
			"collective allreduce, collective alltoall, collective windowed, collective broadcast, " +
			"collective random, collective rail, training, training tree, goal",
		ofControl: "hpcc window, hpcc rate, hpcc path, powertcp telemetry, powertcp theta, dcqcn paper, dcqcn ns3, " +
			"timely paper, timely patched, timely ns3, timely switch, dctcp window, dctcp rate, swift host, " +
			"swift switch, reno, cubic, ndp, uet, fixed",
		ofTelemetry: "none, bytes, int hpcc, int standard, int exact, int wire, pint float, pint fixed, pint hpcc, " +
			"pint powertcp, pint combined, pint combined-by-hand, rtt destination, rtt flow, rtt switch",
		ofRecovery: "gobackn, irn, ndp, uet, tahoe, reno, newreno, sack, rack",
		ofBalancing: "ecmp, wcmp, letflow, spray random, spray round-robin, permute, oblivious, bitmap, reps ring, " +
			"reps list, mixed",
		ofScheduling: "turns, strict, drr, wrr",
		ofMarking:    "on, off",
		ofPausing:    "dynamic, static, off",
		ofLosses:     "links, some links, full buffers, trimming, reports, none",
		ofFaults: "link-down, switch-failure, host-pause, host-failure, blackhole, blackhole-entry, loop, drop, " +
			"jitter, wrong-path, none",
		ofMonitors: "int passport, int postcard, lightguardian global, lightguardian local, lightguardian both, " +
			"pint hosts, pint collector, rtt, sketchint hosts, sketchint switches, none",
		ofSettings: "until, drain, keep_load, cut_off, warmup, cooldown, monitor_cost, ties, start_times, ideal_fct, " +
			"outputs, sampling.enabled, sampling.series, sampling.period, sampling.max_looks, " +
			"sampling.rows, sampling.from, sampling.nodes, sampling.flows, sampling.formats, capture.enabled, " +
			"capture.nodes, capture.flows, capture.ring, capture.snap",
	} {
		for kind := range strings.SplitSeq(kinds, ", ") {
			missing[part.String()+" "+kind] = true
		}
	}
	for i := 0; i < 4000 && len(missing) > 0; i++ {
		d := &draw{choose: newChooser(1, i), dir: dir}
		if err := d.scenario(); err != nil {
			t.Fatal(err)
		}
		sc, err := d.parse()
		if err != nil {
			t.Fatal(err)
		}
		d.settings(sc)
		d.kinds[ofFaults] = faultKinds(&sc)
		for _, c := range Coverage([]Row{{Texts: d.kinds.texts()}}) {
			delete(missing, c.Part+" "+c.Kind)
		}
	}
	for kind := range missing {
		t.Errorf("no scenario has %s", kind)
	}
}

// A number that is drawn from a range has the unit and the prefix of the end of the range. A range that ends with
// "hosts" ends at the last host.
func TestRangesHaveUnits(t *testing.T) {
	d := &draw{choose: newChooser(1, 1), hosts: 8}
	for high, want := range map[string]string{
		"7": "7", "7us": "7us", "7KB": "7KB", "7MiB": "7MiB", "7Gbps": "7Gbps", "hosts": "7",
	} {
		if got := d.within("key", "7", high); got != want {
			t.Errorf("7..%s: %s, want %s", high, got, want)
		}
	}
}

// newest chooses the last protocol of each list and IRN. For everything else it chooses the simplest value.
type newest struct{}

func (newest) Int(name string, from, to int) int {
	if slices.Contains(strings.Fields("topology traffic transport control balancing monitors monitor"), name) {
		return to
	}
	return from
}

// Protocols that a program adds are also drawn.
func TestOwnProtocols(t *testing.T) {
	set := protocols.Standard()
	outside.Add(set)
	c, err := drawCase(scenario.Of(set), newest{}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	got := c.Kinds.texts()
	if got.Topology != "ring" || got.Traffic != "neighbours" || got.Balancing != "turns" || got.Monitors != "counter" {
		t.Errorf("%+v", got)
	}
}
