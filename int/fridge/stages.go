package fridge

import (
	"fmt"
	"math"
)

// StagesConfig describes a fridge in several stages.
type StagesConfig struct {
	Entries     int     // M, of all stages together
	Stages      int     // D, each with an equal part of the entries; with 1 it is a Fridge
	Probability float64 // p
	Seed        uint64
}

// validate reports every rule that c breaks.
func (c StagesConfig) validate() error {
	if err := checkStages("multi-stage fridge", c.Entries, c.Stages); err != nil {
		return err
	}
	if c.Entries/c.Stages < 2 {
		return fmt.Errorf("fridge: multi-stage fridge: entries = %d, want at least 2 for each of the %d stages",
			c.Entries, c.Stages)
	}
	if err := checkProbability(c.Probability); err != nil {
		return fmt.Errorf("fridge: multi-stage fridge: %w", err)
	}
	return nil
}

// Stages is a fridge in D pipeline stages (§4.1). A request enters the first stage. The request that it evicts moves to
// the next stage, and a request evicted from the last stage is lost. If a request is transmitted again while it waits,
// the new transmission replaces the old one, in any stage. The last stage has M/D entries. A sample that has survived x
// insertions there counts for p^-1·(1 - D/M)^-x. Earlier stages lose nothing, so a sample from them counts for p^-1.
//
// The estimate is unbiased, but several stages are not advisable: a request lives for M/p insertions on average for any
// D, but with more stages hardly any lives much longer (Eq. 4), so few samples have long delays.
//
// A Stages must be made by NewStages and is not safe for concurrent use.
type Stages[T Ticks] struct {
	table  Table[T]
	seeds  []uint64
	seed   uint64
	each   int    // entries of a stage
	upTo   uint64 // a request enters if its dice is below upTo
	count  uint32 // insertions into the last stage, modulo 2^32
	scale  float64
	powers *powers
	stats  Stats
}

// NewStages makes an empty fridge of several stages.
func NewStages[T Ticks](c StagesConfig) (*Stages[T], error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	upTo := threshold(c.Probability)
	each := c.Entries / c.Stages
	return &Stages[T]{
		table: NewTable[T](c.Entries), seeds: stageSeeds(c.Seed, c.Stages), seed: seedOf(c.Seed), each: each,
		upTo: upTo, scale: 1 / math.Ldexp(float64(upTo), -32), powers: newPowers(1 / float64(each)),
	}, nil
}

// Request records a request at time now. It reports whether the request entered.
func (s *Stages[T]) Request(id uint64, now T) bool {
	s.stats.Requests++
	word, short := identify(s.seed, id)
	if diceOf(word) >= s.upTo {
		return false
	}
	s.stats.Entered++
	moving := entry[T]{now, short, 0}
	last := len(s.seeds) - 1
	for d := range s.seeds {
		if _, _, again := s.table.Take(stagePlace(s.seeds, d, s.each, short), short); again {
			s.stats.Duplicates++
		}
		if moving.id == 0 {
			continue
		}
		if d == last {
			s.count++
			moving.count = s.count
		}
		e := &s.table.entries[stagePlace(s.seeds, d, s.each, moving.id)]
		moving, *e = *e, moving
	}
	if moving.id != 0 {
		s.stats.Evicted++
	}
	return true
}

// Response records a response at time now. It returns a sample if the request is still
// there.
func (s *Stages[T]) Response(id uint64, now T) (Sample[T], bool) {
	s.stats.Responses++
	word, short := identify(s.seed, id)
	if diceOf(word) >= s.upTo {
		return Sample[T]{}, false
	}
	for d := range s.seeds {
		since, count, ok := s.table.Take(stagePlace(s.seeds, d, s.each, short), short)
		if !ok {
			continue
		}
		out := Sample[T]{Delay: now - since, Factor: s.scale}
		if late(out.Delay) {
			s.stats.Backward++
			return Sample[T]{}, false
		}
		if d == len(s.seeds)-1 {
			out.Survived = s.count - count
			if out.Factor *= s.powers.at(out.Survived); out.Factor > math.MaxFloat64 {
				s.stats.Overflowed++
				return Sample[T]{}, false
			}
		}
		s.stats.Samples++
		return out, true
	}
	return Sample[T]{}, false
}

// Stats returns the counters of s.
func (s *Stages[T]) Stats() Stats { return s.stats }

// Parts returns 1.
func (s *Stages[T]) Parts() int { return 1 }

// SizeBytes returns the memory of the entries.
func (s *Stages[T]) SizeBytes() int { return s.table.sizeBytes() }
