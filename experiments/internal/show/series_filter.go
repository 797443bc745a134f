package show

import (
	"fmt"
	"slices"
	"strings"

	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/netsim/unit"
)

// SeriesOptions select what is shown. Empty lists select everything. A selection that matches nothing is an
// error.
type SeriesOptions struct {
	// Language is the language of the scenarios; nil for the standard one.
	Language *scenario.Language
	// Nodes selects the ports that send from nodes, by numbers and ranges.
	Nodes []string `flag:"node" use:"only ports of these {nodes}: 3, or 16-19"`
	Ports []string `flag:"port" use:"only these {ports}: 'tor0 to h3', or 16-3 by the numbers of the nodes"`
	// Layers selects ports by pairs of layers. For example, edge-core selects the ports of ToR switches towards core
	// switches.
	Layers []string `flag:"layer" use:"only ports of these {layers}, such as edge-core"`
	Flows  []string `flag:"flow" use:"only these {flows}: 3, or 16-19"`
	// Interval is rounded up to a multiple of the sampling period, for several runs of all their periods.
	Interval unit.Time `flag:"interval" range:">0s" use:"{time} of a goodput (default: 1/50 of the shortest series)"`
}

// word is one entry of a list of SeriesOptions.
type word[T any] struct {
	flag, text string
	wants      func(*T) bool
	used       bool
}

// filter selects a row if every list has an entry that matches the row.
type filter[T any] [][]*word[T]

// parse adds a list of entries.
func (f *filter[T]) parse(flag string, texts []string, parse func(string) (func(*T) bool, error)) error {
	var list []*word[T]
	for _, t := range texts {
		wants, err := parse(t)
		if err != nil {
			return fmt.Errorf("--%s: %w", flag, err)
		}
		list = append(list, &word[T]{flag: flag, text: t, wants: wants})
	}
	if list != nil {
		*f = append(*f, list)
	}
	return nil
}

func (f filter[T]) wants(row *T) bool {
	all := true
	for _, list := range f {
		some := false
		for _, w := range list {
			if w.wants(row) {
				w.used, some = true, true
			}
		}
		all = all && some
	}
	return all
}

// unused returns an error if an entry matches no row. there describes the rows in the error.
func (f filter[T]) unused(there string) error {
	for _, list := range f {
		for _, w := range list {
			if !w.used {
				return fmt.Errorf("--%s %s matches nothing in the series, which has %s", w.flag, w.text, there)
			}
		}
	}
	return nil
}

// asRange returns a parser for entries that are a number or a range of numbers. An entry matches a row if the row's
// number is the number or lies in the range.
func asRange[T any](number func(*T) int64) func(string) (func(*T) bool, error) {
	return func(text string) (func(*T) bool, error) {
		r, err := scenario.ParseRange(text)
		return func(row *T) bool { return int64(r.First) <= number(row) && number(row) <= int64(r.Last) }, err
	}
}

func (o *SeriesOptions) portFilter(node names) (filter[store.PortSample], error) {
	var f filter[store.PortSample]
	if err := f.parse("node", o.Nodes, asRange(func(p *store.PortSample) int64 { return int64(p.Node) })); err != nil {
		return nil, err
	}
	if err := f.parse("port", o.Ports, func(text string) (func(*store.PortSample) bool, error) {
		if strings.Contains(text, " to ") {
			return func(p *store.PortSample) bool { return text == node.of(portID{p.Node, p.Peer}) }, nil
		}
		from, to, err := scenario.ParsePort(text)
		return func(p *store.PortSample) bool { return p.Node == from && p.Peer == to }, err
	}); err != nil {
		return nil, err
	}
	err := f.parse("layer", o.Layers, func(text string) (func(*store.PortSample) bool, error) {
		return func(p *store.PortSample) bool { return p.Layer == text }, nil
	})
	return f, err
}

func (o *SeriesOptions) flowFilter() (filter[store.FlowSample], error) {
	var f filter[store.FlowSample]
	err := f.parse("flow", o.Flows, asRange(func(r *store.FlowSample) int64 { return r.Flow }))
	return f, err
}

// sampledFlows selects the flows that a run samples.
func sampledFlows(s *scenario.Sampling) (filter[store.FlowSample], error) {
	var f filter[store.FlowSample]
	for _, key := range []struct {
		name  string
		words []string
		of    func(*store.FlowSample) int64
	}{
		{"flows", s.Flows, func(r *store.FlowSample) int64 { return r.Flow }},
		{"src", s.Src, func(r *store.FlowSample) int64 { return int64(r.Src) }},
		{"dst", s.Dst, func(r *store.FlowSample) int64 { return int64(r.Dst) }},
	} {
		if slices.Equal(key.words, []string{scenario.All}) {
			continue
		}
		if err := f.parse("run.sampling."+key.name, key.words, asRange(key.of)); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// without returns an error if the options select parts of a series that the run does not have.
func (o *SeriesOptions) without(series *scenario.Sampling) error {
	for _, f := range []struct {
		name  string
		words []string
		there bool
		kind  string
	}{
		{"node", o.Nodes, series.OfPorts(), "ports"}, {"port", o.Ports, series.OfPorts(), "ports"},
		{"layer", o.Layers, series.OfPorts(), "ports"}, {"flow", o.Flows, series.OfFlows(), "flows"},
	} {
		if len(f.words) > 0 && !f.there {
			return fmt.Errorf("--%s %s has no effect: the run has no series of %s (run.sampling.series = %s)", f.name,
				strings.Join(f.words, ","), f.kind, series.Series)
		}
	}
	return nil
}

// some joins names into a list that contains at most a few of them.
func some(names []string) string {
	const few = 12
	if len(names) <= few {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s, … (%d in all)", strings.Join(slices.Clone(names[:few]), ", "), len(names))
}
