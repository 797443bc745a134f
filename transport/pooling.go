package transport

import (
	"math"
	"slices"

	"pintlab/netsim/unit"
)

// Pooling holds the keys of a control that may take the median of a flow's latest signals instead of the
// newest one. If packets are sprayed, each signal describes another path, and the newest one says little
// about the others.
//
//	Gerstein, Silberstein, Keslassy, arXiv 2509.07907: MSwift and MNSCC.
//
// The paper's rule for the number of signals is min(H, entries) with H = max(W/2, 1) for MSwift (Eq. 8) and
// H = max(min(W/2, 4), 1) for MNSCC (Eq. 9), where W is the window in packets at this acknowledgement. Nothing is
// forgotten when W falls: a larger W brings older signals back.
type Pooling struct {
	// What a flow reads of its latest signals (delays, or HPCC's U): the newest one, or their median, minimum or mean.
	// With sprayed packets each signal describes another path.
	Feedback string `yaml:"feedback" default:"newest" oneof:"newest|median|minimum|mean" omit:"default"`
	// Number of these signals: at most feedback_most, and at most half of the packets of the window
	// (half_window; arXiv 2509.07907, Eq. 8 and 9), or feedback_most whatever the window (fixed).
	Number string `yaml:"feedback_number" when:"feedback=median|minimum|mean" default:"half_window" oneof:"half_window|fixed"`
	// Largest number of these signals; 4 is Eq. 9. With 1 the control reads the newest signal.
	Most int `yaml:"feedback_most" when:"feedback=median|minimum|mean" default:"4" range:">=1 <=1024" draw:"1..9"`
	// The median of an even number of signals: the larger of the two in the middle, or their mean. The
	// choice of the paper is unknown.
	Even string `yaml:"feedback_even" when:"feedback=median" default:"upper" oneof:"upper|mean"`
}

// Pool returns a Pool for the signals of a flow, or nil if the control reads only the newest signal.
func (p *Pooling) Pool() *Pool {
	if p.Feedback == "newest" || p.Feedback == "" {
		return nil
	}
	return &Pool{Pooling: *p, ring: make([]float64, p.Most), work: make([]float64, 0, p.Most)}
}

// Pool holds the latest signals of a flow. A nil Pool returns each signal as it is.
type Pool struct {
	Pooling
	ring []float64
	next int // where the next signal is stored
	n    int // signals in the ring
	work []float64
}

// Start forgets the signals of the previous flow.
func (p *Pool) Start() {
	if p != nil {
		p.next, p.n = 0, 0
	}
}

// Of adds a signal and returns the value that the control reads. window is in packets.
func (p *Pool) Of(signal, window float64) float64 {
	if p == nil {
		return signal
	}
	p.ring[p.next] = signal
	if p.next++; p.next == len(p.ring) {
		p.next = 0
	}
	p.n = min(p.n+1, len(p.ring))
	h := p.Most
	if p.Number != "fixed" {
		h = max(1, int(min(window/2, float64(h))))
	}
	p.work = p.work[:0]
	for i, at := 0, p.next; i < min(h, p.n); i++ {
		if at--; at < 0 {
			at = len(p.ring) - 1
		}
		p.work = append(p.work, p.ring[at])
	}
	return p.pooled()
}

// pooled returns the median, minimum or mean of the signals in work.
func (p *Pool) pooled() float64 {
	switch p.Feedback {
	case "minimum":
		return slices.Min(p.work)
	case "mean":
		sum := 0.0
		for _, x := range p.work {
			sum += x
		}
		return sum / float64(len(p.work))
	}
	slices.Sort(p.work)
	middle := len(p.work) / 2
	if p.Even == "mean" && len(p.work)%2 == 0 {
		return (p.work[middle-1] + p.work[middle]) / 2
	}
	return p.work[middle]
}

// OfTime is Of for a time. A mean is rounded down to picoseconds.
func (p *Pool) OfTime(signal unit.Time, window float64) unit.Time {
	if p == nil {
		return signal
	}
	return unit.Time(math.Floor(p.Of(float64(signal), window)))
}
