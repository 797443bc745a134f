package topo

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"pintlab/netsim/unit"
)

// Longest line of a topology file: the numbers of MaxNodes switches fit.
const maxLine = 16 << 20

// ReadTopology reads the topology.txt of the HPCC simulators and their
// descendants:
//
//	nodes switches links
//	the numbers of the switches, on one line
//	source destination rate delay error_rate    (one line per link)
//
// as in "0 320 100Gbps 1000ns 0.000000". Nodes are numbered from 0; those that
// are not listed as switches are hosts. Rates may also be written as in "100Gb/s".
// Blank lines are skipped. Everything else is an error with its line, and where
// it is a field, its column: other counts than the declared ones, numbers out of
// range, repeated switches or links, missing or unknown units, more fields than
// there should be. Layers are inferred from the hosts. The graph is valid.
//
// name is the name of the file in errors and of the graph.
func ReadTopology(r io.Reader, name string) (*Graph, error) {
	p := topologyReader{g: &Graph{Name: name}, name: name, scan: bufio.NewScanner(r)}
	p.scan.Buffer(nil, maxLine)
	if err := p.read(); err != nil {
		return nil, err
	}
	p.g.InferLayers()
	if err := p.g.Validate(); err != nil {
		return nil, err
	}
	return p.g, nil
}

type topologyReader struct {
	g    *Graph
	name string
	scan *bufio.Scanner
	line int // of the text last read, from 1
	text string

	headerLine      int
	switches, links int
	lineOf          map[[2]NodeID]int // links by their ends, the lower first
}

func (p *topologyReader) read() error {
	if err := p.next("the line \"nodes switches links\""); err != nil {
		return err
	}
	if err := p.header(); err != nil {
		return err
	}
	if p.switches > 0 {
		if err := p.next(fmt.Sprintf("the numbers of %d switches", p.switches)); err != nil {
			return err
		}
		if err := p.switchList(); err != nil {
			return err
		}
	}
	p.lineOf = make(map[[2]NodeID]int)
	for i := range p.links {
		if err := p.next(fmt.Sprintf("link %d of the %d that line %d declares", i+1, p.links, p.headerLine)); err != nil {
			return err
		}
		if err := p.link(); err != nil {
			return err
		}
	}
	switch err := p.next(""); {
	case err == nil:
		return p.errorf("more text after the %d links that line %d declares", p.links, p.headerLine)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil
	default:
		return err
	}
}

// next moves to the next line that is not blank. Without one, the error says
// what was expected.
func (p *topologyReader) next(want string) error {
	for p.scan.Scan() {
		p.line++
		if p.text = p.scan.Text(); strings.TrimSpace(p.text) != "" {
			return nil
		}
	}
	if err := p.scan.Err(); err != nil {
		return fmt.Errorf("%s:%d: %w", p.name, p.line+1, err)
	}
	return fmt.Errorf("%s:%d: %w: want %s", p.name, p.line+1, io.ErrUnexpectedEOF, want)
}

func (p *topologyReader) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", p.name, p.line, fmt.Errorf(format, args...))
}

// field is a word of a line and where it stands.
type field struct {
	text string
	col  int // bytes, from 1
	key  string
}

func (p *topologyReader) fieldError(f field, format string, args ...any) error {
	return fmt.Errorf("%s:%d:%d: %s %q: %w", p.name, p.line, f.col, f.key, f.text, fmt.Errorf(format, args...))
}

// fields splits the line into one word per key.
func (p *topologyReader) fields(keys ...string) ([]field, error) {
	words := split(p.text)
	if len(words) != len(keys) {
		return nil, p.errorf("%d fields, want %d: %s", len(words), len(keys), strings.Join(keys, " "))
	}
	for i := range words {
		words[i].key = keys[i]
	}
	return words, nil
}

func split(line string) []field {
	var words []field
	start := -1
	for i := 0; i <= len(line); i++ {
		space := i == len(line) || line[i] == ' ' || line[i] == '\t' || line[i] == '\r'
		switch {
		case space && start >= 0:
			words = append(words, field{text: line[start:i], col: start + 1})
			start = -1
		case !space && start < 0:
			start = i
		}
	}
	return words
}

// integer reads a decimal number in low..high.
func (p *topologyReader) integer(f field, low, high int) (int, error) {
	v, err := strconv.ParseUint(f.text, 10, 31) // takes no sign
	if err != nil || int(v) < low || int(v) > high {
		return 0, p.fieldError(f, "want an integer in %d..%d", low, high)
	}
	return int(v), nil
}

func (p *topologyReader) header() error {
	f, err := p.fields("nodes", "switches", "links")
	if err != nil {
		return err
	}
	p.headerLine = p.line
	nodes, err := p.integer(f[0], 1, MaxNodes)
	if err != nil {
		return err
	}
	if p.switches, err = p.integer(f[1], 0, nodes); err != nil {
		return err
	}
	if p.links, err = p.integer(f[2], 0, MaxLinks); err != nil {
		return err
	}
	p.g.Nodes = make([]Node, nodes)
	return nil
}

