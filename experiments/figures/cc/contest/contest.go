// Package contest runs schemes against one another on the same flows and makes rows of what they
// give: numbers over several seeds, and ratios to another scheme that are paired by seed. The
// figures of congestion controls are made of them.
package contest

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"pintlab/experiments/campaign"
	"pintlab/experiments/figures/figure"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/results/store"
	"pintlab/netsim/unit"
	"pintlab/plots"
)

// Entry is a scheme in a case. All schemes of a case have the same network and flows.
type Entry struct {
	Case, Scheme string
	X            float64 // place of the case on an axis; NaN if there is none
	// Against are the schemes of the same case that this one is compared with.
	Against []string
	Base    string // preset
	Set     []string
}

// String is the entry as people read it.
func (e Entry) String() string {
	if math.IsNaN(e.X) {
		return e.Case + ", " + e.Scheme
	}
	return fmt.Sprintf("%s, %s at %v", e.Case, e.Scheme, e.X)
}

func (e Entry) spec(seed uint64) campaign.Spec {
	return campaign.Spec{
		Label: fmt.Sprintf("%v, seed %d", e, seed), Base: e.Base,
		Set: append([]string{fmt.Sprintf("seed=%d", seed)}, e.Set...),
	}
}

// Trial is a run of an entry.
type Trial struct {
	Run    *campaign.Run
	Flows  *store.Flows
	Points []stats.Point // of the flows that have finished, by ID
}

// Packets are the data packets that all flows have sent, and of these those that were sent before.
func (t *Trial) Packets() (sent, again float64) {
	for f := range t.Flows.All() {
		sent, again = sent+float64(f.Packets), again+float64(f.Retransmitted)
	}
	return sent, again
}

// Quantity is what is measured of an entry.
type Quantity struct {
	Name string
	// Of is a number over the trials of all seeds, or a number for each bucket of flow sizes. None
	// means that some trial has no such number.
	Of func([]*Trial) ([]stats.Measured, error)
	// Paired says that ratios to other schemes make sense.
	Paired bool
}

// Number is a quantity that each trial has one of: a value, and the flows that it is of. NaN means
// that it has none.
func Number(name string, paired bool, of func(*Trial) (value float64, flows int, err error)) Quantity {
	return Quantity{Name: name, Paired: paired, Of: func(trials []*Trial) ([]stats.Measured, error) {
		var seeds stats.PerSeed
		for _, t := range trials {
			v, n, err := of(t)
			if err != nil || math.IsNaN(v) {
				return nil, err
			}
			seeds.Add(v, n)
		}
		m, err := seeds.Mean()
		return []stats.Measured{m}, err
	}}
}

// Slowdown is a percentile of the slowdowns of the flows of at least min and at most max bytes.
func Slowdown(name string, p float64, min, max unit.Bytes) Quantity {
	return Number(name, true, func(t *Trial) (float64, int, error) {
		var list []float64
		for _, x := range t.Points {
			if x.Size >= min && x.Size <= max {
				list = append(list, x.Slowdown)
			}
		}
		if len(list) == 0 {
			return math.NaN(), 0, nil
		}
		slices.Sort(list)
		return stats.Percentile(list, p), len(list), nil
	})
}

// MeanSlowdown is the mean over all flows.
func MeanSlowdown(name string) Quantity {
	return Number(name, true, func(t *Trial) (float64, int, error) {
		sum := 0.0
		for _, x := range t.Points {
			sum += x.Slowdown
		}
		return sum / float64(len(t.Points)), len(t.Points), nil
	})
}

// BySize is a percentile of the slowdowns in buckets of flow sizes.
func BySize(name string, p float64, buckets int) Quantity {
	return Quantity{Name: name, Paired: true, Of: func(trials []*Trial) ([]stats.Measured, error) {
		var points [][]stats.Point
		for _, t := range trials {
			points = append(points, t.Points)
		}
		return stats.BySize(points, buckets, p)
	}}
}

// Goodput is the mean goodput of flows of more than size bytes, in b/s.
func Goodput(name string, size unit.Bytes) Quantity {
	return Number(name, true, func(t *Trial) (float64, int, error) {
		g := stats.LongFlows(t.Flows, stats.Everything(), size)
		if g.N == 0 {
			return math.NaN(), 0, nil
		}
		return g.Mean, g.N, nil
	})
}

// Row is a line of rows.csv.
type Row struct {
	Case     string  `col:"case"`
	X        float64 `col:"x"` // of the case; NaN if there is no axis
	Scheme   string  `col:"scheme"`
	Against  string  `col:"against"` // the value is a ratio to that of this scheme, the geometric mean over the seeds
	Quantity string  `col:"quantity"`
	stats.Measured
}

