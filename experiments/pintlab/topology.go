package pintlab

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pintlab/experiments/scenario"
	"pintlab/internal/outfile"
	"pintlab/netsim/route"
	"pintlab/netsim/topo"
)

// topologyKinds returns the networks that the program can generate.
func (p *program) topologyKinds() []string {
	names := p.language.Protocols().Networks.Names()
	return slices.DeleteFunc(names, func(name string) bool { return name == "file" })
}

func topologyCommand(p *program) *cobra.Command {
	cmd := group(groupInputs, "topology", "Describe, convert and generate networks",
		topologyShow(p), topologyGenerate(p), topologyConvert(p))
	cmd.Long = strings.Join(p.topologyKinds(), ", ")
	return cmd
}

// fillFlags set values that GML and GraphML files may lack.
type fillFlags struct {
	fill topo.Fill `flags:"all"`
	cmd  *cobra.Command
}

var fillNames = []string{"rate", "delay", "largest-part"}

func (f *fillFlags) Attached(cmd *cobra.Command) { f.fill, f.cmd = topo.DefaultFill(), cmd }

// without returns an error if one of these flags is given for a network that defines the values itself.
func (f *fillFlags) without(network string) error {
	return without(f.cmd, "on "+network+": only GML and GraphML files can lack this information", fillNames...)
}

// read reads the file of a network. It prints on stderr what it omits.
func (f *fillFlags) read(stderr io.Writer, path string) (*topo.Graph, error) {
	if !topo.IsMap(path) {
		if err := f.without(path); err != nil {
			return nil, err
		}
	}
	if err := f.fill.Validate(); err != nil {
		return nil, fmt.Errorf("--rate, --delay: %w", err)
	}
	f.fill.Asked = f.cmd.Flags().Changed("rate")
	g, err := topo.ReadFile(path, f.fill)
	if e := (*topo.RateError)(nil); errors.As(err, &e) {
		return nil, fmt.Errorf("--rate: %w", err)
	}
	if err != nil {
		return nil, err
	}
	if g.Changes != (topo.Changes{}) {
		fmt.Fprintf(stderr, "%s: %s\n", path, g.Changes)
	}
	return g, nil
}

// network returns the graph of a kind, scenario, preset or file.
func network(p *program, what string, o *options, f *fillFlags) (*topo.Graph, error) {
	base, ok, err := p.networkBase(what)
	if err != nil {
		return nil, err
	}
	if !ok {
		if o.given(flagSet) {
			return nil, fmt.Errorf("--set has no effect on the file %s", what)
		}
		return f.read(p.stderr, what)
	}
	if err := f.without(what); err != nil {
		return nil, err
	}
	changes, err := o.changes()
	if err != nil {
		return nil, err
	}
	for _, c := range changes {
		if !strings.HasPrefix(c, "topology.") {
			return nil, fmt.Errorf("--set %s: want a key of topology, because other keys have no "+
				"effect on a network", c)
		}
	}
	sc, err := base(changes)
	if err == nil {
		err = keepFiles(f.cmd, &sc)
	}
	if err != nil {
		return nil, err
	}
	return sc.Topology.Generator().Build()
}

// networkBase returns a function that makes a scenario. The scenario has the network of a kind, scenario or preset, and
// some changes. ok is false if what names the file of a network.
func (p *program) networkBase(
	what string,
) (base func(changes []string) (scenario.Scenario, error), ok bool, err error) {
	switch {
	case slices.Contains(p.topologyKinds(), what):
		return func(changes []string) (scenario.Scenario, error) {
			return p.language.Default().With(append([]string{"topology.kind=" + what}, changes...)...)
		}, true, nil
	case isScenario(what):
		return func(changes []string) (scenario.Scenario, error) { return p.language.Open(what, changes...) }, true, nil
	case filepath.Ext(what) == "":
		return nil, false,
			fmt.Errorf("%s: want a kind of network (%s), a preset, or a file (.yaml, .txt, .topo, .gml, "+
				".graphml)", what, strings.Join(p.topologyKinds(), ", "))
	}
	return nil, false, nil
}

// isScenario reports whether a word is a preset or looks like a scenario file.
func isScenario(what string) bool {
	return slices.Contains(scenario.Presets(), what) ||
		slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(what))
}

func topologyShow(p *program) *cobra.Command {
	var o options
	var f fillFlags
	return with(with(&cobra.Command{
		Use:       "show NETWORK",
		Short:     "Describe a network: nodes, links, path lengths, bisection",
		Args:      exactly("a network"),
		ValidArgs: p.topologyKinds(),
		RunE: func(_ *cobra.Command, args []string) error {
			g, err := network(p, args[0], &o, &f)
			if err != nil {
				return err
			}
			s, err := route.Summarize(g)
			if err != nil {
				return err
			}
			return p.show(&o, s, func() { p.printf("%s", s) })
		},
	}, &o, flagSet, flagJSON), &f)
}

func topologyGenerate(p *program) *cobra.Command {
	var o options
	return with(&cobra.Command{
		Use:         "generate KIND|SCENARIO|PRESET FILE",
		Short:       "Write a network as topology.txt (.txt), for htsim (.topo) or Graphviz (.dot)",
		Annotations: map[string]string{writesLast: ""},
		Args:        exactly("a kind of network, a scenario or a preset", "a file to write"),
		ValidArgs:   p.topologyKinds(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, ok, err := p.networkBase(args[0]); err != nil {
				return err
			} else if !ok {
				return fmt.Errorf("%s: want a kind of network, a scenario or a preset; to convert a file, use "+
					"topology convert", args[0])
			}
			g, err := network(p, args[0], &o, &fillFlags{cmd: cmd})
			if err != nil {
				return err
			}
			return writeNetwork(args[1], g)
		},
	}, &o, flagSet)
}

func topologyConvert(p *program) *cobra.Command {
	var f fillFlags
	return with(&cobra.Command{
		Use:         "convert FROM TO",
		Short:       "Convert topology.txt, .topo, GML or GraphML to topology.txt, .topo or Graphviz",
		Annotations: map[string]string{writesLast: ""},
		Args:        exactly("a file to read", "a file to write"),
		RunE: func(_ *cobra.Command, args []string) error {
			g, err := f.read(p.stderr, args[0])
			if err != nil {
				return err
			}
			return writeNetwork(args[1], g)
		},
	}, &f)
}

// writeNetwork writes a graph. The extension of the file name selects the format.
func writeNetwork(path string, g *topo.Graph) error {
	write := map[string]func(io.Writer, *topo.Graph) error{".txt": topo.WriteTopology, ".topo": topo.WriteHTSim,
		".dot": topo.WriteDOT, ".gv": topo.WriteDOT}[filepath.Ext(path)]
	if write == nil {
		return fmt.Errorf("%s: want a name that ends in .txt (topology.txt), .topo (htsim), .dot or .gv (Graphviz)",
			path)
	}
	return outfile.Write(path, func(w io.Writer) error { return write(w, g) })
}
