package interp

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"pintlab/internal/number"
	"pintlab/workloads/packets"
)

// PcapInput is a capture file whose packets arrive on one port.
type PcapInput struct {
	Name string // for messages
	Port int
	R    io.Reader // pcap or pcapng, compressed with gzip or not
}

// PcapStats counts what RunPcap did.
type PcapStats struct {
	In  int `json:"in"`
	Out int `json:"out"`
	packets.Partial
	// Cut counts packets of which the file contains only the first bytes. These bytes are processed. The missing
	// bytes count in lengths.
	Cut int `json:"cut"`
	// Failed counts packets that could not be processed. Errors contains the errors of the first maxPcapErrors such
	// packets.
	Failed int     `json:"failed"`
	Errors []error `json:"-"`
	// ZeroDivisions counts the divisions by zero, whose results the specification leaves open.
	ZeroDivisions int `json:"zero_divisions,omitempty"`
}

// WriteText writes the counts in words.
func (s *PcapStats) WriteText(w io.Writer) {
	fmt.Fprintf(w, "%s in, %d out", number.Count(s.In, "packet"), s.Out)
	if s.Cut > 0 {
		fmt.Fprintf(w, ", %d cut short in the file", s.Cut)
	}
	fmt.Fprintln(w)
	if s.ZeroDivisions > 0 {
		fmt.Fprintf(w,
			"%s by zero: P4_16 leaves the result open; here all bits of a quotient are 1, and a remainder is the "+
				"dividend\n",
			number.Count(s.ZeroDivisions, "division"))
	}
}

// maxPcapErrors is how many errors PcapStats keeps.
const maxPcapErrors = 10

// pcapSource is an input with its next packet.
type pcapSource struct {
	in     PcapInput
	frames *packets.Frames
	n      int
	frame  *packets.Frame // nil after the last complete packet
	used   bool           // the packet has been handed out
}

func openPcap(in PcapInput) (*pcapSource, error) {
	f, err := packets.NewFrames(in.R)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	s := &pcapSource{in: in, frames: f}
	return s, s.next()
}

// next reads the next packet of the source. It skips packets that a port of pintlab recorded but did not send.
func (s *pcapSource) next() (err error) {
	s.used = false
	for unsent := true; unsent; unsent = err == nil && s.frame.Unsent {
		s.frame, err = s.frames.Next()
		s.n++
	}
	switch {
	case err == io.EOF:
		return nil
	case err == nil && s.frame.Link != layers.LinkTypeEthernet:
		err = fmt.Errorf("link type %d (%v): want Ethernet", int(s.frame.Link), s.frame.Link)
	}
	if err != nil {
		return fmt.Errorf("%s: packet %d: %w", s.in.Name, s.n, err)
	}
	return nil
}

// PcapWriter receives the packets that leave a pipeline. A writer may also have a method Arrive, which receives the
// packets that arrive.
type PcapWriter interface {
	// WritePacket receives a packet of length bytes. data contains its first bytes.
	WritePacket(port int, at time.Time, data []byte, length int) error
}

// PcapPackets iterates over the packets of capture files in order of time stamps. Packets with equal times come in
// the order of the files.
type PcapPackets struct{ sources []*pcapSource }

// OpenPcap reads the headers of capture files.
func OpenPcap(inputs []PcapInput) (*PcapPackets, error) {
	p := &PcapPackets{}
	for _, in := range inputs {
		s, err := openPcap(in)
		if err != nil {
			return nil, err
		}
		p.sources = append(p.sources, s)
	}
	return p, nil
}

// NewFile returns a writer of the packets of all ports to one Ethernet capture. The capture has times in
// nanoseconds, unless all inputs have times in microseconds.
func (p *PcapPackets) NewFile(w io.Writer) (PcapWriter, error) {
	if slices.ContainsFunc(p.sources, func(s *pcapSource) bool { return !s.frames.Microseconds() }) {
		return NewNanosecondFile(w)
	}
	return NewPcapFile(w)
}

// PcapPacket is a packet of a capture file.
type PcapPacket struct {
	Input  int    // index of the file
	Port   int    // where it arrives
	Name   string // name of the file
	Number int    // number in the file, from 1
	At     time.Time
	Data   []byte // valid until the next call of Next
	// Missing is the number of bytes behind Data that the file lacks. These bytes count in lengths.
	Missing int
}

