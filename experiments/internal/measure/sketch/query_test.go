package sketch

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pintlab/int/sketch"
	"pintlab/int/sketch/fermat"
	"pintlab/internal/errtest"
	"pintlab/workloads/packets"
)

func ask(t *testing.T, q Question, task string, of *records) (*QueryAnswer, string) {
	t.Helper()
	a, err := q.Answer(t.Context(), task, []packets.Source{of})
	if err != nil {
		t.Fatal(err)
	}
	text, err := a.Text(task, 10)
	if err != nil {
		t.Fatal(err)
	}
	return a, text
}

// Three packets of 2^31 − 1 bytes fill the counters of 31 and 32 bits. A full counter is a lower bound, and the answer
// marks its flow with "at least". A flow of two bytes is exact.
func TestFullCounters(t *testing.T) {
	for kind, full := range map[Kind]uint64{CM: math.MaxUint32, CU: math.MaxUint32, TowerCM: math.MaxUint32,
		TowerCU: math.MaxUint32, SuMax: math.MaxUint32, Elastic: math.MaxInt32} {
		q := Question{Sketch: kind, Memory: 100_000, Threshold: 1, Bytes: true, Seed: 1}
		a, text := ask(t, q, TaskHitters, &records{sizes: []int{3}, bytes: math.MaxInt32})
		if len(a.Hitters) != 1 || a.Hitters[0].Bytes != full || !a.Hitters[0].AtLeast ||
			!strings.Contains(text, "at least ") || !strings.Contains(text, "counters of 1 flow are full") {
			t.Errorf("%s: %+v\n%s", kind, a.Hitters, text)
		}
		if a, text = ask(t, q, TaskHitters, &records{sizes: []int{1}, bytes: 2}); a.Hitters[0].AtLeast ||
			strings.Contains(text, "at least") {
			t.Errorf("%s: %+v\n%s", kind, a.Hitters, text)
		}
	}
}

// 40 flows are too many for a FermatSketch with three arrays of eight buckets. Its sizes are then upper bounds, and a
// note reports this. It decodes one flow. A counter that has overflowed bounds nothing, which is an error.
func TestUndecoded(t *testing.T) {
	q := Question{Sketch: Fermat, Memory: 3 * 8 * 12, Threshold: 1, Seed: 1}
	many := make([]int, 40)
	for i := range many {
		many[i] = 5
	}
	const note = "the sketch could not be decoded, so sizes are upper bounds; choose a larger --memory\n"
	a, text := ask(t, q, TaskHitters, &records{sizes: many, bytes: 1})
	if !a.Undecoded || !strings.HasSuffix(text, note) || len(a.Hitters) != len(many) {
		t.Errorf("%d flows:\n%s", len(a.Hitters), text)
	}
	for _, h := range a.Hitters {
		if h.Packets < 5 || h.AtLeast {
			t.Errorf("%+v: no upper bound of 5", h)
		}
	}
	a, text = ask(t, q, TaskHitters, &records{sizes: []int{5}, bytes: 1})
	if a.Undecoded || strings.Contains(text, note) || len(a.Hitters) != 1 || a.Hitters[0].Packets != 5 {
		t.Errorf("%+v\n%s", a, text)
	}
	q.Bytes = true
	_, err := q.Answer(t.Context(), TaskHitters, []packets.Source{&records{sizes: []int{3}, bytes: math.MaxInt32}})
	if !errtest.Says(err, "fermat with 288B cannot be decoded, because a counter has overflowed: no size is known") {
		t.Error(err)
	}
}

// counted is a FermatSketch that counts how often its sizes are read.
type counted struct {
	*fermat.Sketch
	reads *int
}

func (c counted) Estimate(key uint64) (uint64, bool) {
	*c.reads++
	return c.Sketch.Estimate(key)
}

// A FermatSketch is read at the end only, because each reading decodes all of it. A flow below the threshold is not
// heavy. Sizes of flows cannot be asked, and no packet is read before the refusal.
func TestDecoderIsReadAtTheEnd(t *testing.T) {
	reads := 0
	q := Question{Sketch: "counted", Memory: 3 * 64 * 12, Threshold: 5, Seed: 1}
	q.Known = []sketch.Kind{{Name: "counted", New: func(c sketch.Config) (sketch.Sketch, error) {
		s, err := fermat.Within(c.Memory, c.Rows, c.Seed)
		return counted{s, &reads}, err
	}}}
	a, _ := ask(t, q, TaskHitters, &records{sizes: []int{500, 4, 5, 400}, bytes: 1})
	var sizes []uint64
	for _, h := range a.Hitters {
		sizes = append(sizes, h.Packets)
	}
	if !slices.Equal(sizes, []uint64{500, 400, 5}) || reads > 10 {
		t.Errorf("flows of %v packets after %d readings, want 500, 400, 5 after a few", sizes, reads)
	}
	for _, task := range []string{TaskDistribution, TaskEntropy} {
		s := &records{sizes: []int{7}, bytes: 1}
		_, err := Question{Sketch: Fermat, Memory: 1000}.Answer(t.Context(), task, []packets.Source{s})
		if !errtest.Says(err, "fermat: no answer for the sizes of flows") || s.sizes[0] != 7 {
			t.Errorf("%s: %v after %d packets", task, err, 7-s.sizes[0])
		}
	}
	q.Table = 5
	_, err := q.Answer(t.Context(), TaskHitters, []packets.Source{&records{}})
	if !errtest.Says(err, "--table has no effect on counted, which decodes all flows") {
		t.Error(err)
	}
}

func TestOneFlow(t *testing.T) {
	q := Question{Sketch: CM, Memory: 10_000}
	if _, text := ask(t, q, TaskCardinality, &records{sizes: []int{1}, bytes: 1}); text != "1 flow, 1 packet\n" {
		t.Error(text)
	}
}
