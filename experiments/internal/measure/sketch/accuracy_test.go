package sketch

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pintlab/experiments/protocols"
	"pintlab/experiments/results/columns"
	"pintlab/int/sketch"
	"pintlab/int/sketch/mrac"
	"pintlab/internal/errtest"
	"pintlab/netsim/unit"
	"pintlab/workloads/packets"
)

// standard returns all sketches.
func standard() []Kind { return Names(protocols.Standard().Sketches) }

func trace(t testing.TB, n, flows int) packets.Skewed {
	t.Helper()
	s := packets.DefaultSkewed()
	s.Packets, s.Flows, s.Seed, s.Duration = n, flows, 1, unit.Second
	return s
}

func run(t testing.TB, c AccuracyConfig, s packets.Skewed) []Accuracy {
	t.Helper()
	first, err := s.Window(0)
	if err != nil {
		t.Fatal(err)
	}
	second, err := s.Window(1)
	if err != nil {
		t.Fatal(err)
	}
	m, err := c.Measure(t.Context(), first, second)
	if err != nil {
		t.Fatal(err)
	}
	return m.Results
}

// If there is more memory than needed, there are no errors: the measurement itself adds none.
func TestNoErrorWithEnoughMemory(t *testing.T) {
	c := AccuracyConfig{Sketches: standard(), Memories: []int{3_000_000}, Seeds: []uint64{1}, Hitter: 100,
		Change: 50, Table: 1024, Workers: 2}
	for _, r := range run(t, c, trace(t, 20_000, 500)) {
		if r.ARE > 5e-3 || r.AAE > 0.1 || r.HitterF1 < 0.995 || r.HitterARE > 1e-3 || r.ChangeF1 < 0.99 ||
			r.Entropy > 1e-3 || r.Cardinality > 2e-3 || r.Distribution > 0.02 || r.Dropped > 0 {
			t.Errorf("%+v", r)
		}
	}
}

// The numbers do not depend on the number of goroutines or on the other sketches that are measured.
func TestSameNumbers(t *testing.T) {
	s := trace(t, 30_000, 3_000)
	c := AccuracyConfig{Sketches: SketchINT(), Memories: []int{4_000, 12_000}, Seeds: []uint64{1, 2}, Hitter: 100,
		Change: 50, Table: 1024, Workers: 1}
	want := run(t, c, s)
	c.Workers = 4
	nan := cmp.Comparer(func(a, b columns.Number) bool { return a == b || a != a && b != b })
	if diff := cmp.Diff(want, run(t, c, s), nan); diff != "" {
		t.Errorf("(-one goroutine +four):\n%s", diff)
	}
	alone := AccuracyConfig{Sketches: []Kind{Elastic}, Memories: []int{12_000}, Seeds: []uint64{2}, Hitter: 100,
		Change: 50, Table: 1024, Workers: 1}
	if diff := cmp.Diff(want[len(want)-1:], run(t, alone, s), nan); diff != "" {
		t.Errorf("(-with others +alone):\n%s", diff)
	}
}

// The sketches have the same order as in the paper. The memory is as small for this trace as 900 KB for the paper's
// trace.
func TestOrder(t *testing.T) {
	c := AccuracyConfig{Sketches: standard(), Memories: []int{40_000}, Seeds: []uint64{1, 2, 3}, Hitter: 200,
		Change: 100, Table: 1024, Workers: 2}
	rows, err := Rows(run(t, c, trace(t, 100_000, 7_500)))
	if err != nil {
		t.Fatal(err)
	}
	are := map[Kind]float64{}
	for i, k := range standard() { // the first rows are about the ARE
		are[k] = rows[i].Value
	}
	if !(are[TowerCU] < are[TowerCM] && are[TowerCM] < are[Elastic] && are[Elastic] < are[CU] && are[CU] < are[CM]) {
		t.Errorf("%v", are)
	}
	if !(are[TowerCM] < are[CMO] && are[CMO] < are[CM] && are[TowerCU] < are[CUO] && are[CUO] < are[CU]) {
		t.Errorf("%v", are)
	}
	if !(are[CU] < are[SuMax] && are[SuMax] < are[CM]) { // LightGuardian, §4.3
		t.Errorf("%v", are)
	}
}

// sizesOnly hides all answers of a sketch except the sizes of flows.
type sizesOnly struct{ shared }

