package latency

import "pintlab/pint/global"

// Code writes numbers as codes of few bits; *approx.Multiplicative and
// *approx.Additive are codes. word is 64 random bits for those that round at random.
type Code interface {
	Encode(v float64, word uint64) uint32
	Decode(code uint32) float64
}

// Sampler makes every packet carry the value of one hop of its path, each hop with the
// same probability, without any switch knowing how long the path is (reservoir sampling
// by a global hash, §4.1). The same Sampler tells the collector which hop it was. The
// zero Sampler is not valid; make one with NewSampler.
type Sampler struct{ act global.Function }

// NewSampler is the sampler of a family; instances separate several of them on the same
// packets.
func NewSampler(f global.Family, instance uint8) Sampler {
	return Sampler{f.Function(global.Act, instance)}
}

// Acts says whether hop i (from 1) overwrites the digest of a packet: g(p,i) <= 1/i.
func (s Sampler) Acts(packet uint64, hop int) bool {
	return Acts(s.act.Word(s.act.Key(packet), uint64(hop)), hop)
}

// Acts is g(p,i) <= 1/i for the word that stands for g(p,i). It equals
// global.Reservoir without its division: word·i < 2^32 iff word <= ⌊(2^32−1)/i⌋.
func Acts(word uint32, hop int) bool { return uint64(word)*uint64(hop) < 1<<32 }

// Hop is the hop (from 1) whose value the packet carries at the end of a path.
func (s Sampler) Hop(packet uint64, hops int) int {
	return s.act.Writer(s.act.Key(packet), hops)
}

// Encode is what hop i does to the digest of a packet: it returns the new digest. word
// is for codes that round at random.
func (s Sampler) Encode(packet uint64, hop int, digest uint32, v float64, code Code, word uint64) uint32 {
	if s.Acts(packet, hop) {
		return code.Encode(v, word)
	}
	return digest
}
