package pint

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/measure/pint"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/internal/lists"
	"pintlab/netsim/unit"
	"pintlab/plots/report"
)

// Fig7 is Figure 7 of PINT (§6.1). It compares HPCC over INT with HPCC over PINT.
//
// According to the PINT paper, flows above 10 MB have more goodput with PINT, 71 % more at 70 % load. Slowdowns are
// similar: lower for long flows, and slightly higher for short flows.
//
// The 71 % is relative to "the standard INT-based HPCC", with 68 B per packet, "averaged over all flows over 10MB".
// In the scripts of the paper, flows arrive for 200 ms, as at the paper scale of this figure. Next to its own runs,
// the figure draws stored runs of 1 to 200 ms (package measure/pint). The paper's statements in words are judged
// relative to HPCC's own format, with 42 B. Short runs that begin and end in an empty network show only a fraction of
// the gain. Therefore runs of the laptop scale begin with active flows, and further flows arrive after the measured
// flows.
//
// Separate runs use the U of the published simulator. Other runs have a digest that is as long as INT's header, so
// that PINT saves no bytes. They show which part of the gain does not come from saved bytes.
var Fig7 = figure.Of[gainScale, gainRow]{
	Name: "pint/fig7", Files: files,
	// At the paper scale, web-search traffic lasts 200 ms, as in the published scripts. Hadoop traffic lasts only a
	// quarter of this time, because its flows are so short that there are already 850 000. There is one seed, and
	// intervals are over sections of the arrivals.
	Scales: map[figure.Scale]gainScale{
		figure.Smoke: {shareScales[figure.Smoke], []int{30, 70},
			pint.Scale{Seeds: 1, Buckets: 10, Web: []unit.Time{30 * us}, Hadoop: []unit.Time{5 * us}},
			pint.Scale{Seeds: 1, Buckets: 10, Web: []unit.Time{30 * us}, Hadoop: []unit.Time{5 * us}}},
		figure.Laptop: {shareScales[figure.Laptop], []int{30, 50, 70}, ofSimulator, ofBytes},
		figure.Paper:  {shareScales[figure.Paper], []int{30, 50, 70}, ofSimulator, ofBytes},
	},
	Measure: measureGains,
	Points:  gainPoints,
	Claims: map[string]func(*figure.Claim, []gainRow) figure.Finding{
		"more goodput": higherGoodput, "grows with the load": growsWithLoad, "similar, not slower": notSlower,
	},
	Ours:   map[string]figure.Ours[gainRow]{"gain": gainOf},
	Tables: gainTables,
	Draw:   drawGains,
}.Figure()

// gainRow is a line of rows.csv: goodput in b/s, slowdowns, or ratios.
type gainRow struct {
	// Table is "goodput" or "gain" for panel (a), "slowdown" or "change" for (b) and
	// (c).
	Table    string  `col:"table"`
	Source   string  `col:"source"` // ours, stored, published or model
	Start    string  `col:"start"`  // start of our runs: cold (in an empty network) or steady (with active flows)
	Workload string  `col:"workload"`
	Scheme   string  `col:"scheme"`
	Versus   string  `col:"versus"` // scheme whose value is the denominator of a gain or a change
	Measure  string  `col:"measure"`
	Load     int     `col:"load" unit:"%"`
	Arrival  float64 `col:"arrivals" unit:"ms"` // length of the arrival window; NaN if the row is not ours
	stats.Sized
}

// The tables of the rows, with slowdowns and changes.
const (
	goodputs = "goodput"
	gains    = "gain"
	readings = "published U" // changes of p95 slowdowns, in separate runs
	padded   = "same bytes"  // likewise, for digests with as many bytes as INT
)

// The measures of a gain.
const (
	ofMeans    = "mean goodput over mean goodput"
	perFlow    = "mean over the flows of goodput over goodput"
	ofCapacity = "residual capacity over residual capacity"

	// These measures only cover flows that start in the second half of the arrivals. The first half warms up the
	// network.
	ofMeansWarm = ofMeans + ", second half"
	perFlowWarm = perFlow + ", second half"
)

