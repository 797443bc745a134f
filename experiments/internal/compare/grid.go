package compare

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/internal/lists"
	"pintlab/plots"
)

// combination selects one choice on every axis.
type combination struct {
	labels []string // one label for each axis
	set    []string // all settings of its choices
	rows   []int    // numbers of its rows in the table of the campaign
}

// combinations returns all combinations, in an order in which the last axis changes fastest.
func (c *Grid) combinations() []combination {
	list := []combination{{set: c.Set}}
	for _, a := range c.Axes {
		var longer []combination
		for _, x := range list {
			for _, choice := range a.Choices {
				labels := append(slices.Clone(x.labels), choice.Label)
				longer = append(longer, combination{labels: labels, set: slices.Concat(x.set, choice.Set)})
			}
		}
		list = longer
	}
	return list
}

// cells returns a cell for each combination.
func (c *Grid) cells() []study.Cell {
	var list []study.Cell
	for i, x := range c.combinations() {
		list = append(list, study.Cell{Case: strconv.Itoa(i), X: math.NaN(), Label: strings.Join(x.labels, ", "),
			Base: c.Base, Set: x.set, Long: long})
	}
	return list
}

// specs returns all runs: for each combination, one for each seed.
func (c *Grid) specs(seeds []uint64) []campaign.Spec {
	var list []campaign.Spec
	for _, x := range c.cells() {
		for _, seed := range seeds {
			list = append(list, x.Spec(seed))
		}
	}
	return list
}

// Ready returns all runs, with the changes that the job makes. It returns an error if a run is invalid, or if two
// combinations result in the same run.
func (c *Grid) Ready(j *figure.Job) ([]campaign.Spec, error) {
	if err := campaign.CheckSeeds(j.Seed, max(j.Seeds, c.Seeds)); err != nil {
		return nil, err
	}
	seeds := j.SeedList(c.Seeds)
	runs := len(seeds)
	for _, a := range c.Axes {
		if runs *= len(a.Choices); runs > maxRuns {
			return nil, fmt.Errorf("vary: more than %d runs with %d seeds", maxRuns, len(seeds))
		}
	}
	specs, err := j.Changed(c.specs(seeds))
	if err != nil {
		return nil, c.located(err)
	}
	var one []campaign.Spec // one run of each combination; runs with different seeds always differ
	for i := 0; i < len(specs); i += len(seeds) {
		one = append(one, specs[i])
	}
	hashes, err := campaign.Hashes(one)
	if err != nil {
		return nil, c.located(err)
	}
	first := map[string]int{}
	for i, h := range hashes {
		if k, ok := first[h]; ok {
			return nil, fmt.Errorf("vary: %q and %q are the same run", one[k].Label, one[i].Label)
		}
		first[h] = i
	}
	return specs, nil
}

// FirstSeed returns the seed of the base scenario. Seeds count from it by default. more lists changes of all runs
// that are not in the campaign file.
func (c *Grid) FirstSeed(l *scenario.Language, more ...string) (uint64, error) {
	sc, err := l.Open(c.Base)
	if err != nil { // only the campaign may make the base valid; it does not change the seed
		sc, err = l.Open(c.Base, slices.Concat(c.combinations()[0].set, more)...)
	}
	return sc.Seed, err
}

// measured sets the measures of the cells, both for whole runs and for the entries of their workloads. It also
// returns the entries of all workloads, each entry once. An entry counts as a job if it is a job in at least one run.
func (c *Grid) measured(j *figure.Job, cells []study.Cell) (sources []source, err error) {
	specs, err := j.Changed(lists.Map(cells, func(x study.Cell) campaign.Spec { return x.Spec(j.Seed) }))
	if err != nil {
		return nil, err
	}
	own := make([][]sim.Source, len(cells))
	for i, spec := range specs {
		sc, err := spec.Scenario()
		if err != nil {
			return nil, err
		}
		if own[i], err = sim.Sources(sc); err != nil {
			return nil, err
		}
		for _, s := range own[i] {
			name := columnName(s.Name)
			at := slices.IndexFunc(sources, func(o source) bool { return o.name == name })
			if at < 0 {
				at, sources = len(sources), append(sources, source{name: name})
			}
			sources[at].job = sources[at].job || s.Job >= 0
			for _, k := range s.Kinds {
				if !slices.Contains(sources[at].kinds, k.Name) {
					sources[at].kinds = append(sources[at].kinds, k.Name)
				}
			}
		}
	}
	for i := range cells {
		for _, x := range append(slices.Clone(runColumns), byClass(c.Sizes)...) {
			cells[i].Measures = append(cells[i].Measures, x.measure(x.Name))
		}
		cells[i].Measures = append(cells[i].Measures, partFlows.measure(countedColumn))
		for _, s := range own[i] {
			at := slices.IndexFunc(sources, func(o source) bool { return o.name == columnName(s.Name) })
			own := source{sources[at].name, s.Job >= 0, sources[at].kinds}
			for _, x := range own.columns(len(sources) > 1) {
				cells[i].Measures = append(cells[i].Measures, study.OfSource(&s, x.measure(x.Name)))
			}
		}
	}
	return sources, nil
}

