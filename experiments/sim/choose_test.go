package sim

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pintlab/experiments/protocols"
	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/hpcc"
	"pintlab/netsim/schema"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// longLinks is a dumbbell of 100 Gb/s with links of 10 us.
var longLinks = []string{
	"topology={kind: dumbbell, link_delay: 10us}", "workload=[{kind: list, flows: [{src: 0, dst: 2, size: 1MB}]}]",
}

func choicesOf(t *testing.T, set ...string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, c := range settled(t, set...) {
		if c.From == "" {
			t.Errorf("%s has no rule", c.Key)
		}
		found[c.Key] = c.Value
	}
	return found
}

func settled(t *testing.T, set ...string) []schema.Settled {
	t.Helper()
	sc, err := scenario.Default().With(append(slices.Clone(longLinks), set...)...)
	if err != nil {
		t.Fatal(err)
	}
	list, err := Choices(t.Context(), sc)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// The base RTT is 6·10 us for the links, plus 3·87.2 ns for a packet of 1090 B with INT, plus 3·7.04 ns for its ACK of
// 88 B. Without telemetry a packet of 1048 B takes 83.84 ns and its ACK of 60 B takes 4.8 ns.
func TestSettingsComeFromTheNetwork(t *testing.T) {
	marks := []string{"network.ecn.enabled=true", "telemetry.kind=none"}
	tcp := append([]string{"transport.kind=newreno"}, marks...)
	for _, tt := range []struct {
		set  []string
		want string // key=value pairs that must be among the choices
	}{
		{nil, "cc.t=60282.72ns cc.w_ai=376B transport.rto_min=1ms"},
		{[]string{"cc.t=20us"}, "cc.w_ai=125B"},
		{[]string{"cc.form=rate", "cc.rtt=max"}, "cc.rate_ai=50Mbps cc.min_rate=1Gbps"},
		{[]string{"cc.kind=powertcp", "cc.rtt=given"}, "cc.t=60282.72ns"},
		{append([]string{"cc.kind=dcqcn"}, marks...),
			"cc.cnp_interval=60265.92ns cc.timer=66292.512ns cc.rate_ai=100Mbps cc.byte_counter=25MB " +
				"network.ecn.kmin=400KB network.ecn.kmax=1600KB network.ecn.pmax=0.2"},
		{append([]string{"cc.kind=dctcp", "cc.form=rate"}, marks...),
			"network.ecn.kmin=107617B network.ecn.pmax=1 cc.min_rate=1Gbps"},
		{append([]string{"cc.kind=dctcp", "network.ecn.at_rate=50Gbps", "network.ecn.kmax=30KB"}, tcp...),
			"network.ecn.kmin=30KB"},
		{append([]string{"cc.kind=reno", "cc.ecn=true"}, tcp...), "network.ecn.pmax=1"},
		{[]string{"cc.kind=timely", "telemetry.kind=none", "cc.t_high=100us"},
			"cc.min_rtt=60265.92ns cc.t_low=100us cc.rate_ai=100Mbps"},
		{[]string{"cc.kind=timely", "telemetry.kind=none"},
			"cc.min_rtt=60265.92ns cc.t_low=150664.8ns cc.t_high=1506.648us cc.rate_ai=100Mbps"},
		{[]string{"cc.kind=swift", "telemetry.kind=none"}, "cc.base_target=75332.4ns cc.hop_target=7533.24ns"},
		{[]string{"cc.kind=fixed", "telemetry.kind=none"}, "cc.rate=100Gbps"},
		{[]string{"cc.kind=timely", "telemetry.kind=none", "topology.bottleneck_rate=1Gbps"},
			"cc.min_rate=10Mbps cc.rate_ai=100Mbps"},
		// ten packets of 1514 B at the bottleneck
		{append([]string{"cc.kind=dctcp", "topology.bottleneck_rate=1Gbps"}, tcp...), "network.ecn.kmin=1514KB"},
		{[]string{"transport.base_rtt=payload"}, "cc.t=60.24us cc.w_ai=376B"}, // 3 x 80 ns for 1000 B
		{[]string{"transport.kind=irn"}, "transport.rto_low=180848.16ns transport.rto_high=602827.2ns"},
	} {
		got := choicesOf(t, tt.set...)
		for _, pair := range strings.Fields(tt.want) {
			key, value, _ := strings.Cut(pair, "=")
			if got[key] != value && unitless(got[key]) != unitless(value) {
				t.Errorf("%v: %s = %s, want %s", tt.set, key, got[key], value)
			}
		}
		for _, s := range tt.set {
			if key, _, _ := strings.Cut(s, "="); got[key] != "" {
				t.Errorf("%s is given, and %s was chosen", s, got[key])
			}
		}
	}
}

// unitless returns a size as a number of bytes, whatever its unit. It returns other values unchanged.
func unitless(s string) string {
	if b, err := unit.ParseBytes(s); err == nil {
		return fmt.Sprint(int64(b))
	}
	return s
}

// Every key whose value may follow from the network gets a value, for every control in each of its forms.
func TestEveryControlChooses(t *testing.T) {
	set := &transport.Setting{
		HostRate: 10 * unit.Gbps, Slowest: unit.Gbps, Fastest: 10 * unit.Gbps, Payload: 1000, Packet: 1048, MaxHops: 3,
		Farthest: func() (unit.Time, unit.Bytes) { return 20 * unit.Microsecond, 25_000 },
	}
	chosen := 0
	for _, k := range protocols.Standard().Controls.Kinds {
		for _, f := range schema.Fields(reflect.TypeOf(k.New()).Elem()) {
			for _, word := range append(f.OneOf, "") {
				p := k.New()
				l := &schema.Language{Rules: func(any, *schema.Checker) {}}
				l.Default(p)
				if word != "" {
					if err := l.Set(p, f.Key+"="+word); err != nil {
						continue // the word has no effect without another one
					}
				}
				before := len(schema.Autos(p))
				if c, ok := p.(transport.FromNetwork); ok {
					list := &transport.Choices{}
					c.Choose(set, list)
					if len(list.List) != before {
						t.Errorf("%s: %d choices for %d keys", k.Name, len(list.List), before)
					}
					chosen += before
				}
				if left := schema.Autos(p); len(left) > 0 {
					t.Errorf("%s, %s = %s: nothing gives %v a value", k.Name, f.Key, word, left)
				}
			}
		}
	}
	if chosen < 100 {
		t.Errorf("%d choices: too few", chosen)
	}
}

// PINT's switches average over the T that HPCC has chosen.
func TestSwitchesAverageOverTheChosenT(t *testing.T) {
	for _, tt := range []struct {
		set  []string
		want unit.Time
	}{
		{nil, 60_266_160 * unit.Picosecond},
		{[]string{"cc.t=20us"}, 20 * unit.Microsecond},
	} {
		sc, err := scenario.Default().With(append(append(slices.Clone(longLinks), "telemetry.kind=pint"), tt.set...)...)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Build(sc, Options{}, func(*transport.Record) {})
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.horizon()
		if err != nil || got != tt.want || s.Scenario.CC.Params.(*hpcc.Params).T != tt.want {
			t.Errorf("%v: horizon %v, %v; want %v", tt.set, got, err, tt.want)
		}
		if !schema.IsAuto(sc.CC.Params.(*hpcc.Params).WAI) {
			t.Error("building a simulation changes the scenario")
		}
	}
}

// The numbers of hosts have no effect: one fast host among slow ones causes the same settings at any position. The
// chosen smallest rate is always below the rate of the slowest link, and a given smallest rate that is not below it is
// refused.
func TestChoicesDoNotDependOnNumbers(t *testing.T) {
	slow := func(fast int) string {
		rates := []string{"1Gbps", "1Gbps", "1Gbps", "1Gbps"}
		rates[fast] = "400Gbps"
		return starFile(t, rates...)
	}
	first, last := slow(0), slow(3)
	marks := "network.ecn.enabled=true"
	for _, set := range [][]string{
		{}, {"cc.form=rate"}, {"cc.kind=powertcp", "cc.rtt=given"},
		{"cc.kind=dcqcn", "telemetry.kind=none", marks},
		{"cc.kind=dctcp", "cc.form=rate", "telemetry.kind=none", marks},
		{"cc.kind=timely", "telemetry.kind=none"}, {"cc.kind=swift", "telemetry.kind=none"},
	} {
		a, b := choicesOf(t, append(slices.Clone(set), first)...), choicesOf(t, append(slices.Clone(set), last)...)
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%v: %v with the fast host first, %v with it last", set, a, b)
		}
		if rate, ok := b["cc.min_rate"]; ok {
			if r, err := unit.ParseRate(rate); err != nil || r > 10*unit.Mbps {
				t.Errorf("%v: cc.min_rate = %s, want at most 10Mbps", set, rate)
			}
		}
	}
	sc, err := scenario.Default().With(
		append(slices.Clone(longLinks), last, "cc.kind=timely", "telemetry.kind=none", "cc.min_rate=1Gbps")...)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Build(sc, Options{}, func(*transport.Record) {}); err == nil ||
		!strings.Contains(err.Error(), "cc.min_rate = 1Gbps") {
		t.Errorf("a smallest rate of the slowest link: %v", err)
	}
}

