package sim

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pintlab/experiments/scenario"
	"pintlab/netsim/unit"
)

const planned = `
topology: {kind: fattree, k: 4}
workload: [{kind: poisson, sizes: hadoop, load: 0.5, duration: 150us}]
cc: {kind: hpcc}
telemetry: {kind: pint, plan: combined}
`

func parse(t *testing.T, text string, set ...string) scenario.Scenario {
	t.Helper()
	sc, err := scenario.Parse([]byte(text), "test")
	if err != nil {
		t.Fatal(err)
	}
	if err := sc.Set(set...); err != nil {
		t.Fatal(err)
	}
	return sc
}

// The flow records and the digests that hosts record do not depend on the number of engines, and the query engine finds
// the plan of the PINT paper (§6.4).
func TestPlanInTheSimulator(t *testing.T) {
	run := func(set ...string) (*Result, string) {
		r, err := Run(context.Background(), parse(t, planned, set...), Options{})
		if err != nil {
			t.Fatal(err)
		}
		return r, strings.Join(r.Notes, "\n")
	}
	one, notes := run()
	if one.Summary.Finished != one.Summary.Flows || !strings.Contains(notes, `query "path":`) ||
		!strings.Contains(notes, `query "latency":`) {
		t.Errorf("%d of %d flows finished; notes:\n%s", one.Summary.Finished, one.Summary.Flows, notes)
	}
	for _, set := range []string{"run.workers=3", "telemetry.plan=combined-by-hand"} {
		if r, n := run(set); r.Summary.Fingerprint != one.Summary.Fingerprint || n != notes {
			t.Errorf("%s: fingerprint %s, want %s; notes:\n%s\nwant:\n%s", set, r.Summary.Fingerprint,
				one.Summary.Fingerprint, n, notes)
		}
	}
	if r, _ := run("telemetry.seed=1"); r.Summary.Fingerprint == one.Summary.Fingerprint {
		t.Error("telemetry.seed has no effect on the run: HPCC does not read its digests")
	}
}

// Packets that turn back when a link fails pass 7 switches. A plan for 5 hops records the same digests as a plan for 7
// hops, unless it has a sum, because the code of a sum ends at 5 hops. Then the run reports how many digests it does
// not record.
func TestPlanShorterThanDetours(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sum.yaml")
	const query = "bits: 16\nhops: 5\nqueries:\n" +
		"  - {name: path, value: switch_id, aggregation: static, bits: 8, space: 1000B}\n" +
		"  - {name: waited, value: hop_latency, aggregation: sum, bits: 8}\n"
	if err := os.WriteFile(file, []byte(query), 0o644); err != nil {
		t.Fatal(err)
	}

	const text = "topology: {kind: fattree, k: 4}\nworkload: [{kind: permutation, size: 500KB}]\ncc: {kind: hpcc}\n" +
		"monitors: [{kind: pint}]\n" +
		"faults: [{kind: link-down, a: 16, b: 24, at: 20us, until: 60us}]\n"
	run := func(set string) (packets uint64, notes string) {
		r, s := watched(t, text, Options{}, set)
		return s.Monitor(0).(collecting).Collector().Usage("path").Packets, strings.Join(r.Notes, "\n")
	}
	all, notes := run("monitors.0.hops=7")
	if strings.Contains(notes, "not recorded") || strings.Contains(notes, "no switch can have written") {
		t.Errorf("room for 7 hops:\n%s", notes)
	}
	if short, notes := run("monitors.0.hops=5"); short != all || strings.Contains(notes, "not recorded") {
		t.Errorf("room for 5 hops: %d digests of %d\n%s", short, all, notes)
	}
	some, notes := run("monitors=[{kind: pint, plan: file, plan_path: " + file + "}]")
	want := fmt.Sprintf("digests of %d packets are not recorded, because they passed too many switches for the sums",
		all-some)
	if all == some || !strings.Contains(notes, want) || strings.Contains(notes, "no switch can have written") {
		t.Errorf("a sum over 5 hops: %d digests of %d, want %q in\n%s", some, all, want, notes)
	}
	for _, hops := range []string{"5", "7"} {
		r, err := Run(t.Context(), parse(t, text, "monitors=[]", "telemetry.kind=pint", "telemetry.plan=combined",
			"telemetry.hops="+hops), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if notes := strings.Join(r.Notes, "\n"); strings.Contains(notes, "not recorded") ||
			strings.Contains(notes, "no switch can have written") {
			t.Errorf("telemetry of %s hops:\n%s", hops, notes)
		}
	}
}

// With a path checksum, 8 more bits on each packet, a plan runs where packets of a flow take several paths; without the
// checksum the run is refused. What hosts record does not depend on the number of engines.
func TestPlanOverSeveralPaths(t *testing.T) {
	for _, kind := range []string{"letflow", "spray", "reps"} {
		set := []string{"cc.kind=dctcp", "network.balancing.kind=" + kind, "telemetry.plan=file",
			"telemetry.plan_path=" + filepath.Join("testdata", "lanes.yaml"), "telemetry.wire_bytes=3B"}
		notes := func(more string) string {
			r, err := Run(t.Context(), parse(t, planned, append(set, more)...), Options{})
			if err != nil {
				t.Fatal(err)
			}
			return strings.Join(r.Notes, "\n")
		}
		one := notes("run.workers=1")
		if !strings.Contains(one, "8 bits on every packet keep paths of a flow apart") ||
			one != notes("run.workers=3") {
			t.Errorf("%s:\n%s", kind, one)
		}
	}
	set := []string{"network.balancing.kind=letflow"}
	if _, err := Build(parse(t, planned, set...), Options{}, nil); err == nil ||
		!strings.Contains(err.Error(), "want telemetry.path_checksum = 8 or 16") {
		t.Errorf("without a checksum: %v", err)
	}
	s, err := Build(parse(t, planned, append(set, "telemetry.path_checksum=8")...), Options{}, nil)
	if err != nil || s.Scenario.Telemetry.System().Overhead() != 3*unit.Byte {
		t.Errorf("with a checksum of 8 bits: %v", err)
	}
}

// HPCC gets nearly the same results from a plan that contains only HPCC's query as from the tap for a single query. The
// two round with different random numbers.
func TestPlanOfHPCCAlone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "plan.yaml")
	if err := os.WriteFile(file,
		[]byte("bits: 8\nhops: 5\nqueries:\n  - {name: hpcc, value: load, aggregation: max, bits: 8, rounding: log}\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	mean := func(set ...string) float64 {
		r, err := Run(context.Background(), parse(t, planned, set...), Options{})
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for i := range r.Flows.Len() {
			f := r.Flows.At(i)
			sum += f.FCT.Ratio(f.Ideal)
		}
		return sum / float64(r.Flows.Len())
	}
	tap, plan := mean("telemetry.plan=hpcc"), mean("telemetry.plan=file", "telemetry.plan_path="+file,
		"telemetry.wire_bytes=1B")
	if plan/tap > 1.02 || plan/tap < 0.98 {
		t.Errorf("mean slowdown %.4f with the plan, %.4f with the tap of one query", plan, tap)
	}
}

