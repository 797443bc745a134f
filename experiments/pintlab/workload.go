package pintlab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/internal/input"
	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/internal/outfile"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/workloads"
	"pintlab/workloads/tasks"
)

func workloadCommand(p *program) *cobra.Command {
	return group(groupInputs, "workload", "Describe, generate and convert flows and flow sizes",
		workloadShow(p), workloadSizes(p), workloadGenerate(p), workloadConvert(p))
}

// trafficOptions are the flags of commands that read flows.
type trafficOptions struct {
	options `flags:"all"`
	net     string    `flag:"topology" use:"the {network} of a file of flows: a kind, scenario, preset or file"`
	fill    fillFlags `flags:"all"`
}

// traffic contains flows and information about them.
type traffic struct {
	hosts []workloads.Host                 // nil if unknown
	plan  *workloads.Plan                  // nil if the flows come from a file
	start unit.Time                        // start of the load's window
	end   unit.Time                        // end of the load's window
	open  func() (workloads.Source, error) // returns the flows from the beginning
	graph func(part uint16) *tasks.Graph   // graph of those flows of a part that wait for other flows

	numbered int // number of hosts that the file states (the first nodes if hosts is nil), or 0
}

// matrixHosts returns the hosts for a connection matrix, or nil if they are unknown. The rates of these hosts have no
// effect.
func (t *traffic) matrixHosts() (hosts []workloads.Host) {
	if t.hosts != nil {
		return t.hosts
	}
	for i := range t.numbered {
		hosts = append(hosts, workloads.Host{Node: topo.NodeID(i)})
	}
	return hosts
}

// startUnit is the flag of commands that write flows.
type startUnit struct {
	unit string `flag:"start-unit" default:"ps" oneof:"ps|us"`
}

// of returns the time unit for a file with the given path.
func (u startUnit) of(path string) (unit.Time, error) {
	if u.unit == "ps" {
		return unit.Picosecond, nil
	}
	if filepath.Ext(path) != ".cm" {
		return 0, fmt.Errorf("--start-unit has no effect on %s: only a connection matrix (.cm) has a choice of units",
			path)
	}
	return unit.Microsecond, nil
}

// planned returns the traffic of a scenario or preset.
func (p *program) planned(ctx context.Context, what string, o *options) (*traffic, error) {
	for _, c := range o.set {
		key, _, _ := strings.Cut(c, "=")
		if !slices.ContainsFunc([]string{"seed", "workload", "topology"},
			func(root string) bool { return scenario.Overlap(key, root) }) {
			return nil, fmt.Errorf("--set %s: want seed or a key of workload or topology, because other keys "+
				"have no effect on flows", c)
		}
	}
	sc, err := p.openScenario(what, o)
	if err != nil {
		return nil, err
	}
	for i, src := range sc.Workload {
		if p, ok := src.Params.(*workloads.PoissonTraffic); ok && p.UnderWay == workloads.Steady {
			return nil, fmt.Errorf("%s: workload.%d.under_way: %s: this command does not list flows that are under "+
				"way at the start; want under_way = none", what, i, p.UnderWay)
		}
	}
	g, err := sc.Topology.Generator().Build()
	if err != nil {
		return nil, err
	}
	t := &traffic{}
	if t.hosts, err = workloads.HostsOf(g); err != nil {
		return nil, err
	}
	w, err := sim.BuildWorkload(&sc, t.hosts)
	if err != nil {
		return nil, err
	}
	plan, err := w.Plan(t.hosts)
	if err != nil {
		return nil, err
	}
	t.plan, t.start, t.end = &plan, plan.Start, plan.End
	if slices.ContainsFunc(w.Parts, func(p workloads.Part) bool {
		_, job := p.Generator.(workloads.Tasks)
		return job
	}) {
		t.end = t.start // only a run determines when the messages of a job begin, so there is no load
	}
	t.open = func() (workloads.Source, error) {
		s, err := w.Stream(t.hosts)
		return &stoppable{ctx, s}, err
	}
	t.graph = w.Graph
	return t, nil
}

