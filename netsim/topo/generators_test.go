package topo

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pintlab/internal/errtest"
	"pintlab/netsim/schema"
	"pintlab/netsim/unit"
)

func must(t testing.TB, g *Graph, err error) *Graph {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// shared reads a data file next to the checkout.
func shared(t testing.TB, path string) []byte {
	t.Helper()
	text, err := os.ReadFile("../../../shared/" + path)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("needs ../shared/%s next to the checkout", path)
	}
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// The 320-server tree equals the file of the published simulator byte by byte.
func TestFatTree320IsThePublishedFile(t *testing.T) {
	want := shared(t, "reference/hpcc-pint-ns3/fat320-fb-50us/topology.txt")
	var got bytes.Buffer
	if err := WriteTopology(&got, DefaultFatTree320().build()); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bytes.TrimRight(got.Bytes(), "\n"), bytes.TrimRight(want, "\n")) {
		t.Error("the links of FatTree320 differ from the published topology.txt")
	}
}

// The 320-server tree has the wiring in the paper's description. This test needs no file.
func TestFatTree320Wiring(t *testing.T) {
	g := DefaultFatTree320().build()
	adj := g.Adjacency()
	peers := func(id NodeID) (ids []NodeID) {
		for _, a := range adj.Of(id) {
			ids = append(ids, a.Peer)
		}
		return ids
	}
	for _, tt := range []struct {
		id   NodeID
		name string
		want []NodeID
	}{
		{0, "h0", []NodeID{320}},
		{319, "h319", []NodeID{339}},
		{320, "tor0", []NodeID{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 340, 341, 342, 343}},
		{347, "agg7", []NodeID{324, 325, 326, 327, 372, 373, 374, 375}},
		{360, "core0", []NodeID{340, 344, 348, 352, 356}},
		{375, "core15", []NodeID{343, 347, 351, 355, 359}},
	} {
		if got := peers(tt.id); !slices.Equal(got, tt.want) || g.Nodes[tt.id].Name != tt.name {
			t.Errorf("%s is linked to %v, want %s to %v", g.Label(tt.id), got, tt.name, tt.want)
		}
	}
	for i, l := range g.Links {
		want := 400 * unit.Gbps
		if i < 320 {
			want = 100 * unit.Gbps
		}
		if l.Rate != want || l.Delay != unit.Microsecond || l.ErrorRate != 0 {
			t.Errorf("link %d is %v, want %s, 1us, no loss", i, l, want)
		}
	}
}

func TestGeneratorSizes(t *testing.T) {
	build := func(g *Graph, err error) *Graph { return must(t, g, err) }
	wear := schema.Default[Wear]()
	for _, tt := range []struct {
		g      *Graph
		name   string
		layers []int // nodes of layer 0, 1, …
		links  int
	}{
		{build(DefaultFatTree320().Build()), "fat320", []int{320, 20, 20, 16}, 320 + 80 + 80},
		{build(DefaultClos64().Build()), "clos64", []int{64, 16, 16, 16}, 64 + 64 + 64},
		{build(DefaultFatTree8().Build()), "fat8", []int{8, 4, 4, 2}, 8 + 8 + 8},
		{build(uplinks(1).Build()), "fat8", []int{8, 4, 4, 2}, 8 + 8 + 4},
		{build(KAry{K: 2, HostRate: 1, FabricRate: 1, Wear: wear}.Build()), "fat-tree-k2",
			[]int{2, 2, 2, 1}, 6},
		{build(schema.Default[KAry]().Build()), "fat-tree-k8", []int{128, 32, 32, 16}, 3 * 128},
		{build(KAry{K: 32, HostRate: 1, FabricRate: 1, Wear: wear}.Build()), "fat-tree-k32",
			[]int{8192, 512, 512, 256}, 3 * 8192},
		{build(schema.Default[LeafSpine]().Build()), "leaf-spine", []int{144, 9, 4}, 144 + 36},
		{build(schema.Default[Dumbbell]().Build()), "dumbbell", []int{4, 2}, 5},
		{build(schema.Default[Star]().Build()), "star", []int{17, 1}, 17},
		{build(schema.Default[Chain]().Build()), "chain", []int{2, 2, 2, 1}, 6},
		{build(Chain{5, 2, false, 1, 1, 0}.Build()), "chain", []int{10, 5}, 14},
		{build(Chain{1, 2, true, 1, 1, 0}.Build()), "chain", []int{4, 1}, 4},
	} {
		var layers []int
		for _, n := range tt.g.Nodes {
			for len(layers) <= int(n.Layer) {
				layers = append(layers, 0)
			}
			layers[n.Layer]++
		}
		if !slices.Equal(layers, tt.layers) || len(tt.g.Links) != tt.links || tt.g.Name != tt.name {
			t.Errorf("%s has layers of %v and %d links, want %s, %v and %d",
				tt.g.Name, layers, len(tt.g.Links), tt.name, tt.layers, tt.links)
		}
	}
}

