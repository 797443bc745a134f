package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"

	inband "pintlab/int"
	"pintlab/int/ifa"
	"pintlab/int/ioam"
	"pintlab/int/sketch/sumax"
	"pintlab/internal/number"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// Signs are the values by which packets show what they carry. Signs with the value 0 are ignored.
type Signs struct {
	DSCP   uint8  // DSCP of INT after the transport header
	Blocks uint8  // DSCP of blocks
	Port   uint16 // UDP destination port of INT after that UDP header
	Outer  uint16 // UDP destination port of INT with an inserted UDP header
	Report uint16 // UDP destination port of telemetry reports
	IFA    uint8  // IP protocol
	// Units of the queue in records of IFA and IOAM, whose specifications name none. 0: leave the numbers as they are.
	IFAQueue, IOAMQueue unit.Bytes
}

// Find is telemetry that a packet carries or reports.
type Find struct {
	Source   Source
	Src, Dst netip.AddrPort // addresses of the packet that the find is about; invalid if the headers are missing
	Protocol uint8          // protocol of the layer above IP
	Reporter *Reporter      // nil if it is not a report
	Hops     []Hop          // oldest first
	Content  []byte         // if there are no hops: a digest of PINT, a sketchlet, an estimate, or a part of sketches
}

// Source is where telemetry comes from.
type Source string

// The sources.
const (
	FromINT       Source = "int"
	FromReport    Source = "report"
	FromEcho      Source = "echo"
	FromHPCC      Source = "hpcc"
	FromSketchINT Source = "sketchint"
	FromDigest    Source = "digest"
	FromSketchlet Source = "sketchlet"
	FromRTT       Source = "rtt"
	FromCSIG      Source = "csig"
	FromIOAM      Source = "ioam"
	FromIFA       Source = "ifa"

	// Reports of monitors, without hops.
	ReportedDigest    Source = "reported digest"
	ReportedSketchlet Source = "reported sketchlet"
	ReportedSketches  Source = "reported sketches" // a frame of SketchINT
)

// Reporter identifies a telemetry report.
type Reporter struct {
	Node                                      uint32
	Hardware                                  uint8
	Sequence                                  uint32
	First                                     bool // the first report of its packet
	Dropped, Congested, Tracked, Intermediate bool
	Reason                                    uint8 // reason of the drop
}

// Hop is the record of one switch. Missing values are nil; the device defines the units.
type Hop struct {
	Node        *int64 `json:"node,omitempty" parquet:"node,optional"`
	Ingress     *int64 `json:"ingress,omitempty" parquet:"ingress,optional"`
	Egress      *int64 `json:"egress,omitempty" parquet:"egress,optional"`
	Latency     *int64 `json:"latency,omitempty" parquet:"latency,optional"`
	QueueID     *int64 `json:"queue_id,omitempty" parquet:"queue_id,optional"`
	Queue       *int64 `json:"queue,omitempty" parquet:"queue,optional"`
	IngressTime *int64 `json:"ingress_time,omitempty" parquet:"ingress_time,optional"`
	EgressTime  *int64 `json:"egress_time,omitempty" parquet:"egress_time,optional"`
	Tx          *int64 `json:"tx_utilization,omitempty" parquet:"tx_utilization,optional"`
	BufferID    *int64 `json:"buffer_id,omitempty" parquet:"buffer_id,optional"`
	Buffer      *int64 `json:"buffer,omitempty" parquet:"buffer,optional"`
	Sent        *int64 `json:"sent_bytes,omitempty" parquet:"sent_bytes,optional"`
	Drops       *int64 `json:"drops,omitempty" parquet:"drops,optional"` // packets that the switch has dropped since it started
	Rate        *int64 `json:"rate_bps,omitempty" parquet:"rate_bps,optional"`
	Signal      string `json:"signal,omitempty" parquet:"signal,dict"` // signal of CSIG
	Bucket      *int64 `json:"bucket,omitempty" parquet:"bucket,optional"`
	Locator     *int64 `json:"locator,omitempty" parquet:"locator,optional"`
}

// Mistake is a part of a packet that cannot be read.
type Mistake struct {
	Byte int // where that part begins
	Err  error
}

// Error names the byte.
func (m *Mistake) Error() string { return fmt.Sprintf("byte %d: %v", m.Byte, m.Err) }

// Unwrap returns the reason.
func (m *Mistake) Unwrap() error { return m.Err }

