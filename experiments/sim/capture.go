package sim

import (
	"container/heap"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"pintlab/experiments/scenario"
	"pintlab/int/wire"
	"pintlab/internal/number"
	"pintlab/netsim"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/recovery"
	"pintlab/workloads/packets"
)

// Capture records packets that selected ports begin to send or have no room for. It keeps the newest packets, up to a
// number of bytes. Capture implements netsim.Observer. Each port has its own list, so that engines need no locks.
type Capture struct {
	cfg    *scenario.Capture
	seed   uint64
	net    *netsim.Network
	times  []scenario.Span
	flows  map[uint64]bool // keys of the selected flows; nil for all
	ports  []*portCapture  // in order of the file's interfaces
	byPort []*portCapture  // nil for ports that are not captured

	packets, evicted int64 // packets in the file, and packets that were removed as too old; set by drop and finish
}

// portCapture records the packets of a port.
type portCapture struct {
	number      int // number of the interface
	name, label string
	framer      wire.Framer
	kept        []captured // index first is the oldest recorded packet
	first       int
	data        []byte // bytes of the recorded packets, without gaps
	bytes       int64  // size of the packets in the file
	err         error
}

// captured is a packet of length bytes. Its first size bytes are recorded.
type captured struct {
	at           unit.Time
	size, length int32
	comments     comments
}

// comments is a set of a packet's comments in the file.
type comments uint8

const (
	refused comments = 1 << iota
	trimmed
	headers
	marked
)

// commentTexts are the texts of the comments.
var commentTexts = []string{
	packets.Dropped + "no room at this port, or its link is down", packets.Trimmed + "at this port for the payload",
	"trimmed: a switch has cut off the payload", "marked: this port has set CE",
}

// texts returns the texts of the comments.
func (r comments) texts() (list []string) {
	for i, text := range commentTexts {
		if r&(1<<i) != 0 {
			list = append(list, text)
		}
	}
	return list
}

// buildCapture sets up the capture.
func (s *Simulation) buildCapture() error {
	cfg := &s.Scenario.Run.Capture
	if !cfg.Enabled {
		return nil
	}
	c := &Capture{cfg: cfg, net: s.Net, seed: s.Scenario.Seed, byPort: make([]*portCapture, s.Net.Ports())}
	ports, err := s.portsOf("run.capture", cfg.Ports, cfg.Nodes)
	if err != nil {
		return err
	}
	if !slices.Equal(cfg.Flows, []string{scenario.All}) {
		filter, err := s.filterOf("run.capture", cfg.Flows, nil, nil)
		if err != nil {
			return err
		}
		c.flows = map[uint64]bool{}
		for _, r := range filter.numbers {
			for n := r.First; n <= r.Last; n++ {
				c.flows[transport.FlowKey(c.seed, n)] = true
			}
		}
	}
	if !slices.Equal(cfg.Times, []string{scenario.All}) {
		for _, word := range cfg.Times {
			span, err := scenario.ParseSpan(word)
			if err != nil {
				return fmt.Errorf("run.capture.times: %w", err)
			}
			if end := s.endTime(); span.From > end {
				return fmt.Errorf("run.capture.times: %s has no effect: the run ends at %v", word, end)
			}
			c.times = append(c.times, span)
		}
	}
	framer := s.framer()
	if v, ok := s.parts.System.(telemetry.Visible); ok {
		// Report unsupported telemetry as an error of the scenario now, not at the first packet.
		data := &netsim.Sight{Packet: &netsim.Packet{Kind: netsim.Data}}
		if err := v.Show(&telemetry.Frame{Sight: data}); err != nil {
			return fmt.Errorf("run.capture: %w", err)
		}
		framer.Systems = append(framer.Systems, v)
	}
	for _, w := range s.monitors.watches {
		v, ok := w.System.(telemetry.Visible)
		if ok && !s.weightless() {
			framer.Systems = append(framer.Systems, v)
		}
	}
	for _, id := range ports {
		from, to := s.Net.PortEnds(id)
		x := &portCapture{
			number: len(c.ports), name: fmt.Sprintf("%d-%d", from, to),
			label: s.Graph.Label(from) + " to " + s.Graph.Label(to), framer: framer,
		}
		c.ports = append(c.ports, x)
		c.byPort[id] = x
	}
	s.capture = c
	s.Engine.Observe(ports, c)
	return nil
}

