package sketch

import (
	"strings"
	"testing"

	"pintlab/internal/errtest"
	"pintlab/netsim/unit"
	"pintlab/workloads/packets"
)

func stream(t *testing.T) *Stream {
	t.Helper()
	s := packets.DefaultSkewed()
	s.Packets, s.Flows, s.Duration = 20_000, 2_000, unit.Second
	w, err := s.Window(0)
	if err != nil {
		t.Fatal(err)
	}
	x, err := Read(w, 15_000)
	if err != nil {
		t.Fatal(err)
	}
	if len(x.Words) != 15_000 || len(x.Tuples) != 15_000 {
		t.Fatalf("%d and %d keys", len(x.Words), len(x.Tuples))
	}
	return x
}

// The loops insert and query every packet, with both kinds of keys. To check this, the sum of the estimates of all
// packets is compared with the sum of the exact counts, which it must reach. The test does not check times.
func TestLoops(t *testing.T) {
	x := stream(t)
	exact := uint64(0)
	x.are(func(uint64) (uint64, bool) { return 1, true })
	for _, size := range x.sizes {
		exact += uint64(size * size)
	}
	for _, tuples := range []bool{false, true} {
		for _, arrays := range []int{3, 5} {
			c := SpeedConfig{Memory: 100_000, Arrays: arrays, Tuples: tuples, Rounds: 1}
			for _, k := range standard() {
				s, err := c.newSketch(k)
				if err != nil {
					t.Fatal(err)
				}
				c.insert(s, x, 0, 7_000)
				c.insert(s, x, 7_000, len(x.Words))
				if got := c.query(s.(shared), x, 0, 9_000) + c.query(s.(shared), x, 9_000, len(x.Words)); got < exact {
					t.Errorf("%s, %d arrays, 5-tuples %t: sum of estimates %d, exact %d", k, arrays, tuples, got, exact)
				}
				if r, err := c.Run(t.Context(), k, x); err != nil || r.Insert <= 0 || r.Query <= 0 {
					t.Error(k, r, err)
				}
			}
		}
	}
}

// Without a lock, several goroutines cause the same error of CM insertion as one goroutine.
func TestParallel(t *testing.T) {
	x := stream(t)
	c := SpeedConfig{Memory: 20_000, Arrays: 5, Rounds: 1}
	_, want, err := c.Parallel(t.Context(), x, false, true, 1)
	if err != nil || want <= 0 {
		t.Fatal(want, err)
	}
	if _, got, err := c.Parallel(t.Context(), x, false, false, 4); err != nil || got != want {
		t.Errorf("ARE %v without a lock, want %v (%v)", got, want, err)
	}
}

func TestRefuses(t *testing.T) {
	if err := (SpeedConfig{Arrays: 4, Rounds: 1}).Validate(); !errtest.Says(err, "4 arrays, … 3 or 5") {
		t.Error(err)
	}
	r, _ := packets.NewReader(strings.NewReader(""), "x.dat")
	if _, err := Read(r, 5); !errtest.Says(err, "the trace has no packets") {
		t.Error(err)
	}
}
