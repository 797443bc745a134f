package pint

import (
	"testing"

	"pintlab/int/sketch/spacesaving"
	"pintlab/pint/approx"
	"pintlab/pint/latency"
)

func frequentExperiment() FrequentExperiment {
	return FrequentExperiment{Bits: []int{4}, Packets: []int{200, 1000}, Counters: []int{4, 16}, Theta: 0.3, Delta: 0.1,
		Low: approx.LatencyLow, High: approx.LatencyHigh, Seeds: 3, Seed: 1}
}

func runFrequent(t *testing.T, e FrequentExperiment, s Queues) []FrequentPoint {
	t.Helper()
	traces := s.traces()
	points, err := e.Run(traces)
	if err != nil {
		t.Fatal(err)
	}
	return points
}

// The bound of Theorem 2 fails for at most a share Delta of the hops. With more packets and more counters, the
// estimates of the shares improve.
func TestTheorem2OnStreams(t *testing.T) {
	points := runFrequent(t, frequentExperiment(), stream())
	if len(points) != 4 {
		t.Fatalf("%d points, want 4", len(points))
	}
	for _, p := range points {
		g, err := latency.Theorem2(p.Packets, 5, p.Bits, p.Counters, 0.1)
		if err != nil {
			t.Fatal(err)
		}
		if p.Count+p.Missing != 40*5*3 || p.Frequent == 0 {
			t.Errorf("%+v: want %d hops, some with a frequent code", p, 40*5*3)
		}
		if p.Error > g.Total() || float64(p.Broken) > 0.1*float64(p.Count) {
			t.Errorf("%+v: error above %v, or broken at more than a tenth of the hops", p, g.Total())
		}
	}
	if few, many := points[0], points[1]; many.Error >= few.Error {
		t.Errorf("error %v after 200 packets, %v after 1000", few.Error, many.Error)
	}
	if small, large := points[1], points[3]; large.Error >= small.Error {
		t.Errorf("error %v with 4 counters, %v with 16", small.Error, large.Error)
	}
}

// On a path of one switch, every packet carries the code of this switch. If there is a counter for every code, the
// result is exact.
func TestFrequentIsExactWhereNothingIsLost(t *testing.T) {
	s := stream()
	s.Hops = 1
	e := frequentExperiment()
	e.Counters = []int{16}
	for _, p := range runFrequent(t, e, s) {
		if p.Error > 1e-9 || p.Found != p.Frequent || p.Broken != 0 || p.Missing != 0 {
			t.Errorf("%+v, want no error", p)
		}
	}
}

// A code without a packet is not frequent, however small the requested share.
func TestFrequentCodesHavePackets(t *testing.T) {
	e := frequentExperiment()
	e.Theta, e.Bits, e.Packets = 1e-300, []int{8}, []int{50}
	for _, p := range runFrequent(t, e, stream()) {
		if p.Frequent > 50*(p.Count+p.Missing) {
			t.Errorf("%+v: more frequent codes than 50 packets at each hop have", p)
		}
	}
}

// A hop without a packet counts as missing, and the study detects a violation of the theorem.
func TestFrequentNoticesWhatBreaks(t *testing.T) {
	e := frequentExperiment()
	e.Bits, e.Packets, e.Counters = []int{8}, []int{3}, []int{1}
	s := stream()
	s.Hops = 20
	if p := runFrequent(t, e, s)[0]; p.Missing < p.Count || p.Broken != 0 {
		t.Errorf("3 packets over 20 hops: %+v, want most hops missing and nothing broken", p)
	}
	traces := stream().traces()
	for tr := range traces {
		ids, lat, err := read(tr, 1000)
		if err != nil {
			t.Fatal(err)
		}
		code, err := approx.NewLatency(e.Low, e.High, 4, approx.Nearest)
		if err != nil {
			t.Fatal(err)
		}
		codes := make([][]uint16, len(lat))
		for h := range lat {
			for _, v := range lat[h] {
				codes[h] = append(codes[h], uint16(code.Encode(v, 0)))
			}
		}
		p := FrequentPoint{Bits: 4, Packets: 1000, Counters: 16}
		other, err := spacesaving.New(100, 1)
		if err != nil {
			t.Fatal(err)
		}
		for range ids {
			other.Add(15) // the code of 60 us, which hardly occurs
		}
		p.add(other, codes[0], 0.3, 0.05)
		if p.Broken != 1 || p.Error < 0.5 {
			t.Errorf("a summary of something else: %+v, want it to break", p)
		}
		break
	}
}