func columnName(source string) string { return strings.ReplaceAll(source, " ", "_") }

func (c *Grid) measure(ctx context.Context, j *figure.Job) (figure.View, error) {
	if _, err := c.Ready(j); err != nil {
		return nil, err
	}
	s := study.Study{Cells: c.cells(), Seeds: j.SeedList(c.Seeds), Apart: true}
	sources, err := c.measured(j, s.Cells)
	if err != nil {
		return nil, err
	}
	axes := lists.Map(c.Axes, func(a axis) string { return a.Name })
	t, err := emptyRows(sources, axes...)
	if err != nil {
		return nil, err
	}
	results, err := s.Run(ctx, j)
	if err != nil {
		return nil, err
	}
	j.Setting("base", "", "%s", c.Base)
	if len(c.Set) > 0 {
		j.Setting("set", "", "%s", strings.Join(c.Set, " "))
	}
	for _, a := range c.Axes {
		labels := lists.Map(a.Choices, func(x value) string { return x.Label })
		j.Setting("vary "+a.Name, "", "%s", strings.Join(labels, ", "))
	}
	j.Setting("classes of flows", "", "short: up to %v, medium: up to %v, long: above", c.Sizes[0], c.Sizes[1])
	j.Footnote("%s, %s", c.Base, figure.Count(len(s.Seeds), "seed"))
	for i, x := range c.combinations() {
		for k := range s.Seeds {
			run := results.Runs(s.Cells[i])[k]
			sum := &run.Manifest.Summary
			own := map[string]any{flowsColumn: sum.Flows, finishedColumn: sum.Finished + sum.Projected,
				printColumn: sum.Fingerprint, hashColumn: run.Hash, runColumn: filepath.Base(run.Dir)}
			if err := addRow(t, s.Seeds[k], x.labels, own, func(column string) (float64, error) {
				return results.Apart(s.Cells[i], k, column)
			}); err != nil {
				return nil, err
			}
		}
	}
	return read(t, c.Names)
}

// CheckDrawings returns an error if the options select drawings that no rows of this campaign could have.
func (c *Grid) CheckDrawings(j *figure.Job, o figure.Options) error {
	sources, err := c.measured(j, c.cells())
	if err != nil {
		return err
	}
	t, err := emptyRows(sources, lists.Map(c.Axes, func(a axis) string { return a.Name })...)
	if err != nil {
		return err
	}
	for _, x := range c.combinations() {
		for _, seed := range j.SeedList(c.Seeds) {
			own := map[string]any{flowsColumn: 1, finishedColumn: 1, printColumn: "", hashColumn: "", runColumn: ""}
			if err := addRow(t, seed, x.labels, own, func(string) (float64, error) { return 1, nil }); err != nil {
				return err
			}
		}
	}
	view, err := read(t, c.Names)
	if err != nil {
		return err
	}
	d := figure.Done{View: view, Figure: c.Figure(), Manifest: &figure.Manifest{}, Options: o}
	return d.Check()
}

// addRow adds the row of a combination and a seed. own contains the cells that are not measures.
func addRow(t *plots.Table, seed uint64, labels []string, own map[string]any,
	measure func(column string) (float64, error)) error {
	own[seedColumn] = strconv.FormatUint(seed, 10)
	var cells []any
	for i, c := range t.Columns() {
		if i < len(labels) {
			cells = append(cells, labels[i])
			continue
		}
		if text, ok := own[c.Name]; ok {
			cells = append(cells, text)
			continue
		}
		v, err := measure(c.Name)
		if err != nil {
			return err
		}
		if c.Kind == plots.Int {
			cells = append(cells, int(v))
		} else {
			cells = append(cells, columns.Round(v))
		}
	}
	return t.Append(cells...)
}
