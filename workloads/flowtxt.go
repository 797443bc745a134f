package workloads

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"pintlab/internal/number"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// secondPlaces is the number of decimals of a second that a unit.Time resolves.
const secondPlaces = 12

// FlowReader reads a flow.txt one flow at a time: a line with the number of flows, then for each flow a line "src dst
// priority dport size_bytes start_seconds", ascending by start time. All lines may lack the destination port, as in the
// files of ConWeave's generator; the port is then 100. Empty lines and text after a # are skipped. Lines after the last
// flow are also skipped, because the published simulator does not read them, but a flow among these lines is an error.
//
// Start times are rounded to the nearest picosecond: a program that prints doubles writes more decimals. Flows
// to port 200 are of ClassIncast. Flow IDs and source ports count up in the order of the file.
type FlowReader struct {
	in    *lines
	name  string
	hosts []Host
	want  int64 // number of flows in the first line
	ports *ports
	// Number of columns, 6 or, without the destination port, 5.
	columns int
	count   int64
	last    unit.Time
	err     error
	done    bool
	after   int // lines after the last flow
}

// NewFlowReader reads the first line. name is the name of the input; every error begins with the name and the line.
// hosts are the accepted nodes; nil accepts any.
func NewFlowReader(r io.Reader, name string, hosts []Host) (*FlowReader, error) {
	fr := &FlowReader{in: newLines(r), name: name, hosts: hosts, ports: newPorts()}
	if !fr.in.next() {
		if err := fr.in.err(); err != nil {
			return nil, fr.in.errorf(name, "%w", err)
		}
		return nil, fmt.Errorf("%s: empty, want the number of flows in the first line", name)
	}
	n, err := strconv.ParseInt(fr.in.text, 10, 64)
	if err != nil || n < 0 {
		return nil, fr.in.errorf(name, "%q, want the number of flows", fr.in.text)
	}
	if n > math.MaxInt32 {
		return nil, fr.in.errorf(name, "%d flows, want at most %d", n, math.MaxInt32)
	}
	fr.want = n
	return fr, nil
}

// Next returns the next flow. At the end of the file, or after an error, ok is false.
func (fr *FlowReader) Next() (f Flow, ok bool) {
	if fr.done {
		return Flow{}, false
	}
	f, ok, fr.err = fr.read()
	fr.done = !ok
	return f, ok
}

// Err returns the error that ended the reading, or nil.
func (fr *FlowReader) Err() error { return fr.err }

func (fr *FlowReader) read() (Flow, bool, error) {
	for fr.count == fr.want && fr.in.next() {
		if flowLike(fr.in.text) {
			return Flow{}, false, fr.in.errorf(fr.name, "one flow more than the %d that the first line "+
				"promises", fr.want)
		}
		fr.after++
	}
	if fr.count == fr.want || !fr.in.next() {
		if err := fr.in.err(); err != nil {
			return Flow{}, false, fr.in.errorf(fr.name, "%w", err)
		}
		if fr.count != fr.want {
			return Flow{}, false, fr.in.errorf(fr.name, "the file ends after %s, but the first line promises %d",
				number.Count(int(fr.count), "flow"), fr.want)
		}
		return Flow{}, false, nil
	}
	f, err := fr.parse(strings.Fields(fr.in.text))
	if err == nil {
		err = checkFlow(f, fr.hosts)
	}
	if err == nil && f.Start < fr.last {
		err = fmt.Errorf("starts at %s s, earlier than the previous flow at %s s, want flows sorted by start time",
			seconds(f.Start), seconds(fr.last))
	}
	if err != nil {
		return Flow{}, false, fr.in.errorf(fr.name, "%w", err)
	}
	f.ID = int32(fr.count)
	f.SrcPort = fr.ports.next(f.Src, f.Dst)
	fr.count++
	fr.last = f.Start
	return f, true, nil
}

// flowLike reports whether a line describes a flow: five or six columns, the first two of them numbers.
func flowLike(line string) bool {
	fields := strings.Fields(line)
	return (len(fields) == 5 || len(fields) == 6) && digits(fields[0]+fields[1])
}

