package topo

import (
	"fmt"
	"html"
	"io"
	"slices"
	"strconv"
	"unicode/utf8"

	"pintlab/netsim/unit"
)

// ReadGML reads a map in the Graph Modelling Language, such as the Internet Topology Zoo's. Every node becomes a
// switch, numbered in the order of the file and named by its label, whose control characters become spaces. Labels may
// repeat, ids may not. Every edge becomes a link in both directions with the delay of f. The rate of the link is the
// LinkSpeedRaw of the edge in bits per second, or else the rate of f. Two opposite edges of a directed graph become one
// link, in which each direction has the rate of its edge. Other attributes are ignored. Repeated edges and self loops,
// which occur in these maps, are left out and counted; a repeated edge with another rate is an error. A map that is not
// connected is an error unless f.Largest is set. The graph is valid.
//
// name is the name of the graph, and of the file in errors.
func ReadGML(r io.Reader, name string, f Fill) (*Graph, error) {
	w, text, err := openMap(r, name, f)
	if err != nil {
		return nil, err
	}
	p := &gmlParser{text: text, line: 1, w: w}
	if err := p.document(); err != nil {
		return nil, err
	}
	for i := range w.edges {
		w.edges[i].directed = p.directed
	}
	return w.graph(f)
}

// gmlParser is a recursive-descent parser of the grammar
//
//	list  = { key value }
//	value = number | string | "[" list "]"
//
// with comments from # to the end of the line.
type gmlParser struct {
	text      []byte
	off       int
	line      int // line of the offset off
	lineStart int
	w         *wan
	tok       gmlToken
	directed  bool
}

type gmlKind uint8

const (
	gmlEnd gmlKind = iota
	gmlKey
	gmlNumber
	gmlString
	gmlOpen
	gmlClose
)

var gmlNames = []string{"the end of the file", "a key", "a number", "a string", `"["`, `"]"`}

type gmlToken struct {
	kind gmlKind
	text string
	at   position
}

func (p *gmlParser) here() position { return position{p.line, p.off - p.lineStart + 1} }

// next reads a token into p.tok.
func (p *gmlParser) next() error {
	p.space()
	p.tok = gmlToken{at: p.here()}
	if p.off == len(p.text) {
		return nil
	}
	start := p.off
	switch c := p.text[p.off]; {
	case c == '[':
		p.off++
		p.tok.kind = gmlOpen
	case c == ']':
		p.off++
		p.tok.kind = gmlClose
	case c == '"':
		return p.quoted()
	case isLetter(c):
		for p.off < len(p.text) && (isLetter(p.text[p.off]) || isDigit(p.text[p.off])) {
			p.off++
		}
		p.tok.kind = gmlKey
		p.tok.text = string(p.text[start:p.off])
	case isDigit(c) || c == '-' || c == '+' || c == '.':
		for p.off < len(p.text) && isNumeric(p.text[p.off]) {
			p.off++
		}
		p.tok.kind = gmlNumber
		p.tok.text = string(p.text[start:p.off])
		if _, err := strconv.ParseFloat(p.tok.text, 64); err != nil {
			return p.w.errorf(p.tok.at, "%q is not a number", p.tok.text)
		}
	default:
		return p.w.errorf(p.tok.at, "unexpected %q, want a key, a value or a bracket", c)
	}
	return nil
}

func (p *gmlParser) space() {
	for p.off < len(p.text) {
		switch c := p.text[p.off]; {
		case c == '\n':
			p.newline()
		case c == ' ' || c == '\t' || c == '\r':
			p.off++
		case c == '#':
			for p.off < len(p.text) && p.text[p.off] != '\n' {
				p.off++
			}
		default:
			return
		}
	}
}

func (p *gmlParser) newline() {
	p.off++
	p.line++
	p.lineStart = p.off
}

// quoted reads a string. A quote inside it is written &quot;.
func (p *gmlParser) quoted() error {
	p.off++
	start := p.off
	for p.off < len(p.text) && p.text[p.off] != '"' {
		if p.text[p.off] == '\n' {
			p.newline()
		} else {
			p.off++
		}
	}
	if p.off == len(p.text) {
		return p.w.errorf(p.tok.at, "a string that does not end")
	}
	p.tok.kind = gmlString
	p.tok.text = html.UnescapeString(decode(p.text[start:p.off]))
	p.off++
	return nil
}