// Next reads a packet. ok is false after the last one.
func (p *PcapPackets) Next() (next PcapPacket, ok bool, err error) {
	best := -1
	for i, s := range p.sources {
		if s.used {
			if err := s.next(); err != nil {
				return PcapPacket{}, false, err
			}
		}
		if s.frame != nil && (best < 0 || s.frame.Time.Before(p.sources[best].frame.Time)) {
			best = i
		}
	}
	if best < 0 {
		return PcapPacket{}, false, nil
	}
	s := p.sources[best]
	s.used = true
	return PcapPacket{Input: best, Port: s.in.Port, Name: s.in.Name, Number: s.n, At: s.frame.Time,
		Data: s.frame.Data, Missing: max(0, s.frame.Length-len(s.frame.Data))}, true, nil
}

// Partial lists the files that ended within a record. It is complete after the last packet.
func (p *PcapPackets) Partial() (all packets.Partial) {
	for _, s := range p.sources {
		all.AddFile(s.in.Name, s.frames.Truncation())
	}
	return all
}

// Fail counts a packet that could not be processed.
func (s *PcapStats) Fail(p PcapPacket, err error) {
	s.Failed++
	if len(s.Errors) < maxPcapErrors {
		s.Errors = append(s.Errors, fmt.Errorf("%s: packet %d: %w", p.Name, p.Number, err))
	}
}

// RunPcap sends packets of capture files through the pipeline and writes the outputs. The clock of the pipeline is
// the time since the first packet. The error is about the files or the context. Packets that cannot be processed are
// counted in stats.
func (p *Pipeline) RunPcap(ctx context.Context, packets *PcapPackets, out PcapWriter) (stats PcapStats, err error) {
	before := p.ZeroDivisions()
	defer func() { stats.ZeroDivisions = p.ZeroDivisions() - before }()
	var start time.Time
	var arrive func(port int, data []byte) error
	if w, ok := out.(interface {
		Arrive(port int, data []byte) error
	}); ok {
		arrive = w.Arrive
	}
	for {
		in, ok, err := packets.Next()
		if err = cmp.Or(err, ctx.Err()); err != nil || !ok {
			stats.Partial = packets.Partial()
			return stats, err
		}
		if stats.In == 0 {
			start = in.At
		}
		stats.In++
		if in.Missing > 0 {
			stats.Cut++
		}
		if arrive != nil {
			if in.Missing > 0 {
				return stats, fmt.Errorf("%s: packet %d: %s %s missing in the file, but a packet test needs whole "+
					"packets", in.Name, in.Number, number.Count(in.Missing, "byte"),
					number.Plural(in.Missing, "is", "are"))
			}
			if err := arrive(in.Port, in.Data); err != nil {
				return stats, fmt.Errorf("writing packet %d of the input: %w", stats.In, err)
			}
		}
		p.SetTime(uint64(max(0, in.At.Sub(start).Microseconds())))
		p.dev.SetMissing(in.Missing)
		outs, err := p.Process(in.Port, in.Data)
		if err != nil {
			stats.Fail(in, err)
		}
		if p.trace != nil {
			if err := p.trace(in, outs); err != nil {
				return stats, fmt.Errorf("writing the trace: %w", err)
			}
		}
		for _, o := range outs {
			stats.Out++
			if err := out.WritePacket(o.Port, in.At, o.Data, o.Length); err != nil {
				return stats, fmt.Errorf("writing packet %d: %w", stats.Out, err)
			}
		}
	}
}

// snapLen is the largest packet that the headers of written files allow.
const snapLen = 1 << 18

// NewPcapFile returns a writer of the packets of all ports to one Ethernet capture, with times in
// microseconds.
func NewPcapFile(w io.Writer) (PcapWriter, error) { return newPcapFile(pcapgo.NewWriter(w)) }

// NewNanosecondFile is NewPcapFile with times in nanoseconds.
func NewNanosecondFile(w io.Writer) (PcapWriter, error) {
	return newPcapFile(pcapgo.NewWriterNanos(w))
}

// newPcapFile writes the header at once, so that a run without output leaves a valid, empty capture.
func newPcapFile(pw *pcapgo.Writer) (PcapWriter, error) {
	if err := pw.WriteFileHeader(snapLen, layers.LinkTypeEthernet); err != nil {
		return nil, err
	}
	return pcapFile{pw}, nil
}

type pcapFile struct{ w *pcapgo.Writer }

func (f pcapFile) WritePacket(_ int, at time.Time, data []byte, length int) error {
	return f.w.WritePacket(gopacket.CaptureInfo{Timestamp: at, CaptureLength: len(data), Length: length}, data)
}
