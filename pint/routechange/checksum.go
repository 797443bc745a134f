package routechange

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"pintlab/pint/coding"
	"pintlab/pint/global"
)

// Checksum is the path checksum: every hop XORs in a hash of its switch and its hop number. It is
// read-only after NewChecksum.
type Checksum struct {
	hash global.Function
	key  global.Key
	bits int
}

// NewChecksum makes a checksum of 1 to 32 bits.
func NewChecksum(f global.Family, bits int) (*Checksum, error) {
	if bits < 1 || bits > 32 {
		return nil, fmt.Errorf("routechange: a checksum of %d bits, want 1 to 32", bits)
	}
	h := f.Function(global.Checksum, 0)
	return &Checksum{hash: h, key: h.Key(0), bits: bits}, nil
}

// Hop returns the checksum of a packet after switch number hop (from 1); the source starts with 0.
// The hop number occupies the low byte of the hash's argument, so switch IDs must be below 2^56.
func (c *Checksum) Hop(hop int, id uint64, sum uint32) uint32 {
	return sum ^ global.Digest(c.hash.Word(c.key, id<<8|uint64(hop)&0xff), c.bits)
}

// Path returns the checksum after a whole path.
func (c *Checksum) Path(path []uint64) uint32 {
	sum := uint32(0)
	for i, id := range path {
		sum = c.Hop(i+1, id, sum)
	}
	return sum
}

// Collision returns the probability that two of n paths have the same checksum of this width: 1 − Π
// (1 − i/2^bits).
func Collision(paths, bits int) float64 {
	apart := 1.0
	for i := range paths {
		apart *= math.Max(0, 1-float64(i)*math.Ldexp(1, -bits))
	}
	return 1 - apart
}

// Lane is one of several paths that a flow uses at the same time.
type Lane struct {
	Checksum uint32
	Hops     int
	Packets  int
	Decoder  coding.Decoder
	// Mixed reports that the lane's digests contradict each other: two paths have the same
	// checksum, or digests were corrupted.
	Mixed bool
}

// Separator sorts the packets of a flow by path checksum and length, with a decoder for each lane.
type Separator struct {
	code  *coding.Code
	fresh func(hops int) (coding.Decoder, error)
	most  int
	lanes map[laneKey]*Lane
}

type laneKey struct {
	sum  uint32
	hops int
}

// ErrLanes is the error for a packet of a new path if the separator already has its largest number of paths.
var ErrLanes = errors.New("routechange: more paths than the limit")

// NewSeparator makes a separator for at most this many paths. fresh makes the decoder of a path,
// such as coding.NewDecoder with a value set.
func NewSeparator(c *coding.Code, most int, fresh func(hops int) (coding.Decoder, error)) (*Separator, error) {
	if most < 1 {
		return nil, fmt.Errorf("routechange: a limit of %d paths, want 1 or more", most)
	}
	return &Separator{code: c, fresh: fresh, most: most, lanes: map[laneKey]*Lane{}}, nil
}

// Add records a packet's digest, checksum and hop count. It returns an error for a digest wider
// than the code's, ErrLanes, or the error of making a decoder. Contradictions are not an error;
// they mark the lane as Mixed.
func (s *Separator) Add(packet, digest uint64, sum uint32, hops int) error {
	if err := s.code.Check(packet, digest); err != nil {
		return fmt.Errorf("routechange: %w", err)
	}
	k := laneKey{sum, hops}
	l, ok := s.lanes[k]
	if !ok {
		if len(s.lanes) == s.most {
			return ErrLanes
		}
		d, err := s.fresh(hops)
		if err != nil {
			return fmt.Errorf("routechange: %w", err)
		}
		l = &Lane{Checksum: sum, Hops: hops, Decoder: d}
		s.lanes[k] = l
	}
	l.Packets++
	if l.Mixed {
		return nil
	}
	if err := l.Decoder.Add(packet, digest); errors.Is(err, coding.ErrInconsistent) {
		l.Mixed = true
	} else if err != nil {
		return fmt.Errorf("routechange: %w", err)
	}
	return nil
}

// Lanes returns the paths by decreasing number of packets, then by checksum and length.
func (s *Separator) Lanes() []*Lane {
	return slices.SortedFunc(maps.Values(s.lanes), func(a, b *Lane) int {
		return cmp.Or(cmp.Compare(b.Packets, a.Packets), cmp.Compare(a.Checksum, b.Checksum),
			cmp.Compare(a.Hops, b.Hops))
	})
}