// The default size of the digest field has room for the 16 bits of a usual plan. A wider plan needs wire_bytes, and the
// error says how much.
func TestWireBytesOfPlanFiles(t *testing.T) {
	for bits, want := range map[int]string{
		16: "",
		24: "telemetry.wire_bytes = 2B: too few bytes for the 24 bits of the plan (accepted: 3B or more)",
	} {
		path := filepath.Join(t.TempDir(), "plan.yaml")
		plan := fmt.Sprintf("bits: %d\nhops: 5\nqueries:\n"+
			"  - {name: hpcc, value: load, aggregation: max, bits: 8}\n", bits)
		if err := os.WriteFile(path, []byte(plan), 0o644); err != nil {
			t.Fatal(err)
		}
		file := strings.Replace(planned, "plan: combined", "plan: file, plan_path: "+path, 1)
		_, err := Build(parse(t, file), Options{}, nil)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%d bits: %v, want %q", bits, err, want)
		}
	}
}

func TestBadPlans(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	path := write("path.yaml",
		"bits: 8\nhops: 5\nqueries:\n  - {name: path, value: switch_id, aggregation: static, bits: 8, space: 1000B}\n")
	short := write("short.yaml",
		"bits: 8\nhops: 3\nqueries:\n  - {name: path, value: switch_id, aggregation: static, bits: 8, space: 1000B}\n")
	deaf := write("deaf.yaml",
		"bits: 8\nhops: 5\nqueries:\n  - {name: hpcc, value: load, aggregation: max, bits: 8, range: 0.01..1.5}\n")
	tests := []struct {
		set  []string
		want string
	}{
		{[]string{"telemetry.plan=file", "telemetry.plan_path=" + deaf, "telemetry.wire_bytes=1B"},
			"so no digest could report an overloaded link: choose range or step so that this code stands " +
				"for at least 2"},
		{[]string{"telemetry.plan=file", "telemetry.plan_path=" + path},
			"the plan needs a query of load with the aggregation max"},
		{[]string{"telemetry.plan=file", "telemetry.plan_path=" + short, "transport.kind=newreno", "cc.kind=reno"},
			"hops = 3, but the network has paths of 5 switches"},
		{[]string{"telemetry.plan=file", "telemetry.plan_path=" + dir + "/none.yaml"}, "none.yaml"},
		{[]string{"telemetry.wire_bytes=1B"}, "telemetry.wire_bytes = 1B: too few bytes for the 16 bits of the plan"},
		{[]string{"transport.kind=newreno", "cc.kind=reno"}, "average utilisation over the base RTT"},
		{[]string{"telemetry.memory=1KiB"}, "holds no flow"},
		{[]string{"cc.rtt=path"}, "cc.rtt = path"},
	}
	for _, tt := range tests {
		_, err := Build(parse(t, planned, tt.set...), Options{}, nil)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: %v, want %q", tt.set, err, tt.want)
		}
	}
	// A plan of only the path also runs over TCP.
	if _, err := Run(context.Background(),
		parse(t, planned, "telemetry.plan=file", "telemetry.plan_path="+path, "transport.kind=newreno", "cc.kind=reno"),
		Options{}); err != nil {
		t.Error(err)
	}
}
