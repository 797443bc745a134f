package fig8

import (
	"fmt"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/pint/congestion"
	"pintlab/netsim/unit"
)

// schemes are the shares p of packets that carry HPCC's digest.
var schemes = []congestion.Scheme{every, congestion.Share(16), congestion.Share(256)}

// every is p = 1: the PINT of Fig. 7.
var every = congestion.PINT

// name is what a scheme is called here.
func name(s congestion.Scheme) string {
	if s.Name == every.Name {
		return "PINT, p = 1"
	}
	return s.Name
}

// load of the figure, %.
const load = 50

// panel is a workload and the lengths of its arrival windows. The last is the
// figure; the one before shows what the length does.
type panel struct {
	workload congestion.Workload
	windows  []unit.Time
}

type scale struct {
	seeds   int
	buckets int
	panels  []panel
}

const us, ms = unit.Microsecond, unit.Millisecond

func windows(web, hadoop []unit.Time) []panel {
	return []panel{{congestion.Web, web}, {congestion.Hadoop, hadoop}}
}

var scales = map[figure.Scale]scale{
	figure.Smoke:  {1, 10, windows([]unit.Time{30 * us, 60 * us}, []unit.Time{5 * us, 10 * us})},
	figure.Laptop: {3, 20, windows([]unit.Time{2 * ms, 4 * ms}, []unit.Time{1 * ms, 2 * ms})},
	figure.Paper:  {3, 20, windows([]unit.Time{100 * ms, 200 * ms}, []unit.Time{100 * ms, 200 * ms})},
}

func describe(s figure.Scale) string {
	z := scales[s]
	return fmt.Sprintf("%s, arrivals for up to %v (web search) and %v (Hadoop)", figure.Count(z.seeds, "seed"), z.panels[0].full(), z.panels[1].full())
}

func (p panel) full() unit.Time { return p.windows[len(p.windows)-1] }

// cases are all simulations.
func cases(z scale, seeds []uint64) []congestion.Case {
	var list []congestion.Case
	for _, seed := range seeds {
		for _, p := range z.panels {
			for _, arrival := range p.windows {
				for _, s := range schemes {
					list = append(list, congestion.Case{Workload: p.workload, Scheme: s, Load: load, Arrival: arrival, Seed: seed})
				}
			}
		}
	}
	return list
}
