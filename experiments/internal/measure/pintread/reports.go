package pintread

import (
	"encoding/binary"
	"fmt"
	"net/netip"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"

	"pintlab/int/wire"
	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/pint/query"
	"pintlab/workloads/packets"
)

// report is a digest that has reached the collector.
type report struct {
	packet query.Packet
	digest uint64
	at     unit.Time // for values that are time stamps; monitors have no such values
}

// tagType is the EtherType of the tag: p4/src/include/packet.p4.
const tagType = 0x88b5

// tagged returns the digest in the tag of a frame that a sink has cloned. The list is empty if the frame has no tag.
func tagged(f *packets.Frame) ([]report, error) {
	const ip = 14 + 4 // Ethernet, digest, EtherType
	b := f.Data
	if f.Link != layers.LinkTypeEthernet || len(b) < 14 || binary.BigEndian.Uint16(b[12:]) != tagType {
		return nil, nil
	}
	if len(b) < ip || layers.EthernetType(binary.BigEndian.Uint16(b[16:])) != layers.EthernetTypeIPv4 {
		return nil, fmt.Errorf("no IPv4 header follows the tag of PINT")
	}
	var h layers.IPv4
	if err := h.DecodeFromBytes(b[ip:], gopacket.NilDecodeFeedback); err != nil {
		return nil, fmt.Errorf("after the tag of PINT: %w", err)
	}
	src, _ := netip.AddrFromSlice(h.SrcIP.To4())
	dst, _ := netip.AddrFromSlice(h.DstIP.To4())
	r := report{digest: uint64(binary.BigEndian.Uint16(b[14:])), packet: query.Packet{Hops: began(h.TTL) - int(h.TTL)}}
	r.packet.Flow = query.FiveTuple{Src: src.As16(), Dst: dst.As16(), Protocol: uint8(h.Protocol)}
	// Forward in packet.p4 computes the identifiers in the same way.
	low := uint64(h.Id) << 16
	r.packet.ID = uint64(binary.BigEndian.Uint32(h.SrcIP.To4()))<<32 | low
	if ports := h.Payload; h.FragOffset == 0 && len(ports) >= 8 {
		switch h.Protocol {
		case layers.IPProtocolTCP:
			r.packet.ID = uint64(binary.BigEndian.Uint32(ports[4:]))<<32 | low
		case layers.IPProtocolUDP:
			checksum, length := binary.BigEndian.Uint16(ports[6:]), binary.BigEndian.Uint16(ports[4:])
			r.packet.ID = uint64(checksum)<<48 | uint64(length)<<32 | low
		default:
			return []report{r}, nil
		}
		flow := &r.packet.Flow
		flow.SrcPort, flow.DstPort = binary.BigEndian.Uint16(ports), binary.BigEndian.Uint16(ports[2:])
		r.packet.ID |= uint64(flow.SrcPort)
	}
	return []report{r}, nil
}

// began returns the TTL with which a packet left its host. The packet must have passed at least one switch. Table
// distance in packet.p4 determines the TTL in the same way.
func began(ttl uint8) int {
	switch {
	case ttl < 64:
		return 64
	case ttl < 128:
		return 128
	}
	return 255
}

// reported returns the digests in a frame that the collector of a simulation receives.
func (c *collector) reported(f *packets.Frame) ([]report, error) {
	ip, _, err := packets.Network(f.Link, f.Data)
	if err != nil {
		return nil, err
	}
	signs := wire.Signs{Report: wire.ReportPort}
	finds, err := signs.Read(f.Data, len(f.Data)-len(ip))
	if err != nil {
		return nil, err
	}
	var list []report
	for _, x := range finds {
		if x.Source != wire.ReportedDigest || len(x.Content) < 5 {
			continue
		}
		if c.copies.seen(content{x.Src, x.Dst, string(x.Content)}) {
			c.a.Copies++
			continue
		}
		key, known := c.n.Key(x.Src, x.Dst)
		if !known {
			c.a.Unknown++
			continue
		}
		r := report{packet: query.Packet{
			ID: netsim.PacketKey(key, binary.BigEndian.Uint32(x.Content[1:])), Hops: int(x.Content[0]),
			Flow: query.FiveTuple{
				Src: x.Src.Addr().As16(), Dst: x.Dst.Addr().As16(), SrcPort: x.Src.Port(), DstPort: x.Dst.Port(),
				Protocol: x.Protocol,
			},
		}}
		for _, b := range x.Content[5:] {
			r.digest = r.digest<<8 | uint64(b)
		}
		list = append(list, r)
	}
	return list, nil
}