// parse reads the columns of a line.
func (fr *FlowReader) parse(fields []string) (Flow, error) {
	if fr.columns == 0 && len(fields) == 5 {
		fr.columns = 5
	} else if fr.columns == 0 {
		fr.columns = 6
	}
	switch n := len(fields); {
	case n != fr.columns && fr.columns == 6:
		return Flow{}, fmt.Errorf("%s, want 6: src dst priority dport size_bytes start_seconds",
			number.Count(n, "column"))
	case n != fr.columns:
		return Flow{}, fmt.Errorf("%s, want 5, as in the first flow: src dst priority size_bytes start_seconds",
			number.Count(n, "column"))
	case n == 5:
		fields = slices.Insert(fields, 3, strconv.Itoa(BackgroundPort))
	}
	var n [5]int64
	for i, col := range []struct {
		name     string
		min, max int64
	}{{"source", 0, math.MaxInt32}, {"destination", 0, math.MaxInt32}, {"priority", minPriority, maxPriority},
		{"destination port", 0, math.MaxUint16}, {"size", 1, maxSize}} {
		v, err := strconv.ParseInt(fields[i], 10, 64)
		if err != nil || v < col.min || v > col.max {
			return Flow{}, fmt.Errorf("%s %q, want a whole number from %d to %d", col.name, fields[i], col.min, col.max)
		}
		n[i] = v
	}
	start, _, err := parseDecimal(fields[5], secondPlaces)
	if err != nil {
		return Flow{}, fmt.Errorf("start %w", err)
	}
	return Flow{
		Src:      topo.NodeID(n[0]),
		Dst:      topo.NodeID(n[1]),
		Priority: uint8(n[2]),
		DstPort:  uint16(n[3]),
		Class:    classOfPort(uint16(n[3])),
		Size:     unit.Bytes(n[4]),
		Start:    unit.Time(start),
	}, nil
}

// seconds formats an instant as in flow.txt: with nine decimals, or more if needed.
func seconds(t unit.Time) string { return formatDecimal(int64(t), secondPlaces, 9) }

// ReadFlows reads a whole flow.txt; see FlowReader. note describes what was skipped, or is "".
func ReadFlows(r io.Reader, name string, hosts []Host) (flows []Flow, note string, err error) {
	fr, err := NewFlowReader(r, name, hosts)
	if err != nil {
		return nil, "", err
	}
	flows, err = collect(fr, make([]Flow, 0, min(fr.want, 1<<20)))
	switch {
	case err != nil:
	case fr.after == 1:
		note = name + ": left out: 1 line after the last flow"
	case fr.after > 1:
		note = fmt.Sprintf("%s: left out: %s after the last flow", name, number.Count(fr.after, "line"))
	}
	return flows, note, err
}

// WriteFlows writes n flows as a flow.txt. IDs, source ports and classes are not written: FlowReader
// derives them from the order and the destination ports. It is an error if the source has another number of
// flows or the format cannot represent a flow; the output is then incomplete.
func WriteFlows(w io.Writer, n int, flows Source) error {
	out := bufio.NewWriter(w)
	line := strconv.AppendInt(nil, int64(n), 10)
	out.Write(append(line, '\n'))
	count := 0
	last := unit.Time(0)
	for f := range All(flows) {
		if count++; count > n {
			return fmt.Errorf("workloads: the source has more flows than the announced number, %d", n)
		}
		if err := checkFlow(f, nil); err != nil {
			return fmt.Errorf("workloads: flow %d: %w", f.ID, err)
		}
		switch {
		case f.Task > 0:
			return fmt.Errorf("workloads: flow %d waits for other flows, which a flow.txt cannot express (a "+
				"connection matrix can)", f.ID)
		case f.Priority < minPriority || f.Priority > maxPriority:
			return fmt.Errorf("workloads: flow %d: priority %d, want %d to %d", f.ID, f.Priority, minPriority,
				maxPriority)
		case f.Class != classOfPort(f.DstPort):
			return fmt.Errorf("workloads: flow %d is %v but goes to port %d, which means %v in this file",
				f.ID, f.Class, f.DstPort, classOfPort(f.DstPort))
		case f.Start < last:
			return fmt.Errorf("workloads: flow %d starts before the previous flow", f.ID)
		}
		last = f.Start
		line = line[:0]
		for _, v := range [...]int64{int64(f.Src), int64(f.Dst), int64(f.Priority), int64(f.DstPort), int64(f.Size)} {
			line = append(strconv.AppendInt(line, v, 10), ' ')
		}
		line = append(line, seconds(f.Start)...)
		out.Write(append(line, '\n'))
	}
	if err := flows.Err(); err != nil {
		return err
	}
	if count < n {
		return fmt.Errorf("workloads: the source has %s, but %d were announced", number.Count(count, "flow"), n)
	}
	return out.Flush()
}
