package sketch

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"pintlab/experiments/results/columns"
	"pintlab/int/sketch/mrac"
	"pintlab/int/sketch/rows"
	"pintlab/internal/hash"
	"pintlab/workloads/packets"
)

// The code below is a slow and simple version of the whole measurement. Counters are numbers in slices, tables are
// maps, and every task follows the definition in docs/telemetry.md. It shares only two things with the program: MRAC,
// and the places to which a key is hashed.

// plain is a sketch of counters.
type plain struct {
	seed         uint64
	cells        [][]uint64
	infinite     []uint64
	conservative bool
	tower        bool
}

func newPlain(k Kind, memory int, seed uint64) *plain {
	p := &plain{seed: rows.Seed(seed), conservative: k == TowerCU || k == CU || k == CUO, tower: true}
	bits := []int{2, 4, 8, 16, 32}
	width := func(b int) int { return 8 * memory / 5 / b }
	switch k {
	case CM, CU:
		p.tower, bits = false, []int{32, 32, 32}
		width = func(int) int { return memory / 12 }
	case CMO, CUO:
		width = func(int) int { return memory * 4 / 31 }
	}
	for _, b := range bits {
		p.cells = append(p.cells, make([]uint64, width(b)))
		p.infinite = append(p.infinite, 1<<b-1)
	}
	return p
}

// of returns the counters of a key.
func (p *plain) of(key uint64) (list []*uint64) {
	at, step := rows.Start(key, p.seed)
	for i, row := range p.cells {
		list = append(list, &row[rows.Index(at+uint64(i)*step, uint64(len(row)))])
	}
	return list
}

func (p *plain) estimate(key uint64) uint64 {
	least := uint64(math.MaxUint64)
	for i, c := range p.of(key) {
		if *c != p.infinite[i] {
			least = min(least, *c)
		}
	}
	return least
}

func (p *plain) insert(key uint64) {
	least := p.estimate(key)
	for i, c := range p.of(key) {
		if *c != p.infinite[i] && (!p.conservative || *c == least) {
			*c++
		}
	}
}

func (p *plain) cardinality() float64 {
	count := func(row []uint64) float64 {
		zero := 0.0
		for _, c := range row {
			if c == 0 {
				zero++
			}
		}
		return float64(len(row)) * math.Log(float64(len(row))/zero)
	}
	if p.tower {
		return count(p.cells[0])
	}
	return (count(p.cells[0]) + count(p.cells[1]) + count(p.cells[2])) / 3
}

func (p *plain) distribution() map[uint64]float64 {
	result := map[uint64]float64{}
	ends := []uint64{1, 2, 14, 254, 65534, math.MaxUint64}
	for i, row := range p.cells {
		for size, n := range epochs(row, p.infinite[i]) {
			if !p.tower {
				result[size] += n / 3
			} else if ends[i] <= size && size < ends[i+1] {
				result[size] = n
			}
		}
	}
	return result
}

// epochs runs MRAC itself. Package mrac compares MRAC with a slow version.
func epochs(row []uint64, infinite uint64) map[uint64]float64 {
	counters := make([]uint32, len(row))
	for i, c := range row {
		counters[i] = uint32(c)
	}
	flows := map[uint64]float64{}
	for _, p := range mrac.Estimate(counters, infinite, 20) {
		flows[p.Size] = p.Flows
	}
	return flows
}

// plainElastic is ElasticSketch. Each of its buckets is a list of at most seven flows.
type plainElastic struct {
	seed    uint64
	buckets [][]*resident
	guards  []uint64
	light   []uint64
}

type resident struct {
	flow    uint32
	n       uint64
	flagged bool
}

func newPlainElastic(memory, share int, seed uint64) *plainElastic {
	n := memory / share / 64
	return &plainElastic{rows.Seed(seed), make([][]*resident, n), make([]uint64, n), make([]uint64, memory-64*n)}
}

func (p *plainElastic) place(key uint64) (bucket uint64, flow uint32) {
	h := hash.Mix64(key ^ p.seed)
	return rows.Index(h, uint64(len(p.buckets))), uint32(h)
}

func (p *plainElastic) lightOf(bucket uint64, flow uint32) *uint64 {
	return &p.light[rows.Index(hash.Mix64(bucket<<32|uint64(flow)), uint64(len(p.light)))]
}

func (p *plainElastic) find(bucket uint64, flow uint32) *resident {
	for _, r := range p.buckets[bucket] {
		if r.flow == flow {
			return r
		}
	}
	return nil
}

