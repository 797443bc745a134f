package query

import (
	"errors"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pintlab/internal/errtest"
	"pintlab/pint/global"
)

func mustCompile(t testing.TB, s Spec) *Plan {
	t.Helper()
	p, err := Compile(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The plan of §6.4 puts the path on all packets, together with latency on 15/16 and HPCC on 1/16 of them. The engine
// finds the paper's plan, because no other plan meets the requests.
func TestCombined(t *testing.T) {
	want := `16 bits on every packet, 2 query sets, chosen by 16 bits of q(packet)

share  parts  digest bits
15/16  61440  path 0-7, latency 8-15
1/16   4096   path 0-7, hpcc 8-15

query    bits  requested  achieved  slack
path     2×4   1          1         +0
latency  8     15/16      15/16     +0
hpcc     8     1/16       1/16      +0
`
	for _, s := range []Spec{Combined(), CombinedByHand()} {
		if got := mustCompile(t, s).String(); got != want {
			t.Errorf("plan:\n%s\nwant\n%s", got, want)
		}
	}
}

// A small numerator is as readable as a decimal number, and exact.
func TestShownFractions(t *testing.T) {
	for f, want := range map[Fraction]string{
		Share(15, 16): "15/16", Share(999, 1000): "999/1000", Share(49, 65536): "0.00074768",
		Share(3, 2048): "3/2048", Share(1, 65536): "1/65536", Share(65536, 65536): "1",
		Share(26965, 65536): "0.41145", Share(65535, 65536): "0.99998",
	} {
		if got := shown(f); got != want {
			t.Errorf("%v: %s, want %s", f, got, want)
		}
	}
}

// 7/10 of 2^16 parts are 45875.2 and 3/10 are 19660.8. The remaining part goes to the second query, so that the first
// gets 0.2/65536 = 3.052e-06 less than requested. The plan explains this.
func TestRoundedFrequencies(t *testing.T) {
	s := Spec{Bits: 8, Hops: 5, HashBits: 16, Queries: []Query{
		{Name: "a", Value: HopLatency, Aggregation: Max, Bits: 8, Frequency: Share(7, 10)},
		{Name: "b", Value: QueueOccupancy, Aggregation: Max, Bits: 8, Frequency: Share(3, 10)}}}
	want := `8 bits on every packet, 2 query sets, chosen by 16 bits of q(packet)

share  parts  digest bits
0.7    45875  a 0-7
0.3    19661  b 0-7

query  bits  requested  achieved  slack
a      8     7/10       0.7       -3.052e-06
b      8     3/10       0.3       +3.052e-06

A negative slack is rounding: shares are whole parts of 2^-16 (hash_bits, up to 32).
`
	if got := mustCompile(t, s).String(); got != want {
		t.Errorf("plan:\n%s\nwant\n%s", got, want)
	}
}

// This is the plan that the operator defines in Fig. 3. The sizes of the queries allow no other pairs.
func TestFigure3(t *testing.T) {
	q := func(name string, bits int, a Aggregation) Query {
		return Query{Name: name, Value: HopLatency, Aggregation: a, Bits: bits}
	}
	s := Spec{Bits: 16, Hops: 5, HashBits: 32,
		Queries: []Query{q("Q1", 8, Max), q("Q2", 16, Min), q("Q3", 12, Sum), q("Q4", 8, Max)}}
	s.Queries[3].Value = QueueOccupancy
	s.ByHand = []Choice{{[]string{"Q2"}, Share(4, 10)}, {[]string{"Q3"}, Share(3, 10)},
		{[]string{"Q1", "Q4"}, Share(3, 10)}}
	p := mustCompile(t, s)
	if len(p.Sets) != 3 {
		t.Errorf("plan:\n%v", p)
	}
	sum := uint64(0)
	for j := range p.Sets {
		sum += p.Sets[j].Parts
	}
	if sum != 1<<32 {
		t.Errorf("parts sum to %d, want 2^32", sum)
	}
	for i, share := range []float64{0.3, 0.4, 0.3, 0.3} {
		if d := p.Frequency(i).Float64() - share; d > 1e-9 || d < -1e-9 {
			t.Errorf("Q%d on %v of the packets, want %v", i+1, p.Frequency(i), share)
		}
	}
	// Without this plan the engine divides packets evenly: 1/3 for each set.
	s.ByHand = nil
	p = mustCompile(t, s)
	for i := range s.Queries {
		if p.Wanted[i].Cmp(big.NewRat(1, 3)) != 0 {
			t.Errorf("Q%d is planned on %v of the packets, want 1/3", i+1, p.Wanted[i])
		}
	}
}

// Requests that exclude each other are refused with a proof. If all weights are equal, the message states the proof as
// a budget, and otherwise with weights.
func TestInfeasible(t *testing.T) {
	tests := []struct {
		name string
		edit func(s *Spec)
		want string
	}{
		{"too much", func(s *Spec) { s.Queries[1].Frequency = Share(1, 1) },
			"no plan fits 16 bits: path (8 bits, frequency 1), latency (8 bits, frequency 1) and hpcc (8 bits, " +
				"frequency 1/16) together request 33/16 digests per packet, but at most 2 of them fit on one packet"},
		{"a pair is enough to blame", func(s *Spec) { s.Queries[0].Bits, s.Queries[1].Bits = 12, 8 },
			"no plan fits 16 bits: path (12 bits, frequency 1) and latency (8 bits, " +
				"frequency 15/16) together request 31/16 digests per packet, but at most 1 of them fit on one packet"},
		{"alone or in pairs", func(s *Spec) {
			// A packet carries a (16) alone, or b and c (8 each).
			s.Queries[0].Bits, s.Queries[0].Frequency = 16, Share(1, 2)
			s.Queries[1].Frequency, s.Queries[2].Frequency = Share(3, 4), Share(1, 4)
		}, "no plan fits 16 bits: path (16 bits, frequency 1/2) and latency (8 bits, " +
			"frequency 3/4) together request 5/4 digests per packet, but at most 1 of them fit on one packet"},
	}
	for _, tt := range tests {
		s := Combined()
		tt.edit(&s)
		_, err := Compile(s)
		var e *InfeasibleError
		if !errors.As(err, &e) || err.Error() != tt.want {
			t.Errorf("%s:\n%v\nwant\n%s", tt.name, err, tt.want)
		}
	}
}

// One wide query and two narrow ones do not fit together. The wide query has twice the weight, because it displaces two
// narrow ones.
func TestInfeasibleWithWeights(t *testing.T) {
	q := func(name string, bits int, v Value, f Fraction) Query {
		return Query{Name: name, Value: v, Aggregation: Max, Bits: bits, Frequency: f}
	}
	s := Spec{Bits: 10, Hops: 5, HashBits: 16, Queries: []Query{
		q("wide", 9, HopLatency, Share(1, 2)),
		q("a", 4, QueueOccupancy, Share(1, 2)),
		q("b", 4, Load, Share(1, 2)),
		q("c", 4, TxUtilization, Share(1, 2)),
	}}
	want := "… plan … 10 bits: wide (9 bits, frequency 1/2), … (4 bits, frequency 1/2), b (4 bits, " +
		"frequency 1/2) … c (4 bits, frequency 1/2) exclude … weights wide 2, … 1, b 1, c 1 … request … 5/2 " +
		"… set … weighs … 2"
	if _, err := Compile(s); !errtest.Says(err, want) {
		t.Errorf("%v\nwant\n%s", err, want)
	}
}

// A query that requests no frequency and gets no packets is an error, and so is a query whose share is rounded to zero.
func TestStarved(t *testing.T) {
	s := Combined()
	s.Queries[2].Frequency = Fraction{}
	s.Queries[1].Frequency = Share(1, 1)
	want := `query "hpcc": frequency: … 16 bits, … queries … packet to … query; ` +
		`raise … global bit budget … lower … frequencies`
	if _, err := Compile(s); !errtest.Says(err, want) {
		t.Errorf("%v, want %s", err, want)
	}
	s = CombinedByHand()
	s.Queries[1].Frequency, s.Queries[2].Frequency = Fraction{}, Fraction{}
	s.ByHand[0].Probability, s.ByHand[1].Probability = Share(999_999, 1_000_000), Share(1, 1_000_000)
	want = `query "hpcc": frequency: … share … packets, 1/1000000, … part … 2^16 (accepted: hash_bits 32)`
	if _, err := Compile(s); !errtest.Says(err, want) {
		t.Errorf("%v, want %s", err, want)
	}
	s.HashBits = 32
	if p := mustCompile(t, s); p.Parts(2) != 4294 && p.Parts(2) != 4295 {
		t.Errorf("%d parts of 2^32 for a millionth", p.Parts(2))
	}
}

func TestByHandRefused(t *testing.T) {
	tests := []struct {
		name string
		edit func(s *Spec)
		want string
	}{
		{"sum", func(s *Spec) { s.ByHand[0].Probability = Share(1, 1) }, "plan: probabilities sum to 17/16, want 1"},
		{"unknown", func(s *Spec) { s.ByHand[0].Queries[0] = "pth" },
			"plan.0.queries: \"pth\" is not a query of this file\n" +
				"plan: serves query \"path\" on 1/16 of the packets, but the frequency of this query is 1"},
		{"twice", func(s *Spec) { s.ByHand[0].Queries = []string{"path", "path", "latency"} },
			`plan.0.queries: "path" occurs twice`},
		{"too wide", func(s *Spec) { s.ByHand[0].Queries = []string{"path", "latency", "hpcc"} },
			"plan.0.queries: … digests … 24 bits, … global bit budget … 16"},
		{"same set", func(s *Spec) { s.ByHand[1].Queries = []string{"latency", "path"} },
			"plan.1.queries: the same set as entry 1; give it one probability\n" +
				"plan: serves query \"hpcc\" on 0 of the packets, but the frequency of this query is 1/16"},
		{"too rare", func(s *Spec) { s.ByHand[0].Probability, s.ByHand[1].Probability = Share(1, 2), Share(1, 2) },
			`plan: serves query "latency" … 1/2 … packets, … frequency … 15/16`},
		{"zero", func(s *Spec) { s.ByHand = append(s.ByHand, Choice{Queries: []string{"latency"}}) },
			"plan.2.probability: missing … 0, … 0"},
		{"empty", func(s *Spec) { s.ByHand = []Choice{} }, "plan: empty, … query set (or … to … computed)"},
	}
	for _, tt := range tests {
		s := CombinedByHand()
		tt.edit(&s)
		if _, err := Compile(s); !errtest.Says(err, tt.want) {
			t.Errorf("%s:\n%v\nwant\n%s", tt.name, err, tt.want)
		}
	}
	// A plan defined by hand may contain an empty set.
	s := CombinedByHand()
	s.Queries[0].Frequency, s.Queries[1].Frequency = Share(1, 2), Share(1, 4)
	s.ByHand[0].Probability = Share(7, 16)
	s.ByHand = append(s.ByHand, Choice{Probability: Share(1, 2)})
	if p := mustCompile(t, s); len(p.Sets) != 3 || len(p.Sets[0].Fields) != 0 || p.Sets[0].Parts != 1<<15 {
		t.Errorf("plan:\n%v", p)
	}
}

// drawSpec returns a random request of sums and extremes, which need no other settings than bits.
func drawSpec(t *rapid.T) Spec {
	demands, budget := drawDemands(t)
	s := Spec{Bits: budget, Hops: 5, HashBits: rapid.SampledFrom([]int{16, 32}).Draw(t, "hash bits")}
	for i, d := range demands {
		f := Fraction{}
		if d.want.Sign() > 0 {
			f = Share(d.want.Num().Uint64()*uint64(1+i%3), d.want.Denom().Uint64()*3)
		}
		q := Query{Name: string(rune('a' + i)), Value: []Value{HopLatency, QueueOccupancy, Load}[i/2],
			Aggregation: Max + Aggregation(i%2), Bits: min(d.bits, 9), Frequency: f}
		s.Queries = append(s.Queries, q)
	}
	return s
}

// For any request, a plan divides the packets exactly, its digests fit and do not overlap, each query gets its
// requested frequency up to one part per set, and the words q are divided according to the parts. An error names the
// queries, and its proof is valid.
func TestCompileProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSpec(t)
		p, err := Compile(s)
		var e *InfeasibleError
		switch {
		case errors.As(err, &e):
			checkProof(t, s, e)
			return
		case err != nil:
			if !strings.Contains(err.Error(), "leave no packet to this query") {
				t.Fatal(err)
			}
			return
		}
		sum := uint64(0)
		for j, set := range p.Sets {
			// Check the first and the last word of the set, and the words next to them.
			first, last := sum<<(32-s.HashBits), (sum+set.Parts)<<(32-s.HashBits)-1
			if p.Choose(uint32(first)) != j || p.Choose(uint32(last)) != j {
				t.Fatalf("set %d has parts %d to %d, but words of them choose %d and %d",
					j, sum, sum+set.Parts, p.Choose(uint32(first)), p.Choose(uint32(last)))
			}
			sum += set.Parts
			used := uint64(0)
			for _, f := range set.Fields {
				mask := (uint64(1)<<f.Bits - 1) << f.Offset
				if f.Bits != p.Queries[f.Query].Bits || f.Offset+f.Bits > s.Bits || used&mask != 0 {
					t.Fatalf("set %d: field %+v overlaps or leaves %d bits", j, f, s.Bits)
				}
				used |= mask
			}
		}
		if sum != 1<<s.HashBits {
			t.Fatalf("parts sum to %d of %d", sum, uint64(1)<<s.HashBits)
		}
		for i := range p.Queries {
			got := p.Frequency(i).Float64()
			rounding := float64(len(p.Sets)) / float64(uint64(1)<<s.HashBits)
			if want := p.Queries[i].Frequency.Float64(); got < want-rounding {
				t.Fatalf("query %d is served on %v, wants %v", i, got, want)
			}
		}
		if again := mustCompile2(t, s).String(); again != p.String() {
			t.Fatalf("two plans for one request:\n%s\n%s", p, again)
		}
	})
}

