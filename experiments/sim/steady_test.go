package sim

import (
	"bytes"
	"fmt"
	"strconv"
	"testing"

	"pintlab/experiments/results/store"
	"pintlab/netsim/unit"
)

const star = `
topology: {kind: star, hosts: 8}
workload: [{kind: poisson, sizes: fixed, size: 100KB, load: 0.6, duration: 300us%s}]
cc: {kind: hpcc}
telemetry: {kind: int}
run: {%s}
`

func steadyRun(t *testing.T, source, run string) *Result {
	t.Helper()
	r, err := runText(t, fmt.Sprintf(star, source, run))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Unmeasured flows only change the times at which measured flows end. The same flows count as without unmeasured flows,
// each once, and all of them end.
func TestUnmeasuredFlowsDoNotCount(t *testing.T) {
	cold := steadyRun(t, "", "until: 10ms")
	steady := steadyRun(t, ", under_way: steady", "keep_load: 9ms")
	if cold.Flows.Len() != steady.Flows.Len() || steady.Summary.NotStarted != 0 {
		t.Fatalf("%d flows, and %d not started; want %d", steady.Flows.Len(), steady.Summary.NotStarted,
			cold.Flows.Len())
	}
	of := map[int64]*store.FlowRecord{}
	for r := range cold.Flows.All() {
		of[r.ID] = r
	}
	var without, with, last unit.Time
	for r := range steady.Flows.All() {
		c := of[r.ID]
		if c == nil || r.Src != c.Src || r.Dst != c.Dst || r.SrcPort != c.SrcPort || r.Size != c.Size ||
			r.Start != c.Start || r.Outcome != store.Finished {
			t.Fatalf("%+v, without the others %+v", r, c)
		}
		with, without, last = with+r.FCT, without+c.FCT, max(last, r.Start+r.FCT)
	}
	if with <= without {
		t.Errorf("flows take %v in a busy network and %v in an empty one", with, without)
	}
	if steady.Ended < last || steady.Ended > last+slice {
		t.Errorf("the run ended at %v, the last flow that counts at %v", steady.Ended, last)
	}
	if onward := steadyRun(t, "", "keep_load: 9ms"); onward.Counters.PacketHops <= cold.Counters.PacketHops {
		t.Errorf("%d packet-hops with arrivals that go on, %d without", onward.Counters.PacketHops,
			cold.Counters.PacketHops)
	}
}

// Totals cover the time until the end of the run. Measured flows end after 5.5 us, but reports fill the link of the
// collector until 20 us.
func TestTotalsEndWithTheRun(t *testing.T) {
	r, err := runText(t, `
seed: 6
topology: {kind: star, hosts: 8, host_rate: 100Gbps, link_delay: 100ns}
workload: [{kind: poisson, sizes: uniform, min_size: 100B, max_size: 30KB, load: 0.8, duration: 1us, under_way: steady}]
cc: {kind: fixed}
telemetry: {kind: none}
run: {keep_load: 100us, sampling: {enabled: true, nodes: [all], period: 1us, series: ports}}
monitors: [{kind: int, mode: postcard, collector: 7}]
`)
	if err != nil {
		t.Fatal(err)
	}
	var last, looked unit.Time
	for f := range r.Flows.All() {
		last = max(last, f.Start+f.FCT)
	}
	err = store.PortSeries.Read(bytes.NewReader(r.Series.Ports), int64(len(r.Series.Ports)), store.PortSeries.Parquet(),
		func(x *store.PortSample) error {
			looked = max(looked, x.Time)
			return nil
		})
	if err != nil || last == r.Ended || looked < r.Ended || looked >= r.Ended+unit.Microsecond {
		t.Errorf("%v: the last measured flow ended at %v, the run at %v, and the last look was at %v", err, last,
			r.Ended, looked)
	}
	collector := r.Monitors[0].Tables[0].Rows[0]
	if share, err := strconv.ParseFloat(collector[3], 64); err != nil || share < 0.4 || share > 1 {
		t.Errorf("%v: reports used %v of the link to the collector, want 0.4 to 1", err, collector)
	}
}

// A flow that is cut off counts with the time that it would take at its mean rate so far. A flow that has sent nothing
// does not count.
func TestProjected(t *testing.T) {
	f := store.FlowRecord{Size: 3000, Start: 100, Outcome: store.Unfinished, FCT: unit.Never}
	none := f
	project(&none, 0, 500)
	if none != f {
		t.Errorf("%+v", none)
	}
	project(&f, 1000, 500)
	if f.Outcome != store.Projected || f.FCT != 1200 {
		t.Errorf("%+v, want 1200 ps: a third of the bytes in 400 ps", f)
	}
	slow := store.FlowRecord{Size: 1 << 50, Outcome: store.Unfinished, FCT: unit.Never}
	if project(&slow, 1, unit.Second); slow.Outcome != store.Unfinished {
		t.Errorf("%+v is longer than time goes", slow)
	}
	cut := steadyRun(t, ", under_way: steady", "keep_load: 5us, cut_off: projected")
	projected, unfinished := 0, 0
	for r := range cut.Flows.All() {
		switch r.Outcome {
		case store.Projected:
			projected++
			if r.FCT <= 305*unit.Microsecond-r.Start {
				t.Errorf("%+v is projected to an end before the end of the run", r)
			}
		case store.Unfinished:
			unfinished++
		}
	}
	if projected == 0 || cut.Summary.Unfinished != projected+unfinished {
		t.Errorf("%d projected, %d without a pace, %d in the summary", projected, unfinished, cut.Summary.Unfinished)
	}
}

// A run without drain ends with its last arrival. It cuts off its flows at this time, and not at run.until.
func TestProjectedWithoutDrain(t *testing.T) {
	short := steadyRun(t, "", "drain: false, cut_off: projected")
	same := steadyRun(t, "", fmt.Sprintf("until: %dps, cut_off: projected", short.Workload.Stats.LastStart))
	if short.Summary.Unfinished == 0 || short.Summary.Fingerprint != same.Summary.Fingerprint {
		t.Errorf("%d flows unfinished: fingerprint %s, and %s with run.until at the last arrival",
			short.Summary.Unfinished, short.Summary.Fingerprint, same.Summary.Fingerprint)
	}
	steadyRun(t, "", "until: never, drain: false, cut_off: projected")
}
