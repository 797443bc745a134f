package analysis

import (
	"fmt"
	"strings"
	"testing"

	"pintlab/p4/interp"
)

// program makes a program whose ingress has the given declarations and apply block.
func program(t testing.TB, locals, apply string) *interp.Program {
	t.Helper()
	text := fmt.Sprintf(`
#include <core.p4>
#include <v1model.p4>
header h_t { bit<32> a; bit<32> b; bit<32> c; bit<32> d; bit<32> r; bit<8> n; }
struct headers { h_t h; }
struct meta_t { bit<32> x; bit<32> y; bit<32> z; bit<16> i; bool flag; }
parser P(packet_in pkt, out headers hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start { pkt.extract(hdr.h); transition accept; }
}
bit<32> add1(in bit<32> v) { return v + 1; }
control V(inout headers hdr, inout meta_t meta) { apply { } }
control I(inout headers hdr, inout meta_t meta, inout standard_metadata_t sm) {
%s
    apply {
%s
    }
}
control E(inout headers hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control C(inout headers hdr, inout meta_t meta) { apply { } }
control D(packet_out pkt, in headers hdr) { apply { pkt.emit(hdr); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
`, locals, apply)
	p, err := loadText("t.p4", text, interp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const table = "action set(bit<32> v) { meta.x = v; } table t { key = { hdr.h.a : exact; } actions = { set; " +
	"NoAction; } default_action = NoAction(); }\n"

func TestStages(t *testing.T) {
	tests := []struct {
		name          string
		locals, apply string
		want          int
	}{
		{"nothing", "", "", 0},
		{"a move is wiring", "", "hdr.h.r = hdr.h.a;", 0},
		{"slices and casts are wiring", "", "hdr.h.r = (bit<32>) hdr.h.a[15:0]; meta.x = hdr.h.n ++ 24w0;", 0},
		{"a shift is an operation", "", "hdr.h.r = hdr.h.a << 4;", 1},
		{"a shift and a sum", "", "hdr.h.r = hdr.h.b + (hdr.h.a << 4);", 2},
		{"one operation", "", "hdr.h.r = hdr.h.a + hdr.h.b;", 1},
		{"two independent operations", "", "hdr.h.r = hdr.h.a + hdr.h.b; meta.x = hdr.h.c - 1;", 1},
		{"two dependent operations", "", "meta.x = hdr.h.a + hdr.h.b; hdr.h.r = meta.x + hdr.h.c;", 2},
		{"one dependency more", "",
			"meta.x = hdr.h.a + hdr.h.b; meta.y = meta.x + hdr.h.c; hdr.h.r = meta.y ^ hdr.h.d;", 3},
		{"a sum of three is two operations", "", "hdr.h.r = hdr.h.a + hdr.h.b + hdr.h.c;", 2},
		{"wiring between operations adds nothing", "",
			"meta.x = hdr.h.a + hdr.h.b; meta.y = (bit<32>) meta.x[31:3]; hdr.h.r = (bit<32>) meta.y[7:0] + 1;", 2},
		{"a value overwritten in any case matters to nobody", "",
			"meta.x = hdr.h.a + hdr.h.b; meta.x = meta.x + 1; meta.x = hdr.h.c; hdr.h.r = meta.x + 1;", 2},
		{"reading before writing is no dependency", "", "hdr.h.r = meta.x + 1; meta.x = hdr.h.a + 1;", 1},

		{"one table", table, "t.apply();", 1},
		{"table, then an operation on its result", table, "t.apply(); hdr.h.r = meta.x + 1;", 2},
		{"operation, then a table that matches it", table, "hdr.h.a = hdr.h.b + 1; t.apply();", 2},
		{"match dependency", table + "table u { key = { meta.x : exact; } actions = { NoAction; } } ",
			"t.apply(); u.apply();", 2},
		{"action dependency", table +
			"action use() { hdr.h.r = meta.x + 1; } table u { key = { hdr.h.b : exact; } actions = { use; " +
			"NoAction; } default_action = NoAction(); }",
			"t.apply(); u.apply();", 2},
		{"independent tables", table + "table u { key = { hdr.h.b : exact; } actions = { NoAction; } }",
			"t.apply(); u.apply();", 1},
		{"output dependency", table +
			"action other(bit<32> v) { meta.x = v; } table u { key = { hdr.h.b : exact; } actions = { other; " +
			"NoAction; } default_action = NoAction(); }",
			"t.apply(); u.apply();", 2},
		{"two tables in exclusive branches",
			table + "action other(bit<32> v) { meta.x = v; } table u { key = { hdr.h.b : exact; } actions = { " +
				"other; NoAction; } }",
			"if (hdr.h.n == 1) { t.apply(); } else { u.apply(); }", 1},
		{"successor dependency shares the stage",
			table + "table u { key = { hdr.h.b : exact; } actions = { NoAction; } }",
			"if (t.apply().hit) { u.apply(); }", 1},
		{"serial operations in an action",
			"action act(bit<32> v) { meta.x = hdr.h.a + v; meta.y = meta.x + 1; hdr.h.r = meta.y + 2; } " +
				"table t { key = { hdr.h.n : exact; } actions = { act; NoAction; } default_action = NoAction(); }",
			"t.apply();", 3},
		{"parallel operations in an action",
			"action act(bit<32> v) { meta.x = hdr.h.a + v; meta.y = hdr.h.b + 1; hdr.h.r = hdr.h.c + 2; } " +
				"table t { key = { hdr.h.n : exact; } actions = { act; NoAction; } default_action = NoAction(); }",
			"t.apply();", 1},
		// The table reads y in its action, so the table waits for y. The action also writes x, so x is late,
		// although x does not depend on y. The stages are 2 operations for y, the table, and x + 1.
		{"a table is one unit", "action act(bit<32> v) { meta.x = v; hdr.h.d = meta.y + 1; } table t { key = { " +
			"hdr.h.n : exact; } actions = { act; NoAction; } default_action = NoAction(); }",
			"meta.y = hdr.h.a + hdr.h.b; meta.y = meta.y + 1; t.apply(); hdr.h.r = meta.x + 1;", 4},

		{"gateway and conditional operation", "", "if (hdr.h.a > 0xff) { hdr.h.r = hdr.h.c + 1; }", 1},
		{"gateway on two fields", "", "if (hdr.h.a == hdr.h.b) { hdr.h.r = hdr.h.c + 1; }", 1},
		{"gateway on a mask", "", "if ((hdr.h.a & 0xf0) == 0x30) { hdr.h.r = hdr.h.c; }", 1},
		{"four prefixes", "", "if (hdr.h.a < 0b10101010) { hdr.h.r = hdr.h.c; }", 1},
		{"five prefixes", "", "if (hdr.h.a < 0b101010101) { hdr.h.r = hdr.h.c; }", 2},
		{"the larger of two fields", "", "if (hdr.h.a > hdr.h.r) { hdr.h.r = hdr.h.a; }", 1},
		{"the smaller of two slices", "", "if (hdr.h.r[7:0] >= hdr.h.a[15:8]) { hdr.h.r[7:0] = hdr.h.a[15:8]; }", 1},
		{"not the larger of two fields", "", "if (hdr.h.a > hdr.h.r) { hdr.h.r = hdr.h.b; }", 2},
		{"conditional operation on two fields", "", "if (hdr.h.a > hdr.h.b) { hdr.h.r = hdr.h.c + 1; }", 2},
		{"conditional move", "", "if (hdr.h.a > hdr.h.b) { hdr.h.r = hdr.h.c; }", 2},
		{"condition on something computed", "",
			"meta.x = hdr.h.a - hdr.h.b; if (meta.x < 5) { hdr.h.r = hdr.h.c; }", 2},
		{"arithmetic in a condition", "", "if (hdr.h.a - hdr.h.b < 5) { hdr.h.r = hdr.h.c; }", 2},
		{"stored truth value", "", "meta.flag = hdr.h.a < 5; if (meta.flag && hdr.h.b == 1) { hdr.h.r = hdr.h.c; }", 2},
		{"both branches", "", "if (hdr.h.a == 1) { hdr.h.r = hdr.h.b + 1; } else { hdr.h.r = hdr.h.c - 1; }", 1},
		{"conditional overwrite of a computed value", "",
			"hdr.h.r = hdr.h.a + hdr.h.b; if (hdr.h.n == 1) { hdr.h.r = 0; }", 2},
		{"conditional overwrite of a constant", "", "hdr.h.r = 0; if (hdr.h.n == 1) { hdr.h.r = 1; }", 1},
		{"a local variable of a branch", "", "if (hdr.h.n == 1) { bit<32> v = hdr.h.a + 1; hdr.h.r = v; }", 1},
		{"after a conditional return", "", "meta.x = hdr.h.a + 1; if (meta.x == 3) { return; } hdr.h.r = hdr.h.b;", 2},
		{"after a conditional exit in an action", "action act() { if (meta.x == 3) { exit; } }",
			"meta.x = hdr.h.a + 1; act(); hdr.h.r = hdr.h.b;", 2},
		{"choice", "", "hdr.h.r = hdr.h.a > hdr.h.b ? hdr.h.a : hdr.h.b;", 2},
		{"choice by a gateway", "", "hdr.h.r = hdr.h.a == hdr.h.b ? hdr.h.a : hdr.h.c;", 1},
		{"switch on a value", "",
			"meta.x = hdr.h.a + 1; switch (meta.x) { 1: { hdr.h.r = 5; } default: { hdr.h.r = 6; } }", 2},
		{"switch on an action", table,
			"switch (t.apply().action_run) { set: { hdr.h.r = hdr.h.b + 1; } default: { } }", 1},

		{"function", "", "hdr.h.r = add1(hdr.h.a);", 1},
		{"function of a function", "", "hdr.h.r = add1(add1(add1(hdr.h.a)));", 3},
		{"function called twice side by side", "", "hdr.h.r = add1(hdr.h.a); hdr.h.d = add1(hdr.h.b);", 1},
		{"conditional function", "", "if (hdr.h.n == 1) { hdr.h.r = add1(hdr.h.a); }", 1},
		{"hash", "", "hash(meta.x, HashAlgorithm.crc32, 32w0, { hdr.h.a, hdr.h.b }, 32w1024);", 1},
		{"hash of a hash", "", "hash(meta.x, HashAlgorithm.crc32, 32w0, { hdr.h.a, hdr.h.b }, 32w1024); " +
			"hash(meta.y, HashAlgorithm.crc32, 32w0, { meta.x }, 32w1024);", 2},
		{"drop", "", "meta.x = hdr.h.a + 1; if (meta.x == 0) { mark_to_drop(sm); }", 2},
		{"header made valid", "", "meta.x = hdr.h.a + 1; if (meta.x == 0) { hdr.h.setInvalid(); }", 2},

		{"register", "register<bit<32>>(8) r;", "bit<32> v; r.read(v, hdr.h.a); v = v + 1; r.write(hdr.h.a, v);", 1},
		{"register and use of what it had", "register<bit<32>>(8) r;",
			"bit<32> v; r.read(v, hdr.h.a); r.write(hdr.h.a, v + 1); hdr.h.r = v + 7;", 2},
		{"register index from a hash", "register<bit<32>>(8) r;",
			"hash(meta.x, HashAlgorithm.crc32, 32w0, { hdr.h.a }, 32w8); bit<32> v; r.read(v, meta.x); " +
				"v = v |+| 1; r.write(meta.x, v); hdr.h.r = v + 1;", 2},
		{"operation on a hash", "",
			"hash(meta.x, HashAlgorithm.crc32, 32w0, { hdr.h.a }, 32w8); hdr.h.r = meta.x + 1;", 1},
		{"table on a hash", table, "hash(hdr.h.a, HashAlgorithm.crc32, 32w0, { hdr.h.b }, 32w8); t.apply();", 2},
		{"condition on a hash", "",
			"hash(meta.x, HashAlgorithm.crc32, 32w0, { hdr.h.a }, 32w8); if (meta.x < 3) { hdr.h.r = 1; }", 2},
		{"random number", "", "random(meta.x, 0, 100); hdr.h.r = hdr.h.a + meta.x;", 1},
		{"conditional update", "register<bit<32>>(8) r;",
			"bit<32> v; r.read(v, 0); if (hdr.h.a > v) { r.write(0, hdr.h.a); }", 1},
		{"two registers side by side", "register<bit<32>>(8) r; register<bit<32>>(8) s;",
			"bit<32> v; r.read(v, 0); r.write(0, v + 1); s.read(v, 0); s.write(0, v + 2);", 1},
		{"one register's value into another", "register<bit<32>>(8) r; register<bit<32>>(8) s;",
			"bit<32> v; r.read(v, 0); r.write(0, v + 1); s.write(0, v);", 2},
		{"update with a value computed before", "register<bit<32>>(8) r;",
			"meta.x = hdr.h.a - hdr.h.b; bit<32> v; r.read(v, 0); r.write(0, v + meta.x);", 2},
		{"register in the action of a table",
			"register<bit<32>>(8) r; action count(bit<32> i) { bit<32> v; r.read(v, i); v = v + 1; r.write(i, " +
				"v); meta.x = v; } table t { key = { hdr.h.n : exact; } actions = { count; NoAction; } " +
				"default_action = NoAction(); }",
			"t.apply(); hdr.h.r = meta.x + 1;", 2},
		{"register in both branches", "register<bit<32>>(8) r;",
			"bit<32> v; meta.x = hdr.h.a + 1; if (meta.x == 1) { r.read(v, 0); } else { r.write(0, hdr.h.b); }", 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Stages(program(t, tt.locals, tt.apply), tofino(t))
			if len(got) != 2 || got[0].Name != "I" || got[1].Name != "E" {
				t.Fatalf("pipelines %v", got)
			}
			if got[0].Stages != tt.want || len(got[0].Problems) > 0 {
				t.Errorf("want %d stages, got\n%s", tt.want, print(got[0]))
			}
			if n := len(got[0].Chain); n != tt.want {
				t.Errorf("chain has %d items: %v", n, got[0].Chain)
			}
		})
	}
}

// A program of n dependent steps takes one more stage if another dependent step is added. An independent step adds
// no stage.
func TestOneDependencyMoreIsOneStageMore(t *testing.T) {
	steps := []struct{ name, locals, apply string }{
		{"operation", "", "meta.x = meta.x + hdr.h.a;"},
		{"table", "action next%[1]d(bit<32> v) { meta.x = v; } table t%[1]d { key = { meta.x : exact; } " +
			"actions = { next%[1]d; NoAction; } default_action = NoAction(); }",
			"t%[1]d.apply();"},
		{"hash", "", "hash(meta.x, HashAlgorithm.crc32, 32w0, { meta.x }, 32w1000);"},
		{"register", "register<bit<32>>(4) r%[1]d;",
			"bit<32> v%[1]d; r%[1]d.read(v%[1]d, meta.x); r%[1]d.write(meta.x, v%[1]d + 1); meta.x = v%[1]d;"},
		{"condition", "", "if (meta.x > %[1]d) { meta.x = hdr.h.b; }"},
	}
	for _, s := range steps {
		for n := range 5 {
			var locals, apply []string
			for i := range n {
				if s.locals != "" {
					locals = append(locals, fmt.Sprintf(s.locals, i))
				}
				apply = append(apply, strings.ReplaceAll(s.apply, "%[1]d", fmt.Sprint(i)))
			}
			p := program(t, strings.Join(locals, "\n"), strings.Join(apply, "\n"))
			if got := Stages(p, tofino(t))[0]; got.Stages != n || len(got.Problems) > 0 {
				t.Errorf("%d times %s: want %d stages, got\n%s", n, s.name, n, print(got))
			}
			beside := strings.Join(apply, "\n") + " hdr.h.r = hdr.h.c + 1;"
			if got := Stages(program(t, strings.Join(locals, "\n"), beside), tofino(t))[0]; got.Stages != max(1, n) {
				t.Errorf("%d times %s and an extra step: want %d stages, got\n%s", n, s.name, max(1, n), print(got))
			}
		}
	}
}

func TestStageProblems(t *testing.T) {
	tests := []struct{ name, locals, apply, want string }{
		{"long update", "register<bit<32>>(8) r;",
			"bit<32> v; r.read(v, 0); v = v + hdr.h.a; v = v ^ hdr.h.b; v = v - hdr.h.c; r.write(0, v);",
			"t.p4:15:77: register: 3 dependent operations lie between reading and writing register I.r, but its " +
				"stage can do only 1"},
		{"compared afterwards", "register<bit<32>>(8) r;",
			"bit<32> v; r.read(v, 0); v = v + hdr.h.a; if (v > hdr.h.b) { v = hdr.h.b; meta.y = 1; } r.write(0, v);",
			"t.p4:15:47: register: a comparison of a result comes between reading and writing register I.r: its " +
				"stage can only compare the value that it has read"},
		{"update through a table",
			"register<bit<32>>(8) r; action set(bit<32> v) { meta.x = v; } table t { key = { meta.x : exact; } " +
				"actions = { set; } }",
			"r.read(meta.x, 0); t.apply(); r.write(0, meta.x);",
			"t.p4:13:69: register: table I.t comes between reading and writing register I.r, but both must happen " +
				"in one stage"},
		{"update through another register", "register<bit<32>>(8) r; register<bit<32>>(8) s;",
			"bit<32> v; bit<32> w; r.read(v, 0); s.read(w, v); r.write(0, w);",
			"t.p4:15:37: register: I.s.read comes between reading and writing register I.r, but both must happen in " +
				"one stage"},
		{"circle", "register<bit<32>>(8) r; register<bit<32>>(8) s;",
			"bit<32> v; bit<32> w; if (hdr.h.n == 1) { r.read(v, 0); s.write(0, v); } else { s.read(w, 0); " +
				"r.write(0, w); }",
			"register: registers depend on each other in a circle: no order of stages satisfies these dependencies"},
		{"loop", "", "for (bit<8> i = 0; i < 4; i = i + 1) { hdr.h.r = hdr.h.r + 1; }",
			"t.p4:15:1: loop: a loop cannot be laid out in stages"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Stages(program(t, tt.locals, tt.apply), tofino(t))[0]
			if len(got.Problems) != 1 || got.Problems[0].String() != tt.want {
				t.Errorf("got %v\nwant %s", got.Problems, tt.want)
			}
		})
	}
}