// packet is the state of reading an IP packet.
type packet struct {
	signs *Signs
	about Find // the flow, without hops
	inner bool // the packet is in a report
	found []Find
}

// Read returns the telemetry of a frame whose IP packet begins at byte at. The frame may be truncated. If the error is
// a Mistake, Read also returns what it found before this mistake. Finds alias b.
func (s *Signs) Read(b []byte, at int) ([]Find, error) {
	p := packet{signs: s}
	err := p.ip(b[at:], at)
	for _, f := range formats { // a tag of CSIG before the EtherType, behind two MAC addresses
		if from := at - 2 - f.Size; from >= 12 {
			if h, ok := tagIn(f, b[from:at-2]); ok {
				tag := p.about
				tag.Source, tag.Hops = FromCSIG, []Hop{h}
				p.found = slices.Insert(p.found, 0, tag)
			}
		}
	}
	return p.found, err
}

// wrong returns err as a Mistake at a byte, or nil.
func wrong(at int, err error) error {
	if err == nil {
		return nil
	}
	return &Mistake{at, err}
}

// ip reads a packet from its IP header on.
func (p *packet) ip(b []byte, at int) error {
	if len(b) == 0 {
		return nil
	}
	var src, dst netip.Addr
	var dscp uint8
	var base layers.BaseLayer
	var options []byte // options of IPv6
	switch b[0] >> 4 {
	case 4:
		var h layers.IPv4
		if err := h.DecodeFromBytes(b, gopacket.NilDecodeFeedback); err != nil {
			return wrong(at, err)
		}
		if h.FragOffset != 0 {
			return nil // the headers are in the first fragment
		}
		src, _ = netip.AddrFromSlice(h.SrcIP)
		dst, _ = netip.AddrFromSlice(h.DstIP)
		dscp, base, p.about.Protocol = h.TOS>>2, h.BaseLayer, uint8(h.Protocol)
	case 6:
		var h layers.IPv6
		if err := h.DecodeFromBytes(b, gopacket.NilDecodeFeedback); err != nil {
			return wrong(at, err)
		}
		src, _ = netip.AddrFromSlice(h.SrcIP)
		dst, _ = netip.AddrFromSlice(h.DstIP)
		dscp, base, p.about.Protocol = h.TrafficClass>>2, h.BaseLayer, uint8(h.NextHeader)
		if h.HopByHop != nil {
			options, p.about.Protocol = h.HopByHop.Contents, uint8(h.HopByHop.NextHeader)
		}
	default:
		return nil
	}
	p.about.Src, p.about.Dst = netip.AddrPortFrom(src, 0), netip.AddrPortFrom(dst, 0)
	err := p.transport(base.Payload, at+len(base.Contents)+len(options), dscp)
	if len(options) > 2 {
		if e := p.traces(options[2:]); err == nil {
			err = wrong(at+len(base.Contents)+2, e)
		}
	}
	return err
}

// transport reads a packet from its transport header on.
func (p *packet) transport(b []byte, at int, dscp uint8) error {
	var from, to uint16
	var base layers.BaseLayer
	flow := p.signs.IFA != 0 && p.about.Protocol == p.signs.IFA
	if flow {
		original, rest, err := ifa.Original(b)
		if err != nil {
			return wrong(at, err)
		}
		p.about.Protocol, b, at = original, rest, at+len(b)-len(rest)
	}
	switch layers.IPProtocol(p.about.Protocol) {
	case layers.IPProtocolUDP:
		var h layers.UDP
		if err := h.DecodeFromBytes(b, gopacket.NilDecodeFeedback); err != nil {
			return wrong(at, err)
		}
		from, to, base = uint16(h.SrcPort), uint16(h.DstPort), h.BaseLayer
	case layers.IPProtocolTCP:
		var h layers.TCP
		if err := h.DecodeFromBytes(b, gopacket.NilDecodeFeedback); err != nil {
			return wrong(at, err)
		}
		from, to, base = uint16(h.SrcPort), uint16(h.DstPort), h.BaseLayer
	default:
		return nil
	}
	p.about.Src, p.about.Dst = netip.AddrPortFrom(p.about.Src.Addr(), from), netip.AddrPortFrom(p.about.Dst.Addr(), to)
	rest, at := base.Payload, at+len(base.Contents)
	if flow {
		f, behind, err := p.flow(rest)
		if err != nil {
			return wrong(at, err)
		}
		p.found = append(p.found, f)
		rest, at = behind, at+len(rest)-len(behind)
	}
	udp := layers.IPProtocol(p.about.Protocol) == layers.IPProtocolUDP
	is := func(port uint16) bool { return udp && port != 0 && to == port }
	s := p.signs
	switch {
	case is(s.Report) && !p.inner:
		return p.reports(rest, at)
	case is(telemetry.PortSketchlets) || is(telemetry.PortSketchINT):
		return wrong(at, p.sketches(rest, to))
	case is(s.Port) || is(s.Outer) || s.DSCP != 0 && dscp == s.DSCP:
		return p.message(rest, at)
	case s.Blocks != 0 && dscp == s.Blocks:
		return p.blocks(rest, at)
	}
	return nil
}

