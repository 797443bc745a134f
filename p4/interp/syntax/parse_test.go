package syntax

import (
	"os"
	"strings"
	"testing"
)

// read runs preprocessor and parser over a text and returns the errors, one a line.
func read(t testing.TB, text string) (decls int, errors string) {
	t.Helper()
	var errs List
	toks := Preprocess("t.p4", Config{
		Open: func(name string) ([]byte, error) {
			if name == "t.p4" {
				return []byte(text), nil
			}
			return nil, os.ErrNotExist
		},
	}, &errs)
	prog := Parse(toks, &errs)
	if err := errs.Err(); err != nil {
		errors = err.Error()
	}
	return len(prog.Decls), errors
}

func TestSyntaxErrorsNamePlaceAndExpectation(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"semicolon", "const bit<8> a = 1\nconst bit<8> b = 2;",
			"t.p4:2:1: found 'const', expected ';' after the constant 'a'"},
		{"keyword as name", "struct table { }", "t.p4:1:8: found the keyword 'table', expected the name of the struct"},
		{"width", "header h { bit<> x; }", "t.p4:1:16: found '>', expected an expression"},
		{"two errors", "struct s { bit<8> ; }\nenum e { A B }\n",
			"t.p4:1:19: found ';', expected a field name\nt.p4:2:12: found 'B', expected '}' after the members of 'e'"},
		{"statement", "control c() { apply { 1 + 2; } }",
			"t.p4:1:25: found '+', expected '=' or '(' : a statement is an assignment or a call"},
		{"no apply", "control c() { action a() { } }", "t.p4:1:30: control 'c' has no apply block"},
		{"end of file", "control c() { apply { if (true) {",
			"t.p4:1:33: found end of file, expected '}' at the end of the block opened at line 1"},
		{"state", "parser p() { state s { transition select(1) { 1: ; } } }", "t.p4:1:50: found ';', expected a state"},
		{"shift with a gap", "const bit<8> x = 8w1 > > 2;", "t.p4:1:24: found '>', expected an expression"},
		{"statement recovers", "control c() { apply { x = ; y = 1; z ~ 2; } }",
			"t.p4:1:27: found ';', expected an expression\n" +
				"t.p4:1:38: found '~', expected '=' or '(' : a statement is an assignment or a call"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, got := read(t, tt.text); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// The meaning of this code depends on which names are types, and on adjacent ">".
func TestAmbiguousReadings(t *testing.T) {
	tests := []struct {
		name, text string
		decls      int
	}{
		{"cast of a negative number", "typedef bit<8> a; const bit<8> x = (a) -1;", 2},
		{"minus, not a cast", "const bit<8> a = 1; const bit<8> x = (a) - 1;", 2},
		{"nested argument lists", "extern E<T> { E(); } struct s { bit<8> f; } E<tuple<bit<8>>>() e;", 3},
		{"shift", "const bit<8> x = 8w4 >> 1;", 1},
		{"less than", "const int a = 1; const bool b = a < (2);", 2},
		{"less and greater", "const int a = 1; const bool b = a < 2 == (3 > a);", 2},
		{"bit operators bind before comparison", "const bool b = 8w1 & 2 == 8w0;", 1},
		{"contextual keywords",
			"struct s { bit<8> key; bit<8> state; bit<8> type; bit<8> entries; bit<8> priority; bit<8> apply; }", 1},
		{"annotations", "@a @b(1, x) @c[k = \"v\"] @pragma foo bar ; }\nconst int x = 1;", 1},
		{"generic function", "T f<T>(in T x) { return x; }", 1},
		{"slice with +:", "const bit<8> x = 16w0xabcd[4+:8];", 1},
		{"entry with a parenthesised key",
			"control c(in bit<8> k) { action a() { } table t { key = { k : exact; } actions = { a; } " +
				"entries = { (1) : a(); (2 + 1) &&& 3 : a; priority = 3 : _ : a; } } apply { t.apply(); } }", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n, errs := read(t, tt.text)
			if errs != "" {
				t.Fatal(errs)
			}
			if n != tt.decls {
				t.Errorf("%d declarations, want %d", n, tt.decls)
			}
		})
	}
}

func TestNestingIsBounded(t *testing.T) {
	for _, open := range []string{"(", "{", "-", "!", "(bit<8>)", "a[", "f(", "x ? y : ", "1 + (", "bit<(", "a<b<"} {
		text := "const int x = " + strings.Repeat(open, 20000)
		if _, errs := read(t, text); errs == "" {
			t.Errorf("%q 20000 times is accepted", open)
		}
	}
	if _, errs := read(t, "control c() { apply { "+strings.Repeat("if (x) ", 20000)); errs == "" {
		t.Error("20000 nested ifs are accepted")
	}
	for _, link := range []string{"1 + ", "1 || ", "(1 + 1) + ", "1 + 1 * "} {
		chain := strings.Repeat(link, 4000) + "1;"
		if _, errs := read(t, "const int x = "+chain+" const int y = "+chain); errs != "" {
			t.Errorf("%q 4000 times: %s", link, errs)
		}
		if _, errs := read(t, "const int x = "+strings.Repeat(link, 20000)+"1;"); !strings.Contains(errs,
			"more than 10000 operators in one expression") {
			t.Errorf("%q 20000 times: %s", link, errs)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"#define A(x) x ## 1\nconst bit<8> A(y) = 8w0xff;",
		"parser p(packet_in b, out bit<8> x) { state start { b.extract(x); transition select(x, 1) { (1 &&& 2, " +
			"3 .. 4): accept; default: reject; } } }",
		"control c(inout bit<8> x)(bit<8> k) { table t { key = { x : exact; } actions = { } const entries = { " +
			"1 : a(); } } apply { switch (t.apply().action_run) { a: { } default: { } } } }",
		"#if 1 + 2 == 3 && defined(X)\n#else\nerror { A, B }\n#endif\nmatch_kind { m }",
		"T f<T>(in T x) { for (bit<8> i in 1 .. 4) { break; } return {#}; }",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<16 {
			return
		}
		read(t, text)
	})
}
