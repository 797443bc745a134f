package estimate

import (
	"context"
	"math"
	"testing"

	"pintlab/experiments/results/store"
	"pintlab/netsim/unit"
)

// Flows of an incast wait only at the receiver's link.
func TestExplain(t *testing.T) {
	e, err := Run(context.Background(), open(t, "incast16", "estimate.enabled=true"), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	x, err := e.Explain(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if x.Flows < 1 || len(x.Links) != 17 || x.Links[0].Share < 0.95 || x.Links[0].Flows != x.Flows ||
		x.Links[0].Link != "switch 17 (sw0) to host 16 (h16)" {
		t.Errorf("of %d slow flows the worst of %d links is %+v", x.Flows, len(x.Links), x.Links[0])
	}
	f := x.Draw()
	if err := f.Validate(); err != nil {
		t.Error(err)
	}
	// The second row has a single link, sw0 to host, which fills all 16 cells.
	z := f.Panels[0].Heat.Z
	if len(z) != 2 || len(z[0]) != 16 || z[1][0] < 95 || z[1][15] != z[1][0] || z[0][3] > 5 {
		t.Errorf("the drawing has the cells %v", z)
	}
}

// Errors reports the errors of slowdowns by flow size. Equal records have errors of 0.
func TestErrors(t *testing.T) {
	run, twice := &store.Flows{}, &store.Flows{}
	for i := range int64(1000) {
		r := store.FlowRecord{
			ID: i, Dst: 1, Size: unit.Bytes(1 + i), FCT: unit.Time(100 + i), Ideal: 10, Outcome: store.Finished,
		}
		run.Append(r)
		if r.Outcome = store.Estimated; i >= 500 {
			r.FCT *= 2
		}
		twice.Append(r)
	}
	list, err := Errors(run, twice, 2)
	if err != nil || len(list) != 3 {
		t.Fatalf("%d groups: %v", len(list), err)
	}
	for i, want := range []struct {
		least, most  unit.Bytes
		p99, p50, of float64
	}{{1, 500, 0, 0, 59.4}, {501, 1000, 100, 100, 109.4}, {1, 1000, 100, 0, 108.9}} {
		e := list[i]
		if e.Least != want.least || e.Most != want.most || math.Abs(e.P99Error-want.p99) > 1e-9 ||
			math.Abs(e.P50Error-want.p50) > 1e-9 || math.Abs(e.P99-want.of) > 1e-9 || !(e.Half >= 0) {
			t.Errorf("group %d is %+v, want %+v", i, e, want)
		}
	}
	// A few flows decide the percentile, so the interval is wide. No end is below −100 %.
	few, fast := &store.Flows{}, &store.Flows{}
	for i := range int64(30) {
		r := store.FlowRecord{ID: i, Dst: 1, Size: 1000, FCT: 100, Ideal: 10, Outcome: store.Finished}
		if i == 7 || i == 8 {
			r.FCT = 100_000 * unit.Time(9-i)
		}
		few.Append(r)
		if r.Outcome = store.Estimated; i == 7 {
			r.FCT = 10_000
		}
		fast.Append(r)
	}
	wide, err := Errors(few, fast, 1)
	if err != nil || len(wide) != 1 {
		t.Fatalf("%+v, %v", wide, err)
	}
	if e := wide[0]; !(e.P99Error-e.Half < -100) || !(e.P99Low > -100) || !(e.P99Low < e.P99Error) ||
		!(e.P99High > e.P99Error) {
		t.Errorf("the interval of %v %% is %v to %v", e.P99Error, e.P99Low, e.P99High)
	}
	same := &store.Flows{}
	for i := range int64(1000) {
		same.Append(store.FlowRecord{
			ID: i, Dst: 1, Size: 100 * unit.Bytes(1+i/700), FCT: 100, Ideal: 10, Outcome: store.Finished,
		})
	}
	if list, err = Errors(same, same, 5); err != nil || len(list) != 3 || list[0].Flows != 700 ||
		list[1].Least != 200 || list[2].Flows != 1000 {
		t.Errorf("groups of two sizes are %+v: %v", list, err)
	}
	if _, err := Errors(run, &store.Flows{}, 1); err == nil {
		t.Error("errors of other flows")
	}
}
