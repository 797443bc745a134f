package dlint

import "testing"

// Without losses the path of five switches is known after six packets with one value, after two with five.
func TestFlowOfDLINT(t *testing.T) {
	path := []uint64{40, 7, 0, 3, 12}
	for values, want := range map[int]int{1: 6, 2: 3, 5: 2} {
		f := NewFlow(false, values, len(path))
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

// The packet with the third ID is lost behind its last switch. The path of the first cycle lacks this ID, which the
// sink cannot detect. The next cycle has all five. A data packet in it carries RESET for the ACKs, whose path is also
// traced.
func TestFlowWithALoss(t *testing.T) {
	path := []uint64{1, 2, 3, 4, 5}
	f := NewFlow(false, 1, len(path))
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
