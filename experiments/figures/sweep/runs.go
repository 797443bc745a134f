package sweep

import (
	"fmt"
	"slices"
	"strings"

	"pintlab/experiments/campaign"
)

// Combination is a choice on every axis.
type Combination struct {
	Labels []string // one for each axis
	set    []string
}

// String is the combination as people read it.
func (c Combination) String() string { return strings.Join(c.Labels, ", ") }

// Combinations are all of them; the last axis changes fastest.
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

// Specs are all runs, seed by seed within each combination. seeds are those of each
// combination.
func (c *Grid) Specs(seeds []uint64) []campaign.Spec {
	var list []campaign.Spec
	for _, x := range c.Combinations() {
		for _, seed := range seeds {
			label := fmt.Sprintf("%s, seed %d", x, seed)
			list = append(list, campaign.Spec{Label: label, Base: c.Base, Set: append(slices.Clone(x.set), fmt.Sprintf("seed=%d", seed))})
		}
	}
	return list
}
