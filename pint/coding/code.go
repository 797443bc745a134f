package coding

import (
	"errors"
	"fmt"
	"math"

	"pintlab/internal/number"
	"pintlab/pint/global"
)

// Mode selects what a hop writes of its value.
type Mode uint8

// The modes.
const (
	Full      Mode = iota // the whole value
	Fragments             // one of ceil(q/b) pieces of the value, the same piece at all hops of a packet
	Hash                  // b bits of a hash of (value, packet)
	Linear                // b bits, each the parity of a pseudo-random subset of the value's bits
)

var modeNames = [...]string{"full", "fragments", "hash", "linear"}

func (m Mode) String() string { return modeNames[m] }

// Config holds the settings of the aggregation. The zero Config is not valid.
type Config struct {
	// Schemes holds one scheme for all instances, or one for each. Different schemes can ensure
	// that every packet has digests of each kind.
	Schemes   []Scheme
	Mode      Mode
	Bits      int // b, digest bits of one instance: 1 … 64, 1 … 32 with Hash and Linear
	Instances int // independent repetitions, at least 1; Bits·Instances <= 64

	// ValueBits is q, the width of the values: 1 … 64. With Full it must equal Bits. With Linear,
	// ValueBits + Bits - 1 <= 32. With Hash it has no effect and must be 0.
	ValueBits int

	// VectorBits sets how hops decide whether to XOR. With 0 each hop compares a hash with a
	// threshold. With n > 0 hops use bit vectors (the near-linear decoder), and probabilities are
	// rounded to multiples of 2^-n.
	VectorBits int

	Family global.Family
}

func (c Config) problems() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf("coding: "+format, args...)) }
	if n := len(c.Schemes); n == 0 || n > 1 && n != c.Instances {
		bad("%d schemes for %s, want 1 or one for each", n, number.Count(c.Instances, "instance"))
	}
	for _, s := range c.Schemes {
		if err := s.validate(); err != nil {
			bad("%w", err)
		}
	}
	if int(c.Mode) >= len(modeNames) {
		bad("unknown mode %d", c.Mode)
		return errors.Join(errs...) // the ranges below depend on the mode
	}
	if c.Instances < 1 || c.Instances > 64 {
		bad("instances = %d, want 1 to 64", c.Instances)
	}
	widest := 64
	if c.Mode == Hash || c.Mode == Linear {
		widest = 32
	}
	if c.Bits < 1 || c.Bits > widest {
		bad("bits = %d with mode %v, want 1 to %d", c.Bits, c.Mode, widest)
	} else if c.Instances > 1 && c.Bits*c.Instances > 64 {
		bad("%d instances of %d bits: a digest has at most 64 bits", c.Instances, c.Bits)
	}
	switch {
	case c.Mode == Hash && c.ValueBits != 0:
		bad("value_bits = %d with mode hash, which takes values of any width: want 0", c.ValueBits)
	case c.Mode != Hash && (c.ValueBits < 1 || c.ValueBits > 64):
		bad("value_bits = %d, want 1 to 64", c.ValueBits)
	case c.Mode == Full && c.ValueBits != c.Bits:
		bad("value_bits = %d with mode full, want bits (%d)", c.ValueBits, c.Bits)
	case c.Mode == Linear && c.ValueBits+c.Bits-1 > 32:
		bad("value_bits + bits - 1 = %d with mode linear, want at most 32", c.ValueBits+c.Bits-1)
	}
	if c.VectorBits < 0 || c.VectorBits > 24 {
		bad("vector_bits = %d, want 0 (thresholds) or 1 to 24", c.VectorBits)
	}
	return errors.Join(errs...)
}

// Code is a compiled Config. Switches and collector use the same Code. It is immutable and safe for
// concurrent use.
type Code struct {
	cfg       Config
	instances []instance
	fragments int    // F; 1 except with Fragments
	mask      uint64 // Bits low bits set
	drop      uint8  // with Hash, the number of unused bits of a word
}

