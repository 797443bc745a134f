package overhead

import (
	"fmt"
	"math"
	"strconv"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure"
	"pintlab/experiments/measure/comparison"
	"pintlab/experiments/scenario"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// Bytes are the overheads of Fig. 1 and 2: 8 B and 4 B per value for one to five
// values on five hops, and none.
var Bytes = []int{0, 28, 48, 68, 88, 108}

// Loads are the loads of the figures, in percent.
var Loads = []int{30, 70}

// The load and the overheads for which run lengths, buffers and timeouts are varied.
const variedLoad = 70

var (
	lengthBytes  = []int{0, 48, 108}
	variantBytes = []int{0, 108}
)

// Scale is what is run at a scale. The last of the arrival windows is the figure;
// the others show what the length of a run does. Buffers and timeouts are varied in
// runs of the window called variants.
type Scale struct {
	seeds    int
	arrival  []unit.Time
	variants unit.Time
}

const ms = unit.Millisecond

var scales = map[figure.Scale]Scale{
	figure.Smoke:  {1, []unit.Time{2 * ms, 4 * ms}, 2 * ms},
	figure.Laptop: {3, []unit.Time{50 * ms, 100 * ms, 200 * ms}, 100 * ms},
	figure.Paper:  {3, []unit.Time{250 * ms, 500 * ms, 1000 * ms}, 500 * ms},
}

// String says what is run.
func (z Scale) String() string {
	return fmt.Sprintf("%s, arrivals for up to %v", figure.Count(z.seeds, "seed"), z.full())
}

func (z Scale) full() unit.Time { return z.arrival[len(z.arrival)-1] }

// variant is another buffer or timeout than the default.
type variant struct {
	name string
	set  []string
}

// standard is the default: 1 MB for each port, timeouts of at least 1 ms.
var standard = variant{name: "1 MB, RTO ≥ 1 ms"}

var variants = []variant{
	{"100 KB, RTO ≥ 1 ms", []string{"network.port_limit=100KB"}},
	{"300 KB, RTO ≥ 1 ms", []string{"network.port_limit=300KB"}},
	standard,
	{"4 MB, RTO ≥ 1 ms", []string{"network.port_limit=4MB"}},
	{"1 MB, RTO ≥ 10 ms", []string{"transport.rto_min=10ms", "transport.rto_initial=10ms", "transport.rto_max=1s"}},
	{"1 MB, RTO ≥ 200 ms", []string{"transport.rto_min=200ms", "transport.rto_initial=200ms", "transport.rto_max=10s"}},
}

// point is a point of a figure, but for the seed.
type point struct {
	bytes   int
	load    int // %
	arrival unit.Time
	variant variant
}

// entry returns how to run the point. Points that differ only in bytes are of one case.
func (p point) entry() comparison.Entry {
	set := []string{
		"workload.0.load=" + strconv.FormatFloat(float64(p.load)/100, 'g', -1, 64),
		fmt.Sprintf("workload.0.duration=%v", p.arrival),
		fmt.Sprintf("telemetry.bytes=%dB", p.bytes),
	}
	if p.bytes == 0 {
		set[2] = "telemetry.kind=none"
	}
	of := fmt.Sprintf("load %d %%, %v, %s", p.load, p.arrival, p.variant.name)
	return comparison.Entry{
		Case: of, Scheme: bytes(p.bytes), X: math.NaN(), Label: bytes(p.bytes) + ", " + of, Long: Long,
		Base: "fig1", Set: append(set, p.variant.set...),
	}
}

func bytes(n int) string { return fmt.Sprintf("%d B", n) }

// points returns all points that are run.
func points(z Scale) []point {
	var list []point
	for _, load := range Loads {
		for _, b := range Bytes {
			list = append(list, point{b, load, z.full(), standard})
		}
	}
	for _, arrival := range z.arrival[:len(z.arrival)-1] {
		for _, b := range lengthBytes {
			list = append(list, point{b, variedLoad, arrival, standard})
		}
	}
	for _, v := range variants {
		for _, b := range variantBytes {
			list = append(list, point{b, variedLoad, z.variants, v})
		}
	}
	return list
}

// settings records the configuration.
func settings(j *figure.Job, sc *scenario.Scenario) {
	const doc, choice = "PINT §2", ""
	net := sc.Topology.Params.(*topo.PINTClos)
	j.Setting("network", doc, "64 hosts, five switches between pods, all links %v", net.HostRate)
	j.Setting("switches", choice, "4 pods of 4 ToR and 4 aggregation switches, 16 core switches, %v per link", net.Delay)
	j.Setting("traffic", doc, "web search; Poisson arrivals at each host, to random others; load is payload over the rate of the host links")
	j.Setting("packets", doc, "IP packets of %d B; telemetry takes room from the payload", sc.Transport.MTU)
	j.Setting("TCP", choice, "NewReno, %s, an ACK for each packet", measure.Keys(&sc.CC))
	j.Setting("port buffer", choice, "%s, drop-tail", figure.Size(unit.Bytes(sc.Network.PortLimit)))
	j.Setting("timeout", choice, "at least %v", sc.Transport.RTOMin)
	j.Setting("population", choice, "all flows that start in the arrival window; each run goes on until they have finished")
}
