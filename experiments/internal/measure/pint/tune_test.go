package pint

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"pintlab/netsim/topo"
	"pintlab/pint/coding"
	"pintlab/pint/trace"
)

// The search finds a known minimum with the accuracy of its last steps, also among numbers of instances.
func TestSearchFindsAMinimum(t *testing.T) {
	cost := func(_ context.Context, c coding.Config) (float64, error) {
		s := c.Schemes[0]
		x := math.Abs(s.Tau-0.7) + math.Abs(math.Log(s.XOR[0]/0.3))
		return x + math.Abs(float64(c.Instances-2)), nil
	}
	got, err := search(t.Context(), space{Budget: 16, Layers: 1, Typical: 20}, cost)
	if err != nil {
		t.Fatal(err)
	}
	s := got.Config.Schemes[0]
	if got.Config.Instances != 2 || got.Config.Bits != 8 || math.Abs(s.Tau-0.7) > 0.03 ||
		math.Abs(s.XOR[0]-0.3) > 0.03 {
		t.Errorf("found %d x %d bits, %v", got.Config.Instances, got.Config.Bits, s)
	}
	if got.Evaluations < 20 || got.Evaluations > 400 {
		t.Errorf("%d evaluations", got.Evaluations)
	}
}

// The lengths of paths are a list of words in the text.
func TestTunedText(t *testing.T) {
	a := TunedAnswer{Map: "m", Hops: []int{1, 3}, Bits: 8, Evaluations: 20}
	text, err := a.Text()
	if want := "m: paths of 1 and 3 switches, 8 bits on a packet; 20 encodings measured\n"; err != nil ||
		!strings.HasPrefix(text, want) {
		t.Errorf("%v, %q, want %q", err, text, want)
	}
}

// Tuning for the topology-aware decoder starts at the published encoding and moves towards an encoding in which fewer
// hops are XORed. The result is better, and it is the same in two runs. An encoding that cannot decode costs the limit.
func TestTune(t *testing.T) {
	m := ispMap(t, topo.USCarrierISP())
	s := PathStudy{Topology: "isp", Map: m, Lengths: []int{15}, Trials: Trials{Seed: 4, Runs: 10, Limit: 60},
		Curves: []PathCurve{{Label: "published", Method: TopologyAware,
			Code: trace.HashCode(1, 4, coding.Interleaved(0.5, 0.1))}}}
	published, err := s.Run(t.Context(), job(2))
	if err != nil {
		t.Fatal(err)
	}
	budget := space{Budget: 4, Layers: 1, Typical: 20}
	tuned, err := search(t.Context(), budget, s.cost(job(2), TopologyAware))
	if err != nil {
		t.Fatal(err)
	}
	if tuned.Packets > 0.95*published[0].Mean {
		t.Errorf("tuned: %v packets with %v; published: %v", tuned.Packets, tuned.Config.Schemes, published[0].Mean)
	}
	again, err := search(t.Context(), budget, s.cost(job(2), TopologyAware))
	if err != nil || again.Packets != tuned.Packets ||
		again.Config.Schemes[0].String() != tuned.Config.Schemes[0].String() {
		t.Errorf("again: %v, %+v instead of %+v", err, again, tuned)
	}
	s.Trials.Limit, s.Trials.Runs = 3, 2
	if never, err := search(t.Context(), space{Budget: 1, Layers: 1, Typical: 20},
		s.cost(job(2), allSwitches)); err != nil || never.Packets != 3 {
		t.Errorf("3 packets are not enough: cost %v, %v; want the limit", never.Packets, err)
	}
}

func TestTuneErrors(t *testing.T) {
	fail := errors.New("no measurement")
	bad := func(context.Context, coding.Config) (float64, error) { return 0, fail }
	if _, err := search(t.Context(), space{Budget: 8, Layers: 1, Typical: 10}, bad); !errors.Is(err, fail) {
		t.Errorf("a cost that fails: %v", err)
	}
}
