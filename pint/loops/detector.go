package loops

import (
	"math/bits"

	"pintlab/internal/rules"
	"pintlab/pint/global"
)

// Config holds the settings of the detector. The zero Config is not valid.
type Config struct {
	// b, width of the hash, 1 to 32.
	Bits int `json:"bits" flag:"bits" range:">=1 <=32" use:"hash bits {B} of one detector"`
	// T, 0 to 255; 0 reports the first match.
	Threshold int `json:"threshold" flag:"threshold" range:">=0 <=255" use:"matches {T} that it lets pass"`
}

// Plain returns the detector without a counter. It falsely reports 0.05 % of the packets over paths
// of 32 hops. It has 16 bits, like Twice and Fourfold (appendix A.4).
func Plain() Config { return Config{Bits: 16} }

// Twice requires two matches. False reports are below 5·10⁻⁷.
func Twice() Config { return Config{Bits: 15, Threshold: 1} }

// Fourfold requires four matches. False reports are below 5·10⁻¹³.
func Fourfold() Config { return Config{Bits: 14, Threshold: 3} }

// validate reports every rule that c breaks.
func (c Config) validate() error {
	var errs rules.Broken
	errs.If(c.Bits < 1 || c.Bits > 32, "bits = %d, want 1 to 32", c.Bits)
	errs.If(c.Threshold < 0 || c.Threshold > 255, "threshold = %d, want 0 to 255", c.Threshold)
	return errs.Err("loops: bad config")
}

// Width returns the number of bits on a packet: b + ⌈log2(T+1)⌉.
func (c Config) Width() int { return c.Bits + bits.Len(uint(c.Threshold)) }

// Detector implements the algorithm of a switch. It holds no state of packets or flows and is safe
// for concurrent use.
type Detector struct {
	cfg  Config
	h, g global.Function
	mask uint64
}

// New makes a detector with the hash functions of a family.
func New(c Config, f global.Family) (*Detector, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	return &Detector{cfg: c, h: f.Function(global.Value, 0), g: f.Function(global.Act, 0), mask: 1<<c.Bits - 1}, nil
}

// Process implements Algorithm 2 at the switch that is hop number i (from 1) of the packet. It
// returns the new digest, or reports a loop. The digest has the hash in its low b bits and the
// counter above; the source starts with 0.
func (d *Detector) Process(packet uint64, hop int, id, digest uint64) (next uint64, loop bool) {
	dig, c := digest&d.mask, digest>>d.cfg.Bits
	hash := uint64(global.Digest(d.h.Word(d.h.Key(packet), id), d.cfg.Bits))
	if dig == hash { // line 1
		if c >= uint64(d.cfg.Threshold) { // line 2; c is above T only if the digest is corrupt
			return digest, true
		}
		c++ // line 3
	}
	if c == 0 && global.Reservoir(d.g.Word(d.g.Key(packet), uint64(hop)), hop) { // line 4
		dig = hash // line 5
	}
	return c<<d.cfg.Bits | dig, false
}
