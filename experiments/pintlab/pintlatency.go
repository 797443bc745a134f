package pintlab

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"pintlab/experiments/internal/measure/pint"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/scenario"
	"pintlab/netsim/unit"
	"pintlab/pint/latency"
)

// queues names the synthetic stream of pint latency, which needs no network.
const queues = "queues"

func pintLatency(p *program) *cobra.Command {
	o := options{workers: 1}
	var q pint.Quantiles
	s := pint.Queues{MaxBurst: 32, Slot: 84 * unit.Nanosecond, Gap: 10, Seed: 1}
	return with(with(with(&cobra.Command{
		Use:   "latency SCENARIO|PRESET|" + queues,
		Short: "Measure how well digests estimate the latency quantiles of every hop",
		Args:  exactly("a scenario"),
		RunE: func(cmd *cobra.Command, args []string) error {
			err := errors.Join(rising("packets", q.Packets), rising("bits", q.Bits))
			switch q.Summary {
			case latency.Raw:
				err = cmp.Or(err, without(cmd, "on --summary raw, which keeps the newest --sketch digests", "window"))
			case latency.Histogram:
				err = cmp.Or(err, without(cmd, "on --summary histogram, which counts all digests", "sketch"))
			}
			if err != nil {
				return err
			}
			var a *pint.QuantilesAnswer
			if args[0] == queues {
				if err := without(cmd, "on "+queues, flagSet, flagWorkers, flagMemory); err != nil {
					return err
				}
				if o.given(flagSeed) {
					s.Seed = o.seed
				}
				if n := float64(s.Flows*s.Hops) * float64(slices.Max(q.Packets)); n > maxLatencies {
					return fmt.Errorf("--flows %d, --hops %d and --packets %d: want at most %d latencies in all, "+
						"which need about %.2g GB of memory", s.Flows, s.Hops, slices.Max(q.Packets),
						maxLatencies, maxLatencies*latencyMemory/1e9)
				}
				if a, err = q.AskQueues(s); err != nil {
					return err
				}
			} else {
				if err := without(cmd, "on a scenario, but only on "+queues, "load", "hops", "flows"); err != nil {
					return err
				}
				if a, err = ask(p, &o, args[0],
					func(sc scenario.Scenario, show study.Progress) (*pint.QuantilesAnswer, error) {
						return q.Ask(cmd.Context(), sc, show)
					}); err != nil {
					return err
				}
			}
			return p.show(&o, a, func() { p.print(a.Text(&q)) })
		},
	}, &o, flagSeed, flagWorkers, flagSet, flagMemory, flagJSON, flagQuiet), &q), &s)
}

// Limits of pint latency. The command keeps the latency of every packet in every queue of the packet's path.
const (
	maxLatencies  = 100_000_000
	latencyMemory = 20 // bytes per latency
)

// rising returns an error if the numbers of a flag do not ascend.
func rising(flag string, values []int) error {
	for i := range values[1:] {
		if values[i+1] <= values[i] {
			return fmt.Errorf("--%s: %d after %d, want ascending numbers", flag, values[i+1], values[i])
		}
	}
	return nil
}
