package pintlab

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"pintlab/experiments/internal/measure/sketch"
	"pintlab/internal/number"
	"pintlab/internal/outfile"
	"pintlab/netsim/unit"
	"pintlab/workloads/packets"
)

func sketchCommand(p *program) *cobra.Command {
	return group(groupStudies, "sketch", "Measure or query sketches of flow sizes on a trace",
		sketchAccuracy(p), sketchSpeed(p), sketchQuery(p), sketchTrace(p))
}

// traceFlags describe a generated trace.
type traceFlags struct {
	traffic string         `flag:"traffic" default:"skewed" oneof:"skewed|dctcp"`
	load    float64        `flag:"load" range:">0 <=1" use:"{share} of the link rate that a dctcp trace takes"`
	skewed  packets.Skewed `flags:"all"` // Duration applies to any generated trace
	// interfaces applies to captures
	interfaces []string `flag:"interfaces" use:"only packets of these {interfaces} of a pcapng file"`
	cmd        *cobra.Command
}

// Kinds of generated traces.
const (
	trafficSkewed = "skewed"
	trafficDCTCP  = "dctcp"
)

// skewedNames lists the flags that apply only to skewed traces. traceNames lists the flags that apply to all generated
// traces.
var (
	skewedNames = []string{"packets", "flows", "skew", "singles", "lifetime", "churn"}
	traceNames  = append([]string{"traffic", "load", "duration"}, skewedNames...)
)

func (t *traceFlags) Attached(cmd *cobra.Command) {
	*t = traceFlags{cmd: cmd, load: packets.DefaultTestbed().Load, skewed: packets.DefaultSkewed()}
}

// generated returns a function that opens a window of the generated trace. Windows are counted from 0.
func (t *traceFlags) generated(seed uint64) (open func(window int) (packets.Source, error), err error) {
	if t.traffic == trafficDCTCP {
		if err := without(t.cmd, "on --traffic "+trafficDCTCP, skewedNames...); err != nil {
			return nil, err
		}
		b := packets.Testbed{Load: t.load, Duration: t.skewed.Duration, Seed: seed}
		return func(window int) (packets.Source, error) { return source(b.Window(window)) }, nil
	}
	if err := without(t.cmd, "on --traffic "+trafficSkewed, "load"); err != nil {
		return nil, err
	}
	s := t.skewed
	s.Seed = seed
	return func(window int) (packets.Source, error) { return source(s.Window(window)) }, s.Validate()
}

// source returns a nil Source if there is an error, instead of a Source that contains a nil pointer.
func source[S packets.Source](s S, err error) (packets.Source, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

// read passes n windows to the function use, from files or from a generated trace. It prints how many packets were
// skipped, and returns which files were truncated. timed reports whether the times of packets have an effect. An error
// about unusable packets names the files. An error about a sketch that does not fit its memory names the flag of the
// memory.
func (t *traceFlags) read(
	p *program, files []string, n int, seed uint64, timed bool, use func([]packets.Source) error,
) (part packets.Partial, err error) {
	var windows []packets.Source
	if len(files) > 0 {
		if err := without(t.cmd, "on a trace in a file", traceNames...); err != nil {
			return part, err
		}
		for _, path := range files {
			r, fault := packets.Open(path)
			if fault != nil {
				return part, fault
			}
			defer func() { err = errors.Join(err, r.Close()) }()
			if err := r.Choose(t.interfaces); err != nil {
				return part, err
			}
			windows = append(windows, r)
		}
	} else if windows, err = t.windows(n, seed, timed); err != nil {
		return part, err
	}
	err = use(windows)
	for _, s := range windows {
		r, ok := s.(*packets.Reader)
		if !ok {
			continue
		}
		if n := r.Skipped().Total(); n > 0 {
			fmt.Fprintf(p.stderr, "pintlab: %s: left out %s (%v)\n", r.Name(), number.Count(n, "packet"), r.Skipped())
		}
		if r.Several() {
			fmt.Fprintf(p.stderr, "pintlab: %s: packets of several interfaces: one that passes two of them counts "+
				"twice (choose with --interfaces)\n", r.Name())
		}
		part.AddFile(r.Name(), r.Truncation())
	}
	if (errors.Is(err, packets.ErrNone) || errors.Is(err, sketch.ErrNoTimes) ||
		errors.Is(err, sketch.ErrNoSizes)) && len(files) > 0 {
		return part, fmt.Errorf("%s: %w", strings.Join(files, ", "), err)
	}
	var m *sketch.MemoryError
	if errors.As(err, &m) {
		return part, fmt.Errorf("--memory %v: %w", unit.Bytes(m.Memory), err)
	}
	return part, err
}

// windows returns the first n windows of a generated trace.
func (t *traceFlags) windows(n int, seed uint64, timed bool) (list []packets.Source, err error) {
	if err := without(t.cmd, "on a generated trace", "interfaces"); err != nil {
		return nil, err
	}
	if n < 2 {
		if err := without(t.cmd, "without a second window", "churn"); err != nil {
			return nil, err
		}
	}
	if t.traffic == trafficSkewed && !timed {
		if err := without(t.cmd, "on the sizes of the flows of --traffic "+trafficSkewed, "duration"); err != nil {
			return nil, err
		}
	}
	open, err := t.generated(seed)
	if err != nil {
		return nil, err
	}
	for w := range n {
		g, err := open(w)
		if err != nil {
			return nil, err
		}
		list = append(list, g)
	}
	return list, nil
}

// share returns which share of the windows has been read after n packets. It returns 0 if the number of packets is
// unknown.
func (t *traceFlags) share(windows []packets.Source, n int64) (share float64) {
	for _, w := range windows {
		switch r, is := w.(*packets.Reader); {
		case is:
			share += r.Share()
		case t.traffic == trafficSkewed:
			return float64(n) / float64(len(windows)*t.skewed.Packets)
		}
	}
	return share / float64(len(windows))
}

func sketchTrace(p *program) *cobra.Command {
	var o struct {
		options    `flags:"seed"`
		traceFlags `flags:"traffic load packets flows skew singles lifetime duration churn"`
		window     int `flag:"window" default:"1" range:">=1 <=1000" use:"write window {N} of the trace"`
	}
	o.seed = 1
	return with(&cobra.Command{
		Use:         "trace FILE",
		Short:       "Write a generated trace: a capture (.pcap) or records (.dat)",
		Annotations: map[string]string{writesLast: ""},
		Args:        exactly("a file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			open, err := o.generated(o.seed)
			if err != nil {
				return err
			}
			g, err := open(o.window - 1)
			if err != nil {
				return err
			}
			write := packets.WritePcap
			switch filepath.Ext(args[0]) {
			case ".pcap":
			case ".dat":
				write = packets.WriteRecords
			default:
				return fmt.Errorf("%s: want a name that ends in .pcap or .dat (records)", args[0])
			}
			var n int64
			err = outfile.Write(args[0], func(w io.Writer) (err error) {
				n, err = write(w, g)
				return err
			})
			if err != nil {
				return err
			}
			p.printf("%s   %s in %s\n", args[0], number.Count(n, "packet"), o.skewed.Duration)
			return nil
		},
	}, &o)
}
