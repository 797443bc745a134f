package main

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"pintlab/experiments/measure/pathtrace"
	"pintlab/netsim/topo"
)

func pintTrace(p *program) *cobra.Command {
	o := options{seed: 1, workers: runtime.NumCPU()}
	q := pathtrace.Question{Bits: 8, Instances: 2, Tau: 0.5, D: 10}
	q.Trials.Runs = 100
	var f fillFlags
	var about strings.Builder
	for _, t := range pathtrace.Methods {
		fmt.Fprintf(&about, "\n  %-10s %s", t.Name, t.About)
	}
	cmd := &cobra.Command{
		Use:   "trace MAP",
		Short: "How many packets it takes until a path is known",
		Long: `Trace random shortest paths of a network from the digests of their packets, and count
the packets until the path is known: a table, and rows and a drawing in --out. A path
that is found but is not the true one ends the study with an error.

MAP is kdl or uscarrier (generated networks of the size of Kentucky Datalink and US
Carrier), a kind of network such as fattree, a scenario, or a file (GML, GraphML,
topology.txt). Methods:` + about.String(),
		Example: `  pintlab pint trace kdl --runs 1000
  pintlab pint trace UsCarrier.gml --methods pint,topology --bits 4 --instances 1
  pintlab pint trace fattree --set topology.k=16 --hops 5 --loss 0.01`,
		Args: exactly("a map"),
		RunE: func(cmd *cobra.Command, args []string) error { return p.pintTrace(cmd.Context(), args[0], &o, &q, &f) },
	}
	o.attach(cmd, flagOut, flagSeed, flagWorkers, flagSet, flagJSON, flagQuiet)
	f.attach(cmd)
	fl := cmd.Flags()
	pathFlags(cmd, &q)
	fl.StringSliceVar(&q.Methods, "methods", []string{"pint", "linear", "topology", "ppm", "ams2-5"}, "what to compare: `names`, with commas")
	fl.Var(&whole[int]{value: &q.Bits, min: 1, max: 64}, "bits", "bits `B` of a digest")
	fl.Var(&whole[int]{value: &q.Instances, min: 1, max: 64}, "instances", "independent digests `N` on each packet")
	fl.Var(&real{value: &q.Tau, max: 1}, "tau", "`share` of Baseline packets, of the methods that have it")
	fl.Var(share(&q.P), "p", "`probability` that a hop XORs, of the methods that have it; without it 1/d")
	fl.Var(&real{value: &q.Loss, max: 1, below: true}, "loss", "`share` of the packets that get lost")
	fl.Var(&whole[int]{value: &q.IDBits, max: 64}, "id-bits", "draw packet identifiers of `N` bits at random; 0: they never repeat")
	fl.Var(&whole[int]{value: &q.Reorder, max: maxShown}, "reorder", "a packet arrives after up to `N` packets that were sent after it")
	return cmd
}

// pathFlags are the flags of the commands that trace random paths.
func pathFlags(cmd *cobra.Command, q *pathtrace.Question) {
	fl := cmd.Flags()
	fl.Var(&whole[int]{value: &q.Trials.Runs, min: 1, max: maxPassing}, "runs", "paths `N` for each method and length")
	fl.Var(wholes(&q.Hops, 1, maxShown), "hops", "path `lengths` in switches; without it four up to the longest")
	fl.Var(&whole[int]{value: &q.D, min: 2, max: maxShown}, "d", "path length `D` that the switches are configured for")
}

// traceMap is the network of pint trace.
func traceMap(p *program, what string, o *options, f *fillFlags) (*topo.Graph, error) {
	switch what {
	case "kdl", "uscarrier":
		for _, n := range append([]string{flagSet}, fillNames...) {
			if f.flags.Changed(n) {
				return nil, fmt.Errorf("--%s has no effect on the generated network %s", n, what)
			}
		}
		if what == "kdl" {
			return topo.DefaultISP().Build()
		}
		return topo.USCarrierISP().Build()
	}
	return network(p, what, o, f)
}

