package sketch

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"pintlab/experiments/results/columns"
	"pintlab/int/sketch"
	"pintlab/int/sketch/tower"
	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/workloads/packets"
)

// SpeedConfig configures a measurement.
type SpeedConfig struct {
	Known  []sketch.Kind // list that contains the sketches; nil for the standard one
	Memory int           // bytes of a sketch
	Arrays int           // 5: counters of 2 to 32 bits; 3: counters of 8 to 32 bits
	Rows   int           // rows of CM, CU and SuMax; 0: as many as arrays
	Tuples bool          // keys are 5-tuples and not 4 bytes
	Rounds int           // each part of the stream is timed in every round, and the fastest round of the part counts
	Seed   uint64
}

// Validate returns an error if a field is out of range.
func (c SpeedConfig) Validate() error {
	if _, err := c.bits(); err != nil {
		return err
	}
	if c.Rounds < 1 {
		return fmt.Errorf("%d rounds, want at least 1", c.Rounds)
	}
	return nil
}

func (c SpeedConfig) bits() ([]int, error) {
	switch c.Arrays {
	case 5:
		return localBits(), nil
	case 3:
		return []int{8, 16, 32}, nil
	}
	return nil, fmt.Errorf("%s, want 3 or 5", number.Count(c.Arrays, "array"))
}

// Stream contains the keys of a trace in memory.
type Stream struct {
	Words  []uint32
	Tuples []packets.Tuple

	sizes map[uint32]int // sizes of flows, by key; set when they are first needed
	flows []uint32       // in ascending order
}

// Read reads at most limit packets.
func Read(s packets.Source, limit int) (*Stream, error) {
	t := &Stream{}
	var p packets.Packet
	for len(t.Words) < limit && s.Next(&p) {
		t.Words = append(t.Words, uint32(p.Tuple.Key()))
		t.Tuples = append(t.Tuples, p.Tuple)
	}
	if err := s.Err(); err != nil {
		return nil, err
	}
	if len(t.Words) == 0 {
		return nil, packets.ErrNone
	}
	return t, nil
}

// Speed is in millions of packets per second.
type Speed struct {
	Sketch Kind           `json:"sketch"`
	Insert float64        `json:"insert_mpps"`
	Query  columns.Number `json:"query_mpps"` // null if the sketch does not know the sizes of flows
}

// part is the number of packets that are timed together: about two milliseconds, less than a busy machine's time slice.
const part = 100_000

// best returns the rate in Mpps. For each part of the stream, it uses the fastest round.
func best(ctx context.Context, n, rounds int, f func(from, to int)) (float64, error) {
	fastest := slices.Repeat([]time.Duration{math.MaxInt64}, (n+part-1)/part)
	for range rounds {
		for i := range fastest {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
			from := i * part
			began := time.Now()
			f(from, min(from+part, n))
			fastest[i] = min(fastest[i], time.Since(began))
		}
	}
	sum := lists.Sum(fastest, func(d time.Duration) time.Duration { return d })
	return float64(n) / sum.Seconds() / 1e6, nil
}

func (c SpeedConfig) newSketch(kind Kind) (sketch.Sketch, error) {
	k, err := find(c.Known, kind)
	if err != nil {
		return nil, err
	}
	bits, err := c.bits()
	if err != nil {
		return nil, err
	}
	return empty(k, sketch.Config{Memory: c.Memory, Rows: cmp.Or(c.Rows, c.Arrays), Bits: bits, Seed: c.Seed})
}

func (c SpeedConfig) insert(s interface{ Insert(key, n uint64) }, t *Stream, from, to int) {
	if c.Tuples {
		for i := range t.Tuples[from:to] {
			s.Insert(t.Tuples[from+i].Key(), 1)
		}
		return
	}
	if s, ok := s.(interface{ InsertAll(keys []uint64) }); ok {
		var keys [batch]uint64
		for words := range slices.Chunk(t.Words[from:to], batch) {
			for i, k := range words {
				keys[i] = uint64(k)
			}
			s.InsertAll(keys[:len(words)])
		}
		return
	}
	for _, k := range t.Words[from:to] {
		s.Insert(uint64(k), 1)
	}
}

// batch is the number of packets in a batch. It is for sketches that insert batches.
const batch = 64

// query returns the sum of the estimates of a part of a stream.
func (c SpeedConfig) query(s sketch.Estimator, t *Stream, from, to int) (sum uint64) {
	if c.Tuples {
		for i := range t.Tuples[from:to] {
			n, _ := s.Estimate(t.Tuples[from+i].Key())
			sum += n
		}
		return sum
	}
	for _, k := range t.Words[from:to] {
		n, _ := s.Estimate(uint64(k))
		sum += n
	}
	return sum
}

