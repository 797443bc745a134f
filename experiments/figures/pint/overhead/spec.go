package overhead

import (
	"fmt"
	"strconv"

	"pintlab/experiments/campaign"
	"pintlab/experiments/figures/figure"
	"pintlab/experiments/scenario"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/transport/reno"
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

// point is one simulation.
type point struct {
	bytes   int
	load    int // %
	arrival unit.Time
	variant string
	seed    uint64
}

func (p point) spec(set []string) campaign.Spec {
	s := campaign.Spec{
		Label: fmt.Sprintf("%d B, load %d %%, %v, %s, seed %d", p.bytes, p.load, p.arrival, p.variant, p.seed),
		Base:  "fig1",
		Set: []string{
			fmt.Sprintf("seed=%d", p.seed),
			"workload.0.load=" + strconv.FormatFloat(float64(p.load)/100, 'g', -1, 64),
			fmt.Sprintf("workload.0.duration=%v", p.arrival),
		},
	}
	if p.bytes == 0 {
		return s.With("telemetry.kind=none").With(set...)
	}
	return s.With(fmt.Sprintf("telemetry.bytes=%dB", p.bytes)).With(set...)
}

// points are all simulations, each with what its variant changes.
func points(z Scale, seeds []uint64) (list []point, sets [][]string) {
	add := func(p point, set []string) {
		list, sets = append(list, p), append(sets, set)
	}
	for _, seed := range seeds {
		for _, load := range Loads {
			for _, b := range Bytes {
				add(point{b, load, z.full(), standard.name, seed}, nil)
			}
		}
		for _, arrival := range z.arrival[:len(z.arrival)-1] {
			for _, b := range lengthBytes {
				add(point{b, variedLoad, arrival, standard.name, seed}, nil)
			}
		}
		for _, v := range variants {
			for _, b := range variantBytes {
				add(point{b, variedLoad, z.variants, v.name, seed}, v.set)
			}
		}
	}
	return list, sets
}

// settings tells the configuration.
func settings(j *figure.Job, sc *scenario.Scenario) {
	const doc, choice = "PINT §2", ""
	net := sc.Topology.Params.(*topo.PINTClos)
	j.Setting("network", doc, "64 hosts, five switches between pods, all links %v", net.HostRate)
	j.Setting("switches", choice, "4 pods of 4 ToR and 4 aggregation switches, 16 core switches, %v per link", net.Delay)
	j.Setting("traffic", doc, "web search; Poisson arrivals at each host, to random others; load is payload over the rate of the host links")
	j.Setting("packets", doc, "IP packets of %d B; telemetry takes room from the payload", sc.Transport.MTU)
	j.Setting("TCP", choice, "NewReno, initial window %d, an ACK for each packet", sc.CC.Params.(*reno.Params).InitialWindow)
	j.Setting("port buffer", choice, "%s, drop-tail", figure.Size(unit.Bytes(sc.Network.PortLimit)))
	j.Setting("timeout", choice, "at least %v", sc.Transport.RTOMin)
	j.Setting("population", choice, "all flows that start in the arrival window; each run goes on until they have finished")
}
