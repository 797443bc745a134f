package query

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pintlab/internal/errtest"
	"pintlab/netsim/unit"
	"pintlab/pint/approx"
)

const combinedYAML = `# The combined experiment of section 6.4.
bits: 16
hops: 5
queries:
  - name: path
    value: switch_id
    aggregation: static
    bits: 8
    hashes: 2
    space: 1KB
    flow: 5-tuple
    frequency: 1
  - {name: latency, value: hop_latency, aggregation: quantiles, bits: 8, space: 1000B, frequency: 93.75%}
  - name: hpcc
    value: load
    aggregation: max
    bits: 8
    frequency: 1/16
    rounding: log
`

func TestParseCombined(t *testing.T) {
	s, err := Parse("combined.yaml", []byte(combinedYAML))
	if err != nil {
		t.Fatal(err)
	}
	if want := Combined(); !reflect.DeepEqual(*s, want) {
		t.Errorf("Parse: %+v\nwant %+v", *s, want)
	}
	s, err = Parse("combined.yaml", []byte(combinedYAML+`
hash_bits: 16
plan:
  - queries: [path, latency]
    probability: 15/16
  - queries: [path, hpcc]
    probability: 0.0625
`))
	if err != nil {
		t.Fatal(err)
	}
	if want := CombinedByHand(); !reflect.DeepEqual(*s, want) {
		t.Errorf("Parse: %+v\nwant %+v", *s, want)
	}
}

