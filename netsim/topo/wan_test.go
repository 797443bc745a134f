package topo

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"pintlab/internal/errtest"
	"pintlab/netsim/unit"
)

const zooGML = `# from nowhere
graph [
  Network "Nowhere"
  directed 0
  node [ id 7 label "A &amp; B" graphics [ x 1.5 y -2e3 ] ]
  node [
    id -2
    label "C
D"
  ]
  node [ id 9 ]
  edge [ source 7 target -2 LinkLabel "x" ]
  edge [ source 9 target 7 ]
  edge [ source -2 target 7 ]
  edge [ source 9 target 9 ]
]
`

const zooGraphML = `<?xml version="1.0" encoding="utf-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key attr.name="label" attr.type="string" for="node" id="d1"/>
  <key attr.name="label" attr.type="string" for="edge" id="d2"/>
  <graph edgedefault="undirected">
    <desc>a map</desc>
    <node id="n7"><data key="d0">5</data><data key="d1">A &amp; B</data></node>
    <node id="x"><data key="d1">C
D</data></node>
    <node id="9"/>
    <edge source="n7" target="x"><data key="d2">fibre</data></edge>
    <edge source="9" target="n7"/>
    <edge source="x" target="n7"/>
    <edge source="9" target="9"/>
  </graph>
</graphml>
`

func TestReadMaps(t *testing.T) {
	f := Fill{Rate: 40 * unit.Gbps, Delay: 2 * unit.Millisecond}
	want := &Graph{
		Name: "zoo",
		Nodes: []Node{{Kind: Switch, Layer: -1, Name: "A & B"}, {Kind: Switch, Layer: -1, Name: "C D"},
			{Kind: Switch, Layer: -1, Name: ""}},
		Links:   []Link{{0, 1, f.Rate, f.Delay, 0, 0}, {2, 0, f.Rate, f.Delay, 0, 0}},
		Changes: Changes{DuplicateLinks: 1, SelfLinks: 1},
	}

	got, err := ReadGML(strings.NewReader(zooGML), "zoo", f)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("GML: %v (-want +got):\n%s", err, diff)
	}
	want.Nodes[2].Name = "9" // in GraphML an id is a name
	got, err = ReadGraphML(strings.NewReader(zooGraphML), "zoo", f)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("GraphML: %v (-want +got):\n%s", err, diff)
	}
}

// All names are printable, and two labels with the same printable name are two nodes.
func TestLabelsArePrintable(t *testing.T) {
	const gml = "graph [ node [ id 1 label \"A\x1b[31mRED\u202e\" ] node [ id 2 label \"x\ny\" ] node [ id 3 label " +
		"\"x\u009by\" ] edge [ source 1 target 2 ] edge [ source 2 target 3 ] ]"
	const xml = `<graphml><key id="l" for="node" attr.name="label"/><graph>` +
		`<node id="1"><data key="l">A&#x85;[31mRED&#x202e;</data></node><node id="x&#10;y"/>` +
		`<node id="3"><data key="l">x&#9;y</data></node><edge source="1" target="x&#10;y"/>` +
		`<edge source="x&#10;y" target="3"/></graph></graphml>`
	dir := t.TempDir()
	for name, text := range map[string]string{"a\x1bb.gml": gml, "a\nb.graphml": xml} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		g, err := ReadFile(path, DefaultFill())
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%q %q %q %q", g.Name, g.Nodes[0].Name, g.Nodes[1].Name,
			g.Nodes[2].Name); got != `"a b" "A [31mRED " "x y" "x y"` || len(g.Links) != 2 {
			t.Errorf("%q: %s, %d links", name, got, len(g.Links))
		}
	}
}

