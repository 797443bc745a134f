package topo

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"pintlab/netsim/unit"
)

// ReadGraphML reads a map in GraphML, such as those of the Internet Topology
// Zoo, like ReadGML: nodes become switches, numbered in the order of the file
// and named by the data whose key is called "label" (without it, by their id); the
// data of an edge whose key is called "LinkSpeedRaw" are its rate.
// Hyperedges and graphs inside nodes are refused.
func ReadGraphML(r io.Reader, name string, f Fill) (*Graph, error) {
	w, text, err := openMap(r, name, f)
	if err != nil {
		return nil, err
	}
	p := &graphMLParser{xml: xml.NewDecoder(bytes.NewReader(text)), w: w, labels: make(map[string]bool), rates: make(map[string]unit.Rate)}
	if err := p.document(); err != nil {
		return nil, err
	}
	return w.graph(f)
}

type graphMLParser struct {
	xml    *xml.Decoder
	w      *wan
	labels map[string]bool      // ids of keys that hold the label of a node
	rates  map[string]unit.Rate // ids of keys that hold the rate of a link, with their default, 0 for none
	graphs int
}

func (p *graphMLParser) here() position {
	line, col := p.xml.InputPos()
	return position{line, col}
}

// token returns the next token, with the place where it ends in an error.
func (p *graphMLParser) token() (xml.Token, error) {
	t, err := p.xml.Token()
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, p.w.errorf(p.here(), "%w", err)
	}
	return t, err
}

// children calls f for each element inside the current one, up to its end. f
// must consume the element.
func (p *graphMLParser) children(f func(xml.StartElement) error) error {
	for {
		t, err := p.token()
		if err != nil {
			return err
		}
		switch t := t.(type) {
		case xml.StartElement:
			if err := f(t); err != nil {
				return err
			}
		case xml.EndElement:
			return nil
		}
	}
}

// skip passes over the current element. It counts rather than calling itself, so
// that no depth of nesting exhausts the stack.
func (p *graphMLParser) skip() error {
	for depth := 1; depth > 0; {
		t, err := p.token()
		if err != nil {
			return err
		}
		switch t.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		}
	}
	return nil
}

func (p *graphMLParser) document() error {
	roots := 0
	for {
		t, err := p.token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		e, ok := t.(xml.StartElement)
		if !ok {
			continue
		}
		if e.Name.Local != "graphml" {
			return p.w.errorf(p.here(), "element <%s>, want <graphml>", e.Name.Local)
		}
		if roots++; roots > 1 {
			return p.w.errorf(p.here(), "a second <graphml>")
		}
		if err := p.children(p.inRoot); err != nil {
			return err
		}
	}
	if p.graphs == 0 {
		return fmt.Errorf("%s: no graph: want <graphml> with a <graph>", p.w.g.Name)
	}
	return nil
}

func (p *graphMLParser) inRoot(e xml.StartElement) error {
	switch e.Name.Local {
	case "key":
		owner, ok := attribute(e, "for")
		if !ok {
			owner = "all" // the default of GraphML
		}
		if name, _ := attribute(e, "attr.name"); name == "label" && (owner == "node" || owner == "all") {
			id, ok := attribute(e, "id")
			if !ok {
				return p.w.errorf(p.here(), "<key> without id")
			}
			p.labels[id] = true
		} else if name == "LinkSpeedRaw" && (owner == "edge" || owner == "all") {
			return p.rateKey(e)
		}
	case "graph":
		if p.graphs++; p.graphs > 1 {
			return p.w.errorf(p.here(), "a second <graph>")
		}
		return p.children(p.inGraph)
	}
	return p.skip()
}

func (p *graphMLParser) inGraph(e xml.StartElement) error {
	switch e.Name.Local {
	case "node":
		return p.node(e)
	case "edge":
		at := p.here()
		source, okS := attribute(e, "source")
		target, okT := attribute(e, "target")
		if !okS || !okT {
			return p.w.errorf(at, "<edge> without source or target")
		}
		rate, err := p.edgeRate()
		if err != nil {
			return err
		}
		return p.w.edge(source, target, rate, at)
	case "hyperedge":
		return p.w.errorf(p.here(), "<hyperedge>: links join two nodes")
	}
	return p.skip()
}

// rateKey reads the <key> of the rate of links, with its default if it has one.
func (p *graphMLParser) rateKey(e xml.StartElement) error {
	id, ok := attribute(e, "id")
	if !ok {
		return p.w.errorf(p.here(), "<key> without id")
	}
	if p.graphs > 0 {
		return p.w.errorf(p.here(), "<key> of LinkSpeedRaw after the <graph>, want it before")
	}
	p.rates[id] = 0
	return p.children(func(e xml.StartElement) (err error) {
		if e.Name.Local != "default" {
			return p.skip()
		}
		p.rates[id], err = p.number()
		return err
	})
}

// edgeRate reads the rest of an <edge>.
func (p *graphMLParser) edgeRate() (rate unit.Rate, err error) {
	for _, r := range p.rates {
		rate = max(rate, r)
	}
	err = p.children(func(e xml.StartElement) (err error) {
		key, _ := attribute(e, "key")
		if _, ok := p.rates[key]; !ok || e.Name.Local != "data" {
			return p.skip()
		}
		rate, err = p.number()
		return err
	})
	return rate, err
}

// number returns the rate that the current element holds.
func (p *graphMLParser) number() (unit.Rate, error) {
	at := p.here()
	text, err := p.text()
	if err != nil {
		return 0, err
	}
	return p.w.rate(text, at)
}

func (p *graphMLParser) node(e xml.StartElement) error {
	at := p.here()
	id, ok := attribute(e, "id")
	if !ok {
		return p.w.errorf(at, "<node> without id")
	}
	name := id
	err := p.children(func(e xml.StartElement) error {
		switch key, _ := attribute(e, "key"); {
		case e.Name.Local == "graph":
			return p.w.errorf(p.here(), "a <graph> inside node %s", id)
		case e.Name.Local == "data" && p.labels[key]:
			label, err := p.text()
			if label != "" {
				name = label
			}
			return err
		}
		return p.skip()
	})
	if err != nil {
		return err
	}
	return p.w.node(id, name, at)
}

// text returns the text of the current element, which holds no others.
func (p *graphMLParser) text() (string, error) {
	var b strings.Builder
	for {
		t, err := p.token()
		if err != nil {
			return "", err
		}
		switch t := t.(type) {
		case xml.CharData:
			b.Write(t)
		case xml.StartElement:
			return "", p.w.errorf(p.here(), "<%s> inside a value", t.Name.Local)
		case xml.EndElement:
			return strings.TrimSpace(b.String()), nil
		}
	}
}

func attribute(e xml.StartElement, name string) (string, bool) {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value, true
		}
	}
	return "", false
}
