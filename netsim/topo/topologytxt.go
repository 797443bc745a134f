package topo

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"pintlab/internal/input"
	"pintlab/internal/number"
	"pintlab/netsim/unit"
)

// maxLine is the length of the longest line of a topology file, which has room for the numbers of MaxNodes switches.
const maxLine = 16 << 20

// ReadTopology reads the topology.txt of the HPCC simulators and their
// descendants:
//
//	nodes switches links
//	the numbers of the switches, on one line
//	source destination rate delay error_rate    (one line per link)
//
// as in "0 320 100Gbps 1000ns 0.000000". Nodes are numbered from 0. Nodes that are not listed as switches are hosts.
// Rates may also be written as in "100Gb/s" or, from a million on, in bit/s without a unit. As in the files of the
// PowerTCP simulator, the first line may have four numbers, "nodes switches tors links", or six, with the rates to
// hosts and between switches; the number of ToRs and these rates, which the links repeat, have no effect. Blank lines
// are skipped, and so is text after the last link, because the HPCC simulators do not read it. Parallel links of
// switches become one link of their total rate. Changes counts the lines of this text and these links. Errors state the
// line and, for a field, the column. They report wrong counts, numbers out of range, repeated switches or links of
// hosts, unknown units, and extra fields. Layers are inferred from the hosts. The graph is valid.
//
// name is the name of the graph, and of the file in errors.
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

// topologyReader reads a file up to its first error; after that its methods do nothing.
type topologyReader struct {
	g    *Graph
	name string
	scan *bufio.Scanner
	line int // number of the line in text, from 1
	text string
	err  error
	done bool // the file has ended
}

func (p *topologyReader) read() error {
	switches, links := p.header()
	header := p.line
	if switches > 0 {
		p.next(fmt.Sprintf("the numbers of %s", number.Count(switches, "switch")))
		p.switchList(switches, header)
	}
	lineOf := make(map[[2]NodeID]lineOfLink) // by the ends of the link, the lower first
	for i := 0; i < links && p.err == nil; i++ {
		p.next(fmt.Sprintf("link %d of the %d that line %d declares", i+1, links, header))
		p.link(lineOf)
	}
	if p.err != nil {
		return p.err
	}
	for p.next(""); p.err == nil; p.next("") {
		if p.linkLike() {
			p.errorf("one link more than the %d that line %d declares", links, header)
		}
		p.g.Changes.Text++
	}
	if p.done {
		return nil
	}
	return p.err
}

// header reads the first line, makes the nodes and returns the numbers of switches and links.
func (p *topologyReader) header() (switches, links int) {
	p.next("the line \"nodes switches links\"")
	keys := []string{"nodes", "switches", "links"}
	switch len(split(p.text)) {
	case 4:
		keys = []string{"nodes", "switches", "tors", "links"}
	case 6:
		keys = []string{"nodes", "switches", "tors", "links", "host_rate", "fabric_rate"}
	}
	f := p.fields(keys...)
	p.g.Nodes = make([]Node, p.integer(f[0], 1, maxNodes))
	switches = p.integer(f[1], 0, len(p.g.Nodes))
	if len(f) == 3 {
		return switches, p.integer(f[2], 0, maxLinks)
	}
	p.integer(f[2], 0, switches)
	for _, x := range f[4:] {
		p.rate(x)
	}
	return switches, p.integer(f[3], 0, maxLinks)
}

// rate reads the rate of a link.
func (p *topologyReader) rate(f field) unit.Rate {
	r, err := parseLinkRate(f.text)
	if err != nil {
		p.errorAt(fmt.Sprintf("%d:", f.col), "%w", err)
	}
	return r
}

// linkLike reports whether the line describes a link: five fields, the first two of them numbers.
func (p *topologyReader) linkLike() bool {
	words := split(p.text)
	return len(words) == 5 && strings.Trim(words[0].text+words[1].text, "0123456789") == ""
}

// next moves to the next line that is not blank. At the end of the file it sets an error that
// states what was expected.
func (p *topologyReader) next(want string) {
	if p.err != nil {
		return
	}
	for p.scan.Scan() {
		p.line++
		if p.text = p.scan.Text(); strings.TrimSpace(p.text) != "" {
			return
		}
	}
	p.line++
	if err := input.LineError(p.scan.Err(), maxLine); err != nil {
		p.errorf("%w", err)
	} else {
		p.done = true
		p.errorf("want %s, not the end of the file", want)
	}
}

func (p *topologyReader) errorf(format string, args ...any) { p.errorAt("", format, args...) }

func (p *topologyReader) errorAt(place, format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("%s:%d:%s %w", p.name, p.line, place, fmt.Errorf(format, args...))
	}
}

// field is a word of a line and its position.
type field struct {
	text string
	col  int // bytes, from 1
	key  string
}

func (p *topologyReader) fieldError(f field, format string, args ...any) {
	p.errorAt(fmt.Sprintf("%d: %s %q:", f.col, f.key, f.text), format, args...)
}