// Measure runs all entries and makes the rows.
func Measure(ctx context.Context, j *figure.Job, entries []Entry, seeds []uint64, quantities []Quantity) ([]Row, error) {
	var specs []campaign.Spec
	for _, e := range entries {
		for _, seed := range seeds {
			specs = append(specs, e.spec(seed))
		}
	}
	runs, err := j.Simulate(ctx, specs)
	if err != nil {
		return nil, err
	}
	type place struct {
		of       string // case and scheme
		x        float64
		quantity string
	}
	at := func(e Entry, scheme, quantity string) place {
		p := place{e.Case + "\n" + scheme, e.X, quantity}
		if math.IsNaN(p.x) {
			p.x = -1 // NaN is no key
		}
		return p
	}
	found := map[place][]stats.Measured{}
	for i, e := range entries {
		trials, err := read(runs[i*len(seeds) : (i+1)*len(seeds)])
		if err != nil {
			return nil, err
		}
		for _, q := range quantities {
			if found[at(e, e.Scheme, q.Name)], err = q.Of(trials); err != nil {
				return nil, fmt.Errorf("%v: %s: %w", e, q.Name, err)
			}
		}
	}
	var rows []Row
	for _, e := range entries {
		for _, q := range quantities {
			own := found[at(e, e.Scheme, q.Name)]
			add := func(against string, list []stats.Measured) {
				for _, m := range list {
					rows = append(rows, Row{e.Case, e.X, e.Scheme, against, q.Name, m})
				}
			}
			add("", own)
			for _, scheme := range e.Against {
				other := found[at(e, scheme, q.Name)]
				if !q.Paired || len(own) == 0 || len(other) == 0 {
					continue
				}
				over, err := stats.Over(own, other)
				if err != nil {
					return nil, fmt.Errorf("%v against %s: %s: %w", e, scheme, q.Name, err)
				}
				add(scheme, over)
			}
		}
	}
	return columns.Rounded(rows), nil
}

func read(runs []*campaign.Run) ([]*Trial, error) {
	var trials []*Trial
	for _, r := range runs {
		flows, err := r.Counted()
		if err != nil {
			return nil, err
		}
		points, _ := stats.Points(flows, stats.Everything())
		trials = append(trials, &Trial{r, flows, points})
	}
	return trials, nil
}

// Pick are the rows of a quantity: of a scheme, against another one or "", in a case; "" for the
// case means all of them.
func Pick(rows []Row, of, scheme, against, quantity string) []Row {
	return figure.Pick(rows, func(r *Row) bool {
		return (of == "" || r.Case == of) && r.Scheme == scheme && r.Against == against && r.Quantity == quantity
	})
}

// From are the rows whose place on the axis is at least x.
func From(rows []Row, x float64) []Row {
	return figure.Pick(rows, func(r *Row) bool { return r.X >= x })
}

// More holds if a quantity is certainly higher with scheme a than with b in all of the cases, and
// fails if it is certainly lower in one.
func More(statement string, rows []Row, a, b, quantity string, cases ...string) figure.Finding {
	all, wrong := len(cases) > 0, false
	var texts []string
	for _, c := range cases {
		x, y := Pick(rows, c, a, "", quantity), Pick(rows, c, b, "", quantity)
		if len(x) != 1 || len(y) != 1 {
			all = false
			continue
		}
		all = all && x[0].Lo > y[0].Hi
		wrong = wrong || x[0].Hi < y[0].Lo
		texts = append(texts, fmt.Sprintf("%.3g and %.3g (%s)", x[0].Value, y[0].Value, c))
	}
	return figure.Judge(statement, all, wrong, "%s and %s: %s", a, b, strings.Join(texts, ", "))
}

// names are the distinct names of rows, in their order.
func names(rows []Row, of func(*Row) string) []string {
	var list []string
	for i := range rows {
		if n := of(&rows[i]); !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	return list
}

// Cases are those of the rows.
func Cases(rows []Row) []string { return names(rows, func(r *Row) string { return r.Case }) }

// Panels are a panel for each case, of a quantity against X, with a curve for each scheme. Numbers that
// a logarithmic axis has no place for are left out.
func Panels(rows []Row, quantity string, x, y plots.Axis) []plots.Panel {
	var list []plots.Panel
	for _, c := range Cases(rows) {
		p := plots.Panel{Title: c, X: x, Y: y}
		of := figure.Pick(rows, func(r *Row) bool {
			return r.Case == c && r.Against == "" && r.Quantity == quantity && !(y.Scale == plots.Log && r.Value <= 0)
		})
		for _, scheme := range names(of, func(r *Row) string { return r.Scheme }) {
			s := plots.Series{Name: scheme, Style: plots.Line}
			for _, r := range of {
				if r.Scheme == scheme {
					s.X, s.Y, s.Lo, s.Hi = append(s.X, r.X), append(s.Y, r.Value), append(s.Lo, r.Lo), append(s.Hi, r.Hi)
				}
			}
			p.Series = append(p.Series, s)
		}
		if len(p.Series) > 0 {
			list = append(list, p)
		}
	}
	return list
}

// Bars is a panel of a quantity with a group of bars for each case, a bar for each scheme.
func Bars(rows []Row, quantity string, y plots.Axis) plots.Panel {
	of := figure.Pick(rows, func(r *Row) bool { return r.Against == "" && r.Quantity == quantity })
	cases := Cases(of)
	p := plots.Panel{X: plots.Axis{Scale: plots.Categorical, Categories: cases}, Y: y}
	for _, scheme := range names(of, func(r *Row) string { return r.Scheme }) {
		s := plots.Series{Name: scheme, Style: plots.Bar}
		for _, r := range of {
			if r.Scheme == scheme {
				s.X, s.Y = append(s.X, float64(slices.Index(cases, r.Case))), append(s.Y, r.Value)
				s.Lo, s.Hi = append(s.Lo, r.Lo), append(s.Hi, r.Hi)
			}
		}
		p.Series = append(p.Series, s)
	}
	return p
}
