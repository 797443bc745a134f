package fridges

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"

	"pintlab/internal/progress"
	"pintlab/netsim/unit"
	"pintlab/workloads/exchange"
	"pintlab/workloads/packets"
)

// TraceOptions choose a trace of requests and responses, in the tags of flags.
type TraceOptions struct {
	Kind    exchange.Protocol `flag:"kind" use:"in a capture: {what} is measured: tcp, handshake or dns"`
	Inside  string            `flag:"inside" use:"in a capture: only hosts of this {prefix} send requests, such as 10.0.0.0/8"`
	Window  unit.Time         `flag:"window" default:"60s" range:">=0s" use:"in a capture: forget requests after this {time} when measuring the true delays; 0s measures none"`
	Once    bool              `flag:"once" use:"in a capture: leave out what was sent again within --window, and the responses to it, which are ambiguous (Karn's rule)"`
	Count   int               `flag:"count" range:">=1 <=20000000" bytes:"120" use:"requests {N} of a generated trace; without it those of the paper"`
	Longest unit.Time         `flag:"longest" default:"64ms" range:">1ms" use:"longest delay {T} of the synthetic trace, above 1ms"`
}

// Trace is a trace that is ready to be read.
type Trace struct {
	Source  exchange.Source
	Window  unit.Time         // how long requests are remembered
	Matcher *exchange.Matcher // of a capture
	Once    *exchange.Once    // of a capture, if asked for
	File    *packets.Reader
	total   float64 // events of a generated trace
}

// Close closes a capture.
func (t *Trace) Close() error {
	if t.File == nil {
		return nil
	}
	return t.File.Close()
}

// Open opens a generated trace, isp or synthetic, or a capture.
func (x *TraceOptions) Open(what string, seed uint64) (*Trace, error) {
	var c exchange.Config
	switch what {
	case "isp":
		c = exchange.ISP(seed)
	case "synthetic":
		c = exchange.Synthetic(x.Longest, seed)
	default:
		return x.openCapture(what)
	}
	if x.Count > 0 {
		c.Requests = int64(x.Count)
	}
	g, err := exchange.Generate(c)
	if err != nil {
		return nil, err
	}
	return &Trace{Source: g, Window: forever, total: float64(c.Requests) * (1 + c.Answered + c.Orphans)}, nil
}

func (x *TraceOptions) openCapture(path string) (*Trace, error) {
	if x.Once && x.Window == 0 {
		return nil, errors.New("--once with --window 0s: it needs a time for which requests are remembered")
	}
	t, err := &Trace{Window: x.Window}, error(nil)
	var inside netip.Prefix
	if x.Inside != "" {
		if inside, err = netip.ParsePrefix(x.Inside); err != nil || !inside.Addr().Is4() {
			return nil, fmt.Errorf("--inside %q: want an IPv4 prefix such as 10.0.0.0/8", x.Inside)
		}
	}
	if t.File, err = packets.Open(path); err != nil {
		if errors.Is(err, os.ErrNotExist) && filepath.Ext(path) == "" {
			return nil, fmt.Errorf("%s: neither a generated trace (isp, synthetic) nor a capture file", path)
		}
		return nil, err
	}
	t.Matcher = exchange.Match(t.File, x.Kind, inside)
	t.Source = t.Matcher
	if x.Once {
		t.Once = exchange.NewOnce(t.Matcher, x.Window)
		t.Source = t.Once
	}
	return t, nil
}

// Progress returns how to show how far a trace is.
func (t *Trace) Progress(task *progress.Task) func(events int64) {
	return func(n int64) {
		if t.total > 0 {
			task.Update(min(float64(n)/t.total, 1),
				fmt.Sprintf("%.1f of %.1f million packets", float64(n)/1e6, t.total/1e6))
		} else {
			task.Update(0, fmt.Sprintf("%.1f million packets", float64(n)/1e6))
		}
	}
}
