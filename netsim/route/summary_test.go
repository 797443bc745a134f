package route

import (
	"errors"
	"flag"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"pintlab/internal/errtest"
	"pintlab/netsim/schema"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

var update = flag.Bool("update", false, "rewrite testdata")

type generator interface{ Build() (*topo.Graph, error) }

// textOf writes the summary of a graph.
func textOf(w io.Writer, g *topo.Graph) error {
	s, err := Summarize(g)
	if err == nil {
		_, err = io.WriteString(w, s.String())
	}
	return err
}

// The summaries of all generators with their defaults.
func TestGolden(t *testing.T) {
	for name, c := range map[string]generator{
		"fat320":     topo.DefaultFatTree320(),
		"clos64":     topo.DefaultClos64(),
		"fat8":       topo.DefaultFatTree8(),
		"fat-tree":   schema.Default[topo.KAry](),
		"leaf-spine": schema.Default[topo.LeafSpine](),
		"dumbbell":   schema.Default[topo.Dumbbell](),
		"star":       schema.Default[topo.Star](),
		"chain":      schema.Default[topo.Chain](),
	} {
		t.Run(name, func(t *testing.T) {
			g, err := c.Build()
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			if err := textOf(&b, g); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata", name+".txt")
			if *update {
				if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), b.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The golden files of the usual trees do not cover unknown layers, unreachable pairs, several kinds of links, a link
// with two rates, and a long table.
func TestText(t *testing.T) {
	chain, err := topo.Chain{Switches: 31, HostsPerSwitch: 1, HostRate: unit.Gbps, FabricRate: unit.Gbps}.Build()
	if err != nil {
		t.Fatal(err)
	}
	var chainText strings.Builder
	if err := textOf(&chainText, chain); err != nil {
		t.Fatal(err)
	}
	// 31 switches have one host each. 31-k pairs of hosts are k links apart and cross k+1 switches. The 465 pairs are
	// in rows of 3 lengths each.
	for _, want := range []string{
		"  paths between hosts: 11.67 switches on average, at most 31\n",
		"      0 to 2             30   6.45 %\n",
		"      3 to 5             84   18.1 %\n",
		"    30 to 31              3  0.645 %\n",
	} {
		if !strings.Contains(chainText.String(), want) {
			t.Errorf("no line %q in\n%s", want, chainText.String())
		}
	}

	split := &topo.Graph{
		Nodes: []topo.Node{{Kind: topo.Host}, {Kind: topo.Host}, {Kind: topo.Host}, {Kind: topo.Switch, Layer: -1},
			{Kind: topo.Switch, Layer: 7}},
		Links: []topo.Link{
			{A: 0, B: 3, Rate: 2 * unit.Gbps}, {A: 1, B: 3, Rate: unit.Gbps, Delay: 5}, {A: 1, B: 4, Rate: unit.Gbps},
			{A: 2, B: 4, Rate: unit.Gbps, Back: unit.Mbps, Delay: 5, ErrorRate: 0.002},
		},
	}
	want := `(no name)
  hosts            3
  switches         2: 1 in layer 7, 1 of unknown layer
  switch ports     2
  links            4
                   1 × 1 Gb/s, 0 s
                   1 × 1 Gb/s, 5 ps
                   1 × 1 Gb/s in one direction and 1 Mb/s in the other, 5 ps, loses 0.002 of the packets
                   1 × 2 Gb/s, 0 s
  bisection        1 Gb/s between two halves of the hosts (50 % of one half's rate)
  paths between hosts: 1 switch on average, at most 1
    switches          pairs    share
           1              2   66.7 %
     no path              1   33.3 %
`
	var got strings.Builder
	if err := textOf(&got, split); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRefusal(t *testing.T) {
	if _, err := Summarize(&topo.Graph{}); !errtest.Says(err, "route: topology: no nodes") {
		t.Errorf("error %v", err)
	}
}

// PINT §6.3: paths of up to 59 switches on Kentucky Datalink and up to 36 on US
// Carrier.
func TestLongestPathsOfThePaper(t *testing.T) {
	for file, want := range map[string]int{"Kdl.gml": 59, "UsCarrier.gml": 36} {
		path := filepath.Join("../../../shared/data/topologies", file)
		g, err := topo.ReadFile(path, topo.DefaultFill())
		if errors.Is(err, fs.ErrNotExist) {
			t.Skipf("needs the Internet Topology Zoo's map next to the checkout, as ../shared/data/topologies/%s", file)
		}
		if err != nil {
			t.Fatal(err)
		}
		s, err := Summarize(g)
		if err != nil {
			t.Fatal(err)
		}
		if s.Paths.Longest != want || s.Paths.Between != "switches" || s.Paths.Unreachable != 0 || s.Cut != nil {
			t.Errorf("%s: %+v, cut %v; want at most %d switches", file, s.Paths, s.Cut, want)
		}
	}
}

// The maximum flow between the halves equals the smallest cut over all assignments of the switches to the two sides,
// found by enumeration.
func TestHalvesLeaveOutLinksInsideServers(t *testing.T) {
	c := schema.Default[topo.Rail]()
	c.Servers = 7 // the fourth is in both halves
	for _, c.ServerRate = range []unit.Rate{0, 900 * unit.Gbps} {
		g, err := c.Build()
		if err != nil {
			t.Fatal(err)
		}
		if got, want := *halves(g), (Halves{28 * 400 * unit.Gbps, 28 * 400 * unit.Gbps}); got != want {
			t.Errorf("server_rate = %v: %+v, want %+v", c.ServerRate, got, want)
		}
	}
}

func TestHalvesIsTheLeastCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := &topo.Graph{}
		for range rapid.IntRange(0, 6).Draw(t, "switches") {
			g.Nodes = append(g.Nodes, topo.Node{Kind: topo.Switch})
		}
		switches := len(g.Nodes)
		hosts := rapid.IntRange(2, 5).Draw(t, "hosts")
		for range hosts {
			g.Nodes = append(g.Nodes, topo.Node{Kind: topo.Host})
		}
		for a := range g.Nodes {
			for b := range a {
				if rapid.Bool().Draw(t, "link") {
					rate := unit.Rate(rapid.IntRange(1, 9).Draw(t, "rate"))
					l := topo.Link{A: topo.NodeID(a), B: topo.NodeID(b), Rate: rate}
					if rapid.Bool().Draw(t, "turn") {
						l.A, l.B = l.B, l.A
					}
					g.Links = append(g.Links, l)
				}
			}
		}
		want := unit.Rate(math.MaxInt64)
		for side := range 1 << switches {
			// If bit i is set, switch i is on the side of the first half. The links to hosts of the first half and the
			// links from hosts of the second half do not count.
			sending := func(id topo.NodeID) bool {
				if int(id) < switches {
					return side>>id&1 == 1
				}
				return int(id)-switches < hosts/2
			}
			cut := unit.Rate(0)
			for _, l := range g.Links {
				if sending(l.A) != sending(l.B) {
					cut += l.Rate
				}
			}
			want = min(want, cut)
		}
		if got := halves(g).Rate; got != want {
			t.Errorf("%d bit/s between the halves, want %d", got, want)
		}
	})
}

// A sum of rates that overflows is reported as too large.
func TestHalvesDoesNotOverflow(t *testing.T) {
	g, err := topo.Star{Hosts: 4, Rate: unit.MaxRate}.Build()
	if err != nil {
		t.Fatal(err)
	}
	for i := range g.Links {
		g.Links[i].Rate = math.MaxInt64 / 3 // as of a million links
	}
	s := &Summary{Cut: halves(g)}
	if s.Cut.Rate != math.MaxInt64 || !strings.Contains(s.String(), "bisection        more than can be counted\n") {
		t.Errorf("halves %+v in\n%s", s.Cut, s)
	}
}

func BenchmarkOf(b *testing.B) {
	c := schema.Default[topo.KAry]()
	c.K = 32
	g, err := c.Build()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Summarize(g); err != nil {
			b.Fatal(err)
		}
	}
}