// framer returns the encoder of packets and monitors' reports.
func (s *Simulation) framer() wire.Framer {
	f := wire.Framer{Net: s.Net, TCP: s.Scenario.Transport.TCP(), ECN: s.Scenario.Network.ECN.Enabled}
	if k, ok := s.recovery(&transport.Setting{}).(recovery.Kind); ok && f.TCP {
		f.Blocks = k.Blocks
	}
	for _, w := range s.monitors.watches {
		v, _ := w.System.(telemetry.Visible)
		f.Monitors = append(f.Monitors, v)
	}
	return f
}

// exported is a monitor's watcher that also passes its reports to an outside receiver.
type exported struct {
	netsim.Watcher
	framer *wire.Framer
	send   func([]byte)
}

func (e exported) Collect(a *netsim.Arrival) {
	s := netsim.Sight{Now: a.Now, Packet: a.Packet, Cargo: a.Cargo()}
	// A report that exceeds the format's limits is not exported.
	if b, port, err := e.framer.Report(&s); err == nil && port == wire.ReportPort {
		e.send(b)
	}
	e.Watcher.Collect(a)
}

// export passes the reports of monitors to send.
func (s *Simulation) export(send func([]byte)) {
	if send == nil {
		return
	}
	framer := s.framer()
	for _, w := range s.monitors.watches {
		w.Watcher = exported{w.Watcher, &framer, send}
	}
}

func (c *Capture) Observe(s *netsim.Sight) {
	if !c.wants(s) {
		return
	}
	x, k := c.byPort[s.Port], s.Packet
	frame, err := x.framer.Frame(s)
	if err != nil {
		if x.err == nil {
			x.err = fmt.Errorf("run.capture: a packet on port %s at %v: %w", x.name, s.Now, err)
		}
		return
	}
	var r comments
	switch {
	case s.Fate == netsim.Refused:
		r = refused
	case s.Fate == netsim.Trimmed:
		r = trimmed
	case k.Kind == netsim.Data && k.Flags&netsim.FlagTrimmed != 0:
		r = headers
	}
	if s.Marked {
		r |= marked
	}
	p := captured{at: s.Now, size: int32(min(len(frame), int(c.cfg.Snap))), length: int32(len(frame)), comments: r}
	x.kept = append(x.kept, p)
	x.data = append(x.data, frame[:p.size]...)
	x.bytes += p.inFile()
}

// wants reports whether a packet is selected.
func (c *Capture) wants(s *netsim.Sight) bool {
	now := func(span scenario.Span) bool { return span.From <= s.Now && s.Now < span.To }
	if c.times != nil && !slices.ContainsFunc(c.times, now) {
		return false
	}
	return c.flows == nil || s.Packet.Kind < netsim.Pause && c.flows[c.net.FlowKey(s.Packet.Flow)]
}

// inFile returns the size of a packet's block in the file.
func (p *captured) inFile() int64 {
	n := 32 + int64(p.size+3)&^3
	for _, text := range p.comments.texts() {
		n += 4 + int64(len(text)+3)&^3
	}
	if p.comments != 0 {
		n += 4 // end of options
	}
	return n
}

// oldest returns the oldest recorded packet.
func (x *portCapture) oldest() *captured { return &x.kept[x.first] }

// take removes the oldest packet. Its bytes are valid until the next call.
func (x *portCapture) take() (captured, []byte) {
	p := x.kept[x.first]
	data := x.data[:p.size]
	x.first++
	x.data = x.data[p.size:]
	x.bytes -= p.inFile()
	return p, data
}

// byTime orders ports by their oldest packets. It implements heap.Interface.
type byTime []*portCapture

