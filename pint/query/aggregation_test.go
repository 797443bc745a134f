package query

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pintlab/internal/hash"
	"pintlab/netsim/unit"
	"pintlab/pint/approx"
	"pintlab/pint/coding"
	"pintlab/pint/routechange"
)

// Packets of a flow alternate between two paths of the same length (§7). With a checksum next to the path digest, the
// paths can be distinguished, and both are decoded. Without the checksum the digests contradict each other.
func TestChecksumSeparatesConcurrentPaths(t *testing.T) {
	sum := Query{Name: "lane", Value: SwitchID, Aggregation: Checksum, Bits: 8}
	e := mustEncoder(t, Spec{
		Bits: 16, Hops: 5, HashBits: 16, Queries: []Query{PathQuery(8, 1, 1000), sum}}, Options{Seed: 4})
	values := make([]uint64, 80)
	for i := range values {
		values[i] = uint64(i)
	}
	paths := [][]uint64{{3, 17, 40, 9, 5}, {3, 18, 66, 9, 5}}
	fresh := func(hops int) (coding.Decoder, error) {
		return coding.NewDecoder(e.Coding(e.name(0)), hops, values)
	}
	separator, err := routechange.NewSeparator(e.Coding(e.name(0)), 4, fresh)
	if err != nil {
		t.Fatal(err)
	}
	mixed, err := fresh(5)
	if err != nil {
		t.Fatal(err)
	}
	var contradiction error
	r := hash.Stream(1, "test/lanes")
	for packet := range uint64(300) {
		digest := uint64(0)
		for i, id := range paths[r.IntN(2)] {
			digest = e.Encode(packet, i+1, digest, &Observation{SwitchID: id})
		}
		lane, ok, err := e.PerPacket(e.name(1), packet, digest, 5, 0)
		if err != nil || !ok {
			t.Fatalf("checksum of packet %d: %v, %v", packet, ok, err)
		}
		part, _ := e.Part(e.name(0), packet, digest)
		if err := separator.Add(packet, part, uint32(lane.Value), 5); err != nil {
			t.Fatal(err)
		}
		if contradiction == nil {
			contradiction = mixed.Add(packet, part)
		}
	}
	lanes := separator.Lanes()
	if len(lanes) != 2 {
		t.Fatalf("%d lanes, want 2", len(lanes))
	}
	for _, l := range lanes {
		var got []uint64
		for hop := 1; hop <= 5; hop++ {
			v, _ := l.Decoder.Value(hop)
			got = append(got, v)
		}
		if l.Mixed || !l.Decoder.Done() || !slices.Equal(got, paths[0]) && !slices.Equal(got, paths[1]) {
			t.Errorf("lane %#x, %d packets: path %v, mixed %v", l.Checksum, l.Packets, got, l.Mixed)
		}
	}
	if !errors.Is(contradiction, coding.ErrInconsistent) {
		t.Errorf("both paths in one decoder: %v, want a contradiction", contradiction)
	}
}

