package job

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"pintlab/internal/errtest"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/workloads/tasks"
)

func hosts(n int) ([]topo.NodeID, error) { return make([]topo.NodeID, n), nil }

// On a network without delay, the examples end with their computations.
func TestExamples(t *testing.T) {
	for _, tt := range []struct {
		name         string
		ranks, nodes int // ranks of the job, and nodes of rank 0
		rate         float64
		end          unit.Time
		bytes        unit.Bytes // bytes of all messages of rank 0
	}{
		{"pingpong", 2, 4, 0, 35 * unit.Microsecond, 1 << 20},
		{"allreduce", 4, 3, 0, 13 * unit.Microsecond, 6 << 20},
		{"ring4", 4, 15, 0, 6 * unit.Microsecond, 6 * 256 << 10},
		{"operations", 2, 2, 1e9, 20 * unit.Microsecond, 64 << 10},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := "testdata/" + tt.name + ".0.et"
			data, err := open(file)
			if err != nil {
				t.Fatal(err)
			}
			nodes, err := parseChakra(data, file)
			if err != nil || len(nodes) != tt.nodes {
				t.Fatalf("%d nodes, %v", len(nodes), err)
			}
			g, err := readChakra(file, tt.rate, hosts)
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

// The reader accepts attributes of all kinds, and fields that a proto3 writer omits.
func TestAttributes(t *testing.T) {
	data, err := open("testdata/attrs.0.et")
	if err != nil {
		t.Fatal(err)
	}
	nodes, err := parseChakra(data, "attrs")
	if err != nil || len(nodes) != 3 || nodes[0].ID != 5 || nodes[1].ID != 6 || nodes[2].ID != 7 ||
		nodes[0].Type != metadataNode {
		t.Fatalf("%+v, %v", nodes, err)
	}
	for _, n := range nodes {
		if n.Type != metadataNode && n.Type != loadNode && n.Type != storeNode {
			t.Errorf("%+v", n)
		}
	}
}

// A compressed file contains the same trace.
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

func TestChakraErrors(t *testing.T) {
	node := func(id uint64, kind nodeType, deps ...uint64) chakraNode {
		return chakraNode{ID: id, Type: kind, Deps: deps, Size: 8, Src: -1, Dst: -1, Number: int(id)}
	}
	to := func(n chakraNode, src, dst, tag int64) chakraNode {
		n.Src, n.Dst, n.Tag = src, dst, tag
		return n
	}
	call := func(id uint64, group string) chakraNode {
		return chakraNode{ID: id, Type: collectiveNode, Size: 1, Group: group}
	}
	for _, tt := range []struct {
		ranks [][]chakraNode
		want  string
	}{
		{[][]chakraNode{{node(1, computeNode), node(1, computeNode)}},
			"f.0.et: message 1: node 1 (): another node has this id"},
		{[][]chakraNode{{node(1, computeNode, 4)}},
			"f.0.et: message 1: node 1 () depends on node 4, which does not exist"},
		{[][]chakraNode{{node(1, computeNode, 2), node(2, computeNode, 1)}},
			"f:1: the computation of rank 0 can never begin: it waits for f:2: …"},
		{[][]chakraNode{{node(1, invalidNode)}}, "f.0.et: message 1: node 1 (): type 0, want 1 to 7"},
		{[][]chakraNode{{to(node(1, sendNode), 0, 3, 0)}, {node(1, computeNode)}},
			"… rank 3 (comm_src, comm_dst), want a rank other than 0, from 0 to 1"},
		{[][]chakraNode{{node(1, sendNode)}, {node(1, computeNode)}}, "… rank -1 (comm_src, comm_dst), want …"},
		{[][]chakraNode{{to(node(1, sendNode), 0, 1, 7)}, {to(node(1, receiveNode), 0, 1, 8)}},
			"… no rank sends (rank 0, tag 8)"},
		{[][]chakraNode{{{ID: 1, Type: collectiveNode, Op: 3, Size: 1}}},
			"… comm_type 3 is not supported (accepted: 0 all-reduce, …"},
		{[][]chakraNode{{{ID: 1, Type: collectiveNode, Size: 1}}, {{ID: 1, Type: collectiveNode, Size: 2}}},
			"f.1.et: … comm_type 0 of 2 bytes, but rank 0 has comm_type 0 of 1 byte …"},
		{[][]chakraNode{{call(1, "g"), call(2, "g")}, {call(1, "g")}},
			"f: collective 1 of process group \"g\" is on 1 rank, but its first is on 2 ranks"},
		{[][]chakraNode{{call(1, "")}, {call(1, "g")}},
			"f: only 1 of 2 ranks have collective 0 without a process group (pg_name), want all ranks, or a " +
				"process group"},
		{[][]chakraNode{{{ID: 1, Type: collectiveNode, Op: -1, Size: 1}}}, "… comm_type is missing"},
		{[][]chakraNode{{{ID: 1, Type: loadNode, Size: 1}}}, "… tensor_size 1 without duration_micros …"},
		{[][]chakraNode{{{ID: 1, Type: computeNode, Ops: 5}}},
			"f.0.et: message 0: node 1 (): num_ops 5 without duration_micros: … ops_rate …"},
		{[][]chakraNode{{{ID: 1, Type: computeNode, Ops: -5}}}, "… num_ops -5, want at least 0"},
		{[][]chakraNode{{{ID: 1, Type: collectiveNode, CPU: true, Size: 1, Op: 3}}},
			"… comm_type 3 is not supported …"},
	} {
		_, err := chakraGraph("f", 0, make([]topo.NodeID, len(tt.ranks)), tt.ranks)
		if !errtest.Says(err, tt.want) {
			t.Errorf("error %v, want %s", err, tt.want)
		}
	}
	if _, err := readChakra("testdata/ring4.1.et", 0, hosts); !errtest.Says(err,
		"… want the trace of rank 0, NAME.0.et") {
		t.Error(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"a.0.et", "a.1.et", "a.3.et", "b.0.et", "b.x.et", "ba.7.et", "b.02.et"} {
		if err := os.WriteFile(filepath.Join(dir, name), trace(message(0, computeNode)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := readChakra(filepath.Join(dir, "a.0.et"), 0, hosts); !errtest.Says(err,
		"… a.2.et: no such file, but there is a.3.et: want the traces of all ranks") {
		t.Error(err)
	}
	if g, err := readChakra(filepath.Join(dir, "b.0.et"), 0, hosts); err != nil || len(g.Hosts) != 1 {
		t.Error(g, err)
	}
	for text, want := range map[string]string{
		"":                     "f: the file has no node …",
		"\x07":                 "f: message 0: the file is truncated: it ends within a message",
		"\x02\x0a":             "f: message 0: the file is truncated: it ends within a message",
		"\x04\x08\x00\x18\x04": "f: message 0: … a Node, want GlobalMetadata …",
		"\x02\x18\x04":         "f: message 0: … a Node, want GlobalMetadata …",
		"\x05\x0a\x039.9":      "f: message 0: version \"9.9\", want 0.0.4",
		"\x00\x02\x08":         "f: message 1: the file is truncated: it ends within a message",
		"\x00\x01\x08":         "f: message 1: the message is truncated: it ends within a field",
		"\x00\x01\x0f":         "f: message 1: not a field of protobuf: …",
		"\x00\x02\x38\xff":     "f: message 1: …",
		"\x00\x02\x18\x04\x00": "f: message 2 is empty, want a Node …",
	} {
		if _, err := parseChakra([]byte(text), "f"); !errtest.Says(err, want) {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
}

// encode appends a field to a message: a varint or a string.
func encode(b []byte, number protowire.Number, v any) []byte {
	switch v := v.(type) {
	case int:
		return protowire.AppendVarint(protowire.AppendTag(b, number, protowire.VarintType), uint64(v))
	default:
		return protowire.AppendString(protowire.AppendTag(b, number, protowire.BytesType), v.(string))
	}
}

// attribute returns an attribute whose value has the given field number, as a field of a Node.
func attribute(name string, number protowire.Number, v any) []byte {
	return encode(nil, 10, string(encode(encode(nil, 1, name), number, v)))
}

// message returns a Node of a type with an ID and further fields.
func message(id int, kind nodeType, more ...[]byte) []byte {
	return append(encode(encode(nil, 1, id), 3, int(kind)), slices.Concat(more...)...)
}

// trace returns a file with the given nodes.
func trace(nodes ...[]byte) []byte {
	b := protowire.AppendBytes(nil, encode(nil, 1, chakraSchema))
	for _, n := range nodes {
		b = protowire.AppendBytes(b, n)
	}
	return b
}

// The test checks the effect of attributes and dependencies for two ranks on a network without delay. Rank 1 runs the
// nodes of the second list or, if there is only one list, the nodes of the first.
func TestMeaning(t *testing.T) {
	kib := attribute("comm_size", 9, 1024)
	reduce := slices.Concat(attribute("comm_type", 9, 0), kib)
	onHost, onGPU := attribute("is_cpu_op", 27, 1), attribute("is_cpu_op", 27, 0)
	us := func(n int) []byte { return encode(nil, 7, n) }
	after := func(n int) []byte { return encode(nil, 5, n) }
	late := func(group []byte) []byte {
		return trace(message(0, computeNode, us(9)), message(1, collectiveNode, reduce, group, after(0)))
	}
	ops := message(0, computeNode, onGPU, attribute("num_ops", 9, 3000))
	for _, tt := range []struct {
		name  string
		rate  float64
		nodes [][]byte // nodes of rank 0, and of rank 1
		end   unit.Time
		flows int
		err   string
	}{
		{name: "groups by number",
			nodes: [][]byte{trace(message(0, collectiveNode, reduce, attribute("comm_group", 7, 1))),
				late(attribute("comm_group", 7, 2))}},
		{name: "groups by name",
			nodes: [][]byte{trace(message(0, collectiveNode, reduce, attribute("pg_name", 29, "1"))),
				late(attribute("pg_name", 29, "2"))}},
		{name: "number and name",
			nodes: [][]byte{trace(message(0, collectiveNode, reduce, attribute("pg_name", 29, "7"),
				attribute("comm_group", 7, 7))), late(attribute("pg_name", 29, "7"))}, end: 9, flows: 4},
		{name: "other number", nodes: [][]byte{trace(message(0, collectiveNode, attribute("comm_group", 7, 1),
			attribute("pg_name", 29, "2")))},
			err: "f: message 1: pg_name \"2\", but another attribute has the process group \"1\""},
		{name: "no group", nodes: [][]byte{trace(message(0, collectiveNode, reduce)), late(nil)}, end: 9, flows: 4},
		{name: "all dimensions",
			nodes: [][]byte{trace(message(0, collectiveNode, reduce,
				attribute("involved_dim", 28, "\x0a\x02\x01\x01")))},
			flows: 4},
		{name: "some dimensions",
			nodes: [][]byte{trace(message(0, collectiveNode, reduce,
				attribute("involved_dim", 28, "\x0a\x02\x01\x00")))},
			err: "f: message 1: involved_dim excludes a dimension …"},
		{name: "some, not packed",
			nodes: [][]byte{trace(message(0, collectiveNode, reduce,
				attribute("involved_dim", 28, "\x08\x01\x08\x00")))},
			err: "… involved_dim excludes …"},
		{name: "no dimension", nodes: [][]byte{trace(message(0, collectiveNode, reduce,
			attribute("involved_dim", 27, 0)))},
			err: "… involved_dim excludes …"},
		{name: "root", nodes: [][]byte{trace(message(0, collectiveNode, reduce, attribute("root_rank", 7, 1)))},
			err: "… attribute root_rank is not supported: …"},
		{name: "priority", nodes: [][]byte{trace(message(0, collectiveNode, reduce, attribute("comm_priority", 7, 1)))},
			err: "… comm_priority 1 is not supported, want 0: …"},
		{name: "operations", nodes: [][]byte{trace(ops)}, err: "f.0.et: … num_ops 3000 …"},
		{name: "their rate", rate: 1e9, nodes: [][]byte{trace(ops)}, end: 3},
		{name: "a rate without effect", rate: 1e9,
			nodes: [][]byte{trace(message(0, computeNode, us(1), attribute("num_ops", 9, 3000)))},
			err:   "f: … ops_rate has no effect"},
		{name: "control dependency",
			nodes: [][]byte{trace(message(0, computeNode, us(5)),
				message(1, computeNode, onHost, us(2), encode(nil, 4, 0)))},
			end: 7},
		{name: "packed", nodes: [][]byte{trace(message(0, computeNode, us(5)),
			message(1, computeNode, onHost, us(2), encode(nil, 4, "\x00")))}, end: 7},
		{name: "host, accelerator, memory",
			nodes: [][]byte{trace(message(0, computeNode, onHost, us(5)), message(1, computeNode, onGPU, us(4)),
				message(2, loadNode, us(3)), message(3, storeNode, us(3)))}, end: 6},
		{name: "one core each", nodes: [][]byte{trace(message(0, computeNode, onHost, us(5)),
			message(1, computeNode, onHost,
				us(4)), message(2, computeNode, us(3)), message(3, computeNode, onGPU, us(8)))}, end: 11},
		{name: "calls of the host",
			nodes: [][]byte{trace(message(0, collectiveNode, onHost, us(4)),
				message(1, sendNode, onHost, us(4), after(0)),
				message(2, collectiveNode, onGPU, reduce, us(90), after(1)))}, end: 8, flows: 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g, err := read(tt.rate, tt.nodes[0], tt.nodes[len(tt.nodes)-1])
			if tt.err != "" {
				if !errtest.Says(err, tt.err) {
					t.Errorf("error %v, want %s", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			r, err := tasks.Ideal(g)
			if err != nil {
				t.Fatal(err)
			}
			end := unit.Time(0)
			for i := range g.Tasks {
				if g.Tasks[i].Rank == 0 {
					end = max(end, r.State[i].Done)
				}
			}
			if end != tt.end*unit.Microsecond || g.Flows() != tt.flows {
				t.Errorf("rank 0 ends at %v, %d messages, want %d us and %d", end, g.Flows(), tt.end, tt.flows)
			}
		})
	}
}

// comm_size is a rank's input: its share of an all-gather, and everything for the other operations. The messages of an
// all-to-all follow each other. Each collective of several ranks is a group.
func TestCollectives(t *testing.T) {
	for _, tt := range []struct {
		op     int
		group  tasks.Group
		sent   unit.Bytes // by rank 0
		chains int        // messages that wait for no other message
	}{
		{0, tasks.Group{Name: "allreduce", Bytes: 1000, Ranks: 4, Bus: 1.5}, 1500, 4},
		{2, tasks.Group{Name: "allgather", Bytes: 4000, Ranks: 4, Bus: 0.75}, 3000, 4},
		{5, tasks.Group{Name: "broadcast", Bytes: 1000, Ranks: 4, Bus: 1}, 2000, 2},
		{6, tasks.Group{Name: "alltoall", Bytes: 1000, Ranks: 4, Bus: 0.75}, 750, 4},
		{7, tasks.Group{Name: "reducescatter", Bytes: 1000, Ranks: 4, Bus: 0.75}, 750, 4},
	} {
		t.Run(tt.group.Name, func(t *testing.T) {
			node := message(0, collectiveNode, attribute("comm_type", 9, tt.op), attribute("comm_size", 9, 1000),
				attribute("pg_name", 29, "all"))
			var files [][]byte
			for rank := range 4 {
				alone := message(1, collectiveNode, attribute("comm_type", 9, 0), attribute("comm_size", 9, 7),
					attribute("pg_name", 29, string(rune('a'+rank))))
				files = append(files, trace(node, alone))
			}
			g, err := read(0, files...)
			if err != nil {
				t.Fatal(err)
			}
			if len(g.Groups) != 2 || g.Groups[1] != tt.group {
				t.Errorf("groups %+v, want %+v", g.Groups[1:], tt.group)
			}
			r := tasks.NewRun(g)
			n := &counter{}
			r.Begin(n)
			for len(n.due) > 0 {
				task := n.due[0]
				n.due = n.due[1:]
				r.Due(n, task)
			}
			if n.sent != tt.chains {
				t.Errorf("%d messages begin at once, want %d", n.sent, tt.chains)
			}
			sent := unit.Bytes(0)
			for i := range g.Tasks {
				if x := &g.Tasks[i]; x.Kind == tasks.Send && x.Rank == 0 {
					sent += x.Size
				}
			}
			if sent != tt.sent {
				t.Errorf("rank 0 sends %v, want %v", sent, tt.sent)
			}
		})
	}
}

// counter is a network that counts messages and delivers none.
type counter struct {
	due  []int32
	sent int
}

func (*counter) Now() unit.Time { return 0 }

func (n *counter) Send(int32) { n.sent++ }

func (n *counter) Later(_ topo.NodeID, _ unit.Time, task int32) { n.due = append(n.due, task) }

// The test reads small traces of other writers, which are stored next to the repository.
func TestCases(t *testing.T) {
	const dir = "../../../shared/cases/chakra/"
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("needs %s next to the repository: %v", dir, err)
	}
	for _, tt := range []struct {
		name  string
		end   unit.Time // end of the job without a network, in us
		flows int
		err   string
	}{
		{name: "A", flows: 8},
		{name: "B", flows: 8},
		{name: "C", err: "… involved_dim …"},
		{name: "D", end: 100, flows: 24},
		{name: "E", end: 100, flows: 24},
		{name: "F", end: 100, flows: 24},
		{name: "H", err: "… num_ops …"},
		{name: "P2", err: "… want GlobalMetadata …"},
	} {
		g, err := readChakra(dir+tt.name+".0.et", 0, hosts)
		if tt.err != "" {
			if !errtest.Says(err, tt.err) {
				t.Errorf("%s: error %v, want %s", tt.name, err, tt.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		r, err := tasks.Ideal(g)
		end := unit.Time(0)
		for i := range r.State {
			end = max(end, r.State[i].Done)
		}
		if err != nil || end != tt.end*unit.Microsecond || g.Flows() != tt.flows {
			t.Errorf("%s: ends at %v, %d messages, %v, want %d us and %d",
				tt.name, end, g.Flows(), err, tt.end, tt.flows)
		}
	}
}

// read parses the files of all ranks.
func read(rate float64, files ...[]byte) (*tasks.Graph, error) {
	var ranks [][]chakraNode
	for _, file := range files {
		nodes, err := parseChakra(file, "f")
		if err != nil {
			return nil, err
		}
		ranks = append(ranks, nodes)
	}
	return chakraGraph("f", rate, make([]topo.NodeID, len(ranks)), ranks)
}

func FuzzParseChakra(f *testing.F) {
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
		nodes, err := parseChakra(data, "f")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f:") {
				t.Errorf("%v", err)
			}
			return
		}
		// Both ranks have the same nodes.
		if _, err := chakraGraph("f", 0, make([]topo.NodeID, 2), [][]chakraNode{nodes, nodes}); err != nil &&
			!strings.HasPrefix(err.Error(), "f") {
			t.Errorf("%v", err)
		}
	})
}
