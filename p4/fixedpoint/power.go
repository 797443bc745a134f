package fixedpoint

// Came returns the bytes that have arrived at a port, in units of 2^-5 bytes. qlen is the queue now, size
// the departing packet, and before the queue when the packet before departed; all in bytes.
func Came(qlen, size, before uint32) uint32 {
	total := addFull(min(qlen, Bytes)<<byteBits, min(size, Bytes)<<byteBits)
	return total - min(min(before, Bytes)<<byteBits, total)
}

// NextPower is Next for Power. v is Γ·B·T in units of 2^-5 bytes, at most 2^31-1. came has the same
// units.
func (p *Port) NextPower(v, tau, qlen, came uint32) uint32 {
	more := p.queued(came, min(qlen, Bytes))
	if tau >= p.T {
		return addFull(came, more)
	}
	sum := addFull(addFull(v, came), more)
	return sum - min(p.part(v, tau), sum)
}

// queued returns came·qlen/(B·T).
func (p *Port) queued(came, qlen uint32) uint32 {
	if came == 0 || qlen == 0 {
		return 0
	}
	return p.powers.power(p.logs.log(came) + p.logs.log(qlen) + p.Packet)
}

// NumberPrefixes returns the entries of the table of log x, for 0 < x < 2^bits. Power uses it.
func (s *Shared) NumberPrefixes(bits int) []Prefix { return s.logs.prefixes(1 << bits) }