// recorded returns the traffic of a file.
func recorded(p *program, path string, o *trafficOptions) (*traffic, error) {
	t := &traffic{}
	if o.net == "" {
		if err := without(o.cmd, "without --topology", append(fillNames, flagSet)...); err != nil {
			return nil, err
		}
	} else {
		g, err := network(p, o.net, &o.options, &o.fill)
		if err != nil {
			return nil, fmt.Errorf("--topology: %w", err)
		}
		if t.hosts, err = workloads.HostsOf(g); err != nil {
			return nil, fmt.Errorf("--topology %s: %w", o.net, err)
		}
	}
	in, err := input.Open(path, input.Flows)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	var flows []workloads.Flow
	switch filepath.Ext(path) {
	case ".txt":
		var note string
		if flows, note, err = workloads.ReadFlows(in, path, t.hosts); note != "" {
			fmt.Fprintln(p.stderr, note)
		}
	case ".cm":
		flows, t.numbered, err = workloads.ReadConnectionMatrix(in, path, t.hosts)
	default:
		err = fmt.Errorf("%s: want a name that ends in .txt (flow.txt) or .cm (htsim), or a scenario (.yaml) or "+
			"preset", path)
	}
	if err != nil {
		return nil, err
	}
	if len(flows) > 0 {
		t.start, t.end = flows[0].Start, flows[len(flows)-1].Start
	}
	t.open = func() (workloads.Source, error) { return workloads.Slice(flows), nil }
	return t, nil
}

func (t *traffic) measure() (*workloads.Stats, error) {
	s, err := t.open()
	if err != nil {
		return nil, err
	}
	return workloads.Measure(s, t.hosts, t.start, t.end)
}

// write writes the flows. The extension of the file name selects the format. write describes, in
// notes, the properties that the format does not support.
func (t *traffic) write(path string, in startUnit, notes io.Writer) error {
	clock, err := in.of(path)
	if err != nil {
		return err
	}
	switch filepath.Ext(path) {
	case ".txt":
		stats, err := t.measure()
		if err != nil {
			return err
		}
		s, err := t.open()
		if err != nil {
			return err
		}
		return outfile.Write(path, func(w io.Writer) error { return workloads.WriteFlows(w, int(stats.Flows), s) })
	case ".cm":
		hosts := t.matrixHosts()
		if hosts == nil {
			return fmt.Errorf("%s: a connection matrix needs the number of hosts, which a flow.txt does not have; "+
				"name the network of these hosts with --topology", path)
		}
		s, err := t.open()
		if err != nil {
			return err
		}
		flows, err := workloads.Collect(s)
		if err != nil {
			return err
		}
		lost := lists.Count(flows, func(f workloads.Flow) bool {
			return f.Priority != workloads.DefaultPriority || f.DstPort != workloads.BackgroundPort
		})
		if lost > 0 {
			fmt.Fprintf(notes, "%s: %d of %s %s priority or destination port, because a connection matrix has "+
				"neither: its readers assume priority %d and port %d\n", path, lost, number.Count(len(flows), "flow"),
				number.Plural(lost, "loses its", "lose their"), workloads.DefaultPriority, workloads.BackgroundPort)
		}
		return outfile.Write(path, func(w io.Writer) error {
			return workloads.WriteConnectionMatrix(w, hosts, flows, t.graph, clock)
		})
	}
	return fmt.Errorf("%s: want a name that ends in .txt (flow.txt) or .cm (htsim)", path)
}

// stoppable is a source that ends when its context ends.
type stoppable struct {
	ctx context.Context
	workloads.Source
}

func (s *stoppable) Next() (workloads.Flow, bool) {
	if s.ctx.Err() != nil {
		return workloads.Flow{}, false
	}
	return s.Source.Next()
}

func (s *stoppable) Err() error { return errors.Join(s.ctx.Err(), s.Source.Err()) }

// trafficInfo is the JSON output of workload show.
type trafficInfo struct {
	Plan  *workloads.Plan  `json:"plan,omitempty"`
	Stats *workloads.Stats `json:"stats"`
}

