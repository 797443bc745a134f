package query

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/netip"
	"runtime"
	"testing"

	"pintlab/internal/errtest"
	"pintlab/internal/hash"
	"pintlab/netsim/unit"
	"pintlab/pint/coding"
)

// tuple returns the five-tuple of flow i.
func tuple(i int) FiveTuple {
	return FiveTuple{
		Src: netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}).As16(), SrcPort: uint16(1000 + i),
		Dst: netip.AddrFrom4([4]byte{10, 1, 0, 1}).As16(), DstPort: 80, Protocol: 6,
	}
}

// observe returns a random observation of a switch.
func observe(r *rand.Rand, sw uint64) Observation {
	return Observation{
		SwitchID:        sw,
		IngressPort:     uint32(sw % 16),
		EgressPort:      uint32(sw % 11),
		IngressTime:     unit.Time(r.Int64N(int64(unit.Millisecond))),
		HopLatency:      unit.Time(sw%7+1)*unit.Microsecond + unit.Time(r.Int64N(int64(unit.Microsecond))),
		TxUtilization:   0.1*float64(sw%9) + 0.1*r.Float64(),
		QueueOccupancy:  unit.Bytes(r.IntN(1 << 20)),
		QueueCongestion: r.Float64(),
		Load:            r.Float64() * 1.5,
	}
}

// walk sends a packet along a path of observations.
func walk(e *Encoder, packet uint64, path []Observation) uint64 {
	digest := uint64(0xdead) // the first switch ignores it
	for i := range path {
		digest = e.Encode(packet, i+1, digest, &path[i])
	}
	return digest
}

func newRecorder(t testing.TB, e *Encoder, m Memory) *Recorder {
	t.Helper()
	r, err := NewRecorder(e, m, 1)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var path = []uint64{412, 77, 910, 3, 555}

// switches returns the IDs of a network of 1000 switches.
func switches() []uint64 {
	ids := make([]uint64, 1000)
	for i := range ids {
		ids[i] = uint64(i)
	}
	return ids
}

// Each of Table 2's eleven use cases runs alone from the switch to the answer, with both hash families.
func TestCatalogueEndToEnd(t *testing.T) {
	for _, c := range Catalogue() {
		for _, crc := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/crc=%v", c.Application, crc), func(t *testing.T) {
				spec := Spec{Bits: 16, Hops: 5, HashBits: 16, Queries: []Query{c.Query}}
				e := mustEncoder(t, spec, Options{Seed: 3, CRC: crc})
				r := newRecorder(t, e, Memory{Total: unit.MB})
				rnd := hash.Stream(1, c.Application)
				const packets = 4000
				hop3 := 0.0 // true mean utilisation at hop 3
				for p := range uint64(packets) {
					var hops []Observation
					for _, sw := range path {
						hops = append(hops, observe(rnd, sw))
					}
					digest := walk(e, p, hops)
					if err := r.Record(Packet{ID: p, Hops: 5, Flow: tuple(1)}, digest); err != nil {
						t.Fatal(err)
					}
					hop3 += hops[2].TxUtilization / packets
					if c.Class != PerPacket {
						continue
					}
					x, ok, err := e.PerPacket(e.name(0), p, digest, 5, unit.Millisecond)
					if err != nil || !ok {
						t.Fatalf("packet %d: %v, %v", p, ok, err)
					}
					checkPerPacket(t, c.Query, hops, x)
				}
				if c.Class == PerPacket {
					return
				}
				id := FlowID{Flow: c.Query.Flow.Key(tuple(1)), Hops: 5}
				checkPerFlow(t, e, r, c.Query, id, hop3)
			})
		}
	}
}

// checkPerPacket compares x with the extremum or sum over the observations.
func checkPerPacket(t *testing.T, q Query, hops []Observation, x Extremum) {
	t.Helper()
	best, sum := hops[0], 0.0
	for _, o := range hops {
		a, b := o.number(q.Value), best.number(q.Value)
		if q.Aggregation == Max && a > b || q.Aggregation == Min && a < b {
			best = o
		}
		sum += o.number(q.Value)
	}
	want, tolerance := best.number(q.Value), 0.0
	switch {
	case q.Aggregation == Sum:
		// The counter has 8 bits; TestSumsAndProductsAreUnbiased checks its mean.
		want, tolerance = sum, sum
	case q.Value == TxUtilization:
		tolerance = 0.5 / 63
	case q.Value == Load:
		tolerance = 0.052 * want // random rounding: the next code
	case q.WithBits > 0:
		tolerance = 0.15 * want // 6 bits from 64 B to 32 MiB: ε = 0.11
	default:
		tolerance = 0.03 * want
	}
	if math.Abs(x.Value-want) > tolerance {
		t.Fatalf("%v of %v is %v, want %v ± %v", q.Aggregation, q.Value, x.Value, want, tolerance)
	}
	if q.WithBits == 0 {
		return
	}
	// The ID belongs to a switch with the best code.
	for _, o := range hops {
		if o.SwitchID == x.Name && math.Abs(o.number(q.Value)-want) <= 2*tolerance {
			return
		}
	}
	t.Fatalf("%v of %v was at %d", q.Aggregation, q.Value, x.Name)
}

