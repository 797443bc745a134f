package sim

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pintlab/pint/query"
)

// planOf writes a file with a query of Table 2, and with HPCC's query if that is another query.
func planOf(q query.Query) string {
	var b strings.Builder
	fmt.Fprintf(&b, "bits: 32\nhops: 5\nqueries:\n  - {name: %s, value: %v, aggregation: %v, bits: %d", q.Name, q.Value,
		q.Aggregation, q.Bits)
	if q.With != 0 {
		fmt.Fprintf(&b, ", with: %v, with_bits: %d", q.With, q.WithBits)
	}
	if q.Space > 0 {
		fmt.Fprintf(&b, ", space: %v, flow: %v", q.Space, q.Flow)
	}
	if q.Hashes > 0 {
		fmt.Fprintf(&b, ", hashes: %d", q.Hashes)
	}
	if q.Value == query.Load && q.Aggregation == query.Max {
		b.WriteString(", rounding: log")
	}
	b.WriteString("}\n")
	if q.Name != "hpcc" {
		b.WriteString("  - {name: hpcc, value: load, aggregation: max, bits: 8, rounding: log}\n")
	}
	return b.String()
}

var ofPackets = regexp.MustCompile(
	`: of (\d+) packets, ([0-9.e+-]+)[ A-Za-z]* on average and ([0-9.e+-]+)[ A-Za-z]* at most`)

var recorded = regexp.MustCompile(`: (\d+) digests of (\d+) flows`)

// A plan can define flows by any of the fields. The number of flows with digests is the number of
// values of these fields, at each receiving host and for each length of the path, because a store
// separates lengths.
func TestFlowsByAnyDefinition(t *testing.T) {
	by := []query.FlowDef{
		query.ByFiveTuple, query.ByHostPair, query.BySource, query.ByDestination, query.SrcPort,
		query.SrcIP | query.DstPort, query.DstIP | query.Protocol, query.Protocol, query.AllPackets,
	}
	for three := range slices.Chunk(by, 3) {
		var plan strings.Builder
		plan.WriteString("bits: 32\nhops: 5\nqueries:\n" +
			"  - {name: hpcc, value: load, aggregation: max, bits: 8, rounding: log}\n")
		for i, d := range three {
			fmt.Fprintf(&plan,
				"  - {name: q%d, value: hop_latency, aggregation: quantiles, bits: 8, space: 1KB, flow: %v}\n", i, d)
		}
		path := filepath.Join(t.TempDir(), "plan.yaml")
		if err := os.WriteFile(path, []byte(plan.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := Run(context.Background(),
			parse(t, planned, "workload.0.duration=60us", "telemetry.plan=file", "telemetry.plan_path="+path,
				"telemetry.wire_bytes=4B"), Options{})
		if err != nil {
			t.Fatalf("%v\n%s", err, &plan)
		}
		for i, d := range three {
			type key struct{ src, srcPort, dstPort, host, hops int }
			want := map[key]bool{}
			for f := range r.Flows.All() {
				k := key{host: int(f.Dst), hops: int(f.Hops)}
				for _, x := range []struct {
					field query.FlowDef
					to    *int
					value int
				}{
					{query.SrcIP, &k.src, int(f.Src)}, {query.SrcPort, &k.srcPort, int(f.SrcPort)},
					{query.DstPort, &k.dstPort, int(f.DstPort)},
				} {
					if d&x.field != 0 {
						*x.to = x.value
					}
				}
				want[k] = true
			}
			m := regexp.MustCompile(fmt.Sprintf(`query "q%d": \d+ digests of (\d+) flows`, i)).FindStringSubmatch(
				strings.Join(r.Notes, "\n"))
			if m == nil || m[1] != strconv.Itoa(len(want)) {
				t.Errorf("%v: want digests of %d flows; notes %q", d, len(want), r.Notes)
			}
		}
	}
}

// All eleven use cases of Table 2 run together with HPCC, also with flows by host pair and by
// destination. Queries that record by flow have digests of every flow.
func TestUseCasesOfTable2(t *testing.T) {
	cases := query.Catalogue()
	if len(cases) != 11 {
		t.Fatalf("%d use cases, Table 2 has 11", len(cases))
	}
	for _, c := range cases {
		path := filepath.Join(t.TempDir(), "plan.yaml")
		if err := os.WriteFile(path, []byte(planOf(c.Query)), 0o600); err != nil {
			t.Fatal(err)
		}
		sc := parse(t, planned, "workload.0.duration=60us", "telemetry.plan=file", "telemetry.plan_path="+path,
			"telemetry.wire_bytes=4B")
		r, err := Run(context.Background(), sc, Options{})
		if err != nil {
			t.Errorf("%s: %v\n%s", c.Application, err, planOf(c.Query))
			continue
		}
		pairs, destinations := map[[2]int32]bool{}, map[int32]bool{}
		for f := range r.Flows.All() {
			pairs[[2]int32{f.Src, f.Dst}] = true
			destinations[f.Dst] = true
		}
		notes := strings.Join(r.Notes, "\n")
		if c.Class == query.PerPacket {
			// HPCC reads the query for congestion control. Every packet contains digests of the other queries.
			m := ofPackets.FindStringSubmatch(notes)
			if c.Query.Name == "hpcc" {
				if m != nil {
					t.Errorf("%s: %q, want nothing of what HPCC reads", c.Application, m[0])
				}
				continue
			}
			if m == nil {
				t.Errorf("%s: no note about the packets: %q", c.Application, r.Notes)
				continue
			}
			packets := 0
			for f := range r.Flows.All() {
				packets += int(f.Packets)
			}
			n, _ := strconv.Atoi(m[1])
			mean, _ := strconv.ParseFloat(m[2], 64)
			most, _ := strconv.ParseFloat(m[3], 64)
			if n != packets || mean > most || most <= 0 {
				t.Errorf("%s: %q of %d packets", c.Application, m[0], packets)
			}
			sc.Run.Workers = 3
			if again, err := Run(context.Background(), sc, Options{}); err != nil ||
				strings.Join(again.Notes, "\n") != notes {
				t.Errorf("%s on three engines: %q, %v; want %q", c.Application, again.Notes, err, r.Notes)
			}
			continue
		}
		want := r.Flows.Len()
		switch c.Query.Flow {
		case query.ByHostPair:
			want = len(pairs)
		case query.ByDestination:
			want = len(destinations)
		}
		m := recorded.FindStringSubmatch(notes)
		if m == nil {
			t.Errorf("%s: nothing is recorded: %q", c.Application, r.Notes)
			continue
		}
		// A store separates paths by length, so that a destination may count once for each length,
		// 1, 3 and 5.
		if got, _ := strconv.Atoi(m[2]); got < want || got > 3*want ||
			c.Query.Flow == query.ByFiveTuple && got != want {
			t.Errorf("%s: digests of %d flows, want %d (%v)", c.Application, got, want, c.Query.Flow)
		}
	}
}