func (p *program) pintTrace(ctx context.Context, what string, o *options, q *pathtrace.Question, f *fillFlags) error {
	if err := checkOut(o.out); err != nil {
		return err
	}
	for _, n := range []string{"tau", "p", "d"} {
		if o.given(n) && !pathtrace.HasScheme(q.Methods) {
			return fmt.Errorf("--%s has no effect on the methods %s: only %s have it", n, strings.Join(q.Methods, ", "), strings.Join(pathtrace.WithScheme(), ", "))
		}
	}
	for _, n := range []string{"bits", "instances"} {
		if o.given(n) && !pathtrace.HasBits(q.Methods) {
			return fmt.Errorf("--%s has no effect on the methods %s, which have 16 bits on a packet", n, strings.Join(q.Methods, ", "))
		}
	}
	g, err := traceMap(p, what, o, f)
	if err != nil {
		return err
	}
	q.Trials.Seed, q.Trials.Workers = o.seed, o.workers
	show := p.display(o, 1)
	task := show.Begin("paths")
	a, err := pathtrace.Ask(ctx, what, g, *q, func(done, total int) {
		task.Update(float64(done)/float64(total), fmt.Sprintf("%d of %d traced", done, total))
	})
	task.End()
	show.Close()
	if err != nil {
		return err
	}
	if err := a.Save(filepath.Join(o.out, "pint-trace")); err != nil {
		return failed(err)
	}
	if o.json {
		return p.printJSON(a)
	}
	p.printf("%s: %d switches, %d links, paths of up to %d switches\n\n", what, a.Switches, a.Links, a.Longest)
	if err := printRows(p, a.Rows); err != nil {
		return err
	}
	found := 0
	for _, r := range a.Rows {
		found += r.Runs - r.Failed
	}
	p.printf("\nAll %d paths found are the true ones", found)
	if found >= 30 { // (1 − 3/n)^n is at most e^-3 < 0.05
		p.printf(": with 95 %% confidence fewer than 1 in %d is wrong", found/3)
	}
	p.printf("\nrows, drawing  %s\n", a.Dir)
	return nil
}

func pintTune(p *program) *cobra.Command {
	o := options{seed: 1, workers: runtime.NumCPU()}
	q := pathtrace.Question{Bits: 8, D: 10}
	q.Trials.Runs = 50
	method, layers := "pint", 1
	var f fillFlags
	cmd := &cobra.Command{
		Use:   "tune MAP",
		Short: "Look for the τ and p with which a path takes the fewest packets",
		Long: `Look for the encoding of so many bits on a packet with which paths of a network take the
fewest packets: how many instances share the bits, the share τ of Baseline packets, and
the probabilities p with which hops XOR. The search starts from the published choice
(τ = 1/2, p = 1/d), beside which the result is shown. MAP is as in pint trace.`,
		Example: `  pintlab pint tune uscarrier --hops 20 --bits 8
  pintlab pint tune kdl --method topology --bits 4 --layers 2 --runs 200`,
		Args: exactly("a map"),
		RunE: func(cmd *cobra.Command, args []string) error {
			g, err := traceMap(p, args[0], &o, &f)
			if err != nil {
				return err
			}
			q.Trials.Seed, q.Trials.Workers = o.seed, o.workers
			a, err := pathtrace.AskTuned(cmd.Context(), args[0], g, q, method == "topology", layers)
			if err != nil {
				return err
			}
			if o.json {
				return p.printJSON(a)
			}
			p.printf("%s: paths of %s switches, %d bits on a packet; %d encodings measured\n", a.Map, strings.Trim(fmt.Sprint(a.Hops), "[]"), a.Bits, a.Evaluations)
			return printRows(p, a.Rows)
		},
	}
	o.attach(cmd, flagSeed, flagWorkers, flagSet, flagJSON)
	f.attach(cmd)
	pathFlags(cmd, &q)
	fl := cmd.Flags()
	fl.Var(&choice{&method, []string{"pint", "topology"}}, "method", "decoder: `name` pint (every switch possible) or topology (it knows the map)")
	fl.Var(&whole[int]{value: &q.Bits, min: 1, max: 64}, "bits", "bits `B` on a packet")
	fl.Var(&whole[int]{value: &layers, min: 1, max: 3}, "layers", "XOR layers `N`")
	return cmd
}
