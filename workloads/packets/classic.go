package packets

import (
	"bufio"
	"encoding/binary"
	"fmt"
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
}

// OpenClassic reads the header of a pcap file that Decompress has decompressed. pcapgo reads
// directly from in, so check can peek at the next packet.
func OpenClassic(in *bufio.Reader) (*Classic, error) {
	c := &Classic{in: in, order: binary.LittleEndian}
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
	head, err := c.in.Peek(16)
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

// ReadPacketData reads the next packet.
func (c *Classic) ReadPacketData() ([]byte, gopacket.CaptureInfo, error) {
	if err := c.check(); err != nil {
		return nil, gopacket.CaptureInfo{}, err
	}
	data, info, err := c.Reader.ReadPacketData()
	return data, info, cutInHeader(info, err)
}

// ZeroCopyReadPacketData reads the next packet into a buffer that the next call overwrites.
func (c *Classic) ZeroCopyReadPacketData() ([]byte, gopacket.CaptureInfo, error) {
	if err := c.check(); err != nil {
		return nil, gopacket.CaptureInfo{}, err
	}
	data, info, err := c.Reader.ZeroCopyReadPacketData()
	return data, info, cutInHeader(info, err)
}
