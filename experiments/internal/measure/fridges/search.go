package fridges

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"pintlab/experiments/internal/campaign"
	"pintlab/int/fridge"
)

// SearchTable is the table of the errors that Search has compared.
const SearchTable = "searched"

// contest is a factor. Choices whose fridges are combined by expected factors run with this many times the seeds of the
// search.
const contest = 10

// Way is a way to combine several fridges. If Bins is above 0, Eq. 7 is applied to this many bins of 1 % at a time. Its
// variances come from the same samples or, if Apart is set, from the samples of another hash seed. If Bins is 0, the
// weights come from the expected factors.
type Way struct {
	Name  string
	Bins  int
	Apart bool
}

// of returns design d with its fridges combined in this way.
func (w *Way) of(d Named) Named {
	d.Eq7, d.Bins, d.Apart = w.Bins > 0, w.Bins, w.Apart
	return d
}

// Grid is a number of fridges of equal size, with the entry probabilities that a search tries for each of them. They
// are multiples of the best probability of a single fridge.
type Grid struct {
	Name  string
	Parts int
	Steps []float64
}

// Search finds the entry probabilities with the lowest measured error, as the fridges paper does (§5.3), for each way
// to combine the fridges. It runs every combination of a grid with the seeds of s. It minimises OneSeed, because the
// error of the mean CDF of all seeds hardly depends on the variance of the fridges.
//
// The lowest of many noisy errors is too low. So the chosen combinations then run with other seeds. The rows of these
// runs are in the table of errors, and the rows of the search are in SearchTable. RatioTable contains the error of each
// choice divided by the error of the first choice. It also contains, for each grid, the errors of the ways divided by
// the error of the first way.
//
// A few seeds choose badly. In an estimate from few samples, the error is large if a seed finds a late sample with a
// huge factor. This happens with one seed in twenty. A combination without such a seed looks like the best one.
func (s *Study) Search(ctx context.Context, entries int, grids []Grid, ways []Way) ([]Row, error) {
	best, err := s.Model.Optimize(fridge.Choice{Entries: entries, Fridges: 1})
	if err != nil {
		return nil, err
	}
	designs, first := combinations(grids, entries, best[0].Probability, s.Rate())
	meters, err := s.run(ctx, designs, s.Seeds)
	if err != nil {
		return nil, err
	}
	var rows []Row
	var chosen []Named
	for _, g := range grids {
		for w, way := range ways {
			if g.Parts == 1 && w > 0 {
				continue // nothing to combine
			}
			least, row := -1, Row{}
			for i := first[g.Name]; i < len(designs) && designs[i].Name == g.Name; i++ {
				r, err := s.result(way.of(designs[i]), meters[i])
				// A combination of the grid that has no samples with some seed cannot be the best one.
				if err == nil && (least < 0 || OneSeed(&r.Row) < OneSeed(&row)) {
					least, row = i, r.Row
				}
			}
			if least < 0 {
				return nil, fmt.Errorf("%s, M = %s: no combination has samples with every seed",
					g.Name, Memory(entries))
			}
			d := way.of(designs[least])
			if g.Parts > 1 {
				d.Name += ", " + way.Name
			}
			row.Table, row.Design = SearchTable, d.Name
			rows, chosen = append(rows, row), append(chosen, d)
		}
	}
	others, err := s.again(ctx, chosen)
	if err != nil {
		return nil, err
	}
	var list []Result
	first = map[string]int{} // results of a grid
	for i, d := range chosen {
		r, err := s.result(d, others[d.Params])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.Name, err)
		}
		list, rows = append(list, r), append(rows, r.Row)
		grid, _, _ := strings.Cut(chosen[i].Name, ",")
		if _, ok := first[grid]; !ok {
			first[grid] = i
		}
		for _, k := range slices.Compact([]int{0, first[grid]}) {
			if k == i {
				continue
			}
			r, err := list[i].over(&list[k])
			if err != nil {
				return nil, fmt.Errorf("%s over %s: %w", chosen[i].Name, chosen[k].Name, err)
			}
			rows = append(rows, r)
		}
	}
	return rows, nil
}

// again runs the chosen designs with other seeds. It returns their meters; the keys are the parameters of the fridges.
// Designs that use expected factors get more seeds.
func (s *Study) again(ctx context.Context, chosen []Named) (map[string][]*Meter, error) {
	meters := map[string][]*Meter{}
	for _, eq7 := range []bool{false, true} {
		n := len(s.Seeds)
		if !eq7 {
			n *= contest
		}
		var open []Named
		for _, d := range chosen {
			if _, ok := meters[d.Params]; !ok && d.Eq7 == eq7 {
				open, meters[d.Params] = append(open, d), nil
			}
		}
		list, err := s.run(ctx, open, campaign.Seeds(s.Seeds[0]+1000, n))
		if err != nil {
			return nil, err
		}
		for i, d := range open {
			meters[d.Params] = list[i]
		}
	}
	return meters, nil
}

// combinations returns the designs of all grids around the best entry probability of a single fridge, and the index of
// the first design of each grid.
func combinations(grids []Grid, entries int, best, rate float64) (designs []Named, first map[string]int) {
	first = map[string]int{}
	for _, g := range grids {
		first[g.Name] = len(designs)
		for _, ps := range multisets(g.Steps, g.Parts) {
			var parts []fridge.Part
			sum := 0.0
			for _, p := range ps {
				parts = append(parts, fridge.Part{Entries: entries / g.Parts, Probability: p * best})
				sum += parts[len(parts)-1].Probability
			}
			if sum <= 1 {
				designs = append(designs, Named{Name: g.Name, Params: Parts(parts), Memory: entries,
					Probability: math.NaN(), Rate: rate, Design: Fridges(fridge.Entered, parts...)})
			}
		}
	}
	return designs, first
}

// Alike reports whether all fridges of a row have the same entry probability.
func (r *Row) Alike() bool {
	parts := strings.Split(r.Params, ", ")
	return !slices.ContainsFunc(parts, func(p string) bool { return p != parts[0] })
}

// multisets returns all multisets of n of the values, each in descending order.
func multisets(values []float64, n int) [][]float64 {
	if n == 0 {
		return [][]float64{nil}
	}
	var list [][]float64
	for i := len(values) - 1; i >= 0; i-- {
		for _, rest := range multisets(values[:i+1], n-1) {
			list = append(list, append([]float64{values[i]}, rest...))
		}
	}
	return list
}
