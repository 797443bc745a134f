package packets

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"

	"pintlab/internal/pcapng"
	"pintlab/netsim/unit"
)

// Skipped counts the packets of a capture that are not handed out.
type Skipped struct {
	NotIPv4   int // another protocol: IPv6, ARP and so on
	Cut       int // the capture ends within the IPv4 header or before the ports
	Bad       int // an IPv4 header that contradicts itself, or no room for the ports
	Fragments int // a fragment whose first one, which has the ports, did not come before it
}

// Total returns the number of all of them.
func (s Skipped) Total() int { return s.NotIPv4 + s.Cut + s.Bad + s.Fragments }

func (s Skipped) String() string {
	return fmt.Sprintf("%d not IPv4, %d cut within their headers, %d with a bad header, %d fragments without the first", s.NotIPv4, s.Cut, s.Bad, s.Fragments)
}

// Reader reads a trace from a file.
type Reader struct {
	name    string
	next    func(*Packet) error // io.EOF at the end of a whole trace
	n       int                 // packets read, with those that were skipped
	skipped Skipped
	err     error
	closers []io.Closer
}

// recordSuffixes end the names of record files.
var recordSuffixes = []string{".dat", ".dat.gz"}

// Open opens a capture (pcap or pcapng) or a record file (.dat), any of them compressed
// with gzip or not. The caller closes it.
func Open(path string) (*Reader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r, err := NewReader(f, path)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	r.closers = append(r.closers, f)
	return r, nil
}

// NewReader reads a capture or, if the name ends in .dat or .dat.gz, a record file. The
// name stands in the errors.
func NewReader(in io.Reader, name string) (*Reader, error) {
	r := &Reader{name: name}
	if err := r.open(in); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}

// The first four bytes of the formats, as little-endian words.
const (
	magicGzip   = 0x8b1f     // two bytes
	magicPcapng = 0x0a0d0d0a // pcapng.Magic
)

// pcapMagics are those of pcap files with microseconds and nanoseconds, in both byte orders.
var pcapMagics = [4]uint32{0xa1b2c3d4, 0xd4c3b2a1, 0xa1b23c4d, 0x4d3cb2a1}

func (r *Reader) open(in io.Reader) error {
	const buffer = 1 << 16
	b := bufio.NewReaderSize(in, buffer)
	if head, _ := b.Peek(2); len(head) == 2 && int(head[0])|int(head[1])<<8 == magicGzip {
		z, err := gzip.NewReader(b)
		if err != nil {
			return err
		}
		r.closers = append(r.closers, z)
		b = bufio.NewReaderSize(z, buffer)
	}
	for _, s := range recordSuffixes {
		if strings.HasSuffix(r.name, s) {
			r.next = (&recordReader{reader: r, in: b}).next
			return nil
		}
	}
	head, err := b.Peek(4)
	if err == io.EOF {
		err = errors.New("the file is shorter than the header of a capture")
	}
	if err != nil {
		return err
	}
	word := uint32(head[0]) | uint32(head[1])<<8 | uint32(head[2])<<16 | uint32(head[3])<<24
	if word == magicPcapng {
		return r.openPcapng(b)
	}
	for _, m := range pcapMagics {
		if word == m {
			return r.openPcap(b)
		}
	}
	return fmt.Errorf("not a trace: it begins with % x; want a pcap or pcapng file, or records in a file whose name ends in .dat", head)
}

func (r *Reader) openPcap(b *bufio.Reader) error {
	p, err := pcapng.OpenClassic(b)
	if err != nil {
		return fmt.Errorf("header of the capture: %w", atEnd(err))
	}
	if err := checkLink(p.LinkType()); err != nil {
		return err
	}
	c := capture{reader: r}
	r.next = func(out *Packet) error {
		return c.next(out, p.ZeroCopyReadPacketData, func(gopacket.CaptureInfo) layers.LinkType { return p.LinkType() })
	}
	return nil
}

func (r *Reader) openPcapng(b *bufio.Reader) error {
	p, err := pcapng.Open(b)
	if err != nil {
		return fmt.Errorf("header of the capture: %w", atEnd(err))
	}
	c := capture{reader: r}
	r.next = func(out *Packet) error {
		return c.next(out, p.ZeroCopyReadPacketData, pcapng.Link)
	}
	return nil
}

// errTruncated is the error of a file that ends within a packet.
var errTruncated = errors.New("the file is truncated: it ends within a packet")

// atEnd makes the end of the file, where more should follow, an error that says so.
func atEnd(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errTruncated
	}
	return err
}

// Next implements Source.
func (r *Reader) Next(p *Packet) bool {
	if r.err != nil {
		return false
	}
	if err := r.next(p); err != nil {
		r.err = err
		return false
	}
	return true
}

// Err implements Source.
func (r *Reader) Err() error {
	if r.err == nil || r.err == io.EOF {
		return nil
	}
	return fmt.Errorf("%s: packet %d: %w", r.name, r.n+1, r.err)
}

// Skipped counts what has been left out so far.
func (r *Reader) Skipped() Skipped { return r.skipped }

// Close closes the file that Open opened.
func (r *Reader) Close() error {
	var errs []error
	for _, c := range r.closers {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

// clock turns times of day into times since the first packet.
type clock struct {
	started bool
	first   time.Time
}

// maxSpan is the longest time that a unit.Time holds, in nanoseconds.
const maxSpan = math.MaxInt64 / int64(unit.Nanosecond)

func (c *clock) since(at time.Time) (unit.Time, error) {
	if !c.started {
		c.started, c.first = true, at
	}
	d := at.Sub(c.first)
	if int64(d) > maxSpan || int64(d) < -maxSpan {
		return 0, fmt.Errorf("it is %v from the first one, want at most 106 days", d)
	}
	return unit.Time(d) * unit.Nanosecond, nil
}

// capture reads packets of pcap and pcapng files.
type capture struct {
	reader    *Reader
	clock     clock
	fragments fragments
}

func (c *capture) next(p *Packet, read func() ([]byte, gopacket.CaptureInfo, error), link func(gopacket.CaptureInfo) layers.LinkType) error {
	for {
		data, info, err := read()
		if err == io.EOF && info.CaptureLength > 0 {
			err = errTruncated // the header of the packet is there, its data is not
		}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = errTruncated
		}
		if err != nil {
			return err
		}
		at, err := c.clock.since(info.Timestamp)
		if err != nil {
			return err
		}
		ip, isIPv4, err := network(link(info), data)
		if err != nil {
			return err
		}
		c.reader.n++
		*p = Packet{Time: at}
		switch v := p.parse(ip, isIPv4, info.Length-(len(data)-len(ip))); v {
		case whole:
			c.fragments.first(p, ip)
			return nil
		case part:
			if c.fragments.join(p, ip) {
				return nil
			}
			c.reader.skipped.Fragments++
		case foreign:
			c.reader.skipped.NotIPv4++
		case cut:
			c.reader.skipped.Cut++
		case bad:
			c.reader.skipped.Bad++
		}
	}
}
