package fixedpoint

import (
	"cmp"
	"fmt"
	"math"
	"math/big"

	"pintlab/internal/hash"
	"pintlab/netsim/unit"
)

// Format is a fixed-point representation of the reals in [0, Range): the integer r
// stands for Range·r·2^-Bits.
type Format struct {
	Range float64 // the scaling factor R, a power of two for exact results
	Bits  int     // m, 1 to 32
}

// Utilization is the format of U: 10 bits before the point and 22 after it.
var Utilization = Format{Range: 1 << (32 - utilizationBits), Bits: 32}

// Value returns the number that r encodes.
func (f Format) Value(r uint32) float64 { return f.Range * float64(r) / float64(uint64(1)<<f.Bits) }

// addSat returns a + b, limited to 32 bits: the |+| of P4.
func addSat(a, b uint32) uint32 {
	s := a + b
	if s < a {
		return math.MaxUint32
	}
	return s
}

// utilizationBits is the number of fractional bits of U where a register holds it.
const utilizationBits = 22

// Tick is the resolution of the clock of a switch.
const Tick = unit.Nanosecond

// Form is the way in which U is computed. The zero Form is Difference.
type Form uint8

// The forms. With Q = qlen/(B·T) and S = byte/(B·T), the first three forms are the same equation, HPCC's U. Power is
// the equation of PowerTCP's Γ, in which A stands for the bytes that have arrived.
const (
	Difference Form = iota // U + S + (Q-U)·τ/T, in bytes: a register holds U·B·T
	AppendixB              // U·(T-τ)/T + Q·τ/T + S, as the PINT paper has it
	Decrement              // U - U·τ/T + Q·τ/T + S
	Power                  // Γ - Γ·τ/T + A·(1 + Q)/(B·T), in bytes: a register holds Γ·B·T
)

var formNames = [...]string{Difference: "difference", AppendixB: "appendix-b", Decrement: "decrement", Power: "power"}

// Forms returns the forms of U.
func Forms() []Form { return []Form{Difference, AppendixB, Decrement} }

// inBytes reports whether a register holds bytes.
func (f Form) inBytes() bool { return f == Difference || f == Power }

// least returns the inverse of the value of code 0.
func (f Form) least() int64 {
	if f == Power {
		return 16
	}
	return 512
}

// ParseForm reads "difference", "appendix-b" or "decrement".
func ParseForm(s string) (Form, error) {
	for _, f := range Forms() {
		if s == f.String() {
			return f, nil
		}
	}
	return 0, fmt.Errorf("form %q: want difference, appendix-b or decrement", s)
}

// String returns the name that ParseForm reads.
func (f Form) String() string { return formNames[f] }

// TableBits returns the q that the programs use for a form. The PINT paper uses q = 8.
func (f Form) TableBits() int {
	if f.inBytes() {
		return 6
	}
	return 8
}

// Config is the arithmetic of a switch port. The zero Config is not valid.
type Config struct {
	Form      Form
	TableBits int // q of logarithms of U (of |Q-U| in Difference); the default of the next two
	TimeBits  int // q of logarithms of times, τ and T-τ; 0 for TableBits
	PowerBits int // q of powers; 0 for TableBits
	// Middle makes an entry of a table exact in the middle of its cell instead of at its lower end.
	Middle bool
	// Base and Codes are as in EncoderConfig. Code 0 stands for 1/512, or 1/16 of Γ.
	Base  float64
	Codes int
}

// ConfigOf returns the arithmetic of a form as the programs use it, with tables of 2^q entries. The code has 8 bits
// with ε = 0.025; the code of Γ has the base 1.033.
func ConfigOf(form Form, q int) Config {
	c := Config{Form: form, TableBits: q, Middle: form.inBytes(), Base: 1.050625, Codes: 256}
	if form == Power {
		c.Base = 1.033
	}
	return c
}

// CodeTableBits returns how many bits the table of the code sees after the first set bit. More than six bits do not
// help, because the codes have steps of 5 %, and would need thousands of prefixes.
func (c Config) CodeTableBits() int { return min(c.TableBits, 6) }

// Encoder returns the table of the code. In Difference and Power the table encodes the register, and does not depend
// on the rate. The port then subtracts a constant from the table's result.
func (c Config) Encoder() (*Encoder, error) {
	e := EncoderConfig{Min: 1 << (utilizationBits - 9), Base: c.Base, Codes: c.Codes, TableBits: c.CodeTableBits()}
	if c.Form.inBytes() {
		e.Min, e.Codes = 1, maxCodes
	}
	return NewEncoder(e)
}

