package sweep

import (
	"fmt"
	"slices"
	"strings"

	"pintlab/experiments/campaign"
	"pintlab/experiments/figures/figure"
	"pintlab/experiments/scenario"
)

// Combination is a choice on every axis.
type Combination struct {
	Labels []string // one for each axis
	set    []string
}

// String returns the labels, separated by commas.
func (c Combination) String() string { return strings.Join(c.Labels, ", ") }

// Combinations returns all combinations; the last axis changes fastest.
func (c *Grid) Combinations() []Combination {
	list := []Combination{{set: c.Set}}
	for _, a := range c.Axes {
		var longer []Combination
		for _, x := range list {
			for _, choice := range a.Choices {
				longer = append(longer, Combination{
					Labels: append(slices.Clone(x.Labels), choice.Label),
					set:    append(slices.Clone(x.set), choice.Set...),
				})
			}
		}
		list = longer
	}
	return list
}

// Specs returns all runs: for each combination, one for each seed.
func (c *Grid) Specs(seeds []uint64) []campaign.Spec {
	var list []campaign.Spec
	for _, x := range c.Combinations() {
		for _, seed := range seeds {
			label := fmt.Sprintf("%s, seed %d", x, seed)
			list = append(list,
				campaign.Spec{Label: label, Base: c.Base,
					Set: append([]string{fmt.Sprintf("seed=%d", seed)}, x.set...)})
		}
	}
	return list
}

// Ready returns all runs with the changes of a job. It returns an error if a run is invalid or two
// combinations are the same run.
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
	specs, err := j.Changed(c.Specs(seeds))
	if err != nil {
		return nil, err
	}
	var one []campaign.Spec // one of each combination, because other seeds differ anyway
	for i := 0; i < len(specs); i += len(seeds) {
		one = append(one, specs[i])
	}
	hashes, err := campaign.Hashes(one)
	if err != nil {
		return nil, err
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

// FirstSeed returns the seed of the base, from which seeds count by default. more lists changes to all runs
// that are not in the file.
func (c *Grid) FirstSeed(more ...string) (uint64, error) {
	sc, err := scenario.Open(c.Base)
	if err != nil { // the campaign may correct the base, but does not set the seed
		sc, err = scenario.Open(c.Base, slices.Concat(c.Combinations()[0].set, more)...)
	}
	return sc.Seed, err
}