// flow reads records of IFA and returns the bytes after them.
func (p *packet) flow(b []byte) (f Find, rest []byte, err error) {
	f = p.about
	f.Source = FromIFA
	records, rest, err := ifa.Decode(b)
	for _, r := range records {
		left := r.Arrival + r.Residence
		h := Hop{
			Node: pointerTo(r.Device), Ingress: interfaceOf(uint32(r.Ingress), 0xffff),
			Egress: interfaceOf(uint32(r.Egress), 0xffff), EgressTime: pointerTo(int64(left / unit.Nanosecond)),
			Queue: pointerTo(int64(r.Queue) * int64(max(p.signs.IFAQueue, 1))), Sent: pointerTo(r.Sent),
		}
		if r.Residence > 0 {
			h.Latency = pointerTo(int64(r.Residence / unit.Nanosecond))
		}
		if r.Rate > 0 {
			h.Rate = pointerTo(int64(r.Rate))
		}
		f.Hops = append(f.Hops, h)
	}
	return f, rest, err
}

// message reads INT and what follows it.
func (p *packet) message(b []byte, at int) error {
	var m inband.Message
	rest, err := m.Decode(b)
	if err != nil {
		return wrong(at, err)
	}
	at += len(b) - len(rest)
	before := len(p.found)
	if m.Shim.NextProtocol == inband.OriginalProto {
		p.about.Protocol = uint8(m.Shim.Original)
		if err := p.transport(rest, at, 0); err != nil {
			return err
		}
	}
	f, err := p.stack(&m, FromINT)
	if err != nil {
		return wrong(at-len(m.Stack), err)
	}
	p.found = slices.Insert(p.found, before, f)
	if dscp := uint8(m.Shim.Original >> 2 & 63); m.Shim.NextProtocol == inband.OriginalDSCP {
		switch dscp {
		case 0:
		case p.signs.DSCP:
			return p.message(rest, at)
		case p.signs.Blocks:
			return p.blocks(rest, at)
		}
	}
	return nil
}

// stack reads the hops of a message.
func (p *packet) stack(m *inband.Message, from Source) (Find, error) {
	f := p.about
	f.Source = from
	n, err := m.Hops(0)
	if err != nil {
		return f, err
	}
	for i := range n {
		var md inband.Metadata
		if err := m.Hop(n-1-i, n, &md); err != nil {
			return f, err
		}
		h := hopOf(&md)
		if d := md.Domain; m.Header.Domain == inband.Domain && m.Header.DomainInstructions&inband.BytesSent != 0 &&
			len(d) >= 4 {
			h.Sent = pointerTo(binary.BigEndian.Uint32(d))
		}
		f.Hops = append(f.Hops, h)
	}
	return f, nil
}

// pointerTo returns a pointer to a value.
func pointerTo[T uint8 | uint16 | uint32 | uint64 | int64](v T) *int64 {
	n := int64(v)
	return &n
}

// hopOf returns the values of a hop that are available.
func hopOf(md *inband.Metadata) (h Hop) {
	has := func(i inband.Instructions) bool { return md.Available&i != 0 }
	if has(inband.NodeID) {
		h.Node = pointerTo(md.NodeID)
	}
	if has(inband.Level1Interfaces) {
		h.Ingress, h.Egress = interfaceOf(uint32(md.Ingress1), 0xffff), interfaceOf(uint32(md.Egress1), 0xffff)
	}
	if has(inband.Level2Interfaces) {
		h.Ingress, h.Egress = interfaceOf(md.Ingress2, 0xffffffff), interfaceOf(md.Egress2, 0xffffffff)
	}
	if has(inband.HopLatency) {
		h.Latency = pointerTo(md.HopLatency)
	}
	if has(inband.QueueOccupancy) {
		h.QueueID, h.Queue = pointerTo(md.Queue), pointerTo(md.QueueOccupancy)
	}
	if has(inband.IngressTime) {
		h.IngressTime = pointerTo(md.IngressTime)
	}
	if has(inband.EgressTime) {
		h.EgressTime = pointerTo(md.EgressTime)
	}
	if has(inband.TxUtilization) {
		h.Tx = pointerTo(md.TxUtilization)
	}
	if has(inband.BufferOccupancy) {
		h.BufferID, h.Buffer = pointerTo(md.Buffer), pointerTo(md.BufferOccupancy)
	}
	return h
}

