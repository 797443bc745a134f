// Package fig10 is Figure 10 of PINT (§6.3): how many packets it takes until the path of
// a flow is known.
//
// The PINT paper reports averages and 99th percentiles over 10 000 runs per path length on
// Kentucky Datalink, US Carrier and a K = 8 fat tree. It prints numbers for one point
// alone: 59 switches, 2×(b=8), 42 packets on average and 94 at the 99th percentile, and
// factors against the peers.
//
// We draw all of its curves with every switch of the network as a candidate, and
// labelled variants beside them: the easier task, where the candidates are the
// switches of the true path, and what a linear hash and a decoder that knows the network
// make of the same bits. A table has what the printed numbers can come from: the same curves, and
// those of the program that the authors published, at 59 switches and averaged over path lengths.
// The comparison has each of these readings as a row of its own, with either set of candidates.
//
// The two maps cannot be shipped. By default networks of the same number of nodes, links
// and diameter stand in (package topo, ISP), under names that say so; --set kdl=FILE and --set uscarrier=FILE take
// the real ones, as GML or GraphML.
//
// docs/claims.md has what the paper scale gives, made from paper.csv beside this file,
// and docs/validation.md the numbers of 10 000 runs at the longest path.
package fig10

import (
	"context"
	_ "embed" // for known.csv
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/measure/pint"
	"pintlab/experiments/results/columns"
	"pintlab/netsim/topo"
	"pintlab/pint/trace"
)

// Figure is Fig. 10.
var Figure = figure.Of[scale, Row]{
	Name:   "pint/fig10",
	Title:  "Packets until a path is known",
	Source: "PINT §6.3, Fig. 10",
	Claim: "PINT traces paths with fewer packets than PPM and AMS2, even with one bit; " +
		"the number of packets grows near-linearly with the path.",
	Scales:  scales,
	Measure: measure,
	Check:   check,
	Compare: compared,
	Tables:  tables,
	Draw:    draw,
	Why:     why,
}.Figure()

// oneBit is why one bit does not beat the peers everywhere.
var oneBit = figure.Known(knownText, "one bit", oneBitWhy)

//go:embed known.csv
var knownText string

const oneBitWhy = "59 switches out of 754 are 564 bits, so no decoder that does not know the network gets by with " +
	"fewer packets of one bit, where the PINT paper's factor of 7–10 would leave 100–215; AMS2's decoder knows the " +
	"routers. The program that PINT's authors published gets by with fewer because most of the switches that it " +
	"gives are wrong: its XOR packets carry the numbers of switches, cut to the digest's bits, " +
	"and a hop that is the only unknown one of such a packet counts as known. With the switches of the true path as " +
	"candidates, averaged over path lengths, that gives the printed factor. A decoder of PINT that knows the network " +
	"needs less than the factor leaves, and errs nowhere."

// printed is why the numbers that the PINT paper prints for 59 switches are not ours.
var printed = figure.Known(knownText, "readings", printedWhy)

const printedWhy = "At 59 switches no 99th percentile of ours is more than 1.6 times its average, " +
	"where the printed ones are 2.2 times (42 and 94) and 3.3 times (1–1.5K and 3.3–5K). So we also read the printed " +
	"averages as averages over path lengths, and we ran the decoder and the AMS2 of the program that PINT's authors " +
	"published. No reading gives all numbers to their last digit. The program's candidates are the switches of the " +
	"true path. With these, AMS2 needs 7 and 10 times as many packets as one bit, as printed, " +
	"but 2×(b=8) needs fewer packets than printed. With every switch as a candidate, the packets and the gains of " +
	"2×(b=8) come near the printed numbers, but 22.8 of the 59 switches that it gives are wrong, " +
	"and one bit gains less than printed. The reason for wrong switches: the program's XOR packets carry the numbers " +
	"of switches, cut to the digest's bits, and a hop that is the only unknown one of such a packet counts as known. " +
	"Its AMS2 draws one of seven functions, not eight, and reads only the marks of packets that PINT takes for " +
	"Baseline ones, which are half. Its PPM has 8 fragments at as many positions as the path has switches, " +
	"100 runs and at most 5000 packets: counted again, 1518 packets on average over 2 to 59 switches and a 99th " +
	"percentile of 4743 at 59, as printed. The program has one digest of a packet, not two. " +
	"It skips XOR packets whose numbers give 0, which we leave out because one bit then takes more packets than " +
	"printed. We do not know which program gave the printed numbers."

var why = []string{
	oneBitWhy,
	printedWhy,
	"The PINT paper does not print τ and p. The curves have the artifact's, τ = 1/2 and p = 1/d, " +
		"unless their name says otherwise. They need the fewest packets of long paths; on the fat tree those of " +
		"Algorithm 1 (appendix A) and of Hybrid (§4.2: τ = 3/4, p = 1/ln d) need fewer, and are curves of their own.",
	"The two maps of internet providers cannot be shipped. --set kdl=FILE and --set uscarrier=FILE take them; " +
		"otherwise generated networks of the same number of nodes, links and diameter stand in, " +
		"under names of their own.",
}