// The published simulator accepts a smallest rate so high that no flow slows down; the run warns about it.
func TestProfileWarnsOfTheSmallestRate(t *testing.T) {
	for rate, warns := range map[string]bool{"1Gbps": true, "10Gbps": false} {
		sc, err := scenario.Default().With("profile=ns3-artifact", "cc.kind=timely", "telemetry.kind=none",
			"topology={kind: star, hosts: 3, host_rate: "+rate+"}",
			"workload=[{kind: list, flows: [{src: 0, dst: 2, size: 10KB}]}]")
		if err != nil {
			t.Fatal(err)
		}
		r, err := Run(t.Context(), sc, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(strings.Join(r.Notes, "\n"), Warning+"cc.min_rate = 1Gbps"); got != warns {
			t.Errorf("hosts of %s: %q", rate, r.Notes)
		}
	}
}

// If T is given, HPCC's window is computed from the rate of each host.
func TestWindowOfUnlikeHosts(t *testing.T) {
	sc, err := scenario.Default().With(
		append(slices.Clone(longLinks), starFile(t, "1Gbps", "100Gbps", "100Gbps"), "cc.form=rate", "cc.rtt=given",
			"cc.t=13us",
			"workload=[{kind: list, flows: [{src: 0, dst: 2, size: 1MB}, {src: 1, dst: 2, size: 1MB}]}]")...)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Build(sc, Options{}, func(*transport.Record) {})
	if err != nil {
		t.Fatal(err)
	}
	s.Engine.RunSome(unit.Nanosecond, math.MaxInt64)
	got := map[int64]unit.Bytes{}
	s.Stack.(*transport.Stack).Inspect(func(f transport.FlowState) { got[int64(f.Number)] = f.Window })
	if want := map[int64]unit.Bytes{0: 1625, 1: 162_500}; !reflect.DeepEqual(got, want) {
		t.Errorf("windows %v, want %v", got, want)
	}
}

// If only one marking threshold is given, it determines the other: DCTCP's step stays a step, and DCQCN's ramp ends at
// four times its beginning. The rules report this and name the limit that has clipped a value.
func TestRulesOfChoices(t *testing.T) {
	dctcp := []string{"network.ecn.enabled=true", "telemetry.kind=none", "transport.kind=newreno", "cc.kind=dctcp"}
	dcqcn := []string{"network.ecn.enabled=true", "telemetry.kind=none", "cc.kind=dcqcn"}
	timely := []string{"telemetry.kind=none", "cc.kind=timely"}
	for _, tt := range []struct {
		base             []string
		set              string
		key, value, from string
	}{
		{dctcp, "network.ecn.kmin=30KB", "network.ecn.kmax", "30KB", "as network.ecn.kmin, a step"},
		{dctcp, "network.ecn.kmin=0B", "network.ecn.kmax", "0B", "as network.ecn.kmin, a step"},
		{dctcp, "network.ecn.kmin=9MB", "network.ecn.kmax", "9MB", "as network.ecn.kmin, a step"},
		{dctcp, "network.ecn.kmax=9MB", "network.ecn.kmin", "9MB", "as network.ecn.kmax, a step"},
		{dcqcn, "network.ecn.kmin=3MB", "network.ecn.kmax", "12MB",
			"4 network.ecn.kmin, as in port rate x 32 µs, 128 µs and 20 % (HPCC, section 5.1)"},
		{dcqcn, "network.ecn.kmin=0B", "network.ecn.kmax", "1600KB",
			"port rate x 32 µs, 128 µs and 20 % (HPCC, section 5.1)"},
		{dcqcn, "network.ecn.kmax=40KB", "network.ecn.kmin", "10KB",
			"1/4 network.ecn.kmax, as in port rate x 32 µs, 128 µs and 20 % (HPCC, section 5.1)"},
		{timely, "cc.t_high=100us", "cc.t_low", "100us", "2.5 cc.min_rtt (TIMELY, section 5), at most cc.t_high"},
		{timely, "cc.t_low=2ms", "cc.t_high", "2ms", "25 cc.min_rtt (TIMELY, section 5), at least cc.t_low"},
		{timely, "cc.t_low=0s", "cc.t_high", "1506.648us", "25 cc.min_rtt (TIMELY, section 5)"},
		{nil, "cc.eta=1", "cc.w_ai", "1B", "host rate x T x (1 - eta) / 100 flows (HPCC, section 3.3), at least 1 B"},
		{timely, "transport.rto_initial=500us", "transport.rto_min", "500us",
			"max(1 ms, 2 × largest base RTT), at most rto_max, at most transport.rto_initial"},
		{timely, "transport.rto_min=5ms", "transport.rto_initial", "5ms",
			"max(1 ms, 3 × largest base RTT), at most rto_max, at least transport.rto_min"},
		{[]string{"cc.kind=ndp", "transport.kind=ndp", "network.pfc.enabled=false", "network.trimming.enabled=true",
			"network.scheduling.kind=strict", "telemetry.kind=none"},
			// the base RTT is 150420.48 ns with packets of 1064 B and ACKs of 64 B, and eight packets take 680960 ns
			"topology.bottleneck_rate=100Mbps", "transport.rto_initial", "2494141.44ns",
			"max(1 ms, 3 × largest base RTT), at most rto_max, at least 3 times the sum of the largest base RTT and " +
				"the time of network.trimming.queue at the slowest link"},
		{[]string{"transport.kind=irn"}, "transport.rto_high=50us", "transport.rto_low", "50us",
			"max(100 µs, 3 × largest base RTT), at most transport.rto_high"},
	} {
		list := settled(t, append(slices.Clone(tt.base), tt.set)...)
		i := slices.IndexFunc(list, func(c schema.Settled) bool { return c.Key == tt.key })
		if i < 0 || unitless(list[i].Value) != unitless(tt.value) || list[i].From != tt.from {
			t.Errorf("%v, %s: %+v, want %s = %s: %s", tt.base, tt.set, list, tt.key, tt.value, tt.from)
		}
	}
}

// mixed returns a topology of three hosts of 100 Gb/s and two hosts of another rate at one switch.
func mixed(t *testing.T, rate, control string, flows string, set ...string) scenario.Scenario {
	t.Helper()
	return unequal(t, []string{"100Gbps", "100Gbps", "100Gbps", rate, rate}, control, flows, set...)
}

// unequal returns a topology of hosts with the given rates at one switch.
func unequal(t *testing.T, rates []string, control string, flows string, set ...string) scenario.Scenario {
	t.Helper()
	name := filepath.Join(t.TempDir(), "mixed.txt")
	text := fmt.Sprintf("%d 1 %d\n%d\n", len(rates)+1, len(rates), len(rates))
	for host, rate := range rates {
		text += fmt.Sprintf("%d %d %s 1us 0\n", host, len(rates), rate)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	sc, err := scenario.Default().With(append([]string{
		"topology={kind: file, path: " + name + "}", "workload=[{kind: list, flows: [" + flows + "]}]",
		"cc={" + control + "}", "telemetry.kind=none",
	}, set...)...)
	if err != nil {
		t.Fatal(err)
	}
	return sc
}

const fastFlows = "{src: 0, dst: 2, size: 3MB}, {src: 1, dst: 2, size: 3MB, start: 50us}"

// A host without traffic changes nothing, however slow it is.
func TestIdleSlowHostsDoNotCount(t *testing.T) {
	for _, control := range []string{"kind: timely", "kind: dcqcn", "kind: swift", "kind: dctcp", "kind: hpcc"} {
		set := []string{}
		if control == "kind: hpcc" {
			set = append(set, "telemetry.kind=int")
		}
		var results []string
		for _, rate := range []string{"100Gbps", "1Gbps", "100Mbps"} {
			r, err := Run(t.Context(), mixed(t, rate, control, fastFlows, set...), Options{})
			if err != nil {
				t.Fatal(err)
			}
			results = append(results, fmt.Sprint(r.Choices, r.Counters, r.Summary.Fingerprint, r.Notes))
		}
		if results[1] != results[0] || results[2] != results[0] {
			t.Errorf("%s: equal hosts and idle hosts of 1Gbps and 100Mbps:\n%s", control, strings.Join(results, "\n"))
		}
	}
}

// The window of a slow host's flow is not the bandwidth-delay product of faster hosts, because these may be idle.
func TestIdleFastHostsDoNotChangeWindows(t *testing.T) {
	var results []string
	for _, idle := range []string{"10Gbps", "400Gbps"} {
		r, err := Run(t.Context(),
			mixed(t, idle, "kind: dctcp, form: rate", fastFlows, "network.ecn={enabled: true, kmin: 20KB, kmax: 20KB}"),
			Options{})
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, fmt.Sprint(r.Counters, r.Summary.Fingerprint))
	}
	if results[0] != results[1] {
		t.Errorf("idle hosts of 10 and of 400 Gb/s: %s", strings.Join(results, ", "))
	}
}

// The values of a flow follow from its slower host: flows between fast hosts end as in a run with values for fast hosts
// only, and flows of slow hosts as in a run with values for slow hosts only. Flows of both kinds use the same slots.
func TestFlowsHaveValuesForTheirHosts(t *testing.T) {
	const fast = "rate_ai: 100Mbps, rate_hai: 1Gbps, byte_counter: 25MB"
	const slow = "rate_ai: 10Mbps, rate_hai: 100Mbps, byte_counter: 2500KB"
	flows := "{src: 3, dst: 4, size: 1MB}, " + strings.ReplaceAll(fastFlows, "50us", "2ms") +
		", {src: 3, dst: 4, size: 1MB, start: 2ms}, {src: 1, dst: 4, size: 1MB, start: 3ms}"
	flows = strings.Replace(flows, "size: 3MB}", "size: 3MB, start: 1900us}", 1)
	run := func(values string) (r *Result, list []store.FlowRecord) {
		r, err := Run(t.Context(),
			mixed(t, "10Gbps", "kind: dcqcn, min_rate: 1Mbps"+values, flows,
				"network.ecn={enabled: true, kmin: 5KB, kmax: 20KB}"), Options{})
		if err != nil {
			t.Fatal(err)
		}
		for f := range r.Flows.All() {
			list = append(list, *f)
		}
		slices.SortFunc(list, func(a, b store.FlowRecord) int { return int(a.ID - b.ID) })
		return r, list
	}
	r, own := run("")
	_, likeFast := run(", " + fast)
	_, likeSlow := run(", " + slow)
	for i, f := range own {
		want, other := likeSlow[i], likeFast[i]
		if max(f.Src, f.Dst) < 3 {
			want, other = other, want
		}
		if f.FCT != want.FCT {
			t.Errorf("flow %d from %d to %d takes %v, want %v (with values for other hosts %v)", i, f.Src, f.Dst, f.FCT,
				want.FCT, other.FCT)
		}
	}
	if likeSlow[1].FCT == likeFast[1].FCT || likeSlow[4].FCT == likeFast[4].FCT {
		t.Error("the values make no difference")
	}
	texts := fmt.Sprint(r.Choices, r.Notes)
	for _, want := range []string{
		"{cc.rate_ai 10Mbps 1/1000 of the slowest host rate (DCQCN, section 5); 100Mbps for flows between hosts of " +
			"100Gbps}",
		"; 25MB for flows between hosts of 100Gbps}",
	} {
		if !strings.Contains(texts, want) {
			t.Errorf("no %q in %s", want, texts)
		}
	}
}

// One fast host among slow ones causes no warning. Without the slow hosts it would be alone, and a single host has no
// base RTT from which auto could choose other values.
func TestNoWarningOfAllHostsButOne(t *testing.T) {
	sc := unequal(t, []string{"10Gbps", "10Gbps", "100Gbps"}, "kind: dctcp, form: rate", "{src: 0, dst: 1, size: 1KB}",
		"network.ecn.enabled=true")
	r, err := Run(t.Context(), sc, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(r.Notes, "\n"); strings.Contains(notes, "instead of") {
		t.Error(notes)
	}
}

// All flows use the same largest base RTT, so that a slow host with traffic changes the base RTT for all flows.
func TestWarningOfSlowHosts(t *testing.T) {
	for rate, want := range map[string]string{
		"60Gbps": "",
		"50Gbps": "host 3 has a link of 50Gbps, but the fastest host has a link of 100Gbps: the slow hosts change " +
			"values of auto for all flows (the notes of a run list them)\n" +
			"if no host had a link of 50Gbps, auto would choose cc.t = 4188.48ns instead of ",
		"1Gbps":   "if no host had a link of 1Gbps, auto would choose cc.t = 4188.48ns instead of 22.848us",
		"100Gbps": "",
	} {
		r, err := Run(t.Context(),
			mixed(t, rate, "kind: hpcc", fastFlows+", {src: 3, dst: 4, size: 1KB, start: 1ms}", "telemetry.kind=int"),
			Options{})
		if err != nil {
			t.Fatal(err)
		}
		notes := strings.Join(r.Notes, "\n")
		if want == "" && strings.Contains(notes, "fastest host") || !strings.Contains(notes, want) {
			t.Errorf("%s: want %q in %s", rate, want, notes)
		}
	}
}