// The recorder separates packets by checksum if every packet with a query about flows has a checksum. The inference
// then lists the lanes of a flow. If some packets have no checksum, the plan has no lanes.
func TestLanes(t *testing.T) {
	spec := Combined()
	spec.AddLane(12)
	e := mustEncoder(t, spec, Options{Seed: 7})
	r := newRecorder(t, e, Memory{Total: unit.MB})
	paths := [][]uint64{{3, 17, 40, 9, 5}, {3, 18, 41, 9, 5}, {3, 17, 5}}
	for packet := range uint64(300) {
		path, digest := paths[packet%3], uint64(0)
		for i, id := range path {
			o := Observation{SwitchID: id, HopLatency: unit.Time(packet%3+1) * unit.Microsecond}
			digest = e.Encode(packet, i+1, digest, &o)
		}
		if got := e.Lane(packet, digest); got != e.LaneOf(path) {
			t.Fatalf("packet %d: lane %#x, want %#x", packet, got, e.LaneOf(path))
		}
		if err := r.Record(Packet{ID: packet, Hops: len(path), Flow: tuple(1)}, digest); err != nil {
			t.Fatal(err)
		}
	}
	n := NewInference(r)
	if ids := n.Lanes(n.r.e.name(0), tuple(1)); len(ids) != 3 || len(n.Lanes(n.r.e.name(0), tuple(2))) != 0 {
		t.Errorf("lanes %v, want 3", ids)
	}
	for i, path := range paths {
		id := FlowID{Flow: tuple(1), Hops: uint8(len(path)), Lane: e.LaneOf(path)}
		if d, err := n.Digests(n.r.e.name(0), id); err != nil || d.Len() != 100 {
			t.Errorf("path %d: %v, want 100 digests", i, err)
		}
		want := float64(unit.Time(i+1) * unit.Microsecond)
		if q, err := n.Quantile(n.r.e.name(1), id, 1, 0.99, 0.1); err != nil || math.Abs(q.Value/want-1) > 0.05 {
			t.Errorf("path %d: p99 %v, want %v, %v", i, q.Value, want, err)
		}
	}
	for frequency, want := range map[Fraction]int{Share(1, 1): 3, Share(1, 2): -1} {
		spec := Combined()
		spec.AddLane(8)
		spec.Queries[3].Frequency = frequency
		spec.Bits = 16 + 8*(want+1)/4
		if want < 0 {
			spec.Queries[0].Frequency = Share(1, 2)
		}
		p, err := Compile(spec)
		if err != nil || p.Lane() != want {
			t.Errorf("%v of packets with a checksum: %v, want %d", frequency, err, want)
		}
	}
}

// Extremes agree with their definition: in random plans of two queries, the digest at the end of the path is the
// extremum of the hops' codes, for any order of the hops.
func TestExtremesProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := Query{
			Name: "x", Bits: rapid.IntRange(2, 10).Draw(t, "bits"),
			Value: rapid.SampledFrom([]Value{
				HopLatency, QueueOccupancy, Load, TxUtilization}).Draw(t, "value"),
			Aggregation: rapid.SampledFrom([]Aggregation{Max, Min}).Draw(t, "aggregation"),
		}
		if q.Value != TxUtilization {
			q.Rounding = rapid.SampledFrom([]approx.Rounding{
				approx.Nearest, approx.UnbiasedLog, approx.UnbiasedValue}).Draw(t, "rounding")
		}
		if rapid.Bool().Draw(t, "named") {
			q.With, q.WithBits = SwitchID, rapid.IntRange(1, q.Bits-1).Draw(t, "name bits")
		}
		p, err := Compile(Spec{Bits: 12, Hops: 9, HashBits: 16, Queries: []Query{q}})
		if err != nil {
			t.Fatal(err)
		}
		e, err := NewEncoder(p, Options{})
		if err != nil {
			t.Fatal(err)
		}
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		packet := rapid.Uint64().Draw(t, "packet")
		n := rapid.IntRange(1, 9).Draw(t, "hops")
		hops := make([]Observation, n)
		var want uint64
		for i := range hops {
			hops[i] = observe(rnd, rnd.Uint64N(100))
			x := &e.ops[0]
			c := uint64(x.code.Encode(hops[i].number(q.Value), x.word(packet, 0)))<<q.WithBits |
				hops[i].SwitchID&(1<<q.WithBits-1)
			if i == 0 || (c > want) == (q.Aggregation == Max) && c != want {
				want = c
			}
		}
		if got := walk(e, packet, hops); got != want {
			t.Fatalf("digest %#x, want %#x", got, want)
		}
		rnd.Shuffle(n, func(i, j int) { hops[i], hops[j] = hops[j], hops[i] })
		if got := walk(e, packet, hops); got != want {
			t.Fatalf("digest %#x in another order, want %#x", got, want)
		}
	})
}