// interfaceOf returns an interface unless it is all ones.
func interfaceOf(v, none uint32) *int64 {
	if v == none {
		return nil
	}
	return pointerTo(v)
}

// blocks reads blocks of telemetry, including their header.
func (p *packet) blocks(b []byte, at int) error {
	if len(b) < 6 {
		return wrong(at, fmt.Errorf("blocks of telemetry of %s, want at least 6", number.Count(len(b), "byte")))
	}
	n := int(b[5] & 15)
	b, at = b[6:], at+6
	for range n {
		if len(b) < 2 {
			return wrong(at, errors.New("the packet ends before a block of telemetry"))
		}
		kind, size := telemetry.BlockKind(b[0]>>4), int(b[0]&15)<<8|int(b[1])
		if b, at = b[2:], at+2; size > len(b) {
			return wrong(at, fmt.Errorf("a block of telemetry of %d bytes, but only %s left", size,
				number.Count(len(b), "byte")))
		}
		f, err := p.block(kind, b[:size:size])
		if err != nil {
			return wrong(at, err)
		}
		p.found = append(p.found, f)
		b, at = b[size:], at+size
	}
	return nil
}

// block reads the content of a block.
func (p *packet) block(kind telemetry.BlockKind, b []byte) (f Find, err error) {
	f = p.about
	switch kind {
	case telemetry.BlockEcho:
		var m inband.Message
		if _, err := m.Decode(b); err != nil {
			return f, err
		}
		return p.stack(&m, FromEcho)
	case telemetry.BlockHPCC, telemetry.BlockHPCCAs:
		f.Source = FromHPCC
		var hops []inband.Hop
		if kind == telemetry.BlockHPCC {
			hops, err = inband.DecodeHPCC(b, inband.Published())
		} else {
			hops, err = inband.DecodeHPCCAs(b)
		}
		for _, x := range hops {
			h := Hop{
				EgressTime: pointerTo(int64(x.Time / unit.Nanosecond)),
				Queue:      pointerTo(int64(x.Queue)), Sent: pointerTo(int64(x.Tx)),
			}
			if x.Rate > 0 {
				h.Rate = pointerTo(int64(x.Rate))
			}
			f.Hops = append(f.Hops, h)
		}
		return f, err
	case telemetry.BlockSketchINT, telemetry.BlockSketchINTDrops:
		f.Source = FromSketchINT
		size := 6
		if kind == telemetry.BlockSketchINTDrops {
			size = 10
		}
		if len(b) < 2 || len(b) != 2+size*int(binary.BigEndian.Uint16(b)) {
			return f, fmt.Errorf("INT of SketchINT of %s, want 2 and %d for each counted hop",
				number.Count(len(b), "byte"), size)
		}
		for b = b[2:]; len(b) > 0; b = b[size:] {
			h := Hop{Node: pointerTo(binary.BigEndian.Uint16(b)), Latency: pointerTo(binary.BigEndian.Uint32(b[2:]))}
			if size > 6 {
				h.Drops = pointerTo(binary.BigEndian.Uint32(b[6:]))
			}
			f.Hops = append(f.Hops, h)
		}
	case telemetry.BlockIOAM:
		var o ioam.Option
		err := o.Decode(b)
		f = p.trace(&o)
		f.Source = FromEcho
		return f, err
	case telemetry.BlockIFA:
		f, _, err = p.flow(b)
		f.Source = FromEcho
		return f, err
	case telemetry.BlockCSIG:
		f.Source = FromCSIG
		for _, format := range formats {
			if h, ok := tagIn(format, b); ok {
				f.Hops = []Hop{h}
				return f, nil
			}
		}
		return f, fmt.Errorf("% x is no tag of CSIG", b)
	default:
		names := map[telemetry.BlockKind]Source{
			telemetry.BlockDigest: FromDigest, telemetry.BlockSketchlet: FromSketchlet, telemetry.BlockRTT: FromRTT,
		}
		if f.Source, f.Content = names[kind], b; f.Source == "" {
			return f, fmt.Errorf("a block of telemetry of kind %d, want 1 to %d", kind, telemetry.BlockIFA)
		}
	}
	return f, nil
}

