package fridge

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
	"unsafe"

	"pintlab/internal/hash"
	"pintlab/internal/mem"
	"pintlab/internal/numeric"
	"pintlab/internal/rules"
)

// MaxEntries is the largest number of entries of a structure.
const MaxEntries = 1 << 30

// Pairing selects which insertions between a request and its response are counted, and the correction factor for this
// count. The paper calls the count x.
type Pairing uint8

// The pairings.
const (
	Entered Pairing = iota // x counts requests that entered, factor p^-1·(1 - 1/M)^-x (§6.1)
	Seen                   // x counts all requests, factor p^-1·(1 - p/M)^-x (§3.2)
	Mixed                  // wrong: x counts requests that entered, factor p^-1·(1 - p/M)^-x
)

var pairingNames = []string{"entered", "seen", "mixed"}

func (p Pairing) String() string { return pairingNames[p] }

// UnmarshalText reads "entered", "seen" or "mixed".
func (p *Pairing) UnmarshalText(text []byte) error {
	i := slices.Index(pairingNames, string(text))
	if i < 0 {
		return fmt.Errorf("unknown pairing %q (accepted: %s)", text, strings.Join(pairingNames, ", "))
	}
	*p = Pairing(i)
	return nil
}

// Part is a fridge-(M, p).
type Part struct {
	Entries     int     // M, 2 to MaxEntries
	Probability float64 // p, above 0 and at most 1, rounded to a multiple of 2^-32
}

// Config describes a Fridge.
type Config struct {
	// Parts are the fridges, at least one. Their probabilities add up to at most 1; the remaining requests enter no
	// fridge.
	Parts   []Part
	Pairing Pairing
	Seed    uint64 // seed of the hash functions
}

// Validate reports every rule that c breaks.
func (c Config) Validate() error {
	var errs rules.Broken
	errs.If(len(c.Parts) == 0, "there is no fridge, want at least one")
	total := 0.0
	for k, p := range c.Parts {
		errs.If(p.Entries < 2 || p.Entries > MaxEntries, "fridge %d: entries = %d, want 2 to %d",
			k+1, p.Entries, MaxEntries)
		if err := checkProbability(p.Probability); err != nil {
			errs = append(errs, fmt.Errorf("fridge %d: %w", k+1, err))
			continue
		}
		total += p.Probability
	}
	if total > 1+1e-9 { // six sixths are a little more than 1
		errs = append(errs, fmt.Errorf("probabilities sum to %.6g, want at most 1", total))
	}
	errs.If(int(c.Pairing) >= len(pairingNames), "pairing = %d, want 0 to %d", c.Pairing, len(pairingNames)-1)
	return errs.Err("fridge")
}

// checkProbability returns an error unless p is an entry probability that 32 bits can express.
func checkProbability(p float64) error {
	if !(p > 0 && p <= 1) {
		return fmt.Errorf("probability = %v, want more than 0 and at most 1", p)
	}
	if threshold(p) == 0 {
		return fmt.Errorf("probability = %v, want at least 2^-32", p)
	}
	return nil
}

// threshold returns p in units of 2^-32, 0 to 2^32.
func threshold(p float64) uint64 { return uint64(math.Round(math.Ldexp(p, 32))) }

// Sample is a request whose response arrived while it was still there.
type Sample[T Ticks] struct {
	Delay T
	// Factor is the correction factor, which is the number of pairs that the sample represents.
	Factor float64
	// Survived is x, the insertions between request and response, modulo 2^32.
	Survived uint32
	// Part is the number of the fridge, from 0.
	Part int
}

// Stats counts what a structure has seen. Responses that are neither in Samples nor in Backward found no request.
type Stats struct {
	Requests   uint64
	Entered    uint64 // requests that were written into memory
	Evicted    uint64 // requests that were lost before their response came
	Duplicates uint64 // requests whose identifier still waited; they replace it
	Responses  uint64
	Samples    uint64
	Backward   uint64 // responses that came before their request
	// Overflowed counts samples whose factor is beyond float64. They come from identifiers
	// that repeat, because the insertions of such identifiers do not go to random places.
	// Chance alone does not produce these factors.
	Overflowed uint64
}

// part is the state of a fridge.
type part[T Ticks] struct {
	table Table[T]
	upTo  uint64 // requests whose dice is below this enter this fridge or an earlier one; 2^32: all requests
	// count is the number of insertions, modulo 2^32.
	count  uint32
	scale  float64 // p^-1
	powers *powers // powers of the probability to survive an insertion
}

// Fridge is one fridge-(M, p), or several that share the requests. T is the caller's unit
// of time. A Fridge must be made by New and is not safe for concurrent use.
type Fridge[T Ticks] struct {
	parts   []part[T]
	seed    uint64
	all     uint32 // requests, modulo 2^32
	pairing Pairing
	stats   Stats
}

// New makes an empty fridge.
func New[T Ticks](c Config) (*Fridge[T], error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	f := &Fridge[T]{parts: make([]part[T], len(c.Parts)), seed: seedOf(c.Seed), pairing: c.Pairing}
	upTo := uint64(0)
	for k, p := range c.Parts {
		upTo = min(upTo+threshold(p.Probability), 1<<32)
		exact := math.Ldexp(float64(threshold(p.Probability)), -32)
		evicts := 1 / float64(p.Entries) // probability with which an insertion evicts
		if c.Pairing != Entered {
			evicts *= exact
		}
		f.parts[k] = part[T]{
			table: NewTable[T](p.Entries), upTo: upTo, scale: 1 / exact, powers: newPowers(evicts),
		}
	}
	return f, nil
}

