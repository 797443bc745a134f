package packets

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/pcapgo"
)

// Classic reads the packets of a pcap file. It refuses times whose fraction is a second or more,
// because pcapgo would add the excess to the seconds, which can overflow. It also refuses packets
// of more than 128 MiB, because pcapgo would store them in memory.
type Classic struct {
	*pcapgo.Reader
	in    *bufio.Reader
	order binary.ByteOrder
	units uint32 // per second
	count int64  // packets
	at    int64  // where the next packet begins in the file
}

// Sizes of headers in bytes.
const (
	fileHeader   = 24
	packetHeader = 16
)

// OpenClassic reads the header of a pcap file that Decompress has decompressed. pcapgo reads
// directly from in, so check can peek at the next packet.
func OpenClassic(in *bufio.Reader) (*Classic, error) {
	c := &Classic{in: in, order: binary.LittleEndian, at: fileHeader}
	if head, _ := in.Peek(1); len(head) == 1 && head[0] == 0xa1 { //nolint:errcheck // pcapgo reports the error
		c.order = binary.BigEndian
	}
	var err error
	if c.Reader, err = pcapgo.NewReader(in); err != nil {
		return nil, err
	}
	c.units = uint32(time.Second / time.Microsecond)
	if c.Nanoseconds() {
		c.units = uint32(time.Second)
	}
	return c, nil
}

// Nanoseconds reports whether the file's times are in nanoseconds; otherwise they are in
// microseconds.
func (c *Classic) Nanoseconds() bool {
	return c.Resolution() == gopacket.TimestampResolutionNanosecond
}

// check validates the time and the size of the next packet. At the end of the file it returns nil and
// leaves the error to the reader.
func (c *Classic) check() error {
	head, err := c.in.Peek(packetHeader)
	if err != nil {
		return nil
	}
	if n := c.order.Uint32(head[8:]); n > maxBlock {
		return fmt.Errorf("%d bytes, want at most %d", n, maxBlock)
	}
	if f := c.order.Uint32(head[4:]); f >= c.units {
		return fmt.Errorf("the part of its time below a second is %d units, want less than %d", f, c.units)
	}
	return nil
}

// end returns the error of a call that has read a packet.
func (c *Classic) end(info gopacket.CaptureInfo, err error) error {
	if err == nil {
		c.count++
		c.at += packetHeader + int64(info.CaptureLength)
	}
	if err == io.EOF && info.CaptureLength > 0 || errors.Is(err, io.ErrUnexpectedEOF) {
		return &Truncation{Packets: c.count, Byte: c.at}
	}
	return err
}

// ZeroCopyReadPacketData reads the next packet into a buffer that the next call overwrites. If the file ends within a
// packet, the error is a *Truncation.
func (c *Classic) ZeroCopyReadPacketData() ([]byte, gopacket.CaptureInfo, error) {
	if err := c.check(); err != nil {
		return nil, gopacket.CaptureInfo{}, err
	}
	data, info, err := c.Reader.ZeroCopyReadPacketData()
	return data, info, c.end(info, err)
}
