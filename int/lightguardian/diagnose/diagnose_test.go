package diagnose

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// table is a View of one flow at switches 1, 2, …: packets by interval and switch.
type table struct {
	packets [][]uint64
	longest [][]unit.Time
	slow    []float64
	strays  []netsim.NodeID
}

func (t table) Intervals() (int, int)          { return 0, len(t.packets) }
func (t table) Strays(*Victim) []netsim.NodeID { return t.strays }

func (t table) Row(interval int, at netsim.NodeID, _ uint64) Row {
	r := Row{Known: true, Packets: t.packets[interval][at-1]}
	if t.longest != nil {
		r.Longest = t.longest[interval][at-1]
	}
	r.Delay[0] = r.Packets
	if t.slow != nil {
		r.Delay[Cells-1] = uint64(t.slow[at-1] * float64(r.Packets))
		r.Delay[0] -= r.Delay[Cells-1]
	}
	return r
}

func five(s Symptom) *Victim {
	return &Victim{Flow: 7, Symptom: s, Source: 100, Path: []netsim.NodeID{1, 2, 3, 4, 5}, Life: [2]int{0, 9},
		Sent: 100, Destination: 6, Received: 100}
}

// line links nodes with consecutive numbers, node 3 with node 9, and the source with switch 1.
func line(a, b netsim.NodeID) bool {
	return a-b == 1 || b-a == 1 || min(a, b) == 3 && max(a, b) == 9
}

func nodes(n ...netsim.NodeID) []netsim.NodeID { return n }