// Edges between the same nodes have the same result in both formats and in both orders.
func TestEdgesBetweenTheSameNodes(t *testing.T) {
	const slow, fast = 10 * unit.Gbps, 40 * unit.Gbps
	type edge struct {
		from, to int
		rate     unit.Rate // rate of the edge; 0 for none
	}
	for _, tt := range []struct {
		name     string
		directed bool
		edges    [2]edge
		want     Link // the ends are in the order of the first edge
		repeated int
		err      string
	}{
		{"equal", false, [2]edge{{0, 1, fast}, {1, 0, fast}}, Link{Rate: fast}, 1, ""},
		{"one without a rate", false, [2]edge{{0, 1, 0}, {1, 0, slow}}, Link{Rate: slow}, 1, ""},
		{"without rates", false, [2]edge{{0, 1, 0}, {0, 1, 0}}, Link{Rate: unit.Gbps}, 1, ""},
		{"other rate", false, [2]edge{{0, 1, slow}, {0, 1, fast}}, Link{}, 0,
			"m: … but the edge … line … want one edge with the sum of the rates, …"},
		{"other rate back", false, [2]edge{{0, 1, slow}, {1, 0, fast}}, Link{}, 0, "m: … want one edge …"},
		{"two directions", true, [2]edge{{0, 1, slow}, {1, 0, fast}}, Link{A: 1, B: 0, Rate: fast, Back: slow}, 0, ""},
		{"equal directions", true, [2]edge{{0, 1, slow}, {1, 0, slow}}, Link{Rate: slow}, 0, ""},
		{"one rate of two", true, [2]edge{{0, 1, slow}, {1, 0, 0}}, Link{A: 0, B: 1, Rate: slow, Back: unit.Gbps}, 0,
			""},
		{"twice in one direction", true, [2]edge{{0, 1, slow}, {0, 1, slow}}, Link{Rate: slow}, 1, ""},
		{"other rate in one direction", true, [2]edge{{0, 1, slow}, {0, 1, fast}}, Link{}, 0, "m: … want one edge …"},
	} {
		for _, order := range [][]int{{0, 1}, {1, 0}} {
			gml, graphML := "graph [\n", "<graphml><key id='r' for='edge' attr.name='LinkSpeedRaw'/>\n"
			if tt.directed {
				gml, graphML = gml+"directed 1\n", graphML+"<graph edgedefault='directed'>\n"
			} else {
				graphML += "<graph edgedefault='undirected'>\n"
			}
			gml, graphML = gml+"node [ id 0 ]\nnode [ id 1 ]\n", graphML+"<node id='0'/>\n<node id='1'/>\n"
			for _, i := range order {
				e := tt.edges[i]
				speed, data := "", ""
				if e.rate > 0 {
					speed, data = fmt.Sprintf("LinkSpeedRaw %d", e.rate), fmt.Sprintf("<data key='r'>%d</data>", e.rate)
				}
				gml += fmt.Sprintf("edge [ source %d target %d %s ]\n", e.from, e.to, speed)
				graphML += fmt.Sprintf("<edge source='%d' target='%d'>%s</edge>\n", e.from, e.to, data)
			}
			fill := Fill{Rate: unit.Gbps}
			g1, err1 := ReadGML(strings.NewReader(gml+"]\n"), "m", fill)
			g2, err2 := ReadGraphML(strings.NewReader(graphML+"</graph></graphml>\n"), "m", fill)
			for i, g := range []*Graph{g1, g2} {
				err := []error{err1, err2}[i]
				switch {
				case tt.err != "":
					if !errtest.Says(err, tt.err) {
						t.Errorf("%s, %v: error %v, want %s", tt.name, order, err, tt.err)
					}
				case err != nil || len(g.Links) != 1 || g.Changes.DuplicateLinks != tt.repeated:
					t.Errorf("%s, %v: %+v, %v", tt.name, order, g, err)
				default:
					l := g.Links[0]
					if tt.want.Back == 0 {
						l.A, l.B = 0, 0
					}
					if l != tt.want {
						t.Errorf("%s, %v: %+v, want %+v", tt.name, order, l, tt.want)
					}
				}
			}
		}
	}
	// An undirected edge in a directed graph counts in both directions, so an edge back with another rate is an error.
	text := "<graphml><key id='r' for='edge' attr.name='LinkSpeedRaw'/><graph edgedefault='directed'><node " +
		"id='0'/><node id='1'/>" +
		"<edge source='0' target='1' directed='false'><data key='r'>1e9</data></edge><edge source='1' " +
		"target='0'><data key='r'>2e9</data></edge></graph></graphml>"
	if _, err := ReadGraphML(strings.NewReader(text), "m", Fill{}); !errtest.Says(err, "m: … want one edge …") {
		t.Error(err)
	}
}