// gainScale contains the settings of a scale.
type gainScale struct {
	pint.Scale
	loads    []int      // loads of panel (a), %
	readings pint.Scale // scale of the runs with the published simulator's U
	padded   pint.Scale // scale of the runs with as many bytes as INT
}

// ofSimulator is the scale of the runs with the published simulator's U. The runs are short; four seeds provide
// intervals.
var ofSimulator = pint.Scale{Seeds: 4, Buckets: 20, Web: []unit.Time{10 * ms}, Hadoop: []unit.Time{4 * ms}}

// ofBytes is the scale of the runs with as many bytes as INT. Runs are short, but intervals are narrow enough to show
// the effect of the bytes.
var ofBytes = pint.Scale{Seeds: 5, Buckets: 10, Web: []unit.Time{1500 * us}, Hadoop: []unit.Time{500 * us}}

func (z gainScale) String() string {
	return fmt.Sprintf("%v; with the published simulator's U, %v; with as many bytes as INT, %v", z.Scale, z.readings,
		z.padded)
}

// bases returns the schemes with which panel (a) compares PINT: HPCC's own format at every length of the arrivals,
// and standard INT only at the full length.
func (z *gainScale) bases(arrival unit.Time) []study.Scheme {
	if arrival == z.Web[len(z.Web)-1] {
		return []study.Scheme{pint.INT, pint.StandardINT}
	}
	return []study.Scheme{pint.INT}
}

// entries returns the cells of panels (b) and (c), and a list of cells of panel (a) for each length and load. PINT is
// the last scheme of each list.
func (z *gainScale) entries() (sizes []study.Cell, long [][]study.Cell) {
	for _, arrival := range z.Web {
		for _, load := range z.loads {
			var list []study.Cell
			for _, s := range append(z.bases(arrival), pint.PINT) {
				e := z.Case(pint.Web, s, load, arrival).Cell()
				e.Case = fmt.Sprintf("%d %%", load)
				list = append(list, e)
			}
			long = append(long, list)
		}
	}
	return z.Cells(load, []study.Scheme{pint.INT, pint.PINT}), long
}

// The measures of a scheme.
const (
	mean = "mean goodput"
	p95  = "p95 slowdown"
)

func measureGains(ctx context.Context, j *figure.Job, z gainScale) ([]gainRow, error) {
	sizes, long := z.entries()
	goodput, each := study.Goodput(mean), study.FlowByFlow(perFlow)
	ratio := goodput
	ratio.Name = ofMeans
	p := study.Study{
		Cells: slices.Concat(append([][]study.Cell{sizes}, long...)...), Seeds: j.SeedList(z.Seeds),
		Measures: []study.Measure{
			study.BySize(p95, 0.95, z.Buckets), goodput, ratio, each, study.Late(ofMeansWarm, ratio),
			study.Late(perFlowWarm, each),
		},
	}
	results, err := pint.Run(ctx, j, &p)
	if err != nil {
		return nil, err
	}
	z.Footnote(j, 0, len(p.Seeds))
	var rows []gainRow
	add := func(load int, order func(*study.Rows)) error {
		list, err := results.Rows(order)
		for _, r := range list {
			rows = append(rows, gainRowOf(r, load, z.Steady))
		}
		return err
	}
	for i, list := range long {
		bases, pint := list[:len(list)-1], list[len(list)-1]
		if err := add(z.loads[i%len(z.loads)], func(r *study.Rows) {
			r.Add(goodputs, pint, "", goodput.Name)
			for _, base := range bases {
				r.Add(goodputs, base, "", goodput.Name)
				for _, quantity := range []string{ofMeans, perFlow, ofMeansWarm, perFlowWarm} {
					r.Add(gains, pint, base.Scheme, quantity)
				}
			}
		}); err != nil {
			return nil, err
		}
	}
	stored, err := storedGains()
	if err != nil {
		return nil, err
	}
	rows = slices.Concat(rows, z.model(), stored, []gainRow{printedGain})
	if err := add(load, func(r *study.Rows) {
		for _, e := range sizes {
			r.Add(slowdowns, e, "", p95)
			for _, against := range e.Against {
				r.Add(changes, e, against, p95)
			}
		}
	}); err != nil {
		return nil, err
	}
	for _, of := range []struct {
		table   string
		scale   pint.Scale
		schemes []study.Scheme
	}{
		{readings, z.readings, []study.Scheme{pint.INT, pint.PINT, pint.PublishedU}},
		{padded, z.padded, []study.Scheme{pint.INT, pint.PINT, pint.Padded}},
	} {
		list, err := measureChanges(ctx, j, of.table, of.scale, of.schemes)
		if err != nil {
			return nil, err
		}
		rows = append(rows, list...)
	}
	return rows, nil
}