func (p *plainElastic) insert(key uint64) {
	b, flow := p.place(key)
	if r := p.find(b, flow); r != nil {
		r.n++
		return
	}
	if len(p.buckets[b]) < 7 {
		p.buckets[b] = append(p.buckets[b], &resident{flow: flow, n: 1})
		return
	}
	p.guards[b]++
	least := slices.MinFunc(p.buckets[b], func(x, y *resident) int { return cmp.Compare(x.n, y.n) })
	if p.guards[b] <= 8*least.n {
		c := p.lightOf(b, flow)
		*c = min(*c+1, 255)
		return
	}
	c := p.lightOf(b, least.flow)
	if least.flagged {
		*c = min(*c+least.n, 255)
	} else {
		*c = max(*c, min(least.n, 255))
	}
	*least = resident{flow, 1, true}
	p.guards[b] = 0
}

func (p *plainElastic) size(bucket uint64, r *resident) uint64 {
	if r.flagged {
		return r.n + *p.lightOf(bucket, r.flow)
	}
	return r.n
}

func (p *plainElastic) estimate(key uint64) uint64 {
	b, flow := p.place(key)
	if r := p.find(b, flow); r != nil {
		return p.size(b, r)
	}
	return *p.lightOf(b, flow)
}

func (p *plainElastic) heavy(key uint64) bool {
	b, flow := p.place(key)
	return p.find(b, flow) != nil
}

// whole counts each counter of the light part as a flow. It corrects this for the flows of the heavy part.
func (p *plainElastic) whole(flows map[uint64]float64) map[uint64]float64 {
	for b, list := range p.buckets {
		for _, r := range list {
			if light := p.size(uint64(b), r) - r.n; light > 0 {
				flows[light]--
			}
			flows[p.size(uint64(b), r)]++
		}
	}
	return flows
}

func (p *plainElastic) entropy() float64 {
	flows := map[uint64]float64{}
	for _, c := range p.light {
		if c > 0 {
			flows[c]++
		}
	}
	return entropyOf(p.whole(flows))
}

func (p *plainElastic) distribution() map[uint64]float64 { return p.whole(epochs(p.light, 0)) }

func (p *plainElastic) cardinality() float64 {
	zero, more := 0.0, 0.0
	for _, c := range p.light {
		if c == 0 {
			zero++
		}
	}
	for b, list := range p.buckets {
		for _, r := range list {
			if p.size(uint64(b), r) == r.n {
				more++
			}
		}
	}
	return float64(len(p.light))*math.Log(float64(len(p.light))/zero) + more
}

func entropyOf(flows map[uint64]float64) float64 {
	packets, sum := 0.0, 0.0
	for size, n := range flows {
		packets += n * float64(size)
	}
	for size, n := range flows {
		sum -= n * float64(size) / packets * math.Log2(float64(size)/packets)
	}
	return sum
}

