package figures

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pintlab/experiments/internal/compare"
	"pintlab/experiments/internal/measure/pint"
	"pintlab/experiments/scenario"
	inband "pintlab/int"
	"pintlab/internal/number"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
	"pintlab/pint/approx"
	"pintlab/plots"
	"pintlab/workloads"
)

// column is a scenario whose constants are in docs/reference/constants.md.
type column struct{ title, preset string }

var columns = []column{
	{"HPCC, INT", "fat320-web"},
	{"HPCC, PINT", "fat320-web-pint"},
	{"Reno, §6.1 network", "fat320-web-reno"},
	{"Reno, §2 network", "fig1"},
}

// sources maps each key to the source of its value. "ours" means that this project has chosen the value; the reason
// follows.
var sources = map[string]string{
	"topology.kind": "PINT §6.1: 16 core, 20 aggregation, 20 ToR switches, 320 servers; §2: 64 hosts, " +
		"five hops, the number of switches is ours",
	"topology.host_rate":   "PINT §6.1, §2",
	"topology.fabric_rate": "PINT §6.1; §2 (all links 10 Gb/s)",
	"topology.link_delay":  "PINT §6.1; ours in §2, the same",

	"workload.0.kind":     "PINT §6.1; §2 says random destinations",
	"workload.0.sizes":    "PINT §6.1, §2",
	"workload.0.load":     "PINT §6.1; §2 has 30 % and 70 %",
	"workload.0.duration": "ours: each figure states its own; the published scripts have 200 ms",
	"workload.0.start":    "ours",
	"workload.0.priority": "published simulator",

	"network.buffer":            "PINT §6.1",
	"network.port_limit":        "ours: HPCC shares the buffer; for Reno the documents give none, Fig. 1 and 2 vary it",
	"network.processing_delay":  "published simulator",
	"network.telemetry_cycles":  "ours: the cost of PINT §2 is an option",
	"network.link_error_rate":   "ours",
	"network.serialisation":     "ours: exact; the published simulator cuts to nanoseconds",
	"network.ecmp.hash":         "ours: a hash of the 5-tuple with a salt for each switch",
	"network.ecmp.order":        "ours",
	"network.scheduling.kind":   "published simulator: classes in turns",
	"network.balancing.kind":    "published simulator: by flow",
	"network.ecn.enabled":       "ours: neither HPCC nor Reno reads marks",
	"network.pfc.enabled":       "HPCC (RDMA) runs lossless; Reno does not",
	"network.pfc.threshold":     "published simulator",
	"network.pfc.shift":         "published simulator",
	"network.pfc.shift_by_rate": "published simulator",
	"network.pfc.hysteresis":    "published simulator",
	"network.pfc.headroom":      "ours: what a link can still deliver after a pause",
	"network.pfc.reserve":       "published simulator",
	"network.pfc.frame":         "IEEE 802.1Qbb: a minimum frame",

	"transport.kind":          "PINT §6.1 (RDMA, go-back-N); §2 (TCP Reno: RFC 5681, 6582, 6298)",
	"transport.segment":       "published simulator (payload fixed); PINT §2 (packet fixed)",
	"transport.payload":       "published simulator; PINT §2: RDMA has an MTU of 1 KB",
	"transport.mtu":           "PINT §2",
	"transport.link_header":   "Ethernet without preamble and checksum, as the published simulator counts",
	"transport.header":        "published simulator (14 L2, 20 IP, 8 UDP, 6 sequence and class); TCP: 14, 20, 20",
	"transport.ack_header":    "published simulator; TCP as its data",
	"transport.ack_min":       "published simulator",
	"transport.ack_every":     "published simulator",
	"transport.ack_class":     "published simulator: ACKs have the class of their data",
	"transport.mark_echo":     "no marks, and no delayed ACKs",
	"transport.ack_delay":     "ours: no delayed ACKs",
	"transport.duplicates":    "ours: a lost ACK must not hang a flow",
	"transport.window_edge":   "published simulator; TCP: RFC 5681",
	"transport.base_rtt":      "published simulator; windows and what comes from the network go by it",
	"transport.pacing":        "HPCC §3; none in TCP Reno",
	"transport.rounds":        "ours",
	"transport.timer":         "RFC 6298; ours for HPCC, which has none in the published simulator",
	"transport.rto_min":       "ours: Fig. 1 and 2 vary it",
	"transport.rto_initial":   "ours",
	"transport.rto_max":       "ours",
	"transport.max_retries":   "ours: then a flow is reported as failed",
	"transport.nack_interval": "published simulator",
	"transport.dup_acks":      "RFC 5681",

	"cc.kind":             "PINT §6.1, §2",
	"cc.form":             "HPCC, Algorithm 1",
	"cc.eta":              "PINT §6.1",
	"cc.max_stage":        "PINT §6.1",
	"cc.rtt":              "PINT §6.1",
	"cc.t":                "PINT §6.1",
	"cc.w_ai":             "PINT §6.1",
	"cc.initial_window":   "ours: RFC 6928",
	"cc.initial_ssthresh": "RFC 5681 §3.1: as high as it can be",
	"cc.ecn":              "ours: no marks",

	"telemetry.kind":           "PINT §6.1, §2",
	"telemetry.format":         "PINT §2, footnote 1: 4.2 %; standard INT is another curve of Fig. 7",
	"telemetry.hops":           "published simulator; the longest path of the network",
	"telemetry.precision":      "ours: exact; the published simulator has narrow fields",
	"telemetry.bytes":          "HPCC's INT without a reader; PINT §2 for 48 B",
	"telemetry.plan":           "PINT §6.1: HPCC's query alone",
	"telemetry.wire_bytes":     "PINT §6.1: 8 bits",
	"telemetry.bits":           "PINT §4.3: 8 bits",
	"telemetry.base":           "PINT §4.3: (1+ε)², ε = 0.025",
	"telemetry.rounding":       "PINT §4.3: the logarithm is unbiased",
	"telemetry.p":              "PINT §6.1; Fig. 8 has 1/16 and 1/256",
	"telemetry.sample_at":      "PINT §3.4: the switches choose",
	"telemetry.ewma_over":      "PINT §4.3: every dequeued packet",
	"telemetry.ewma_size":      "PINT §4.3",
	"telemetry.first_feedback": "ours: PINT's U needs no second sample",
	"telemetry.arithmetic":     "ours: the P4 arithmetic is measured by itself",
	"telemetry.seed":           "ours",

	"run.until":            "ours: far beyond any flow",
	"run.drain":            "ours: flows that start late count as much as the others",
	"run.warmup":           "ours",
	"run.cooldown":         "ours",
	"run.workers":          "ours",
	"run.ties":             "ours: symmetric senders take turns at random",
	"run.start_times":      "ours: exact",
	"run.ideal_fct":        "PINT §6.1: the time alone; computed without telemetry, the same for every scheme",
	"run.stall":            "ours",
	"run.wall_limit":       "ours",
	"run.sampling.enabled": "ours",
	"run.outputs":          "ours",
	"estimate.enabled":     "ours",
}

