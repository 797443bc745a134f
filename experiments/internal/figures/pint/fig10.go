package pint

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/measure/pint"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/netsim/schema"
	"pintlab/netsim/topo"
	"pintlab/pint/trace"
)

// Fig10 is Figure 10 of PINT (§6.3). It shows how many packets it takes to find the path of a flow.
//
// The PINT paper reports averages and 99th percentiles over 10 000 runs per path length on Kentucky Datalink, US
// Carrier and a K = 8 fat tree. It prints numbers for a single point: with 2×(b=8), a path of 59 switches takes 42
// packets on average and 94 at the 99th percentile. It also prints factors by which the peers need more packets.
//
// We draw all curves of the paper, with every switch of the network as a candidate. We also draw variants: an easier
// task, in which only the switches of the true path are candidates, and the same number of bits with a linear hash or
// with a decoder that knows the network. We compare the printed numbers with our curves, and with curves that follow
// the program that the authors published. We read these at 59 switches, and as averages over path lengths. Each
// reading is a separate row, exists for both sets of candidates, and applies to all schemes.
//
// We may not ship the two maps. By default, generated networks replace the maps (package topo, ISP). They have the
// same numbers of nodes and links and the same diameter, and their names contain "generated". --set kdl=FILE and
// --set uscarrier=FILE read the real maps, as GML or GraphML. docs/telemetry.md contains the numbers of 10 000 runs
// at the longest path.
var Fig10 = figure.Of[pathScale, pathRow]{
	Name: "pint/fig10", Files: files,
	Scales: map[figure.Scale]pathScale{
		figure.Smoke:  {10, 2, []rough{{0.1, 8, 4}}, 19},
		figure.Laptop: {1000, 5, faulty, 3},
		figure.Paper:  {10_000, 5, faulty, 3},
	},
	Measure: measurePaths,
	Check:   checkPaths,
	Ours: map[string]figure.Ours[pathRow]{
		"mean": longestOf((*pathRow).mean), "p99": longestOf(func(r *pathRow) stats.Number { return r.P99 }),
		"over lengths": oursOf((*pathRow).overall),
	},
	Tables: pathTables,
	Draw:   drawPaths,
}.Figure()

// pathRow is a line of rows.csv: a point of a curve, at one path length.
type pathRow struct {
	Source string `col:"source"` // ours or published
	// the purpose of the curve: `published`, `easier` and `ours` are curves of the figure, `reading` is a possible
	// meaning of the printed numbers, and `robust` shows the effect of loss, repeated identifiers and reordering
	Group    string  `col:"group"`
	Topology string  `col:"topology"`
	Curve    string  `col:"curve"`
	Method   string  `col:"candidates"` // switches from which the decoder chooses
	Scheme   string  `col:"scheme"`
	Tau      float64 `col:"tau"` // τ of the last instance
	P        float64 `col:"p"`   // p of the first XOR layer of that instance
	Bits     int     `col:"bits" unit:"b"`
	Hops     int     `col:"hops"`
	Loss     float64 `col:"loss"`                // share of the packets that is lost
	IDBits   int     `col:"id_bits" unit:"b"`    // bits of random packet identifiers; 0: identifiers never repeat
	Reorder  int     `col:"reorder"`             // a packet arrives after up to this many packets that were sent later
	Mean     float64 `col:"mean" unit:"packets"` // packets sent until the path is known
	Half     float64 `col:"half_width" unit:"packets"`
	P50      float64 `col:"p50" unit:"packets"`
	// The interval is NaN if there are too few runs.
	P99 stats.Number `col:"p99,p99_lo,p99_hi" unit:"packets"`
	Max float64      `col:"max" unit:"packets"`
	// for a reading: the average of Mean over path lengths, from 2 switches to the longest path
	All     float64 `col:"all_mean" unit:"packets"`
	AllHalf float64 `col:"all_half_width" unit:"packets"`
	Wrong   float64 `col:"wrong" unit:"switches"` // mean number of hops of a path that are wrong in the end
	Runs    int     `col:"runs"`
	Failed  int     `col:"failed"` // runs that gave up
	Switch  string  `col:"switch"` // whether a switch can compute the scheme
}

// The groups of curves.
const (
	document = "published"
	easier   = "easier"
	beyond   = "ours"
	reading  = "reading"
	robust   = "robust"
)

// mean returns the average number of packets at the path length of the row. overall returns the average over path
// lengths.
func (r *pathRow) mean() stats.Number { return stats.Around(r.Mean, r.Half) }

func (r *pathRow) overall() stats.Number { return stats.Around(r.All, r.AllHalf) }

// limit is the number of packets after which a run gives up.
const limit = 100_000

// pathStudy is one call of pint.PathStudy.
type pathStudy struct {
	pint.PathStudy
	group   map[string]string // by curve
	average bool              // each curve has one row, for the longest paths, with an average over the lengths
}