func workloadShow(p *program) *cobra.Command {
	var o trafficOptions
	return with(&cobra.Command{
		Use:   "show SCENARIO|PRESET|FILE",
		Short: "Describe flows: number, sizes, nominal and realised load",
		Args:  exactly("a scenario, a preset or a file of flows"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var t *traffic
			var err error
			if isScenario(args[0]) || filepath.Ext(args[0]) == "" {
				if err := without(cmd, "on the flows of a scenario",
					append([]string{"topology"}, fillNames...)...); err != nil {
					return err
				}
				t, err = p.planned(cmd.Context(), args[0], &o.options)
			} else {
				if err := without(cmd, "on the flows of a file", flagSeed); err != nil {
					return err
				}
				t, err = recorded(p, args[0], &o)
			}
			if err != nil {
				return err
			}
			stats, err := t.measure()
			if err != nil {
				return err
			}
			return p.show(&o.options, trafficInfo{t.plan, stats},
				func() { p.stdout.keep(workloads.Describe(p.stdout, stats, t.plan, t.hosts)) })
		},
	}, &o, append(fillNames, flagSeed, flagSet, flagJSON, "topology")...)
}

func workloadGenerate(p *program) *cobra.Command {
	var o struct {
		options `flags:"all"`
		start   startUnit `flags:"all"`
	}
	return with(&cobra.Command{
		Use:         "generate SCENARIO|PRESET FILE",
		Short:       "Write the flows of a scenario as flow.txt (.txt) or for htsim (.cm)",
		Annotations: map[string]string{writesLast: ""},
		Args:        exactly("a scenario or preset", "a file to write"),
		RunE: func(cmd *cobra.Command, args []string) error {
			t, err := p.planned(cmd.Context(), args[0], &o.options)
			if err != nil {
				return err
			}
			return t.write(args[1], o.start, p.stderr)
		},
	}, &o, flagSeed, flagSet, "start-unit")
}

func workloadConvert(p *program) *cobra.Command {
	var o struct {
		trafficOptions `flags:"all"`
		start          startUnit `flags:"all"`
	}
	return with(&cobra.Command{
		Use:         "convert FROM TO",
		Short:       "Convert flow.txt to a connection matrix of htsim and back",
		Annotations: map[string]string{writesLast: ""},
		Args:        exactly("a file to read", "a file to write"),
		RunE: func(_ *cobra.Command, args []string) error {
			t, err := recorded(p, args[0], &o.trafficOptions)
			if err != nil {
				return err
			}
			return t.write(args[1], o.start, p.stderr)
		},
	}, &o, append(fillNames, flagSet, "topology", "start-unit")...)
}

// sizesInfo is the JSON output of workload sizes.
type sizesInfo struct {
	Name      string         `json:"name"`
	Mean      float64        `json:"mean_bytes"`
	Quantiles []sizeQuantile `json:"quantiles"`
}

type sizeQuantile struct {
	P    float64    `json:"p"`
	Size unit.Bytes `json:"bytes"`
}

func workloadSizes(p *program) *cobra.Command {
	var o struct {
		options `flags:"json"`
		points  bool `flag:"points" use:"print the points, as a file that can be read back"`
	}
	return with(&cobra.Command{
		Use:       "sizes DISTRIBUTION|FILE",
		Short:     "Describe a distribution of flow sizes",
		Args:      exactly("a distribution or a file"),
		ValidArgs: []string{"websearch", "hadoop"},
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := flowSizes(args[0])
			if err != nil {
				return err
			}
			if o.points {
				cdf, ok := s.(*workloads.CDF)
				if !ok {
					return fmt.Errorf("--points has no effect on %s: it has no list of points", s.Name())
				}
				if err := without(cmd, "with --points", flagJSON); err != nil {
					return err
				}
				return workloads.WriteCDF(p.stdout.raw(), cdf)
			}
			info := sizesInfo{Name: s.Name(), Mean: s.Mean()}
			for _, q := range []float64{0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1} {
				info.Quantiles = append(info.Quantiles, sizeQuantile{q, workloads.Quantile(s, q)})
			}
			return p.show(&o.options, info, func() { p.stdout.keep(workloads.DescribeSizes(p.stdout, s)) })
		},
	}, &o)
}

// flowSizes returns a built-in distribution or, if none has the name, the distribution in the file with this name.
func flowSizes(what string) (workloads.Sizes, error) {
	s, nameErr := workloads.ParseSizes(what)
	if nameErr == nil {
		return s, nil
	}
	f, err := input.Open(what, input.Document)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w; there is also no file of this name", nameErr)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return workloads.ReadCDF(f, what)
}
