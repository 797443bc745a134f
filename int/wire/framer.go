package wire

import (
	"cmp"
	"encoding/binary"
	"net"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"

	"pintlab/netsim"
	"pintlab/netsim/route"
	"pintlab/netsim/telemetry"
)

// The DSCPs that announce what follows the transport header, and the UDP port of reports. INTMark is the value
// in the examples of INT 2.1. Both DSCPs are in the pool for local use (RFC 2474 §6).
const (
	INTMark    = 0x17
	BlockMark  = 0x27
	ReportPort = 32766
)

const firstTTL = 64

// Framer makes frames of packets. Each captured port needs its own Framer.
type Framer struct {
	Net      *netsim.Network
	TCP      bool
	ECN      bool                     // packets can be marked
	Blocks   func(room []byte) []byte // returns the SACK option of a TCP ACK; may be nil
	Systems  []telemetry.Visible      // that add to packets, in the order in which they add
	Monitors []telemetry.Visible      // by number, for their reports; nil for monitors without a format

	buffer gopacket.SerializeBuffer
	zeros  []byte
}

// blank returns n bytes of 0.
func (w *Framer) blank(n int) []byte {
	if n > len(w.zeros) {
		w.zeros = make([]byte, n)
	}
	return w.zeros[:max(0, n)]
}

// mac returns the MAC address of a node.
func mac(n netsim.NodeID) net.HardwareAddr {
	return net.HardwareAddr(binary.BigEndian.AppendUint32([]byte{2, 0}, uint32(n)))
}

// ip returns the IPv4 address of a node.
func ip(n netsim.NodeID) net.IP {
	return net.IP(binary.BigEndian.AppendUint32(nil, route.HostIP(n)))
}

// Frame returns a packet as bytes, which are valid until the next call.
func (w *Framer) Frame(s *netsim.Sight) ([]byte, error) {
	if w.buffer == nil {
		w.buffer = gopacket.NewSerializeBuffer()
	}
	from, to := w.Net.PortEnds(s.Port)
	eth := layers.Ethernet{SrcMAC: mac(from), DstMAC: mac(to), EthernetType: layers.EthernetTypeIPv4}
	k := s.Packet
	if k.Kind == netsim.Pause || k.Kind == netsim.Resume {
		eth.DstMAC, eth.EthernetType = net.HardwareAddr{1, 0x80, 0xc2, 0, 0, 1}, layers.EthernetType(0x8808)
		return w.serialize(int(k.Size), &eth, gopacket.Payload(pfc(k)))
	}
	head := layers.IPv4{
		Version: 4, TTL: firstTTL - min(k.Hop, firstTTL-1), Id: uint16(k.ID), Flags: layers.IPv4DontFragment,
	}
	if k.Kind == netsim.Mirrored {
		head.SrcIP, head.DstIP = ip(k.ReportSource()), ip(netsim.NodeID(k.Flow))
		content, port, err := w.Report(s)
		if err != nil {
			return nil, err
		}
		head.Protocol = layers.IPProtocolUDP
		udp := layers.UDP{SrcPort: layers.UDPPort(port), DstPort: layers.UDPPort(port)}
		if err := udp.SetNetworkLayerForChecksum(&head); err != nil {
			return nil, err
		}
		return w.serialize(int(k.Size), &eth, &head, &udp, gopacket.Payload(content))
	}
	f := telemetry.Frame{Sight: s, Headers: w.headers, Flow: w.Net.FiveTuple(k.Flow)}
	for _, v := range w.Systems {
		if err := v.Show(&f); err != nil {
			return nil, err
		}
	}
	if f.V6 {
		eth.EthernetType = layers.EthernetTypeIPv6
	}
	if len(f.Tag) > 0 {
		inner := eth.EthernetType
		eth.EthernetType = layers.EthernetType(binary.BigEndian.Uint16(f.Tag))
		f.Tag = binary.BigEndian.AppendUint16(f.Tag[2:], uint16(inner))
	}
	tcp := layers.TCP{
		Seq: uint32(k.Seq), ACK: true, Window: 0xffff,
		PSH: k.Flags&netsim.FlagLast != 0, CWR: k.Flags&netsim.FlagCWR != 0,
	}
	name := f.Flow
	if k.Kind != netsim.Data {
		name = name.Reverse()
		tcp.Seq, tcp.Ack, tcp.ECE, tcp.CWR, tcp.PSH = 0, uint32(k.Seq), k.Flags&netsim.FlagEcho != 0, false, false
		if w.Blocks != nil && k.Kind == netsim.Ack {
			if b := w.Blocks(s.Room); len(b) > 0 {
				pad := layers.TCPOption{OptionType: layers.TCPOptionKindNop, OptionLength: 1}
				sack := layers.TCPOption{
					OptionType: layers.TCPOptionKindSACK, OptionLength: uint8(2 + len(b)), OptionData: b,
				}
				tcp.Options = []layers.TCPOption{pad, pad, sack}
			}
		}
	}
	head.SrcIP, head.DstIP = ip(name.Src), ip(name.Dst)
	content := w.content(&f, &head)
	if w.ECN && k.Kind == netsim.Data {
		head.TOS |= 2 // ECT(0)
	}
	if k.Flags&netsim.FlagCE != 0 {
		head.TOS |= 3
	}
	if f.V6 {
		return w.frame6(&f, &eth, &head, &tcp, name, content)
	}
	l4, err := w.transport(&head, name, &tcp)
	if err != nil {
		return nil, err
	}
	if len(f.Before) > 0 {
		f.Before[1], head.Protocol = byte(head.Protocol), layers.IPProtocol(f.Protocol)
	}
	return w.serialize(int(k.Size), &eth, gopacket.Payload(f.Tag), &head, gopacket.Payload(f.Before), l4,
		gopacket.Payload(f.After), gopacket.Payload(content))
}

