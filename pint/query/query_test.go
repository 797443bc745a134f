package query

import (
	"net/netip"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pintlab/internal/errtest"
	"pintlab/pint/approx"
)

// The test checks the rows of Table 1 as printed, and the names of the values in a file.
func TestValuesAreTable1(t *testing.T) {
	table1 := []struct{ row, name string }{
		{"Switch ID", "switch_id"},
		{"Ingress Port ID", "ingress_port"},
		{"Ingress Timestamp", "ingress_timestamp"},
		{"Egress Port ID", "egress_port"},
		{"Hop Latency", "hop_latency"},
		{"Egress Port TX utilization", "tx_utilization"},
		{"Queue Occupancy", "queue_occupancy"},
		{"Queue Congestion Status", "queue_congestion"},
	}
	if len(Values) != len(table1)+1 || Values[len(table1)] != Load {
		t.Fatalf("%d values, want Table 1 and the load", len(Values))
	}
	for i, row := range table1 {
		v, err := parseValue(row.name)
		if err != nil || v != Values[i] || v.About() == "" {
			t.Errorf("%s: ParseValue(%q) = %v, %v", row.row, row.name, v, err)
		}
	}
	want := `unknown value "ttl" (accepted: switch_id, ingress_port, ingress_timestamp, egress_port, hop_latency, ` +
		`tx_utilization, queue_occupancy, queue_congestion, load)`
	if _, err := parseValue("ttl"); !errtest.Says(err, want) {
		t.Errorf("ParseValue: %v, want %s", err, want)
	}
}

// Every combination of value and aggregation is either valid, or refused with an error that lists
// the valid combinations.
func TestAggregationFits(t *testing.T) {
	count := map[Class]int{}
	for _, a := range Aggregations {
		if got, err := parseAggregation(a.String()); err != nil || got != a {
			t.Errorf("ParseAggregation(%q) = %v, %v", a, got, err)
		}
		if a.About() == "" || a.Class() == 0 {
			t.Errorf("%v: no description or no class", a)
		}
		for _, v := range Values {
			err := a.fits(v)
			if err == nil {
				count[a.Class()]++
			} else if !strings.Contains(err.Error(), "accepted: ") {
				t.Errorf("%v of %v: %v", a, v, err)
			}
		}
	}
	// There are extremes of six quantities, sums of five, products of two shares, checksums of three IDs, the static
	// aggregation of these IDs, quantiles of five quantities, and frequent values of these quantities and the three
	// IDs.
	if count[PerPacket] != 6+6+5+2+3 || count[Static] != 3 || count[Dynamic] != 5+8 {
		t.Errorf("meaningful combinations: %v", count)
	}
}