func measurePaths(ctx context.Context, j *figure.Job, z pathScale) ([]pathRow, error) {
	if j.Seeds > 0 {
		return nil, fmt.Errorf("--seeds %d has no effect on this figure: its runs are independent draws", j.Seeds)
	}
	nets, err := networks(j.Set)
	if err != nil {
		return nil, err
	}
	var studies []pathStudy
	for _, n := range nets {
		list, err := n.studies(z, j)
		if err != nil {
			return nil, err
		}
		studies = append(studies, list...)
	}
	var rows []pathRow
	for _, s := range studies {
		got, err := s.Run(ctx, j)
		if err != nil {
			return nil, err
		}
		for i := range got {
			r := pathRowOf(&got[i], &s)
			if s.average {
				if r.Hops < s.Lengths[len(s.Lengths)-1] {
					continue
				}
				r.average(got[i+1-len(s.Lengths) : i+1])
			}
			rows = append(rows, r)
		}
	}
	j.Footnote("%d runs for each point; a random shortest path in each; bars: 95 %% intervals of the mean", z.runs)
	j.Setting("candidates", "", "every switch of the network, unless the curve says otherwise; "+
		"the path length is known from the TTL")
	j.Setting("peers", "PINT §6.3", "16 bits on each packet, with reservoir sampling")
	return append(rows, printedPath()), nil
}

// studies lists the measurements on a network. On each network, these include all curves at all lengths. On the first
// network, they also include the readings, and curves with loss, with identifiers of few bits, and with reordering.
func (n *network) studies(z pathScale, j *figure.Job) ([]pathStudy, error) {
	m, err := trace.NewMap(n.graph, nil)
	if err != nil {
		return nil, fmt.Errorf("%s (%s): %w", n.name, n.source, err)
	}
	ends := trace.HostSwitches(n.graph)
	at := pathLengths(m, ends, z.steps)
	j.Setting(n.name, "PINT §6.3", "%s: %d switches, %d links, paths of up to %d switches; d = %d", n.source, m.Len(),
		m.Links(), at[len(at)-1], n.d)
	s := pathStudy{
		PathStudy: pint.PathStudy{
			Topology: n.name, Map: m, Ends: ends, Lengths: at,
			Trials: pint.Trials{Seed: j.Seed, Runs: z.runs, Limit: limit},
		},
		group: map[string]string{},
	}
	for _, c := range pint.PublishedCurves(n.d) {
		s.Curves = append(s.Curves, c)
		s.group[c.Label] = document
		if c.Method == pint.TruePath {
			s.group[c.Label] = easier
		}
	}
	// The topology-aware decoder with the encoding of the PINT paper is measured only at the longest path, because it
	// is the slowest decoder.
	last := s
	last.Lengths, last.Curves, last.group = at[len(at)-1:], nil, map[string]string{}
	for _, c := range pint.OurCurves(m, n.d, at[len(at)-1]) {
		to := &s
		if c.Method == pint.TopologyAware && strings.HasSuffix(c.Label, "published encoding") {
			to = &last
		}
		to.Curves = append(to.Curves, c)
		to.group[c.Label] = beyond
	}
	list := []pathStudy{s, last}
	if n.key != "kdl" {
		return list, nil
	}
	r := pathStudy{PathStudy: s.PathStudy, group: map[string]string{}, average: true}
	r.Lengths = nil
	for l := at[len(at)-1]; l >= 2; l -= z.stride {
		r.Lengths = append([]int{l}, r.Lengths...)
	}
	r.Trials.Runs = min(r.Trials.Runs, readingRuns)
	r.Curves = pint.Readings(n.d)
	for _, c := range r.Curves {
		r.group[c.Label] = reading
	}
	list = append(list, r)
	for _, w := range z.rough {
		r := s
		r.Loss, r.IDBits, r.Reorder = w.loss, w.idBits, w.reorder
		r.Lengths, r.Curves, r.group = at[len(at)-1:], nil, map[string]string{}
		r.Trials.Runs = min(r.Trials.Runs, roughRuns)
		for _, c := range s.Curves {
			if slices.Contains(sturdy, c.Label) {
				r.Curves = append(r.Curves, c)
				r.group[c.Label] = robust
			}
		}
		list = append(list, r)
	}
	return list, nil
}

// sturdy lists the curves that are measured under loss, repeated identifiers and reordering.
var sturdy = []string{bestPINT, bestLinear, bestTopology}

// The curves with 2×(b=8).
const (
	bestPINT     = "PINT 2×(b=8)"
	bestLinear   = "linear 2×(b=8)"
	bestTopology = "topology 2×(b=8)"
)

func pathRowOf(r *pint.PathRow, s *pathStudy) pathRow {
	lo, hi := r.Packets.QuantileInterval(0.99)
	return pathRow{
		Source: "ours", Group: s.group[r.Method], Topology: r.Topology, Curve: r.Method, Method: r.Candidates,
		Scheme: r.Scheme,
		Tau:    r.Tau, P: r.P, Bits: r.Bits, Hops: r.Hops, Loss: s.Loss, IDBits: s.IDBits, Reorder: s.Reorder,
		Mean: r.Mean, Half: float64(r.Half), P50: float64(r.P50),
		P99: stats.Number{Value: float64(r.P99), Lo: count(lo), Hi: count(hi)},
		Max: float64(r.Max),
		All: math.NaN(), AllHalf: math.NaN(), Wrong: r.Wrong, Runs: r.Runs, Failed: r.Failed, Switch: r.Switch,
	}
}