// The format's character set is ISO 8859-1, but there are files in UTF-8.
func TestGMLCharacterSets(t *testing.T) {
	for _, label := range []string{"Z\xfcrich", "Zürich", "Z&#252;rich", "Z&uuml;rich"} {
		g, err := ReadGML(strings.NewReader(`graph [ node [ id 0 label "`+label+`" ] ]`), "ch", DefaultFill())
		if err != nil || g.Nodes[0].Name != "Zürich" {
			t.Errorf("label %q: %v, %v", label, g, err)
		}
	}
}

// PINT §6.3 gives Kentucky Datalink 753 nodes and US Carrier 157; the files have
// one more each. Kdl.gml has 899 edges, four of them commented out.
func TestInternetTopologyZoo(t *testing.T) {
	for _, tt := range []struct {
		file         string
		nodes, links int
		first        string
	}{
		{"Kdl.gml", 754, 895, "Rolla"},
		{"UsCarrier.gml", 158, 189, "Orangeburg"},
	} {
		text := shared(t, "data/topologies/"+tt.file)
		g, err := ReadGML(bytes.NewReader(text), tt.file, DefaultFill())
		if err != nil {
			t.Fatal(err)
		}
		if len(g.Nodes) != tt.nodes || len(g.Links) != tt.links || g.Nodes[0].Name != tt.first ||
			g.Changes != (Changes{}) {
			t.Errorf("%s: %d nodes, %d links, first %q, dropped %+v",
				tt.file, len(g.Nodes), len(g.Links), g.Nodes[0].Name, g.Changes)
		}
	}
}

