package pintlab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"pintlab/experiments/internal/measure/pintread"
	"pintlab/netsim/unit"
	"pintlab/p4"
	"pintlab/pint/approx"
	"pintlab/pint/coding"
	"pintlab/pint/query"
)

type pintReadOptions struct {
	options  `flags:"json"`
	q        pintread.Question `flags:"all"`
	plan     string            `flag:"plan" use:"query {file} or preset of the switches; default: the queries of pint_combined.p4, with one hash for the path"`
	run      string            `flag:"run" use:"{directory} of the run of pintlab whose reports the capture contains"`
	mapFile  string            `flag:"map" use:"{topology} with the switches that can be on a path; their IDs are node numbers"`
	switches []int             `flag:"switches" range:">=0 <=4294967295" use:"{IDs} of the switches that can be on a path, separated by commas"`
	scheme   []int             `flag:"scheme" range:">=0 <=4294967295" use:"numbers {LAYER_0,ACTS} in table scheme of the switches, if they are not the default"`
	listen   string            `flag:"listen" use:"read datagrams that arrive at this UDP {address}, such as :32766, instead of a capture"`
	duration unit.Time         `flag:"for" default:"0s" range:">=0s" use:"{duration} for which --listen listens; 0s: until Ctrl-C"`
	packets  int               `flag:"packets" default:"0" range:">=0 <=1000000000" use:"{N} datagrams after which --listen stops; 0: no limit"`
	hashSeed uint64            `flag:"hash-seed" range:">=0 <=4294967295" use:"seed {N} of the switches' hash functions"`
}

func pintRead(p *program) *cobra.Command {
	o := pintReadOptions{hashSeed: p4.Seed}
	var f fillFlags
	return with(with(&cobra.Command{
		Use:   "read CAPTURE|--listen ADDRESS",
		Short: "Turn digests from a capture or a UDP port into paths, quantiles and loads",
		Args: func(cmd *cobra.Command, args []string) error {
			if o.listen != "" {
				return cmp.Or(exactly()(cmd, args), without(cmd, "with --listen", "interfaces"))
			}
			return cmp.Or(exactly("a capture")(cmd, args), without(cmd, "without --listen", "for", "packets"))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			n, err := o.network(p, &f)
			if err == nil {
				err = o.unused(n.Encoder.Plan())
			}
			if err != nil {
				return err
			}
			a, err := o.read(cmd.Context(), args, n)
			if err != nil {
				return err
			}
			return p.showAnswer(&o.options, a)
		},
	}, &o), &f)
}

// read reads a capture or listens for datagrams.
func (o *pintReadOptions) read(ctx context.Context, args []string, n pintread.Network) (*pintread.Answer, error) {
	if o.listen != "" {
		conn, err := net.ListenPacket("udp", o.listen)
		if err != nil {
			return nil, fmt.Errorf("--listen %s: %w", o.listen, err)
		}
		defer conn.Close() //nolint:errcheck // nothing is sent
		if socket, ok := conn.(*net.UDPConn); ok {
			_ = socket.SetReadBuffer(4 << 20) // a large buffer for bursts; the system may allow less
		}
		until := pintread.Until{Time: time.Duration(o.duration.Nanoseconds()), Packets: int64(o.packets)}
		return pintread.Listen(ctx, conn, n, o.q, until)
	}
	in, err := os.Open(args[0])
	if err != nil {
		return nil, err
	}
	defer in.Close() //nolint:errcheck // opened for reading only
	return pintread.Read(in, args[0], n, o.q)
}

// unused returns an error if a flag is given that no query of the plan uses.
func (o *pintReadOptions) unused(plan *query.Plan) error {
	for _, x := range []struct {
		aggregation query.Aggregation
		flags       []string
	}{
		{query.Path, []string{"map", "switches", "scheme"}},
		{query.Quantiles, []string{"percentiles", "delta"}},
		{query.Frequent, []string{"theta"}},
	} {
		if !slices.ContainsFunc(plan.Queries, func(q query.Query) bool { return q.Aggregation == x.aggregation }) {
			why := fmt.Sprintf("on a plan without a query of the aggregation %s", x.aggregation)
			if err := without(o.cmd, why, x.flags...); err != nil {
				return err
			}
		}
	}
	if !plan.Records() {
		return without(o.cmd, "on a plan whose queries record no flows", "memory")
	}
	return nil
}

// network returns the settings that the switches and the collector share. The flags define these settings.
func (o *pintReadOptions) network(p *program, f *fillFlags) (n pintread.Network, err error) {
	if o.run != "" {
		err := without(o.cmd, "with --run, which determines this setting",
			append([]string{"plan", "map", "switches", "scheme", "hash-seed"}, fillNames...)...)
		if err == nil {
			n, err = pintread.OfRun(p.language, o.run)
		}
		return n, err
	}
	spec := query.CombinedByHand()
	spec.Queries[0].Hashes, spec.Queries[1].Rounding = 1, approx.UnbiasedLog // as in the P4 program
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
	options := query.Options{Seed: o.hashSeed, CRC: true, Scheme: p4.Scheme()}
	if len(o.scheme) > 0 {
		if len(o.scheme) != 2 || o.scheme[1] == 0 {
			return n, errors.New("--scheme: want LAYER_0,ACTS, two numbers in units of 2^-32, and ACTS above 0")
		}
		share := func(x int) float64 { return math.Ldexp(float64(x), -32) }
		options.Scheme = coding.Interleaved(share(o.scheme[0]), share(o.scheme[1]))
	}
	if n.Encoder, err = query.NewEncoder(plan, options); err != nil {
		return n, err
	}
	n.Switches = map[uint64]string{}
	for _, id := range o.switches {
		if _, ok := n.Switches[uint64(id)]; ok {
			return n, fmt.Errorf("--switches: %d occurs twice", id)
		}
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