func (p *topologyReader) switchList() error {
	words := split(p.text)
	for i, f := range words {
		if i == p.switches {
			return p.errorf("%d switches, but line %d declares %d", len(words), p.headerLine, p.switches)
		}
		f.key = "switch"
		id, err := p.integer(f, 0, len(p.g.Nodes)-1)
		if err != nil {
			return err
		}
		if p.g.Nodes[id].Kind == Switch {
			return p.fieldError(f, "listed twice")
		}
		p.g.Nodes[id].Kind = Switch
	}
	if len(words) < p.switches {
		return p.errorf("%d switches, but line %d declares %d", len(words), p.headerLine, p.switches)
	}
	return nil
}

func (p *topologyReader) link() error {
	f, err := p.fields("source", "destination", "rate", "delay", "error_rate")
	if err != nil {
		return err
	}
	var ends [2]NodeID
	for i := range ends {
		id, err := p.integer(f[i], 0, len(p.g.Nodes)-1)
		if err != nil {
			return err
		}
		ends[i] = NodeID(id)
	}
	l := Link{A: ends[0], B: ends[1]}
	if l.A == l.B {
		return p.fieldError(f[1], "joins node %d to itself", l.A)
	}
	key := [2]NodeID{min(l.A, l.B), max(l.A, l.B)}
	if first, ok := p.lineOf[key]; ok {
		return p.errorf("nodes %d and %d already have a link, on line %d", l.A, l.B, first)
	}
	p.lineOf[key] = p.line
	if l.Rate, err = parseLinkRate(f[2].text); err != nil {
		return fmt.Errorf("%s:%d:%d: %w", p.name, p.line, f[2].col, err)
	}
	if l.Delay, err = unit.ParseTime(f[3].text); err != nil {
		return fmt.Errorf("%s:%d:%d: delay: %w", p.name, p.line, f[3].col, err)
	}
	if l.Delay > MaxDelay {
		return p.fieldError(f[3], "want at most %s", MaxDelay)
	}
	// ParseFloat also takes hexadecimal, underscores, "inf" and "nan".
	l.ErrorRate, err = strconv.ParseFloat(f[4].text, 64)
	if err != nil || strings.Trim(f[4].text, "0123456789.eE+-") != "" || !(l.ErrorRate >= 0 && l.ErrorRate < 1) || f[4].text[0] == '-' {
		return p.fieldError(f[4], "want a number with 0 <= error_rate < 1")
	}
	p.g.Links = append(p.g.Links, l)
	return nil
}

// parseLinkRate reads "100Gbps" and the simulators' other spelling "100Gb/s".
func parseLinkRate(s string) (unit.Rate, error) {
	if number, ok := strings.CutSuffix(s, "b/s"); ok {
		s = number + "bps"
	}
	r, err := unit.ParseRate(s)
	if err == nil && (r == 0 || r > unit.MaxRate) {
		err = fmt.Errorf("rate %q: want more than 0 and at most %v", s, unit.MaxRate)
	}
	return r, err
}

// WriteTopology writes g as ReadTopology reads it, with units that the HPCC
// simulators know. Names and layers have no place in the format. It refuses a
// graph that Validate refuses.
func WriteTopology(w io.Writer, g *Graph) error {
	for i, l := range g.Links {
		if l.Back != 0 || g.Nodes[l.A].Delay != 0 || g.Nodes[l.B].Delay != 0 {
			return fmt.Errorf("link %d: rate back %v, switches with delays of %v and %v: a topology.txt has no such links", i, l.Back, g.Nodes[l.A].Delay, g.Nodes[l.B].Delay)
		}
	}
	if err := g.Validate(); err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	switches := g.Switches()
	fmt.Fprintln(out, len(g.Nodes), len(switches), len(g.Links))
	for i, id := range switches {
		if i > 0 {
			out.WriteByte(' ')
		}
		out.WriteString(strconv.Itoa(int(id)))
	}
	out.WriteByte('\n')
	for _, l := range g.Links {
		fmt.Fprintln(out, l.A, l.B, fieldRate(l.Rate), fieldDelay(l.Delay), fieldProbability(l.ErrorRate))
	}
	return out.Flush()
}

// fieldRate writes whole Gbps, Mbps, Kbps or bps; those simulators know no Tbps.
func fieldRate(r unit.Rate) string {
	for _, u := range []struct {
		scale unit.Rate
		name  string
	}{{unit.Gbps, "Gbps"}, {unit.Mbps, "Mbps"}, {unit.Kbps, "Kbps"}} {
		if r%u.scale == 0 {
			return strconv.FormatInt(int64(r/u.scale), 10) + u.name
		}
	}
	return strconv.FormatInt(int64(r), 10) + "bps"
}

// fieldDelay writes nanoseconds, as the field's files do, or picoseconds.
func fieldDelay(t unit.Time) string {
	if t%unit.Nanosecond == 0 {
		return strconv.FormatInt(t.Nanoseconds(), 10) + "ns"
	}
	return strconv.FormatInt(int64(t), 10) + "ps"
}

// fieldProbability writes six decimals, or as many more as the value needs.
func fieldProbability(p float64) string {
	s := strconv.FormatFloat(p, 'f', 6, 64)
	if v, err := strconv.ParseFloat(s, 64); err == nil && v == p {
		return s
	}
	return strconv.FormatFloat(p, 'f', -1, 64)
}
