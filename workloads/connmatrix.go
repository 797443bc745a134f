package workloads

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// ReadConnectionMatrix reads htsim's traffic files (.cm): the lines "Nodes N" and
// "Connections M", then for each flow a line "src->dst id I start PICOSECONDS size
// BYTES" in any order. Empty lines and what follows a # are skipped.
//
// htsim numbers the hosts from 0; its i-th host is hosts[i], or node i if hosts is
// nil. The flows come back sorted by start time (and in order of the file where that
// is equal) with IDs of our own, DefaultPriority and BackgroundPort. name says where
// r comes from; every error begins with it and the line.
//
// Flows that wait for a trigger, endless flows (size 0), priorities and link failures
// are errors: nothing here would act on them.
func ReadConnectionMatrix(r io.Reader, name string, hosts []Host) ([]Flow, error) {
	m := &matrix{in: newLines(r), hosts: hosts, nodes: -1, want: -1, ids: map[int64]bool{}}
	for m.in.next() {
		if err := m.line(strings.Fields(m.in.text)); err != nil {
			return nil, m.in.errorf(name, "%w", err)
		}
	}
	if err := m.in.err(); err != nil {
		return nil, m.in.errorf(name, "%w", err)
	}
	switch {
	case m.nodes < 0:
		return nil, fmt.Errorf("%s: want a line \"Nodes N\"", name)
	case m.want < 0:
		return nil, fmt.Errorf("%s: want a line \"Connections N\"", name)
	case int64(len(m.flows)) != m.want:
		return nil, m.in.errorf(name, "ends after %d connections, but line %d promises %d", len(m.flows), m.promise, m.want)
	}
	slices.SortStableFunc(m.flows, CompareStart)
	p := newPorts()
	for i := range m.flows {
		f := &m.flows[i]
		f.ID = int32(i)
		f.SrcPort = p.next(f.Src, f.Dst)
	}
	return m.flows, nil
}

// matrix is a connection matrix as far as it has been read.
type matrix struct {
	in          *lines
	hosts       []Host
	nodes, want int64 // of the header; -1 before
	promise     int   // the line of want
	ids         map[int64]bool
	flows       []Flow
}

func (m *matrix) line(fields []string) error {
	if strings.Contains(fields[0], "->") {
		return m.connection(fields)
	}
	switch fields[0] {
	case "Nodes", "Connections", "Triggers", "Failures":
		return m.header(fields)
	case "trigger", "failure":
		return fmt.Errorf("a %s is not supported (accepted: src->dst id I start PICOSECONDS size BYTES)", fields[0])
	}
	return fmt.Errorf("unknown line %q (accepted: Nodes, Connections, src->dst)", fields[0])
}

func (m *matrix) header(fields []string) error {
	if len(m.flows) > 0 {
		return fmt.Errorf("%s after the first connection", fields[0])
	}
	if len(fields) != 2 {
		return fmt.Errorf("%d columns, want %s and a number", len(fields), fields[0])
	}
	n, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil || n < 0 || n > math.MaxInt32 {
		return fmt.Errorf("%s %q, want a whole number from 0 to %d", fields[0], fields[1], math.MaxInt32)
	}
	into := &m.want
	switch fields[0] {
	case "Triggers", "Failures":
		if n > 0 {
			return fmt.Errorf("%s are not supported, want 0", strings.ToLower(fields[0]))
		}
		return nil
	case "Nodes":
		if m.hosts != nil && n != int64(len(m.hosts)) {
			return fmt.Errorf("%d nodes, but the network has %d hosts", n, len(m.hosts))
		}
		into = &m.nodes
	}
	if *into >= 0 {
		return fmt.Errorf("a second line with %s", fields[0])
	}
	if *into = n; into == &m.want {
		m.promise = m.in.number
	}
	return nil
}

func (m *matrix) connection(fields []string) error {
	if m.nodes < 0 || m.want < 0 {
		return errors.New("a connection before the lines Nodes and Connections, want these first")
	}
	if int64(len(m.flows)) == m.want {
		return fmt.Errorf("a connection more than the %d that line %d promises", m.want, m.promise)
	}
	from, to, _ := strings.Cut(fields[0], "->")
	src, errSrc := m.node(from)
	dst, errDst := m.node(to)
	if errSrc != nil {
		return errSrc
	}
	if errDst != nil {
		return errDst
	}
	f := Flow{Src: src, Dst: dst, Priority: DefaultPriority, DstPort: BackgroundPort}
	seen := map[string]bool{}
	for rest := fields[1:]; len(rest) > 0; rest = rest[2:] {
		key := rest[0]
		switch key {
		case "id", "start", "size":
		default:
			return fmt.Errorf("%q is not supported (accepted: id, start, size)", key)
		}
		if len(rest) == 1 {
			return fmt.Errorf("%s without a value", key)
		}
		if seen[key] {
			return fmt.Errorf("a second %s", key)
		}
		seen[key] = true
		v, exact, err := parseDecimal(rest[1], 0)
		if err != nil {
			return fmt.Errorf("%s %w", key, err)
		}
		if !exact {
			return fmt.Errorf("%s %q, want a whole number", key, rest[1])
		}
		switch key {
		case "start":
			f.Start = unit.Time(v)
		case "size":
			if v == 0 {
				return fmt.Errorf("size 0, an endless flow, is not supported, want 1 to %d", int64(maxSize))
			}
			f.Size = unit.Bytes(v)
		default:
			if v == 0 || m.ids[v] {
				return fmt.Errorf("id %d, want a number > 0 that no other connection has", v)
			}
			m.ids[v] = true
		}
	}
	if !seen["start"] || !seen["size"] {
		return fmt.Errorf("want both a start and a size")
	}
	if err := checkFlow(f, nil); err != nil {
		return err
	}
	m.flows = append(m.flows, f)
	return nil
}

// node returns the node that htsim's host number s stands for.
func (m *matrix) node(s string) (topo.NodeID, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 || n >= m.nodes {
		return 0, fmt.Errorf("host %q, want a whole number from 0 to %d", s, m.nodes-1)
	}
	if m.hosts == nil {
		return topo.NodeID(n), nil
	}
	return m.hosts[n].Node, nil
}

// WriteConnectionMatrix writes flows between the given hosts as an htsim traffic
// file; hosts[i] becomes its host i and flow IDs count from 1. Ports, priorities and
// classes have no place in it. A size that htsim cannot read, 2^31 B or more, is an
// error.
func WriteConnectionMatrix(w io.Writer, hosts []Host, flows []Flow) error {
	if hosts == nil {
		hosts = []Host{} // none at all, where checkFlow takes nil for any
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "Nodes %d\nConnections %d\n", len(hosts), len(flows))
	for i, f := range flows {
		if err := checkFlow(f, hosts); err != nil {
			return fmt.Errorf("workloads: flow %d: %w", f.ID, err)
		}
		if f.Size > math.MaxInt32 {
			return fmt.Errorf("workloads: flow %d: size %d B, but htsim reads at most %d", f.ID, int64(f.Size), math.MaxInt32)
		}
		src, _ := find(hosts, f.Src)
		dst, _ := find(hosts, f.Dst)
		fmt.Fprintf(out, "%d->%d id %d start %d size %d\n", src, dst, i+1, int64(f.Start), int64(f.Size))
	}
	return out.Flush()
}