// instance is one independent repetition.
type instance struct {
	shift  uint // position of the instance's bits in the digest
	tau    uint64
	layers []layer // XOR layers
	first  uint64  // threshold of the first XOR layer

	fns    [3]global.Function // indexed by layerFn, actFn and partFn
	vector global.Function    // g as bit vectors
	always bool               // every hop XORs every packet, so no draw is needed
	fused  bool               // every hop evaluates all of fns: no vectors, not always
}

// The functions of an instance.
const (
	layerFn = iota // H
	actFn          // g
	partFn         // h, the fragment choice or the matrix
)

// layer is one XOR layer. A packet belongs to the first layer whose end is above the packet's word of H.
type layer struct {
	end       uint64 // in 2^-32
	always    bool   // p = 1: no hash needed
	vectors   bool
	threshold global.Threshold
	dyadic    global.Dyadic
}

// New compiles c. Its error lists everything that is wrong with c.
func New(c Config) (*Code, error) {
	if err := c.problems(); err != nil {
		return nil, err
	}
	code := &Code{cfg: c, fragments: 1, mask: ^uint64(0) >> (64 - c.Bits)}
	purpose := global.Value
	switch c.Mode {
	case Hash:
		code.drop = uint8(32 - c.Bits)
	case Fragments:
		code.fragments = (c.ValueBits + c.Bits - 1) / c.Bits
		purpose = global.Fragment
	case Linear:
		purpose = global.Matrix
	}
	for i := range c.Instances {
		s := c.Schemes[i%len(c.Schemes)]
		in := instance{
			shift: uint(i * c.Bits),
			fns: [3]global.Function{
				layerFn: c.Family.Function(global.Layer, uint8(i)),
				actFn:   c.Family.Function(global.Act, uint8(i)),
				partFn:  c.Family.Function(purpose, uint8(i)),
			},
			vector: c.Family.Function(global.Vector, uint8(i)),
			always: s.Tau == 0 && len(s.XOR) == 1 && s.XOR[0] == 1,
		}
		in.fused = !in.always && c.VectorBits == 0
		tau, err := global.NewThreshold(s.Tau)
		if err != nil {
			return nil, err
		}
		in.tau = uint64(tau)
		rest := 1<<32 - in.tau
		for l, p := range s.XOR {
			ly := layer{end: in.tau + rest*uint64(l+1)/uint64(len(s.XOR)), always: p == 1}
			if ly.threshold, err = global.NewThreshold(p); err != nil {
				return nil, err
			}
			if c.VectorBits > 0 && !ly.always {
				ly.vectors = true
				if ly.dyadic, err = global.NewDyadic(p, c.VectorBits); err != nil {
					return nil, fmt.Errorf("coding: scheme %q, layer %d: %w", s.Name, l+1, err)
				}
			}
			in.layers = append(in.layers, ly)
		}
		if len(in.layers) > 0 {
			in.first = uint64(in.layers[0].threshold)
		}
		code.instances = append(code.instances, in)
	}
	return code, nil
}

// Config returns the configuration of the code.
func (c *Code) Config() Config { return c.cfg }

// Width returns the number of digest bits a packet carries.
func (c *Code) Width() int { return c.cfg.Bits * c.cfg.Instances }

// layer returns the XOR layer of a packet, or nil for a Baseline packet.
func (in *instance) layer(packet uint64) *layer {
	w := uint64(in.fns[layerFn].At(packet, 0))
	if w < in.tau || len(in.layers) == 0 {
		return nil
	}
	for l := range in.layers {
		if w < in.layers[l].end {
			return &in.layers[l]
		}
	}
	return &in.layers[len(in.layers)-1]
}