func ExampleStages() {
	text := `
#include <core.p4>
#include <v1model.p4>
header h_t { bit<32> key; bit<32> value; }
struct headers { h_t h; }
struct meta_t { bit<32> index; bit<32> count; }
parser P(packet_in p, out headers hdr, inout meta_t m, inout standard_metadata_t sm) {
    state start { p.extract(hdr.h); transition accept; }
}
control V(inout headers hdr, inout meta_t m) { apply { } }
control I(inout headers hdr, inout meta_t m, inout standard_metadata_t sm) {
    register<bit<32>>(1024) counts;
    action forward(bit<9> port) { sm.egress_spec = port; }
    table route { key = { hdr.h.key : exact; } actions = { forward; NoAction; } }
    apply {
        route.apply();
        hash(m.index, HashAlgorithm.crc32, 32w0, { hdr.h.key }, 32w1024);
        counts.read(m.count, m.index);
        m.count = m.count |+| 1;
        counts.write(m.index, m.count);
        if (m.count >= 1024) { hdr.h.value = m.count; }
    }
}
control E(inout headers hdr, inout meta_t m, inout standard_metadata_t sm) { apply { } }
control C(inout headers hdr, inout meta_t m) { apply { } }
control D(packet_out p, in headers hdr) { apply { p.emit(hdr); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;`
	p, err := loadText("count.p4", text, interp.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	target, err := OpenTarget(DefaultTarget)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(print(Stages(p, target)[0]))
	// Output:
	// I: 2 stages
	//    1  table I.route, hash, I.counts.read, |+|, I.counts.write
	//    2  write hdr.h.value
}

// tofino is the target of the tests.
func tofino(t testing.TB) *Target { return open(t, DefaultTarget) }

func bmv2(t testing.TB) *Target { return open(t, "bmv2") }

func open(t testing.TB, name string) *Target {
	t.Helper()
	target, err := OpenTarget(name)
	if err != nil {
		t.Fatal(err)
	}
	return target
}

// print prints a layout, one line for each stage.
func print(p Pipeline) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d stages\n", p.Name, p.Stages)
	for k := 1; k <= p.Stages; k++ {
		var labels []string
		count := map[string]int{}
		for _, it := range p.Items {
			if it.Stage == k {
				if count[it.Label] == 0 {
					labels = append(labels, it.Label)
				}
				count[it.Label]++
			}
		}
		for i, l := range labels {
			if n := count[l]; n > 1 {
				labels[i] = fmt.Sprintf("%s (%d)", l, n)
			}
		}
		fmt.Fprintf(&b, "  %2d  %s\n", k, strings.Join(labels, ", "))
	}
	for _, f := range p.Problems {
		fmt.Fprintf(&b, "  problem: %s\n", f)
	}
	return b.String()
}
