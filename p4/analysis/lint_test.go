package analysis

import (
	"fmt"
	"strings"
	"testing"

	"pintlab/p4/interp"
)

func TestLint(t *testing.T) {
	const r = "register<bit<32>>(8) r; register<bit<32>>(8) s;\n"
	tests := []struct{ name, locals, apply, want string }{
		{"clean", r, "bit<32> v; meta.x = hdr.h.b >> 2; r.read(v, hdr.h.a); v = v + meta.x; r.write(hdr.h.a, v);", ""},
		{"more than a register can do", r, "bit<32> v; r.read(v, 0); v = (v << 3) + hdr.h.b; r.write(0, v);",
			"t.p4:16:50: register: 2 dependent operations lie between reading and writing register I.r, but its " +
				"stage can do only 1"},
		{"constants are computed before the program runs", "const bit<32> k = 6 * 7 / 2 % 5 << 3;",
			"hdr.h.r = k + (1 << 4) * 2;", ""},
		{"multiply", "", "hdr.h.r = hdr.h.a * hdr.h.b;",
			"t.p4:15:11: multiply: * at run time: use a shift by a constant, logarithms or a table"},
		{"multiply by a constant", "", "hdr.h.r = hdr.h.a * 3;",
			"t.p4:15:11: multiply: * at run time: use a shift by a constant, logarithms or a table"},
		{"divide and modulo in an action", "action a() { hdr.h.r = hdr.h.a / 10 + hdr.h.a % 10; }",
			"a();", "t.p4:13:24: divide: / at run time: use a shift by a constant, logarithms or a table\n" +
				"t.p4:13:39: modulo: % at run time: use a shift by a constant, logarithms or a table"},
		{"shift by a variable in a key",
			"table t { key = { hdr.h.a >> hdr.h.n : exact @name(\"k\"); } actions = { NoAction; } }",
			"t.apply();",
			"t.p4:13:19: shift: >> by a variable: use a table that chooses among shifts by constants"},
		{"shift by action data",
			"action a(bit<8> n) { hdr.h.r = hdr.h.a << n; } table t { key = { hdr.h.n : exact; } actions = { a; } }",
			"t.apply();",
			"t.p4:13:32: shift: << by a variable: use a table that chooses among shifts by constants"},

		{"read twice", r, "bit<32> v; r.read(v, 0); r.read(v, 1);",
			"t.p4:16:26: register: register I.r is read a second time for one packet (first at t.p4:16:12)"},
		{"written twice", r, "r.write(0, 1); r.write(0, 2);",
			"t.p4:16:16: register: register I.r is written a second time for one packet (first at t.p4:16:1)"},
		{"read after write", r, "bit<32> v; r.write(0, 1); r.read(v, 0);",
			"t.p4:16:27: register: register I.r is read after it was written (at t.p4:16:12) for the same packet"},
		{"two cells", r, "bit<32> v; r.read(v, hdr.h.a); r.write(hdr.h.b, v);",
			"t.p4:16:32: register: register I.r is written at a different index from the one that was read (at " +
				"t.p4:16:12)"},
		{"the index changes", r, "bit<32> v; r.read(v, hdr.h.a); hdr.h.a = hdr.h.a + 1; r.write(hdr.h.a, v);",
			"t.p4:16:55: register: register I.r is written at a different index from the one that was read (at " +
				"t.p4:16:12)"},
		{"the same index by another name",
			r, "bit<32> v; bit<32> i = (bit<32>) hdr.h.n; r.read(v, (bit<32>) hdr.h.n); " +
				"r.write((bit<32>) hdr.h.n, v + i);",
			""},
		{"exclusive branches", r,
			"bit<32> v; if (hdr.h.n == 1) { r.read(v, 0); r.write(0, v + 1); } else { r.read(v, 1); }", ""},
		{"after a return", r, "bit<32> v; if (hdr.h.n == 1) { r.read(v, 0); return; } r.read(v, 1);", ""},
		{"after an exit", r, "bit<32> v; if (hdr.h.n == 1) { r.read(v, 0); exit; } r.read(v, 1);", ""},
		{"on one of two ways", r, "bit<32> v; if (hdr.h.n == 1) { r.read(v, 0); } r.read(v, 1);",
			"t.p4:16:48: register: register I.r is read a second time for one packet (first at t.p4:16:32)"},
		{"in an action and after it",
			r + "action a() { bit<32> v; r.read(v, 0); } table t { key = { hdr.h.n : exact; } actions = { a; " +
				"NoAction; } }",
			"t.apply(); bit<32> w; r.read(w, 0);",
			"t.p4:16:23: register: register I.r is read a second time for one packet (first at t.p4:14:25)"},
		{"in two actions of one table",
			r + "action a() { bit<32> v; r.read(v, 0); } action b() { r.write(0, 1); } table t { key = { " +
				"hdr.h.n : exact; } actions = { a; b; } default_action = b(); }",
			"t.apply();", ""},
		{"after an action that exits", r + "action a() { exit; }", "bit<32> v; a(); r.read(v, 0); r.read(v, 1);", ""},
		{"two registers", r, "bit<32> v; r.read(v, 0); s.read(v, 0); r.write(0, 1); s.write(0, 1);", ""},
		{"on the right of &&", r + "action a(out bool f) { bit<32> v; r.read(v, 0); f = v == 1; }",
			"bool f; a(f); if (f && hdr.h.n == 1) { a(f); }",
			"t.p4:14:35: register: register I.r is read a second time for one packet (first at t.p4:14:35)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, f := range Lint(program(t, tt.locals, tt.apply), tofino(t)) {
				if f.Rule != "unused" {
					got = append(got, fmt.Sprint(f))
				}
			}
			if s := strings.Join(got, "\n"); s != tt.want {
				t.Errorf("got\n%s\nwant\n%s", s, tt.want)
			}
		})
	}
}

// If ingress writes a register and egress reads it, a packet accesses the register twice, even if ingress ends with
// exit.
func TestLintFollowsThePacketIntoEgress(t *testing.T) {
	text := `
#include <core.p4>
#include <v1model.p4>
header h_t { bit<32> a; }
struct headers { h_t h; }
struct meta_t { }
register<bit<32>>(8) r;
parser P(packet_in p, out headers hdr, inout meta_t m, inout standard_metadata_t sm) {` +
		` state start { p.extract(hdr.h); transition accept; } }
control V(inout headers hdr, inout meta_t m) { apply { } }
control I(inout headers hdr, inout meta_t m, inout standard_metadata_t sm) { apply { r.write(0, hdr.h.a); exit; } }
control E(inout headers hdr, inout meta_t m, inout standard_metadata_t sm) { apply { r.read(hdr.h.a, 0); } }
control C(inout headers hdr, inout meta_t m) { apply { } }
control D(packet_out p, in headers hdr) { apply { p.emit(hdr); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;`
	p, err := loadText("t.p4", text, interp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := "[t.p4:11:86: register: register r is read after it was written (at t.p4:10:86) for the same packet]"
	if got := fmt.Sprint(Lint(p, tofino(t))); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}