// frame6 returns the packet with an IPv6 header, whose fields come from an IPv4 header. An address is fd00:: followed
// by the IPv4 address.
func (w *Framer) frame6(f *telemetry.Frame, eth *layers.Ethernet, head *layers.IPv4, tcp *layers.TCP,
	of route.FiveTuple, content []byte,
) ([]byte, error) {
	address := func(a net.IP) net.IP { return append(net.IP{0: 0xfd, 11: 0}, a...) }
	ip := layers.IPv6{Version: 6, TrafficClass: head.TOS, HopLimit: head.TTL,
		SrcIP: address(head.SrcIP), DstIP: address(head.DstIP)}
	l4, err := w.transport(head, of, tcp) // which sets the protocol
	if err != nil {
		return nil, err
	}
	ip.NextHeader = head.Protocol
	if err := l4.(interface {
		SetNetworkLayerForChecksum(gopacket.NetworkLayer) error
	}).
		SetNetworkLayerForChecksum(&ip); err != nil {
		return nil, err
	}
	var options []byte
	if len(f.Options) > 0 {
		ip.NextHeader = layers.IPProtocolIPv6HopByHop
		options = padded(append([]byte{byte(head.Protocol), 0}, f.Options...))
	}
	return w.serialize(int(f.Packet.Size), eth, gopacket.Payload(f.Tag), &ip, gopacket.Payload(options), l4,
		gopacket.Payload(content))
}

// padded returns an extension header padded to a multiple of 8 bytes, with its length.
func padded(b []byte) []byte {
	switch n := -len(b) & 7; {
	case n == 1:
		b = append(b, 0)
	case n > 1:
		b = append(append(b, 1, byte(n-2)), make([]byte, n-2)...)
	}
	b[1] = byte(len(b)/8 - 1)
	return b
}

// Report returns the payload and the UDP port of a monitor's report; Telemetry Reports 2.0 have ReportPort.
// Several goroutines may call it.
func (w *Framer) Report(s *netsim.Sight) (payload []byte, port uint16, err error) {
	m := w.Monitors[s.Packet.ReportMonitor()]
	if m == nil {
		return nil, telemetry.PortPlain, nil
	}
	f := telemetry.Frame{Sight: s, Headers: w.headers}
	err = m.Show(&f)
	return f.Report, cmp.Or(f.Port, ReportPort), err
}