// A file may set every optional key, with any unit of its value.
func TestParseUnits(t *testing.T) {
	s, err := Parse("q.yaml", []byte(`
bits: 64
hops: 59
hash_bits: 32
queries:
  - {name: f, value: switch_id, aggregation: checksum, bits: 9}
  - {name: a, range: 1ns..60us, value: hop_latency, aggregation: max, bits: 12, with: egress_port, with_bits: 4}
  - {name: b, value: queue_occupancy, aggregation: quantiles, bits: 8, step: 1.5KiB, space: 20KB,
     flow: [src_ip, dst_port], rounding: value}
  - {name: c, value: tx_utilization, aggregation: product, bits: 8, range: "0.1%..1"}
  - {name: d, value: ingress_timestamp, aggregation: min, bits: 20, step: 64ns}
  - {name: e, value: ingress_port, aggregation: static, bits: 6, hashes: 3, space: 99B, flow: host-pair}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := []Query{
		{Name: "f", Value: SwitchID, Aggregation: Checksum, Bits: 9},
		{Name: "a", Value: HopLatency, Aggregation: Max, Bits: 12, With: EgressPort, WithBits: 4,
			Low: float64(unit.Nanosecond), High: float64(60 * unit.Microsecond)},
		{Name: "b", Value: QueueOccupancy, Aggregation: Quantiles, Bits: 8, Step: 1536, Space: 20_000,
			Flow: SrcIP | DstPort, Rounding: approx.UnbiasedValue},
		{Name: "c", Value: TxUtilization, Aggregation: Product, Bits: 8, Low: 0.001, High: 1},
		{Name: "d", Value: IngressTime, Aggregation: Min, Bits: 20, Step: float64(64 * unit.Nanosecond)},
		{Name: "e", Value: IngressPort, Aggregation: Path, Bits: 6, Hashes: 3, Space: 99, Flow: ByHostPair},
	}
	if !reflect.DeepEqual(s.Queries, want) || s.HashBits != 32 || s.Hops != 59 || s.Bits != 64 {
		t.Errorf("Parse: %+v\nwant %+v", s.Queries, want)
	}
}

// Messages name file, line, key and the accepted values. They list all errors.
func TestParseErrors(t *testing.T) {
	const one = "bits: 8\nhops: 5\nqueries:\n  - name: a\n    bits: 8\n"
	tests := []struct{ name, text, want string }{
		{"empty", "", "q.yaml: empty, want bits, hops and queries"},
		{"comment", "# nothing\n", "q.yaml: empty, want bits, hops and queries"},
		{"two documents", "bits: 1\n---\nbits: 2\n", "q.yaml:3:1: want one document, found a second"},
		{"not yaml", "bits: [\n", "q.yaml:1:7: not YAML: sequence end token ']' not found"},
		{"list", "- 1\n", "q.yaml:1:1: want keys … got a list"},
		{"word", "bits\n", "q.yaml:1:1: want keys … got \"bits\""},
		{"nothing in it", "hash_bits: 16\n", "q.yaml:1:1: bits: missing (accepted: >= 1 and <= 64)\n" +
			"q.yaml:1:1: hops: missing (accepted: >= 1 and <= 255)"},
		{"unknown key", "bits: 1\nhops: 1\nbudget: 3\n",
			"q.yaml:3:1: budget: unknown key (accepted: bits, hops, hash_bits, queries, plan)"},
		{"twice", "bits: 1\nhops: 1\nbits: 1\n", "q.yaml:3:1: bits: given twice; the first is in line 1"},
		{"number", "bits: 1.5\nhops: x\nhash_bits:\n",
			"q.yaml:1:7: bits: \"1.5\": want a whole number; accepted: >= 1 and <= 64\n" +
				"q.yaml:2:7: hops: \"x\": want a whole number; accepted: >= 1 and <= 255\n" +
				"q.yaml:3:12: hash_bits: want a single value, got nothing"},
		{"anchors", "bits: &a 3\nhops: *a\n",
			"q.yaml:1:7: bits: … got an anchor, alias or merge key, which is not accepted here\n" +
				"q.yaml:2:7: hops: … got an anchor, alias or merge key, which is not accepted here"},
		{"queries", "bits: 8\nhops: 1\nqueries: 3\nplan: {}\n",
			"q.yaml:3:10: queries: want a list, got \"3\"\nq.yaml:4:7: plan: want a list, got keys and values"},
		{"a query", "bits: 8\nhops: 1\nqueries:\n  - path\n  - 5: x\n",
			"q.yaml:4:5: queries.0: want keys … got \"path\"\n" +
				"q.yaml:5:5: queries.1.5: unknown key (accepted: name, value, aggregation, bits, with, with_bits, " +
				"space, flow, frequency, hashes, rounding, range, step)\n" +
				"q.yaml:5:5: queries.1.name: missing\n" +
				"q.yaml:5:5: queries.1.value: missing (accepted: switch_id, ingress_port, ingress_timestamp, " +
				"egress_port, hop_latency, tx_utilization, queue_occupancy, queue_congestion, load)\n" +
				"q.yaml:5:5: queries.1.aggregation: missing (accepted: max, min, sum, product, checksum, static, " +
				"quantiles, frequent)\n" +
				"q.yaml:5:5: queries.1.bits: missing (accepted: >= 1 and <= 64)"},
		{"words", one + "    value: foo\n    aggregation: maxx\n    space: 5\n    rounding: up\n",
			"q.yaml:6:12: queries.0.value: \"foo\": not known (accepted: switch_id, ingress_port, " +
				"ingress_timestamp, egress_port, hop_latency, tx_utilization, queue_occupancy, " +
				"queue_congestion, load)\n" +
				"q.yaml:7:18: queries.0.aggregation: \"maxx\": not known (accepted: max, …); did you mean \"max\"?\n" +
				"q.yaml:8:12: queries.0.space: size \"5\": want … unit (GiB, MiB, KiB, GB, MB, KB, B); accepted: …\n" +
				"q.yaml:9:15: queries.0.rounding: rounding \"up\": want nearest, log or value"},
		{"forms", one + "    value: hop_latency\n    aggregation: max\n    flow: [src_ip, mac]\n" +
			"    frequency: 0\n    range: 1ns\nplan:\n  - {queries: [a], probability: 2}\n",
			"q.yaml:8:11: queries.0.flow: unknown flow \"mac\" (accepted: 5-tuple, host-pair, source, " +
				"destination, all, or some of src_ip, dst_ip, src_port, dst_port, protocol)\n" +
				"q.yaml:9:16: queries.0.frequency: with 0, the query would never run; …\n" +
				"q.yaml:10:12: queries.0.range: \"1ns\", want lowest..highest such as 1ns..60us\n" +
				"q.yaml:12:33: plan.0.probability: fraction \"2\": want … from 0 to 1 …"},
		{"units", one + "    value: hop_latency\n    aggregation: max\n    range: 1B..2s\n" +
			"  - {name: b, bits: 8, step: -1, value: load, aggregation: max}\n",
			"q.yaml:8:12: queries.0.range: time \"1B\": unknown unit \"B\" (accepted: s, ms, us, ns, ps)\n" +
				"q.yaml:9:30: queries.1.step: number \"-1\": want a number such as 0.05 or 5%"},
		{"rules", "bits: 8\nhops: 5\nqueries:\n  - name: a\n    aggregation: max\n    value: hop_latency\n" +
			"    bits: 9\n  - name: a\n    value: switch_id\n    aggregation: static\n    bits: 8\n" +
			"    flow: source\nplan:\n  - queries: [a]\n    probability: 1/3\n",
			"q.yaml:7:11: queries.0.bits: 9, but the global bit budget is 8\n" +
				"q.yaml:8:5: queries.1.space: missing: a per-flow aggregation needs a space budget such as 1KB\n" +
				"q.yaml:8:11: queries.1.name: is also the name of queries.0\n" +
				"q.yaml:12:11: queries.1.flow: source for a static aggregation: " +
				"packets between several pairs of hosts do not share a path " +
				"(accepted: flows that contain src_ip and dst_ip)\n" +
				"q.yaml:14:3: plan: probabilities sum to 1/3, want 1\n" +
				"q.yaml:14:3: plan: never serves query \"a\""},
		{"space", "bits: 8\nhops: 5\nqueries:\n" +
			"  - {name: a, value: switch_id, aggregation: static, bits: 8, space: 1B}\n" +
			"  - {name: b, value: hop_latency, aggregation: quantiles, bits: 8, space: 512B}\n" +
			"  - {name: c, value: egress_port, aggregation: frequent, bits: 8, space: 99B}\n" +
			"  - {name: d, value: hop_latency, aggregation: max, bits: 8}\n",
			"q.yaml:4:70: queries.0.space: a space of 1B holds no digest (accepted: 81B or more)\n" +
				"q.yaml:5:75: queries.1.space: a space of 512B is too small for 5 hops with a kll of 8-bit codes " +
				"each (accepted: 624B or more)\n" +
				"q.yaml:6:74: queries.2.space: a space of 99B is too small for 5 hops with a counter each " +
				"(accepted: … or more)"},
	}
	for _, tt := range tests {
		_, err := Parse("q.yaml", []byte(tt.text))
		if !errtest.Says(err, tt.want) {
			t.Errorf("%s:\n%v\nwant\n%s", tt.name, err, tt.want)
		}
	}
}

// No text causes Parse to panic, an error always names the file, and an accepted file is valid and either compiles or
// causes an error.
func FuzzParse(f *testing.F) {
	f.Add(combinedYAML)
	f.Add("bits: 8\nhops: 1\nqueries: [{name: a, value: load, aggregation: max, bits: 8}]\n" +
		"plan: [{queries: [a], probability: 1}]")
	f.Add("bits: &a [*a]\n? x\n: !!str y\n<<: {}\n")
	f.Add("queries:\n- range: 0..1\n  value: load\n- step: 1e309%")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse("f.yaml", []byte(text))
		if err != nil {
			for _, line := range strings.Split(err.Error(), "\n") {
				if !strings.HasPrefix(line, "f.yaml:") && !strings.Contains(err.Error(), "\n\t") {
					t.Errorf("message without a place: %q", line)
				}
			}
			return
		}
		if err := s.Validate(); err != nil {
			t.Fatalf("accepted, but %v", err)
		}
		if len(s.Queries) <= 6 {
			if p, err := Compile(*s); err == nil && p.String() == "" {
				t.Fatal("empty plan")
			}
		}
	})
}

// The example files of the documentation are valid and compile.
func TestExampleFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no example files: %v", err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Parse(name, text)
		if err != nil {
			t.Error(err)
			continue
		}
		if _, err := Compile(*s); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
