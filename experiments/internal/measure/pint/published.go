package pint

import (
	"slices"

	"pintlab/internal/lists"
	"pintlab/pint/coding"
	"pintlab/pint/global"
)

// published is PINT's collector as its authors published it (github ProbabilisticINT/Mininet-PINT,
// generate_results.py). Baseline packets eliminate candidates, as §4.2 of the PINT paper describes. Three properties
// differ from the paper:
//
//   - An XOR packet carries the numbers of its switches, truncated to the bits of the digest, and not hashes of them.
//     If only one hop of an XOR packet is unknown, this hop then counts as known, regardless of the bits.
//   - The collector ends when each hop counts as known. With few bits, most of the hops are wrong.
//   - After a Baseline packet, the collector forgets what XOR packets have revealed. The next XOR packet causes one
//     pass over all XOR packets so far, beginning with packets of few hops.
//
// The published program has one digest per packet. Here, several digests of a packet are processed one after the other.
// The published program also skips XOR packets whose XOR is 0. We do not skip them, because then one bit would take
// more packets than the PINT paper prints.
type published struct {
	code       *coding.Code
	candidates []uint64 // the number of a switch is its index in this list
	hops       int
	left       [][]int          // by hop-1: candidates that agree with the Baseline packets; nil before the first
	sure       global.HopSet    // hops with one candidate left
	known      global.HopSet    // sure, and hops that XOR packets have given since the last Baseline packet
	numbers    []uint64         // by hop-1; valid if the hop is known
	waiting    [][]numberDigest // by the number of hops
	done       bool
}

// numberDigest is a digest of the published code: the XOR of the numbers of some switches.
type numberDigest struct {
	hops global.HopSet
	xor  uint64
}

func newPublished(c *coding.Code, hops int, candidates []uint64) *published {
	d := &published{code: c, candidates: candidates, hops: hops}
	d.Reset()
	return d
}

// Reset forgets all packets.
func (d *published) Reset() {
	d.left, d.numbers, d.waiting = make([][]int, d.hops), make([]uint64, d.hops), make([][]numberDigest, d.hops+1)
	d.sure, d.known, d.done = global.HopSet{}, global.HopSet{}, false
}

func (d *published) mask() uint64 { return 1<<d.code.Config().Bits - 1 }

// Encode returns the digest that the switches of a path write. All of them must be candidates.
func (d *published) Encode(packet uint64, path []uint64) (digest uint64) {
	for i := range d.code.Config().Instances {
		set, baseline := d.code.Actors(i, packet, d.hops)
		part := uint64(0)
		for hop := range set.All() {
			if v := path[hop-1]; baseline {
				part = d.code.Hasher(i, packet).Digest(hop, v)
			} else {
				part ^= uint64(slices.Index(d.candidates, v)) & d.mask()
			}
		}
		digest |= part << (i * d.code.Config().Bits)
	}
	return digest
}

// Add records one packet's digest.
func (d *published) Add(packet, digest uint64) error {
	for i := range d.code.Config().Instances {
		set, baseline := d.code.Actors(i, packet, d.hops)
		part := digest >> (i * d.code.Config().Bits) & d.mask()
		if baseline {
			d.narrow(set.First(), d.code.Hasher(i, packet), part)
			d.known = d.sure
		} else {
			d.waiting[set.Len()] = append(d.waiting[set.Len()], numberDigest{set, part})
			d.pass()
		}
		if d.done = d.known == global.FirstHops(d.hops); d.done {
			break
		}
	}
	return nil
}

// narrow eliminates candidates of a hop.
func (d *published) narrow(hop int, h coding.Hasher, part uint64) {
	l := d.left[hop-1]
	if l == nil {
		l = lists.Indices(len(d.candidates))
	}
	l = slices.DeleteFunc(l, func(i int) bool { return h.Digest(hop, d.candidates[i]) != part })
	d.left[hop-1] = l
	if len(l) == 1 {
		d.sure.Add(hop)
		d.numbers[hop-1] = uint64(l[0])
	}
}

// pass treats hops as known: for each XOR packet with a single unknown hop, this hop.
func (d *published) pass() {
	for _, list := range d.waiting {
		for _, w := range list {
			unknown := w.hops.AndNot(d.known)
			if unknown.Len() != 1 {
				continue
			}
			number := w.xor
			for hop := range w.hops.And(d.known).All() {
				number ^= d.numbers[hop-1] & d.mask()
			}
			d.numbers[unknown.First()-1] = number
			d.known.Add(unknown.First())
		}
	}
}

// Done reports whether each hop has counted as known.
func (d *published) Done() bool { return d.done }

// Known returns the number of hops that count as known.
func (d *published) Known() int { return d.known.Len() }

// Value returns the decoded switch of a hop (from 1), which may be wrong. It returns false if no switch has the decoded
// number.
func (d *published) Value(hop int) (uint64, bool) {
	n := d.numbers[hop-1]
	if !d.known.Has(hop) || n >= uint64(len(d.candidates)) {
		return 0, false
	}
	return d.candidates[n], true
}
