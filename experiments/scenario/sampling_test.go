package scenario

import (
	"slices"
	"testing"

	"pintlab/internal/errtest"
)

func TestSamplingErrors(t *testing.T) {
	tests := []struct{ text, want string }{
		{"{period: 1us}", `f:2:22: run.sampling.period: "1us": has no effect (only with run.sampling.enabled = true)`},
		{"{enabled: true, series: flows, ports: [0-1]}",
			`f:2:51: run.sampling.ports: has no effect (only with run.sampling.series = ports or both)`},
		{"{enabled: true, ports: [0-1], nodes: [all]}",
			`f:2:50: run.sampling.nodes: has no effect (only with run.sampling.ports = [all])`},
		{"{enabled: true, ports: [0-1, 0-1]}", `f:2:36: run.sampling.ports: [0-1, 0-1]: 0-1 is listed twice`},
		{"{enabled: true, ports: [all, 0-1]}", `f:2:36: run.sampling.ports: [all, 0-1]: all stands alone`},
		{"{enabled: true, ports: [3]}",
			`f:2:36: run.sampling.ports: [3]: "3": want the numbers of two nodes, such as 16-3 for the port of node ` +
				`16 towards node 3, or all`},
		{"{enabled: true, nodes: [4-2]}",
			`f:2:36: run.sampling.nodes: [4-2]: "4-2": want a number (3) or a range (16-19), or switches, hosts, all`},
		{"{enabled: true, flows: []}", `f:2:36: run.sampling.flows: []: want >= 1`},
		{"{enabled: true, src: [h3]}",
			`f:2:34: run.sampling.src: [h3]: "h3": want a number (3) or a range (16-19), or all`},
		{"{enabled: true, formats: []}",
			`f:2:38: run.sampling.formats: []: want at least one (accepted: parquet, csv)`},
		{"{enabled: true, formats: [text]}",
			`f:2:38: run.sampling.formats: [text]: not known (accepted: parquet, csv)`},
		{"{enabled: true, rows: some}", `f:2:35: run.sampling.rows: "some": not known (accepted: all, changed)`},
		{"{enabled: true, from: 2ms, to: 1ms}", `f:2:44: run.sampling.to: 1ms: want after from = 2ms`},
		{"{enabled: true, from: 20s}", `f:2:35: run.sampling.from: 20s: has no effect: ` +
			`the run ends earlier, at run.until = 10s`},
	}
	for _, tt := range tests {
		_, err := Parse([]byte("run:\n  sampling: "+tt.text+"\n"), "f")
		if !errtest.Says(err, tt.want) {
			t.Errorf("%s\n got %v\nwant %s", tt.text, err, tt.want)
		}
	}
}

// The list of ports determines the nodes. This is also true if --set sets the list.
func TestSamplingFilters(t *testing.T) {
	s, err := Default().With("run.sampling.enabled=true")
	if err != nil {
		t.Fatal(err)
	}
	p := &s.Run.Sampling
	if !slices.Equal(p.Nodes, []string{Switches}) || !slices.Equal(p.Flows, []string{All}) || !p.OfPorts() ||
		!p.OfFlows() {
		t.Errorf("defaults %+v", *p)
	}
	if err := s.Set("run.sampling.ports=[0-320, 320-0]", "run.sampling.flows=[3, 7-9]"); err != nil {
		t.Fatal(err)
	}
	if p.Nodes != nil || !slices.Equal(p.Ports, []string{"0-320", "320-0"}) ||
		!slices.Equal(p.Flows, []string{"3", "7-9"}) {
		t.Errorf("after a choice of ports %+v", *p)
	}
	if err := s.Set("run.sampling.series=flows"); err != nil {
		t.Fatal(err)
	}
	if p.Ports != nil || p.OfPorts() {
		t.Errorf("only flows: %+v", *p)
	}
	again, err := Parse(s.YAML(), "again")
	if err != nil || !slices.Equal(again.Run.Sampling.Flows, p.Flows) {
		t.Errorf("read back: %v, %+v", err, again.Run.Sampling)
	}
	if r, err := ParseRange("7-9"); err != nil || r.Has(6) || !r.Has(7) || !r.Has(9) || r.Has(10) {
		t.Errorf("range %+v, %v", r, err)
	}
}