// Shared holds the settings and tables that ports of all rates share.
type Shared struct {
	cfg    Config
	code   *Encoder
	tables struct{ load, time, power *Tables } // tables of AppendixB and Decrement
	logs   *logTable                           // logarithms for Difference and Power
	powers *powerTable
}

// NewShared makes the tables.
func NewShared(c Config) (*Shared, error) {
	if int(c.Form) >= len(formNames) {
		return nil, fmt.Errorf("fixedpoint: form = %d, want difference, appendix-b or decrement", c.Form)
	}
	for _, q := range []*int{&c.TimeBits, &c.PowerBits} {
		*q = cmp.Or(*q, c.TableBits)
	}
	s := &Shared{cfg: c}
	byBits := map[int]*Tables{}
	for _, q := range []int{c.TableBits, c.TimeBits, c.PowerBits} {
		if byBits[q] != nil {
			continue
		}
		t, err := newTables(q, c.Middle)
		if err != nil {
			return nil, err
		}
		byBits[q] = t
	}
	s.tables.load, s.tables.time, s.tables.power = byBits[c.TableBits], byBits[c.TimeBits], byBits[c.PowerBits]
	if c.Form.inBytes() {
		s.logs, s.powers = newLogTable(c.TableBits, 1, c.Middle), newPowerTable(c.PowerBits, c.Middle)
	}
	var err error
	if s.code, err = c.Encoder(); err != nil {
		return nil, err
	}
	return s, nil
}

// Encoder returns the table of the code of U.
func (s *Shared) Encoder() *Encoder { return s.code }

// Config returns the settings of s.
func (s *Shared) Config() Config { return s.cfg }

// Port computes HPCC's U for the egress ports of one rate. In appendix B:
//
//	U_term    = log(T-τ) - log T + log U
//	qlen_term = log qlen + log τ - log B - 2 log T
//	byte_term = log byte - log B - log T
//	U         = 2^U_term + 2^qlen_term + 2^byte_term
//
// As a difference in bytes, V = U·B·T:
//
//	V = V + byte ± 2^(log |qlen - V| + log(τ/T))
//
// PowerTCP's Γ, also in bytes, with A for the bytes that have arrived:
//
//	V = V + A + 2^(log A + log qlen - log B - log T) - 2^(log V + log(τ/T))
//
// Port implements pint.Arithmetic. It is read-only and safe for concurrent use.
type Port struct {
	*Shared
	Constants
	share *logTable // log(τ/T), of Difference and Power
	scale float64   // the number in a register for U = 1 or Γ = 1
}

// Constants are the constants of a port in the programs, with T in ticks and B in bytes per tick.
// Logarithms of constants are rounded once, to 2^-20.
type Constants struct {
	T      uint32 // horizon in ticks
	Decay  Log    // -log T - 22, because U has 22 fractional bits
	Queue  Log    // -log B - 2 log T
	Packet Log    // -log B - log T
	// Offset is the code of the register for U = 1/512 (or Γ = 1/16), with 8 fractional bits. Only Difference and
	// Power use it.
	Offset int64
}

// NewPort makes the arithmetic of ports with a rate and a horizon T.
func (s *Shared) NewPort(rate unit.Rate, horizon unit.Time) (*Port, error) {
	c, err := s.cfg.NewConstants(rate, horizon)
	if err != nil {
		return nil, err
	}
	p := &Port{Shared: s, Constants: c, scale: 1 << utilizationBits}
	if s.cfg.Form.inBytes() {
		p.share = newShareTable(s.cfg.TimeBits, c.T, s.cfg.Middle)
		p.scale, _ = registerScale(rate, c.T).Float64()
	}
	return p, nil
}