// reports reads telemetry reports.
func (p *packet) reports(b []byte, at int) error {
	var g inband.ReportGroup
	rest, err := g.Decode(b)
	if err != nil {
		return wrong(at, err)
	}
	for first := true; len(rest) > 0; first = false {
		from := at + len(b) - len(rest)
		var r inband.Report
		if rest, err = r.Decode(rest); err != nil {
			return wrong(from, err)
		}
		if err := p.report(&g, &r, at+len(b)-len(rest)-len(r.Contents), first); err != nil {
			return err
		}
	}
	return nil
}

// sketches reads a report of LightGuardian or SketchINT; the UDP port distinguishes them.
func (p *packet) sketches(b []byte, port uint16) error {
	f := p.about
	if port == telemetry.PortSketchINT {
		if len(b) < 12 {
			return fmt.Errorf("a frame of SketchINT of %s, want at least 12", number.Count(len(b), "byte"))
		}
		f.Source, f.Content = ReportedSketches, b[12:]
		f.Reporter = &Reporter{Sequence: binary.BigEndian.Uint32(b), Node: binary.BigEndian.Uint32(b[4:]), First: true}
		p.found = append(p.found, f)
		return nil
	}
	if len(b)%sumax.SketchletBytes != 0 {
		return fmt.Errorf("sketchlets of %s, want %d each", number.Count(len(b), "byte"), sumax.SketchletBytes)
	}
	f.Source = ReportedSketchlet
	for x := range slices.Chunk(b, sumax.SketchletBytes) {
		f.Content = x
		p.found = append(p.found, f)
	}
	return nil
}

// isIP reports whether IPv4 or IPv6 follows an EtherType.
func isIP(etherType uint16) bool {
	return etherType == uint16(layers.EthernetTypeIPv4) || etherType == uint16(layers.EthernetTypeIPv6)
}

// digestAt is the offset of the digest in a report of PINT. Addresses, ports, protocol, hops and the packet's number
// come before it.
const digestAt = 18

// report reads a report whose contents begin at byte at: the hops of the INT in it, and the reporting node as
// the last hop.
func (p *packet) report(g *inband.ReportGroup, r *inband.Report, at int, first bool) error {
	inner := packet{signs: p.signs, inner: true}
	var err error
	switch r.Inner {
	case inband.InnerEthernet:
		if len(r.Contents) >= 14 && isIP(binary.BigEndian.Uint16(r.Contents[12:])) {
			err = inner.ip(r.Contents[14:], at+14)
		}
	case inband.InnerIPv4, inband.InnerIPv6:
		err = inner.ip(r.Contents, at)
	}
	f := inner.about
	f.Source = FromReport
	for _, x := range inner.found {
		if x.Source == FromINT {
			f.Src, f.Dst, f.Hops = x.Src, x.Dst, append(f.Hops, x.Hops...)
		}
	}
	f.Reporter = &Reporter{
		Node: g.NodeID, Hardware: g.Hardware, Sequence: g.Sequence, First: first,
		Dropped: r.Dropped, Congested: r.Congested, Tracked: r.Tracked, Intermediate: r.Intermediate,
		Reason: r.DropReason,
	}
	if c := r.Contents; r.Inner == inband.InnerDomain && r.Domain == inband.Domain && len(c) >= digestAt {
		from, _ := netip.AddrFromSlice(c[:4])
		to, _ := netip.AddrFromSlice(c[4:8])
		f.Src = netip.AddrPortFrom(from, binary.BigEndian.Uint16(c[8:]))
		f.Dst = netip.AddrPortFrom(to, binary.BigEndian.Uint16(c[10:]))
		f.Source, f.Protocol, f.Content = ReportedDigest, c[12], c[13:]
	} else if r.Type == inband.ReportINT {
		own := hopOf(&r.Metadata)
		own.Node = pointerTo(g.NodeID)
		f.Hops = append(f.Hops, own)
	}
	p.found = append(p.found, f)
	return err
}