// Like makes an empty fridge of the same kind with other hashes, in the given memory. The two share their read-only
// tables.
func (f *Fridge[T]) Like(seed uint64, m *Memory[T]) *Fridge[T] {
	g := &Fridge[T]{parts: slices.Clone(f.parts), seed: seedOf(seed), pairing: f.pairing}
	for k := range g.parts {
		p := &g.parts[k]
		p.table, p.count = m.table(len(p.table.entries)), 0
	}
	return g
}

// seedOf makes the hashes of this package independent of others with the same seed.
func seedOf(seed uint64) uint64 { return hash.Combine(hash.String("fridge"), seed) }

// identify hashes an identifier to two values: short, the 32 bits that are stored and never 0,
// and word, whose high bits choose the place.
func identify(seed, id uint64) (word uint64, short uint32) {
	word = hash.Combine(seed, id)
	return word, max(uint32(word), 1)
}

// placeOf maps the high bits of a word to 0 … entries-1.
func placeOf(word uint64, entries int) uint32 {
	hi, _ := bits.Mul64(word, uint64(entries))
	return uint32(hi)
}

// diceOf returns a number that is uniform in 0 … 2^32-1 and independent of place and short identifier.
func diceOf(word uint64) uint64 { return hash.Mix64(word^0x6a09e667f3bcc909) >> 32 }

// Spot is where a fridge stores the request with an identifier.
type Spot struct {
	part  int32 // fridge; none if the request enters no fridge
	place uint32
	short uint32 // short identifier that is stored there
}

const none = -1

// Find returns the spot of an identifier, which never changes.
func (f *Fridge[T]) Find(id uint64) Spot {
	word, short := identify(f.seed, id)
	k := 0
	if f.parts[0].upTo < 1<<32 {
		for dice := diceOf(word); dice >= f.parts[k].upTo; {
			if k++; k == len(f.parts) {
				return Spot{part: none}
			}
		}
	}
	return Spot{int32(k), placeOf(word, len(f.parts[k].table.entries)), short}
}

// Prefetch prefetches a spot whose request or response is to be recorded soon.
func (f *Fridge[T]) Prefetch(s Spot) {
	if s.part != none {
		mem.PrefetchWrite(unsafe.Pointer(&f.parts[s.part].table.entries[s.place]))
	}
}

// Request records a request at time now. It reports whether the request entered.
func (f *Fridge[T]) Request(id uint64, now T) bool { return f.RequestAt(f.Find(id), now) }

// RequestAt is Request for the identifier whose spot is s.
func (f *Fridge[T]) RequestAt(s Spot, now T) bool {
	f.stats.Requests++
	f.all++
	if s.part == none {
		return false
	}
	p := &f.parts[s.part]
	f.stats.Entered++
	p.count++
	count := p.count
	if f.pairing == Seen {
		count = f.all
	}
	if e := &p.table.entries[s.place]; e.id == s.short {
		f.stats.Duplicates++
	} else if e.id != 0 {
		f.stats.Evicted++
	}
	p.table.Insert(s.place, s.short, now, count)
	return true
}

// Response records a response at time now. It returns a sample if the request is still
// there.
func (f *Fridge[T]) Response(id uint64, now T) (Sample[T], bool) {
	return f.ResponseAt(f.Find(id), now)
}

// ResponseAt is Response for the identifier whose spot is s.
func (f *Fridge[T]) ResponseAt(s Spot, now T) (Sample[T], bool) {
	f.stats.Responses++
	if s.part == none {
		return Sample[T]{}, false
	}
	p := &f.parts[s.part]
	since, count, ok := p.table.Take(s.place, s.short)
	if !ok {
		return Sample[T]{}, false
	}
	x := Sample[T]{Delay: now - since, Survived: p.count - count, Part: int(s.part)}
	if f.pairing == Seen {
		x.Survived = f.all - count
	}
	if late(x.Delay) {
		f.stats.Backward++
		return Sample[T]{}, false
	}
	if x.Factor = p.scale * p.powers.at(x.Survived); x.Factor > math.MaxFloat64 {
		f.stats.Overflowed++
		return Sample[T]{}, false
	}
	f.stats.Samples++
	return x, true
}

// expected returns the mean correction factor of a fridge for a delay in ticks: p^-1·exp(p·rate·delay/(M-1)). The mean
// is over x, the number of requests that enter within the delay. Requests arrive as a Poisson process with the given
// rate per tick. The result is also the mean of V̂ for one pair.
func (f *Fridge[T]) expected(part int, delay, rate float64) float64 {
	p := &f.parts[part]
	exponent := rate * delay / (p.scale * float64(len(p.table.entries)-1))
	if exponent > 600 { // no such sample survives
		exponent = 600
	}
	return p.scale * numeric.Exp(exponent)
}

// At returns expected for a rate of requests per tick, in the form that Tally.Expected needs.
func (f *Fridge[T]) At(rate float64) func(part int, delay float64) float64 {
	return func(part int, delay float64) float64 { return f.expected(part, delay, rate) }
}

// Stats returns the counters of f.
func (f *Fridge[T]) Stats() Stats { return f.stats }

// Parts returns the number of fridges.
func (f *Fridge[T]) Parts() int { return len(f.parts) }

// SizeBytes returns the memory of the entries: 12 bytes each with a 32-bit clock, as in a
// switch, 16 with a 64-bit clock.
func (f *Fridge[T]) SizeBytes() int {
	n := 0
	for k := range f.parts {
		n += f.parts[k].table.sizeBytes()
	}
	return n
}
