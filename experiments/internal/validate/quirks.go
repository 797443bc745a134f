package validate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/scenario"
	"pintlab/experiments/scenario/ns3config"
	"pintlab/experiments/sim"
	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/internal/progress"
	"pintlab/netsim/unit"
	"pintlab/plots"
)

// Flows of at most shortFlow are short. shortFlow is a bandwidth-delay product, so a short flow is sent before its
// first feedback arrives. Flows above longFlow are long.
const (
	shortFlow = 150 * unit.KB
	longFlow  = 1 * unit.MB
)

// The two ways to measure a quirk.
const (
	fromDefault  = "default +"      // the default profile with only this quirk
	fromArtifact = "ns3-artifact -" // the profile ns3-artifact without this quirk
)

// changes contains the effects of a quirk on a run. Each effect has type T.
type changes[T any] struct {
	Same  T `json:"same_percent" col:"same flows"` // flows with the same completion time
	Mean  T `json:"mean_slowdown_percent" col:"mean slowdown"`
	P50   T `json:"p50_slowdown_percent" col:"p50"`
	P95   T `json:"p95_slowdown_percent" col:"p95"`
	Short T `json:"fct_short_percent" col:"FCT up to 150 KB"` // geometric mean over the flows
	Long  T `json:"fct_long_percent" col:"FCT above 1 MB"`
}

func (c *changes[T]) all() []*T { return []*T{&c.Same, &c.Mean, &c.P50, &c.P95, &c.Short, &c.Long} }

// effect contains a change in percent and, if the change has an interval, half the width of the interval. An unknown
// number is NaN here and null in JSON.
type effect []columns.Number

func (e effect) value() float64 { return float64(e[0]) }
func (e effect) half() float64  { return float64(e[1]) }

// QuirkRow has the effect of one setting of the profile ns3-artifact on a case. Changes are in percent of the
// run without the setting: the value and, except for Same, half the width of the 95 % interval over the
// seeds, NaN for one seed.
type QuirkRow struct {
	Case  string `json:"case"`
	Side  string `json:"side"`
	Quirk string `json:"quirk"` // key=value
	Seeds int    `json:"seeds"`
	changes[effect]

	before, after study.Cell // the two cells that it compares
}

// allQuirks is the name of the whole profile as a row of a table.
const allQuirks = "all of them"

// quirkPlan contains the runs and rows of MeasureQuirks.
type quirkPlan struct {
	rows  []QuirkRow
	cells []study.Cell
}

type quirkFlow struct {
	size     unit.Bytes
	fct      unit.Time
	slowdown float64
}

// MeasureQuirks runs each case with the default profile and one quirk at a time, for several seeds. It also runs each
// case with the profile ns3-artifact without one quirk at a time, but only once, because the published simulator has
// no seed. A quirk is an entry of that profile that has an effect on the scenario; the others are left out.
func MeasureQuirks(ctx context.Context, cases []Case, o Options) ([]QuirkRow, error) {
	var p quirkPlan
	for _, c := range cases {
		sc, _, err := ns3config.Load(c.path(configFile))
		if err != nil {
			return nil, err
		}
		if err := p.plan(c.Name, sc); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
	}
	all := study.Study{Cells: p.cells, Seeds: campaign.Seeds(1, max(o.Seeds, 1))}
	done, err := all.Run(ctx, o.job())
	if err != nil {
		return nil, err
	}
	type flows = map[int64]quirkFlow
	for i := range p.rows {
		r := &p.rows[i]
		before, after := study.Made[flows](done, r.before), study.Made[flows](done, r.after)
		var seeds []change
		for n, flows := range before {
			seeds = append(seeds, changeOf(flows, after[min(n, len(after)-1)]))
		}
		if err := r.fill(seeds); err != nil {
			return nil, fmt.Errorf("%s, %s %s: %w", r.Case, r.Side, r.Quirk, err)
		}
	}
	return p.rows, nil
}

// cell adds a cell that runs a scenario, with every seed or once, and keeps the flows with completion times.
func (p *quirkPlan) cell(label string, sc scenario.Scenario, once bool) study.Cell {
	c := study.Cell{Label: label, Scheme: label, Once: once}
	c.Work = func(ctx context.Context, seed uint64, show *progress.Task) (any, error) {
		run, err := sc, error(nil)
		if !once {
			run, err = sc.With(fmt.Sprintf("seed=%d", seed))
		}
		if err != nil {
			return nil, err
		}
		result, err := sim.Run(ctx, run, sim.Options{Progress: study.Report(show)})
		if err != nil {
			return nil, fmt.Errorf("%s, seed %d: %w", label, seed, err)
		}
		flows := map[int64]quirkFlow{}
		for f := range result.Flows.All() {
			if f.FCT != unit.Never {
				flows[f.ID] = quirkFlow{f.Size, f.FCT, f.Slowdown()}
			}
		}
		return flows, nil
	}
	p.cells = append(p.cells, c)
	return c
}

