package interp

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
)

// PcapInput is a capture file whose packets arrive on one port.
type PcapInput struct {
	Name string // for messages
	Port int
	R    io.Reader // pcap or pcapng
}

// PcapStats counts what RunPcap did.
type PcapStats struct {
	In, Out int
	// Cut counts packets of which the file has only the first bytes. They are run as
	// they are.
	Cut int
	// Failed counts packets that could not be processed; Errors has the first few of
	// their errors.
	Failed int
	Errors []error
}

// maxPcapErrors is how many errors PcapStats keeps.
const maxPcapErrors = 10

// pcapReader reads either format.
type pcapReader interface {
	ReadPacketData() ([]byte, gopacket.CaptureInfo, error)
}

// source is an input with its next packet.
type pcapSource struct {
	in   PcapInput
	r    pcapReader
	n    int
	data []byte
	info gopacket.CaptureInfo
	done bool
}

// pcapngMagic begins every pcapng file, in either byte order.
const pcapngMagic = "\x0a\x0d\x0d\x0a"

func openPcap(in PcapInput) (*pcapSource, error) {
	b := bufio.NewReader(in.R)
	head, err := b.Peek(4)
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = errors.New("the file is empty or shorter than a header")
		}
		return nil, fmt.Errorf("%s: not a capture file: %w", in.Name, err)
	}
	s := &pcapSource{in: in}
	if string(head) == pcapngMagic {
		s.r, err = pcapgo.NewNgReader(b, pcapgo.DefaultNgReaderOptions)
	} else {
		s.r, err = pcapgo.NewReader(b)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: not a capture file: %w", in.Name, err)
	}
	return s, s.next()
}

// next reads the next packet of the source.
func (s *pcapSource) next() error {
	var err error
	s.data, s.info, err = s.r.ReadPacketData()
	s.n++
	switch {
	case errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		s.done = true
		return nil
	case err != nil:
		return fmt.Errorf("%s: packet %d: %w", s.in.Name, s.n, err)
	}
	return nil
}

// PcapWriter takes the packets that leave a pipeline.
type PcapWriter interface {
	WritePacket(port int, at time.Time, data []byte) error
}

// RunPcap sends the packets of capture files through the pipeline and writes what comes
// out. Packets of several inputs are taken in order of their time stamps, at equal times
// in the order of the inputs. The clock of the pipeline shows the time since the first
// packet. The error is about the files; packets that cannot be processed are counted.
func (p *Pipeline) RunPcap(inputs []PcapInput, out PcapWriter) (PcapStats, error) {
	var stats PcapStats
	var sources []*pcapSource
	for _, in := range inputs {
		s, err := openPcap(in)
		if err != nil {
			return stats, err
		}
		sources = append(sources, s)
	}
	var start time.Time
	for {
		s := earliest(sources)
		if s == nil {
			return stats, nil
		}
		at := s.info.Timestamp
		if stats.In == 0 {
			start = at
		}
		stats.In++
		if s.info.CaptureLength < s.info.Length {
			stats.Cut++
		}
		p.SetTime(uint64(max(0, at.Sub(start).Microseconds())))
		outs, err := p.Process(s.in.Port, s.data)
		if err != nil {
			stats.Failed++
			if len(stats.Errors) < maxPcapErrors {
				stats.Errors = append(stats.Errors, fmt.Errorf("%s: packet %d: %w", s.in.Name, s.n, err))
			}
		}
		for _, o := range outs {
			stats.Out++
			if err := out.WritePacket(o.Port, at, o.Data); err != nil {
				return stats, fmt.Errorf("writing packet %d: %w", stats.Out, err)
			}
		}
		if err := s.next(); err != nil {
			return stats, err
		}
	}
}

func earliest(sources []*pcapSource) *pcapSource {
	var best *pcapSource
	for _, s := range sources {
		if !s.done && (best == nil || s.info.Timestamp.Before(best.info.Timestamp)) {
			best = s
		}
	}
	return best
}

// snapLen is the longest packet that the files written here announce.
const snapLen = 1 << 18

// NewPcapFile writes the packets of all ports to one file of Ethernet packets. The header
// is written at once, so that a run without output gives a valid, empty capture.
func NewPcapFile(w io.Writer) (PcapWriter, error) {
	pw := pcapgo.NewWriter(w)
	if err := pw.WriteFileHeader(snapLen, layers.LinkTypeEthernet); err != nil {
		return nil, err
	}
	return pcapFile{pw}, nil
}

type pcapFile struct{ w *pcapgo.Writer }

func (f pcapFile) WritePacket(_ int, at time.Time, data []byte) error {
	return f.w.WritePacket(gopacket.CaptureInfo{Timestamp: at, CaptureLength: len(data), Length: len(data)}, data)
}

// NewPcapPorts writes the packets of each port to a file of its own, which open provides
// when the first packet leaves on that port.
func NewPcapPorts(open func(port int) (io.Writer, error)) PcapWriter {
	return &pcapPorts{open: open, files: map[int]PcapWriter{}}
}

type pcapPorts struct {
	open  func(port int) (io.Writer, error)
	files map[int]PcapWriter
}

func (p *pcapPorts) WritePacket(port int, at time.Time, data []byte) error {
	f := p.files[port]
	if f == nil {
		w, err := p.open(port)
		if err != nil {
			return err
		}
		if f, err = NewPcapFile(w); err != nil {
			return err
		}
		p.files[port] = f
	}
	return f.WritePacket(port, at, data)
}