// A sketch that cannot count flows has NaN for their number in the results, and a query returns an error.
func TestNoAnswer(t *testing.T) {
	c := Paper()
	u, err := newTrial(&c, TowerCU, 10_000, 1)
	if err != nil {
		t.Fatal(err)
	}
	exact := &truth{}
	for _, k := range []uint64{1, 2, 2} {
		exact.windows[0].Insert(k, 1)
	}
	exact.settle(c.Change)
	u.insert(0, []insertion{{1, 1}, {2, 1}, {2, 1}})
	all := u.result(exact, false)
	u.sizes = sizesOnly{u.sizes.(shared)}
	r := u.result(exact, false)
	none := func(n columns.Number) bool { return math.IsNaN(float64(n)) }
	if !none(r.Cardinality) || !none(r.Distribution) || none(all.Cardinality) || none(all.Distribution) {
		t.Errorf("%+v, with all interfaces %+v", r, all)
	}
	r.Cardinality, r.Distribution = all.Cardinality, all.Distribution
	if fmt.Sprint(r) != fmt.Sprint(all) {
		t.Errorf("%+v, want %+v", r, all)
	}
	for task, of := range map[string]string{
		TaskCardinality: "number", TaskDistribution: "sizes", TaskEntropy: "sizes",
	} {
		q := Question{Sketch: TowerCU, task: task}
		if err := q.answers(u.sizes); !errtest.Says(err, "tower-cu: no answer for the "+of+" of flows") {
			t.Error(err)
		}
	}
}

func TestWMRE(t *testing.T) {
	got := wmre(map[uint64]float64{1: 6, 2: 4},
		[]mrac.Point{{Size: 1, Flows: 5}, {Size: 2, Flows: 2}, {Size: 7, Flows: 4}})
	if want := 7 / 10.5; math.Abs(got-want) > 1e-12 {
		t.Errorf("%v, want %v", got, want)
	}
	if got := f1(3, 4, 5); math.Abs(float64(got)-6.0/9) > 1e-12 {
		t.Error(got)
	}
}

func TestErrors(t *testing.T) {
	w, _ := trace(t, 10, 5).Window(0)
	c := AccuracyConfig{Sketches: []Kind{CM}, Memories: []int{5}, Seeds: []uint64{1}, Hitter: 1, Change: 1, Table: 1}
	if _, err := c.Measure(t.Context(), w, nil); !errtest.Says(err, "cm with 5B: want at least 12B") {
		t.Error(err)
	}
	c.Memories = []int{5000}
	empty, err := packets.NewReader(strings.NewReader(""), "empty.dat")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Measure(t.Context(), empty, nil); !errtest.Says(err, "the trace has no packets") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Measure(ctx, w, nil); err != context.Canceled {
		t.Error(err)
	}
	if err := Check(nil, TowerCM, "countmin"); !errtest.Says(err,
		`no sketch "countmin" (sketches: tower-cm, tower-cu, cm, cu, cm-o, cu-o, elastic, sumax, fermat)`) {
		t.Error(err)
	}
}

// oversized is a sketch that takes ten times its memory.
type oversized struct{ memory int }

func (oversized) Insert(_, _ uint64) {}
func (o oversized) Memory() int      { return 10 * o.memory }