// A link has the rate that the map contains, in bits per second. Other links have the rate of Fill, which is then
// required. If no link uses a given rate, that is an error.
func TestLinkSpeedRaw(t *testing.T) {
	gml := func(first, second string) string {
		return "graph [\nnode [ id 0 ]\nnode [ id 1 ]\nnode [ id 2 ]\nedge [ source 0 target 1 " + first +
			" ]\nedge [ source 1 target 2 " + second + " ]\n]\n"
	}
	graphML := func(first, second string) string {
		return "<graphml><key attr.name='LinkSpeedRaw' for='edge' id='s'/><graph>\n<node id='0'/><node " +
			"id='1'/><node id='2'/>\n<edge source='0' target='1'>" + first + "</edge>\n<edge source='1' target='2'>" +
			second + "</edge>\n</graph></graphml>\n"
	}
	withDefault := "<graphml><key attr.name='LinkSpeedRaw' for='all' " +
		"id='s'><default>3e9</default></key><graph><node id='0'/><node id='1'/><node id='2'/><edge source='0' " +
		"target='1'><data key='s'>1e9</data></edge><edge source='1' target='2'/></graph></graphml>"
	fill, none := Fill{Rate: 5 * unit.Gbps, Asked: true}, Fill{}
	for _, tt := range []struct {
		text string
		fill Fill
		want []unit.Rate
		err  string
	}{
		{gml("LinkSpeedRaw 10000000000.0", ""), fill, []unit.Rate{10 * unit.Gbps, 5 * unit.Gbps}, ""},
		{gml("LinkSpeedRaw 1", "LinkSpeedRaw 2.5"), none, []unit.Rate{1, 3}, ""},
		{gml("LinkSpeedRaw 1e9", ""), none, nil, "f:6:1: 1 of 2 links have no LinkSpeedRaw, … want a rate …"},
		{gml("LinkSpeedRaw 1e9", "LinkSpeedRaw 1e9"), fill, nil,
			"f: 5Gbps has no effect, because every link has a LinkSpeedRaw"},
		{gml("LinkSpeedRaw 1e9", "LinkSpeedRaw 1e9"), DefaultFill(), []unit.Rate{unit.Gbps, unit.Gbps}, ""},
		{gml("LinkSpeedRaw 0", ""), fill, nil,
			`f:5:39: LinkSpeedRaw "0": want bits per second, from 1 to 10000000000000`},
		{gml("", "LinkSpeedRaw -1"), fill, nil, `f:6:39: LinkSpeedRaw "-1": want …`},
		{gml("", "LinkSpeedRaw 1e15"), fill, nil, `f:6:39: LinkSpeedRaw "1e15": want …`},
		{gml("", `LinkSpeedRaw "fast"`), fill, nil, `f:6:39: LinkSpeedRaw "fast": want …`},
		{graphML("<data key='s'>1e10</data>", ""), fill, []unit.Rate{10 * unit.Gbps, 5 * unit.Gbps}, ""},
		{graphML("<data key='s'>1e10</data>", "<data key='t'>7</data>"), none, nil,
			"f:4:29: 1 of 2 links have no LinkSpeedRaw, …"},
		{graphML("<data key='s'>1e9</data>", "<data key='s'> 2e9 </data>"), fill, nil,
			"f: 5Gbps has no effect, because every link has a LinkSpeedRaw"},
		{graphML("", "<data key='s'>NaN</data>"), fill, nil, `f:4:43: LinkSpeedRaw "NaN": want …`},
		{"<graphml><graph><node id='0'/></graph><key attr.name='LinkSpeedRaw' for='edge' id='s'/></graphml>", fill, nil,
			"f:1:88: <key> of LinkSpeedRaw after the <graph>, want it before"},
		{withDefault, none, []unit.Rate{unit.Gbps, 3 * unit.Gbps}, ""},
		{strings.Replace(withDefault, " for='all'", "", 1), none, []unit.Rate{unit.Gbps, 3 * unit.Gbps}, ""},
	} {
		read := ReadGML
		if strings.HasPrefix(tt.text, "<") {
			read = ReadGraphML
		}
		g, err := read(strings.NewReader(tt.text), "f", tt.fill)
		if tt.err != "" {
			if !errtest.Says(err, tt.err) {
				t.Errorf("%s: error %v\nwant %s", tt.text, err, tt.err)
			}
			continue
		}
		if err != nil || g.Links[0].Rate != tt.want[0] || g.Links[1].Rate != tt.want[1] {
			t.Errorf("%s: %+v, %v, want %v", tt.text, g, err, tt.want)
		}
	}
}