// plan adds the runs for a case, and a row for each quirk and each way to measure it.
func (p *quirkPlan) plan(name string, artifact scenario.Scenario) error {
	ordinary, err := artifact.With("profile=" + scenario.ProfileDefault)
	if err != nil {
		return err
	}
	for _, number := range []string{"cc.t=13us", "cc.w_ai=80B"} { // as in PINT §6.1, not as computed from this network
		if changed, ok, err := altered(ordinary, number); err != nil {
			return err
		} else if ok {
			ordinary = changed
		}
	}
	quirks, err := scenario.Expand(scenario.ProfileNS3)
	if err != nil {
		return err
	}
	base := p.cell(name+", default", ordinary, false)
	whole := p.cell(name+", ns3-artifact", artifact, true)
	p.rows = append(p.rows, QuirkRow{Case: name, Side: fromDefault, Quirk: allQuirks, before: base, after: whole})
	values := map[string]string{}
	for _, k := range ordinary.Keys() {
		values[k.Key] = k.Value
	}
	for _, q := range quirks {
		key, _, _ := strings.Cut(q, "=")
		if strings.Contains(q, "@") {
			continue // a number of a control, not a quirk
		}
		row := QuirkRow{Case: name, Side: fromDefault, Quirk: q}
		label := func() string { return fmt.Sprintf("%s, %s %s", name, row.Side, q) }
		changed, ok, err := altered(ordinary, q)
		if err != nil {
			return err
		}
		if ok {
			row.before, row.after = base, p.cell(label(), changed, false)
			p.rows = append(p.rows, row)
		}
		value, there := values[key]
		if !there {
			continue // the scenario with the default profile does not have the key
		}
		if changed, ok, err = altered(artifact, key+"="+value); err != nil {
			return err
		}
		if row.Side = fromArtifact; ok {
			row.before, row.after = whole, p.cell(label(), changed, true)
			p.rows = append(p.rows, row)
		}
	}
	return nil
}

// altered returns a scenario with one key changed. ok is false if the scenario already has the value, or if the key
// has no effect in the scenario.
func altered(sc scenario.Scenario, assignment string) (changed scenario.Scenario, ok bool, err error) {
	changed, err = sc.With(assignment)
	var problems scenario.Problems
	if errors.As(err, &problems) {
		for _, p := range problems {
			if !strings.Contains(p.Rule, "has no effect") {
				return changed, false, err
			}
		}
		return changed, false, nil
	}
	if err != nil {
		return changed, false, err
	}
	before, err := sc.Hash()
	if err != nil {
		return changed, false, err
	}
	after, err := changed.Hash()
	return changed, before != after, err
}

// change contains the effects of a quirk on one run, in percent.
type change = changes[float64]

// changeOf compares the flows that have finished in both runs.
func changeOf(before, after map[int64]quirkFlow) change {
	var x, y, short, long []float64
	same := 0
	for _, id := range slices.Sorted(maps.Keys(before)) {
		a := before[id]
		b, ok := after[id]
		if !ok {
			continue
		}
		if a.fct == b.fct {
			same++
		}
		x, y = append(x, a.slowdown), append(y, b.slowdown)
		ratio := math.Log(b.fct.Ratio(a.fct))
		switch {
		case a.size <= shortFlow:
			short = append(short, ratio)
		case a.size > longFlow:
			long = append(long, ratio)
		}
	}
	if len(x) == 0 {
		return change{math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN()}
	}
	slices.Sort(x)
	slices.Sort(y)
	relative := func(a, b float64) float64 { return 100 * (b/a - 1) }
	geometric := func(logs []float64) float64 {
		if len(logs) == 0 {
			return math.NaN()
		}
		return 100 * math.Expm1(stat.Mean(logs, nil))
	}
	return change{
		Same:  100 * float64(same) / float64(len(x)),
		Mean:  relative(stat.Mean(x, nil), stat.Mean(y, nil)),
		P50:   relative(stats.Percentile(x, 0.50), stats.Percentile(y, 0.50)),
		P95:   relative(stats.Percentile(x, 0.95), stats.Percentile(y, 0.95)),
		Short: geometric(short), Long: geometric(long),
	}
}

