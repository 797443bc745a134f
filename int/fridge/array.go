package fridge

import (
	"fmt"

	"pintlab/internal/hash"
	"pintlab/internal/rules"
)

// maxStages is the largest number of stages of an Array or of Stages.
const maxStages = 1 << 16

// ArrayConfig describes an Array.
type ArrayConfig struct {
	Entries int // entries of all stages together
	Stages  int // D; each stage has an equal part of the entries
	// Threshold is the age, in ticks, above which a request may be replaced. With 0, requests are always replaced, as
	// in the algorithm of §2.1.
	Threshold uint64
	Seed      uint64
}

// Validate reports every rule that c breaks.
func (c ArrayConfig) Validate() error { return checkStages("expiring array", c.Entries, c.Stages) }

func checkStages(what string, entries, stages int) error {
	var errs rules.Broken
	errs.If(stages < 1 || stages > maxStages, "stages = %d, want 1 to %d", stages, maxStages)
	if entries < 2 || entries > MaxEntries {
		errs = append(errs, fmt.Errorf("entries = %d, want 2 to %d", entries, MaxEntries))
	} else if len(errs) == 0 && entries%stages != 0 {
		errs = append(errs, fmt.Errorf("entries = %d, want a multiple of the %d stages", entries, stages))
	}
	return errs.Err("fridge: " + what)
}

// Array is the baseline: a hash-indexed array whose requests expire (Chen et al., "Measuring TCP Round-Trip Time in the
// Data Plane", SPIN 2020, as §1, §2.2 and §4.1 of the fridges paper describe it). A request takes the first of its D
// places, one in each stage, that is empty or holds a request older than the threshold. If there is none, the request
// is dropped. If a request is transmitted again while it waits, the new transmission replaces the old one, in any
// stage. Every sample counts for one pair. A stale request is removed only when another needs its place, so its
// response may still give a sample.
//
// An Array must be made by NewArray and is not safe for concurrent use.
type Array[T Ticks] struct {
	table     Table[T]
	seeds     []uint64 // seeds of each stage
	seed      uint64
	each      int // entries of a stage
	threshold T
	stats     Stats
}

// NewArray makes an empty array.
func NewArray[T Ticks](c ArrayConfig) (*Array[T], error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if late(T(c.Threshold)) || uint64(T(c.Threshold)) != c.Threshold {
		return nil, fmt.Errorf("fridge: expiring array: threshold = %d ticks, want less than half of the clock's range",
			c.Threshold)
	}
	a := &Array[T]{
		table: NewTable[T](c.Entries), seeds: stageSeeds(c.Seed, c.Stages), seed: seedOf(c.Seed),
		each: c.Entries / c.Stages, threshold: T(c.Threshold),
	}
	return a, nil
}

// stageSeeds returns seeds of independent hash functions of short identifiers.
func stageSeeds(seed uint64, stages int) []uint64 {
	s := make([]uint64, stages)
	for d := range s {
		s[d] = hash.Combine(seedOf(seed), uint64(d)+1)
	}
	return s
}

// stagePlace returns the place of a request in a stage, as an index into all stages.
func stagePlace(seeds []uint64, stage, each int, short uint32) uint32 {
	return uint32(stage*each) + placeOf(hash.Combine(seeds[stage], uint64(short)), each)
}

// Request records a request at time now. It reports whether there was a place for it.
func (a *Array[T]) Request(id uint64, now T) bool {
	a.stats.Requests++
	_, short := identify(a.seed, id)
	entered := false
	for d := range a.seeds {
		place := stagePlace(a.seeds, d, a.each, short)
		e := &a.table.entries[place]
		age := now - e.time
		same, stale := e.id == short, a.threshold == 0 || age > a.threshold && !late(age)
		if same {
			a.stats.Duplicates++
			e.id = 0
		}
		if entered || e.id != 0 && !stale {
			continue
		}
		if e.id != 0 {
			a.stats.Evicted++
		}
		entered = true
		a.stats.Entered++
		a.table.Insert(place, short, now, 0)
	}
	return entered
}

// Response records a response at time now. It returns a sample if the request is still
// there.
func (a *Array[T]) Response(id uint64, now T) (Sample[T], bool) {
	a.stats.Responses++
	_, short := identify(a.seed, id)
	for d := range a.seeds {
		since, _, ok := a.table.Take(stagePlace(a.seeds, d, a.each, short), short)
		if !ok {
			continue
		}
		if late(now - since) {
			a.stats.Backward++
			return Sample[T]{}, false
		}
		a.stats.Samples++
		return Sample[T]{Delay: now - since, Factor: 1}, true
	}
	return Sample[T]{}, false
}

// Stats returns the counters of a.
func (a *Array[T]) Stats() Stats { return a.stats }

// Parts returns 1.
func (a *Array[T]) Parts() int { return 1 }

// SizeBytes returns the memory of the entries. The array needs no counters. With 32-bit fields, as in a switch, an
// entry takes 8 bytes; an entry of a fridge takes 12.
func (a *Array[T]) SizeBytes() int { return a.table.sizeBytes() }
