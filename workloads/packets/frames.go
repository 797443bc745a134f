package packets

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
)

// magicPcapng is PcapngMagic as a little-endian word.
const magicPcapng = 0x0a0d0d0a

// pcapMagics are the magic numbers of pcap files with microseconds and nanoseconds, in both byte orders.
var pcapMagics = [4]uint32{0xa1b2c3d4, 0xd4c3b2a1, 0xa1b23c4d, 0x4d3cb2a1}

// Frame is a captured packet from its link-layer header on.
type Frame struct {
	Time      time.Time
	Interface string // name or, if it has none, number; empty in pcap files
	Link      layers.LinkType
	Length    int    // bytes on the wire
	Unsent    bool   // the captured port of pintlab did not send the packet, but dropped or trimmed it
	Data      []byte // captured bytes, valid until the next frame
}

// Chosen selects the frames of some interfaces of a capture. A Chosen without names selects all frames.
type Chosen struct {
	Names  []string
	others []string // the first few interfaces that are not selected
	found  bool     // a frame was selected
}

// mostOthers is the largest number of interfaces that an error of Chosen lists.
const mostOthers = 10

// Has reports whether a frame was captured on a selected interface.
func (c *Chosen) Has(f *Frame) bool {
	if len(c.Names) == 0 || slices.Contains(c.Names, f.Interface) {
		c.found = true
		return true
	}
	if !slices.Contains(c.others, f.Interface) && len(c.others) < mostOthers {
		c.others = append(c.others, f.Interface)
	}
	return false
}

// Err returns an error that lists interfaces of the capture if Has has rejected all of its frames.
func (c *Chosen) Err() error {
	if c.found || c.others == nil {
		return nil
	}
	return fmt.Errorf("--interfaces %s: no packet was captured on these interfaces; the file has %s",
		strings.Join(c.Names, ","), cmp.Or(strings.Join(c.others, ", "), "none, because it is not a pcapng file"))
}

// Frames reads the frames of a pcap or pcapng file.
type Frames struct {
	read  func() ([]byte, gopacket.CaptureInfo, error)
	link  func(gopacket.CaptureInfo) layers.LinkType
	name  func(gopacket.CaptureInfo) string
	ng    *PcapngReader // nil in pcap files
	micro bool
	frame Frame
	cut   *Truncation
}

// NewFrames reads the header of a capture.
func NewFrames(in io.Reader) (*Frames, error) {
	b, err := Decompress(in)
	if err != nil {
		return nil, err
	}
	head, err := b.Peek(4)
	if err == io.EOF {
		err = errors.New("the file is shorter than the header of a capture")
	}
	if err != nil {
		return nil, err
	}
	word := uint32(head[0]) | uint32(head[1])<<8 | uint32(head[2])<<16 | uint32(head[3])<<24
	if word == magicPcapng {
		p, err := OpenPcapng(b)
		if err != nil {
			return nil, inHeader(err)
		}
		return &Frames{ng: p, read: p.ZeroCopyReadPacketData, link: LinkOf,
			name: func(i gopacket.CaptureInfo) string {
				if x, err := p.Interface(i.InterfaceIndex); err == nil && x.Name != "" {
					return x.Name
				}
				return strconv.Itoa(i.InterfaceIndex)
			}}, nil
	}
	for _, m := range pcapMagics {
		if word != m {
			continue
		}
		p, err := OpenClassic(b)
		if err != nil {
			return nil, inHeader(err)
		}
		if err := checkLink(p.LinkType()); err != nil {
			return nil, err
		}
		return &Frames{
			read: p.ZeroCopyReadPacketData, link: func(gopacket.CaptureInfo) layers.LinkType { return p.LinkType() },
			name: func(gopacket.CaptureInfo) string { return "" }, micro: !p.Nanoseconds(),
		}, nil
	}
	return nil, fmt.Errorf("%w: it begins with % x; want a pcap or pcapng file", errForeign, head)
}

// Next returns the next frame, which is valid until the next call. After the last complete frame it returns io.EOF. A
// file without a complete frame is an error if it ends within a record.
func (f *Frames) Next() (*Frame, error) {
	data, info, err := f.read()
	if err != nil {
		return nil, ending(err, &f.cut)
	}
	f.frame = Frame{Time: info.Timestamp, Interface: f.name(info), Link: f.link(info), Length: info.Length, Data: data,
		Unsent: f.ng != nil && f.ng.Unsent}
	return &f.frame, nil
}

// Microseconds reports that the file stores times in microseconds. It returns false for pcapng files, in which each
// interface has its own unit.
func (f *Frames) Microseconds() bool { return f.micro }

// Truncation returns where the file ended, if it ended within a record, and otherwise nil.
func (f *Frames) Truncation() *Truncation { return f.cut }

// errForeign is the error of a file that is not a capture.
var errForeign = errors.New("not a trace")

// inHeader returns the error of a header.
func inHeader(err error) error {
	if short(err) {
		return errors.New("the file is truncated: it ends within the header of the capture")
	}
	return fmt.Errorf("header of the capture: %w", err)
}
