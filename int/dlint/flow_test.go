package dlint

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pintlab/internal/lists"
	"pintlab/netsim"
)

// Without losses, the path of five switches is known after six packets with one value, or after two packets with five
// values.
func TestFlowOfDLINT(t *testing.T) {
	path := []uint64{40, 7, 0, 3, 12}
	for values, want := range map[int]int{1: 6, 2: 3, 5: 2} {
		f := NewFlow(FlowConfig{Values: values}, len(path))
		for range 2 { // the next flow begins again
			f.Reset()
			n := 0
			for ; !f.Done(); n++ {
				f.Send(uint64(n), path, false)
				if err := f.Add(uint64(n), 0); err != nil {
					t.Fatal(err)
				}
			}
			if n != want {
				t.Errorf("%d values: %d packets, want %d", values, n, want)
			}
			for i, want := range path {
				if got, ok := f.Value(i + 1); got != want || !ok {
					t.Errorf("%d values, hop %d: %d, want %d", values, i+1, got, want)
				}
			}
		}
	}
}

// The packet with the third ID is lost after its last switch. The path of the first cycle lacks this ID, which the sink
// cannot detect. The next cycle has all five IDs. One of its data packets carries RESET for the ACKs, because their
// path is also traced.
func TestFlowWithALoss(t *testing.T) {
	path := []uint64{1, 2, 3, 4, 5}
	f := NewFlow(FlowConfig{Values: 1}, len(path))
	for n := range uint64(13) {
		if n == 3 {
			f.carry(path, f.forward, f.back, n, false)
			continue
		}
		f.Send(n, path, false)
		_ = f.Add(n, 0)
		switch {
		case n == 5 && f.Known() != 4:
			t.Errorf("after the first cycle %d switches, want 4", f.Known())
		case n == 12 && f.Known() != 5:
			t.Errorf("after the second %d switches, want 5", f.Known())
		}
	}
}

// Runs of PLINT differ between seeds, and are the same for the same seed. Six hundred flows over 59 switches take
// 59·(1 + 1/2 + … + 1/59) = 275.1 packets on average if probabilities are exact.
//
// With whole percentages, hop i replaces a pair with q_i = ⌊100/i⌋/100, and the sink sees hop i with the probability
// q_i·(1 - q_(i+1))·…·(1 - q_59). The mean of this coupon collector's problem is the integral over t of
// 1 - Π(1 - e^(-t·p_i)), which is 335.2. A flow has a standard deviation of about
// 90 packets, the mean of 600 flows of 3.7, and the test allows four of these.
func TestFlowOfPLINT(t *testing.T) {
	const hops, flows = 59, 600
	path := make([]uint64, hops)
	for i := range path {
		path[i] = uint64(3 * i)
	}
	mean := func(exact bool, seed uint64) float64 {
		f := NewFlow(FlowConfig{PLINT: true, Exact: exact, Values: 1, Seed: seed}, hops)
		n := uint64(0)
		for range flows {
			for f.Reset(); !f.Done(); n++ {
				f.Send(n, path, false)
				if err := f.Add(n, 0); err != nil {
					t.Fatal(err)
				}
			}
		}
		return float64(n) / flows
	}
	for exact, want := range map[bool]float64{true: 275.1, false: 335.2} {
		a, b := mean(exact, 1), mean(exact, 2)
		if math.Abs(a-want) > 15 || math.Abs(b-want) > 15 {
			t.Errorf("exact %t: %.1f and %.1f packets, want %.1f", exact, a, b, want)
		}
		if a == b || a != mean(exact, 1) {
			t.Errorf("exact %t: %v packets with seed 1, %v with seed 2, %v with seed 1 again", exact, a, b,
				mean(exact, 1))
		}
	}
}

// The header has an ID of one byte, and with PLINT also a TTL and hop numbers.
func TestHeaderBits(t *testing.T) {
	for _, c := range []struct {
		plint        bool
		values, want int
	}{{false, 1, 8}, {false, 5, 40}, {true, 1, 24}, {true, 5, 88}} {
		if got := HeaderBits(c.plint, c.values); got != c.want {
			t.Errorf("plint %t, %d values: %d bits, want %d", c.plint, c.values, got, c.want)
		}
	}
}

