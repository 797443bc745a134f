package store

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"pintlab/internal/input"
	"pintlab/internal/number"
	"pintlab/netsim/route"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// FCT is a line of fct.txt, the per-flow output of the HPCC simulators:
//
//	sip dip sport dport size start_ns fct_ns standalone_ns
//
// The addresses have 8 hexadecimal digits. The other fields are decimal.
type FCT struct {
	SrcIP, DstIP     uint32
	SrcPort, DstPort uint16
	Size             unit.Bytes // payload, at least 1
	Start            unit.Time  // whole nanoseconds
	FCT              unit.Time  // whole nanoseconds
	Standalone       unit.Time  // whole nanoseconds, at least 1
}

// FCTOf returns the line of a finished flow, with times truncated to nanoseconds.
func FCTOf(r *FlowRecord) FCT {
	floor := func(t unit.Time) unit.Time { return t / unit.Nanosecond * unit.Nanosecond }
	return FCT{
		SrcIP: route.HostIP(topo.NodeID(r.Src)), DstIP: route.HostIP(topo.NodeID(r.Dst)),
		SrcPort: r.SrcPort, DstPort: r.DstPort,
		Size: r.Size, Start: floor(r.Start), FCT: floor(r.FCT), Standalone: floor(r.Ideal),
	}
}

// WriteFCT writes the finished flows in the order in which they ended. A flow that ended several times has
// several lines.
func WriteFCT(w io.Writer, flows *Flows) error {
	b := bufio.NewWriter(w)
	again := flows.again
	n := 0
	for r := range flows.All() {
		for ; len(again) > 0 && again[0].after == n; again = again[1:] {
			if err := writeFCT(b, &again[0].FlowRecord); err != nil {
				return err
			}
		}
		if err := writeFCT(b, r); err != nil {
			return err
		}
		n++
	}
	for i := range again {
		if err := writeFCT(b, &again[i].FlowRecord); err != nil {
			return err
		}
	}
	return b.Flush()
}

// writeFCT writes the line of a flow if it has finished or is estimated.
func writeFCT(b *bufio.Writer, r *FlowRecord) error {
	if r.Outcome != Finished && r.Outcome != Estimated {
		return nil
	}
	if r.Src > 0xffff || r.Dst > 0xffff {
		return fmt.Errorf("fct.txt: flow %d: node numbers above 65535 have no address in this format", r.ID)
	}
	l := FCTOf(r)
	line := hexadecimal(b.AvailableBuffer(), l.SrcIP) // fmt would allocate for each number
	line = hexadecimal(append(line, ' '), l.DstIP)
	for _, n := range [...]int64{
		int64(l.SrcPort), int64(l.DstPort), int64(l.Size),
		l.Start.Nanoseconds(), l.FCT.Nanoseconds(), l.Standalone.Nanoseconds(),
	} {
		line = strconv.AppendInt(append(line, ' '), n, 10)
	}
	b.Write(append(line, '\n')) // the writer returns its error in Flush
	return nil
}

// hexadecimal appends a number as eight hexadecimal digits.
func hexadecimal(to []byte, x uint32) []byte {
	for shift := 28; shift >= 0; shift -= 4 {
		to = append(to, "0123456789abcdef"[x>>shift&15])
	}
	return to
}

// ReadFCT reads a whole fct.txt. Errors contain name, the name of the file.
func ReadFCT(r io.Reader, name string) ([]FCT, error) {
	var lines []FCT
	s, n := bufio.NewScanner(r), 1
	for ; s.Scan(); n++ {
		words := strings.Fields(s.Text())
		if len(words) == 0 {
			continue
		}
		l, err := parseFCT(words)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		lines = append(lines, l)
	}
	if err := input.LineError(s.Err(), bufio.MaxScanTokenSize); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, n, err)
	}
	return lines, nil
}

var fctColumns = []string{"sip", "dip", "sport", "dport", "size", "start_ns", "fct_ns", "standalone_ns"}

func parseFCT(words []string) (FCT, error) {
	if len(words) != len(fctColumns) {
		return FCT{}, fmt.Errorf("%s, want %d: %s", number.Count(len(words), "column"), len(fctColumns),
			strings.Join(fctColumns, " "))
	}
	p := columnReader{words: words, names: fctColumns}
	l := FCT{
		SrcIP:      uint32(p.number(0, 16, 0, 1<<32-1)),
		DstIP:      uint32(p.number(1, 16, 0, 1<<32-1)),
		SrcPort:    uint16(p.number(2, 10, 0, 1<<16-1)),
		DstPort:    uint16(p.number(3, 10, 0, 1<<16-1)),
		Size:       unit.Bytes(p.number(4, 10, 1, 1<<63-1)),
		Start:      unit.Nanosecond * unit.Time(p.number(5, 10, 0, maxNanoseconds)),
		FCT:        unit.Nanosecond * unit.Time(p.number(6, 10, 0, maxNanoseconds)),
		Standalone: unit.Nanosecond * unit.Time(p.number(7, 10, 1, maxNanoseconds)),
	}
	return l, p.err
}

const maxNanoseconds = int64(unit.Never-1) / int64(unit.Nanosecond)
