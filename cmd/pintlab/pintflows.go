package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/pint/observe"
	"pintlab/experiments/sim"
	"pintlab/netsim/unit"
	"pintlab/pint/query"
	"pintlab/pint/trace"
)

// flowsOptions are the flags of pint flows.
type flowsOptions struct {
	options
	bits, instances int
}

// flowsResult is the JSON of pint flows.
type flowsResult struct {
	Scenario string       `json:"scenario"`
	Bits     int          `json:"bits"` // on a packet
	Rows     []flowsKnown `json:"rows"`
}

// flowsKnown is a row: what a decoder knows of a class of flows.
type flowsKnown struct {
	Decoder string  `json:"decoder" col:"decoder"`
	From    int     `json:"packets_from" col:"packets from" unit:"packets"`
	To      int     `json:"packets_to" col:"to" unit:"packets"` // 0: no end
	Flows   int     `json:"flows" col:"flows"`
	Share   float64 `json:"known" col:"path known"`
	Lo      float64 `json:"lo" col:"lo"`
	Hi      float64 `json:"hi" col:"hi"`
}

func pintFlows(p *program) *cobra.Command {
	o := flowsOptions{bits: 8, instances: 2, options: options{workers: 1}}
	cmd := &cobra.Command{
		Use:   "flows SCENARIO|PRESET",
		Short: "How many flows have a known path before they end",
		Long: `Simulate, put digests of the path on every packet beside what the scenario itself
carries, and count the flows whose path is known when their last byte arrives, by the
number of their packets (0: no end): by the decoder to which every switch is possible
at every hop (pint), and by the one that knows the network (topology), from the same
digests. Telemetry of the scenario must not be int.`,
		Example: `  pintlab pint flows fat320-web-pint --set workload.0.duration=200us
  pintlab pint flows fat320-hadoop-pint --set workload.0.duration=200us --bits 4 --instances 1`,
		Args: exactly("a scenario"),
		RunE: func(cmd *cobra.Command, args []string) error { return p.pintFlows(cmd.Context(), args[0], &o) },
	}
	o.attach(cmd, flagSeed, flagWorkers, flagSet, flagJSON, flagQuiet)
	fl := cmd.Flags()
	fl.Var(&whole[int]{value: &o.bits, min: 1}, "bits", "bits `B` of a digest")
	fl.Var(&whole[int]{value: &o.instances, min: 1}, "instances", "independent digests `N` on each packet")
	return cmd
}

func (p *program) pintFlows(ctx context.Context, what string, o *flowsOptions) error {
	sc, err := openScenario(what, &o.options)
	if err != nil {
		return err
	}
	g, err := sim.BuildGraph(sc.Topology)
	if err != nil {
		return err
	}
	m, err := trace.NewMap(g, nil)
	if err != nil {
		return err
	}
	r := flowsResult{Scenario: sc.Name, Bits: o.bits * o.instances}
	spec := query.Spec{Bits: r.Bits, Hops: slices.Max(trace.PathLengths(m, trace.HostSwitches(g))), HashBits: 16,
		Queries: []query.Query{query.PathQuery(r.Bits, o.instances, unit.KB)}}
	if err := spec.Validate(); err != nil {
		return err
	}
	arms := []observe.Arm{{Name: "pint", Spec: &spec}, {Name: "topology", Spec: &spec, Topology: true}}
	show := p.display(&o.options, 1)
	task := show.Begin(sc.Name)
	_, flows, err := observe.Study(ctx, sc, observe.Config{Arms: arms}, simulated(task))
	task.End()
	show.Close()
	if err != nil {
		return err
	}
	for i, a := range arms {
		for _, k := range observe.KnownAtEnd(flows, i) {
			r.Rows = append(r.Rows, flowsKnown{a.Name, k.From, k.To, k.Flows, figure.Round(k.Share), figure.Round(k.Lo), figure.Round(k.Hi)})
		}
	}
	if o.json {
		return p.printJSON(r)
	}
	p.printf("%s: %d flows, %d bits on a packet; lo to hi is the 95 %% interval of the share\n", r.Scenario, len(flows), r.Bits)
	return printRows(p, r.Rows)
}
