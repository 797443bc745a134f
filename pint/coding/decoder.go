package coding

// Decoder is a streaming decoder of one path: Peeler, Solver, Filter or eliminator.
type Decoder interface {
	// Add records the digest of a received packet. Packets may come in any order, and some may be
	// missing. A packet that comes twice has no effect the second time. The same identifier with
	// another digest is inconsistent. Add returns an error and changes nothing if a digest is wider
	// than the code's digests. If the digests are inconsistent, Add returns ErrInconsistent until
	// Reset.
	Add(packet, digest uint64) error
	// Done reports whether the whole path is known and no digest contradicts it.
	Done() bool
	// Known returns the number of hops known so far.
	Known() int
	// Value returns the value of a hop, from 1, if it is known.
	Value(hop int) (uint64, bool)
	// Reset removes all packets, for the next flow.
	Reset()
}

// NewDecoder returns the usual decoder of the code's mode for a path of this many hops: a Peeler
// for Full and Fragments, a Filter for Hash, an eliminator for Linear. The last two need the
// possible values of a hop; the Peeler ignores them.
func NewDecoder(c *Code, hops int, values []uint64) (Decoder, error) {
	switch c.cfg.Mode {
	case Hash:
		return NewFilter(c, hops, values)
	case Linear:
		return newEliminator(c, hops, values)
	}
	return NewPeeler(c, hops)
}
