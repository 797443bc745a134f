package chakra

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"pintlab/internal/errtest"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/workloads/tasks"
)

func hosts(n int) ([]topo.NodeID, error) { return make([]topo.NodeID, n), nil }

// With a network that takes no time the examples end when their computations do.
func TestExamples(t *testing.T) {
	for _, tt := range []struct {
		name         string
		ranks, nodes int // of rank 0
		end          unit.Time
		bytes        unit.Bytes // of all messages of rank 0
	}{
		{"pingpong", 2, 4, 35 * unit.Microsecond, 1 << 20},
		{"allreduce", 4, 3, 13 * unit.Microsecond, 6 << 20},
		{"ring4", 4, 15, 6 * unit.Microsecond, 6 * 256 << 10},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := "testdata/" + tt.name + ".0.et"
			data, err := open(file)
			if err != nil {
				t.Fatal(err)
			}
			nodes, err := Parse(data, file)
			if err != nil || len(nodes) != tt.nodes {
				t.Fatalf("%d nodes, %v", len(nodes), err)
			}
			g, err := Read(file, hosts)
			if err != nil || len(g.Hosts) != tt.ranks {
				t.Fatalf("%+v, %v", g, err)
			}
			r, err := tasks.Ideal(g)
			if err != nil {
				t.Fatal(err)
			}
			end, sent := unit.Time(0), unit.Bytes(0)
			for i := range g.Tasks {
				if x := &g.Tasks[i]; x.Rank == 0 {
					end = max(end, r.State[i].Done)
					if x.Kind == tasks.Send {
						sent += x.Size
					}
				}
			}
			if end != tt.end || sent != tt.bytes {
				t.Errorf("rank 0 ends at %v and sends %v, want %v and %v", end, sent, tt.end, tt.bytes)
			}
		})
	}
}

// Attributes of all kinds, and what a proto3 writer leaves out, are read; a control dependency has no effect.
func TestAttributes(t *testing.T) {
	data, err := open("testdata/attrs.0.et")
	if err != nil {
		t.Fatal(err)
	}
	nodes, err := Parse(data, "attrs")
	if err != nil || len(nodes) != 3 || nodes[0].ID != 5 || nodes[1].ID != 6 || nodes[2].ID != 7 || nodes[0].Type != Metadata {
		t.Fatalf("%+v, %v", nodes, err)
	}
	for _, n := range nodes {
		if n.Type != Metadata && n.Type != Load && n.Type != Store {
			t.Errorf("%+v", n)
		}
	}
}

// A file that is compressed is the same trace.
func TestCompressed(t *testing.T) {
	plain, err := os.ReadFile("testdata/ring4.0.et")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err = z.Write(plain)
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	for _, data := range [][]byte{plain, b.Bytes()} {
		if got, err := unpack(bytes.NewReader(data), "f"); err != nil || !bytes.Equal(got, plain) {
			t.Errorf("%d bytes, %v", len(got), err)
		}
	}
}

func TestErrors(t *testing.T) {
	node := func(id uint64, kind NodeType, deps ...uint64) Node {
		return Node{ID: id, Type: kind, Deps: deps, Size: 8, Src: -1, Dst: -1, Number: int(id)}
	}
	to := func(n Node, src, dst, tag int64) Node {
		n.Src, n.Dst, n.Tag = src, dst, tag
		return n
	}
	for _, tt := range []struct {
		ranks [][]Node
		want  string
	}{
		{[][]Node{{node(1, Compute), node(1, Compute)}}, "f.0.et: message 1: node 1 (): another node has this id"},
		{[][]Node{{node(1, Compute, 4)}}, "f.0.et: message 1: node 1 () depends on node 4, which is not there"},
		{[][]Node{{node(1, Compute, 2), node(2, Compute, 1)}}, "f:1: the computation of rank 0 can never begin: it waits for f:2: …"},
		{[][]Node{{node(1, Invalid)}}, "f.0.et: message 1: node 1 (): type 0, want 1 to 7"},
		{[][]Node{{to(node(1, Send), 0, 3, 0)}, {node(1, Compute)}}, "… rank 3 (comm_src, comm_dst), want another rank than 0 from 0 to 1"},
		{[][]Node{{node(1, Send)}, {node(1, Compute)}}, "… rank -1 (comm_src, comm_dst), want …"},
		{[][]Node{{to(node(1, Send), 0, 1, 7)}, {to(node(1, Receive), 0, 1, 8)}}, "… nobody sends (rank 0, tag 8)"},
		{[][]Node{{{ID: 1, Type: Collective, Op: 3, Size: 1}}}, "… comm_type 3 is not supported (accepted: 0 all-reduce, …"},
		{[][]Node{{{ID: 1, Type: Collective, Size: 1}}, {{ID: 1, Type: Collective, Size: 2}}}, "f.1.et: … comm_type 0 of 2 bytes, but rank 0 has comm_type 0 of 1 bytes …"},
		{[][]Node{{{ID: 1, Type: Collective, Size: 1}, {ID: 2, Type: Collective, Size: 1}}, {{ID: 1, Type: Collective, Size: 1}}}, "f: 1 ranks have collective 1 of process group \"\", but 2 have its first"},
	} {
		_, err := Graph("f", make([]topo.NodeID, len(tt.ranks)), tt.ranks)
		if !errtest.Says(err, tt.want) {
			t.Errorf("error %v, want %s", err, tt.want)
		}
	}
	if _, err := Read("testdata/ring4.1.et", hosts); !errtest.Says(err, "… want the trace of rank 0, NAME.0.et") {
		t.Error(err)
	}
	for text, want := range map[string]string{
		"":                 "f: no node …",
		"\x07":             "f: message 0: …",
		"\x00\x02\x08":     "f: message 1: …",
		"\x00\x01\x0f":     "f: message 1: …",
		"\x00\x02\x38\xff": "f: message 1: …",
	} {
		if _, err := Parse([]byte(text), "f"); !errtest.Says(err, want) {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*.et")
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add(protowire.AppendBytes(protowire.AppendBytes(nil, nil), []byte{0x18, 7, 0x2a, 1, 3}))
	f.Fuzz(func(t *testing.T, data []byte) {
		nodes, err := Parse(data, "f")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f:") {
				t.Errorf("%v", err)
			}
			return
		}
		// Both ranks have the same nodes.
		if _, err := Graph("f", make([]topo.NodeID, 2), [][]Node{nodes, nodes}); err != nil && !strings.HasPrefix(err.Error(), "f") {
			t.Errorf("%v", err)
		}
	})
}