// content returns the bytes after the transport header. It sets the DSCP that announces them.
func (w *Framer) content(f *telemetry.Frame, head *layers.IPv4) []byte {
	k, dscp := f.Packet, uint8(0)
	var b []byte
	if n := countBlocks(f.Blocks); !w.TCP || n > 0 {
		dscp = BlockMark
		b = binary.BigEndian.AppendUint32(b, uint32(k.Seq))
		b = append(b, byte(k.Kind)<<4|k.Class&15, k.Flags>>1<<4|byte(n))
		b = append(b, f.Blocks...)
	}
	for i := len(f.INT) - 1; i >= 0; i-- {
		b = append(shimmed(f.INT[i], dscp), b...)
		dscp = INTMark
	}
	head.TOS = dscp << 2
	return append(b, w.blank(int(k.Payload))...)
}

// countBlocks returns the number of blocks, at most 15.
func countBlocks(b []byte) (n int) {
	for len(b) > 0 {
		b = b[2+(int(b[0]&15)<<8|int(b[1])):]
		n++
	}
	return min(n, 15)
}

// shimmed returns an INT message whose shim holds the DSCP that the packet would have without INT.
func shimmed(message []byte, dscp uint8) []byte {
	b := append([]byte(nil), message...)
	binary.BigEndian.PutUint16(b[2:], uint16(dscp)<<2)
	return b
}

// pfc returns a priority flow control frame after its EtherType.
func pfc(k *netsim.Packet) []byte {
	class := int(k.Flow) & 7
	b := make([]byte, 4+2*8)
	binary.BigEndian.PutUint16(b, 0x0101)
	binary.BigEndian.PutUint16(b[2:], 1<<class)
	if k.Kind == netsim.Pause {
		binary.BigEndian.PutUint16(b[4+2*class:], 0xffff) // until a resume frame
	}
	return b
}

var serialization = gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}

// serialize joins layers and adds the trailer.
func (w *Framer) serialize(size int, list ...gopacket.SerializableLayer) ([]byte, error) {
	err := gopacket.SerializeLayers(w.buffer, serialization, list...)
	if err != nil {
		return nil, err
	}
	if more := size - len(w.buffer.Bytes()); more > 0 {
		room, err := w.buffer.AppendBytes(more)
		if err != nil {
			return nil, err
		}
		clear(room)
	}
	return w.buffer.Bytes(), nil
}

// headers implements telemetry.Frame.Headers. Lengths and checksums are computed as if there were no payload.
func (w *Framer) headers(of route.FiveTuple, message []byte) ([]byte, error) {
	head := layers.IPv4{Version: 4, TTL: firstTTL, Flags: layers.IPv4DontFragment, SrcIP: ip(of.Src), DstIP: ip(of.Dst)}
	if message != nil {
		message, head.TOS = shimmed(message, 0), INTMark<<2
	}
	l4, err := w.transport(&head, of, &layers.TCP{ACK: true, Window: 0xffff})
	if err != nil {
		return nil, err
	}
	b := gopacket.NewSerializeBuffer()
	err = gopacket.SerializeLayers(b, serialization, &head, l4, gopacket.Payload(message))
	return b.Bytes(), err
}

// transport returns the transport header of a flow: tcp with the flow's ports, or UDP.
func (w *Framer) transport(head *layers.IPv4, of route.FiveTuple, tcp *layers.TCP) (gopacket.SerializableLayer, error) {
	if w.TCP {
		head.Protocol = layers.IPProtocolTCP
		tcp.SrcPort, tcp.DstPort = layers.TCPPort(of.SrcPort), layers.TCPPort(of.DstPort)
		return tcp, tcp.SetNetworkLayerForChecksum(head)
	}
	head.Protocol = layers.IPProtocolUDP
	udp := &layers.UDP{SrcPort: layers.UDPPort(of.SrcPort), DstPort: layers.UDPPort(of.DstPort)}
	return udp, udp.SetNetworkLayerForChecksum(head)
}
