package analysis

import (
	"fmt"
	"strings"
	"testing"

	"pintlab/p4/interp"
)

// Lint reports code that p4c 1.2.4 refuses or warns about. It also reports loops and compound assignments, which p4c
// 1.2.4 does not know. A parameter of an action may hide a parameter of the control. A variable may not, which is
// also an error of the interpreter.
func TestLintFindsWhatTheCompilerWarnsOf(t *testing.T) {
	prog, err := loadText("w.p4", `#include <v1model.p4>
struct headers { }
struct metadata { }
bit<8> twice(in bit<8> x) { return x + x; }
parser P(packet_in packet, out headers hdr, inout metadata meta, inout standard_metadata_t sm) {
    state start { transition accept; }
    state alone { transition accept; }
}
control V(inout headers hdr, inout metadata meta) { apply { } }
control I(inout headers hdr, inout metadata meta, inout standard_metadata_t sm) {
    bit<8> fine;
    bit<8> alone;
    bit<8> twice;
    action a(bit<8> fine) { }
    table t { actions = { a; } default_action = a(1); }
    register<bit<8>>(4) V;
    bit<8> meta;
    apply { fine = 1; twice = fine; meta = fine; bit<8> fine = 1; }
}
control Sized(in bit<8> size) {
    action a() { }
    table t { key = { size : exact; } actions = { a; } const entries = { 1 : a(); } default_action = a(); size = 4; }
    apply { t.apply(); }
}
control L(inout headers hdr, inout metadata meta) {
    bit<8> key;
    Sized() sized;
    action a() { }
    table t { key = { key : exact; } actions = { a; } default_action = a(); size = 4; }
    apply { bit<8> x = 1; x += 2; for (bit<8> i in 8w1 .. 2) { x = x + i; } key = x; sized.apply(x); t.apply(); }
}
control E(inout headers hdr, inout metadata meta, inout standard_metadata_t sm) { apply { } }
control D(packet_out packet, in headers hdr) { apply { } }
V1Switch(P(), V(), I(), E(), V(), D()) main;
`, interp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range Lint(prog, tofino(t)) {
		got = append(got, fmt.Sprint(f))
	}
	want := `w.p4:13:12: shadow: 'twice' hides the declaration at w.p4:4:8: p4c warns
w.p4:14:21: shadow: 'fine' hides the declaration at w.p4:11:12: p4c warns
w.p4:14:21: unused: parameter 'fine' of action 'a' is not used: p4c warns
w.p4:15:11: unused: 't' is not used: p4c warns
w.p4:16:5: shadow: 'V' hides the declaration at w.p4:9:9: p4c warns
w.p4:16:5: unused: 'V' is not used: p4c warns
w.p4:17:12: shadow: 'meta' hides the declaration at w.p4:10:45: p4c warns
w.p4:18:57: shadow: 'fine' hides the declaration at w.p4:11:12: p4c warns
w.p4:22:107: shadow: property 'size' of the table has the same name as a parameter (w.p4:20:25): p4c refuses this
w.p4:22:107: entries: table 't' has constant entries and a size: p4c warns
w.p4:29:11: shadow: property 'key' of the table has the same name as a declaration (w.p4:26:12): p4c warns
w.p4:30:27: version: +=: P4_16 has compound assignments since version 1.2.5
w.p4:30:35: version: a loop: P4_16 has loops since version 1.2.5`
	if s := strings.Join(got, "\n"); s != want {
		t.Errorf("%s\nwant:\n%s", s, want)
	}
}

// p4c refuses or warns about this code for BMv2. Only the specification requires that the default action come after
// the list of actions.
func TestLintFindsWhatBMv2DoesNot(t *testing.T) {
	p := program(t, `direct_counter(CounterType.packets) lost;
action a() { lost.count(); }
table early { key = { hdr.h.n : exact; } default_action = a(); actions = { a; } }`,
		"early.apply(); meta.x = 1; early.apply();")
	var got []string
	for _, f := range Lint(p, tofino(t)) {
		got = append(got, fmt.Sprint(f))
	}
	want := `t.p4:13:1: unused: direct_counter 'lost' counts for no table: p4c warns and leaves it out
t.p4:15:42: order: default_action comes before the actions of table 'early': the specification requires it ` +
		`after them (section 14.2.1.3), but p4c accepts both
t.p4:17:28: twice: table 'early' is also applied at t.p4:17:1: p4c refuses this for BMv2 unless the same ` +
		`statements follow in both places`
	if s := strings.Join(got, "\n"); s != want {
		t.Errorf("%s\nwant:\n%s", s, want)
	}
	rejecting, err := loadText("r.p4", `#include <v1model.p4>
parser P(in bit<8> x) {
    state start { transition select(x) { 1: reject; 2: other; default: accept; } }
    state other { transition reject; }
}
`+emptySwitch, interp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, f := range Lint(rejecting, tofino(t)) {
		if f.Rule == "reject" {
			n++
		}
	}
	if n != 2 {
		t.Errorf("%d transitions to reject, want 2", n)
	}
}

// For each of these programs, p4c 1.2.4.8 prints its warning or error in the lines that are marked, and in no other
// line. Lint must agree.
func TestLintAgreesWithP4c(t *testing.T) {
	const maybe = "if (hdr.h.n == 1) { hdr.h.setInvalid(); } "
	tests := []struct{ name, locals, apply, want string }{
		{"computed key", "table t { key = { hdr.h.a + hdr.h.b : exact; } actions = { NoAction; } }",
			"t.apply();", "13:19: key"},
		{"cast key", "table t { key = { (bit<8>) hdr.h.a : exact; } actions = { NoAction; } }",
			"t.apply();", "13:19: key"},
		{"constant key", "table t { key = { 8w3 : exact; } actions = { NoAction; } }", "t.apply();", "13:19: key"},
		{"named key", "table t { key = { hdr.h.a + hdr.h.b : exact @name(\"sum\"); } actions = { NoAction; } }",
			"t.apply();", ""},
		{"keys with names of their own",
			"table t { key = { hdr.h.a[7:0] : exact; hdr.h.isValid() : exact; hdr.h.b & 0xff : exact; } " +
				"actions = { NoAction; } }",
			"t.apply();", ""},
		{"table in an argument",
			"action a(in bit<8> x) { meta.x = 24w0 ++ x; } table u { key = { hdr.h.b : exact; } actions = { " +
				"NoAction; } } table t { key = { hdr.h.a : exact; } actions = { a(u.apply().hit ? 8w1 : 2); " +
				"NoAction; } default_action = NoAction(); }",
			"t.apply();", "13:161: action"},
		{"switch in an action", "action a() { switch (hdr.h.n) { 1: { hdr.h.a = 2; } } }", "a();", "13:14: action"},
		{"call under a condition in an action",
			"action a() { if (hdr.h.n == 1) { hdr.h.setInvalid(); } }", "a();", "13:34: action"},
		{"assignment under a condition in an action", "action a() { if (hdr.h.n == 1) { hdr.h.a = 1; } }", "a();", ""},
		{"meter that is not read",
			"direct_meter<bit<32>>(MeterType.packets) m; action a() { } table t { key = { hdr.h.a : exact; } " +
				"actions = { a; } default_action = a(); meters = m; }",
			"t.apply();", "13:136: meter"},
		{"meter of a table that is not applied",
			"direct_meter<bit<32>>(MeterType.packets) m; action a() { } table t { key = { hdr.h.a : exact; } " +
				"actions = { a; } default_action = a(); meters = m; }",
			"", "13:66: unused"},
		{"meter with two results",
			"direct_meter<bit<32>>(MeterType.packets) m; action a() { m.read(meta.x); } action b() { " +
				"m.read(meta.y); } table t { key = { hdr.h.a : exact; } actions = { a; b; } " +
				"default_action = a(); meters = m; }",
			"t.apply();", "13:89: meter"},
		{"meter that is read", "direct_meter<bit<32>>(MeterType.packets) m; action a() { m.read(meta.x); } " +
			"table t { key = { hdr.h.a : exact; } actions = { a; } default_action = a(); meters = m; }",
			"t.apply();", ""},

		{"invalid", "", "hdr.h.setInvalid(); hdr.h.a = 1;", "15:21: header"},
		{"read of an invalid one", "", "hdr.h.setInvalid(); if (hdr.h.n == 1) { meta.x = 1; }", "15:25: header"},
		{"invalid on one of two ways", "", maybe + "hdr.h.a = 1;", "15:43: header"},
		{"and left", "", "if (hdr.h.n == 1) { hdr.h.setInvalid(); return; } hdr.h.a = 1;", "15:51: header"},
		{"checked", "", maybe + "if (hdr.h.isValid() && hdr.h.n == 1) { hdr.h.a = 1; }", ""},
		{"checked the other way round", "", maybe + "if (!hdr.h.isValid()) { } else { hdr.h.a = 1; }", ""},
		{"checked in an expression", "", maybe + "meta.x = hdr.h.isValid() ? hdr.h.a : 7;", ""},
		{"only inside of the check", "", maybe + "if (hdr.h.isValid()) { hdr.h.a = 1; } hdr.h.b = 1;", "15:81: header"},
		{"made valid", "", "hdr.h.setInvalid(); hdr.h.setValid(); hdr.h.a = 1;", ""},
		{"assigned as a whole", "", "hdr.h.setInvalid(); hdr.h = { 1, 2, 3, 4, 5, 6 }; hdr.h.a = 2;", ""},
		{"a copy", "", maybe + "headers k = hdr; k.h.a = 1; hdr = k;", "15:60: header"},
		{"never made valid", "", "h_t k; k.a = 1; hdr.h.a = k.a;", "15:8: header 15:27: header"},
		{"by an action", "action a() { hdr.h.setInvalid(); }", "a(); hdr.h.a = 1;", "15:6: header"},
		{"by an action of a table",
			"action a() { hdr.h.setInvalid(); } table t { key = { hdr.h.a : exact; } actions = { a; } " +
				"default_action = a(); }",
			"t.apply(); hdr.h.a = 1;", ""},
		{"in an action of a table",
			"action a() { hdr.h.a = 1; } table t { key = { meta.x : exact; } actions = { a; } default_action = a(); }",
			"hdr.h.setInvalid(); t.apply();", "13:14: header"},
		{"in a case", "table t { key = { hdr.h.a : exact; } actions = { NoAction; } }",
			"switch (t.apply().action_run) { NoAction: { hdr.h.setInvalid(); } } hdr.h.a = 1;", "15:69: header"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, f := range Lint(program(t, tt.locals, tt.apply), bmv2(t)) {
				got = append(got, fmt.Sprintf("%d:%d: %s", f.Pos.Line, f.Pos.Col, f.Rule))
			}
			if s := strings.Join(got, " "); s != tt.want {
				t.Errorf("got %q, want %q", s, tt.want)
			}
		})
	}
}

// A sink removes a header in a separate control, and the program writes a field of this header later. p4c warns
// about the write.
func TestLintFollowsTheSink(t *testing.T) {
	const sink = `control Sink(inout headers hdr) { apply { if (hdr.h.n == 1) { hdr.h.setInvalid(); } } }
control I(inout headers hdr, inout meta_t m, inout standard_metadata_t sm) {
    Sink() sink;
    apply { %s }
}`
	for body, want := range map[string]int{
		"sink.apply(hdr); hdr.h.a = 1;":                            1,
		"hdr.h.a = 1; sink.apply(hdr);":                            0,
		"sink.apply(hdr); if (hdr.h.isValid()) { hdr.h.a = 1; }":   0,
		"if (hdr.h.isValid()) { sink.apply(hdr); } meta_t x = m;":  0,
		"if (hdr.h.isValid()) { sink.apply(hdr); } m.x = hdr.h.a;": 1,
	} {
		p, err := loadText("s.p4", `#include <core.p4>
#include <v1model.p4>
header h_t { bit<32> a; bit<8> n; }
struct headers { h_t h; }
struct meta_t { bit<32> x; }
parser P(packet_in p, out headers hdr, inout meta_t m, inout standard_metadata_t sm) {`+
			` state start { p.extract(hdr.h); transition accept; } }
control V(inout headers hdr, inout meta_t m) { apply { } }
`+fmt.Sprintf(sink, body)+`
control E(inout headers hdr, inout meta_t m, inout standard_metadata_t sm) { apply { } }
control D(packet_out p, in headers hdr) { apply { p.emit(hdr.h); } }
V1Switch(P(), V(), I(), E(), V(), D()) main;`, interp.Options{})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, f := range Lint(p, bmv2(t)) {
			if f.Rule == "header" {
				n++
			}
		}
		if n != want {
			t.Errorf("%s: %d findings, want %d", body, n, want)
		}
	}
}

// p4c refuses a parser that loops forever, but accepts a parser that may stop.
func TestLintFindsParsersWithoutEnd(t *testing.T) {
	for transition, want := range map[string]int{"one": 1, "select(x) { 1: one; default: accept; }": 0,
		"select(x) { 1: accept; }": 0, "reject": 0} {
		p, err := loadText("r.p4",
			"#include <v1model.p4>\nparser P(in bit<8> x) {\n state start { transition one; }\n"+
				" state one { transition two; }\n state two { transition "+transition+"; }\n}\n"+emptySwitch,
			interp.Options{})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, f := range Lint(p, tofino(t)) {
			if f.Rule == "parser" {
				n++
			}
		}
		if n != want {
			t.Errorf("transition %s: %d findings, want %d", transition, n, want)
		}
	}
}

const emptySwitch = `struct headers { }
struct metadata { }
parser Q(packet_in packet, out headers hdr, inout metadata meta, inout standard_metadata_t sm) {` +
	` state start { transition accept; } }
control V(inout headers hdr, inout metadata meta) { apply { } }
control I(inout headers hdr, inout metadata meta, inout standard_metadata_t sm) { apply { } }
control D(packet_out packet, in headers hdr) { apply { } }
V1Switch(Q(), V(), I(), I(), V(), D()) main;
`

// Lint also checks the bodies of functions, as it does for actions and controls.
func TestLintLooksIntoFunctions(t *testing.T) {
	p, err := loadText("f.p4",
		"#include <v1model.p4>\nbit<8> f(in bit<8> x) {\n bit<8> y = x;\n y += x;\n return y;\n}\n"+emptySwitch,
		interp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(Lint(p, tofino(t))),
		"[f.p4:4:2: version: +=: P4_16 has compound assignments since version 1.2.5]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestAVariableDoesNotHideAParameter(t *testing.T) {
	_, err := loadText("w.p4", `#include <v1model.p4>
control C(in bit<8> x, inout bit<8> y) {
    action a(bit<8> z) { bit<8> z = 1; y = z; }
    apply { bit<8> x = 1; y = x; a(x); }
}
bit<8> f(in bit<8> x) { bit<8> x = 1; return x; }
`, interp.Options{})
	want := `w.p4:3:33: declaration of 'z' shadows a parameter (declared at w.p4:3:21)
w.p4:4:20: declaration of 'x' shadows a parameter (declared at w.p4:2:21)
w.p4:6:32: declaration of 'x' shadows a parameter (declared at w.p4:6:20)`
	if fmt.Sprint(err) != want {
		t.Errorf("%v\nwant:\n%s", err, want)
	}
}