// measureChanges makes separate runs and returns the changes relative to the first scheme.
func measureChanges(
	ctx context.Context, j *figure.Job, table string, z pint.Scale, schemes []study.Scheme,
) ([]gainRow, error) {
	p := study.Study{
		Cells: z.Cells(load, schemes), Seeds: j.SeedList(z.Seeds), SeedFirst: true,
		Measures: []study.Measure{study.BySize(p95, 0.95, z.Buckets)},
	}
	list, err := p.Measure(ctx, j, func(r *study.Rows) {
		for _, c := range p.Cells {
			for _, against := range c.Against {
				r.Add(table, c, against, p95)
			}
		}
	})
	return lists.Map(list, func(r study.Row) gainRow { return gainRowOf(r, load, z.Steady) }), err
}

// gainRowOf returns the row of one of our runs.
func gainRowOf(r study.Row, load int, steady bool) gainRow {
	own := gainRow{
		Table: r.Table, Source: "ours", Start: pint.Cold, Workload: pint.Web.Name, Scheme: r.Scheme,
		Versus: r.Against, Measure: r.Quantity,
		Load: load, Arrival: r.X, Sized: r.Sized,
	}
	if steady {
		own.Start = pint.Steady
	}
	if r.Case == pint.Hadoop.Name {
		own.Workload = r.Case
	}
	return own
}

// gain makes the row of a gain that is not from our runs.
func gain(source, versus, measure string, load int, value float64) gainRow {
	r := columns.Blank[gainRow]()
	r.Table, r.Source, r.Workload, r.Scheme = gains, source, pint.Web.Name, pint.PINT.Name
	r.Versus, r.Measure, r.Load, r.Value = versus, measure, load, value
	return r
}

// storedGains returns the stored gains of runs of different lengths.
func storedGains() ([]gainRow, error) {
	list, err := pint.Stored()
	var rows []gainRow
	for _, g := range list {
		r := gain("stored", g.Over, g.Measure, g.Load, g.Value)
		r.Arrival, r.Start, r.Seeds, r.Lo, r.Hi = g.Arrivals, g.Start, g.Seeds, g.Lo, g.Hi
		rows = append(rows, r)
	}
	return rows, err
}

// model returns the gains that the residual capacity of a server link predicts. According to §2, goodput is
// proportional to the residual capacity: the part of the link's rate that payload, headers, and ACKs for traffic in
// the other direction do not use.
func (z *gainScale) model() (rows []gainRow) {
	for _, base := range z.bases(z.Web[len(z.Web)-1]) {
		for _, load := range z.loads {
			rows = append(rows, gain("model", base.Name, ofCapacity, load,
				pint.Residual(load, pint.PINT)/pint.Residual(load, base)))
		}
	}
	return rows
}

// printedGain is the gain that the PINT paper prints: "at 70% load, using PINT improves the goodput by 71%" over "the
// standard INT-based HPCC" (§6.1). The rest of Fig. 7 is a plot.
var printedGain = gain("published", pint.StandardINT.Name, "relative goodput improvement", 70, 1.71)

// longestGains keeps the rows of the longest runs, and rows that are not from our runs.
func longestGains(rows []gainRow) []gainRow {
	return pint.Full(rows, func(r *gainRow) (string, float64) {
		if r.Source != "ours" || r.ofTheirOwn() {
			return r.Workload, math.NaN()
		}
		return r.Workload, r.Arrival
	})
}

// ourGains returns the gains over INT as ratios of means.
func ourGains(rows []gainRow) []gainRow {
	return figure.Pick(rows, func(r *gainRow) bool {
		return r.Table == gains && r.Source == "ours" && r.Measure == ofMeans && r.Versus == pint.INT.Name
	})
}