// decode decodes UTF-8, or else ISO 8859-1, the character set of the format.
func decode(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	runes := make([]rune, len(b))
	for i, c := range b {
		runes[i] = rune(c)
	}
	return string(runes)
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isNumeric(c byte) bool {
	return isDigit(c) || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E'
}

// list reads the pairs of a list up to its closing token. It calls pair with each key when p.tok is
// the first token of the value; pair must consume the value.
func (p *gmlParser) list(closing gmlKind, pair func(key gmlToken) error) error {
	for {
		if err := p.next(); err != nil {
			return err
		}
		if p.tok.kind == closing {
			return nil
		}
		if p.tok.kind != gmlKey {
			return p.w.errorf(p.tok.at, "want a key or %s, not %s", gmlNames[closing], p.found())
		}
		key := p.tok
		if err := p.next(); err != nil {
			return err
		}
		if k := p.tok.kind; k != gmlNumber && k != gmlString && k != gmlOpen {
			return p.w.errorf(p.tok.at, "want the value of %s, not %s", key.text, p.found())
		}
		if err := pair(key); err != nil {
			return err
		}
	}
}

func (p *gmlParser) found() string {
	if p.tok.text != "" {
		return strconv.Quote(p.tok.text)
	}
	return gmlNames[p.tok.kind]
}

// skip skips the value that starts with p.tok. It counts brackets instead of calling itself, so
// that deep nesting cannot exhaust the stack.
func (p *gmlParser) skip() error {
	for depth := 0; ; {
		switch p.tok.kind {
		case gmlOpen:
			depth++
		case gmlClose:
			depth--
		case gmlEnd:
			return p.w.errorf(p.tok.at, "the file ends inside a list")
		}
		if depth == 0 {
			return nil
		}
		if err := p.next(); err != nil {
			return err
		}
	}
}

func (p *gmlParser) document() error {
	graphs := 0
	err := p.list(gmlEnd, func(key gmlToken) error {
		if key.text != "graph" {
			return p.skip()
		}
		if graphs++; graphs > 1 {
			return p.w.errorf(key.at, "a second graph")
		}
		return p.graph(key)
	})
	if err == nil && graphs == 0 {
		err = fmt.Errorf("%s: no graph: want \"graph [ … ]\"", p.w.g.Name)
	}
	return err
}

func (p *gmlParser) graph(key gmlToken) error {
	if err := p.open(key); err != nil {
		return err
	}
	return p.list(gmlClose, func(key gmlToken) error {
		switch key.text {
		case "node":
			return p.node(key)
		case "edge":
			return p.edge(key)
		case "directed":
			p.directed = p.tok.text == "1"
		}
		return p.skip()
	})
}

func (p *gmlParser) open(key gmlToken) error {
	if p.tok.kind != gmlOpen {
		return p.w.errorf(p.tok.at, "want a list after %s, not %s", key.text, p.found())
	}
	return nil
}

func (p *gmlParser) node(key gmlToken) error {
	fields, _, err := p.record(key, "id", "label")
	if err != nil {
		return err
	}
	id, err := p.id(key, "id", fields[0])
	if err != nil {
		return err
	}
	return p.w.node(id, fields[1].text, key.at)
}

func (p *gmlParser) edge(key gmlToken) error {
	fields, others, err := p.record(key, "source", "target", "LinkSpeedRaw")
	if err != nil {
		return err
	}
	var ends [2]string
	for i, name := range []string{"source", "target"} {
		if ends[i], err = p.id(key, name, fields[i]); err != nil {
			return err
		}
	}
	var rate unit.Rate
	if f := fields[2]; f.kind != gmlEnd {
		if rate, err = p.w.rate(f.text, f.at); err != nil {
			return err
		}
	}
	return p.w.edge(wanEdge{source: ends[0], target: ends[1], rate: rate, at: key.at}, others)
}

// id checks and normalises a node number.
func (p *gmlParser) id(owner gmlToken, name string, f gmlToken) (string, error) {
	if f.kind == gmlEnd {
		return "", p.w.errorf(owner.at, "%s without %s", owner.text, name)
	}
	v, err := strconv.ParseInt(f.text, 10, 64)
	if f.kind != gmlNumber || err != nil {
		return "", p.w.errorf(f.at, "%s of the %s is %s, want an integer", name, owner.text, strconv.Quote(f.text))
	}
	return strconv.FormatInt(v, 10), nil
}

// record reads a list and returns the values of some keys, in the order of names, and the other keys. A missing value
// is of kind gmlEnd.
func (p *gmlParser) record(owner gmlToken, names ...string) (fields []gmlToken, others []string, err error) {
	if err := p.open(owner); err != nil {
		return nil, nil, err
	}
	fields = make([]gmlToken, len(names))
	err = p.list(gmlClose, func(key gmlToken) error {
		if !slices.Contains(names, key.text) {
			others = append(others, key.text)
		}
		for i, name := range names {
			if key.text != name {
				continue
			}
			if fields[i].kind != gmlEnd {
				return p.w.errorf(key.at, "a second %s in one %s", name, owner.text)
			}
			if p.tok.kind == gmlOpen {
				return p.w.errorf(p.tok.at, "%s of the %s is a list, want a number or a string", name, owner.text)
			}
			fields[i] = p.tok
		}
		return p.skip()
	})
	return fields, others, err
}
