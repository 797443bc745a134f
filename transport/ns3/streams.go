package ns3

import (
	"math/bits"

	"pintlab/netsim"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// stream is a stream of random numbers of the published simulator: MRG32k3a (L'Ecuyer, "Good
// Parameters and Implementations for Combined Multiple Recursive Random Number Generators",
// Operations Research 1999), with all six seeds 1 and run 1. Streams are 2^127 steps apart, and
// runs are 2^76 steps apart.
type stream struct{ x, y [3]uint64 }

// The moduli of the two components.
const (
	m1 = 4294967087
	m2 = 4294944443
)

// matrix is the transition matrix of one or many steps of a component.
type matrix [3][3]uint64

var (
	step1 = matrix{{0, 1, 0}, {0, 0, 1}, {m1 - 810728, 1403580, 0}}
	step2 = matrix{{0, 1, 0}, {0, 0, 1}, {m2 - 1370589, 0, 527612}}
)

func (a *matrix) times(b *matrix, m uint64) matrix {
	var c matrix
	for i := range 3 {
		for j := range 3 {
			for k := range 3 {
				c[i][j] = (c[i][j] + a[i][k]*b[k][j]%m) % m
			}
		}
	}
	return c
}

func (a *matrix) apply(v [3]uint64, m uint64) [3]uint64 {
	var r [3]uint64
	for i := range 3 {
		r[i] = (a[i][0]*v[0]%m + a[i][1]*v[1]%m + a[i][2]*v[2]%m) % m
	}
	return r
}

// doubled returns a to the power of 2^n.
func (a *matrix) doubled(n int, m uint64) matrix {
	r := *a
	for range n {
		r = r.times(&r, m)
	}
	return r
}

// newStream makes the stream with this number.
func newStream(number uint64) *stream {
	s := &stream{}
	s.x = jump(&step1, number, m1)
	s.y = jump(&step2, number, m2)
	return s
}

// jump returns the state number·2^127 + 2^76 steps after (1, 1, 1).
func jump(step *matrix, number, m uint64) [3]uint64 {
	v := [3]uint64{1, 1, 1}
	run := step.doubled(76, m)
	v = run.apply(v, m)
	power := step.doubled(127, m)
	for ; number > 0; number >>= 1 {
		if number&1 == 1 {
			v = power.apply(v, m)
		}
		power = power.times(&power, m)
	}
	return v
}

// Next returns the next number, in (0, 1).
func (s *stream) Next() float64 {
	p, r := s.step()
	s.x = [3]uint64{s.x[1], s.x[2], p}
	s.y = [3]uint64{s.y[1], s.y[2], r}
	return combine(p, r)
}

func (s *stream) step() (p, r uint64) {
	p = (1403580*s.x[1] + (m1-810728)*s.x[0]%m1) % m1
	hi, lo := bits.Mul64(m2-1370589, s.y[0])
	_, rest := bits.Div64(hi, lo, m2)
	return p, (527612*s.y[2] + rest) % m2
}

func combine(p, r uint64) float64 {
	if p <= r {
		p += m1
	}
	return float64(p-r) * (1 / (m1 + 1.0))
}

// fresh returns the first number of successive streams.
type fresh struct {
	stream
	far1, far2 matrix // transition from one stream to the next
}

func newFresh(number uint64) *fresh {
	return &fresh{stream: *newStream(number), far1: step1.doubled(127, m1), far2: step2.doubled(127, m2)}
}

func (f *fresh) skip() {
	f.x = f.far1.apply(f.x, m1)
	f.y = f.far2.apply(f.y, m2)
}

func (f *fresh) next() float64 {
	u := combine(f.step())
	f.skip()
	return u
}

// Draws makes the random decisions of the published simulator in a network. It implements
// netsim.Draws.
//
// Every mark uses the first number of the next stream. Each PFC frame also consumes a stream. All
// links without their own error rate share a generator. Each link with its own error rate has its
// own generator of the same stream.
type Draws struct {
	marks *fresh
	links []*lossy // by link; nil for links without losses
}

type lossy struct {
	rate   float64
	stream *stream
}

// lossStream is the number of the stream for losses.
const lossStream = 1<<63 + 50

// NewDraws makes the draws of a network. common is the error rate of links that have none in the
// topology file. The rates in g must be as in the file.
func NewDraws(g *topo.Graph, common float64) *Draws {
	shared := &lossy{common, newStream(lossStream)}
	d := &Draws{}
	own := 0
	for _, l := range g.Links {
		switch {
		case l.ErrorRate > 0:
			own++
			d.links = append(d.links, &lossy{l.ErrorRate, newStream(lossStream)})
		case common > 0:
			d.links = append(d.links, shared)
		default:
			d.links = append(d.links, nil)
		}
	}
	// Each node uses six streams before the first mark, and each error model uses two.
	d.marks = newFresh(uint64(2 + 6*len(g.Nodes) + 2*own))
	return d
}

func (d *Draws) Mark(queued, min, max unit.Bytes, pmax float64) bool {
	return d.marks.next() < float64(pmax*float64(queued-min))/float64(max-min)
}

func (d *Draws) Lose(in netsim.PortID) bool {
	l := d.links[in/2]
	return l != nil && l.stream.Next() < l.rate
}

func (d *Draws) Frame() { d.marks.skip() }
