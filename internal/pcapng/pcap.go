package pcapng

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/pcapgo"
)

// Classic reads the packets of a pcap file, and refuses those whose time has a fraction of a second or more:
// pcapgo adds the seconds up, and wraps around.
type Classic struct {
	*pcapgo.Reader
	in    *bufio.Reader
	order binary.ByteOrder
	units uint32 // in a second
}

// gzipMagic begins compressed files.
const gzipMagic = "\x1f\x8b"

// OpenClassic reads the header of a pcap file, compressed with gzip or not.
func OpenClassic(r io.Reader) (*Classic, error) {
	in := bufio.NewReader(r)                                           // which pcapgo does not wrap again, so that check sees what it reads next
	if head, _ := in.Peek(len(gzipMagic)); string(head) == gzipMagic { //nolint:errcheck // pcapgo finds the error again
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, err
		}
		in = bufio.NewReader(z)
	}
	c := &Classic{in: in, order: binary.LittleEndian}
	if head, _ := in.Peek(1); len(head) == 1 && head[0] == 0xa1 { //nolint:errcheck // as above
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

// Nanoseconds reports whether the times of the file are in nanoseconds, not microseconds.
func (c *Classic) Nanoseconds() bool {
	return c.Resolution() == gopacket.TimestampResolutionNanosecond
}

// check looks at the time of the next packet. A file that ends here is the reader's error.
func (c *Classic) check() error {
	head, err := c.in.Peek(8)
	if err != nil {
		return nil
	}
	if f := c.order.Uint32(head[4:]); f >= c.units {
		return fmt.Errorf("its time has a fraction of %d units, want less than a second, %d", f, c.units)
	}
	return nil
}

// ReadPacketData reads the next packet.
func (c *Classic) ReadPacketData() ([]byte, gopacket.CaptureInfo, error) {
	if err := c.check(); err != nil {
		return nil, gopacket.CaptureInfo{}, err
	}
	return c.Reader.ReadPacketData()
}

// ZeroCopyReadPacketData reads the next packet into a buffer that the next call overwrites.
func (c *Classic) ZeroCopyReadPacketData() ([]byte, gopacket.CaptureInfo, error) {
	if err := c.check(); err != nil {
		return nil, gopacket.CaptureInfo{}, err
	}
	return c.Reader.ZeroCopyReadPacketData()
}