func TestMapInParts(t *testing.T) {
	const text = `graph [
node [ id 0 label "island" ] node [ id 1 label "a" ] node [ id 2 label "b" ] node [ id 3 label "c" ]
node [ id 4 label "d" ] node [ id 5 label "e" ]
edge [ source 2 target 1 ] edge [ source 4 target 3 ] edge [ source 3 target 5 ] ]`
	f := DefaultFill()
	_, err := ReadGML(strings.NewReader(text), "zoo", f)
	want := `topology "zoo": not connected: 3 parts; not reachable from switch 3 (c): ` +
		`switch 0 (island), switch 1 (a), switch 2 (b)`
	if !errtest.Says(err, want) {
		t.Errorf("error %v\nwant %s", err, want)
	}
	f.Largest = true
	g, err := ReadGML(strings.NewReader(text), "zoo", f)
	wantG := &Graph{
		Name: "zoo",
		Nodes: []Node{{Kind: Switch, Layer: -1, Name: "c"}, {Kind: Switch, Layer: -1, Name: "d"},
			{Kind: Switch, Layer: -1, Name: "e"}},
		Links:   []Link{{1, 0, f.Rate, f.Delay, 0, 0}, {0, 2, f.Rate, f.Delay, 0, 0}},
		Changes: Changes{Nodes: 3, Links: 1},
	}
	if diff := cmp.Diff(wantG, g); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestReadGMLRefusals(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", `f: no graph: want "graph [ … ]"`},
		{"Creator \"x\"\n", `f: no graph: want "graph [ … ]"`},
		{"graph [ ]", "f: no nodes"},
		{"graph 5", `f:1:7: … graph, … "5"`},
		{"graph [ node [ id 1 ] ] graph [ ]", "f:1:25: a second graph"},
		{"graph [\n node [ id 1 ]", `f:2:15: … key … "]", … end … file`},
		{"graph [ x [ y [ 1 ]", "f:1:20: … file ends inside"},
		{"graph [ node [ label \"a\" ] ]", "f:1:9: node without id"},
		{"graph [ node [ id 1.5 ] ]", `f:1:19: id … node … "1.5", … integer`},
		{"graph [ node [ id \"1\" ] ]", `f:1:19: id … node … "1", … integer`},
		{"graph [ node [ id 99999999999999999999 ] ]", `f:1:19: id … node … "99999999999999999999", … integer`},
		{"graph [ node [ id 1 id 2 ] ]", "f:1:21: a second id in one node"},
		{"graph [ node [ id [ a 1 ] ] ]", "f:1:19: id … node … number … string"},
		{"graph [\nnode [ id 1 ]\nnode [ id 01 ] ]", "f:3:1: node id 1 is already used by the node in line 2"},
		{"graph [ node [ id 1 ] edge [ source 1 ] ]", "f:1:23: edge without target"},
		{"graph [ node [ id 1 ]\n edge [ source 1 target 3 ] ]", "f:2:2: edge 1-3: … node … id 3"},
		{"graph [ node 3 ]", `f:1:14: … node, … "3"`},
		{"graph [ a ]", `f:1:11: … value … "]"`},
		{"graph [ 3 ]", `f:1:9: want a key or "]", not "3"`},
		{"graph [ a \"x", "f:1:11: … string … end"},
		{"graph [ a 1e ]", `f:1:11: "1e" … number`},
		{"graph [ a ! ]", `f:1:11: unexpected '!', want a key, a value or a bracket`},
		{"graph [ node [ id 1 ] ] ]", `f:1:25: … key … end … file, … "]"`},
	} {
		g, err := ReadGML(strings.NewReader(tt.text), "f", DefaultFill())
		if !errtest.Says(err, tt.want) || g != nil {
			t.Errorf("%q: error %v\nwant %s", tt.text, err, tt.want)
		}
	}
}

func TestReadGraphMLRefusals(t *testing.T) {
	in := func(s string) string { return "<graphml><graph>\n" + s + "</graph></graphml>" }
	for _, tt := range []struct{ text, want string }{
		{"", "f: no graph: want <graphml> with a <graph>"},
		{"<graphml/>", "f: no graph: want <graphml> with a <graph>"},
		{"<html/>", "f:1:8: element <html>, want <graphml>"},
		{in(""), "f: no nodes"},
		{in("<node/>"), "f:2:8: <node> without id"},
		{in("<node id='a'/>\n<node id='a'/>"), "f:3:15: node id a is already used by the node in line 2"},
		{in("<node id='a'/><edge source='a'/>"), "f:2:33: <edge> without source or target"},
		{in("<node id='a'/><edge source='a' target='b'/>"), "f:2:44: edge a-b: … node … id b"},
		{in("<hyperedge/>"), "f:2:13: <hyperedge>: links join two nodes"},
		{in("<node id='a'><graph/></node>"), "f:2:22: a <graph> inside node a"},
		{in("<node id='a'>"), "f:2:22: not XML: element <node> closed by </graph>"},
		{"<graphml><graph>", "f:1:17: want </graph>, not the end of the file"},
		{"<graphml", "f:1:9: want an element, not the end of the file"},
		{"<graphml><key for='node' attr.name='label'/></graphml>", "f:1:45: <key> without id"},
		{"<graphml><graph/><graph/></graphml>", "f:1:26: a second <graph>"},
		{"<graphml/><graphml/>", "f:1:21: a second <graphml>"},
		{"<graphml><key id='l' for='all' attr.name='label'/><graph><node id='a'><data " +
			"key='l'><b/></data></node></graph></graphml>",
			"f:1:89: <b> inside a value"},
	} {
		g, err := ReadGraphML(strings.NewReader(tt.text), "f", DefaultFill())
		if !errtest.Says(err, tt.want) || g != nil {
			t.Errorf("%q: error %v\nwant %s", tt.text, err, tt.want)
		}
	}
}

