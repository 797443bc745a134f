package topo

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"

	"pintlab/netsim/unit"
)

// ReadGraphML reads a map in GraphML, such as the Internet Topology Zoo's, like ReadGML. Nodes
// become switches, numbered in the order of the file. The name of a node is its data whose key is
// called "label", or else its id. The rate of an edge is its data whose key is called
// "LinkSpeedRaw". Hyperedges and graphs inside nodes are errors.
func ReadGraphML(r io.Reader, name string, f Fill) (*Graph, error) {
	w, text, err := openMap(r, name, f)
	if err != nil {
		return nil, err
	}
	roots, err := elements(xml.NewDecoder(bytes.NewReader(text)), w)
	if err != nil {
		return nil, err
	}
	p := &graphMLReader{wan: w, labels: make(map[string]bool), rates: make(map[string]unit.Rate),
		others: make(map[string]string)}
	if err := p.document(roots); err != nil {
		return nil, err
	}
	return w.graph(f)
}

// element is an XML element, with the position where its start tag ends.
type element struct {
	xml.StartElement
	at    position
	text  []byte
	inner []*element
}

// elements reads all elements. It has its own stack, so that deep nesting cannot exhaust the Go
// stack.
func elements(d *xml.Decoder, w *wan) ([]*element, error) {
	open := []*element{{}}
	for {
		t, err := d.Token()
		if errors.Is(err, io.EOF) {
			return open[0].inner, nil
		}
		line, col := d.InputPos()
		last := open[len(open)-1]
		var wrong *xml.SyntaxError
		switch at := (position{line, col}); {
		case errors.As(err, &wrong) && wrong.Msg == "unexpected EOF" && len(open) > 1:
			return nil, w.errorf(at, "want </%s>, not the end of the file", last.Name.Local)
		case wrong != nil && wrong.Msg == "unexpected EOF":
			return nil, w.errorf(at, "want an element, not the end of the file")
		case wrong != nil:
			return nil, w.errorf(at, "not XML: %s", wrong.Msg)
		case err != nil:
			return nil, w.errorf(at, "%w", err)
		}
		switch t := t.(type) {
		case xml.StartElement:
			e := &element{StartElement: t.Copy(), at: position{line, col}}
			last.inner, open = append(last.inner, e), append(open, e)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			last.text = append(last.text, t...)
		}
	}
}

func (e *element) attribute(name string) (string, bool) {
	i := slices.IndexFunc(e.Attr, func(a xml.Attr) bool { return a.Name.Local == name })
	if i < 0 {
		return "", false
	}
	return e.Attr[i].Value, true
}

type graphMLReader struct {
	*wan
	labels map[string]bool      // ids of the keys for the label of a node
	rates  map[string]unit.Rate // ids of the keys for the rate of a link, with their default, 0 for none
	others map[string]string    // ids of other keys for links, with their names
	graphs int

	directed bool // edges without an attribute of their own are directed
}

func (p *graphMLReader) document(roots []*element) error {
	for i, e := range roots {
		if e.Name.Local != "graphml" {
			return p.errorf(e.at, "element <%s>, want <graphml>", e.Name.Local)
		}
		if i > 0 {
			return p.errorf(e.at, "a second <graphml>")
		}
		for _, e := range e.inner {
			if err := p.inRoot(e); err != nil {
				return err
			}
		}
	}
	if p.graphs == 0 {
		return fmt.Errorf("%s: no graph: want <graphml> with a <graph>", p.g.Name)
	}
	return nil
}

func (p *graphMLReader) inRoot(e *element) error {
	switch e.Name.Local {
	case "key":
		owner, ok := e.attribute("for")
		if !ok {
			owner = "all" // the default of GraphML
		}
		name, _ := e.attribute("attr.name")
		label := name == "label" && (owner == "node" || owner == "all")
		rate := name == "LinkSpeedRaw" && (owner == "edge" || owner == "all")
		id, ok := e.attribute("id")
		switch {
		case !label && !rate:
			if owner != "node" {
				p.others[id] = name
			}
		case !ok:
			return p.errorf(e.at, "<key> without id")
		case label:
			p.labels[id] = true
		case p.graphs > 0:
			return p.errorf(e.at, "<key> of LinkSpeedRaw after the <graph>, want it before")
		default:
			p.rates[id] = 0
			for _, x := range e.inner {
				if x.Name.Local == "default" {
					r, err := p.number(x)
					if err != nil {
						return err
					}
					p.rates[id] = r
				}
			}
		}
	case "graph":
		if p.graphs++; p.graphs > 1 {
			return p.errorf(e.at, "a second <graph>")
		}
		standard, _ := e.attribute("edgedefault")
		p.directed = standard == "directed"
		for _, e := range e.inner {
			if err := p.inGraph(e); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *graphMLReader) inGraph(e *element) error {
	switch e.Name.Local {
	case "node":
		id, ok := e.attribute("id")
		if !ok {
			return p.errorf(e.at, "<node> without id")
		}
		name := id
		for _, x := range e.inner {
			switch key, _ := x.attribute("key"); {
			case x.Name.Local == "graph":
				return p.errorf(x.at, "a <graph> inside node %s", id)
			case x.Name.Local == "data" && p.labels[key]:
				label, err := p.value(x)
				if err != nil {
					return err
				}
				name = cmp.Or(label, name)
			}
		}
		return p.node(id, name, e.at)
	case "edge":
		source, okS := e.attribute("source")
		target, okT := e.attribute("target")
		if !okS || !okT {
			return p.errorf(e.at, "<edge> without source or target")
		}
		rate := unit.Rate(0)
		for _, r := range p.rates {
			rate = max(rate, r)
		}
		var others []string
		for _, x := range e.inner {
			key, _ := x.attribute("key")
			if _, ok := p.rates[key]; ok && x.Name.Local == "data" {
				var err error
				if rate, err = p.number(x); err != nil {
					return err
				}
			} else if name := p.others[key]; name != "" && x.Name.Local == "data" {
				others = append(others, name)
			}
		}
		directed, ok := e.attribute("directed")
		return p.edge(wanEdge{source: source, target: target, rate: rate,
			directed: directed == "true" || !ok && p.directed, at: e.at}, others)
	case "hyperedge":
		return p.errorf(e.at, "<hyperedge>: links join two nodes")
	}
	return nil
}

// number returns the rate in an element.
func (p *graphMLReader) number(e *element) (unit.Rate, error) {
	text, err := p.value(e)
	if err != nil {
		return 0, err
	}
	return p.rate(text, e.at)
}

// value returns the text of an element, which must not contain elements.
func (p *graphMLReader) value(e *element) (string, error) {
	if len(e.inner) > 0 {
		return "", p.errorf(e.inner[0].at, "<%s> inside a value", e.inner[0].Name.Local)
	}
	return string(bytes.TrimSpace(e.text)), nil
}
