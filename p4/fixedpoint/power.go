package fixedpoint

// nextPower is Next for Power. v is Γ·B·T in units of 2^-5 bytes, at most 2^31-1.
func (p *Port) nextPower(v, tau, qlen, arrived uint32) uint32 {
	step := min(arrived, Bytes) << byteBits
	more := p.queued(step, min(qlen, Bytes))
	if tau >= p.T {
		return addFull(step, more)
	}
	sum := addFull(addFull(v, step), more)
	return sum - min(p.part(v, tau), sum)
}

// queued is step·qlen/(B·T).
func (p *Port) queued(step, qlen uint32) uint32 {
	if step == 0 || qlen == 0 {
		return 0
	}
	return p.powers.power(p.logs.log(step) + p.logs.log(qlen) + p.Packet)
}

// NumberPrefixes are the entries of the table of log x, for 0 < x < 2^bits; of Power.
func (s *Shared) NumberPrefixes(bits int) []Prefix { return s.logs.prefixes(1 << bits) }
