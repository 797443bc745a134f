package topo

import (
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pintlab/internal/errtest"
	"pintlab/netsim/unit"
)

const treeOf16 = `# 3 tiers
Nodes 16
tiers 3
Podsize 4
Tier 0
Downlink_speed_Gbps 100
Radix_Down 2
Radix_Up 2
Downlink_Latency_ns 1000
Tier 1
Downlink_speed_Gbps 100
Radix_Down 2
Radix_Up 2
Downlink_Latency_ns 1000
Switch_Latency_ns 300
Queue_Up 1000000
Tier 2
Downlink_speed_Gbps 200
Radix_Down 4
Downlink_Latency_ns 500
`

// The tree of 16 hosts: core c is joined, in each pod, to the aggregation switch of number c modulo
// 2. The first four links down from the cores that -failed of uet-htsim counts go to the two
// aggregation switches of the first pod.
func TestHTSimTree(t *testing.T) {
	tree, err := ReadHTSim(strings.NewReader(treeOf16), "t.topo")
	if err != nil {
		t.Fatal(err)
	}
	g, err := tree.Build()
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Validate(); err != nil {
		t.Fatal(err)
	}
	if len(g.Hosts()) != 16 || len(g.Nodes) != 16+8+8+4 || len(g.Links) != 16+16+16 {
		t.Fatalf("%d hosts, %d nodes, %d links", len(g.Hosts()), len(g.Nodes), len(g.Links))
	}
	for _, l := range g.Links[32:] {
		agg, core := int(l.A)-24, int(l.B)-32
		if core%2 != agg%2 || l.Rate != 200*unit.Gbps || l.Delay != 500*unit.Nanosecond {
			t.Errorf("aggregation switch %d, core %d: %+v", agg, core, l)
		}
	}
	if n := g.Nodes[24]; n.Delay != 300*unit.Nanosecond {
		t.Errorf("%+v", n)
	}
	if n := tree.degrade(g, 4, 0.25); n != 4 || g.Links[35].Back != 50*unit.Gbps || g.Links[36].Back != 0 ||
		g.Links[35].A != 25 {
		t.Errorf("%d links, %+v, %+v", n, g.Links[35], g.Links[36])
	}
}

func TestHTSimErrors(t *testing.T) {
	for _, x := range [][3]string{
		{"Radix_Up 2\nDownlink_Latency_ns 1000\nTier 1", "Radix_Up two\nDownlink_Latency_ns 1000\nTier 1",
			`t.topo:8: Radix_Up "two"`},
		{"Podsize 4", "Podsize 5", "Podsize 5"},
		{"Nodes 16", "Nodes 16 17", "t.topo:2"},
		{"Tier 1", "Tier 2", "t.topo:10: Tier 2: want 1"},
		{"Radix_Down 4", "Radix_Down 3", "Radix_Down of Tier 2 = 3, want 4"},
		{"Radix_Down 4", "Bundle 2\nRadix_Down 4", `Bundle "2": want 1: nothing else is supported`},
		{"Radix_Down 4", "Radix_Down 4\nOversubscribed 0", `Oversubscribed "0": want a whole number from 1 to 1048576`},
		{"Tier 1\n", "Oversubscribed 4\nTier 1\n", "Oversubscribed 4 of Tier 0: want 1, or Radix_Down over Radix_Up"},
		{"Radix_Down 4", "Radix_Down 4\nOversubscribed 2", "Oversubscribed 2 of Tier 2: want 1, "},
		{"Radix_Down 4", "Radix_Sideways 4", `unknown key "Radix_Sideways" (accepted: Tier, downlink_speed_gbps`},
		{"tiers 3", "tiers 2", "t.topo:17: Tier 2"},
	} {
		_, err := ReadHTSim(strings.NewReader(strings.Replace(treeOf16, x[0], x[1], 1)), "t.topo")
		if err == nil || !strings.Contains(err.Error(), x[2]) {
			t.Errorf("%s: %v, want %s", x[1], err, x[2])
		}
	}
}

// Generated trees are written and read back as the same network; what is no such tree is refused,
// by the place that is not.
func TestWriteHTSim(t *testing.T) {
	fat, leaf := Default[KAry](), Default[LeafSpine]()
	fat.K = 4
	var b strings.Builder
	for _, c := range []interface{ Build() (*Graph, error) }{fat, leaf, DefaultFatTree320()} {
		g, err := c.Build()
		if err != nil {
			t.Fatal(err)
		}
		b.Reset()
		if err := WriteHTSim(&b, g); err != nil {
			t.Fatal(err)
		}
		tree, err := ReadHTSim(strings.NewReader(b.String()), "t")
		if err != nil {
			t.Fatal(err)
		}
		if again, err := tree.Build(); err != nil ||
			!slices.Equal(slices.Sorted(slices.Values(shape(again))), slices.Sorted(slices.Values(shape(g)))) {
			t.Errorf("%s: %v\n%s", g.Name, err, &b)
		}
	}
	fat.Degraded = 1
	rail, star := Default[Rail](), Default[Star]()
	rail.Planes = 2
	for want, c := range map[string]interface{ Build() (*Graph, error) }{
		"as .topo: link of switch 16 (… and switch 24 (…: in no tree of equal switches … degraded links": fat,
		"as .topo: switch 72 (leaf8): in no tree … planes …":                                             rail,
		"as .topo: 1 tiers …": star,
	} {
		g, err := c.Build()
		if err == nil {
			err = WriteHTSim(io.Discard, g)
		}
		if !errtest.Says(err, want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Whatever is read can be built, is a valid graph, and is the same once it has been written and read.
func FuzzReadHTSim(f *testing.F) {
	f.Add(treeOf16)
	f.Add("Nodes 4\nTiers 2\nPodsize 4\nTier 0\nDownlink_speed_Gbps 1\nRadix_Down 2\nRadix_Up 1\nTier 1\nRadix_Down " +
		"2\nDownlink_speed_Gbps 1\n")
	f.Fuzz(func(t *testing.T, text string) {
		tree, err := ReadHTSim(strings.NewReader(text), "t")
		if err != nil || tree.Hosts > 1000 || tree.Tiers[0].Up > 1000 || tree.Tiers[1].Up > 1000 {
			return
		}
		g, err := tree.Build()
		if err == nil {
			err = g.Validate()
		}
		if err != nil {
			t.Errorf("%v of\n%s", err, text)
			return
		}
		var b strings.Builder
		if err := WriteHTSim(&b, g); err != nil {
			t.Fatalf("%v of\n%s", err, text)
		}
		if again, err := ReadHTSim(strings.NewReader(b.String()), "t"); err != nil || !reflect.DeepEqual(again, tree) {
			t.Errorf("%+v, %v, want %+v", again, err, tree)
		}
	})
}