// isPeer reports whether PINT is compared with a curve.
func isPeer(curve string) bool {
	return strings.HasPrefix(curve, "PPM") || strings.HasPrefix(curve, "AMS2")
}

// drawn reports whether a row is a point of a curve of ours.
func (r *Row) drawn() bool { return r.Source == "ours" && r.Group != robust && r.Group != reading }

// peers are the schemes that PINT is compared with; budgets are PINT's, of which the PINT paper prints how many times
// fewer packets they need.
var (
	peers   = []string{"PPM", "AMS2 m=5", "AMS2 m=6"}
	budgets = []string{bestPINT, "PINT b=1"}
)

// ends are those of the printed ranges, which span the peers: of the one that needs the fewest packets, and of the one
// that needs the most.
var ends = []struct {
	name      string
	sign      float64 // of the order of the peers
	published string  // the peer of this end in the published code
	mean, p99 float64
	fewer     [2]float64 // than of each budget
}{
	{"the best peer", 1, "AMS2 m=5", 1000, 3300, [2]float64{25, 7}},
	{"the worst peer", -1, "AMS2 m=6", 1500, 5000, [2]float64{36, 10}},
}

// candidates are the sets of switches that a decoder of the readings can choose from, the program's own first.
var candidates = []struct{ name, suffix string }{
	{"candidates: the true path's switches", ", true path's switches only"}, {"candidates: every switch", ""},
}

// Row is a line of rows.csv: a curve at a path length.
type Row struct {
	Source string `col:"source"` // ours or published
	// published, easier, ours: whose curve it is; reading: what the printed numbers can come from; robust: what loss,
	// repeated identifiers and reordering do
	Group    string  `col:"group"`
	Topology string  `col:"topology"`
	Curve    string  `col:"curve"`
	Method   string  `col:"candidates"` // what the decoder chooses from
	Scheme   string  `col:"scheme"`
	Tau      float64 `col:"tau"` // of the last instance
	P        float64 `col:"p"`   // of its first XOR layer
	Bits     int     `col:"bits" unit:"b"`
	Hops     int     `col:"hops"`
	Loss     float64 `col:"loss"`                // share of the packets that get lost
	IDBits   int     `col:"id_bits" unit:"b"`    // of packet identifiers drawn at random; 0: they never repeat
	Reorder  int     `col:"reorder"`             // a packet arrives after up to so many that were sent after it
	Mean     float64 `col:"mean" unit:"packets"` // sent until the path is known
	Half     float64 `col:"half_width" unit:"packets"`
	P50      float64 `col:"p50" unit:"packets"`
	P99      float64 `col:"p99" unit:"packets"`
	P99Lo    float64 `col:"p99_lo" unit:"packets"` // its 95 % interval; NaN where the runs are too few
	P99Hi    float64 `col:"p99_hi" unit:"packets"`
	Max      float64 `col:"max" unit:"packets"`
	// of a reading: Mean, averaged over path lengths from 2 switches to the longest
	All     float64 `col:"all_mean" unit:"packets"`
	AllHalf float64 `col:"all_half_width" unit:"packets"`
	Wrong   float64 `col:"wrong" unit:"switches"` // hops of a path that are wrong in the end, on average
	Runs    int     `col:"runs"`
	Failed  int     `col:"failed"` // runs that gave up
	Switch  string  `col:"switch"` // whether a switch can compute it
}

// The groups of curves.
const (
	document = "published"
	easier   = "easier"
	beyond   = "ours"
	reading  = "reading"
	robust   = "robust"
)

// limit is the number of packets after which a run gives up.
const limit = 100_000

// study is one call of pint.PathStudy.
type study struct {
	pint.PathStudy
	group   map[string]string // by curve
	average bool              // over the lengths: a row for each curve, of the longest paths
}

