package routechange

import (
	"fmt"

	"pintlab/pint/coding"
	"pintlab/pint/global"
)

// Verdict is the result of comparing a packet with a path.
type Verdict uint8

// The verdicts.
const (
	Silent       Verdict = iota // unknown hops acted, so there is no result
	Consistent                  // the path explains the digest
	Inconsistent                // no path with these hops has this digest
)

var verdictNames = [...]string{"silent", "consistent", "inconsistent"}

// String returns the name of the verdict.
func (v Verdict) String() string { return verdictNames[v] }

// monitor compares digests with a path, some of whose hops may be unknown. It is not safe for
// concurrent use.
type monitor struct {
	code  *coding.Code
	hops  int
	value []uint64
	known global.HopSet
	inst  int
}

// newMonitor makes a monitor for paths of this many hops, all of them unknown.
func newMonitor(c *coding.Code, hops int) (*monitor, error) {
	if hops < 1 || hops > global.MaxHops {
		return nil, fmt.Errorf("routechange: a path of %d hops, want 1 to %d", hops, global.MaxHops)
	}
	return &monitor{code: c, hops: hops, value: make([]uint64, hops), inst: c.Config().Instances}, nil
}

// learn sets the value of a hop, 1 to the number of hops.
func (m *monitor) learn(hop int, value uint64) {
	m.value[hop-1] = value
	m.known.Add(hop)
}

// learnPath sets the hops that a decoder knows.
func (m *monitor) learnPath(d coding.Decoder) {
	for hop := 1; hop <= m.hops; hop++ {
		if v, ok := d.Value(hop); ok {
			m.learn(hop, v)
		}
	}
}

// forget makes all hops unknown.
func (m *monitor) forget() { m.known = global.HopSet{} }

// Known returns the number of hops that are known.
func (m *monitor) Known() int { return m.known.Len() }

// Check compares the digest of a packet with the path. It returns Inconsistent if an instance of
// the digest is inconsistent. Otherwise it returns Consistent if an instance is consistent. A
// digest wider than the code's digests is an error.
func (m *monitor) Check(packet, digest uint64) (Verdict, error) {
	if err := m.code.Check(packet, digest); err != nil {
		return Silent, fmt.Errorf("routechange: %w", err)
	}
	verdict := Silent
	for inst := range m.inst {
		actors, _ := m.code.Actors(inst, packet, m.hops)
		if !within(&actors, &m.known) {
			continue
		}
		h := m.code.Hasher(inst, packet)
		rest := m.code.Part(inst, digest)
		for hop := actors.First(); hop != 0; hop = actors.First() {
			rest ^= h.Digest(hop, m.value[hop-1])
			actors.Remove(hop)
		}
		if rest != 0 {
			return Inconsistent, nil
		}
		verdict = Consistent
	}
	return verdict, nil
}

// within reports whether a is a subset of b.
func within(a, b *global.HopSet) bool {
	for i := range a {
		if a[i]&^b[i] != 0 {
			return false
		}
	}
	return true
}
