package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"pintlab/experiments/measure/pintread"
	"pintlab/p4"
	"pintlab/pint/query"
)

type pintReadOptions struct {
	options  `flags:"json"`
	q        pintread.Question `flags:"all"`
	plan     string            `flag:"plan" use:"query {file} or preset of the switches; without it the queries of pint_combined.p4"`
	run      string            `flag:"run" use:"run {directory} of pintlab whose reports the capture has"`
	mapFile  string            `flag:"map" use:"{topology} whose switches a path may have; their IDs are its node numbers"`
	switches []int             `flag:"switches" range:">=0 <=4294967295" use:"{IDs} of the switches that a path may have, with commas"`
	hashSeed uint64            `flag:"hash-seed" range:">=0 <=4294967295" use:"seed {N} of the switches' hash functions"`
}

func pintRead(p *program) *cobra.Command {
	o := pintReadOptions{hashSeed: p4.Seed}
	var f fillFlags
	return with(with(&cobra.Command{
		Use:   "read CAPTURE",
		Short: "Turn the digests in a capture into paths, quantiles and loads",
		Long: `Read the reports that a collector of PINT gets, and answer the queries of their plan: the paths of flows
and their route changes, quantiles of every hop with bounds, and what single packets say, such as the
load of their bottleneck.

The capture has the packets that sinks of P4 programs clone to their collector (pintlab p4 list), or the
reports of a run with a monitor {kind: pint, record: collector}, which --run names.`,
		Example: `  pintlab pint read digests.pcap --switches 1,2 --percentiles 50,99
  pintlab pint read digests.pcap --plan combined --map topology.txt --json`,
		Args: exactly("a capture"),
		RunE: func(_ *cobra.Command, args []string) error {
			n, err := o.network(p, &f)
			if err != nil {
				return err
			}
			in, err := os.Open(args[0])
			if err != nil {
				return err
			}
			defer in.Close() //nolint:errcheck // opened for reading only
			a, err := pintread.Read(in, args[0], n, o.q)
			if err != nil {
				return err
			}
			return p.showAnswer(&o.options, a)
		},
	}, &o), &f)
}

// network returns what the switches and the collector share, by the flags.
func (o *pintReadOptions) network(p *program, f *fillFlags) (n pintread.Network, err error) {
	if o.run != "" {
		if err := without(o.cmd, "with --run, which has it", "plan", "map", "switches", "hash-seed"); err != nil {
			return n, err
		}
		return pintread.OfRun(o.run)
	}
	spec := query.CombinedByHand()
	spec.Queries[0].Hashes = 1 // as in the program
	if o.plan != "" {
		s, err := querySpec(o.plan)
		if err != nil {
			return n, err
		}
		spec = *s
	}
	plan, err := query.Compile(spec)
	if err != nil {
		return n, fmt.Errorf("--plan %s: %w", o.plan, err)
	}
	if n.Encoder, err = query.NewEncoder(plan, query.Options{Seed: o.hashSeed, CRC: true}); err != nil {
		return n, err
	}
	n.Switches = map[uint64]string{}
	for _, id := range o.switches {
		n.Switches[uint64(id)] = strconv.Itoa(id)
	}
	if o.mapFile == "" {
		return n, f.without("without --map")
	}
	if len(o.switches) > 0 {
		return n, errors.New("--switches has no effect with --map")
	}
	g, err := network(p, o.mapFile, &o.options, f)
	if err != nil {
		return n, err
	}
	for _, id := range slices.Sorted(slices.Values(g.Switches())) {
		n.Switches[uint64(id)] = strconv.Itoa(int(id))
	}
	return n, nil
}