func mustCompile2(t *rapid.T, s Spec) *Plan {
	p, err := Compile(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// checkProof verifies an InfeasibleError without the engine: by enumerating all sets of
// its queries, and by leaving each of them out.
func checkProof(t *rapid.T, s Spec, e *InfeasibleError) {
	n := len(e.Queries)
	asked := new(big.Rat)
	for i := range n {
		if e.Weight[i] <= 0 {
			t.Fatalf("weight %d", e.Weight[i])
		}
		asked.Add(asked, new(big.Rat).Mul(big.NewRat(e.Weight[i], 1), e.Queries[i].Frequency.rat()))
	}
	most := int64(0)
	for set := range uint64(1) << n {
		used, worth := 0, int64(0)
		for i := range n {
			if set>>i&1 == 1 {
				used += e.Queries[i].Bits
				worth += e.Weight[i]
			}
		}
		if used <= s.Bits {
			most = max(most, worth)
		}
	}
	if most != e.Fits || asked.Cmp(e.Asked) != 0 || asked.Cmp(big.NewRat(most, 1)) <= 0 {
		t.Fatalf("no proof: asked %v (claimed %v), fits %d (claimed %d): %v", asked, e.Asked, most, e.Fits, e)
	}
	for i := range n {
		less := s
		less.Queries = nil
		for j := range n {
			if j != i {
				less.Queries = append(less.Queries, e.Queries[j])
			}
		}
		if len(less.Queries) == 0 {
			continue
		}
		var again *InfeasibleError
		if _, err := Compile(less); errors.As(err, &again) {
			t.Fatalf("the proof holds without %s: %v", e.Queries[i].Name, again)
		}
	}
}

// The share of packets that choose a set follows its parts, in both families: with
// 160 000 packets, 4.4 standard deviations of the share 1/16 are 0.0027 (false alarm
// 1e-5).
func TestSetOfFrequency(t *testing.T) {
	p := mustCompile(t, Combined())
	for _, f := range []global.Family{global.Fast(1), global.CRC(1)} {
		const n = 160_000
		hpcc := 0
		for packet := range uint64(n) {
			hpcc += p.SetOf(f, packet)
		}
		if share := float64(hpcc) / n; share < 1./16-0.0027 || share > 1./16+0.0027 {
			t.Errorf("%v: HPCC on %.5f of the packets, want 0.0625", f, share)
		}
	}
}

// If each pair of three queries of 5 bits is on some packets, the queries cannot have the same offsets in all sets of
// 10 bits, so each set is packed separately. With 15 bits they can.
func TestLayout(t *testing.T) {
	queries := []Query{{Bits: 5}, {Bits: 5}, {Bits: 5}}
	sets := []uint64{0b011, 0b110, 0b101}
	for budget, want := range map[int]bool{10: false, 15: true} {
		fields, steady := layout(sets, queries, budget)
		if steady != want {
			t.Errorf("%d bits: steady = %v, want %v", budget, steady, want)
		}
		for j, set := range sets {
			a, b := fields[j][0], fields[j][1]
			if len(fields[j]) != 2 || set != 1<<a.Query|1<<b.Query || a.Offset+5 > b.Offset || b.Offset+5 > budget {
				t.Errorf("%d bits: set %b: %+v", budget, set, fields[j])
			}
		}
	}
}

func BenchmarkChoose(b *testing.B) {
	p := mustCompile(b, Combined())
	f := global.Fast(1)
	b.ReportAllocs()
	packet, sum := uint64(0), 0
	for b.Loop() {
		packet++
		sum += p.SetOf(f, packet)
	}
}
