// This file opens pcapng files with any time unit of the format.
//
// Package pcapgo mistakes seconds (if_tsresol 0) for microseconds and rounds units that
// are powers of two: times in units of 2^-32 s come out 7 % too long. So this package
// converts such times to nanoseconds before pcapgo reads them.

package packets

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strings"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
)

// PcapngMagic is the first four bytes of every pcapng file, in either byte order.
const PcapngMagic = "\x0a\x0d\x0d\x0a"

// Application is the name of the program in the captures of pintlab. The comment of a packet that a port dropped begins
// with Dropped, and the comment of a packet of which it sent only the headers begins with Trimmed.
const (
	Application = "pintlab"
	Dropped     = "dropped: "
	Trimmed     = "trimmed: no room "
)

// Decompress returns a reader of the content of a file, decompressed if it is compressed with gzip.
func Decompress(in io.Reader) (*bufio.Reader, error) {
	const buffer = 1 << 16
	b := bufio.NewReaderSize(in, buffer)
	if head, _ := b.Peek(2); string(head) != "\x1f\x8b" { //nolint:errcheck // the reader returns the error again
		return b, nil
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		return nil, err
	}
	return bufio.NewReaderSize(z, buffer), nil
}

// PcapngReader reads the packets of all interfaces of a file. LinkOf returns the link type of each packet.
type PcapngReader struct {
	*pcapgo.NgReader
	blocks *converter
	count  int64 // packets
	// Unsent reports that the last packet comes from a capture of pintlab, and that the captured port did not send it.
	Unsent bool
}

// OpenPcapng reads the header of a file.
func OpenPcapng(in *bufio.Reader) (*PcapngReader, error) {
	blocks := &converter{in: in, most: maxInterfaces}
	r, err := pcapgo.NewNgReader(blocks, pcapgo.NgReaderOptions{WantMixedLinkType: true})
	return &PcapngReader{NgReader: r, blocks: blocks}, err
}

// ZeroCopyReadPacketData reads the next packet into a buffer that the next call overwrites. If the file ends within a
// block, the error is a *Truncation.
func (r *PcapngReader) ZeroCopyReadPacketData() ([]byte, gopacket.CaptureInfo, error) {
	data, info, options, err := r.ZeroCopyReadPacketDataWithOptions()
	r.note(options.Comments)
	return data, info, r.end(err)
}

// end returns the error of a call that has read a packet. pcapgo returns the same error for the end of a file and for
// a block that is too short for its content, but only the first is a truncation.
func (r *PcapngReader) end(err error) error {
	switch {
	case err == nil:
		r.count++
	case short(err) && r.blocks.cut:
		return &Truncation{Packets: r.count, Byte: r.blocks.start}
	case err != io.EOF && short(err):
		return errors.New("the last block is shorter than its content")
	}
	return err
}

func (r *PcapngReader) note(comments []string) {
	r.Unsent = len(comments) > 0 && r.SectionInfo().Application == Application &&
		slices.ContainsFunc(comments,
			func(c string) bool { return strings.HasPrefix(c, Dropped) || strings.HasPrefix(c, Trimmed) })
}

// LinkOf returns the link type of a packet that a PcapngReader has read.
func LinkOf(info gopacket.CaptureInfo) layers.LinkType {
	link, _ := info.AncillaryData[0].(layers.LinkType)
	return link
}

// Types of blocks that converter changes.
const (
	sectionHeader  = 0x0a0d0d0a // the same in either byte order
	interfaceBlock = 1
	oldPacket      = 2
	enhancedPacket = 6
)

const (
	// stamped is the number of bytes at the start of a packet block that hold its
	// interface and its time.
	stamped = 20
	// maxBlock is the size in bytes of the largest block that is read, because pcapgo stores a packet with its options.
	maxBlock = 128 << 20
	// maxInterface is the size in bytes of the largest interface block that is converted.
	maxInterface = 1 << 20
	// maxInterfaces bounds the bytes of memory that pcapgo holds for the interfaces of a section: the
	// size of each block and perInterface.
	maxInterfaces = 1 << 30
	perInterface  = 1 << 10

	resolution  = 9 // option code of if_tsresol
	nanoseconds = 9 // value of if_tsresol
	binaryUnit  = 0x80
)

// converter copies the blocks of a file and converts times. It passes malformed blocks on
// unchanged, because pcapgo reports the error.
type converter struct {
	in    *bufio.Reader
	order binary.ByteOrder
	units []byte // if_tsresol of each interface of the section
	held  int64  // bytes of memory of these interfaces
	most  int64  // largest held
	head  []byte // converted bytes of the block that Read has not yet returned
	rest  int64  // bytes of the block after head, copied unchanged
	block int
	start int64 // where the block begins in the file
	end   int64 // where it should end
	cut   bool  // the file ends within the block
}

func (c *converter) Read(b []byte) (int, error) {
	if len(c.head) == 0 && c.rest == 0 {
		if err := c.next(); err != nil {
			return 0, err
		}
	}
	if len(c.head) > 0 {
		n := copy(b, c.head)
		c.head = c.head[n:]
		return n, nil
	}
	n, err := c.in.Read(b[:min(int64(len(b)), c.rest)])
	c.rest -= int64(n)
	return n, c.note(err, c.rest > 0)
}