// The path changes in the middle of a cycle of DLINT. The first cycle has six packets, with INIT and the IDs 1 to 5.
// Later cycles have seven, because their second packet carries a RESET for the other direction. Switch 9, which has no
// state of the flow, replaces the third of five switches before each packet of a cycle in turn:
//
//	INIT         the ID 9 comes with the fifth packet
//	RESET, 1, 2  9 sees an ID of another switch and joins (rule 6)
//	3            9 has seen no ID, and 4 is in place of 3: the path 1 2 4 5 is wrong; 9 joins the next cycle
//	4, 5         the rest of the old path is as before, and 9 is in the next cycle
func TestChangeInACycle(t *testing.T) {
	for before, want := range []string{
		"5: changed, 7: [1 2 9 4 5]", "4: changed, 6: [1 2 9 4 5]", "3: changed, 5: [1 2 9 4 5]",
		"2: changed, 4: [1 2 9 4 5]", "1: changed, 2: [1 2 4 5], 7: changed, 9: [1 2 9 4 5]",
		"7: changed, 9: [1 2 9 4 5]", "6: changed, 8: [1 2 9 4 5]",
	} {
		for _, byID := range []bool{true, false} {
			f := NewFlow(FlowConfig{Values: 1}, 5)
			f.sink.notice = notice{wanted: true, byID: byID}
			path := []uint64{1, 2, 3, 4, 5}
			n := uint64(0)
			send := func(packets int) {
				for range packets {
					f.Send(n, path, false)
					if err := f.Add(n, 0); err != nil {
						t.Fatal(err)
					}
					n++
				}
			}
			send(6 + 7 + before)
			f.sink.pending, path[2], f.forward[2] = nil, 9, await
			send(12)
			got := pendingOf(&f.sink, int64(13+before))
			if got != want && byID || !byID && got != onlyPathsOf(want) {
				t.Errorf("change before packet %d, byID %t: %s, want %s", before+1, byID, got, want)
			}
		}
	}
}

// pendingOf writes the pending news of a flow. Packets are counted after the first `over` packets.
func pendingOf(x *traced, over int64) string {
	return strings.Join(lists.Map(x.pending, func(n news) string {
		what := "changed"
		if n.path != nil {
			what = fmt.Sprint(n.path)
		}
		return fmt.Sprintf("%d: %s", n.packets-over, what)
	}), ", ")
}

// onlyPathsOf removes the changes without a path, which an ID alone shows.
func onlyPathsOf(text string) string {
	return strings.Join(lists.Keep(strings.Split(text, ", "),
		func(s string) bool { return !strings.Contains(s, "changed") }), ", ")
}

// A known path of three switches changes at hop 2. PLINT shows the change with the first pair of hop 2, and then needs
// a pair of each hop again. Before all these pairs have arrived, a pair names a third switch at hop 2. Then the path
// begins once more, without news.
func TestChangedHop(t *testing.T) {
	for byID, want := range map[bool]string{true: "2: changed, 6: [0 6 2]", false: "6: [0 6 2]"} {
		x := &traced{notice: notice{wanted: true, byID: byID}, switches: map[netsim.NodeID]*seen{}}
		for _, pair := range [][2]uint32{{1, 1}, {2, 2}, {3, 3}, {1, 1}, {8, 2}, {1, 1}, {7, 2}, {1, 1}, {3, 3}} {
			x.packets++
			x.takePairs(0, header{{value(pair[0]), uint8(pair[1]), 0}}, 3)
		}
		if len(x.pending) == 0 || fmt.Sprint(x.pending[0].path) != "[0 1 2]" {
			t.Fatalf("%v, want the path at first", x.pending)
		}
		x.pending = x.pending[1:]
		if got := pendingOf(x, 3); got != want {
			t.Errorf("byID %t: %s, want %s", byID, got, want)
		}
	}
}