// uplinks returns the testbed of SketchINT with this number of uplinks.
func uplinks(n int) SketchINTTestbed {
	c := schema.Default[SketchINTTestbed]()
	c.Uplinks = n
	return c
}

// With one uplink each, the aggregation switches of a pod of the testbed have different core switches; with two, every
// core switch is joined to all of them.
func TestUplinksOfTheTestbed(t *testing.T) {
	for _, tt := range []struct {
		uplinks int
		want    [][]NodeID // aggregation switches of each core switch
	}{
		{1, [][]NodeID{{12, 14}, {13, 15}}},
		{2, [][]NodeID{{12, 13, 14, 15}, {12, 13, 14, 15}}},
	} {
		g, err := uplinks(tt.uplinks).Build()
		must(t, g, err)
		got := make([][]NodeID, 2)
		for _, l := range g.Links {
			if l.B >= 16 {
				got[l.B-16] = append(got[l.B-16], l.A)
			}
		}
		if !reflect.DeepEqual(got, tt.want) {
			t.Errorf("with %d uplinks the core switches are joined to %v, want %v", tt.uplinks, got, tt.want)
		}
	}
}

func TestDumbbellAndChainPlaceTheirHosts(t *testing.T) {
	build := func(g *Graph, err error) *Graph { return must(t, g, err) }
	ends := func(g *Graph) (s string) {
		for _, l := range g.Links {
			s += fmt.Sprintf(" %d-%d@%s", l.A, l.B, l.Rate)
		}
		return s
	}
	for _, tt := range []struct {
		g    *Graph
		want string
	}{
		{build(Dumbbell{1, 2, 5, 9, 0}.Build()), " 0-3@5bps 1-4@5bps 2-4@5bps 3-4@9bps"},
		{build(Chain{3, 1, true, 5, 9, 0}.Build()), " 0-2@5bps 1-4@5bps 2-3@9bps 3-4@9bps"},
	} {
		if got := ends(tt.g); got != tt.want {
			t.Errorf("links%s, want%s", got, tt.want)
		}
	}
}

// drawGenerated returns a small graph of any generator.
func drawGenerated(t *rapid.T) *Graph {
	small := rapid.IntRange(1, 5)
	rate := func(what string) unit.Rate { return unit.Rate(rapid.Int64Range(1, int64(unit.MaxRate)).Draw(t, what)) }
	host, fabric := rate("host rate"), rate("fabric rate")
	delay := unit.Time(rapid.Int64Range(0, int64(maxDelay)).Draw(t, "delay"))
	wear := schema.Default[Wear]()
	short := min(delay, unit.Second)
	type generator interface{ Build() (*Graph, error) }
	c := []generator{
		FatTree{"x", small.Draw(t, "pods"), small.Draw(t, "tors"), small.Draw(t, "aggs"), small.Draw(t, "cores"),
			small.Draw(t, "hosts"), host, fabric, delay, rapid.Bool().Draw(t, "common cores")},
		KAry{K: 2 * small.Draw(t, "k/2"), HostRate: host, FabricRate: fabric, Delay: short, Wear: wear},
		LeafSpine{Leaves: small.Draw(t, "leaves"), Spines: small.Draw(t, "spines"), HostsPerLeaf: small.Draw(t,
			"hosts"), Homes: 1, Planes: 1, HostRate: host, FabricRate: fabric, Delay: short, Wear: wear},
		Dumbbell{small.Draw(t, "left"), small.Draw(t, "right"), host, fabric, short},
		Star{1 + small.Draw(t, "hosts"), host, short},
		Chain{small.Draw(t, "switches"), small.Draw(t, "hosts"), rapid.Bool().Draw(t, "ends"), host, fabric, short},
	}[rapid.IntRange(0, 5).Draw(t, "generator")]
	g, err := c.Build()
	if err != nil {
		t.Fatalf("%+v: %v", c, err)
	}
	return g
}