// other lists constants that are not keys of a scenario.
func other() [][3]string {
	u := approx.Utilization()
	cycle := func(rate unit.Rate) string {
		d, err := telemetry.DatapathAt(rate)
		if err != nil {
			panic(err) // the rates of the paper are valid
		}
		return fmt.Sprintf("%v for each started %d B, at both interfaces", d.Cycle, int64(d.Width))
	}
	size := func(v float64) string { return fmt.Sprintf("%.2f B", v) }
	standard := func(hops int) int64 {
		return int64((&inband.Params{Format: "standard", Values: 1, Hops: hops}).Overhead())
	}
	return [][3]string{
		{"least U of HPCC, and of PINT's code", fmt.Sprintf("1/%g", 1/u.Min), "published simulator (its " +
			"codes scale U by 512)"},
		{"codes of PINT's U", fmt.Sprint(u.Codes), "PINT §4.3: 8 bits"},
		{"HPCC's window", "one packet to line rate · T", "ours: maxStage = 0 divides at every update"},
		{"header of standard INT",
			fmt.Sprintf("%d B, and %d B for each value and hop", standard(0), standard(1)-standard(0)), "PINT §2"},
		{"telemetry cycles at 10 Gb/s", cycle(10 * unit.Gbps), "PINT §2, footnote 3"},
		{"telemetry cycles at 100 Gb/s", cycle(100 * unit.Gbps), "PINT §2, footnote 3"},
		{"mean flow of web search", size(workloads.WebSearch().Mean()), "DCTCP, in the points of the HPCC " +
			"authors' generator"},
		{"mean flow of Hadoop", size(workloads.Hadoop().Mean()), "Roy et al. 2015, in the points of the HPCC " +
			"authors' generator"},
		{"long flow", "above " + number.Format(float64(pint.Long), plots.InBytes, 3), "PINT §2, §6.1"},
		{"long flow of Hadoop, and in `compare` on your networks", "above " +
			number.Format(float64(compare.LongFlows), plots.InBytes, 3), "ours: short runs have few larger " +
			"flows, and Hadoop has none"},
		{"confidence of intervals", "95 %", "ours"},
	}
}

