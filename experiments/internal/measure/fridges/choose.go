package fridges

import (
	"context"
	"slices"

	"pintlab/experiments/results/columns"
	"pintlab/int/fridge"
	"pintlab/internal/lists"
	"pintlab/netsim/unit"
	"pintlab/workloads/packets"
)

// Choices are the best fridges for a load.
type Choices struct {
	Rate      float64   `json:"requests_per_second"`
	Pairs     float64   `json:"pairs"`
	Entries   int       `json:"entries"`
	Quantiles []float64 `json:"quantiles"`
	Delays    []float64 `json:"delays"` // true quantiles, in seconds
	Advice    float64   `json:"advice"` // p by the rule of the fridges paper (§5.2)
	Choices   []Choice  `json:"choices"`
	packets.Partial
}

// Choice contains the best fridges for a given number of fridges.
type Choice struct {
	Fridges       int       `json:"fridges"`
	Entries       []int     `json:"entries"` // entries of each fridge
	Probabilities []float64 `json:"p"`       // probabilities of each fridge
	Errors        []float64 `json:"errors"`  // predicted standard deviations of log2 of the quantiles
	Error         float64   `json:"error"`   // geometric mean of the errors
	Samples       float64   `json:"samples"` // expected number of samples; at least 30 if some p makes that possible
}

// Choose finds the best fridges for each number up to o.Fridges.
func Choose(ctx context.Context, l fridge.Load, o fridge.Choice) (*Choices, error) {
	m, err := fridge.NewModel(l)
	if err != nil {
		return nil, err
	}
	out := &Choices{Rate: columns.Round(l.Rate * float64(unit.Second)), Pairs: l.Pairs, Entries: o.Entries,
		Quantiles: l.Quantiles}
	out.Delays = lists.Map(l.Quantiles, func(q float64) float64 {
		return columns.Round(l.Delays.Quantile(q) / float64(unit.Second))
	})
	out.Advice = m.Advice(o.Entries, slices.Max(l.Quantiles))
	most := min(o.Fridges, o.Entries/2)
	for o.Fridges = 1; o.Fridges <= most; o.Fridges++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		parts, err := m.Optimize(o)
		if err != nil {
			return nil, err
		}
		e := m.Predict(parts)
		out.Choices = append(out.Choices, Choice{
			Fridges: o.Fridges, Error: columns.Round(e.Error), Samples: columns.Round(e.Samples),
			Entries:       lists.Map(parts, func(p fridge.Part) int { return p.Entries }),
			Probabilities: lists.Map(parts, func(p fridge.Part) float64 { return p.Probability }),
			Errors:        lists.Map(e.Errors, columns.Round),
		})
	}
	return out, nil
}