// fill sets the effects of the row: the means over the seeds, and the intervals.
func (r *QuirkRow) fill(seeds []change) error {
	r.Seeds = len(seeds)
	for i, to := range r.all() {
		values := lists.Map(seeds, func(s change) float64 { return *s.all()[i] })
		*to = effect{columns.Number(math.NaN()), columns.Number(math.NaN())}
		if slices.ContainsFunc(values, math.IsNaN) {
			continue // there are no such flows
		}
		iv, err := stats.Mean(values, stats.Level)
		if err != nil {
			return err
		}
		(*to)[0] = columns.Number(iv.Value)
		if iv.Bounded() {
			(*to)[1] = columns.Number(iv.Hi - iv.Value)
		}
	}
	r.Same = r.Same[:1]
	return nil
}

// quirkLine is a row of the printed table. A change is in brackets if its interval includes 0.
type quirkLine struct {
	Quirk string `col:"quirk"`
	Side  string `col:"side"`
	changes[string]
}

// WriteQuirks writes a table for each case.
func WriteQuirks(w io.Writer, rows []QuirkRow) error {
	for len(rows) > 0 {
		n := slices.IndexFunc(rows, func(r QuirkRow) bool { return r.Case != rows[0].Case })
		if n < 0 {
			n = len(rows)
		}
		var lines []quirkLine
		var idle []string
		for i := range rows[:n] {
			if r := &rows[i]; r.idle() {
				idle = append(idle, r.Side+" "+r.Quirk)
			} else {
				lines = append(lines, r.line())
			}
		}
		fmt.Fprintf(w, "%s\n\n", rows[0].Case)
		if len(lines) > 0 {
			t, err := columns.Encode(lines)
			if err != nil {
				return err
			}
			if err := t.WriteText(w); err != nil {
				return err
			}
			fmt.Fprintln(w)
		}
		if len(idle) > 0 {
			fmt.Fprintf(w, "No flow changes, in any seed: %s.\n\n", strings.Join(idle, "; "))
		}
		rows = rows[n:]
	}
	return nil
}

func (r *QuirkRow) idle() bool {
	none := func(e effect) bool { return e.value() == 0 || math.IsNaN(e.value()) }
	return r.Same.value() == 100 && none(r.Mean) && none(r.P50) && none(r.P95)
}

func (r *QuirkRow) line() quirkLine {
	show := func(e effect) string {
		value, half := e.value(), e.half()
		switch {
		case math.IsNaN(value):
			return "–"
		case value == 0 && !(half > 0):
			return "0"
		case math.IsNaN(half):
			return number.Change(value, 2) + " %"
		case math.Abs(value) <= half && half > 0:
			return fmt.Sprintf("(%s ± %s %%)", number.Change(value, 2), number.Fixed(half, 2))
		}
		return fmt.Sprintf("%s ± %s %%", number.Change(value, 2), number.Fixed(half, 2))
	}
	return quirkLine{r.Quirk, r.Side, changes[string]{
		number.Fixed(r.Same.value(), 0) + " %", show(r.Mean), show(r.P50), show(r.P95), show(r.Short), show(r.Long),
	}}
}

// QuirksFile is the name of the rows in a directory of results.
const QuirksFile = "quirks.csv"

// QuirkDocument is the JSON document of a study of quirks.
type QuirkDocument struct {
	File string     `json:"file"` // quirks.csv
	Rows []QuirkRow `json:"rows"`
}

// QuirkTable returns the rows as a table, with values and half widths in columns of their own.
func QuirkTable(rows []QuirkRow) (*plots.Table, error) {
	type line struct {
		Case      string  `col:"case"`
		Side      string  `col:"side"`
		Quirk     string  `col:"quirk"`
		Seeds     int     `col:"seeds"`
		Same      float64 `col:"same" unit:"%"`
		Mean      float64 `col:"mean slowdown" unit:"%"`
		MeanHalf  float64 `col:"± mean" unit:"%"`
		P50       float64 `col:"p50" unit:"%"`
		P50Half   float64 `col:"± p50" unit:"%"`
		P95       float64 `col:"p95" unit:"%"`
		P95Half   float64 `col:"± p95" unit:"%"`
		Short     float64 `col:"FCT short" unit:"%"`
		ShortHalf float64 `col:"± short" unit:"%"`
		Long      float64 `col:"FCT long" unit:"%"`
		LongHalf  float64 `col:"± long" unit:"%"`
	}
	var lines []line
	for _, r := range rows {
		lines = append(lines,
			line{r.Case, r.Side, r.Quirk, r.Seeds, r.Same.value(), r.Mean.value(), r.Mean.half(), r.P50.value(),
				r.P50.half(), r.P95.value(), r.P95.half(), r.Short.value(), r.Short.half(), r.Long.value(),
				r.Long.half()})
	}
	return columns.Encode(lines)
}