// average sets All and AllHalf of a row from the points of the row's curve.
func (r *pathRow) average(points []pint.PathRow) {
	r.All, r.AllHalf = 0, 0
	for _, p := range points {
		r.All += p.Mean / float64(len(points))
		r.AllHalf = math.Hypot(r.AllHalf, float64(p.Half)/float64(len(points)))
	}
}

// count converts a number of packets. If too many runs gave up, the number is unknown, and the result is NaN.
func count(n int) float64 {
	if n < 0 {
		return math.NaN()
	}
	return float64(n)
}

// printedPath returns the numbers that the PINT paper prints for the real map (§6.3).
func printedPath() pathRow {
	r := columns.Blank[pathRow]()
	r.Source, r.Group, r.Topology, r.Curve, r.Bits, r.Hops = "published", document, realKDL, bestPINT, 16, 59
	r.Mean, r.P99.Value, r.Runs, r.Loss = 42, 94, 10_000, 0
	return r
}

// pathScale contains the settings of a scale.
type pathScale struct {
	runs  int
	steps int // number of path lengths on the networks of internet providers, including the longest
	rough []rough

	stride int // step between the path lengths of readings
}

// rough describes the faults of delivery. `loss` is the share of the packets that is lost. Identifiers are random and
// have idBits bits; with 0 bits, no identifier repeats. A packet may arrive after up to `reorder` packets that were
// sent later.
type rough struct {
	loss    float64
	idBits  int
	reorder int
}

// faulty lists the faults of delivery at the laptop and paper scales.
var faulty = []rough{{loss: 0.01}, {loss: 0.1}, {idBits: 16}, {idBits: 8}, {reorder: 8}}

// readingRuns is the largest number of runs for a reading at one path length.
const readingRuns = 1000

// roughRuns is the largest number of runs with faults of delivery.
const roughRuns = 2000

func (z pathScale) String() string {
	return fmt.Sprintf("%d runs for each curve and path length, %d lengths on the two large networks, "+
		"all on the fat tree", z.runs, z.steps)
}

// realKDL is the name of the map for which the PINT paper prints numbers.
const realKDL = "Kentucky Datalink"

// network is one of the three networks of the figure.
type network struct {
	key      string // key of --set; empty if the network cannot be replaced
	name     string // name in the PINT paper, if the graph is the paper's network
	d        int    // typical path length with which the switches are configured
	switches int    // size of the PINT paper's map
	graph    *topo.Graph
	source   string // source of the graph
}

// networks returns the networks of the PINT paper. Maps that the job names replace the generated networks.
func networks(set []string) ([]network, error) {
	list := []network{
		{key: "kdl", name: realKDL, d: 10, switches: 754},
		{key: "uscarrier", name: "US Carrier", d: 10, switches: 158},
		{name: "Fat tree (K = 8)", d: 5},
	}
	for _, s := range set {
		key, path, _ := strings.Cut(s, "=")
		i := slices.IndexFunc(list, func(n network) bool { return n.key != "" && n.key == key })
		if i < 0 || path == "" {
			return nil, fmt.Errorf("--set %s: has no effect on this figure (accepted: kdl=FILE, "+
				"uscarrier=FILE with a map in GML or GraphML)", s)
		}
		g, err := topo.ReadFile(path, topo.DefaultFill())
		if err != nil {
			return nil, fmt.Errorf("--set %s: %w", s, err)
		}
		list[i].graph, list[i].source = g, path
		if n := len(g.Switches()); n != list[i].switches {
			// The PINT paper prints no numbers for another map.
			list[i].name = fmt.Sprintf("%s, %d switches", filepath.Base(path), n)
		}
	}
	for i, c := range []interface{ Build() (*topo.Graph, error) }{topo.DefaultISP(), topo.USCarrierISP(),
		schema.Default[topo.KAry]()} {
		if list[i].graph != nil {
			continue
		}
		var err error
		if list[i].graph, err = c.Build(); err != nil {
			return nil, err
		}
		if list[i].source = "generated"; list[i].key != "" {
			// Results of a generated map are not results of the published map.
			list[i].name = fmt.Sprintf("generated, %d switches", len(list[i].graph.Nodes))
		}
	}
	return list, nil
}

// pathLengths returns the path lengths at which a network is measured. If there are at most eight lengths, it returns
// all of them. Otherwise it returns `steps` lengths, evenly spaced up to the longest.
func pathLengths(m *trace.Map, ends []topo.NodeID, steps int) []int {
	all := trace.PathLengths(m, ends)
	if len(all) <= 8 {
		return all
	}
	var list []int
	for i := 1; i <= steps; i++ {
		list = append(list, all[i*len(all)/steps-1])
	}
	return slices.Compact(list)
}
