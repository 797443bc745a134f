package ndp

import (
	"fmt"
	"strings"

	"pintlab/experiments/campaign"
	"pintlab/experiments/figures/figure"
	"pintlab/netsim/unit"
)

// scheme is a transport with its switches, on links of 10 Gb/s with packets of 9000 B.
type scheme struct {
	name string
	set  []string // in a scenario with HPCC over INT
}

// marking is what switches need to mark from a number of packets on.
func marking(packets int) []string {
	threshold := unit.Bytes(packets) * 9000
	return []string{
		"telemetry.kind=none", "network.ecn.enabled=true", "network.ecn.at_rate=10Gbps", "network.ecn.pmax=1",
		fmt.Sprintf("network.ecn.kmin=%v", threshold), fmt.Sprintf("network.ecn.kmax=%v", threshold),
	}
}

// The schemes. DCTCP has queues of 200 packets and marks from 30 on, DCQCN does not drop and marks from
// 20 on.
var (
	ndp = scheme{"NDP", []string{
		"telemetry.kind=none", "transport.kind=ndp", "transport.payload=8936B", "cc.kind=ndp", "cc.initial_window=30",
		"network.pfc.enabled=false", "network.trimming.enabled=true",
		"network.scheduling.kind=wrr", "network.scheduling.weights=[7=10]", "network.balancing.kind=permute",
	}}
	dctcp = scheme{"DCTCP", append(marking(30), "transport.kind=sack", "transport.mtu=8986B", "cc.kind=dctcp", "cc.form=window",
		"network.pfc.enabled=false", "network.port_limit=1800KB")}
	dcqcn = scheme{"DCQCN", append(marking(20), "transport.payload=8952B", "cc.kind=dcqcn")}
	hpcc  = scheme{"HPCC", []string{"transport.payload=8910B", "cc.rtt=max"}}

	schemes = []scheme{ndp, dctcp, dcqcn, hpcc}
)

// settings tells what is set for each scheme.
func settings(j *figure.Job) {
	j.Setting("links", "NDP §6", "10 Gb/s, 1 us; packets of at most 9000 B")
	for _, s := range schemes {
		source := ""
		if s.name == ndp.name {
			source = "NDP §3.1, §6"
		}
		j.Setting(s.name, source, "%s", strings.Join(s.set, " "))
	}
}

// bench is a kind of traffic on the fat tree.
type bench struct {
	name string
	set  []string
}

// tree is the k-ary fat tree.
func tree(k int) string {
	return fmt.Sprintf("topology={kind: fattree, k: %d, host_rate: 10Gbps, fabric_rate: 10Gbps}", k)
}

func hosts(k int) int { return k * k * k / 4 }

// permutation is a flow from each host to another one.
func (z Scale) permutation() bench {
	return bench{"permutation", []string{tree(z.k), fmt.Sprintf("workload=[{kind: permutation, size: %v}]", z.long)}}
}

// incast is 450 KB from each of so many hosts to another one.
func (z Scale) incast(senders int) bench {
	return bench{fmt.Sprintf("incast of %d", senders), []string{tree(z.k), fmt.Sprintf("workload=[{kind: incast, senders: %d, receiver: 0, size: 450KB}]", senders)}}
}

// short is flows of 90 KB from the first host to the last, while every other host sends a long flow
// to the one half of them further on. The load outlasts the short flows, at full links too.
func (z Scale) short() bench {
	n := hosts(z.k)
	var flows []string
	for h := 1; h < n-1; h++ {
		flows = append(flows, fmt.Sprintf("{src: %d, dst: %d, size: %v}", h, 1+(h-1+(n-2)/2)%(n-2), 2*z.long))
	}
	for i := range z.shorts {
		at := settled + unit.Time(i)*apart
		flows = append(flows, fmt.Sprintf("{src: 0, dst: %d, size: %v, start: %v}", n-1, shortSize, at))
	}
	return bench{"short flows", []string{tree(z.k), fmt.Sprintf("workload=[{kind: list, flows: [%s]}]", strings.Join(flows, ", "))}}
}

const (
	shortSize = 90 * unit.KB
	incastOf  = 450 * unit.KB
	// The first short flow starts at settled, the next ones apart from each other: long enough that
	// one rarely meets the one before.
	settled = unit.Millisecond / 2
	apart   = unit.Millisecond
)

// spec is a run.
func (b bench) spec(s scheme, seed uint64) campaign.Spec {
	set := append([]string{fmt.Sprintf("seed=%d", seed), "name=cc-ndp"}, b.set...)
	return campaign.Spec{Label: fmt.Sprintf("%s, %s, seed %d", s.name, b.name, seed), Base: "perm128", Set: append(set, s.set...)}
}