// Hop implements Algorithm 1: it returns a packet's digest after switch number hop (from 1) of a
// path. The result depends only on the arguments, so a switch needs no state and no knowledge of
// the path. The source starts with digest 0. value must fit ValueBits.
func (c *Code) Hop(packet uint64, hop int, value, digest uint64) uint64 {
	for i := 0; i < len(c.instances); i++ {
		in := &c.instances[i]
		if in.fused && i&1 == 0 && i+1 < len(c.instances) && c.instances[i+1].fused {
			i++
			odd := &c.instances[i]
			layer, g, h := global.Pairs(&in.fns, &odd.fns, packet, 0, uint64(hop), c.argument(hop, value))
			acts, baseline := in.draw(layer>>32, g>>32, hop)
			digest = c.write(in, digest, c.part(uint32(h>>32), value), acts, baseline)
			acts, baseline = odd.draw(layer&math.MaxUint32, g&math.MaxUint32, hop)
			digest = c.write(odd, digest, c.part(uint32(h), value), acts, baseline)
		} else if in.fused {
			layer, g, h := global.Three(&in.fns, packet, 0, uint64(hop), c.argument(hop, value))
			acts, baseline := in.draw(uint64(layer), uint64(g), hop)
			digest = c.write(in, digest, c.part(h, value), acts, baseline)
		} else if acts, baseline := in.decide(packet, hop); acts != 0 {
			h := in.fns[partFn].At(packet, c.argument(hop, value))
			digest = c.write(in, digest, c.part(h, value), acts, baseline)
		}
	}
	return digest
}

// write adds a hop's part to the bits of an instance, if the hop acts.
func (c *Code) write(in *instance, digest, part, acts, baseline uint64) uint64 {
	digest &^= c.mask << (in.shift & 63) & baseline & acts // line 4 writes,
	return digest ^ part<<(in.shift&63)&acts               // line 8 XORs
}

// argument returns the argument of the hash function partFn.
func (c *Code) argument(hop int, value uint64) uint64 {
	switch c.cfg.Mode {
	case Hash:
		return value
	case Linear:
		return uint64(hop)
	}
	return 0
}

// part returns the bits that a value contributes, given a word of partFn. Hasher.Digest returns the
// same bits, and is faster for several values of one packet.
func (c *Code) part(h uint32, value uint64) uint64 {
	switch c.cfg.Mode {
	case Hash:
		return uint64(h >> (c.drop & 31)) // global.Digest
	case Linear:
		return toeplitz(h, value) & c.mask
	case Fragments:
		value >>= c.cfg.Bits * global.Choose(h, c.fragments)
	}
	return value & c.mask
}

// decide returns two masks, all ones for true and zero for false: whether a hop acts, and whether
// the packet is a Baseline packet.
func (in *instance) decide(packet uint64, hop int) (acts, baseline uint64) {
	if in.always {
		return ^uint64(0), 0
	}
	if l := in.layer(packet); l != nil && l.vectors {
		if in.vector.VectorAct(in.vector.Key(packet), l.dyadic, hop) {
			return ^uint64(0), 0
		}
		return 0, 0
	}
	return in.draw(uint64(in.fns[layerFn].At(packet, 0)), uint64(in.fns[actFn].At(packet, uint64(hop))), hop)
}

// draw computes the result of decide from the words of H (line 1) and g (lines 3 and 7). It uses
// masks instead of branches, because a processor can predict neither the layer of a packet nor
// whether a hop acts.
func (in *instance) draw(layer, g uint64, hop int) (acts, baseline uint64) {
	below := in.first
	for l := 1; l < len(in.layers) && layer >= in.layers[l-1].end; l++ { // line 6
		below = uint64(in.layers[l].threshold)
	}
	baseline = uint64(int64(layer-in.tau) >> 63) // line 2
	below = 1<<32&baseline | below&^baseline
	times := uint64(hop-1)&baseline + 1 // g <= 1/hop means g·hop < 2^32
	return uint64(int64(g*times-below) >> 63), baseline
}

// Encode returns the digest after a whole path, by calling Hop for each switch.
func (c *Code) Encode(packet uint64, path []uint64) uint64 {
	digest := uint64(0)
	for i, v := range path {
		digest = c.Hop(packet, i+1, v, digest)
	}
	return digest
}