// Run measures one sketch.
func (c SpeedConfig) Run(ctx context.Context, kind Kind, t *Stream) (Speed, error) {
	s, err := sized(kind, c.Memory, func(memory int) (sketch.Sketch, error) {
		c.Memory = memory
		return c.newSketch(kind)
	})
	if err != nil {
		return Speed{}, err
	}
	r := Speed{Sketch: kind}
	if r.Insert, err = best(ctx, len(t.Words), c.Rounds, func(from, to int) { c.insert(s, t, from, to) }); err != nil {
		return r, err
	}
	e, ok := s.(sketch.Estimator)
	if !ok {
		r.Query = columns.Number(math.NaN())
		return r, nil
	}
	var sum uint64
	query, err := best(ctx, len(t.Words), c.Rounds, func(from, to int) { sum += c.query(e, t, from, to) })
	runtime.KeepAlive(sum)
	r.Query = columns.Number(query)
	return r, err
}

// SharedSpeed contains the rate at which several goroutines insert into one sketch, and the error of the sketch.
type SharedSpeed struct {
	Sketch     Kind    `json:"sketch"`
	Locked     bool    `json:"locked"`
	Goroutines int     `json:"goroutines"`
	Insert     float64 `json:"insert_mpps"`
	ARE        float64 `json:"are"`
}

// shared measures Parallel without and with a lock, for both kinds of TowerSketch and for 1 to `most` goroutines. If
// most is 1, it measures nothing.
func (c SpeedConfig) shared(ctx context.Context, t *Stream, most int) (list []SharedSpeed, err error) {
	for _, locked := range []bool{false, true} {
		for _, k := range []Kind{TowerCM, TowerCU} {
			for g := 1; g <= most && most > 1; g++ {
				r := SharedSpeed{Sketch: k, Locked: locked, Goroutines: g}
				if r.Insert, r.ARE, err = c.Parallel(ctx, t, k == TowerCU, locked, g); err != nil {
					return nil, err
				}
				list = append(list, r)
			}
		}
	}
	return list, nil
}

// Parallel returns the rate at which several goroutines insert into one TowerSketch, and the average relative error
// afterwards. If locked is set, each insertion takes a lock. Otherwise, each goroutine has a tower.Writer. Keys have 4
// bytes. Whole passes are timed by wall-clock time.
func (c SpeedConfig) Parallel(
	ctx context.Context, t *Stream, conservative, locked bool, goroutines int,
) (insert, are float64, err error) {
	bits, err := c.bits()
	if err != nil {
		return 0, 0, err
	}
	shape, err := sized(TowerCM, c.Memory, func(memory int) (tower.Config, error) {
		shape := tower.EqualMemory(memory, bits...)
		return shape, shape.Validate()
	})
	if err != nil {
		return 0, 0, err
	}
	shape.Seed, shape.Conservative = c.Seed, conservative
	c.Tuples = false
	fastest := time.Duration(math.MaxInt64)
	for range c.Rounds {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		s, err := sharedSketch(shape, locked)
		if err != nil {
			return 0, 0, err
		}
		began := time.Now()
		share(len(t.Words), goroutines, func(from, to int) {
			if free, ok := s.(*tower.Atomic); ok {
				w := free.Writer()
				c.insert(w, t, from, to)
				w.Flush()
				return
			}
			c.insert(s, t, from, to)
		})
		fastest = min(fastest, time.Since(began))
		are = t.are(s.Estimate)
	}
	return float64(len(t.Words)) / fastest.Seconds() / 1e6, are, nil
}

// shared is a sketch that several goroutines use.
type shared interface {
	sketch.Sketch
	sketch.Estimator
}

// sharedSketch returns an empty sketch that several goroutines may use.
func sharedSketch(shape tower.Config, locked bool) (shared, error) {
	if !locked {
		return tower.NewAtomic(shape)
	}
	s, err := tower.New(shape)
	return &guarded{Sketch: s}, err
}

// guarded is a TowerSketch with a lock around each insertion.
type guarded struct {
	mu sync.Mutex
	*tower.Sketch
}

// Insert counts n packets of the flow.
func (g *guarded) Insert(key, n uint64) {
	g.mu.Lock()
	g.Sketch.Insert(key, n)
	g.mu.Unlock()
}

// share splits the range from 0 to n into equal parts, one for each goroutine.
func share(n, goroutines int, f func(from, to int)) {
	var wait sync.WaitGroup
	for g := range goroutines {
		wait.Go(func() { f(n*g/goroutines, n*(g+1)/goroutines) })
	}
	wait.Wait()
}

// are returns the average relative error over all flows.
func (t *Stream) are(estimate func(uint64) (uint64, bool)) float64 {
	if t.sizes == nil {
		t.sizes = map[uint32]int{}
		for _, k := range t.Words {
			t.sizes[k]++
		}
		t.flows = slices.Sorted(maps.Keys(t.sizes))
	}
	sum := 0.0
	for _, k := range t.flows {
		n, _ := estimate(uint64(k))
		size := float64(t.sizes[k])
		sum += math.Abs(float64(n)-size) / size
	}
	return sum / float64(len(t.flows))
}