func TestFillRefusals(t *testing.T) {
	want := "topology map: rate = -1 bit/s, want > 0 and at most 10Tbps\ndelay = -1us, want 0s..1000s"
	bad := Fill{Rate: -1, Delay: -unit.Microsecond}
	if _, err := ReadGML(strings.NewReader(zooGML), "f", bad); !errtest.Says(err, want) {
		t.Errorf("GML: error %v, want %s", err, want)
	}
	if _, err := ReadGraphML(strings.NewReader(zooGraphML), "f", bad); !errtest.Says(err, want) {
		t.Errorf("GraphML: error %v, want %s", err, want)
	}
}

// zooMap is a map independent of both formats.
type zooMap struct {
	labels []string
	edges  [][2]int
}

func (m zooMap) gml(w io.Writer) {
	fmt.Fprintln(w, "graph [")
	for i, l := range m.labels {
		fmt.Fprintf(w, "  node [ id %d label \"%s\" ]\n", i, html.EscapeString(l))
	}
	for _, e := range m.edges {
		fmt.Fprintf(w, "  edge [ source %d target %d ]\n", e[0], e[1])
	}
	fmt.Fprintln(w, "]")
}

func (m zooMap) graphML(w io.Writer) {
	fmt.Fprintln(w, `<graphml><key id="k" for="node" attr.name="label"/><graph>`)
	for i, l := range m.labels {
		fmt.Fprintf(w, "<node id=\"%d\"><data key=\"k\">%s</data></node>\n", i, html.EscapeString(l))
	}
	for _, e := range m.edges {
		fmt.Fprintf(w, "<edge source=\"%d\" target=\"%d\"/>\n", e[0], e[1])
	}
	fmt.Fprintln(w, "</graph></graphml>")
}

// The same map in both formats gives the same graph, with exactly the edges of the map, or the same error.
func TestFormatsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := zooMap{labels: rapid.SliceOfN(rapid.StringMatching(`[a-zü&<">']{1,6}`), 1, 8).Draw(t, "labels")}
		node := rapid.IntRange(0, len(m.labels)-1)
		for range rapid.IntRange(0, 20).Draw(t, "edges") {
			m.edges = append(m.edges, [2]int{node.Draw(t, "source"), node.Draw(t, "target")})
		}
		f := DefaultFill()
		f.Largest = rapid.Bool().Draw(t, "largest")
		var gml, graphML bytes.Buffer
		m.gml(&gml)
		m.graphML(&graphML)
		g1, err1 := ReadGML(&gml, "m", f)
		g2, err2 := ReadGraphML(&graphML, "m", f)
		if fmt.Sprint(err1) != fmt.Sprint(err2) || !reflect.DeepEqual(g1, g2) {
			t.Fatalf("GML %v, %v\nGraphML %v, %v", g1, err1, g2, err2)
		}
		if err1 != nil {
			if f.Largest {
				t.Fatal(err1)
			}
			return
		}
		dropped := g1.Changes
		if got := len(g1.Links) + dropped.DuplicateLinks + dropped.SelfLinks + dropped.Links; got != len(m.edges) {
			t.Errorf("%d edges accounted for, want %d", got, len(m.edges))
		}
		if got := len(g1.Nodes) + g1.Changes.Nodes; got != len(m.labels) {
			t.Errorf("%d nodes accounted for, want %d", got, len(m.labels))
		}
	})
}

