package topo

import (
	"bytes"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"pintlab/internal/errtest"
	"pintlab/netsim/unit"
)

const lab = `4 2 3
2 3
0 2 100Gbps 1000ns 0.000000
1 3 10Gb/s 0.001ms 0.5
2 3 1.5Tbps 0s 1e-6
`

func TestReadTopology(t *testing.T) {
	want := &Graph{
		Name:  "lab",
		Nodes: []Node{{Kind: Host}, {Kind: Host}, {Kind: Switch, Layer: 1}, {Kind: Switch, Layer: 1}},
		Links: []Link{
			{A: 0, B: 2, Rate: 100 * unit.Gbps, Delay: unit.Microsecond, ErrorRate: 0},
			{A: 1, B: 3, Rate: 10 * unit.Gbps, Delay: unit.Microsecond, ErrorRate: 0.5},
			{A: 2, B: 3, Rate: 1500 * unit.Gbps, Delay: 0, ErrorRate: 1e-6},
		},
	}
	for _, text := range []string{
		lab,
		strings.ReplaceAll(lab, "\n", "\r\n"),
		"\n" + strings.ReplaceAll(lab, "\n", " \n\n\t") + "  ",
		strings.TrimSuffix(lab, "\n"),
	} {
		got, err := ReadTopology(strings.NewReader(text), "lab")
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

// Without switches there is no second line.
func TestReadTopologyWithoutSwitches(t *testing.T) {
	for _, text := range []string{"2 0 1\n0 1 1Gbps 1us 0\n", "2 0 1\n\n0 1 1Gbps 1us 0\n"} {
		g, err := ReadTopology(strings.NewReader(text), "cable")
		if err != nil || len(g.Nodes) != 2 || len(g.Links) != 1 {
			t.Errorf("%q: %v, %v", text, g, err)
		}
	}
}

func TestWriteTopology(t *testing.T) {
	g, err := ReadTopology(strings.NewReader(lab), "lab")
	if err != nil {
		t.Fatal(err)
	}
	g.Links[0].Delay += 1
	g.Links[1].Rate = 1_234_567
	var b bytes.Buffer
	if err := WriteTopology(&b, g); err != nil {
		t.Fatal(err)
	}
	want := "4 2 3\n2 3\n0 2 100Gbps 1000001ps 0.000000\n1 3 1234567bps 1000ns 0.500000\n2 3 1500Gbps 0ns 0.000001\n"
	if b.String() != want {
		t.Errorf("wrote\n%s\nwant\n%s", b.String(), want)
	}
	g.Links[0].Rate = 0
	if err := WriteTopology(&b, g); !errtest.Says(err, `topology "lab": link 0 (0-2): rate 0 bit/s, … > 0 …`) {
		t.Errorf("a graph that is not valid: error %v", err)
	}
}

// The format has one rate for a link and no delays of switches.
func TestWriteTopologyLacks(t *testing.T) {
	for want, change := range map[string]func(*Graph){
		"link 1: the rate is 25Gbps and the rate back 10Gbps": func(g *Graph) {
			g.Links[1].Rate, g.Links[1].Back = 25*unit.Gbps, 10*unit.Gbps
		},
		"link 0: node 2 has a delay of 3ns": func(g *Graph) { g.Nodes[2].Delay = 3 * unit.Nanosecond },
	} {
		g, err := ReadTopology(strings.NewReader(lab), "lab")
		if err != nil {
			t.Fatal(err)
		}
		change(g)
		if err := WriteTopology(io.Discard, g); !errtest.Says(err, want+": a topology.txt …") {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// Writing any valid graph and reading it again preserves it, except that names are lost and layers are inferred.
func TestTopologyRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGenerated(t)
		for i := range g.Links {
			g.Links[i].ErrorRate = rapid.Float64Range(0, 0.999).Draw(t, "error rate")
		}
		var b bytes.Buffer
		if err := WriteTopology(&b, g); err != nil {
			t.Fatal(err)
		}
		back, err := ReadTopology(&b, g.Name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range g.Nodes {
			g.Nodes[i].Name = ""
		}
		if diff := cmp.Diff(g, back); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// The published simulator reads only the declared number of links. Its files explain the format below the links.
func TestTextAfterTheLinks(t *testing.T) {
	want, err := ReadTopology(strings.NewReader(lab), "lab")
	if err != nil {
		t.Fatal(err)
	}
	want.Changes.Text = 2
	got, err := ReadTopology(strings.NewReader(lab+
		"\nfirst line: nodes, switches, links\n\nsrc dst rate delay error\n"), "lab")
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if text := got.Changes.String(); text != "left out: 2 lines after the last link" {
		t.Error(text)
	}
}

// The reader accepts the first lines of the PowerTCP simulator, its rates, and parallel links of switches.
func TestReadTopologyOfOthers(t *testing.T) {
	hosts := "0 2 25Gbps 1us 0\n1 3 25Gbps 1us 0\n"
	want, err := ReadTopology(strings.NewReader("4 2 3\n2 3\n"+hosts+"2 3 100Gbps 1us 0\n"), "f")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		text   string
		joined int
	}{
		{"4 2 2 3\n2 3\n0 2 25000000000.0 1us 0\n1 3 25000000000.0 1us 0\n2 3 100000000000.0 1us 0\n", 0},
		{"4 2 2 3 25000000000 100000000000\n2 3 \n0 2 25000000000 1us 0\n1 3 25000000000 1us 0\n" +
			"2 3 100000000000 1us 0\n", 0},
		{"4 2 5\n2 3\n" + hosts + "2 3 40Gbps 1us 0\n2 3 40Gbps 1us 0\n3 2 20Gbps 1us 0\n", 2},
	} {
		want.Changes.Joined = x.joined
		got, err := ReadTopology(strings.NewReader(x.text), "f")
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%q: %v (-want +got):\n%s", x.text, err, diff)
		}
	}
	text := want.Changes.String()
	if text != "joined: 2 parallel links, so that two switches have one link with the total rate" {
		t.Error(text)
	}
}

// The complete text of every message. One case is a defect of other simulators: if the declared number of links is too
// small, they drop the rest silently.
func TestReadTopologyRefusals(t *testing.T) {
	const head = "4 2 3\n2 3\n"
	link := func(s string) string { return head + s + "\n1 3 1Gbps 1us 0\n2 3 1Gbps 1us 0\n" }
	for _, tt := range []struct{ text, want string }{
		{"", `f:1: want the line "nodes switches links", not the end of the file`},
		{"4 2\n", "f:1: 2 fields, want 3: nodes switches links"},
		{"4 2 3 9 1\n", "f:1: 5 fields, want 3: nodes switches links"},
		{"4 2 3 9\n", `f:1:5: tors "3": want an integer in 0..2`},
		{"4 2 1 9 1Gbps fast\n", `f:1:15: rate "fast": … number … unit (Tbps, Gbps, Mbps, Kbps, bps)`},
		{"0 0 0\n", `f:1:1: nodes "0": want an integer in 1..1048576`},
		{"-4 2 3\n", `f:1:1: nodes "-4": want an integer in 1..1048576`},
		{"+4 2 3\n", `f:1:1: nodes "+4": want an integer in 1..1048576`},
		{"4 5 3\n", `f:1:3: switches "5": want an integer in 0..4`},
		{"4 2 99999999999999999999\n", `f:1:5: links "99999999999999999999": want an integer in 0..4194304`},
		{"4 2 3x\n", `f:1:5: links "3x": want an integer in 0..4194304`},
		{"4 2 3\n", "f:2: want the numbers of 2 switches, not the end of the file"},
		{"4 2 3\n2\n", "f:2: 1 switch, but line 1 declares 2"},
		{"4 2 3\n2 3 1\n", "f:2: 3 switches, but line 1 declares 2"},
		{"4 2 3\n2 2\n", `f:2:3: switch "2": listed twice`},
		{"4 2 3\n2  4\n", `f:2:4: switch "4": want an integer in 0..3`},
		{"4 2 3\n2 -1\n", `f:2:3: switch "-1": want an integer in 0..3`},
		{head + "0 2 1Gbps 1us 0\n\n1 3 1Gbps 1us 0\n",
			"f:6: want link 3 of the 3 that line 1 declares, not the end of the file"},
		{lab + "the ends, rate, delay and errors\n0 3 1Gbps 1us 0\n",
			"f:7: one link more than the 3 that line 1 declares"},
		{link("0 2 1Gbps 1us"), "f:3: 4 fields, want 5: source destination rate delay error_rate"},
		{link("0 2 1Gbps 1us 0 junk"), "f:3: 6 fields, want 5: source destination rate delay error_rate"},
		{link("0 4 1Gbps 1us 0"), `f:3:3: destination "4": want an integer in 0..3`},
		{link("0.0 2 1Gbps 1us 0"), `f:3:1: source "0.0": want an integer in 0..3`},
		{link("2 2 1Gbps 1us 0"), `f:3:3: destination "2": joins node 2 to itself`},
		{link("3 1 1Gbps 1us 0"),
			"f:4: nodes 1 and 3 already have a link, in line 3 (only switches can have parallel links)"},
		{link("2 3 1Gbps 2us 0"), "f:5: nodes 2 and 3 have a link with delay 2us and error rate 0 in line 3: want " +
			"the same …"},
		{link("3 2 10Tbps 1us 0"), "f:5: nodes 2 and 3 have parallel links of more than …"},
		{link("0 2 100 1us 0"), `f:3:5: rate "100": … number … unit (Tbps, Gbps, Mbps, Kbps, bps)`},
		{link("0 2 0Gbps 1us 0"), `f:3:5: rate "0Gbps": … 0`},
		{link("0 2 1Gbps 1000 0"), `f:3:11: delay: time "1000": … number … unit (s, ms, us, ns, ps)`},
		{link("0 2 1Gbps 1001s 0"), `f:3:11: delay "1001s": … 1000s`},
		{link("0 2 1Gbps 1us -0.1"), `f:3:15: error_rate "-0.1": want a number with 0 <= error_rate < 1`},
		{link("0 2 1Gbps 1us -0"), `f:3:15: error_rate "-0": want a number with 0 <= error_rate < 1`},
		{link("0 2 1Gbps 1us 1"), `f:3:15: error_rate "1": want a number with 0 <= error_rate < 1`},
		{link("0 2 1Gbps 1us NaN"), `f:3:15: error_rate "NaN": want a number with 0 <= error_rate < 1`},
		{link("0 2 1Gbps 1us 0x1p-2"), `f:3:15: error_rate "0x1p-2": want a number with 0 <= error_rate < 1`},
		{"3 1 1\n2\n0 2 1Gbps 1us 0\n",
			"topology \"f\": host 1 has no link\nnot connected: 2 parts; not reachable from host 0: host 1"},
		{strings.Repeat(" ", maxLine+1), "f:1: line longer than 16777216 bytes"},
	} {
		g, err := ReadTopology(strings.NewReader(tt.text), "f")
		if !errtest.Says(err, tt.want) || g != nil {
			t.Errorf("%.60q: error %v\nwant %s", tt.text, err, tt.want)
		}
	}
}

// Any bytes give an error or a valid graph that is the same after writing and reading.
func FuzzReadTopology(f *testing.F) {
	f.Add([]byte(lab))
	f.Add([]byte("2 0 1\n0 1 1Gbps 1us 0\n"))
	f.Add([]byte("4 2 3\n2 3\n0 2 1Gbps 1us 0\n1 3 1Gbps 1us 0\n2 3 9223372036854775807bps 1ps 1e-300\n"))
	f.Add([]byte("1 1 0\n0\n"))
	f.Add([]byte("4 2 2 3 25000000000 1e9\n2 3 \n0 2 25000000000 1us 0\n1 3 1Gbps 1us 0\n2 3 1000000.0 1us 0\n"))
	f.Add([]byte("2 2 2\n0 1\n0 1 1Gbps 1us 0\n1 0 2Gbps 1us 0\n"))
	f.Add([]byte("1 1 0\n0\ntext after the links\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		g, err := ReadTopology(bytes.NewReader(text), "fuzz")
		if err != nil {
			return
		}
		if err := g.Validate(); err != nil {
			t.Fatalf("not valid: %v", err)
		}
		var b bytes.Buffer
		if err := WriteTopology(&b, g); err != nil {
			t.Fatal(err)
		}
		back, err := ReadTopology(&b, "fuzz")
		g.Changes = Changes{} // only the original file has other text and parallel links
		if err != nil || !reflect.DeepEqual(g, back) {
			t.Fatalf("written and read again it differs: %v", err)
		}
	})
}
