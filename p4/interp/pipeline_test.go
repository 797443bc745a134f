package interp

import (
	"bytes"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
)

// pipelineOf returns a pipeline that runs a conformance program.
func pipelineOf(t testing.TB, name string, cfg Config) *Pipeline {
	t.Helper()
	prog, _, err := loadArchive(t, "testdata/conformance/"+name+".txtar")
	if err != nil {
		t.Fatal(err)
	}
	p, err := prog.NewPipeline(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestEntriesFromGo(t *testing.T) {
	p := pipelineOf(t, "table_exact", Config{})
	if reply, err := p.Command("table_add t fwd 1 5 => 2 255"); err != nil ||
		reply != "entry has been added with handle 0" {
		t.Fatal(reply, err)
	}
	packet := []byte{1, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0}
	outs, err := p.Process(0, packet)
	if err != nil || len(outs) != 1 || outs[0].Port != 2 || outs[0].Data[15] != 255 {
		t.Errorf("%v, %v", outs, err)
	}
	if _, err := p.Command("table_set_default t fwd 7 9"); err != nil {
		t.Fatal(err)
	}
	packet[0] = 9
	if outs, err := p.Process(0, packet); err != nil || len(outs) != 1 || outs[0].Port != 7 {
		t.Errorf("%v, %v", outs, err)
	}
	for _, bad := range []func() error{
		func() error { _, err := p.Command("table_add u fwd"); return err },
		func() error { _, err := p.Command("table_add t nope"); return err },
		func() error { _, err := p.Command("table_add t fwd"); return err },
		func() error { _, err := p.Command("table_set_default t fwd 512 0"); return err },
		func() error { _, err := p.Register("r"); return err },
		func() error { _, err := p.counter("c"); return err },
		func() error { _, err := p.valueSet("v"); return err },
		func() error { _, err := p.Process(511, packet); return err },
		func() error { _, err := p.Process(-1, packet); return err },
	} {
		if bad() == nil {
			t.Error("accepted")
		}
	}
}

func TestRegistersFromGo(t *testing.T) {
	p := pipelineOf(t, "ext_register", Config{})
	r, err := p.Register("MyIngress.r")
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Write(3, big.NewInt(40)); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Process(0, []byte{3, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0}); err != nil {
		t.Fatal(err)
	}
	if v, err := r.Read(3); err != nil || v.Int64() != 42 || r.Uint64(3) != 42 {
		t.Errorf("%v, %v", v, err)
	}
	s, err := p.Register("s")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Write(0, big.NewInt(-128)); err != nil {
		t.Error(err)
	}
	if v, err := s.Read(0); err != nil || v.Int64() != -128 {
		t.Errorf("%v, %v", v, err)
	}
	if err := s.Write(0, big.NewInt(-129)); err == nil {
		t.Error("-129 fits int<8>")
	}
	if _, err := r.Read(8); err == nil {
		t.Error("cell 8 of 8")
	}
}

// Two pipelines of one program share nothing that changes.
func TestPipelinesAreIndependent(t *testing.T) {
	prog, _, err := loadArchive(t, "testdata/conformance/ext_register.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	results := make([]string, 4)
	for i := range results {
		wg.Add(1)
		go func() {
			defer wg.Done()
			p, err := prog.NewPipeline(Config{Seed: uint64(i)})
			if err != nil {
				results[i] = err.Error()
				return
			}
			for range 50 * (i + 1) {
				if _, err := p.Process(0, []byte{1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0}); err != nil {
					results[i] = err.Error()
					return
				}
			}
			results[i], _ = p.Command("register_read r 1")
		}()
	}
	wg.Wait()
	for i, got := range results {
		if want := fmt.Sprintf("r[1]= %d", 50*(i+1)); got != want {
			t.Errorf("pipeline %d: %s, want %s", i, got, want)
		}
	}
}

func TestRunCommands(t *testing.T) {
	p := pipelineOf(t, "table_exact", Config{})
	var replies bytes.Buffer
	err := RunCommands("setup.txt", strings.NewReader(`
# a comment
table_add t fwd 1 5 => 2 0xff   # another
  table_num_entries t
table_add t fwd 1 => 2
bogus
table_set_default t
`), &replies, p.Command)
	want := `setup.txt:5: table_add: 1 key, expected 2 for table MyIngress.t
setup.txt:6: unknown command "bogus": expected `
	if err == nil || !strings.HasPrefix(err.Error(), want) ||
		!strings.HasSuffix(err.Error(),
			"setup.txt:7: table_set_default: 1 argument, expected table_set_default <table> <action> <parameter>...") {
		t.Errorf("error %v", err)
	}
	if got := replies.String(); got != "entry has been added with handle 0\n1\n" {
		t.Errorf("replies %q", got)
	}
	dump := map[string]string{
		"table_dump t": `==========
TABLE ENTRIES
**********
Dumping entry 0x0
Match key:
* op                  : EXACT     01
* hdr.d.a             : EXACT     00000005
Action entry: MyIngress.fwd - 0002, 000000ff
==========
Dumping default entry
Action entry: MyIngress.drop - 
==========`,
		"help":            "",
		"help table_dump": "table_dump <table>",
	}
	for line, want := range dump {
		if got, err := p.Command(line); err != nil || want != "" && got != want ||
			!strings.Contains(got, "table_dump <table>") && want == "" {
			t.Errorf("%s: %v\n%s\nwant\n%s", line, err, got, want)
		}
	}
	if _, err := p.Command("help tabel_dump"); err == nil {
		t.Error("help knows a command that does not exist")
	}
	if err := RunCommands("bad.txt", strings.NewReader(strings.Repeat("bad\n", 1000)), nil, p.Command); err == nil ||
		strings.Count(err.Error(), "unknown command") != 40 || !strings.HasSuffix(err.Error(), "\nand 960 more") {
		t.Errorf("RunCommands of 1000 bad lines: %v", err)
	}
	if err := RunCommands("long.txt", strings.NewReader(strings.Repeat("x", 2<<20)), nil, p.Command); err == nil ||
		!strings.HasPrefix(err.Error(), "long.txt:1: ") {
		t.Errorf("error %v", err)
	}
}

func TestLogAndDigests(t *testing.T) {
	var log []string
	p := pipelineOf(t, "ext_drop_random_log", Config{Log: func(s string) { log = append(log, s) }})
	if _, err := p.Process(0, []byte{1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}); err != nil {
		t.Fatal(err)
	}
	if len(log) != 1 || log[0] != "op 1 n 2" {
		t.Errorf("log %q", log)
	}
	p = pipelineOf(t, "digest_meter", Config{})
	if _, err := p.Process(0, []byte{9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}); err != nil {
		t.Fatal(err)
	}
	sw := p.Device()
	if d := sw.Digests(); len(d) != 1 || d[0].Receiver != 1 || d[0].Bits != 40 ||
		!bytes.Equal(d[0].Data, []byte{9, 0, 0, 0, 0}) {
		t.Errorf("digests %+v", d)
	}
	if d := sw.Digests(); d != nil {
		t.Errorf("the digest came twice: %+v", d)
	}
}

func TestSessionsAndGroups(t *testing.T) {
	p := pipelineOf(t, "clone_multicast", Config{})
	for _, line := range []string{
		"mc_mgrp_create 7", "mc_node_create 1 3", "mc_node_create 0 4", "mc_node_associate 7 0",
		"mc_node_associate 7 1", "mirroring_add_mc 100 7",
	} {
		if _, err := p.Command(line); err != nil {
			t.Fatal(line, err)
		}
	}
	outs, err := p.Process(0, []byte{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	var ports []int
	for _, o := range outs {
		ports = append(ports, o.Port)
	}
	if err != nil || fmt.Sprint(ports) != "[3 4 1]" {
		t.Errorf("ports %v, %v", ports, err)
	}
	for _, line := range []string{
		"mc_mgrp_create 0", "mc_mgrp_create 65536", "mc_node_update 0 511", "mirroring_add -1 1",
		"mirroring_add 32768 1",
		"mirroring_add 1 511", "mirroring_add 1 -1", "mirroring_add_mc 1 0", "mirroring_add_mc 1 65536",
	} {
		if _, err := p.Command(line); err == nil {
			t.Errorf("%s is accepted", line)
		}
	}
}

func TestLoadFromDisk(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	begin, err := os.ReadFile("testdata/include/begin.p4")
	if err != nil {
		t.Fatal(err)
	}
	end, err := os.ReadFile("testdata/include/main.p4")
	if err != nil {
		t.Fatal(err)
	}
	write("lib/begin.p4", string(begin))
	write("lib/main.p4", string(end))
	write("src/prog.p4", "#include \"../lib/begin.p4\"\ncontrol MyIngress(inout headers hdr, "+
		"inout meta_t meta, inout standard_metadata_t sm) { apply { sm.egress_spec = PORT; } }\n#include <main.p4>\n")
	p, err := Load(filepath.Join(dir, "src/prog.p4"),
		Options{Defines: []string{"PORT=5"}, IncludeDirs: []string{filepath.Join(dir, "lib")}})
	if err != nil {
		t.Fatal(err)
	}
	if p.Name != "prog" || len(p.Pipelines()) != 2 || p.Pipelines()[0].Name != "MyIngress" {
		t.Errorf("%s, %v", p.Name, p.Pipelines())
	}
	if _, err := Load(filepath.Join(dir, "none.p4"), Options{}); err == nil ||
		!strings.Contains(err.Error(), "none.p4: cannot read the program: ") {
		t.Errorf("error %v", err)
	}
	if _, err := loadText("t.p4", "", Options{Defines: []string{"1x"}}); err == nil ||
		!strings.Contains(err.Error(), `cannot define "1x": expected NAME or NAME=value`) {
		t.Errorf("error %v", err)
	}
}

// The same seed causes the same random numbers. Another seed causes different random numbers.
func TestSeeds(t *testing.T) {
	run := func(seed uint64) string {
		p, err := loadText("t.p4", `#include <v1model.p4>
header h_t { bit<64> r; }
struct headers { h_t h; }
struct meta_t { }
parser P(packet_in pkt, out headers hdr, inout meta_t meta, inout standard_metadata_t sm) {`+
			` state start { pkt.extract(hdr.h); transition accept; } }
control V(inout headers hdr, inout meta_t meta) { apply { } }
control I(inout headers hdr, inout meta_t meta, inout standard_metadata_t sm) {`+
			` apply { random(hdr.h.r, 0, 0xffffffffffffffff); } }
control E(inout headers hdr, inout meta_t meta, inout standard_metadata_t sm) {`+
			` apply { } }
control C(inout headers hdr, inout meta_t meta) { apply { } }
control D(packet_out pkt, in headers hdr) { apply { pkt.emit(hdr); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;`, Options{})
		if err != nil {
			t.Fatal(err)
		}
		pipe, err := p.NewPipeline(Config{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		outs, err := pipe.Process(0, make([]byte, 8))
		if err != nil {
			t.Fatal(err)
		}
		return string(outs[0].Data)
	}
	first, again, other := run(1), run(1), run(2)
	if first != again || first == other {
		t.Errorf("seed 1 gives %x and %x, seed 2 gives %x", first, again, other)
	}
}

// pipelineWith runs the body of a control over a packet of 32 bytes: four words of 64 bits.
func pipelineWith(declarations, body string) (*Pipeline, error) {
	p, err := loadText("t.p4", `#include <v1model.p4>
header h_t { bit<64> a; bit<64> b; bit<128> w; }
struct headers { h_t h; }
struct meta_t { }
parser P(packet_in pkt, out headers hdr, inout meta_t meta, inout standard_metadata_t sm) {`+
		` state start { pkt.extract(hdr.h); transition accept; } }
control V(inout headers hdr, inout meta_t meta) { apply { } }
control I(inout headers hdr, inout meta_t meta, inout standard_metadata_t sm) { `+declarations+` apply { `+body+` } }
control E(inout headers hdr, inout meta_t meta, inout standard_metadata_t sm) {`+
		` apply { } }
control C(inout headers hdr, inout meta_t meta) { apply { } }
control D(packet_out pkt, in headers hdr) { apply { pkt.emit(hdr); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;`, Options{})
	if err != nil {
		return nil, err
	}
	return p.NewPipeline(Config{Seed: 1})
}

// A division by zero is counted only if it is executed. The test covers operands of one word and of several words,
// and divisions after an exit.
func TestZeroDivisions(t *testing.T) {
	for body, want := range map[string]int{
		"hdr.h.a = hdr.h.a / hdr.h.b;":                       1,
		"hdr.h.a = hdr.h.a % hdr.h.b;":                       1,
		"hdr.h.w = hdr.h.w / (bit<128>)hdr.h.b;":             1,
		"hdr.h.w = hdr.h.w % (bit<128>)hdr.h.b;":             1,
		"hdr.h.a = hdr.h.a / hdr.h.b + hdr.h.b / hdr.h.b;":   2,
		"if (hdr.h.b != 0) { hdr.h.a = hdr.h.a / hdr.h.b; }": 0,
		"exit; hdr.h.a = hdr.h.a / hdr.h.b;":                 0,
		"hdr.h.b = 3; hdr.h.a = hdr.h.a / hdr.h.b;":          0,
		"bool x = hdr.h.b != 0 && hdr.h.a / hdr.h.b == 1;":   0,
		"hdr.h.b = hdr.h.b != 0 ? hdr.h.a / hdr.h.b : 64w7;": 0,
		"hdr.h.w = hdr.h.w / 3; hdr.h.a = hdr.h.a % 64w5;":   0,
	} {
		pipe, err := pipelineWith("", body)
		if err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		for range 3 {
			if _, err := pipe.Process(0, make([]byte, 32)); err != nil {
				t.Fatal(err)
			}
		}
		if got := pipe.ZeroDivisions(); got != 3*want {
			t.Errorf("%s: %d divisions by zero in 3 packets, want %d", body, got, 3*want)
		}
	}
}

// The total size of registers and counters is limited, not only the size of each: a program of a few lines cannot use
// more than 2 GiB.
func TestStateIsLimited(t *testing.T) {
	var many string
	for i := range 5 {
		many += fmt.Sprintf("register<bit<64>>(67108864) r%d; ", i)
	}
	_, err := pipelineWith(many, "")
	if err == nil || !strings.Contains(err.Error(), "t.p4:7:") ||
		!strings.Contains(err.Error(),
			"I.r4: the registers and counters up to this one take 335544320 words of 8 bytes, want at most 268435456") {
		t.Errorf("error %v", err)
	}
	if _, err := pipelineWith("counter(67108864, CounterType.packets) c; counter(67108864, "+
		"CounterType.bytes) d; register<bit<128>>(33554432) r;",
		""); err == nil || !strings.Contains(err.Error(), "I.r: the registers and counters up to this one take") {
		t.Errorf("error %v", err)
	}
}

func ExamplePipeline_Process() {
	prog, err := loadText("double.p4", `
#include <core.p4>
#include <v1model.p4>
header number_t { bit<16> value; }
struct headers { number_t n; }
struct meta_t { }
parser P(packet_in p, out headers hdr, inout meta_t m, inout standard_metadata_t sm) {
    state start { p.extract(hdr.n); transition accept; }
}
control V(inout headers hdr, inout meta_t m) { apply { } }
control I(inout headers hdr, inout meta_t m, inout standard_metadata_t sm) {
    action twice(bit<9> port) { hdr.n.value = hdr.n.value << 1; sm.egress_spec = port; }
    table t { key = { hdr.n.value : range; } actions = { twice; NoAction; } }
    apply { t.apply(); }
}
control E(inout headers hdr, inout meta_t m, inout standard_metadata_t sm) {`+
		` apply { } }
control C(inout headers hdr, inout meta_t m) { apply { } }
control D(packet_out p, in headers hdr) { apply { p.emit(hdr); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;`, Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	pipe, err := prog.NewPipeline(Config{Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := pipe.Command("table_add t twice 1->100 => 3 1"); err != nil {
		fmt.Println(err)
		return
	}
	outs, err := pipe.Process(0, []byte{0, 21, 'x'})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, o := range outs {
		fmt.Printf("port %d: %x\n", o.Port, o.Data)
	}
	// Output: port 3: 002a78
}

// The error for an undeclared name suggests the include that declares it.
func TestUndeclaredNames(t *testing.T) {
	const rest = `
parser P(packet_in p, out headers hdr, inout meta_t meta, inout standard_metadata_t sm) {` +
		` state start { transition accept; } }
control V(inout headers hdr, inout meta_t meta) { apply { } }
control I(inout headers hdr, inout meta_t meta, inout standard_metadata_t sm) { %s apply { %s } }
control D(packet_out p, in headers hdr) { apply { } }
V1Switch(P(), V(), I(), %s(), V(), D()) main;
`
	const begin = "struct headers { }\nstruct meta_t { bit<8> x; }"
	const both = "#include <core.p4>\n#include <v1model.p4>\n"
	for _, c := range []struct{ includes, locals, apply, egress, want string }{
		{"#include <core.p4>\n", "register<bit<8>>(4) r;", "", "I",
			"parser, control or extern 'register' is not declared: #include <v1model.p4> has it"},
		{"#include <core.p4>\n", "", "", "I",
			"type 'standard_metadata_t' is not declared: #include <v1model.p4> has it"},
		{"", "", "", "I", "type 'packet_in' is not declared: #include <core.p4> has it"},
		{both, "regster<bit<8>>(4) r;", "", "I", "parser, control or extern 'regster' is not declared\n"},
		{both, "Other() other;", "", "I", "parser, control or extern 'Other' is not declared\n"},
		{both, "", "", "Outgress", "parser, control or extern 'Outgress' is not declared\n"},
		{both, "", "nothing();", "I", "function or action 'nothing' is not declared\n"},
	} {
		name := filepath.Join(t.TempDir(), "n.p4")
		if err := os.WriteFile(name, []byte(c.includes+begin+fmt.Sprintf(rest, c.locals, c.apply, c.egress)),
			0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(name, Options{}); err == nil || !strings.Contains(err.Error()+"\n", c.want) {
			t.Errorf("%v\nwant %s", err, c.want)
		}
	}
}

// A parameter of an enum type without values accepts every member, not only the first two.
func TestEnumParameter(t *testing.T) {
	const text = `#include <core.p4>
#include <v1model.p4>
enum color { red, green, blue }
header h_t { bit<8> v; }
struct headers { h_t h; }
struct meta_t { }
parser P(packet_in p, out headers h, inout meta_t m, inout standard_metadata_t sm) {` +
		` state start { p.extract(h.h); transition accept; } }
control V(inout headers h, inout meta_t m) { apply { } }
control I(inout headers h, inout meta_t m, inout standard_metadata_t sm) {
    action paint(color c) { if (c == color.blue) { h.h.v = 7; } }
    table t { actions = { paint; NoAction; } default_action = NoAction; }
    apply { sm.egress_spec = 1; t.apply(); }
}
control E(inout headers h, inout meta_t m, inout standard_metadata_t sm) {` +
		` apply { } }
control C(inout headers h, inout meta_t m) { apply { } }
control D(packet_out p, in headers h) { apply { p.emit(h); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
`
	prog, err := LoadFS(fstest.MapFS{"e.p4": {Data: []byte(text)}}, "e.p4", Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := prog.NewPipeline(Config{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Command("table_set_default t paint 2"); err != nil {
		t.Fatal(err)
	}
	if outs, err := p.Process(0, []byte{1}); err != nil || len(outs) != 1 || outs[0].Data[0] != 7 {
		t.Errorf("%v, %v", outs, err)
	}
}

// A long list of names hides the right one, so an error suggests a name instead. A short list is printed.
func TestPickSuggests(t *testing.T) {
	names := []string{"PintIngress.sources", "PintEgress.sink.sinks"}
	for _, c := range []struct {
		more int
		name string
		want string
	}{
		{7, "sorces", `there is no table "sorces"; did you mean PintIngress.sources?`},
		{7, "PintEgress.sink.sink", `there is no table "PintEgress.sink.sink"; did you mean PintEgress.sink.sinks?`},
		{0, "sorces", `there is no table "sorces": expected PintIngress.sources, PintEgress.sink.sinks`},
		{7, "quite_different", `there is no table "quite_different": expected PintIngress.sources, `},
	} {
		list := slices.Clone(names)
		for i := range c.more {
			list = append(list, fmt.Sprintf("I.t%d", i))
		}
		if _, err := pick("table", c.name, list); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s among %d names: %v, want %s", c.name, len(list), err, c.want)
		}
	}
}