// fields splits the line into one word per key. After an error the words are empty.
func (p *topologyReader) fields(keys ...string) []field {
	words := split(p.text)
	if len(words) != len(keys) {
		p.errorf("%s, want %d: %s", number.Count(len(words), "field"), len(keys), strings.Join(keys, " "))
		return make([]field, len(keys))
	}
	for i := range words {
		words[i].key = keys[i]
	}
	return words
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
func (p *topologyReader) integer(f field, low, high int) int {
	v, err := strconv.ParseUint(f.text, 10, 31) // accepts no sign
	if err != nil || int(v) < low || int(v) > high {
		p.fieldError(f, "want an integer in %d..%d", low, high)
		return 0
	}
	return int(v)
}

func (p *topologyReader) switchList(count, header int) {
	words := split(p.text)
	for _, f := range words[:min(count, len(words))] {
		f.key = "switch"
		id := p.integer(f, 0, len(p.g.Nodes)-1)
		if p.err != nil {
			return
		}
		if p.g.Nodes[id].Kind == Switch {
			p.fieldError(f, "listed twice")
		}
		p.g.Nodes[id].Kind = Switch
	}
	if len(words) != count {
		p.errorf("%s, but line %d declares %d", number.Count(len(words), "switch"), header, count)
	}
}

// lineOfLink is where a link was read, and its index.
type lineOfLink struct{ line, link int }

func (p *topologyReader) link(lineOf map[[2]NodeID]lineOfLink) {
	f := p.fields("source", "destination", "rate", "delay", "error_rate")
	if p.err != nil {
		return
	}
	l := Link{A: NodeID(p.integer(f[0], 0, len(p.g.Nodes)-1)), B: NodeID(p.integer(f[1], 0, len(p.g.Nodes)-1))}
	if l.A == l.B {
		p.fieldError(f[1], "joins node %d to itself", l.A)
	}
	l.Rate = p.rate(f[2])
	var err error
	if l.Delay, err = unit.ParseTime(f[3].text); err != nil {
		p.errorAt(fmt.Sprintf("%d: delay:", f[3].col), "%w", err)
	}
	if l.Delay > maxDelay {
		p.fieldError(f[3], "want at most %s", maxDelay)
	}
	// ParseFloat also accepts hexadecimal numbers, underscores, "inf" and "nan".
	l.ErrorRate, err = strconv.ParseFloat(f[4].text, 64)
	if err != nil || strings.Trim(f[4].text, "0123456789.eE+-") != "" || !(l.ErrorRate >= 0 && l.ErrorRate < 1) ||
		f[4].text[0] == '-' {
		p.fieldError(f[4], "want a number with 0 <= error_rate < 1")
	}
	key := [2]NodeID{min(l.A, l.B), max(l.A, l.B)}
	if first, ok := lineOf[key]; ok {
		p.join(&p.g.Links[first.link], l, first.line)
		return
	}
	lineOf[key] = lineOfLink{p.line, len(p.g.Links)}
	p.g.Links = append(p.g.Links, l)
}

// join adds the rate of a parallel link l to an earlier link.
func (p *topologyReader) join(earlier *Link, l Link, line int) {
	switch sum := earlier.Rate + l.Rate; {
	case p.err != nil:
	case p.g.Nodes[l.A].Kind == Host || p.g.Nodes[l.B].Kind == Host:
		p.errorf("nodes %d and %d already have a link, in line %d (only switches can have parallel links)",
			l.A, l.B, line)
	case l.Delay != earlier.Delay || l.ErrorRate != earlier.ErrorRate:
		p.errorf("nodes %d and %d have a link with delay %v and error rate %v in line %d: want the same values for "+
			"a parallel link", l.A, l.B, earlier.Delay, earlier.ErrorRate, line)
	case sum > unit.MaxRate:
		p.errorf("nodes %d and %d have parallel links of more than %v", l.A, l.B, unit.MaxRate)
	default:
		earlier.Rate = sum
		p.g.Changes.Joined++
	}
}

// parseLinkRate reads "100Gbps", the simulators' other spelling "100Gb/s", and bit/s without a unit, such as
// "25000000000.0". A smaller number than a million probably lacks its unit.
func parseLinkRate(s string) (unit.Rate, error) {
	if number, ok := strings.CutSuffix(s, "b/s"); ok {
		s = number + "bps"
	} else if r, err := unit.ParseRate(s + "bps"); err == nil && r >= unit.Mbps {
		s += "bps"
	}
	r, err := unit.ParseRate(s)
	if err == nil && (r == 0 || r > unit.MaxRate) {
		err = fmt.Errorf("rate %q: want more than 0 and at most %v", s, unit.MaxRate)
	}
	return r, err
}

// WriteTopology writes g in the format of ReadTopology, with units that the HPCC simulators accept. The format has no
// names or layers. WriteTopology returns an error if Validate returns one, or if a link or switch has properties that
// the format lacks.
func WriteTopology(w io.Writer, g *Graph) error {
	for i, l := range g.Links {
		if l.Back != 0 {
			return fmt.Errorf("link %d: the rate is %v and the rate back %v: a topology.txt has one rate for a link",
				i, l.Rate, l.Back)
		}
		for _, n := range []NodeID{l.A, l.B} {
			if d := g.Nodes[n].Delay; d != 0 {
				return fmt.Errorf("link %d: node %d has a delay of %v: a topology.txt has no delays of switches",
					i, n, d)
			}
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

// fieldRate writes whole Gbps, Mbps, Kbps or bps; the HPCC simulators do not accept Tbps.
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

// fieldDelay writes nanoseconds, as topology files usually do, or picoseconds.
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
