package packets

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"

	"pintlab/netsim/unit"
)

// Skipped counts the packets of a capture that a Reader does not return.
type Skipped struct {
	NotIP     int // another protocol: ARP and so on
	Cut       int // the capture cuts the IP header or the ports
	Bad       int // an IP header with contradictory fields or without room for the ports
	Fragments int // a fragment without ports: the datagram's first fragment, which has them, did not come before it
	Unsent    int // dropped or trimmed by a port of pintlab; trimmed headers that were sent are a separate packet
}

// Total returns the sum of all counts.
func (s Skipped) Total() int { return s.NotIP + s.Cut + s.Bad + s.Fragments + s.Unsent }

func (s Skipped) String() string {
	text := fmt.Sprintf("%d not IP, %d cut within their headers, %d with a bad header, %d fragments without the "+
		"first", s.NotIP, s.Cut, s.Bad, s.Fragments)
	if s.Unsent > 0 {
		text += fmt.Sprintf(", %d that their port did not send", s.Unsent)
	}
	return text
}

// Reader reads the packets of a file.
type Reader struct {
	name    string
	next    func(*Packet) error // returns io.EOF after the last complete packet
	n       int                 // packets read, including skipped ones
	skipped Skipped
	chosen  Chosen
	ng      bool   // a pcapng file
	from    string // interface of the first packet
	several bool   // packets come from more than one interface
	cut     *Truncation
	err     error
	file    io.Closer // nil if the caller closes it
}

// recordSuffixes are the endings of the names of record files.
var recordSuffixes = []string{".dat", ".dat.gz"}

// Share returns how much of the file has been read, from 0 to 1; 0 for a stream whose length is unknown.
func (r *Reader) Share() float64 {
	f, is := r.file.(*os.File)
	if !is {
		return 0
	}
	at, err := f.Seek(0, io.SeekCurrent)
	info, bad := f.Stat()
	if err != nil || bad != nil || info.Size() == 0 {
		return 0
	}
	return min(float64(at)/float64(info.Size()), 1)
}

// Open opens a capture (pcap or pcapng) or a record file (.dat), compressed with gzip or not. The caller
// closes it.
func Open(path string) (*Reader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r, err := NewReader(f, path)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	r.file = f
	return r, nil
}

// NewReader reads a capture or, if the name ends in .dat or .dat.gz, a record file. Errors begin with the
// name.
func NewReader(in io.Reader, name string) (*Reader, error) {
	r := &Reader{name: name}
	if err := r.open(in); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}

func (r *Reader) open(in io.Reader) error {
	b, err := Decompress(in)
	if err != nil {
		return err
	}
	for _, s := range recordSuffixes {
		if strings.HasSuffix(r.name, s) {
			r.next = (&recordReader{reader: r, in: b}).next
			return nil
		}
	}
	f, err := NewFrames(b)
	if err != nil {
		if errors.Is(err, errForeign) {
			err = fmt.Errorf("%w, or records in a file whose name ends in .dat", err)
		}
		return err
	}
	r.ng = f.ng != nil
	c := capture{reader: r, frames: f}
	r.next = c.next
	return nil
}

// Choose limits a pcapng file to the packets of the named interfaces, as the flag --interfaces does.
func (r *Reader) Choose(interfaces []string) error {
	if len(interfaces) > 0 && !r.ng {
		return fmt.Errorf("--interfaces %s: %s is not a pcapng file, so its packets have no interface",
			strings.Join(interfaces, ","), r.name)
	}
	r.chosen = Chosen{Names: interfaces}
	return nil
}

// Several reports whether the packets so far come from several interfaces, although Choose has named none. A packet
// that passes two of them is then counted twice.
func (r *Reader) Several() bool { return r.several && len(r.chosen.Names) == 0 }

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

// Err returns the error that ended the packets early. A file that ends within a record is not an error if it has a
// complete packet: see Truncation.
func (r *Reader) Err() error {
	if r.err == nil {
		return nil
	}
	if r.err == io.EOF {
		if err := r.chosen.Err(); err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		return nil
	}
	return fmt.Errorf("%s: packet %d: %w", r.name, r.n+1, r.err)
}

// Skipped returns the counts of the packets skipped so far.
func (r *Reader) Skipped() Skipped { return r.skipped }

// Name returns the name of the file.
func (r *Reader) Name() string { return r.name }

// Truncation returns where the file ended, if it ended within a record, and otherwise nil.
func (r *Reader) Truncation() *Truncation { return r.cut }

// Close closes the file that Open opened.
func (r *Reader) Close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}

// clock converts absolute times to times since the first packet.
type clock struct {
	started bool
	first   time.Time
}

// maxSpan is the largest unit.Time in nanoseconds.
const maxSpan = math.MaxInt64 / int64(unit.Nanosecond)

func (c *clock) since(at time.Time) (unit.Time, error) {
	if !c.started {
		c.started, c.first = true, at
	}
	d := at.Sub(c.first)
	if int64(d) > maxSpan || int64(d) < -maxSpan {
		return 0, fmt.Errorf("its time is %v after the first packet, want at most 106 days", d)
	}
	return unit.Time(d) * unit.Nanosecond, nil
}

// capture reads the packets of pcap and pcapng files.
type capture struct {
	reader    *Reader
	frames    *Frames
	clock     clock
	fragments fragments
	addresses addresses
}

func (c *capture) next(p *Packet) error {
	for {
		f, err := c.frames.Next()
		if err != nil {
			c.reader.cut = c.frames.Truncation()
			return err
		}
		if !c.reader.chosen.Has(f) {
			c.reader.n++
			continue
		}
		if c.reader.from == "" {
			c.reader.from = f.Interface
		}
		c.reader.several = c.reader.several || f.Interface != c.reader.from
		if f.Unsent {
			c.reader.n++
			c.reader.skipped.Unsent++
			continue
		}
		at, err := c.clock.since(f.Time)
		if err != nil {
			return err
		}
		ip, isIP, err := Network(f.Link, f.Data)
		if err != nil {
			return err
		}
		c.reader.n++
		*p = Packet{Time: at}
		v, piece := p.parse(ip, isIP, f.Length-(len(f.Data)-len(ip)), &c.addresses)
		switch v {
		case whole:
			c.fragments.first(p, piece)
			return nil
		case part:
			if c.fragments.join(p, piece) {
				return nil
			}
			c.reader.skipped.Fragments++
		case foreign:
			c.reader.skipped.NotIP++
		case cut:
			c.reader.skipped.Cut++
		case bad:
			c.reader.skipped.Bad++
		case crowded:
			c.reader.n--
			return fmt.Errorf("more than %d IPv6 addresses", maxAddresses)
		}
	}
}
