package transport

import (
	"testing"

	"pintlab/netsim/unit"
)

// Signals 7, 1, 9, 3 and 5, worked by hand. Half of a window of 6 packets is 3; half of a window of one packet counts
// as 1.
func TestPooling(t *testing.T) {
	signals := []float64{7, 1, 9, 3, 5}
	for _, c := range []struct {
		name   string
		keys   Pooling
		window float64
		want   []float64
	}{
		{"newest", Pooling{Feedback: "newest"}, 100, []float64{7, 1, 9, 3, 5}},
		{"of one", Pooling{Feedback: "median", Most: 1}, 100, []float64{7, 1, 9, 3, 5}},
		{"mean of one", Pooling{Feedback: "mean", Most: 1, Number: "fixed"}, 100, []float64{7, 1, 9, 3, 5}},
		{"small window", Pooling{Feedback: "median", Most: 4}, 1, []float64{7, 1, 9, 3, 5}},
		{"window of 6", Pooling{Feedback: "median", Most: 4}, 6, []float64{7, 7, 7, 3, 5}},
		{"Eq. 9", Pooling{Feedback: "median", Most: 4}, 100, []float64{7, 7, 7, 7, 5}},
		{"Eq. 8", Pooling{Feedback: "median", Most: 1024}, 100, []float64{7, 7, 7, 7, 5}},
		{"whatever the window", Pooling{Feedback: "median", Most: 3, Number: "fixed"}, 1, []float64{7, 7, 7, 3, 5}},
		{"between two", Pooling{Feedback: "median", Most: 4, Even: "mean"}, 100, []float64{7, 4, 7, 5, 4}},
		{"minimum", Pooling{Feedback: "minimum", Most: 2}, 100, []float64{7, 1, 1, 3, 3}},
		{"mean", Pooling{Feedback: "mean", Most: 2}, 100, []float64{7, 4, 5, 6, 4}},
	} {
		p := c.keys.Pool()
		for range 2 { // Start forgets the signals of the first flow
			p.Start()
			for i, x := range signals {
				if got := p.Of(x, c.window); got != c.want[i] {
					t.Errorf("%s: signal %d: %v, want %v", c.name, i, got, c.want[i])
				}
			}
		}
	}
}

// A window that shrinks and grows again brings older signals back: of 9, 1, 5 and 7 only the last one counts at first,
// and then the last three, whose median is 5.
func TestPoolKeepsWhatTheWindowLeavesOut(t *testing.T) {
	p := (&Pooling{Feedback: "median", Most: 8}).Pool()
	p.Start()
	for i, c := range []struct{ signal, window, want float64 }{{9, 8, 9}, {1, 8, 9}, {5, 2, 5}, {7, 6, 5}} {
		if got := p.Of(c.signal, c.window); got != c.want {
			t.Errorf("signal %d: %v, want %v", i, got, c.want)
		}
	}
}

// A mean of times is rounded down, and times beyond 32 bits are exact.
func TestPooledTimes(t *testing.T) {
	p := (&Pooling{Feedback: "mean", Most: 2}).Pool()
	p.Start()
	const long = unit.Time(1) << 50
	if got := p.OfTime(long+1, 10); got != long+1 {
		t.Errorf("one: %d", got)
	}
	if got := p.OfTime(long+2, 10); got != long+1 {
		t.Errorf("two: %d, want %d", got, long+1)
	}
}

func TestPoolAllocatesNothing(t *testing.T) {
	p := (&Pooling{Feedback: "median", Most: 64}).Pool()
	p.Start()
	if n := testing.AllocsPerRun(1000, func() { p.Of(1, 100) }); n != 0 {
		t.Errorf("%v allocations for a signal", n)
	}
}
