package fridges

import (
	"context"
	"fmt"
	"math"
	"strings"

	"pintlab/int/fridge"
	"pintlab/int/fridge/tune"
)

// SearchTable has the errors by which Search chose.
const SearchTable = "searched"

// Way is how several fridges are combined: by Eq. 7 in so many bins of 1 % at a time, or, without bins, by
// the factors to be expected.
type Way struct {
	Name string
	Bins int
}

// Grid is a number of fridges of equal size, and the entry probabilities that a search tries for each of them,
// as multiples of the best one of a single fridge.
type Grid struct {
	Name  string
	Parts int
	Steps []float64
}

// Search finds the entry probabilities with the least measured error, as the fridges paper does (§5.3), for each
// way to combine the fridges: every combination of a grid runs with the seeds of s. It goes by OneSeed, because the
// mean CDF of ten seeds has an error of its own, in which the variance of the fridges hardly counts. The best of many noisy errors is lower than
// that of any one choice, so the choices then run with other seeds: these rows are in the table of errors, those of
// the search in SearchTable.
func (s Study) Search(ctx context.Context, t *Traffic, entries int, grids []Grid, ways []Way) ([]Row, error) {
	m, err := Tuner(t)
	if err != nil {
		return nil, err
	}
	best, err := m.Optimize(tune.Options{Entries: entries, Fridges: 1})
	if err != nil {
		return nil, err
	}
	var designs []Named
	first := map[string]int{} // designs of a grid
	for _, g := range grids {
		first[g.Name] = len(designs)
		for _, ps := range multisets(g.Steps, g.Parts) {
			var parts []fridge.Part
			sum := 0.0
			for _, p := range ps {
				parts = append(parts, fridge.Part{Entries: entries / g.Parts, Probability: p * best[0].Probability})
				sum += parts[len(parts)-1].Probability
			}
			if sum <= 1 {
				designs = append(designs, Named{Name: g.Name, Params: Parts(parts), Memory: entries, Probability: math.NaN(), Rate: t.Rate(), Design: Fridges(fridge.Entered, parts...)})
			}
		}
	}
	var meters []*Meter
	for _, d := range designs {
		for _, seed := range s.Seeds {
			x, err := NewMeter(d.Design, seed, fridge.DefaultWidth)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", d.Params, err)
			}
			meters = append(meters, x)
		}
	}
	if _, err := s.run(ctx, fmt.Sprintf("search, M = %s", Memory(entries)), meters, Options{}); err != nil {
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
				d := designs[i]
				d.Eq7, d.Bins = way.Bins > 0, way.Bins
				r, err := s.result(d, meters[i*len(s.Seeds):(i+1)*len(s.Seeds)], t.Delays)
				// A combination of the grid that leaves a seed without samples is not the best one.
				if err == nil && (least < 0 || OneSeed(&r.Row) < OneSeed(&row)) {
					least, row = i, r.Row
				}
			}
			if least < 0 {
				return nil, fmt.Errorf("%s, M = %s: no combination has samples with every seed", g.Name, Memory(entries))
			}
			d := designs[least]
			d.Eq7, d.Bins = way.Bins > 0, way.Bins
			if g.Parts > 1 {
				d.Name += ", " + way.Name
			}
			row.Table, row.Design = SearchTable, d.Name
			rows, chosen = append(rows, row), append(chosen, d)
		}
	}
	other := s
	other.Seeds = nil
	for _, seed := range s.Seeds {
		other.Seeds = append(other.Seeds, seed+1000)
	}
	list, err := other.Measure(ctx, fmt.Sprintf("choices, M = %s", Memory(entries)), t.Delays, chosen)
	for _, r := range list {
		rows = append(rows, r.Row)
	}
	return rows, err
}

// Alike says whether all fridges of a row have one entry probability.
func (r *Row) Alike() bool {
	parts := strings.Split(r.Params, ", ")
	for _, p := range parts {
		if p != parts[0] {
			return false
		}
	}
	return true
}

// multisets returns all choices of n of the values, in descending order.
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
