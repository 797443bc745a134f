package bench

import (
	"fmt"
	"slices"
	"strings"

	"pintlab/internal/lists"
)

// Work is a run that two programs do in turn.
type Work struct {
	Name string
	args []string
	// against lists the arguments of a second run of this program, which replaces the other program. If it is nil, the
	// other program runs with the same arguments.
	against []string
	wall    bool // time on the clock counts, not processor time
}

// preset returns the arguments that run a preset with changes.
func preset(name string, set ...string) []string {
	args := []string{name}
	for _, s := range set {
		args = append(args, "--set", s)
	}
	return args
}

// controlled returns the work that runs fat320-web with another congestion control. The work sets all keys that the
// control needs, because older programs do not add them. It also sets all keys whose default has changed.
func controlled(kind string, set ...string) Work {
	if kind != "powertcp" {
		set = append([]string{"telemetry.kind=none"}, set...)
	}
	return Work{Name: kind, args: preset("fat320-web", append([]string{"cc.kind=" + kind}, set...)...)}
}

// everyMonitor adds monitors of all telemetry systems at once.
const everyMonitor = "monitors=[" +
	"{kind: int, mode: passport, share: 0.00390625, collector: 1}, " +
	"{kind: int, mode: postcard, share: 0.00390625, collector: 2}, " +
	"{kind: pint}, {kind: pint, plan: combined-8, record: collector, share: 0.00390625, collector: 3}, " +
	"{kind: sketchint, period: 100ms, collector: 4}, {kind: lightguardian, collector: 5}, {kind: rtt, exact: false}]"

// Works returns all works. The works with 8192 and with 320 hosts have about the same number of packet-hops.
func Works() (list []Work) {
	large := preset("fat320-web", "topology={kind: fattree, k: 32}", "workload.0.load=0.3", "workload.0.duration=100us")
	ring := preset("training",
		"topology={kind: rail, servers: 16, rails: 8, spines: 16, host_rate: 400Gbps, fabric_rate: 400Gbps, "+
			"link_delay: 500ns}",
		"workload=[{kind: collective, ranks: 128, size: 64MB}]", "cc={kind: uet}",
		"transport.payload=4096B", "telemetry.kind=none", "network.balancing.kind=mixed")
	for _, name := range []string{"fat320-web", "fat320-web-pint", "fat320-web-reno", "fat320-hadoop",
		"fat320-hadoop-pint", "fat320-hadoop-reno", "perm128"} {
		list = append(list, Work{Name: name, args: preset(name)})
	}
	return append(list,
		controlled("dcqcn", "network.ecn={enabled: true, kmin: 400KB, kmax: 1600KB, pmax: 0.2}",
			"cc.byte_counter=10MB", "cc.rate_ai=40Mbps", "cc.rate_hai=400Mbps", "cc.min_rate=10Mbps"),
		controlled("timely", "cc.t_low=50us", "cc.t_high=500us", "cc.min_rtt=20us", "cc.segment=16KB",
			"cc.rate_ai=10Mbps", "cc.min_rate=10Mbps"),
		controlled("dctcp", "transport.kind=newreno", "transport.segment=payload", "transport.payload=1KB",
			"network.pfc.enabled=false",
			"network.ecn={enabled: true, kmin: 300KB, kmax: 300KB, pmax: 1}"),
		controlled("swift", "cc.base_target=10us", "cc.hop_target=2us", "cc.fs_range=30us", "cc.max_cwnd=10000"),
		controlled("powertcp"),
		controlled("ndp", "transport.kind=ndp", "network.trimming.enabled=true", "network.pfc.enabled=false",
			"network.scheduling={kind: wrr, weights: [7=10]}", "network.balancing.kind=permute"),
		Work{Name: "million-flows",
			args: preset("solo", "topology={kind: fattree, k: 16}", "workload=[{kind: alltoall, size: 1B}]")},
		Work{Name: "monitors", args: preset("fat320-web", "workload.0.duration=400us", everyMonitor)},
		Work{Name: "hosts-8192", args: large},
		Work{Name: "hosts-8192/320", args: large,
			against: preset("fat320-web", "workload.0.load=0.3", "workload.0.duration=2500us")},
		Work{Name: "nscc-ring/web", args: ring, against: preset("fat320-web")},
		Work{Name: "workers-2/1", args: append(preset("fat320-web"), "--workers", "2"),
			against: preset("fat320-web"), wall: true},
	)
}

// Choose returns the works with the given names, or all works if there are no names.
func Choose(names []string) (list []Work, err error) {
	all := Works()
	if len(names) == 0 {
		return all, nil
	}
	known := lists.Map(all, func(w Work) string { return w.Name })
	for i, name := range names {
		at := slices.Index(known, name)
		if at < 0 {
			return nil, fmt.Errorf("%q: want %s", name, strings.Join(known, ", "))
		}
		if slices.Contains(names[:i], name) {
			return nil, fmt.Errorf("%q occurs twice", name)
		}
		list = append(list, all[at])
	}
	return list, nil
}
