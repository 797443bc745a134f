package packets

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"pintlab/netsim/unit"
)

// WritePcap writes all packets of a source as a pcap file of raw IPv4 packets with times in nanoseconds,
// and returns their number. The time of the source's first packet becomes the start of 1970. Each packet
// consists of its headers and Data, so the file lacks payload that the source does not have.
func WritePcap(w io.Writer, s Source) (packets int64, err error) {
	b := bufio.NewWriter(w)
	out := pcapgo.NewWriterNanos(b)
	if err := out.WriteFileHeader(1<<16, layers.LinkTypeRaw); err != nil {
		return 0, err
	}
	var buf []byte
	var p Packet
	for s.Next(&p) {
		if p.Time < 0 {
			return packets, fmt.Errorf("packet %d: its time %v is before the time of the first "+
				"packet", packets+1, p.Time)
		}
		buf = p.append(buf[:0])
		info := gopacket.CaptureInfo{
			Timestamp:     time.Unix(0, int64(p.Time/unit.Nanosecond)).UTC(),
			CaptureLength: len(buf), Length: max(p.Size, len(buf)),
		}
		if err := out.WritePacket(info, buf); err != nil {
			return packets, err
		}
		packets++
	}
	return packets, errors.Join(s.Err(), b.Flush())
}

// append appends the headers of p, without checksums, and its Data.
func (p *Packet) append(b []byte) []byte {
	header := 4 // the ports
	switch p.Tuple.Protocol() {
	case TCP:
		header = tcpHeader
	case UDP:
		header = udpHeader
	}
	size := max(p.Size, ipv4Header+header+len(p.Data))
	b = append(b, 0x45, 0)
	b = binary.BigEndian.AppendUint16(b, uint16(size))
	b = append(b, 0, 0, 0, 0, 64, p.Tuple.Protocol(), 0, 0)
	b = append(b, p.Tuple[:12]...)
	switch p.Tuple.Protocol() {
	case TCP:
		b = binary.BigEndian.AppendUint32(b, p.Seq)
		b = binary.BigEndian.AppendUint32(b, p.Ack)
		b = append(b, 5<<4, byte(p.Flags), 0, 0, 0, 0, 0, 0)
	case UDP:
		b = binary.BigEndian.AppendUint16(b, uint16(size-ipv4Header))
		b = append(b, 0, 0)
	}
	return append(b, p.Data...)
}
