package sketch

import (
	"math"
	"strings"
	"testing"

	"pintlab/workloads/packets"
)

// sent is a source of packets: flow i sends times[i] packets of size bytes, one flow after the other.
type sent struct {
	times []int
	size  int
	flow  int
}

func (s *sent) Next(p *packets.Packet) bool {
	for s.flow < len(s.times) && s.times[s.flow] == 0 {
		s.flow++
	}
	if s.flow == len(s.times) {
		return false
	}
	s.times[s.flow]--
	*p = packets.Packet{Tuple: packets.MakeTuple(uint32(s.flow), 1, 2, 3, packets.TCP), Size: s.size}
	return true
}

func (*sent) Err() error { return nil }

func ask(t *testing.T, q Question, task string, of *sent) (*QueryAnswer, string) {
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
// says so. A flow of two bytes is exact.
func TestFullCounters(t *testing.T) {
	for kind, full := range map[Kind]uint64{CM: math.MaxUint32, CU: math.MaxUint32, TowerCM: math.MaxUint32,
		TowerCU: math.MaxUint32, SuMax: math.MaxUint32, Elastic: math.MaxInt32} {
		q := Question{Sketch: kind, Memory: 100_000, Threshold: 1, Bytes: true, Seed: 1}
		a, text := ask(t, q, TaskHitters, &sent{times: []int{3}, size: math.MaxInt32})
		if len(a.Hitters) != 1 || a.Hitters[0].Bytes != full || !a.Hitters[0].AtLeast ||
			!strings.Contains(text, "at least ") || !strings.Contains(text, "counters of 1 flow are full") {
			t.Errorf("%s: %+v\n%s", kind, a.Hitters, text)
		}
		if a, text = ask(t, q, TaskHitters, &sent{times: []int{1}, size: 2}); a.Hitters[0].AtLeast ||
			strings.Contains(text, "at least") {
			t.Errorf("%s: %+v\n%s", kind, a.Hitters, text)
		}
	}
}