func (h byTime) Len() int { return len(h) }
func (h byTime) Less(i, j int) bool {
	a, b := h[i].oldest().at, h[j].oldest().at
	return a < b || a == b && h[i].number < h[j].number
}
func (h byTime) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *byTime) Push(x any)   { *h = append(*h, x.(*portCapture)) }
func (h *byTime) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// each removes packets in order of time, then of ports, and passes them to the function use, until the function more
// returns false.
func (c *Capture) each(more func() bool, use func(x *portCapture, p captured, data []byte) error) error {
	var h byTime
	for _, x := range c.ports {
		if x.first < len(x.kept) {
			h = append(h, x)
		}
	}
	heap.Init(&h)
	for len(h) > 0 && more() {
		x := h[0]
		p, data := x.take()
		if err := use(x, p, data); err != nil {
			return err
		}
		if x.first < len(x.kept) {
			heap.Fix(&h, 0)
		} else {
			heap.Pop(&h)
		}
	}
	return nil
}

// drop removes the oldest packets until the rest fits in the ring. It is called between events, when all
// events up to a time are over, so that the result does not depend on when it is called.
func (c *Capture) drop() error {
	if c == nil {
		return nil
	}
	var bytes int64
	for _, x := range c.ports {
		if x.err != nil {
			return x.err
		}
		bytes += x.bytes
	}
	if bytes <= int64(c.cfg.Ring) {
		return nil
	}
	return c.each(func() bool { return bytes > int64(c.cfg.Ring) }, func(x *portCapture, p captured, _ []byte) error {
		bytes -= p.inFile()
		c.evicted++
		if 2*x.first > len(x.kept) { // the next append that needs more memory moves data to the front
			x.kept = x.kept[:copy(x.kept, x.kept[x.first:])]
			x.first = 0
		}
		return nil
	})
}

// finish ends the capture of a run.
func (c *Capture) finish() error {
	if err := c.drop(); c == nil || err != nil {
		return err
	}
	for _, x := range c.ports {
		c.packets += int64(len(x.kept) - x.first)
	}
	return nil
}

// notes returns a summary of the capture for the notes of the run.
func (c *Capture) notes() []string {
	if c == nil {
		return nil
	}
	if c.packets+c.evicted == 0 {
		x := c.cfg
		return warning("capture.pcapng has no packets: none matched ports = %v, nodes = %v, flows = %v and times = "+
			"%v (run.capture)", x.Ports, x.Nodes, x.Flows, x.Times)
	}
	n := note("capture: %s of %s", number.Count(c.packets, "packet"), number.Count(len(c.ports), "port"))
	if c.evicted > 0 {
		n[0] += fmt.Sprintf("; %s had no room in run.capture.ring = %v", number.Count(c.evicted, "older packet"),
			c.cfg.Ring)
	}
	return n
}

// Write writes the packets as a pcapng file with an interface for each port, and removes them.
func (c *Capture) Write(out io.Writer) error {
	var w *pcapgo.NgWriter
	for _, x := range c.ports {
		i := pcapgo.NgInterface{
			Name: x.name, Description: x.label, LinkType: layers.LinkTypeEthernet, SnapLength: uint32(c.cfg.Snap),
		}
		var err error
		if w == nil {
			w, err = pcapgo.NewNgWriterInterface(out, i,
				pcapgo.NgWriterOptions{SectionInfo: pcapgo.NgSectionInfo{Application: packets.Application}})
		} else {
			_, err = w.AddInterface(i)
		}
		if err != nil {
			return err
		}
	}
	err := c.each(func() bool { return true }, func(x *portCapture, p captured, data []byte) error {
		info := gopacket.CaptureInfo{
			Timestamp: time.Unix(0, int64(p.at/unit.Nanosecond)).UTC(), CaptureLength: len(data), Length: int(p.length),
			InterfaceIndex: x.number,
		}
		return w.WritePacketWithOptions(info, data, pcapgo.NgPacketOptions{Comments: p.comments.texts()})
	})
	if err != nil {
		return err
	}
	return w.Flush()
}