func TestParseFraction(t *testing.T) {
	tests := []struct{ in, want string }{
		{"15/16", "15/16"}, {"30/32", "15/16"}, {"0.9375", "15/16"}, {"93.75%", "15/16"},
		{"0.333333333333", "333333333333/1000000000000"},
		{"1", "1"}, {"100%", "1"}, {"1.0", "1"}, {"0", "0"}, {"0/7", "0"}, {"1/3", "1/3"},
	}
	for _, tt := range tests {
		if f, err := parseFraction(tt.in); err != nil || f.String() != tt.want {
			t.Errorf("ParseFraction(%q) = %v, %v, want %s", tt.in, f, err, tt.want)
		}
	}
	for _, in := range []string{"", "x", "-1", "+1", "2", "3/2", "1/0", "1/", "/2", "0.", ".5", "101%", "1e-3", "1/2/3",
		"0.0000000000001", "99999999999999999999", "1/1099511627777", " 1"} {
		want := `fraction "` + in + `": want a number from 0 to 1 such as 15/16, 0.9375 or 93.75%, with up to 12 ` +
			"digits after the point"
		if _, err := parseFraction(in); !errtest.Says(err, want) {
			t.Errorf("ParseFraction(%q): %v, want %s", in, err, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		den := rapid.Uint64Range(1, maxDen).Draw(t, "den")
		f := Share(rapid.Uint64Range(0, den).Draw(t, "num"), den)
		if back, err := parseFraction(f.String()); err != nil || back != f && !f.IsZero() {
			t.Fatalf("%v is read back as %v, %v", f, back, err)
		}
	})
}

func TestFlows(t *testing.T) {
	seen := map[string]bool{}
	for d := FlowDef(1); d < allPackets; d++ {
		if back, err := parseFlow(d.String()); err != nil || back != d || seen[d.String()] {
			t.Errorf("flow %v is read back as %v, %v", d, back, err)
		}
		seen[d.String()] = true
	}
	if d, err := parseFlow("all"); err != nil || d != AllPackets {
		t.Errorf("all: %v, %v", d, err)
	}
	for in, want := range map[string]string{
		"vlan": `unknown flow "vlan" (accepted: 5-tuple, host-pair, source, destination, … src_ip, dst_ip, ` +
			`src_port, dst_port, protocol)`,
		"src_ip+src_ip": `flow field "src_ip" occurs twice`,
	} {
		if _, err := parseFlow(in); !errtest.Says(err, want) {
			t.Errorf("ParseFlow(%q): %v, want %s", in, err, want)
		}
	}
	tuple := func(src, dst netip.AddrPort, protocol uint8) FiveTuple {
		return FiveTuple{src.Addr().As16(), dst.Addr().As16(), src.Port(), dst.Port(), protocol}
	}
	a := tuple(netip.MustParseAddrPort("10.0.0.1:1000"), netip.MustParseAddrPort("10.0.0.2:80"), 6)
	b := tuple(netip.MustParseAddrPort("10.0.0.1:1001"), netip.MustParseAddrPort("10.0.0.3:80"), 6)
	for d, same := range map[FlowDef]bool{
		ByFiveTuple: false, BySource: true, ByDestination: false, ByHostPair: false, SrcIP | DstPort: true,
		Protocol: true, AllPackets: true, SrcPort: false,
	} {
		if (d.Key(a) == d.Key(b)) != same {
			t.Errorf("%v: same flow %v, want %v", d, !same, same)
		}
	}
	if got := a.String(); got != "10.0.0.1:1000>10.0.0.2:80/6" {
		t.Errorf("String = %s", got)
	}
	if got := BySource.Key(a).String(); got != "10.0.0.1:*>*:*/*" {
		t.Errorf("String of a source = %s", got)
	}
	v6 := tuple(netip.MustParseAddrPort("[2001:db8::1]:5"), netip.MustParseAddrPort("[2001:db8::2]:6"), 17)
	if got := v6.String(); got != "[2001:db8::1]:5>[2001:db8::2]:6/17" {
		t.Errorf("String = %s", got)
	}
}

// Each row breaks the combined request in one way; the test compares the whole message.
func TestValidate(t *testing.T) {
	tests := []struct {
		name string
		edit func(s *Spec)
		want string
	}{
		{"fine", func(*Spec) {}, ""},
		{"no bits", func(s *Spec) { s.Bits = 0 }, "bits: 0, want 1 to 64"},
		{"two rules", func(s *Spec) { s.Hops, s.HashBits = 256, 17 },
			"hops: 256, want 1 to 255\nhash_bits: 17, want 16 or 32"},
		{"no queries", func(s *Spec) { s.Queries = nil }, "queries: 0 of them, want 1 to 32"},
		{"name", func(s *Spec) { s.Queries[1].Name = "2nd" },
			`queries.1.name: has '2', want a letter, then letters, digits, '-', '_' and '.'`},
		{"no name", func(s *Spec) { s.Queries[1].Name = "" }, `queries.1.name: missing`},
		{"same name", func(s *Spec) { s.Queries[1].Name = "path" }, `queries.1.name: is also the name of queries.0`},
		{"overlap", func(s *Spec) { s.Queries = append(s.Queries, s.Queries[1]); s.Queries[3].Name = "late" },
			`queries.3: overlaps with query "latency": both ask for quantiles of hop_latency; ` +
				`keep one and raise its bits or frequency`},
		{"value", func(s *Spec) { s.Queries[0].Value = 0 },
			`queries.0.value: missing (accepted: one of 9 names, such as switch_id)`},
		{"aggregation", func(s *Spec) { s.Queries[0].Aggregation = 99 },
			`queries.0.aggregation: missing (accepted: one of 8 names, such as max)`},
		{"too wide", func(s *Spec) { s.Queries[2].Bits = 17 },
			"queries.2.bits: 17, but the global bit budget is 16\n" +
				"queries.2.bits: 17 for the code of load, want at most 16"},
		{"contradiction", func(s *Spec) { s.Queries[1].Aggregation = Path; s.Queries[1].Hashes = 1 },
			`queries.1.aggregation: static aggregation of hop_latency, ` +
				`which changes from packet to packet (accepted: switch_id, ingress_port, egress_port)`},
		{"sum of names", func(s *Spec) {
			s.Queries[2].Value, s.Queries[2].Aggregation, s.Queries[2].Rounding = SwitchID, Sum, 0
		},
			`queries.2.aggregation: sum of switch_id means nothing (accepted: hop_latency, tx_utilization, ` +
				`queue_occupancy, queue_congestion, load)`},
		{"flow of a packet", func(s *Spec) { s.Queries[2].Flow, s.Queries[2].Space = BySource, 5 },
			"queries.2.flow: given for a per-packet aggregation, which has no flows\n" +
				"queries.2.space: given for a per-packet aggregation, which is not recorded"},
		{"no flow", func(s *Spec) { s.Queries[0].Flow = 0 },
			`queries.0.flow: missing (accepted: 5-tuple, host-pair, source, destination, all, or fields)`},
		{"no space", func(s *Spec) { s.Queries[1].Space = 0 },
			`queries.1.space: missing: a per-flow aggregation needs a space budget such as 1KB`},
		{"hashes", func(s *Spec) { s.Queries[0].Hashes = 3 },
			`queries.0.hashes: 3 hashes do not divide the 8 bits of the query evenly`},
		{"many hashes", func(s *Spec) { s.Queries[0].Hashes = 65 }, `queries.0.hashes: 65, want 1 to 64`},
		{"hashes elsewhere", func(s *Spec) { s.Queries[1].Hashes = 2 },
			`queries.1.hashes: given for quantiles, want static`},
		{"with", func(s *Spec) { s.Queries[1].With = SwitchID; s.Queries[1].WithBits = 3 },
			`queries.1.with: needs max or min, not quantiles`},
		{"with bits", func(s *Spec) { s.Queries[2].With = SwitchID; s.Queries[2].WithBits = 8 },
			`queries.2.with_bits: 8, want at least 1, fewer than the 8 bits of the query, and at most 32`},
		{"range of a name", func(s *Spec) { s.Queries[0].Step = 1 },
			`queries.0.range: range, step and rounding are for quantities, and switch_id is a name`},
		{"range", func(s *Spec) { s.Queries[1].Low, s.Queries[1].High = 5, 5 },
			`queries.1.range: want 0 < lowest < highest`},
		{"range and step", func(s *Spec) { s.Queries[1].Low, s.Queries[1].High, s.Queries[1].Step = 1, 5, 1 },
			`queries.1.step: given together with range: a code is additive (step) or multiplicative (range)`},
		{"timestamp", func(s *Spec) { s.Queries[2].Value, s.Queries[2].Rounding = IngressTime, approx.Nearest },
			`queries.2.step: missing: a timestamp needs a clock step such as 64ns`},
		{"long timestamp", func(s *Spec) {
			s.Queries[2].Value, s.Queries[2].Rounding, s.Queries[2].Step = IngressTime, approx.Nearest, 1e300
		},
			`queries.2.step: want whole picoseconds, with fewer than 2^62 of them in 2^8 steps`},
		{"short timestamp", func(s *Spec) {
			s.Queries[2].Value, s.Queries[2].Rounding = IngressTime, approx.Nearest
			s.Queries[2].Step, s.Queries[2].Bits = 1, 1
		}, `queries.2.bits: 1 for ingress_timestamp, want at least 2 to distinguish earlier from later`},
	}
	for _, tt := range tests {
		s := Combined()
		tt.edit(&s)
		got := ""
		if err := s.Validate(); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}

// primitives lists what switches measure for a query, in the words and the order of Table 2. The streams
// of a dynamic aggregation are per switch, so they include the switch.
func primitives(q *Query) string {
	of := map[Value]string{
		SwitchID: "switchID", IngressTime: "timestamp", HopLatency: "timestamp", TxUtilization: "port utilization",
		QueueOccupancy: "queue occupancy", QueueCongestion: "queue occupancy",
		Load: "timestamp, port utilization, queue occupancy",
	}
	if q.With == SwitchID || q.Aggregation.Class() == Dynamic {
		return "switchID, " + of[q.Value]
	}
	return of[q.Value]
}

// The test compares the catalogue with Table 2 as printed: application, aggregation and primitives. Each of the eleven
// use cases has a valid query that compiles alone and measures exactly the primitives in the table.
func TestCatalogueIsTable2(t *testing.T) {
	table2 := []struct {
		application string
		class       Class
		primitives  string
	}{
		{"Congestion Control", PerPacket, "timestamp, port utilization, queue occupancy"},
		{"Congestion Analysis", PerPacket, "queue occupancy"},
		{"Network Tomography", PerPacket, "switchID, queue occupancy"},
		{"Power Management", PerPacket, "switchID, port utilization"},
		{"Real-Time Anomaly Detection", PerPacket, "timestamp, port utilization, queue occupancy"},
		{"Path Tracing", Static, "switchID"},
		{"Routing Misconfiguration", Static, "switchID"},
		{"Path Conformance", Static, "switchID"},
		{"Utilization-aware Routing", Dynamic, "switchID, port utilization"},
		{"Load Imbalance", Dynamic, "switchID, port utilization"},
		{"Network Troubleshooting", Dynamic, "switchID, timestamp"},
	}
	cases := Catalogue()
	if len(cases) != len(table2) {
		t.Fatalf("%d use cases, Table 2 has %d", len(cases), len(table2))
	}
	for i, want := range table2 {
		c := cases[i]
		if c.Application != want.application || c.Class != want.class {
			t.Errorf("row %d is %s, %v; want %+v", i+1, c.Application, c.Class, want)
		}
		if got := primitives(&c.Query); c.Query.Aggregation.Class() != c.Class || got != want.primitives {
			t.Errorf("%s: the query is %v and measures %v", c.Application, c.Query.Aggregation.Class(), got)
		}
		p, err := Compile(Spec{Bits: 16, Hops: 5, HashBits: 16, Queries: []Query{c.Query}})
		if err != nil {
			t.Errorf("%s: %v", c.Application, err)
		} else if p.Frequency(0) != Share(1, 1) {
			t.Errorf("%s: alone on %v of the packets", c.Application, p.Frequency(0))
		}
	}
}
