package inband

import (
	"slices"
	"strings"
	"testing"

	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

func nodes(n ...netsim.NodeID) []netsim.NodeID { return n }

// victim returns a flow of 20 packets from host 0 to host 6 over switches 1 to 5.
func victim() *telemetry.Flow {
	return &telemetry.Flow{Key: 7, Tuple: route.FiveTuple{Dst: 6}, Path: nodes(1, 2, 3, 4, 5), Sent: 20}
}

// The answers from postcards of a flow are computed by hand. Each letter is a report of one packet by the switch with
// this letter.
func TestPostcards(t *testing.T) {
	for _, c := range []struct {
		name    string
		from    []netsim.NodeID // reports
		stopped int             // position in the path
		loop    []netsim.NodeID
		offPath []netsim.NodeID
	}{
		{"all arrive", nodes(1, 2, 3, 4, 5), 4, nil, nil},
		{"one of two ends behind switch 3", nodes(1, 2, 3, 4, 5, 1, 2, 3), 2, nil, nil},
		{"the report of switch 2 is lost", nodes(1, 3, 4, 5, 1, 2, 3), 2, nil, nil},
		{"switches 3 and 4 send it to each other", nodes(1, 2, 3, 4, 3, 4, 3, 4, 3, 4, 3, 4), 3, nodes(3, 4), nil},
		{"sent again and again, and arrives each time",
			nodes(1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5), 4, nil, nil},
		{"over switch 9 in place of 3", nodes(1, 2, 9, 4, 5), 4, nil, nodes(9)},
		{"none", nil, -1, nil, nil},
	} {
		m := &monitor{params: Monitor{Mode: "postcard", Share: 1. / 128}, hops: make([]hop, 10)}
		r := m.reports(telemetry.Window{Until: unit.Never}, telemetry.Scale{Slow: unit.Never, Loop: 3})
		for i, at := range c.from {
			r.take(unit.Time(i), 7, []hopRecord{{Node: at}})
		}
		f := r.Facts(victim())
		if c.stopped == 4 { // it is the last switch, so no switch after it can report
			c.stopped = -1
		}
		if f.Stopped != c.stopped || !slices.Equal(f.Loop, c.loop) || !slices.Equal(f.OffPath, c.offPath) {
			t.Errorf("%s: stopped %d, loop %v, off the path %v; want %d, %v, %v",
				c.name, f.Stopped, f.Loop, f.OffPath, c.stopped, c.loop, c.offPath)
		}
	}
}

// Passports show the hop whose 95th percentile of latency is slow. They also show the path of a packet that left the
// expected path.
func TestPassports(t *testing.T) {
	const slow = 10 * unit.Microsecond
	m := &monitor{params: Monitor{Mode: "passport", Share: 1}, hops: make([]hop, 10)}
	r := m.reports(telemetry.Window{Until: unit.Never}, telemetry.Scale{Slow: slow, Loop: 3})
	report := func(slowAt netsim.NodeID, path ...netsim.NodeID) {
		var list []hopRecord
		for _, at := range path {
			c := hopRecord{Node: at}
			if at == slowAt {
				c.Latency = slow
			}
			list = append(list, c)
		}
		r.take(0, 7, list)
	}
	for range 18 {
		report(-1, 1, 2, 3, 4, 5)
	}
	report(4, 1, 2, 3, 4, 5)
	if f := r.Facts(victim()); !f.Slow[3] || slices.Contains(f.Slow[:3], true) || f.Other != nil || f.Stopped != -1 {
		t.Errorf("one slow packet of 19 at switch 4: %+v", f)
	}
	report(-1, 1, 2, 3, 4, 5)
	report(-1, 1, 2, 9, 4, 5)
	if f := r.Facts(victim()); f.Slow[3] || !slices.Equal(f.Other, nodes(1, 2, 9, 4, 5)) {
		t.Errorf("one of 21, and one over switch 9: %+v", f)
	}
}

// A passport shows the path of its packet, unless a switch found no room for its record. Postcards show no path.
func TestFollow(t *testing.T) {
	m := &monitor{params: Monitor{Mode: "passport", Share: 1}, passport: true, hops: make([]hop, 10)}
	var known [][]netsim.NodeID
	follow := func(now unit.Time, flow uint64, path []netsim.NodeID) {
		if now != 5 || flow != 7 {
			t.Errorf("flow %d at %d, want 7 at 5", flow, now)
		}
		known = append(known, slices.Clone(path))
	}
	if err := m.Follow(follow); err != nil {
		t.Fatal(err)
	}
	m.take(5, records([3]uint32{1, 0, 0}, [3]uint32{2, 0, 0}))
	long := records([3]uint32{1, 0, 0}, [3]uint32{3, 0, 0})
	long[roomHeader-1] = 1
	m.take(5, long)
	m.take(5, records([3]uint32{1, 0, 0}, [3]uint32{4, 0, 0}))
	if want := [][]netsim.NodeID{{1, 2}, {1, 4}}; !slices.EqualFunc(known, want, slices.Equal) {
		t.Errorf("known %v, want %v", known, want)
	}
	if err := (&monitor{}).Follow(follow); err == nil || !strings.Contains(err.Error(), "passport") {
		t.Errorf("postcards: %v", err)
	}
}
