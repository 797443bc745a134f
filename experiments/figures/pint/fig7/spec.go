package fig7

import (
	"fmt"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/pint/congestion"
	"pintlab/netsim/unit"
)

// scale is what is run at a scale. The last of the arrival windows is the figure;
// the others show what the length of a run does.
type scale struct {
	seeds   int
	buckets int
	loads   []int // of panel (a), %
	web     []unit.Time
	hadoop  []unit.Time
}

const us, ms = unit.Microsecond, unit.Millisecond

var scales = map[figure.Scale]scale{
	figure.Smoke:  {1, 10, []int{30, 70}, []unit.Time{30 * us, 60 * us}, []unit.Time{5 * us, 10 * us}},
	figure.Laptop: {3, 20, []int{30, 50, 70}, []unit.Time{1 * ms, 2 * ms, 4 * ms}, []unit.Time{500 * us, 1 * ms, 2 * ms}},
	figure.Paper:  {3, 20, []int{30, 50, 70}, []unit.Time{50 * ms, 100 * ms, 200 * ms}, []unit.Time{50 * ms, 100 * ms, 200 * ms}},
}

func describe(s figure.Scale) string {
	z := scales[s]
	return fmt.Sprintf("%s, arrivals for up to %v (web search) and %v (Hadoop)", figure.Count(z.seeds, "seed"), last(z.web), last(z.hadoop))
}

func last(windows []unit.Time) unit.Time { return windows[len(windows)-1] }

// bases are what PINT is held against: HPCC's own format at every length, standard
// INT at the full one.
func bases(z scale, arrival unit.Time) []congestion.Scheme {
	if arrival == last(z.web) {
		return []congestion.Scheme{congestion.INT, congestion.StandardINT}
	}
	return []congestion.Scheme{congestion.INT}
}

// sizeLoad is the load of panels (b) and (c), %.
const sizeLoad = 50

// panel is panel (b) or (c).
type panel struct {
	workload congestion.Workload
	windows  []unit.Time
}

func panels(z scale) []panel {
	return []panel{{congestion.Web, z.web}, {congestion.Hadoop, z.hadoop}}
}

// cases are all simulations.
func cases(z scale, seeds []uint64) []congestion.Case {
	var list []congestion.Case
	for _, seed := range seeds {
		for _, arrival := range z.web {
			for _, load := range z.loads {
				for _, s := range append(bases(z, arrival), congestion.PINT) {
					list = append(list, congestion.Case{Workload: congestion.Web, Scheme: s, Load: load, Arrival: arrival, Seed: seed})
				}
			}
		}
		for _, p := range panels(z) {
			for _, arrival := range p.windows {
				for _, s := range []congestion.Scheme{congestion.INT, congestion.PINT} {
					list = append(list, congestion.Case{Workload: p.workload, Scheme: s, Load: sizeLoad, Arrival: arrival, Seed: seed})
				}
			}
		}
	}
	return list
}