// The examples of §6.2 are checked literally: 100,100,100,0,0 is a blackhole at s4; 100, 100, 5000, 5000, 0 is a loop
// of s3 and s4; 100,100,95,95,95 are random drops at s3.
func TestExamplesOfThePaper(t *testing.T) {
	for _, tt := range []struct {
		name    string
		symptom Symptom
		view    table
		want    Finding
	}{
		{"blackhole", Timeout, table{packets: [][]uint64{{100, 100, 100, 0, 0}}},
			Finding{Blackhole, nodes(4), 3, 0, 100, 0}},
		{"loop", Timeout, table{packets: [][]uint64{{100, 100, 5000, 5000, 0}}},
			Finding{Loop, nodes(3, 4), 2, 5000, 100, 0}},
		{"random drops", Retransmission, table{packets: [][]uint64{{100, 100, 95, 95, 95}}},
			Finding{Drops, nodes(3), 2, 95, 100, -1}},
		{"80 % over 10 us", Latency, table{packets: [][]uint64{{100, 100, 100, 100, 100}},
			slow: []float64{0, 0.1, 0.79, 0.8, 0}}, Finding{Slow, nodes(4), 3, 0.8, 0, -1}},
		{"jitter", Gaps,
			table{packets: [][]uint64{{100, 100, 100, 100, 100}}, longest: [][]unit.Time{{10, 12, 100, 110, 90}}},
			Finding{Jitter, nodes(3), 2, (100 * unit.Picosecond).Seconds(), (12 * unit.Picosecond).Seconds(), 0}},
		{"abnormal path", Strayed, table{packets: [][]uint64{{100, 100, 100, 100, 100}}, strays: nodes(9)},
			Finding{Abnormal, nodes(9), 3, 1, 0, -1}},
		{"dead link of the host", Timeout, table{packets: [][]uint64{{0, 0, 0, 0, 0}}},
			Finding{Blackhole, nodes(1), 100, 0, 100, -1}},
		{"loop at the first switch", Timeout, table{packets: [][]uint64{{3000, 3000, 0, 0, 0}}},
			Finding{Loop, nodes(1, 2), 100, 3000, 100, 0}},
		// Packets in flight at the end of an interval count in the next one.
		{"on the way", Timeout, table{packets: [][]uint64{{50, 50, 40, 0, 0}, {50, 50, 60, 100, 100}}}, Finding{}},
		{"begins in the second interval", Timeout, table{packets: [][]uint64{{50, 50, 50, 50, 50}, {50, 50, 0, 0, 0}}},
			Finding{Blackhole, nodes(3), 2, 0, 50, 1}},
		{"dead host", Timeout, table{packets: [][]uint64{{100, 100, 100, 100, 100}}},
			Finding{Blackhole, nodes(6), 5, 0, 100, -1}},
		{"nothing wrong", Timeout, table{packets: [][]uint64{{100, 100, 100, 100, 100}}}, Finding{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := five(tt.symptom)
			last := tt.view.packets[len(tt.view.packets)-1][4]
			if v.Received = last; len(tt.view.packets) > 1 {
				v.Received += tt.view.packets[0][4]
			}
			v.Life[1] = len(tt.view.packets)
			if tt.name == "dead host" {
				v.Received = 0
			}
			got, ok := Locate(v, tt.view, Default(), line)
			if ok != (tt.want.Rule != "") || got.Rule != tt.want.Rule ||
				!slices.Equal(got.Switches, tt.want.Switches) ||
				ok && (got.Last != tt.want.Last || got.P != tt.want.P || got.L != tt.want.L ||
					got.Interval != tt.want.Interval) {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

// unknown is a View without data from some switches.
type unknown struct {
	table
	blind []netsim.NodeID
}

func (u unknown) Row(interval int, at netsim.NodeID, flow uint64) Row {
	if slices.Contains(u.blind, at) {
		return Row{}
	}
	return u.table.Row(interval, at, flow)
}

// If the end of a flow is unknown, packets in flight at the last sample do not count as lost, nor do packets sent
// later.
func TestUnknownEnd(t *testing.T) {
	v := five(Timeout)
	v.Sent, v.Received = 500, 400
	if f, ok := Locate(v, table{packets: [][]uint64{{100, 100, 95, 90, 80}, {60, 55, 50, 50, 55}}},
		Default(), line); ok {
		t.Errorf("%+v", f)
	}
	if f, ok := Locate(v, table{packets: [][]uint64{{100, 100, 30, 30, 30}, {60, 55, 50, 50, 50}}}, Default(),
		line); !ok || f.Rule != Drops || f.Switches[0] != 3 {
		t.Errorf("%+v, %v", f, ok)
	}
}

// A switch without data is never blamed, and does not cause others to be blamed.
func TestUnknownSwitchesAreNotBlamed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(n int) uint64 { return rapid.Uint64Range(0, uint64(n)).Draw(t, "packets") }
		view := unknown{table: table{packets: [][]uint64{
			{draw(200), draw(200), draw(9000), draw(200), draw(200)},
			{draw(9), draw(9), draw(9), draw(9), draw(9)},
		}}}
		view.blind = rapid.SliceOfN(rapid.Map(rapid.Int32Range(1, 5),
			func(i int32) netsim.NodeID { return netsim.NodeID(i) }), 0, 5).Draw(t, "blind")
		f, ok := Locate(five(Timeout), view, Default(), line)
		if !ok {
			return
		}
		for _, s := range f.Switches {
			if slices.Contains(view.blind, s) {
				t.Errorf("%+v blames a switch of %v", f, view.blind)
			}
		}
		if slices.Contains(view.blind, f.Last) {
			t.Errorf("%+v compares with a switch of %v", f, view.blind)
		}
	})
}

func TestThresholds(t *testing.T) {
	for _, change := range []func(*Thresholds){
		func(t *Thresholds) {
			t.Blackhole = 1
		}, func(t *Thresholds) { t.Blackhole = -0.1 }, func(t *Thresholds) { t.Drops = 0.05 },
		func(t *Thresholds) { t.Drops = 1.1 }, func(t *Thresholds) { t.Loop = 1 }, func(t *Thresholds) { t.Jitter = 0 },
		func(t *Thresholds) { t.Slow = 0 }, func(t *Thresholds) { t.Packets = 0 },
	} {
		x := Default()
		if err := x.Validate(); err != nil {
			t.Fatal(err)
		}
		if change(&x); x.Validate() == nil {
			t.Errorf("%+v is accepted", x)
		}
	}
}

// 8 of 10 reports are right, and 6 of 12 instances are found. So P = 0.8, R = 0.5 and F1 = 0.8/1.3.
func TestScore(t *testing.T) {
	var s Score
	s.Add(Score{Right: 8, Reported: 10, Found: 6, True: 12})
	if s.Precision() != 0.8 || s.Recall() != 0.5 || s.F1() != 0.8/1.3 {
		t.Errorf("%v %v %v", s.Precision(), s.Recall(), s.F1())
	}
}
