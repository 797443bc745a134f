package fridges

import (
	"cmp"
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

// TraceOptions selects a trace of requests and responses. The tags define flags.
type TraceOptions struct {
	Kind       exchange.Protocol `flag:"kind" use:"of packets: {what} is measured: tcp, handshake, dns, ntp or duration"`
	Inside     string            `flag:"inside" use:"of packets: only hosts of this {prefix} send requests, such as 10.0.0.0/8"`
	Only       exchange.Flows    `flag:"only" use:"of packets: flows with these {ends}: an address, prefix or :port, or two of them"`
	Interfaces []string          `flag:"interfaces" use:"only packets of these {interfaces} of a pcapng file"`
	Window     unit.Time         `flag:"window" default:"60s" range:">=0s" use:"of packets: forget requests after this {time} when measuring the true delays; 0s measures none"`
	Once       bool              `flag:"once" use:"of packets: leave out what was sent again within --window, and the responses to it, which are ambiguous (Karn's rule)"`
	Count      int               `flag:"count" range:">=1 <=20000000" bytes:"200" use:"requests {N} of a generated trace (default: as many as in the paper, or 100000 connections)"`
	Delays     string            `flag:"delays" use:"{law} of delays of isp or synthetic, or of fridge tune without a trace"`
	Longest    unit.Time         `flag:"longest" default:"64ms" range:">1ms" use:"longest delay {T} of the synthetic trace, above 1ms"`
}

// Trace is a trace that is ready to be read.
type Trace struct {
	Source  exchange.Source
	Window  unit.Time         // time for which requests are remembered
	Matcher *exchange.Matcher // matcher of packets
	Once    *exchange.Once    // for packets, on request
	Only    *exchange.Only    // likewise
	File    *packets.Reader   // for a capture
	total   float64           // number of events of a generated trace
}

// Close closes a capture.
func (t *Trace) Close() error {
	if t.File == nil {
		return nil
	}
	return t.File.Close()
}

// Partial returns whether the capture was truncated, after it has been read.
func (t *Trace) Partial() (p packets.Partial) {
	if t.File != nil {
		p.AddFile(t.File.Name(), t.File.Truncation())
	}
	return p
}

// Open opens a capture or a generated trace: isp, synthetic or connections.
func (x *TraceOptions) Open(what string, seed uint64) (*Trace, error) {
	var c exchange.Config
	switch what {
	case "isp":
		c = exchange.ISP(seed)
	case "synthetic":
		c = exchange.Synthetic(x.Longest, seed)
	case "connections":
		return x.match(exchange.NewConnections(int64(cmp.Or(x.Count, 100_000)), seed))
	default:
		return x.openCapture(what)
	}
	if x.Delays != "" {
		law, err := exchange.ParseLaw(x.Delays)
		if err != nil {
			return nil, fmt.Errorf("--delays: %w", err)
		}
		c.Delays = law
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
	f, err := packets.Open(path)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) && filepath.Ext(path) == "" {
			return nil, fmt.Errorf("%s: neither a generated trace (isp, synthetic, connections) nor a capture file",
				path)
		}
		return nil, err
	}
	if err := f.Choose(x.Interfaces); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	t, err := x.match(f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	t.File = f
	return t, nil
}

// match finds requests and responses among packets.
func (x *TraceOptions) match(in packets.Source) (t *Trace, err error) {
	if x.Once && x.Window == 0 {
		return nil, errors.New("--once has no effect with --window 0s, because without a window no request is " +
			"remembered")
	}
	var inside netip.Prefix
	if x.Inside != "" {
		if inside, err = netip.ParsePrefix(x.Inside); err != nil || !inside.Addr().Is4() {
			return nil, fmt.Errorf("--inside %q: want an IPv4 prefix such as 10.0.0.0/8", x.Inside)
		}
	}
	t = &Trace{Window: x.Window}
	if x.Only != (exchange.Flows{}) {
		t.Only = exchange.NewOnly(in, x.Only)
		in = t.Only
	}
	t.Matcher = exchange.Match(in, x.Kind, inside)
	t.Source = t.Matcher
	if x.Once {
		t.Once = exchange.NewOnce(t.Matcher, x.Window)
		t.Source = t.Once
	}
	return t, nil
}

// Progress returns a function that shows how much of a trace has been read.
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