// Every generator returns a valid graph with hosts numbered first, one link per host, different names, and layers by
// the distance from the hosts.
func TestGeneratedGraphs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGenerated(t)
		if err := g.Validate(); err != nil {
			t.Fatal(err)
		}
		adj := g.Adjacency()
		names := make(map[string]bool)
		for i, n := range g.Nodes {
			if i > 0 && n.Kind < g.Nodes[i-1].Kind {
				t.Errorf("host %d comes after a switch", i)
			}
			if n.Kind == Host && len(adj.Of(NodeID(i))) != 1 {
				t.Errorf("host %d has %d links, want 1", i, len(adj.Of(NodeID(i))))
			}
			if names[n.Name] || n.Name == "" {
				t.Errorf("name %q of node %d is not its own", n.Name, i)
			}
			names[n.Name] = true
		}
		layers := slices.Clone(g.Nodes)
		g.InferLayers()
		if !slices.Equal(g.Nodes, layers) {
			t.Errorf("layers %v, inferred %v", layers, g.Nodes)
		}
	})
}

func TestGeneratorRefusals(t *testing.T) {
	type generator interface{ Build() (*Graph, error) }
	fat, clos := DefaultFatTree320(), DefaultClos64()
	fat.Pods, fat.HostRate = 0, -1
	clos.Pods, clos.ToRsPerPod, clos.HostsPerToR = 512, 512, 512
	star, wear := schema.Default[Star](), schema.Default[Wear]()
	star.Delay = -unit.Microsecond
	bell := schema.Default[Dumbbell]()
	bell.Left, bell.BottleneckRate = -1, 0
	chain := schema.Default[Chain]()
	chain.Switches, chain.HostsPerSwitch = 256, 0
	leaves := schema.Default[LeafSpine]()
	leaves.Leaves, leaves.HostsPerLeaf = 4096, 4096
	for _, tt := range []struct {
		c    generator
		want string
	}{
		{fat, "fat tree: pods = 0, want 1..512\nhost_rate = -1 bit/s, want > 0 and at most 10Tbps"},
		{clos, "fat tree: 134481936 nodes, want at most 1048576\n135274496 links, want at most 4194304"},
		{KAry{K: 7, HostRate: 1, FabricRate: 1, Wear: wear}, "k-ary fat tree: k: 7: want an even number, …"},
		{KAry{K: 130}, "k-ary fat tree: k: 130: want >= 2 and <= 128\nhost_rate: 0bps: want > 0bps and <= " +
			"10Tbps\nfabric_rate: 0bps: want > 0bps and … degraded_share: 0: want >= 0.001"},
		{LeafSpine{}, "leaf-spine: leaves: 0: want >= 1 and <= 4096\nspines: 0: … hosts_per_leaf: 0: … homes: 0: " +
			"want >= 1 and <= 64\nplanes: 0: … host_rate: 0bps: want > 0bps and <= 10Tbps\nfabric_rate: 0bps:"},
		{bell, "dumbbell: left: -1: want >= 1 and <= 4096\nbottleneck_rate: 0bps: want > 0bps and <= 10Tbps"},
		{star, "star: link_delay: -1us: want >= 0s and <= 1s"},
		{chain, "chain: switches: 256: want >= 1 and <= 255\nhosts_per_switch: 0: want >= 1 and <= 4096"},
		{leaves, "leaf-spine: 16781316 nodes, … 1048576"},
	} {
		if _, err := tt.c.Build(); !errtest.Says(err, tt.want) {
			t.Errorf("%+v: error %v\nwant %s", tt.c, err, tt.want)
		}
	}
}