func checkPerFlow(t *testing.T, e *Encoder, r *Recorder, q Query, id FlowID, meanUtilization float64) {
	t.Helper()
	n := NewInference(r)
	switch {
	case q.Aggregation == Path:
		d, err := coding.NewDecoder(e.Coding(e.name(0)), 5, switches())
		if err != nil {
			t.Fatal(err)
		}
		got, known, err := n.Path(n.r.e.name(0), id, d)
		if err != nil {
			t.Fatal(err)
		}
		for i := range path {
			if got[i] != path[i] || !known[i] {
				t.Errorf("path %v %v, want %v", got, known, path)
				break
			}
		}
	case q.Value == HopLatency:
		// Hop 3 is switch 910. Its latency is 1 µs plus a uniform microsecond.
		got, err := n.Quantile(n.r.e.name(0), id, 3, 0.5, 0.01)
		if err != nil || math.Abs(got.Value-1.5e6) > 1.5e6*0.0225+got.RankError*1e6 || got.Samples < 650 ||
			got.RankError > 0.16 {
			t.Errorf("median latency %+v, %v; want 1.5 µs", got, err)
		}
	case q.Aggregation == Quantiles:
		got, err := n.Quantile(n.r.e.name(0), id, 3, 0.5, 0.01)
		if err != nil || math.Abs(got.Value-meanUtilization) > 0.002+0.1*got.RankError {
			t.Errorf("median utilisation %+v, %v; want %v", got, err, meanUtilization)
		}
	default:
		got, err := n.Frequent(n.r.e.name(0), id, 3, 0.2)
		if err != nil || len(got) == 0 {
			t.Fatalf("frequent values %v, %v", got, err)
		}
		// With 4 bits the utilisation of hop 3 covers one or two codes around its mean.
		sum := 0.0
		for _, s := range got {
			if math.Abs(s.Value-meanUtilization) > 1./15 || s.Low > s.High {
				t.Errorf("share %+v, want a value near %v", s, meanUtilization)
			}
			sum += s.High
		}
		if sum < 0.9 {
			t.Errorf("frequent values %v make up %v", got, sum)
		}
	}
}

// With the combined plan the same packets answer all three queries, each with its share of the packets.
func TestCombinedEndToEnd(t *testing.T) {
	e := mustEncoder(t, Combined(), Options{Seed: 5})
	r := newRecorder(t, e, Memory{Total: unit.MB})
	rnd := hash.Stream(1, "combined")
	const packets = 3200
	hpcc := 0
	for p := range uint64(packets) {
		var hops []Observation
		worst := 0.0
		for _, sw := range path {
			o := observe(rnd, sw)
			worst = max(worst, o.Load)
			hops = append(hops, o)
		}
		digest := walk(e, p, hops)
		if err := r.Record(Packet{ID: p, Hops: 5, Flow: tuple(9)}, digest); err != nil {
			t.Fatal(err)
		}
		x, ok, err := e.PerPacket(e.name(2), p, digest, 5, 0)
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			hpcc++
			if x.Value/worst > 1.0507 || worst/x.Value > 1.0507 {
				t.Errorf("packet %d: U = %v, want %v", p, x.Value, worst)
			}
		}
	}
	// 3200/16 = 200 packets carry HPCC; 4.5 standard deviations are 62.
	if hpcc < 138 || hpcc > 262 {
		t.Errorf("%d of %d packets carry HPCC", hpcc, packets)
	}
	if u := r.Usage(r.e.name(0)); u.Packets != packets || u.Flows != 1 {
		t.Errorf("path: %+v", u)
	}
	if u := r.Usage(r.e.name(1)); u.Packets != uint64(packets-hpcc) || u.Bytes > 1000+unit.Bytes(overhead[*Digests]()) {
		t.Errorf("latency: %+v", u)
	}
	if u := r.Usage(r.e.name(2)); u != (Usage{Packets: uint64(hpcc)}) {
		t.Errorf("hpcc: %+v", u)
	}
	id := FlowID{Flow: tuple(9), Hops: 5}
	checkPerFlow(t, e, r, PathQuery(8, 1, 1000), id, 0)
	n := NewInference(r)
	if got, err := n.Quantile(n.r.e.name(1), id, 3, 0.5, 0.01); err != nil ||
		math.Abs(got.Value-1.5e6) > 1.5e6*0.0225+got.RankError*1e6 {
		t.Errorf("median latency %+v, %v; want 1.5 µs", got, err)
	}
}

