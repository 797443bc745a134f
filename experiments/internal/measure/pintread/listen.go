package pintread

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"

	"pintlab/int/wire"
	"pintlab/workloads/packets"
)

// Until limits how long a collector listens. The collector also ends when its context ends.
type Until struct {
	Time    time.Duration // 0: no limit
	Packets int64         // 0: no limit
}

// Listen reads the datagrams that arrive at a UDP port until its context or a limit ends. It then answers as Read does.
// The payload of a datagram is a frame that a sink has cloned, from its Ethernet header on. If the Network comes from a
// run (OfRun), the payload is a Telemetry Report 2.0 that a run with sim.Dial has sent. Other datagrams count as
// malformed.
func Listen(ctx context.Context, conn net.PacketConn, n Network, q Question, u Until) (*Answer, error) {
	c, err := newCollector(conn.LocalAddr().String(), n, q)
	if err != nil {
		return nil, err
	}
	if u.Time > 0 {
		if err := conn.SetReadDeadline(time.Now().Add(u.Time)); err != nil {
			return nil, err
		}
	}
	defer context.AfterFunc(ctx, func() { conn.SetReadDeadline(time.Unix(0, 0)) })() //nolint:errcheck // closed
	buffer := make([]byte, 1<<16)
	for u.Packets == 0 || c.a.Packets < u.Packets {
		size, _, err := conn.ReadFrom(buffer)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.a.File, err)
		}
		c.a.Packets++
		left := c.a.Unknown + c.a.Copies
		reports, err := c.datagram(buffer[:size])
		if err != nil || len(reports) == 0 && c.a.Unknown+c.a.Copies == left {
			c.a.Malformed++
			continue
		}
		if err := c.take(reports); err != nil {
			return nil, fmt.Errorf("%s: datagram %d: %w", c.a.File, c.a.Packets, err)
		}
	}
	return c.a, c.answer()
}

// datagram returns the digests in the payload of a datagram.
func (c *collector) datagram(payload []byte) ([]report, error) {
	f := packets.Frame{Link: layers.LinkTypeEthernet, Data: payload}
	if c.n.Key != nil { // in captures, reports are in such frames
		b, fix := gopacket.NewSerializeBuffer(), gopacket.SerializeOptions{FixLengths: true}
		err := gopacket.SerializeLayers(b, fix,
			&layers.IPv4{
				Version: 4, TTL: 64, Protocol: layers.IPProtocolUDP, SrcIP: make(net.IP, 4), DstIP: make(net.IP, 4),
			},
			&layers.UDP{DstPort: wire.ReportPort}, gopacket.Payload(payload))
		if err != nil {
			return nil, err
		}
		f = packets.Frame{Link: layers.LinkTypeRaw, Data: b.Bytes()}
	}
	return c.find(&f)
}