const constantsHead = `<!-- Generated by go test ./experiments/internal/figures -run TestConstants -update -->
# Constants

This page lists every constant of the default profile with its source. "PINT" is Ben Basat et al., SIGCOMM 2020,
"HPCC" Li et al., SIGCOMM 2019; the published simulator is by the PINT authors. "Ours" is a choice of this project
where these are silent. [Scenario files](scenario/README.md) explains the keys, and
[profiles](scenario/profiles.md#profiles) what the published simulator does differently.

## Keys of a scenario

`

// docs/reference/constants.md lists every key of the figures' presets with the present value and a source. The text
// of testdata/parameters.md follows.
func TestConstants(t *testing.T) {
	var keys []string
	values := make([]map[string]string, len(columns))
	for i, c := range columns {
		sc, err := scenario.Open(c.preset)
		if err != nil {
			t.Fatal(err)
		}
		values[i] = map[string]string{}
		after := -1 // position of the previous key; inserting behind it keeps the keys of a section together
		for _, kv := range flatten(string(sc.YAML())) {
			values[i][kv[0]] = kv[1]
			if at := slices.Index(keys, kv[0]); at >= 0 {
				after = at
				continue
			}
			after++
			keys = slices.Insert(keys, after, kv[0])
		}
	}
	var b strings.Builder
	b.WriteString(constantsHead + "| key |")
	for _, c := range columns {
		fmt.Fprintf(&b, " %s |", c.title)
	}
	b.WriteString(" source |\n|---|" + strings.Repeat("---|", len(columns)) + "---|\n")
	used := map[string]bool{}
	for _, k := range keys {
		if k == "name" || k == "profile" || k == "seed" || k == "faults" {
			continue
		}
		source := sources[k]
		if source == "" {
			t.Errorf("%s has no source", k)
		}
		used[k] = true
		fmt.Fprintf(&b, "| `%s` |", k)
		for i := range columns {
			if v, ok := values[i][k]; ok {
				fmt.Fprintf(&b, " %s |", v)
			} else {
				b.WriteString(" – |")
			}
		}
		fmt.Fprintf(&b, " %s |\n", source)
	}
	for k := range sources {
		if !used[k] {
			t.Errorf("%s has a source, and no preset has the key", k)
		}
	}
	b.WriteString("\n## Others\n\n| what | value | source |\n|---|---|---|\n")
	for _, o := range other() {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", o[0], o[1], o[2])
	}
	b.WriteString("\n" + read(t, filepath.Join("testdata", "parameters.md")))
	name := filepath.Join("..", "..", "..", "docs", "reference", "constants.md")
	if *update {
		if err := os.WriteFile(name, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(read(t, name), b.String()); diff != "" {
		t.Errorf("docs/reference/constants.md is not what the code says (-page +code); "+
			"go test ./experiments/internal/figures -run TestConstants -update\n%s", diff)
	}
}

// flatten lists the full keys and the values in a scenario's YAML.
func flatten(text string) [][2]string {
	var out [][2]string
	var path []string
	item := 0
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		body := strings.TrimLeft(line, " ")
		depth := (len(line) - len(body)) / 2
		if rest, ok := strings.CutPrefix(body, "- "); ok {
			path = append(path[:depth], fmt.Sprint(item))
			item++
			depth++
			body = rest
		}
		key, value, _ := strings.Cut(body, ":")
		path = append(path[:depth], key)
		if value = strings.TrimSpace(value); value != "" {
			out = append(out, [2]string{strings.Join(path, "."), value})
		} else {
			item = 0
		}
	}
	return out
}

func TestFlatten(t *testing.T) {
	got := flatten("a: 1\nb:\n  c: 2\n  d:\n    e: x y\nlist:\n  - f: 3\n    g: 4\n  - f: 5\n")
	want := [][2]string{{"a", "1"}, {"b.c", "2"}, {"b.d.e", "x y"}, {"list.0.f", "3"}, {"list.0.g", "4"},
		{"list.1.f", "5"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