// The queries return the last and the first ingress timestamp of a path, also across a wrap of the clock.
func TestTimestamps(t *testing.T) {
	for _, a := range []Aggregation{Max, Min} {
		q := Query{Name: "t", Value: IngressTime, Aggregation: a, Bits: 16,
			Step: float64(64 * unit.Nanosecond), With: EgressPort, WithBits: 4}
		e := mustEncoder(t, Spec{Bits: 16, Hops: 5, HashBits: 16, Queries: []Query{q}}, Options{})
		period := e.Plan().Codes[0].Period()
		if period != 4096*64*unit.Nanosecond {
			t.Fatalf("stamps repeat after %v", period)
		}
		rnd := hash.Stream(2, "stamps")
		for p := range uint64(2000) {
			start := unit.Time(rnd.Int64N(int64(10 * period)))
			var hops []Observation
			for h := range 5 {
				hops = append(hops, Observation{
					IngressTime: start + unit.Time(h)*10*unit.Microsecond, EgressPort: uint32(h + 1)})
			}
			now := start + 55*unit.Microsecond
			want, port := hops[4].IngressTime, uint64(5)
			if a == Min {
				want, port = start, 1
			}
			got, ok, err := e.PerPacket(e.name(0), p, walk(e, p, hops), 5, now)
			if err != nil || !ok || got.Name != port || got.Time > want || want-got.Time >= 64*unit.Nanosecond {
				t.Fatalf("%v: %+v, %v, %v; want %v at port %d", a, got, ok, err, want, port)
			}
		}
	}
}

// Sums and products are unbiased: with n packets the mean estimate is within 4.5 standard errors of the truth (false
// alarm 1e-5 each).
func TestSumsAndProductsAreUnbiased(t *testing.T) {
	queries := []Query{
		{Name: "latency", Value: HopLatency, Aggregation: Sum, Bits: 8},
		{Name: "bytes", Value: QueueOccupancy, Aggregation: Sum, Bits: 6, Low: 64, High: 1 << 20},
		{Name: "free", Value: TxUtilization, Aggregation: Product, Bits: 10, Low: 0.125, High: 1,
			Rounding: approx.UnbiasedValue},
	}
	hops := make([]Observation, 5)
	for i := range hops {
		hops[i] = Observation{HopLatency: unit.Time(i*i+1) * 1234 * unit.Nanosecond,
			QueueOccupancy: unit.Bytes(7000 * i), TxUtilization: 0.5 + 0.09*float64(i)}
	}
	for _, q := range queries {
		e := mustEncoder(t, Spec{Bits: q.Bits, Hops: 5, HashBits: 16, Queries: []Query{q}},
			Options{Seed: 8})
		truth := 0.0
		if q.Aggregation == Product {
			truth = 1
		}
		for _, o := range hops {
			if q.Aggregation == Product {
				truth /= o.number(q.Value) // the code represents the reciprocal
			} else {
				truth += o.number(q.Value)
			}
		}
		const packets = 20_000
		sum, squares := 0.0, 0.0
		for p := range uint64(packets) {
			got, _, err := e.PerPacket(e.name(0), p, walk(e, p, hops), 5, 0)
			if err != nil {
				t.Fatal(err)
			}
			v := got.Value
			if q.Aggregation == Product {
				v = 1 / v
			}
			sum += v
			squares += v * v
		}
		mean := sum / packets
		dev := math.Sqrt((squares/packets - mean*mean) / packets)
		// Sums count whole units. Five roundings to units have an error below 2.5 units.
		unitError := 0.0
		if q.Aggregation == Sum {
			unitError = 2.5 * max(q.Low, 1000)
		}
		if math.Abs(mean-truth) > 4.5*dev+unitError || dev == 0 {
			t.Errorf("%s: mean %v ± %v, want %v", q.Name, mean, dev, truth)
		}
	}
}
