package topo

import (
	"bufio"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pintlab/internal/errtest"
	"pintlab/netsim/schema"
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

// In the tree of 16 hosts, core c is linked to aggregation switch c modulo 2 of each pod. The first four core links
// that -failed of uet-htsim counts lead to the two aggregation switches of the first pod.
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

// The forms of published files. Each has the given numbers of hosts, ToRs, aggregation switches or spines, cores and
// links, and the given rate of the last link.
func TestHTSimForms(t *testing.T) {
	tier := func(rate, down, up int, more string) string {
		text := fmt.Sprintf("Downlink_speed_Gbps %d\nRadix_Down %d\n", rate, down)
		if up > 0 {
			text += fmt.Sprintf("Radix_Up %d\n", up)
		}
		return text + "Downlink_Latency_ns 1000\n" + more
	}
	file := func(nodes, pod int, tiers ...string) string {
		text := fmt.Sprintf("Nodes %d\nTiers %d\nPodsize %d\n\n", nodes, len(tiers), pod)
		for i, x := range tiers {
			text += fmt.Sprintf("Tier %d\n%s\n", i, x)
		}
		return text
	}
	leafSpine := func(nodes, rate, down, up int, more string) string {
		return file(nodes, nodes, tier(rate, down, up, more), tier(rate, nodes/down, 0, ""))
	}
	fat := func(more string) string {
		return file(128, 16, tier(100, 4, 4, more), tier(100, 4, 4, more), tier(100, 8, 0, ""))
	}
	overFat := func(o int, at0, at1 string) string {
		return file(128, 16, tier(100, 4, 4/o, at0), tier(100, 4, 4, at1), tier(100, 8, 0, ""))
	}
	windows := strings.NewReplacer("\n", "\r\n").Replace
	for name, x := range map[string]struct {
		text                     string
		tors, aggs, cores, links int
		rate                     unit.Rate
		joined                   int
	}{
		"leaf-spine":               {leafSpine(32, 100, 8, 8, ""), 4, 8, 0, 64, 100, 0},
		"of 400 Gb/s":              {leafSpine(32, 400, 8, 8, ""), 4, 8, 0, 64, 400, 0},
		"of 4 spines":              {leafSpine(16, 100, 4, 4, "Switch_Latency_ns 0\n"), 4, 4, 0, 32, 100, 0},
		"Oversubscribed 1":         {leafSpine(32, 100, 8, 8, "Oversubscribed 1\n"), 4, 8, 0, 64, 100, 0},
		"Oversubscribed 2":         {leafSpine(32, 100, 8, 4, "Oversubscribed 2\n"), 4, 4, 0, 48, 100, 0},
		"Oversubscribed 4":         {leafSpine(32, 100, 8, 2, "Oversubscribed 4\n"), 4, 2, 0, 40, 100, 0},
		"Oversubscribed 8":         {leafSpine(32, 100, 8, 1, "Oversubscribed 8\n"), 4, 1, 0, 36, 100, 0},
		"not said":                 {leafSpine(32, 100, 8, 2, ""), 4, 2, 0, 40, 100, 0},
		"said to be 1":             {leafSpine(32, 100, 8, 2, "Oversubscribed 1\n"), 4, 2, 0, 40, 100, 0},
		"one leaf":                 {leafSpine(4, 100, 4, 4, ""), 1, 4, 0, 8, 100, 0},
		"queues":                   {leafSpine(32, 100, 8, 8, "Queue_Up 1001\n"), 4, 8, 0, 64, 100, 0},
		"lower case":               {strings.ToLower(leafSpine(32, 100, 8, 8, "Bundle 1\n")), 4, 8, 0, 64, 100, 0},
		"Windows":                  {windows(leafSpine(32, 100, 8, 8, "")), 4, 8, 0, 64, 100, 0},
		"tabs and comments":        {"# t\n" + strings.ReplaceAll(fat(""), " ", "\t "), 32, 32, 16, 384, 100, 0},
		"no end of line":           {strings.TrimSpace(fat("")), 32, 32, 16, 384, 100, 0},
		"fat tree":                 {fat(""), 32, 32, 16, 384, 100, 0},
		"fat tree, Oversubscribed": {fat("Oversubscribed 1\n"), 32, 32, 16, 384, 100, 0},
		"fat tree, Bundle":         {fat("Bundle 1\nSwitch_Latency_ns 0\n"), 32, 32, 16, 384, 100, 0},
		"fat tree, latency":        {fat("Switch_Latency_ns 400\n"), 32, 32, 16, 384, 100, 0},
		"fat tree, 2 at ToRs":      {overFat(2, "Oversubscribed 2\n", ""), 32, 16, 8, 256, 100, 0},
		"fat tree, 4 at ToRs":      {overFat(4, "Oversubscribed 4\n", "Oversubscribed 1\n"), 32, 8, 4, 192, 100, 0},
		"fat tree, 2 at the middle": {file(128, 16, tier(100, 4, 4, ""), tier(100, 4, 2, "Oversubscribed 2\n"),
			tier(100, 8, 0, "")),
			32, 32, 8, 320, 100, 0},
		"faster core": {file(128, 16, tier(100, 4, 4, ""), tier(100, 4, 2, ""), tier(200, 8, 0, "")),
			32, 32, 8, 320, 200, 0},
		"faster, Oversubscribed": {file(128, 128, tier(100, 16, 2, "Oversubscribed 2\n"), tier(400, 8, 0, "")),
			8, 2, 0, 144, 400, 0},
		"faster, of the radixes": {file(128, 128, tier(100, 16, 2, "Oversubscribed 8\n"), tier(400, 8, 0, "")),
			8, 2, 0, 144, 400, 0},
		"long core": {file(432, 36, tier(100, 6, 6, ""), tier(100, 6, 6, ""), tier(100, 36, 0, "Bundle 3\n")),
			72, 72, 12, 432 + 432 + 144, 300, 288},
		"bundles of two tiers": {file(32, 32, tier(100, 8, 8, ""), tier(100, 8, 0, "Bundle 2\n")),
			4, 4, 0, 48, 200, 16},
	} {
		tree, err := ReadHTSim(strings.NewReader(x.text), "t.topo")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		g, err := tree.Build()
		if err == nil {
			err = g.Validate()
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		tors, aggs, cores, _, _ := tree.switches()
		if tors != x.tors || aggs != x.aggs || cores != x.cores || len(g.Links) != x.links ||
			g.Links[len(g.Links)-1].Rate != x.rate*unit.Gbps || g.Changes.Joined != x.joined {
			t.Errorf("%s: %d ToRs, %d, %d, %d links, the last of %v, %v, want %+v", name, tors, aggs, cores,
				len(g.Links), g.Links[len(g.Links)-1].Rate, g.Changes, x)
		}
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
		{"Radix_Down 4", "Bundle 0\nRadix_Down 4", `Bundle "0": want a whole number from 1 to 1048576`},
		{"Radix_Down 4", "Bundle 3\nRadix_Down 4", `in Tier 2: Bundle 3: want a divisor of its Radix_Down, 4, and of ` +
			`Radix_Up of Tier 1, 2`},
		{"Tier 1", "Bundle 2\nTier 1", `in Tier 0: Bundle 2: want 1, because a host has one link`},
		{"Radix_Down 4", "Bundle 2\nRadix_Down 4", "Radix_Down of Tier 2 = 2, want 4, the number of pods"},
		{"200\nRadix_Down 4", "8000\nBundle 2\nRadix_Down 4", "in Tier 2: Bundle 2: 8Tbps in all, want at most 10Tbps"},
		{"Radix_Down 4", "Radix_Down 4\nOversubscribed 0", `Oversubscribed "0": want a whole number from 1 to 1048576`},
		{"Tier 1\n", "Oversubscribed 4\nTier 1\n", "in Tier 0: Oversubscribed 4: want 1, or Radix_Down over Radix_Up"},
		{"Radix_Down 4", "Radix_Down 4\nOversubscribed 2", "in Tier 2: Oversubscribed 2: want 1, "},
		{"Radix_Down 4", "Radix_Sideways 4", `unknown key "Radix_Sideways" (accepted: Tier, downlink_speed_gbps`},
		{"tiers 3", "tiers 2", "t.topo:17: Tier 2"},
		{"Nodes 16", "Nodes 16 #" + strings.Repeat("x", bufio.MaxScanTokenSize),
			"t.topo:2: line longer than 65536 bytes"},
	} {
		_, err := ReadHTSim(strings.NewReader(strings.Replace(treeOf16, x[0], x[1], 1)), "t.topo")
		if err == nil || !strings.Contains(err.Error(), x[2]) {
			t.Errorf("%s: %v, want %s", x[1], err, x[2])
		}
	}
}

// Writing generated trees and reading them again gives the same network. Other networks are refused with an error that
// names the place where they differ from a tree.
func TestWriteHTSim(t *testing.T) {
	fat, leaf := schema.Default[KAry](), schema.Default[LeafSpine]()
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
	rail, star := schema.Default[Rail](), schema.Default[Star]()
	rail.Planes = 2
	for want, c := range map[string]interface{ Build() (*Graph, error) }{
		"as .topo: link of switch 16 (… and switch 24 (…: not part of a tree of equal switches … degraded links": fat,
		"as .topo: switch 72 (leaf8): not part of a tree … planes …":                                             rail,
		"as .topo: 1 tier …": star,
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

// Any file that can be read can be built, is a valid graph, and is the same after writing and reading it again.
func FuzzReadHTSim(f *testing.F) {
	f.Add(treeOf16)
	f.Add("Nodes 8\nTiers 2\nPodsize 8\nTier 0\nDownlink_speed_Gbps 1\nRadix_Down 4\nRadix_Up 2\nOversubscribed " +
		"2\nTier 1\nRadix_Down 4\nDownlink_speed_Gbps 1\nBundle 2\n")
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
		for i := range tree.Tiers {
			tree.Tiers[i].bundle = 1 // parallel links have become one link
		}
		if again, err := ReadHTSim(strings.NewReader(b.String()), "t"); err != nil || !reflect.DeepEqual(again, tree) {
			t.Errorf("%+v, %v, want %+v", again, err, tree)
		}
	})
}