// Queries sample independently. Two queries of the same kind on paths of 5 hops select the same hop in a fifth of the
// packets (40 000 packets; 5 standard deviations are 0.01).
func TestQueriesAreIndependent(t *testing.T) {
	a, b := LatencyQuery(8, 1000), LatencyQuery(8, 1000)
	b.Name, b.Value = "queue", QueueOccupancy
	for _, crc := range []bool{false, true} {
		e := mustEncoder(t, Spec{Bits: 16, Hops: 5, HashBits: 16, Queries: []Query{a, b}},
			Options{CRC: crc})
		same := 0
		const packets = 40_000
		for p := range uint64(packets) {
			x, y := &e.ops[0], &e.ops[1]
			if x.act.Writer(x.act.Key(p), 5) == y.act.Writer(y.act.Key(p), 5) {
				same++
			}
		}
		if s := float64(same) / packets; math.Abs(s-0.2) > 0.01 {
			t.Errorf("crc %v: two queries carry the same hop in %v of the packets, want 0.2", crc, s)
		}
	}
}

// Switches that compile the same plan compute the same digests, which do not depend on earlier packets.
func TestEncoderIsStateless(t *testing.T) {
	a, b := mustEncoder(t, Combined(), Options{Seed: 1}), mustEncoder(t, Combined(), Options{Seed: 1})
	other := mustEncoder(t, Combined(), Options{Seed: 2})
	rnd := hash.Stream(1, "stateless")
	differs := 0
	for p := range uint64(1000) {
		var hops []Observation
		for _, sw := range path {
			hops = append(hops, observe(rnd, sw))
		}
		first := walk(a, p, hops)
		walk(a, p+7, hops)
		if again := walk(a, p, hops); again != first || walk(b, p, hops) != first {
			t.Fatalf("packet %d: %#x, then %#x; another switch %#x", p, first, again, walk(b, p, hops))
		}
		if walk(other, p, hops) != first {
			differs++
		}
	}
	if differs < 900 {
		t.Errorf("another seed changes %d of 1000 digests", differs)
	}
}

func TestHotPathsDoNotAllocate(t *testing.T) {
	e := mustEncoder(t, Combined(), Options{})
	r := newRecorder(t, e, Memory{Total: unit.MB})
	o := someHop
	packet := uint64(0)
	if n := testing.AllocsPerRun(100, func() {
		for range 100 {
			packet++
			digest := uint64(0)
			for hop := 1; hop <= 5; hop++ {
				digest = e.Encode(packet, hop, digest, &o)
			}
			if err := r.Record(Packet{ID: packet, Hops: 5, Flow: tuple(int(packet % 4))}, digest); err != nil {
				t.Fatal(err)
			}
			if _, _, err := e.PerPacket(e.name(2), packet, digest, 5, 0); err != nil {
				t.Fatal(err)
			}
		}
	}); n != 0 {
		t.Errorf("%v allocations per 100 packets, want 0", n)
	}
}

