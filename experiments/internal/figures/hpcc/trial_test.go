package hpcc

import (
	"math"
	"testing"

	"pintlab/experiments/results/store"
	"pintlab/netsim/unit"
)

const us = unit.Microsecond

// sample returns a trial with a sample every 10 us. At first, only flow 0 sends. Flow 1 joins at 20 us and ends at 55
// us.
func sample() *Trial {
	return &Trial{
		period: 10 * us,
		queue:  []unit.Bytes{0, 100, 100, 5000, 9000, 2000, 0, 0},
		sent:   []unit.Bytes{0, 1250, 2500, 3750, 5000, 6250, 7500, 8750},
		Flows: []*store.FlowRecord{
			{ID: 0, Src: 7, Outcome: store.Unfinished, FCT: unit.Never},
			{ID: 1, Src: 8, Class: 1, Size: 2500, Start: 20 * us, FCT: 35 * us},
		},
		delivered: map[int64][]unit.Bytes{
			0: {0, 1000, 2000, 2500, 3000, 3500, 4500, 5500},
			1: {0, 0, 0, 1000, 1500, 2000, 2500, 2500},
		},
	}
}

// The expected rates, queues and ends follow from the numbers in sample. For example, 1000 B in 10 us are 0.8 Gb/s.
func TestTrial(t *testing.T) {
	x := sample()
	long, burst := From("long", 7), Incast("burst")
	mean, p5 := x.Fairness([]Group{long, burst}, 10*us)
	// Both flows are active in three intervals. In the first interval, they deliver 500 and 1000 B, so the index is
	// 1500²/(2·(500² + 1000²)) = 0.9. In the other two intervals, both flows deliver the same amount, so the index is
	// 1.
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"goodput of the long flow alone", x.Goodput(long, 0, 20*us), 0.8e9},
		{"with the other flow", x.Goodput(long, 20*us, 50*us), 0.4e9},
		{"of the incast", x.Goodput(burst, 20*us, 60*us), 0.5e9},
		{"in no time", x.Goodput(long, 20*us, 20*us), 0},
		{"beyond the end", x.Goodput(long, 60*us, 200*us), 0.8e9},
		{"throughput", x.Sent(0, 70*us), 1e9},
		{"longest queue", x.Queue(0, 70*us, 1), 9000},
		{"median of looks from 20 to 60 us", x.Queue(20*us, 60*us, 0.5), 2000},
		{"drained below 2000 B", x.Drained(20*us, 2000).Seconds(), 30e-6},
		{"never longer", x.Drained(20*us, 10_000).Seconds(), 0},
		{"end of the incast", x.Over(burst).Seconds(), 55e-6},
		{"no end of the long flow", x.Over(long).Seconds(), 70e-6},
		{"completion time", x.FCT(burst)[0], 35e-6},
		{"flows that have one", float64(len(x.FCT(long))), 0},
		{"mean Jain index", mean, (0.9 + 1 + 1) / 3},
		{"least Jain index", p5, 0.9},
	} {
		if math.Abs(c.got-c.want) > 1e-9*math.Max(1, math.Abs(c.want)) {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
	x.queue[6], x.queue[7] = 2500, 2500
	if got := x.Drained(60*us, 2000); got != 10*us {
		t.Errorf("a queue that stays is drained after %v, want the rest of the run, 10us", got)
	}
}

// The series of a group has a point for each interval in which the group is active at both ends.
func TestSeries(t *testing.T) {
	b := benchmark{name: "c", period: 10 * us, looks: 2, groups: []Group{From("long", 7), Incast("burst")}}
	var long, burst, queue []float64
	for _, r := range b.series(sample(), "s") {
		switch r.Quantity {
		case "long":
			long = append(long, r.Value)
		case "burst":
			burst = append(burst, r.Value)
		case queues:
			queue = append(queue, r.Value)
		}
	}
	if len(long) != 3 || len(burst) != 1 || len(queue) != 3 || burst[0] != 0.6e9 || queue[1] != 9000 {
		t.Errorf("long %v, burst %v, queue %v", long, burst, queue)
	}
}

// A drawing has a panel for each scheme and a curve for each group. All panels have the same axes.
func TestDraw(t *testing.T) {
	b := benchmark{name: "c", period: 10 * us, looks: 2, groups: []Group{From("long", 7), Incast("burst")}}
	rows := append(b.series(sample(), "one"), b.series(sample(), "two")...)
	list := draw(rows, "c", "1")
	if len(list) != 2 {
		t.Fatalf("%d drawings", len(list))
	}
	for i, curves := range []int{2, 1} {
		f := list[i].Plot
		if len(f.Panels) != 2 || len(f.Panels[0].Series) != curves || *f.Panels[0].Y.Max != *f.Panels[1].Y.Max ||
			*f.Panels[0].X.Max != 60e-6 {
			t.Errorf("%s: %+v", list[i].Name, f.Panels)
		}
	}
}

// The scenarios of the schemes are valid, and each contains the settings that its control needs.
func TestSchemes(t *testing.T) {
	b := benchmark{name: "c", set: []string{"topology={kind: star, hosts: 3}", "workload=[{kind: list, flows: [{src: " +
		"0, dst: 2, size: 1MB}]}]"}, port: "3-2", end: unit.Millisecond, period: 10 * us}
	for _, s := range All {
		if _, err := b.entry(s).Spec(1).Scenario(); err != nil {
			t.Error(err)
		}
	}
}