func fuzzMap(f *testing.F, read func(io.Reader, string, Fill) (*Graph, error)) {
	f.Fuzz(func(t *testing.T, text []byte, largest bool) {
		fill := DefaultFill()
		fill.Largest = largest
		g, err := read(bytes.NewReader(text), "fuzz", fill)
		if err != nil {
			return
		}
		if err := g.Validate(); err != nil {
			t.Fatalf("not valid: %v", err)
		}
	})
}

func FuzzReadGML(f *testing.F) {
	f.Add([]byte(zooGML), false)
	f.Add([]byte("graph [ node [ id 0 ] node [ id 1 ] ]"), true)
	f.Add([]byte(strings.Repeat("a [ ", 50)), false)
	fuzzMap(f, ReadGML)
}

func FuzzReadGraphML(f *testing.F) {
	f.Add([]byte(zooGraphML), false)
	f.Add([]byte("<graphml><graph><node id='a'/><node id='b'/></graph></graphml>"), true)
	f.Add([]byte("<graphml><graph><node id='a'><x><y/></x></node></graph></graphml>"), false)
	fuzzMap(f, ReadGraphML)
}

// Very deep nesting is an error or is skipped. It must not exhaust the stack.
func TestDeepNesting(t *testing.T) {
	deep := "graph [ node [ id 1 " + strings.Repeat("a [ ", 1e6) + strings.Repeat("] ", 1e6) + "] ]"
	if g, err := ReadGML(strings.NewReader(deep), "deep", DefaultFill()); err != nil || len(g.Nodes) != 1 {
		t.Errorf("GML: %v, %v", g, err)
	}
	deep = "<graphml><graph><node id='1'>" + strings.Repeat("<a>", 1e5) + strings.Repeat("</a>", 1e5) +
		"</node></graph></graphml>"
	if g, err := ReadGraphML(strings.NewReader(deep), "deep", DefaultFill()); err != nil || len(g.Nodes) != 1 {
		t.Errorf("GraphML: %v, %v", g, err)
	}
}

// Attributes of links that look like a rate or a delay are named if they have no effect. Attributes next to a
// LinkSpeedRaw that repeat the rate are not.
func TestUnreadAttributes(t *testing.T) {
	gml := `graph [ node [ id 0 ] node [ id 1 ] node [ id 2 ]
edge [ source 0 target 1 LinkLabel "x" LinkSpeed "10" LinkSpeedUnits "G" LinkSpeedRaw 10000000000 latency 3 ]
edge [ source 1 target 2 rate "25Gbps" delay "5us" ] ]`
	const graphML = `<graphml><key id="a" for="edge" attr.name="latency"/><key id="b" attr.name="rate"/>
<key id="c" for="edge" attr.name="delay"/><key id="d" for="edge" attr.name="LinkSpeedRaw"/>
<key id="e" for="edge" attr.name="LinkSpeed"/><key id="f" for="edge" attr.name="bandwidth"/><graph>
<node id="0"/><node id="1"/><node id="2"/>
<edge source="0" target="1"><data key="d">10000000000</data><data key="e">10</data><data key="a">3</data></edge>
<edge source="1" target="2"><data key="b">25Gbps</data><data key="c">5us</data></edge></graph></graphml>`
	const note = "attributes of links without effect: delay, latency, rate ("
	for text, read := range map[string]func(io.Reader, string, Fill) (*Graph, error){
		gml: ReadGML, graphML: ReadGraphML,
	} {
		g, err := read(strings.NewReader(text), "m", DefaultFill())
		if err != nil {
			t.Fatal(err)
		}
		if want := (Changes{Unread: "delay, latency, rate"}); g.Changes != want {
			t.Errorf("%+v, want %+v:\n%s", g.Changes, want, text)
		}
		if got := g.Changes.String(); !strings.HasPrefix(got, note) {
			t.Error(got)
		}
	}
}
