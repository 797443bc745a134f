package fixedpoint

import (
	"fmt"
	"math"
	"math/big"

	"pintlab/internal/hash"
	"pintlab/netsim/unit"
	"pintlab/pint"
)

// utilizationBits is the number of fractional bits of U.
const utilizationBits = 22

// Tick is the resolution of the clock of a switch.
const Tick = unit.Nanosecond

// Form says how the first term of U is computed. The zero Form is AppendixB.
type Form uint8

// The forms.
const (
	AppendixB Form = iota // U·(T-τ)/T, as the document has it
	Decrement             // U - U·τ/T
)

var formNames = [...]string{AppendixB: "appendix-b", Decrement: "decrement"}

// ParseForm reads "appendix-b" or "decrement".
func ParseForm(s string) (Form, error) {
	for i, name := range formNames {
		if s == name {
			return Form(i), nil
		}
	}
	return 0, fmt.Errorf("form %q: want appendix-b or decrement", s)
}

// String is the name that ParseForm reads.
func (f Form) String() string {
	if int(f) < len(formNames) {
		return formNames[f]
	}
	return fmt.Sprintf("Form(%d)", uint8(f))
}

// Config is the arithmetic of a switch port. The zero Config is not valid.
type Config struct {
	TableBits int  // q, of logarithms and powers
	Form      Form // of the first term of U
	// The code of U: Base and Codes as in EncoderConfig; code 0 stands for 1/512.
	Base  float64
	Codes int
}

// DefaultConfig is the document's: q = 8, appendix B, 8 bits at ε = 0.025.
func DefaultConfig() Config { return Config{TableBits: 8, Base: 1.050625, Codes: 256} }

// CodeTableBits is how many bits the table of the code looks at behind the first set one.
// More than six do not help against steps of 5 %, and need thousands of prefixes.
func (c Config) CodeTableBits() int { return min(c.TableBits, 6) }

// Encoder is the table of the code.
func (c Config) Encoder() (*Encoder, error) {
	return NewEncoder(EncoderConfig{
		Min: 1 << (utilizationBits - 9), Base: c.Base, Codes: c.Codes, TableBits: c.CodeTableBits(),
	})
}

// Shared is what ports of all rates have in common.
type Shared struct {
	cfg    Config
	tables *Tables
	code   *Encoder
}

// NewShared makes the tables.
func NewShared(c Config) (*Shared, error) {
	if int(c.Form) >= len(formNames) {
		return nil, fmt.Errorf("fixedpoint: form = %d, want appendix-b or decrement", c.Form)
	}
	t, err := NewTables(c.TableBits)
	if err != nil {
		return nil, err
	}
	e, err := c.Encoder()
	if err != nil {
		return nil, err
	}
	return &Shared{cfg: c, tables: t, code: e}, nil
}

// Tables are the tables of logarithms and powers.
func (s *Shared) Tables() *Tables { return s.tables }

// Encoder is the table of the code of U.
func (s *Shared) Encoder() *Encoder { return s.code }

// Config is what s was made from.
func (s *Shared) Config() Config { return s.cfg }

// Port is HPCC's U at the egress ports of one rate, in the log domain (appendix B):
//
//	U_term    = log(T-τ) - log T + log U
//	qlen_term = log qlen + log τ - log B - 2 log T
//	byte_term = log byte - log B - log T
//	U         = 2^U_term + 2^qlen_term + 2^byte_term
//
// It implements pint.Arithmetic, is read-only and safe for concurrent use.
type Port struct {
	*Shared
	Constants
}

// Constants are what the programs have as constants of a port. T and B are in ticks and
// in bytes per tick; logarithms of constants are rounded once, to 2^-20.
type Constants struct {
	T      uint32 // horizon in ticks
	Decay  Log    // -log T - 22: U comes with 22 fractional bits
	Queue  Log    // -log B - 2 log T
	Packet Log    // -log B - log T
}

var _ pint.Arithmetic = (*Port)(nil)

// NewPort makes the arithmetic of ports with a rate and a horizon T.
func (s *Shared) NewPort(rate unit.Rate, horizon unit.Time) (*Port, error) {
	c, err := NewConstants(rate, horizon)
	if err != nil {
		return nil, err
	}
	return &Port{Shared: s, Constants: c}, nil
}

// NewConstants are the constants of a port.
func NewConstants(rate unit.Rate, horizon unit.Time) (Constants, error) {
	ticks := horizon / Tick
	switch {
	case rate <= 0:
		return Constants{}, fmt.Errorf("fixedpoint: rate %v, want more than 0bps", rate)
	case horizon%Tick != 0 || ticks < 1 || ticks > math.MaxUint32/2:
		return Constants{}, fmt.Errorf("fixedpoint: T = %v, want a whole number of ticks of %v, 1 to 2^31", horizon, Tick)
	}
	t := big.NewRat(int64(ticks), 1)
	b := big.NewRat(int64(rate), 8*int64(unit.Second/Tick)) // bytes per tick
	bt := new(big.Rat).Mul(b, t)
	btt := new(big.Rat).Mul(bt, t)
	c := Constants{
		T: uint32(ticks),
		// Rounded so that U·τ/T is never above U, and U·(T-τ)/T neither.
		Decay:  Log(-log2Ceil(t, LogBits)) - utilizationBits<<LogBits,
		Queue:  Log(-log2Nearest(btt, LogBits)),
		Packet: Log(-log2Nearest(bt, LogBits)),
	}
	return c, nil
}

// Next is U, with 22 fractional bits, after one more packet: tau ticks after the one
// before it (clipped to T), with qlen bytes left in the queue and size bytes on the wire.
func (p *Port) Next(u, tau, qlen, size uint32) uint32 {
	t := p.tables
	tau = min(tau, p.T)
	logTau := t.Log2(uint64(tau))
	logU := t.Log2(uint64(u)) + p.Decay
	queue := t.Exp2(t.Log2(uint64(qlen))+logTau+p.Queue, utilizationBits)
	packet := t.Exp2(t.Log2(uint64(size))+p.Packet, utilizationBits)
	var keep uint32
	if p.cfg.Form == AppendixB {
		keep = t.Exp2(t.Log2(uint64(p.T-tau))+logU, utilizationBits)
	} else if tau < p.T {
		keep = u - t.Exp2(logTau+logU, utilizationBits)
	}
	return addSat(addSat(queue, packet), keep)
}

// Update is Next for a simulator, whose u holds the register exactly and whose time is
// finer than a tick. A clock that ticks sees tau as one of the two whole numbers next to
// it, depending on where between two ticks the packets left; that is drawn from a hash
// of the arguments, so that tau is right on average.
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
	next := p.Next(uint32(u*(1<<utilizationBits)), ticks, clip(qlen), clip(size))
	return float64(next) / (1 << utilizationBits)
}

// Encode is the code of u; the first 8 bits of word decide between two.
func (p *Port) Encode(u float64, word uint64) uint32 {
	return p.code.Encode(uint32(u*(1<<utilizationBits)), uint32(word>>(64-roundBits)))
}

// clip is what a 32-bit field shows of a size.
func clip(b unit.Bytes) uint32 { return uint32(min(max(b, 0), math.MaxUint32)) }
