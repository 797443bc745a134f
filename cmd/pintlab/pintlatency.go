package main

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"pintlab/experiments/measure/latencies"
	"pintlab/experiments/measure/observe"
	"pintlab/netsim/unit"
	"pintlab/pint/latency"
)

// queues is the stream of pint latency that needs no network.
const queues = "queues"

func pintLatency(p *program) *cobra.Command {
	o := options{workers: 1}
	q := observe.Quantiles{Sketch: 100, Counters: 10, Theta: 0.3}
	s := latencies.Synthetic{Hops: 5, Load: 0.6, MaxBurst: 32, Slot: 84 * unit.Nanosecond, Gap: 10, Flows: 40, Seed: 1}
	summary := latency.Sketch.String()
	cmd := &cobra.Command{
		Use:   "latency SCENARIO|PRESET|" + queues,
		Short: "How well digests tell the latency quantiles of every hop",
		Long: `Simulate, keep the true latency of every packet at every hop, and compare quantiles
that a sink estimates from digests with the truth, flow by flow and hop by hop; likewise
the codes that make up a share of a hop's latencies, with Space-Saving. Telemetry of the
scenario must not be int.

With ` + queues + ` the latencies are those of random queues, to which bursts of packets come:
a quick look without a network.`,
		Example: `  pintlab pint latency fat320-hadoop-pint --set workload.0.duration=200us
  pintlab pint latency mine.yaml --packets 100,1000 --bits 6 --json
  pintlab pint latency queues --load 0.8 --summary raw --window 50`,
		Args: exactly("a scenario"),
		RunE: func(cmd *cobra.Command, args []string) error {
			kind, err := latency.ParseKind(summary)
			if err != nil {
				return err
			}
			q.Summary = kind
			if err := errors.Join(rising("packets", q.Packets), rising("bits", q.Bits)); err != nil {
				return err
			}
			var a *observe.QuantilesAnswer
			if args[0] == queues {
				if err := without(cmd, "on "+queues, flagSet, flagWorkers, flagMemory, flagQuiet); err != nil {
					return err
				}
				if o.given(flagSeed) {
					s.Seed = o.seed
				}
				if n := float64(s.Flows*s.Hops) * float64(slices.Max(q.Packets)); n > maxLatencies {
					return fmt.Errorf("--flows %d, --hops %d and --packets %d: want at most %d latencies in all, for which about %.2g GB of memory are needed", s.Flows, s.Hops, slices.Max(q.Packets), maxLatencies, maxLatencies*latencyMemory/1e9)
				}
				if a, err = q.AskQueues(s); err != nil {
					return err
				}
			} else {
				if err := without(cmd, "on a scenario: only "+queues+" has it", "load", "hops", "flows"); err != nil {
					return err
				}
				sc, err := openScenario(args[0], &o)
				if err != nil {
					return err
				}
				a, err = study(p, &o, sc.Name, func(progress observe.Progress) (*observe.QuantilesAnswer, error) {
					return q.Ask(cmd.Context(), sc, progress)
				})
				if err != nil {
					return err
				}
			}
			if o.json {
				return p.printJSON(a)
			}
			return p.printLatency(a, &q)
		},
	}
	o.attach(cmd, flagSeed, flagWorkers, flagSet, flagMemory, flagJSON, flagQuiet)
	fl := cmd.Flags()
	q.Packets, q.Bits = []int{100, 500}, []int{4, 8}
	fl.Var(wholes(&q.Packets, 1, maxPassing), "packets", "compare after so many packets of a flow: `numbers`, ascending")
	fl.Var(&whole[int]{value: &q.Sketch, min: latency.MinDigests, max: math.MaxUint16}, "sketch", "digests `N` that the summary of a hop holds")
	fl.Var(&choice{&summary, []string{"kll", "raw", "histogram"}}, "summary", "what holds the digests: `name` kll, raw (the newest as they are) or histogram (a counter for each code)")
	fl.Var(&whole[int]{value: &q.Window, min: 4, max: maxPassing}, "window", "the summary speaks for about the newest `N` digests of a hop; without it for all")
	fl.Var(wholes(&q.Bits, 1, 16), "bits", "`widths` of a latency's code, ascending")
	fl.Var(&whole[int]{value: &q.Counters, min: 1, max: 65_536}, "counters", "Space-Saving counters `N` of a hop")
	fl.Var(&real{value: &q.Theta, above: true, max: 1, below: true}, "theta", "least `share` of a frequent code")
	fl.Var(&real{value: &s.Load, max: 1, below: true}, "load", "`share` of the time that a queue is busy, of "+queues)
	fl.Var(&whole[int]{value: &s.Hops, min: 1, max: 64}, "hops", "queues `N` on a path, of "+queues)
	fl.Var(&whole[int]{value: &s.Flows, min: 1, max: maxQueues, bytes: queueMemory}, "flows", "flows `N`, of "+queues)
	return cmd
}

// A queue of a path keeps the latencies of the packets that pass it.
const (
	maxLatencies  = 100_000_000
	latencyMemory = 20 // bytes
	maxQueues     = 200_000
	queueMemory   = 10_000 // bytes, with the packets of the default
)

// rising refuses the numbers of a flag that do not ascend.
func rising(flag string, values []int) error {
	for i := range values[1:] {
		if values[i+1] <= values[i] {
			return fmt.Errorf("--%s: %d after %d, want ascending numbers", flag, values[i+1], values[i])
		}
	}
	return nil
}

func (p *program) printLatency(a *observe.QuantilesAnswer, q *observe.Quantiles) error {
	p.printf("%s: %d flows of %d packets or more\n", a.Scenario, a.Flows, q.Packets[0])
	p.leftOut(a.NotStarted)
	p.printf("\nTrue latencies\n")
	if err := printRows(p, a.Hops); err != nil {
		return err
	}
	p.printf("\nEstimates from digests; the rank error stays below its bound (Theorem 1) but for one hop in ten and the width of a code\n")
	if err := printRows(p, a.Rows); err != nil {
		return err
	}
	p.printf("\nCodes of a share of %g or more, of flows of %d packets or more; the bound is that of Theorem 2\n", q.Theta, slices.Max(q.Packets))
	return printRows(p, a.Frequent)
}