func measure(ctx context.Context, j *figure.Job, z scale) ([]Row, error) {
	if j.Seeds > 0 {
		return nil, fmt.Errorf("--seeds %d has no effect on this figure: each of its runs is drawn anew", j.Seeds)
	}
	nets, err := networks(j.Set)
	if err != nil {
		return nil, err
	}
	var studies []study
	for _, n := range nets {
		list, err := n.studies(z, j)
		if err != nil {
			return nil, err
		}
		studies = append(studies, list...)
	}
	var rows []Row
	for _, s := range studies {
		got, err := s.Run(ctx, j)
		if err != nil {
			return nil, err
		}
		for i := range got {
			r := rowOf(&got[i], &s)
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
	return append(rows, published()...), nil
}

// studies lists the measurements on a network: all curves at all lengths, and on the first
// network loss, identifiers of few bits and reordering.
func (n *network) studies(z scale, j *figure.Job) ([]study, error) {
	m, err := trace.NewMap(n.graph, nil)
	if err != nil {
		return nil, fmt.Errorf("%s (%s): %w", n.name, n.source, err)
	}
	ends := trace.HostSwitches(n.graph)
	at := lengths(m, ends, z.steps)
	j.Setting(n.name, "PINT §6.3", "%s: %d switches, %d links, paths of up to %d switches; d = %d", n.source, m.Len(),
		m.Links(), at[len(at)-1], n.d)
	s := study{
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
	// The decoder that knows the network on the PINT paper's encoding: at the end alone, for
	// it is the slowest of all.
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
	list := []study{s, last}
	if n.key != "kdl" {
		return list, nil
	}
	r := study{PathStudy: s.PathStudy, group: map[string]string{}, average: true}
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

// The curves of 2×(b=8).
const (
	bestPINT     = "PINT 2×(b=8)"
	bestLinear   = "linear 2×(b=8)"
	bestTopology = "topology 2×(b=8)"
)

func rowOf(r *pint.PathRow, s *study) Row {
	lo, hi := r.Packets.QuantileInterval(0.99)
	return Row{
		Source: "ours", Group: s.group[r.Method], Topology: r.Topology, Curve: r.Method, Method: r.Candidates,
		Scheme: r.Scheme,
		Tau:    r.Tau, P: r.P, Bits: r.Bits, Hops: r.Hops, Loss: s.Loss, IDBits: s.IDBits, Reorder: s.Reorder,
		Mean: r.Mean, Half: r.Half, P50: count(r.P50), P99: count(r.P99), P99Lo: count(lo), P99Hi: count(hi),
		Max: count(r.Max),
		All: math.NaN(), AllHalf: math.NaN(), Wrong: r.Wrong, Runs: r.Runs, Failed: r.Failed, Switch: r.Switch,
	}
}

// average sets All of a row from the points of its curve.
func (r *Row) average(points []pint.PathRow) {
	r.All, r.AllHalf = 0, 0
	for _, p := range points {
		r.All += p.Mean / float64(len(points))
		r.AllHalf = math.Hypot(r.AllHalf, p.Half/float64(len(points)))
	}
}

// count returns a number of packets; NaN if too many runs gave up to know it.
func count(n int) float64 {
	if n < 0 {
		return math.NaN()
	}
	return float64(n)
}

// published returns the numbers that the PINT paper prints (§6.3). They are of the real map.
func published() []Row {
	r := columns.Blank[Row]()
	r.Source, r.Group, r.Topology, r.Curve, r.Bits, r.Hops, r.Mean, r.P99, r.Runs = "published", document, realKDL,
		bestPINT, 16, 59, 42, 94, 10_000
	r.Loss = 0
	return []Row{r}
}

// scale holds what the figure runs at one scale.
type scale struct {
	runs  int
	steps int // path lengths on the networks of internet providers, the longest one included
	rough []rough

	stride int // between the path lengths of readings
}

// rough describes the faults of delivery. A share of the packets is lost. Identifiers are drawn at random from this
// many bits; with 0 bits none repeats. A packet may arrive after up to this many packets that were sent later.
type rough struct {
	loss    float64
	idBits  int
	reorder int
}

var scales = map[figure.Scale]scale{
	figure.Smoke:  {10, 2, []rough{{0.1, 8, 4}}, 19},
	figure.Laptop: {1000, 5, []rough{{loss: 0.01}, {loss: 0.1}, {idBits: 16}, {idBits: 8}, {reorder: 8}}, 3},
	figure.Paper:  {10_000, 5, []rough{{loss: 0.01}, {loss: 0.1}, {idBits: 16}, {idBits: 8}, {reorder: 8}}, 3},
}

// readingRuns is the most runs of a reading at a path length.
const readingRuns = 1000

// roughRuns is the largest number of runs with faults of delivery.
const roughRuns = 2000

func (z scale) String() string {
	return fmt.Sprintf("%d runs for each curve and path length, %d lengths on the two large networks, "+
		"all on the fat tree", z.runs, z.steps)
}

// realKDL is the name of the map of which the PINT paper prints numbers.
const realKDL = "Kentucky Datalink"

// network is one of the three networks.
type network struct {
	key      string // of --set; empty if it cannot be replaced
	name     string // in the PINT paper, if it is that network
	d        int    // typical path length that the switches are configured with
	switches int    // of the PINT paper's map
	graph    *topo.Graph
	source   string // where the graph comes from
}

// networks returns the networks of the PINT paper. Maps that the job names replace the generated ones.
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
			// Another map is not the one that the PINT paper prints numbers of.
			list[i].name = fmt.Sprintf("%s, %d switches", filepath.Base(path), n)
		}
	}
	for i, c := range []interface{ Build() (*topo.Graph, error) }{topo.DefaultISP(), topo.USCarrierISP(),
		topo.Default[topo.KAry]()} {
		if list[i].graph != nil {
			continue
		}
		var err error
		if list[i].graph, err = c.Build(); err != nil {
			return nil, err
		}
		if list[i].source = "generated"; list[i].key != "" {
			// Results of a generated map are not results of the published one.
			list[i].name = fmt.Sprintf("generated, %d switches", len(list[i].graph.Nodes))
		}
	}
	return list, nil
}

// lengths returns path lengths of a network: all if there are at most eight, else steps of them, evenly spaced up to
// the longest.
func lengths(m *trace.Map, ends []topo.NodeID, steps int) []int {
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
