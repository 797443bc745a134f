package cc

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/study"
	"pintlab/netsim/unit"
	"pintlab/plots"
)

// marking returns the settings of switches that mark from a number of packets on.
func marking(packets int) []string {
	threshold := unit.Bytes(packets) * 9000
	return []string{
		"telemetry.kind=none", "network.ecn.enabled=true", "network.ecn.at_rate=10Gbps", "network.ecn.pmax=1",
		fmt.Sprintf("network.ecn.kmin=%v", threshold), fmt.Sprintf("network.ecn.kmax=%v", threshold),
	}
}

// The schemes, in a scenario with HPCC over INT, on links of 10 Gb/s with packets of 9000 B. DCTCP has queues of 200
// packets and marks from 30 on, DCQCN does not drop and marks from 20 on.
var (
	ndp = study.Scheme{Name: "NDP", Set: []string{
		"telemetry.kind=none", "transport.kind=ndp", "transport.payload=8936B", "cc.kind=ndp", "cc.initial_window=30",
		"network.pfc.enabled=false", "network.trimming.enabled=true",
		"network.scheduling.kind=wrr", "network.scheduling.weights=[7=10]", "network.balancing.kind=permute",
	}}
	ndpDctcp = study.Scheme{Name: "DCTCP",
		Set: append(marking(30), "transport.kind=sack", "transport.mtu=8986B", "cc.kind=dctcp", "cc.form=window",
			"network.pfc.enabled=false", "network.port_limit=1800KB")}
	dcqcn = study.Scheme{Name: "DCQCN",
		Set: slices.Concat(marking(20), []string{"transport.payload=8952B", "cc.kind=dcqcn"}, figure.DCQCN)}
	hpcc = study.Scheme{Name: "HPCC", Set: []string{"transport.payload=8910B", "cc.rtt=max"}}

	ndpSchemes = []study.Scheme{ndp, ndpDctcp, dcqcn, hpcc}
)

// ndpSettings records what is set for each scheme.
func ndpSettings(j *figure.Job) {
	j.Setting("links", "NDP §6", "10 Gb/s, 1 us; packets of at most 9000 B")
	for _, s := range ndpSchemes {
		source := ""
		if s.Name == ndp.Name {
			source = "NDP §3.1, §6"
		}
		j.Setting(s.Name, source, "%s", s.Changes())
	}
}

// bench is a kind of traffic on the fat tree, with the quantities measured in its runs.
type bench struct {
	name       string
	senders    float64 // of an incast; else NaN
	set        []string
	quantities []study.Measure
}

// tree returns the setting of the k-ary fat tree.
func tree(k int) string {
	return fmt.Sprintf("topology={kind: fattree, k: %d, host_rate: 10Gbps, fabric_rate: 10Gbps}", k)
}

func hosts(k int) int { return k * k * k / 4 }

// permutation makes a flow from each host to another one.
func (z NDPScale) permutation() bench {
	return bench{
		name: "permutation", senders: math.NaN(),
		set: []string{tree(z.k), fmt.Sprintf("workload=[{kind: permutation, size: %v}]", z.long)},
		quantities: []study.Measure{
			curve(ndpGoodputs, plots.InBitsPerSecond, ndpGoodput), number(ndpMean, plots.InBitsPerSecond, ndpGoodput,
				average), number(slowest, plots.InBitsPerSecond, ndpGoodput, first),
		},
	}
}

// incast makes 450 KB from each of this many hosts to another one.
func (z NDPScale) incast(senders int) bench {
	return bench{
		name: fmt.Sprintf("incast of %d", senders), senders: float64(senders),
		set: []string{tree(z.k),
			fmt.Sprintf("workload=[{kind: incast, senders: %d, receiver: 0, size: 450KB}]", senders)},
		quantities: []study.Measure{number(incasts, "", incastEnd, func(ends []float64) float64 {
			return last(ends) / (8 * float64(senders) * float64(incastOf)) * linkRate
		})},
	}
}

// short makes flows of 90 KB from the first host to the last, while every other host sends a long flow
// to the one half of them further on. The load outlasts the short flows, at full links too.
func (z NDPScale) short() bench {
	n := hosts(z.k)
	var flows []string
	for h := 1; h < n-1; h++ {
		flows = append(flows, fmt.Sprintf("{src: %d, dst: %d, size: %v}", h, 1+(h-1+(n-2)/2)%(n-2), 2*z.long))
	}
	for i := range z.shorts {
		at := settled + unit.Time(i)*ndpApart
		flows = append(flows, fmt.Sprintf("{src: 0, dst: %d, size: %v, start: %v}", n-1, shortSize, at))
	}
	return bench{
		name: "short flows", senders: math.NaN(),
		set: []string{tree(z.k), fmt.Sprintf("workload=[{kind: list, flows: [%s]}]", strings.Join(flows, ", "))},
		quantities: []study.Measure{
			curve(shorts, plots.InSeconds, shortFCT), number(longest, plots.InSeconds, shortFCT, last),
			number(median, plots.InSeconds, shortFCT,
				func(values []float64) float64 { return stats.Percentile(values, 0.5) }),
		},
	}
}

const (
	shortSize = 90 * unit.KB
	incastOf  = 450 * unit.KB
	// The first short flow starts at settled, the next ones apart from each other: long enough that
	// one rarely meets the one before.
	settled  = unit.Millisecond / 2
	ndpApart = unit.Millisecond
)

// entry returns the traffic with a scheme.
func (b bench) entry(s study.Scheme) study.Cell {
	return study.Cell{
		Case: b.name, Scheme: s.Name, X: b.senders, Label: s.Name + ", " + b.name, Base: "perm128",
		Set: slices.Concat([]string{"name=cc-ndp"}, b.set, s.Set), Measures: b.quantities,
	}
}