// expect returns the Result of a sketch that has seen two windows.
func expect(k Kind, memory int, seed, hitter, change uint64, windows [2][]uint64) Accuracy {
	type sketch interface {
		insert(uint64)
		estimate(uint64) uint64
	}
	made := func(w int) sketch {
		if k == Elastic {
			return newPlainElastic(memory, 4, windowSeed(seed, w))
		}
		return newPlain(k, memory, windowSeed(seed, w))
	}
	sketches := [2]sketch{made(0), made(1)}
	truth := [2]map[uint64]uint64{{}, {}}
	hitters, candidates := map[uint64]uint64{}, map[uint64]bool{}
	online := 0.0
	term := func(n uint64) float64 {
		if n == 0 {
			return 0
		}
		return float64(n) * math.Log2(float64(n))
	}
	for w, keys := range windows {
		for _, key := range keys {
			before := sketches[w].estimate(key)
			sketches[w].insert(key)
			after := sketches[w].estimate(key)
			truth[w][key]++
			if k != Elastic && w == 0 {
				online += term(after) - term(before)
				if after >= hitter {
					hitters[key] = after
				}
			}
			if k != Elastic && after >= change {
				candidates[key] = true
			}
		}
	}
	n := float64(len(windows[0]))
	sizes, flows := map[uint64]float64{}, float64(len(truth[0]))
	for _, size := range truth[0] {
		sizes[size]++
	}
	var entropyEstimate, cardinality float64
	var distribution map[uint64]float64
	if k == Elastic {
		for w, s := range sketches {
			for key := range truth[w] {
				if s.(*plainElastic).heavy(key) {
					if size := s.estimate(key); w == 0 && size >= hitter {
						hitters[key] = size
					}
				}
				for _, x := range sketches {
					if x.(*plainElastic).heavy(key) && x.estimate(key) >= change {
						candidates[key] = true
					}
				}
			}
		}
		other := newPlainElastic(memory, 16, seed)
		for _, key := range windows[0] {
			other.insert(key)
		}
		entropyEstimate = sketches[0].(*plainElastic).entropy()
		cardinality, distribution = other.cardinality(), other.distribution()
	} else {
		p := sketches[0].(*plain)
		entropyEstimate, cardinality, distribution = math.Log2(n)-online/n, p.cardinality(), p.distribution()
	}
	var are, aae, hitterARE, real, hits float64
	for key, size := range truth[0] {
		e := math.Abs(float64(sketches[0].estimate(key)) - float64(size))
		aae += e / flows
		are += e / float64(size) / flows
		if size < hitter {
			continue
		}
		real++
		if est, ok := hitters[key]; ok {
			hits++
			hitterARE += math.Abs(float64(est)-float64(size)) / float64(size)
		}
	}
	number := func(x float64) columns.Number { return columns.Number(x) }
	r := Accuracy{Sketch: k, Memory: memory, Seed: seed, Values: Values{ARE: number(are), AAE: number(aae),
		HitterF1: number(2 * hits / (float64(len(hitters)) + real)), HitterARE: number(hitterARE / hits)}}
	changed := func(x, y uint64) bool { return x >= y+change || y >= x+change }
	reported, hits, real := 0.0, 0.0, 0.0
	union := map[uint64]bool{}
	for _, t := range truth {
		for key := range t {
			union[key] = true
		}
	}
	for key := range union {
		is := changed(truth[0][key], truth[1][key])
		if is {
			real++
		}
		if candidates[key] && changed(sketches[0].estimate(key), sketches[1].estimate(key)) {
			reported++
			if is {
				hits++
			}
		}
	}
	r.ChangeF1 = number(2 * hits / (reported + real))
	r.Cardinality = number(math.Abs(cardinality-flows) / flows)
	h := entropyOf(sizes)
	r.Entropy = number(math.Abs(entropyEstimate-h) / h)
	difference, sum := 0.0, 0.0
	for size, n := range distribution {
		difference += math.Abs(n - sizes[size])
		sum += n
	}
	for size, n := range sizes {
		sum += n
		if _, ok := distribution[size]; !ok {
			difference += n
		}
	}
	r.Distribution = number(difference / (sum / 2))
	return r
}

// Every number of every sketch of the paper equals the number of the slow version. Memory is so small that counters
// collide and overflow, flows are evicted, and every task has errors.
func TestAgainstTheSlowVersion(t *testing.T) {
	const hitter, change, seed = 60, 30, 5
	s := trace(t, 6_000, 900)
	var windows [2][]uint64
	var sources [2]packets.Source
	for w := range windows {
		for range 2 {
			source, err := s.Window(w)
			if err != nil {
				t.Fatal(err)
			}
			sources[w] = source
			if windows[w] == nil {
				var p packets.Packet
				for source.Next(&p) {
					windows[w] = append(windows[w], p.Tuple.Key())
				}
			}
		}
	}
	memories := []int{1_500, 4_000}
	c := AccuracyConfig{Sketches: SketchINT(), Memories: memories, Seeds: []uint64{seed}, Hitter: hitter,
		Change: change, Table: 1024, Workers: 2}
	got, err := c.Measure(t.Context(), sources[0], sources[1])
	if err != nil {
		t.Fatal(err)
	}
	for i, g := range got.Results {
		k, memory := SketchINT()[i/2], memories[i%2]
		w := expect(k, memory, seed, hitter, change, windows)
		for _, task := range Tasks() {
			x, y := float64(*task.of(&g.Values)), float64(*task.of(&w.Values))
			if math.Abs(x-y) > 1e-9*(1+y) {
				t.Errorf("%s, %d B: %s = %v, want %v", k, memory, task.Name, x, y)
			}
		}
	}
}

// No two windows of any seeds share a sketch.
func TestWindowSeeds(t *testing.T) {
	seen := map[uint64]bool{}
	for seed := range uint64(1000) {
		for window := range 2 {
			s := windowSeed(seed, window)
			if seen[s] {
				t.Errorf("window %d of seed %d has the sketch of another one", window, seed)
			}
			seen[s] = true
		}
	}
}
