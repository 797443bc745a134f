package latency

import (
	"fmt"
	"math"
	"unsafe"
)

// window summarises only the newest values. It divides the values among panes, each with its own
// summary. If the current pane is full, the oldest pane is emptied and becomes the current pane.
// With p panes for length values in total, the window represents between length·(p−1)/p and length
// of the newest values.
type window struct {
	panes []Summary
	each  uint64 // values per pane
	now   int    // the current pane
}

// newWindow makes a window of length values, which must be at least the number of panes. length is
// rounded down to a multiple of the number of panes. The panes must be empty.
func newWindow(length uint64, panes []Summary) (*window, error) {
	p := uint64(len(panes))
	if p < 2 || length < p {
		return nil, fmt.Errorf("latency: a window of %d values in %d panes: want at least 2 panes, and at least one "+
			"value in each", length, p)
	}
	return &window{panes: panes, each: length / p}, nil
}

// Add records one code.
func (w *window) Add(code uint16) {
	if w.panes[w.now].N() == w.each {
		w.now = (w.now + 1) % len(w.panes)
		w.panes[w.now].Reset()
	}
	w.panes[w.now].Add(code)
}

// N returns the number of values that the window represents.
func (w *window) N() uint64 {
	n := uint64(0)
	for _, p := range w.panes {
		n += p.N()
	}
	return n
}

// Append appends the codes of all panes.
func (w *window) Append(dst []Weighted) []Weighted {
	for _, p := range w.panes {
		dst = p.Append(dst)
	}
	return dst
}

// Error returns a bound for the sum of the panes' errors. The errors are independent and of mean 0.
// Each has a bound of the form √(S·ln(2/δ)/2), so the values of S are added.
func (w *window) Error(delta float64) float64 {
	n := float64(w.N())
	if n == 0 {
		return 0
	}
	sum := 0.0
	for _, p := range w.panes {
		e := p.Error(delta) * float64(p.N())
		sum += float64(e * e)
	}
	return math.Sqrt(sum) / n
}

// SizeBytes returns the memory of w and its panes.
func (w *window) SizeBytes() int {
	size := windowSize(len(w.panes))
	for _, p := range w.panes {
		size += p.SizeBytes()
	}
	return size
}

func windowSize(panes int) int {
	return int(unsafe.Sizeof(window{})) + panes*int(unsafe.Sizeof(Summary(nil)))
}

// Reset empties w.
func (w *window) Reset() {
	for _, p := range w.panes {
		p.Reset()
	}
	w.now = 0
}
