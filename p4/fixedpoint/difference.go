package fixedpoint

import (
	"math"
	"math/big"

	"pintlab/netsim/unit"
)

// A register of Difference has 31 bits, so that a difference of two registers fits in a signed number of 32 bits.
const (
	byteBits     = 5 // fractional bits: a register holds up to 2^26 bytes
	fullRegister = math.MaxInt32
	maxCodes     = 1 << 16 // enough for all values of a register
)

// logTable computes log2(x/of) of a 32-bit integer x > 0 in one step. It is a table of prefixes: the first set bit
// and the q bits after it. An entry is the logarithm of the middle of its cell, or of the lower end if the table is
// not centred.
type logTable struct {
	q     uint
	entry []Log // indexed by the first set bit and the q bits after it
}

// newLogTable makes the table of log2(x/of).
func newLogTable(q int, of uint32, centred bool) *logTable {
	const more = 20 // extra bits of fractions before the final rounding
	fraction := func(cell int) int64 {
		return log2Nearest(big.NewRat(int64(cell), int64(2)<<q), LogBits+more)
	}
	at := log2Nearest(new(big.Rat).SetInt64(int64(of)), LogBits+more)
	t := &logTable{q: uint(q), entry: make([]Log, 32<<q)}
	for i := range 1 << q {
		// A cell that consists of a single integer uses the exact logarithm.
		small := fraction(2<<q + 2*i)
		large := small
		if centred {
			large = fraction(2<<q + 2*i + 1)
		}
		for l := range 32 {
			log := int64(l)<<(LogBits+more) - at
			if l > q {
				log += large
			} else {
				log += small
			}
			t.entry[l<<q|i] = Log((log + 1<<(more-1)) >> more)
		}
	}
	return t
}

// newShareTable makes the table of log2(τ/T) for τ < T. No entry is above 0, although the middle of the last cell
// may be above T.
func newShareTable(q int, ticks uint32, centred bool) *logTable {
	t := newLogTable(q, ticks, centred)
	for i, e := range t.entry {
		t.entry[i] = min(e, 0)
	}
	return t
}

// log returns the logarithm of x > 0.
func (t *logTable) log(x uint32) Log {
	l, next := split(uint64(x), t.q)
	return t.entry[l<<t.q|next]
}

// prefixes returns the entries for the numbers from 1 up to a limit, from small to large.
func (t *logTable) prefixes(limit uint64) []Prefix {
	var list []Prefix
	for from, size := range cells(t.q, limit) {
		list = appendRange(list, from, from+size, uint32(t.log(uint32(from))))
	}
	return list
}

// powerTable computes 2^x, rounded to the nearest integer, in one step. The whole part of x and the first q bits of
// its fraction select an entry. An entry is the power of the middle of its cell, or of the lower end if the table is
// not centred.
type powerTable struct {
	q     uint
	entry []uint32 // from x = -1 on; a smaller x gives 0
}

// powerFrom and powerTo bound the whole parts of the table. 2^-1 is the least power that may round to 1. The largest
// x is below 31, because it is the sum of the logarithm of a 31-bit number and a logarithm that is not positive.
const (
	powerFrom = -1
	powerTo   = 31
)

func newPowerTable(q int, centred bool) *powerTable {
	// halves contains the powers at every half cell, so the middles of cells have odd indices.
	halves := powersOfTwo(q+1, mantissaBits)
	at := 0
	if centred {
		at = 1
	}
	t := &powerTable{q: uint(q), entry: make([]uint32, (powerTo-powerFrom)<<q)}
	for i := range t.entry {
		m := uint64(halves[2*(i&(1<<q-1))+at])
		drop := mantissaBits - (i>>q + powerFrom)
		if drop <= 0 {
			t.entry[i] = uint32(m << -drop)
			continue
		}
		t.entry[i] = uint32((m + 1<<(drop-1)) >> drop)
	}
	return t
}

// power returns 2^x. It is at most the last entry.
func (t *powerTable) power(x Log) uint32 {
	i := (x - powerFrom<<LogBits) >> (LogBits - t.q)
	if i < 0 {
		return 0
	}
	return t.entry[min(int(i), len(t.entry)-1)]
}

// Bytes is the largest queue or packet, in bytes, that the register of a port can hold. A larger queue or packet
// counts as this size.
const Bytes = fullRegister >> byteBits

// nextDifference is Next for the form Difference. v is U·B·T in units of 2^-5 bytes, at most 2^31-1.
func (p *Port) nextDifference(v, tau, qlen, size uint32) uint32 {
	queue := min(qlen, Bytes) << byteBits
	step := min(size, Bytes) << byteBits
	if tau >= p.T {
		return addFull(queue, step)
	}
	base := addFull(v, step)
	d := int32(queue) - int32(v)
	part := p.part(uint32(d^d>>31), tau) // ones' complement of a negative d
	if d < 0 {
		return base - min(part, base)
	}
	return addFull(base, part)
}

// part returns x·τ/T.
func (p *Port) part(x, tau uint32) uint32 {
	if x == 0 || tau == 0 {
		return 0
	}
	return p.powers.power(p.logs.log(x) + p.share.log(tau))
}

// TimePrefixes returns the entries of the table of log(τ/T), τ in ticks, for 0 < τ < limit. limit is
// at most T.
func (p *Port) TimePrefixes(limit uint32) []Prefix { return p.share.prefixes(uint64(limit)) }

// Share returns the table's log(τ/T) for 0 < τ < T.
func (p *Port) Share(tau uint32) uint32 { return uint32(p.share.log(tau)) }

// LogPrefixes returns the entries of the table of log |d| for a signed 32-bit number d. For a negative d the table
// sees the ones' complement, -d-1. The numbers 0 and -1 have no entry.
func (s *Shared) LogPrefixes() []Prefix {
	list := s.logs.prefixes(1 << 31)
	for _, p := range list {
		p.Value = ^p.Value & (^uint32(0) << (32 - p.Length))
		list = append(list, p)
	}
	return list
}

// PowerEntries returns the entries of the table of 2^x: entry i is for x = from + i·2^-q.
func (s *Shared) PowerEntries() (from int, entries []uint32) { return powerFrom, s.powers.entry }

// addFull returns a + b, limited to 31 bits.
func addFull(a, b uint32) uint32 { return min(a+b, fullRegister) }

// registerScale returns the number that a register of Difference contains when U = 1.
func registerScale(rate unit.Rate, ticks uint32) *big.Rat {
	bt := bytesPerTick(rate)
	return bt.Mul(bt, big.NewRat(int64(ticks)<<byteBits, 1))
}

// bytesPerTick returns B, the rate in bytes per tick.
func bytesPerTick(rate unit.Rate) *big.Rat {
	return big.NewRat(int64(rate), 8*int64(unit.Second/Tick))
}

// Came returns the bytes that have arrived at a port since the previous packet left, in units of 2^-5 bytes. qlen is
// the length of the queue now, size is the size of the departing packet, and before is the length of the queue when
// the previous packet left. All three are in bytes.
func Came(qlen, size, before uint32) uint32 {
	total := addFull(min(qlen, Bytes)<<byteBits, min(size, Bytes)<<byteBits)
	return total - min(min(before, Bytes)<<byteBits, total)
}

// NextPower is Next for the form Power. v is Γ·B·T, at most 2^31-1. Both v and came are in units of 2^-5 bytes.
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

// NumberPrefixes returns the entries of the table of log x, for 0 < x < 2^bits. The form Power uses this table.
func (s *Shared) NumberPrefixes(bits int) []Prefix { return s.logs.prefixes(1 << bits) }