// Errors about the sketch of another module name it. A sketch that takes more than its memory is not compared.
func TestErrorsOfOwnSketches(t *testing.T) {
	w, _ := trace(t, 10, 5).Window(0)
	c := AccuracyConfig{
		Sketches: []Kind{"mine"}, Memories: []int{5000}, Seeds: []uint64{1}, Hitter: 1, Change: 1, Table: 1,
	}
	for want, made := range map[string]func(sketch.Config) (sketch.Sketch, error){
		"mine: the new sketch takes 50000 B, want 1 to 5000": func(c sketch.Config) (sketch.Sketch, error) {
			return oversized{c.Memory}, nil
		},
		"mine: function New returns no sketch": func(sketch.Config) (sketch.Sketch, error) {
			return nil, nil
		},
		"mine: no room": func(sketch.Config) (sketch.Sketch, error) { return nil, errors.New("no room") },
	} {
		c.Known = []sketch.Kind{{Name: "mine", New: made}}
		if _, err := c.Measure(t.Context(), w, nil); !errtest.Says(err, want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// If a trace is divided in half and the sketches are merged, they answer like a sketch of the whole trace.
func TestAsk(t *testing.T) {
	s := trace(t, 30_000, 3_000)
	q := Question{Sketch: TowerCM, Memory: 100_000, Seed: 1, Threshold: 100}
	open := func() *packets.SkewedSource {
		w, err := s.Window(0)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	whole, err := q.observeAll(t.Context(), []packets.Source{open()}, false)
	if err != nil {
		t.Fatal(err)
	}
	halves, err := q.observeAll(t.Context(), []packets.Source{&every{open(), 0}, &every{open(), 1}}, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := halves[0].merge(halves[1]); err != nil {
		t.Fatal(err)
	}
	a, b := whole[0], halves[0]
	if a.packets != 30_000 || b.packets != 30_000 {
		t.Error(a.packets, b.packets)
	}
	if x, y := a.hitters()[:5], b.hitters()[:5]; !slices.Equal(x, y) {
		t.Errorf("%v and, merged, %v", x, y)
	}
	u, _ := a.distribution()
	if v, err := b.distribution(); entropy(u) != entropy(v) || err != nil {
		t.Error(entropy(u), entropy(v), err)
	}
	x, _ := a.cardinality()
	if y, err := b.cardinality(); x != y || err != nil {
		t.Error(x, y, err)
	}
	q.Sketch = Elastic
	two, err := q.observeAll(t.Context(), []packets.Source{open(), open()}, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := two[0].merge(two[1]); err == nil ||
		!strings.Contains(err.Error(), "cannot be merged, so they answer queries about one trace only") {
		t.Error(err)
	}
}

// records is a source of packets in which flow i has sizes[i] packets of some bytes, one flow after the other.
type records struct {
	sizes []int
	bytes int
	flow  int
}

func (r *records) Next(p *packets.Packet) bool {
	for r.flow < len(r.sizes) && r.sizes[r.flow] == 0 {
		r.flow++
	}
	if r.flow == len(r.sizes) {
		return false
	}
	r.sizes[r.flow]--
	*p = packets.Packet{Tuple: packets.MakeTuple(uint32(r.flow+1), 9, 1, 2, packets.TCP), Size: r.bytes}
	return true
}

func (*records) Err() error { return nil }

// Flows that reach the threshold only in the sum of all traces are found, with their total size. Flows that are large
// enough only to be candidates are not found.
func TestMergedHitters(t *testing.T) {
	q := Question{Sketch: TowerCM, Memory: 100_000, Seed: 1, Threshold: 110}
	link := func() packets.Source {
		r := &records{bytes: 100}
		for i := range 60 {
			r.sizes = append(r.sizes, i+1)
		}
		return r
	}
	for _, links := range []int{1, 2, 3, 7} {
		var traces []packets.Source
		for range links {
			traces = append(traces, link())
		}
		seen, err := q.observeAll(t.Context(), traces, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range seen[1:] {
			if err := seen[0].merge(s); err != nil {
				t.Fatal(err)
			}
		}
		var got, want []uint64
		for _, h := range seen[0].hitters() {
			got = append(got, h.Packets)
		}
		for i := 60; i*links >= 110; i-- {
			want = append(want, uint64(i*links))
		}
		if !slices.Equal(got, want) || seen[0].full != 0 {
			t.Errorf("%d links: flows of %v packets, want %v", links, got, want)
		}
	}
}

// every is a source that contains every second packet of another source.
type every struct {
	packets.Source
	skip int
}

func (e *every) Next(p *packets.Packet) bool {
	for {
		if !e.Source.Next(p) {
			return false
		}
		e.skip ^= 1
		if e.skip == 1 {
			return true
		}
	}
}

func TestChanges(t *testing.T) {
	s := trace(t, 30_000, 3_000)
	first, _ := s.Window(0)
	second, _ := s.Window(1)
	q := Question{Sketch: TowerCU, Memory: 200_000, Seed: 1, Threshold: 100}
	seen, err := q.observeAll(t.Context(), []packets.Source{first, second}, true)
	if err != nil {
		t.Fatal(err)
	}
	list := seen[0].changesTo(seen[1])
	if len(list) == 0 {
		t.Fatal("no changes")
	}
	for _, c := range list {
		if max(c.Before, c.After)-min(c.Before, c.After) < 100 {
			t.Errorf("%+v", c)
		}
	}
}

// If there is more memory than needed, the times equal the times of an exact record, to the microsecond.
func TestArrivals(t *testing.T) {
	s := trace(t, 20_000, 500)
	w, _ := s.Window(0)
	type record struct {
		packets   uint64
		gap, last int64
	}
	truth := map[string]record{}
	var p packets.Packet
	for w.Next(&p) {
		r, now := truth[p.Tuple.String()], int64(p.Time/unit.Microsecond)
		if r.packets++; r.packets > 1 {
			r.gap = max(r.gap, now-r.last)
		}
		r.last = now
		truth[p.Tuple.String()] = r
	}
	large := 0
	for _, r := range truth {
		if r.packets >= 100 {
			large++
		}
	}
	w, _ = s.Window(0)
	got, err := Question{Memory: 20_000_000, Seed: 1, Threshold: 100}.arrivals(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Arrivals) != large || large == 0 || got.Packets != 20_000 || got.TableFull != 0 {
		t.Fatalf("%d flows of %d packets, %d left out; want %d of 20000", len(got.Arrivals), got.Packets,
			got.TableFull, large)
	}
	for i, f := range got.Arrivals {
		want := truth[f.Flow]
		if x := (record{f.Packets, int64(f.Gap / unit.Microsecond), int64(f.Last / unit.Microsecond)}); x != want {
			t.Errorf("%s: %+v, want %+v", f.Flow, x, want)
		}
		if i > 0 && f.Gap > got.Arrivals[i-1].Gap {
			t.Errorf("%v after %v", f.Gap, got.Arrivals[i-1].Gap)
		}
	}
}

// A time of 2^32 − 1 µs is too long for a cell.
func TestArrivalsOfALongTrace(t *testing.T) {
	w, _ := trace(t, 10, 5).Window(0)
	_, err := Question{Memory: 5000, Threshold: 1}.arrivals(t.Context(), &late{w})
	if !errtest.Says(err, "packet 1 … 4294967.295ms … 4294967.295ms") {
		t.Error(err)
	}
}

// late is a source whose packets come after an hour and more.
type late struct{ packets.Source }

func (l *late) Next(p *packets.Packet) bool {
	more := l.Source.Next(p)
	p.Time = (1<<32 - 1) * unit.Microsecond
	return more
}

// timed contains packets of one flow at given times.
type timed struct{ at []unit.Time }

func (s *timed) Next(p *packets.Packet) bool {
	if len(s.at) == 0 {
		return false
	}
	*p = packets.Packet{Time: s.at[0], Tuple: packets.MakeTuple(1, 2, 3, 4, packets.UDP)}
	s.at = s.at[1:]
	return true
}

func (s *timed) Err() error { return nil }

// Decreasing times are counted and do not cause a gap of 71 minutes. A trace without times has no gaps.
func TestArrivalsWithoutOrder(t *testing.T) {
	const ms = unit.Millisecond
	q := Question{Memory: 5000, Threshold: 1}
	a, err := q.arrivals(t.Context(), &timed{[]unit.Time{0, 5 * ms, 3 * ms, -ms, 9 * ms}})
	if err != nil || a.Falling != 2 || len(a.Arrivals) != 1 || a.Arrivals[0].Gap != 5*ms || a.Arrivals[0].Last != 9*ms {
		t.Errorf("%+v, %v", a, err)
	}
	for _, at := range [][]unit.Time{{0, 0, 0}, {0, -ms}} {
		if _, err := q.arrivals(t.Context(), &timed{at}); !errtest.Says(err,
			"no packet is later than … want a trace with times") {
			t.Errorf("%v: %v", at, err)
		}
	}
	if _, err := q.arrivals(t.Context(), &timed{[]unit.Time{0}}); err != nil {
		t.Error(err)
	}
}

// If bytes are counted, a sketch that is large enough knows the bytes of all flows. All packets of the trace have 512
// bytes.
func TestBytes(t *testing.T) {
	s := packets.DefaultSkewed()
	s.Packets, s.Flows, s.Seed = 2000, 100, 1
	c := Paper()
	c.Sketches, c.Memories, c.Seeds, c.Rows, c.Bytes = []Kind{CM, Elastic}, []int{100_000}, []uint64{1}, 2, true
	c.Hitter, c.Change = 20*512, 10*512
	first, err := s.Window(0)
	if err != nil {
		t.Fatal(err)
	}
	m, err := c.Measure(t.Context(), first, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range m.Results {
		if m.Packets != 2000 || r.ARE > 0.01 || r.HitterF1 != 1 || !math.IsNaN(float64(r.Distribution)) {
			t.Errorf("%d packets, %+v", m.Packets, r)
		}
	}
	if first, err = s.Window(0); err != nil {
		t.Fatal(err)
	}
	a, err := Question{Sketch: CM, Memory: 100_000, Threshold: 20 * 512, Bytes: true}.Answer(t.Context(), TaskHitters,
		[]packets.Source{first})
	if err != nil || len(a.Hitters) == 0 || a.Hitters[0].Bytes%512 != 0 || a.Hitters[0].Packets != 0 {
		t.Errorf("%+v, %v", a, err)
	}
}
