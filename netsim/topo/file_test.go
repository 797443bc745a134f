package topo

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pintlab/internal/errtest"
	"pintlab/netsim/unit"
)

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.txt": lab, "b.gml": zooGML, "c.graphml": zooGraphML,
		"d.xml": zooGraphML, "e.txt": "4",
		"f.topo": strings.Replace(treeOf16, "Radix_Up 2", "Radix_Up 1\nOversubscribed 2", 1)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		file, name string
		nodes      int
		dropped    Changes
	}{
		{"a.txt", "a", 4, Changes{}},
		{"b.gml", "b", 3, Changes{DuplicateLinks: 1, SelfLinks: 1}},
		{"c.graphml", "c", 3, Changes{DuplicateLinks: 1, SelfLinks: 1}},
		{"d.xml", "d", 3, Changes{DuplicateLinks: 1, SelfLinks: 1}},
		{"f.topo", "f", 30, Changes{}},
	} {
		g, err := ReadFile(filepath.Join(dir, tt.file), DefaultFill())
		if err != nil || g.Name != tt.name || len(g.Nodes) != tt.nodes || g.Changes != tt.dropped {
			t.Errorf("%s: %+v, %v", tt.file, g, err)
		}
		f := File{Path: filepath.Join(dir, tt.file)}
		if hosts, err := f.Build(); !IsMap(f.Path) && (err != nil || len(hosts.Nodes) != tt.nodes) {
			t.Errorf("%s of a scenario: %+v, %v", tt.file, hosts, err)
		}
	}
	if _, err := ReadFile(filepath.Join(dir, "none.txt"), DefaultFill()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no such file: error %v", err)
	}
	bad := filepath.Join(dir, "e.txt")
	if _, err := ReadFile(bad, DefaultFill()); !errtest.Says(err, bad+":1: 1 field, want 3: nodes switches links") {
		t.Errorf("broken file: error %v", err)
	}
	want := `x.yaml: … know … ending ".yaml" (accepted: .txt … HPCC simulators' topology.txt, .topo … ` +
		`.gml, .graphml, .xml)`
	if _, err := ReadFile("x.yaml", DefaultFill()); !errtest.Says(err, want) {
		t.Errorf("unknown ending: error %v", err)
	}
}

// With a map as topology, every switch has hosts, which are numbered before the switches.
func TestFileBuildsMaps(t *testing.T) {
	dir := t.TempDir()
	gml := filepath.Join(dir, "m.gml")
	const text = "graph [ node [ id 4 label \"a\" ] node [ id 5 ] node [ id 6 ] edge [ source 4 target 5 " +
		"LinkSpeedRaw 2e9 ] edge [ source 5 target 4 ] edge [ source 5 target 6 ] ]"
	if err := os.WriteFile(gml, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f := File{Path: gml, Hosts: 2, HostRate: unit.Gbps, Rate: 3 * unit.Gbps, Delay: unit.Millisecond}
	g, err := f.Build()
	if err != nil {
		t.Fatal(err)
	}
	ms := unit.Millisecond
	want := &Graph{
		Name: gml,
		Nodes: append(make([]Node, 6), Node{Kind: Switch, Layer: 1, Name: "a"}, Node{Kind: Switch, Layer: 1},
			Node{Kind: Switch, Layer: 1}),
		Links: []Link{
			{A: 0, B: 6, Rate: unit.Gbps, Delay: ms, ErrorRate: 0},
			{A: 1, B: 6, Rate: unit.Gbps, Delay: ms, ErrorRate: 0},
			{A: 2, B: 7, Rate: unit.Gbps, Delay: ms, ErrorRate: 0},
			{A: 3, B: 7, Rate: unit.Gbps, Delay: ms, ErrorRate: 0},
			{A: 4, B: 8, Rate: unit.Gbps, Delay: ms, ErrorRate: 0},
			{A: 5, B: 8, Rate: unit.Gbps, Delay: ms, ErrorRate: 0},
			{A: 6, B: 7, Rate: 2 * unit.Gbps, Delay: ms, ErrorRate: 0},
			{A: 7, B: 8, Rate: 3 * unit.Gbps, Delay: ms, ErrorRate: 0},
		},
		Changes: Changes{DuplicateLinks: 1},
	}
	if diff := cmp.Diff(want, g); diff != "" {
		t.Error(diff)
	}
	f.Rate = 0
	if _, err := f.Build(); !errtest.Says(err, "topology.map_rate: "+gml+":1: … 1 of 2 links have no LinkSpeedRaw …") &&
		!errtest.Says(err, "topology.map_rate: … 1 of 2 links …") {
		t.Error(err)
	}
	f.Rate, f.Hosts = unit.Gbps, maxNodes
	if _, err := f.Build(); !errtest.Says(err, "topology.map_hosts: 1048576: … 3145731 nodes, want at most 1048576") {
		t.Error(err)
	}
}