// A recorder gets far more flows than fit. By its own count it stays within its memory limit. On the heap it uses at
// most a quarter more, because the runtime rounds sizes up.
func TestRecorderStaysInMemory(t *testing.T) {
	e := mustEncoder(t, Combined(), Options{})
	const total = 2 * unit.MB
	r := newRecorder(t, e, Memory{Total: total})
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	o := someHop
	for p := range uint64(60_000) {
		digest := uint64(0)
		for hop := 1; hop <= 5; hop++ {
			digest = e.Encode(p, hop, digest, &o)
		}
		if err := r.Record(Packet{ID: p, Hops: 5, Flow: tuple(int(p % 20_000))}, digest); err != nil {
			t.Fatal(err)
		}
		for i := range 2 {
			if u := r.Usage(r.e.name(i)); u.Bytes > total {
				t.Fatalf("query %d uses %v of %v", i, u.Bytes, total)
			}
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	for i := range 2 {
		u := r.Usage(r.e.name(i))
		if u.Bytes < total*95/100 || u.Evicted == 0 || u.Flows < 1500 {
			t.Errorf("query %d: %+v", i, u)
		}
	}
	if grown := after.HeapAlloc - before.HeapAlloc; grown > uint64(2*total)*5/4 {
		t.Errorf("the heap grew by %d bytes for two queries of %v", grown, total)
	}
	runtime.KeepAlive(r)
	// The recorder keeps the newest flows.
	newest := 59_999
	for id := range r.Flows(r.e.name(0)) {
		if want := (FlowID{Flow: tuple(newest % 20_000), Hops: 5}); id != want {
			t.Fatalf("flow %v, want %v", id, want)
		}
		newest--
	}
}

// Under the definition source, two connections are one flow. Under 5-tuple, they are two flows. Packets over paths of
// different lengths are recorded separately.
func TestFlowDefinitions(t *testing.T) {
	a, b := LatencyQuery(8, 1000), LatencyQuery(8, 1000)
	b.Name, b.Flow = "bysource", BySource
	e := mustEncoder(t, Spec{Bits: 16, Hops: 5, HashBits: 16, Queries: []Query{a, b}}, Options{})
	r := newRecorder(t, e, Memory{Total: unit.MB})
	one, two := tuple(1), tuple(1)
	two.SrcPort++
	for p := range uint64(10) {
		for _, f := range []FiveTuple{one, two} {
			for hops := 4; hops <= 5; hops++ {
				if err := r.Record(Packet{ID: p, Hops: hops, Flow: f}, 0); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if got := r.Usage(r.e.name(0)).Flows; got != 4 {
		t.Errorf("%d flows by 5-tuple and path length, want 4", got)
	}
	if got := r.Usage(r.e.name(1)).Flows; got != 2 {
		t.Errorf("%d flows by source and path length, want 2", got)
	}
}

func TestModuleErrors(t *testing.T) {
	p, err := Compile(Combined())
	if err != nil {
		t.Fatal(err)
	}
	want := "module: seed 4294967296 … CRC family, … 2^32"
	if _, err := NewEncoder(p, Options{CRC: true, Seed: 1 << 32}); !errtest.Says(err, want) {
		t.Errorf("NewEncoder: %v, want %s", err, want)
	}
	small := Combined()
	small.Queries[1].Space = 600
	want = `query "latency": a space of 600B is too small for 5 hops with a kll of 8-bit codes each ` +
		`(accepted: 624B or more)`
	if _, err := NewRecorder(mustEncoder(t, small, Options{}), Memory{Total: unit.MB}, 1); !errtest.Says(err, want) {
		t.Errorf("NewRecorder: %v, want %s", err, want)
	}
	small = Combined()
	small.Queries[0].Space = 80
	want = `query "path": a space of 80B holds no digest (accepted: 81B or more)`
	if _, err := NewRecorder(mustEncoder(t, small, Options{}), Memory{Total: unit.MB}, 1); !errtest.Says(err, want) {
		t.Errorf("NewRecorder: %v, want %s", err, want)
	}
	e := mustEncoder(t, Combined(), Options{})
	if _, err := NewRecorder(e, Memory{Total: 1000}, 1); err == nil {
		t.Error("a total of 1000 bytes is accepted for flows of 1000 bytes")
	}
	r := newRecorder(t, e, Memory{Total: unit.MB})
	for _, tt := range []struct {
		hops   int
		digest uint64
		want   error
	}{{0, 0, ErrHops}, {6, 0, nil}, {255, 0, ErrHops}, {5, 1 << 16, ErrWidth}, {5, 0xffff, nil}} {
		if err := r.Record(Packet{ID: 1, Hops: tt.hops, Flow: tuple(1)}, tt.digest); !errors.Is(err, tt.want) {
			t.Errorf("%d hops, digest %#x: %v, want %v", tt.hops, tt.digest, err, tt.want)
		}
	}
	n := NewInference(r)
	known, unknown := FlowID{Flow: tuple(1), Hops: 5}, FlowID{Flow: tuple(2), Hops: 5}
	for _, tt := range []struct {
		ask  func() error
		want string
	}{
		{func() error { _, err := n.Quantile(n.r.e.name(0), known, 1, 0.5, 0.1); return err },
			`module: query "path" asks for static, not quantiles`},
		{func() error { _, err := n.Quantile(n.r.e.name(1), known, 6, 0.5, 0.1); return err },
			`module: query "latency": flow 10.0.0.1:1001>10.1.0.1:80/6 over 5 hops: hop 6, want 1 to 5`},
		{func() error { _, err := n.Quantile(n.r.e.name(1), known, 1, 1.5, 0.1); return err },
			`module: query "latency": flow 10.0.0.1:1001>10.1.0.1:80/6 over 5 hops: ` +
				`quantile 1.5 with error probability 0.1, want 0 to 1`},
		{func() error { _, err := n.Quantile(n.r.e.name(1), unknown, 1, 0.5, 0.1); return err },
			`module: query "latency": flow 10.0.0.2:1002>10.1.0.1:80/6 over 5 hops: ` +
				`no packet of this flow is recorded`},
		{func() error { _, err := n.Digests(n.r.e.name(0), unknown); return err },
			`module: query "path": flow 10.0.0.2:1002>10.1.0.1:80/6 over 5 hops: no packet of this flow is recorded`},
		{func() error { _, err := n.Frequent(n.r.e.name(1), known, 1, 0.5); return err },
			`module: query "latency" asks for quantiles, not frequent`},
		{func() error { _, _, err := e.PerPacket(e.name(0), 1, 0, 5, 0); return err },
			`module: query "path" is static per-flow, not per-packet`},
	} {
		if err := tt.ask(); !errtest.Says(err, tt.want) {
			t.Errorf("%v, want %s", err, tt.want)
		}
	}
	if _, err := n.Quantile(n.r.e.name(1), unknown, 1, 0.5, 0.1); !errors.Is(err, ErrNoFlow) {
		t.Errorf("%v does not wrap ErrNoFlow", err)
	}
}

// For any digest, identifier and hop count, recording and inference do not panic; they may return an error.
func FuzzRecord(f *testing.F) {
	sum := Query{Name: "sum", Value: HopLatency, Aggregation: Sum, Bits: 7}
	often := Query{Name: "often", Value: EgressPort, Aggregation: Frequent, Bits: 5, Space: 4000}
	spec := Combined()
	spec.Queries = append(spec.Queries, sum, often)
	spec.Queries[0].Frequency, spec.Queries[1].Frequency = Share(1, 2), Share(1, 2)
	spec.Defaults()
	e := mustEncoder(f, spec, Options{})
	f.Add(uint64(1), uint64(0xffff), 5)
	f.Add(uint64(2), uint64(0x7f), 1)
	f.Add(uint64(3), ^uint64(0), -1)
	f.Fuzz(func(t *testing.T, packet, digest uint64, hops int) {
		r := newRecorder(t, e, Memory{Total: 100_000})
		for i := range uint64(20) {
			if err := r.Record(Packet{ID: packet + i, Hops: hops, Flow: tuple(int(i % 3))},
				digest>>(i%8)); err != nil && (hops < 1 || hops > 5) != errors.Is(err, ErrHops) {
				t.Fatalf("%d hops: %v", hops, err)
			}
			for q := range spec.Queries {
				if _, _, err := e.PerPacket(e.name(q), packet+i, digest, hops, 0); err == nil &&
					spec.Queries[q].Aggregation.Class() != PerPacket {
					t.Fatalf("query %d answers per packet", q)
				}
			}
		}
		n := NewInference(r)
		for q := range spec.Queries {
			for id := range r.Flows(r.e.name(q)) {
				for hop := 0; hop <= 6; hop++ {
					if est, err := n.Quantile(n.r.e.name(q), id, hop, 0.9, 0.1); err == nil &&
						(math.IsNaN(est.Value) || est.Samples == 0) {
						t.Fatalf("%+v", est)
					}
					if shares, err := n.Frequent(n.r.e.name(q), id, hop, 0.1); err == nil && len(shares) == 0 {
						t.Fatal("a hop with samples has no frequent value")
					}
				}
				if spec.Queries[q].Aggregation == Path {
					d, err := coding.NewDecoder(e.Coding(e.name(q)), int(id.Hops), switches()[:50])
					if err != nil {
						t.Fatal(err)
					}
					_, _, err = n.Path(n.r.e.name(q), id, d)
					if err != nil && !errors.Is(err, coding.ErrInconsistent) {
						t.Fatal(err)
					}
				}
			}
		}
	})
}

// name returns the name of the i-th query of a plan.
func (e *Encoder) name(i int) string { return e.plan.Queries[i].Name }