// note records whether the file ends within the block. It returns io.EOF for every end of a file, because pcapgo does
// not recognise the error of a compressed file that is truncated.
func (c *converter) note(err error, within bool) error {
	if !short(err) {
		return err
	}
	c.cut = c.cut || within || errors.Is(err, io.ErrUnexpectedEOF)
	return io.EOF
}

// next reads and converts the start of the next block.
func (c *converter) next() error {
	begin, err := c.in.Peek(12)
	if !c.cut {
		c.start = c.end
	}
	if err = c.note(err, len(begin) > 0); len(begin) == 0 {
		return err
	}
	if len(begin) < 12 {
		c.rest = int64(len(begin))
		return nil
	}
	c.block++
	if binary.LittleEndian.Uint32(begin) == sectionHeader {
		c.order, c.units, c.held = binary.LittleEndian, nil, 0
		if begin[8] == 0x1a {
			c.order = binary.BigEndian
		}
	}
	if c.order == nil {
		return fmt.Errorf("block %d: no section header before it", c.block)
	}
	kind, length := c.order.Uint32(begin), c.order.Uint32(begin[4:])
	if length < 12 {
		return fmt.Errorf("block %d: a length of %d bytes, want 12 or more", c.block, length)
	}
	if length > maxBlock {
		return fmt.Errorf("block %d: %d bytes, want at most %d", c.block, length, maxBlock)
	}
	c.rest = int64(length)
	c.end = c.start + c.rest
	if kind == interfaceBlock {
		if c.held += int64(length) + perInterface; c.held > c.most {
			return fmt.Errorf("block %d: the interfaces up to here take more than %d bytes of memory", c.block, c.most)
		}
	}
	switch {
	case kind == interfaceBlock && length <= maxInterface:
		return c.take(length, c.describe)
	case (kind == enhancedPacket || kind == oldPacket) && length >= stamped:
		return c.take(stamped, func() error { return c.stamp(kind) })
	}
	return nil
}

// take reads n bytes of the block into head and converts them unless the file ends
// before.
func (c *converter) take(n uint32, convert func() error) error {
	c.head = make([]byte, n)
	got, err := io.ReadFull(c.in, c.head)
	c.head, c.rest = c.head[:got], c.rest-int64(got)
	if err != nil {
		c.rest = 0
		if c.note(err, true) == io.EOF {
			return nil // Read returns head, then the end of the file
		}
		return err
	}
	if err := convert(); err != nil {
		return fmt.Errorf("block %d: %w", c.block, err)
	}
	return nil
}

// describe records the time unit of an interface, and replaces it by nanoseconds if its
// times are converted.
func (c *converter) describe() error {
	unit := byte(6)
	for at := 16; at+4 <= len(c.head)-4; {
		code, size := c.order.Uint16(c.head[at:]), int(c.order.Uint16(c.head[at+2:]))
		if code == 0 || at+4+size > len(c.head)-4 {
			break
		}
		if code == resolution && size > 0 {
			unit = c.head[at+4]
			if converts(unit) {
				c.head[at+4] = nanoseconds
			}
		}
		at += 4 + (size+3)&^3
	}
	if e := unit &^ binaryUnit; unit&binaryUnit == 0 && e > 19 || e > 63 {
		return fmt.Errorf("interface %d has times in units of %s, want 10^-19 or 2^-63 s and more",
			len(c.units), named(unit))
	}
	c.units = append(c.units, unit)
	return nil
}

// converts reports whether this package converts times in a unit; pcapgo reads all other
// units correctly.
func converts(unit byte) bool { return unit == 0 || unit&binaryUnit != 0 }

func named(unit byte) string {
	if unit&binaryUnit != 0 {
		return fmt.Sprintf("2^-%d s", unit&^binaryUnit)
	}
	return fmt.Sprintf("10^-%d s", unit)
}

// stamp converts the time of a packet.
func (c *converter) stamp(kind uint32) error {
	i := c.order.Uint32(c.head[8:])
	if kind == oldPacket {
		i = uint32(c.order.Uint16(c.head[8:]))
	}
	if int64(i) >= int64(len(c.units)) || !converts(c.units[i]) {
		return nil
	}
	ticks := uint64(c.order.Uint32(c.head[12:]))<<32 | uint64(c.order.Uint32(c.head[16:]))
	high, low := bits.Mul64(ticks, 1e9)
	if e := c.units[i] &^ binaryUnit; e > 0 {
		high, low = high>>e, high<<(64-e)|low>>e
	}
	if high != 0 {
		return fmt.Errorf("a packet has the time %d in units of %s, want a time that fits into 64 bits of "+
			"nanoseconds", ticks, named(c.units[i]))
	}
	c.order.PutUint32(c.head[12:], uint32(low>>32))
	c.order.PutUint32(c.head[16:], uint32(low))
	return nil
}