// NewConstants returns the constants of a port.
func (c Config) NewConstants(rate unit.Rate, horizon unit.Time) (Constants, error) {
	ticks := horizon / Tick
	switch {
	case rate <= 0:
		return Constants{}, fmt.Errorf("fixedpoint: rate %v, want more than 0bps", rate)
	case horizon%Tick != 0 || ticks < 1 || ticks > math.MaxUint32/2:
		return Constants{}, fmt.Errorf("fixedpoint: T = %v, want a whole number of ticks of %v, 1 to 2^31",
			horizon, Tick)
	}
	t := big.NewRat(int64(ticks), 1)
	bt := bytesPerTick(rate)
	bt.Mul(bt, t)
	btt := new(big.Rat).Mul(bt, t)
	k := Constants{
		T: uint32(ticks),
		// Rounded such that neither U·τ/T nor U·(T-τ)/T is above U.
		Decay:  Log(-log2Ceil(t, LogBits)) - utilizationBits<<LogBits,
		Queue:  Log(-log2Nearest(btt, LogBits)),
		Packet: Log(-log2Nearest(bt, LogBits)),
	}
	least := registerScale(rate, k.T)
	k.Offset = codeOf(least.Quo(least, big.NewRat(c.Form.least(), 1)), stepOf(c.Base))
	return k, nil
}

// Next returns the register after one more packet: U with 22 fractional bits, or bytes with 5 fractional bits. tau
// is the time in ticks since the previous packet (clipped to T), qlen the bytes left in the queue, and size the
// bytes on the wire. For Power, size is the bytes that arrived during tau.
func (p *Port) Next(u, tau, qlen, size uint32) uint32 {
	switch p.cfg.Form {
	case Difference:
		return p.nextDifference(u, tau, qlen, size)
	case Power:
		return p.NextPower(u, tau, qlen, min(size, Bytes)<<byteBits)
	}
	load, power := p.tables.load, p.tables.power
	tau = min(tau, p.T)
	logTau := p.tables.time.Log2(uint64(tau))
	logU := load.Log2(uint64(u)) + p.Decay
	queue := power.Exp2(load.Log2(uint64(qlen))+logTau+p.Queue, utilizationBits)
	packet := power.Exp2(load.Log2(uint64(size))+p.Packet, utilizationBits)
	var keep uint32
	if p.cfg.Form == AppendixB {
		keep = power.Exp2(p.tables.time.Log2(uint64(p.T-tau))+logU, utilizationBits)
	} else if tau < p.T {
		keep = u - min(u, power.Exp2(logTau+logU, utilizationBits))
	}
	return addSat(addSat(queue, packet), keep)
}

// Update is Next for a simulator. u is the value that the register stands for, and the simulator's time is finer
// than a tick. A clock with ticks sees tau as one of the two nearest whole numbers; which one depends on when,
// between two ticks, the packets left. Here a hash of the arguments makes this choice, so that the mean of tau is
// exact.
func (p *Port) Update(u float64, tau unit.Time, qlen, size unit.Bytes) float64 {
	ticks := p.T
	if whole := tau / Tick; whole < unit.Time(p.T) {
		ticks = uint32(whole)
		if rest := uint64(tau % Tick); rest > 0 {
			word := hash.Mix64(math.Float64bits(u) ^ uint64(tau)<<20 ^ uint64(qlen)<<1)
			if (word>>32)*uint64(Tick)>>32 < rest {
				ticks++
			}
		}
	}
	return p.Value(p.Next(p.register(u), ticks, clip(qlen), clip(size)))
}

// Value returns the U that a register stands for.
func (p *Port) Value(register uint32) float64 { return float64(register) / p.scale }

// register returns the register that stands for u, if u is the Value of a register. The quotient in Value and this
// product are rounded to 53 bits, which causes an error of less than half a unit in 32 bits.
func (p *Port) register(u float64) uint32 {
	product := float64(u * p.scale)
	return uint32(product + 0.5)
}

// Encode returns the code of u. The first 8 bits of word decide between the two nearest codes.
func (p *Port) Encode(u float64, word uint64) uint32 {
	return p.Code(p.register(u), uint32(word>>(64-roundBits)))
}

// Code returns the code of a register. 8 bits of the random number decide between the two nearest
// codes.
func (p *Port) Code(register, random uint32) uint32 {
	if !p.cfg.Form.inBytes() {
		return p.code.Encode(register, random)
	}
	fine := int64(p.code.Fine(register)) + int64(random&(1<<roundBits-1)) - p.Offset
	return uint32(min(max(fine, 0)>>roundBits, int64(p.cfg.Codes-1)))
}

// clip returns a size limited to a 32-bit field.
func clip(b unit.Bytes) uint32 { return uint32(min(max(b, 0), math.MaxUint32)) }