// point converts the row to a row of a comparison. The workload becomes the case. The length of the arrivals becomes
// X, because claims about panels (a) to (c) select the longest.
func (r *gainRow) point() study.Row {
	p := study.Row{Table: r.Table, Case: r.Workload, X: r.Arrival, Scheme: r.Scheme, Against: r.Versus,
		Quantity: r.Measure, Sized: r.Sized}
	if r.ofTheirOwn() {
		p.X = math.NaN()
	}
	return p
}

// ofTheirOwn reports whether the row is from runs that panels (a) to (c) do not show.
func (r *gainRow) ofTheirOwn() bool { return r.Table == readings || r.Table == padded }

// gainPoints returns the rows of our runs.
func gainPoints(rows []gainRow) []study.Row {
	ours := figure.Pick(rows, func(r *gainRow) bool { return r.Source == "ours" })
	return lists.Map(ours, func(r gainRow) study.Row { return r.point() })
}

// notSlower makes a finding. The finding holds if slowdowns are similar. If slowdowns are lower instead, the saved
// bytes explain the difference.
func notSlower(c *figure.Claim, rows []gainRow) figure.Finding {
	of := pint.Longest(figure.Pick(gainPoints(rows), func(r *study.Row) bool { return r.Table == c.Table }))
	of = study.Pick(of, c.Case, c.Scheme, c.Against, c.Quantity)
	f := figure.Similar(c.Statement, of, c.Amount)
	if !slices.ContainsFunc(of, func(r study.Row) bool { return r.Lo > 1+c.Amount }) {
		f = f.Because("the bytes")
	}
	return f
}

func higherGoodput(_ *figure.Claim, rows []gainRow) figure.Finding {
	gain := ourGains(longestGains(rows))
	confirmed, contradicted, detail := len(gain) > 0, false, ""
	for _, r := range gain {
		confirmed = confirmed && r.Lo > 1
		contradicted = contradicted || r.Hi < 1
		detail += fmt.Sprintf("%d %%: %s; ", r.Load, r.Change())
	}
	return figure.Judge("", confirmed, contradicted, "%s", strings.TrimSuffix(detail, "; "))
}

func growsWithLoad(_ *figure.Claim, rows []gainRow) figure.Finding {
	gain := ourGains(longestGains(rows))
	if len(gain) < 2 {
		return figure.Judge("", false, false, "too few rows")
	}
	a, b := gain[0], gain[len(gain)-1]
	return figure.Judge("", b.Lo > a.Hi, b.Hi < a.Lo, "%s at %d %%, %s at %d %%", a.Change(), a.Load, b.Change(),
		b.Load)
}

// settled is the shortest arrival window, in ms, with which runs that begin in an empty network show the full gain.
const settled = 100

// gainOf returns our gain over the scheme p.Against at the load p.X. p.Panel is the measure. The PINT paper prints
// "the relative goodput improvement, averaged over all flows over 10MB". The ratio of the means is another reading.
// If there are stored runs of the same length with more seeds, they replace the runs of the figure.
func gainOf(all []gainRow, p *figure.Published, c *report.Compared) stats.Number {
	is := func(r *gainRow, source string) bool {
		return r.Table == gains && r.Source == source && r.Load == int(p.X) && r.Versus == p.Against &&
			r.Measure == p.Panel
	}
	r := figure.Find(longestGains(all), func(r *gainRow) bool { return is(r, "ours") })
	if r == nil {
		return stats.None()
	}
	if r.Arrival == pint.PaperLength {
		if s := figure.Find(all, func(s *gainRow) bool { return is(s, "stored") && s.atLength(r.Arrival) }); s != nil &&
			s.Seeds > r.Seeds {
			r = s
		}
	}
	c.Over = figure.Count(r.Seeds, "seed")
	if r.Arrival < settled && r.Start == pint.Cold {
		return stats.Alone(stats.Percent(r.Value)) // too short to decide
	}
	return r.Percent()
}

// atLength reports whether a stored gain is from runs that begin in an empty network and in which flows arrive for the
// given number of ms.
func (r *gainRow) atLength(ms float64) bool { return r.Start == pint.Cold && r.Arrival == ms }
