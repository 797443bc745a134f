package syntax

import (
	"fmt"
	"io/fs"
	"runtime"
	"strings"
	"testing"
)

// run preprocesses a text, which may include files. It returns the remaining words and the errors.
func run(text string, files map[string]string, defines ...string) (string, string) {
	var errs List
	toks := Preprocess("dir/t.p4", Config{
		Open: func(name string) ([]byte, error) {
			if name == "dir/t.p4" {
				return []byte(text), nil
			}
			if s, ok := files[name]; ok {
				return []byte(s), nil
			}
			return nil, fs.ErrNotExist
		},
		System:      func(name string) (string, bool) { return "system " + name, name == "sys.p4" },
		SystemNames: []string{"sys.p4"},
		IncludeDirs: []string{"inc"},
		Predefined:  []string{"D", "X=3 + 4"},
		Defines:     defines,
	}, &errs)
	var words []string
	for _, t := range toks[:len(toks)-1] {
		w := t.Text
		if t.kind == tokenString {
			w = "\"" + w + "\""
		}
		words = append(words, w)
	}
	msg := ""
	if err := errs.Err(); err != nil {
		msg = err.Error()
	}
	return strings.Join(words, " "), msg
}

func TestPreprocess(t *testing.T) {
	files := map[string]string{"dir/a.p4": "from a", "inc/b.p4": "from b", "dir/loop.p4": "#include \"loop.p4\""}
	tests := []struct{ name, text, want, errs string }{
		{"comments", "a // b\nc /* d\n e */ f", "a c f", ""},
		{"comment without end", "a /* b", "a", "dir/t.p4:1:3: comment opened here is never closed: expected '*/'"},
		{"continuation", "#define X a \\\n  b\nX", "a b", ""},
		{"operators", "a|+|b<<=c&&&d..e...f++g", "a |+| b <<= c &&& d .. e ... f ++ g", ""},
		{"numbers", "8w0xFF_0 0b1 4s7 1..2", "8w0xFF_0 0b1 4s7 1 .. 2", ""},
		{"strings", `"a\"b\n" "c\\"`, "\"a\"b\n\" \"c\\\"", ""},
		{"string without end", "\"abc\nd", "d", "dir/t.p4:1:1: string is not closed: expected '\"'"},
		{"string over lines", "\"a // b\r\n  \\\"c\n\" d\ne", "\"a // b\r\n  \"c\n\" d e", ""},
		{"string before a directive", "\"a\n #define X b\nX\"", "b",
			"dir/t.p4:1:1: string is not closed: expected '\"'\ndir/t.p4:3:2: string is not closed: expected '\"'"},
		{"string in a directive", "#define X \"a\nb\" c\"", "b \" c\"", ""},
		{"not P4", "a $ b ü \x01", "a b",
			"dir/t.p4:1:3: character '$' is not part of P4\ndir/t.p4:1:7: character 'ü' is not part of P4\n" +
				"dir/t.p4:1:10: byte 0x01 is not part of P4"},

		{"include", "#include \"a.p4\"\n#include <sys.p4>\n#include <b.p4>\n#include \"b.p4\"",
			"from a system sys . p4 from b from b", ""},
		{"include by macro", "#define F \"a.p4\"\n#include F", "from a", ""},
		{"include without name", "#include", "", "dir/t.p4:1:1: #include: expected \"file\" or <file>"},
		{"include of itself", "#include \"loop.p4\"", "", "dir/loop.p4: includes are nested too deeply or without end"},
		{"include missing", "#include \"no.p4\"", "",
			"dir/t.p4:1:1: #include \"no.p4\": no such file (looked for dir/no.p4, inc/no.p4)"},

		{"object-like", "#define A B + 1\n#define B 2\nA", "2 + 1", ""},
		{"function-like", "#define F(x, y) x - y\nF(1, (2, 3)) F (4, F(5, 6)) F", "1 - ( 2 , 3 ) 4 - 5 - 6 F", ""},
		{"no arguments", "#define F() x\nF() F( )", "x x", ""},
		{"empty argument", "#define F(x) [x]\nF()", "[ ]", ""},
		{"over lines", "#define F(x) x x\nF(\n1\n)", "1 1", ""},
		{"recursion ends", "#define A A B\n#define B A\nA", "A A", ""},
		{"mutual recursion ends", "#define f(x) g(x)\n#define g(x) f(x) + 1\nf(2)", "f ( 2 ) + 1", ""},
		{"argument expanded first", "#define ID(x) x\n#define A 5\nID(ID(A))", "5", ""},
		{"macro that names a macro", "#define F G\n#define G(x) <x>\nF(1)", "< 1 >", ""},
		{"stringify", "#define S(x) #x\nS(a  + \"b\")", "\"a + \"b\"\"", ""},
		{"paste", "#define P(a, b) a ## b ## _t\nP(x, 1) P(8w, 5)", "x1_t 8w5_t", ""},
		{"paste keeps macros whole", "#define X 1\n#define P(a) a ## X\nP(v)", "vX", ""},
		{"undef", "#define A 1\n#undef A\nA", "A", ""},
		{"wrong count", "#define F(x) x\nF(1, 2)", "", "dir/t.p4:2:1: macro F has 2 arguments here, expected 1"},
		{"not closed", "#define F(x) x\nF(1", "F",
			"dir/t.p4:2:1: use of macro F: expected ')' before the end of the file or the next directive"},
		{"explosion", "#define A B B B B B B B B\n#define B C C C C C C C C\n#define C D D D D D D D D\n" +
			"#define D E E E E E E E E\n#define E F F F F F F F F\n#define F G G G G G G G G\n" +
			"#define G H H H H H H H H\n#define H I I I I I I I I\nA",
			"", "dir/t.p4:9:1: the expansion of macro X does not end: macros make more than 524288 tokens"},
		{"line and file", "\n__LINE__ __FILE__", "2 \"dir/t.p4\"", ""},

		{"if", "#if 1\na\n#else\nb\n#endif", "a", ""},
		{"elif", "#if 0\na\n#elif 2 > 1\nb\n#elif 1\nc\n#else\nd\n#endif", "b", ""},
		{"nested in skipped", "#if 0\n#if 1\na\n#else\nb\n#endif\n#else\nc\n#endif", "c", ""},
		{"skipped text is not read", "#if 0\n' \" $ #nonsense\n#nonsense\n#endif\na", "a", ""},
		{"ifdef", "#define A\n#ifdef A\na\n#endif\n#ifndef A\nb\n#endif", "a", ""},
		{"defined", "#if defined(D) && defined D && !defined(E)\na\n#endif", "a", ""},
		{"expression", "#if (3 + 4 * 2 == 11) && (7 / 2 == 3) && (7 % 4 == 3) && ((1 << 3 | 1) == 9) && " +
			"(9 >> 1 == 4) && (6 ^ 3) == 5 && (6 & 3) == 2 && ~0 == -1 && !0 && 0x10 == 16 && (0 ? 0 : 1) && " +
			"(2 <= 2) && (3 != 4) && (1 || 0)\na\n#endif",
			"a", ""},
		{"unknown names are 0", "#if UNKNOWN\na\n#endif\n#if UNKNOWN == 0\nb\n#endif", "b", ""},
		{"no endif", "#if 1\na", "a", "dir/t.p4:1:1: #if without #endif"},
		{"second else", "#if 1\n#else\n#else\n#endif", "", "dir/t.p4:3:1: #else without #if"},
		{"rest after the expression", "#if 1 2\n#endif", "",
			"dir/t.p4:1:2: #if: found number 2, expected an operator or the end of the line"},
		{"hash in the middle", "a # b", "a # b", ""},
		{"pragma", "#pragma once\n#line 5\n# 12 \"x\"\n#\na", "a", ""},
		{"command line", "D X", "1 3 + 4", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, errs := run(tt.text, files)
			if tt.name == "explosion" { // it does not matter which macro reaches the limit
				i, j := strings.Index(errs, "macro "), strings.Index(errs, " does")
				errs = errs[:i+6] + "X" + errs[j:]
			}
			if errs != tt.errs {
				t.Errorf("errors\n%s\nwant\n%s", errs, tt.errs)
			}
			if got != tt.want && tt.name != "explosion" {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// A token that a macro produces has the position where the macro is used. A macro that a user defines must have an
// effect.
func TestDefines(t *testing.T) {
	for _, c := range []struct{ text, define, want string }{
		{"a", "N", "command line: macro N has no effect: the program never uses it"},
		{"N", "N=2", ""},
		{"#ifdef N\nb\n#endif", "N", ""},
		{"#ifndef N\nb\n#endif", "N", ""},
		{"#if defined(N) && 1\n#endif", "N", ""},
		{"#if N > 2\n#endif", "N=3", ""},
		{"#define N 5\nN", "N=5", "command line: macro N has no effect: the program never uses it"},
		{"#ifdef D\n#else\nN\n#endif", "N", "command line: macro N has no effect: the program never uses it"},
		{"#include \"none\"", "N", "dir/t.p4:1:1: #include \"none\": no such file (looked for dir/none, inc/none)"},
	} {
		if _, errs := run(c.text, nil, c.define); errs != c.want {
			t.Errorf("%q with %s: %q, want %q", c.text, c.define, errs, c.want)
		}
	}
	if _, errs := run("N", nil, "N=1", "N=2"); errs != `command line: macro N is defined twice: "N=1" and "N=2"` {
		t.Errorf("twice: %q", errs)
	}
}

func TestPositions(t *testing.T) {
	var errs List
	text := "#define TWO 1 + \\\n 1\n  a TWO /* x */ b\n"
	toks := Preprocess("t.p4", Config{Open: func(string) ([]byte, error) { return []byte(text), nil }}, &errs)
	want := []string{"a 3:3", "1 3:5", "+ 3:5", "1 3:5", "b 3:17"}
	for i, w := range want {
		if got := toks[i].Text +
			strings.TrimPrefix(toks[i].Pos.String(), "t.p4"); strings.Replace(got, ":", " ", 1) != w {
			t.Errorf("token %d: %s, want %s", i, got, w)
		}
	}
	if !toks[0].First || toks[1].First || !toks[1].Spaced {
		t.Error("where the lines begin has been lost")
	}
}

func FuzzPreprocess(f *testing.F) {
	for _, s := range []string{
		"#define F(x, y) x ## y #x\nF(a, F(1, 2))", "#if (1 + 2) * 3 == 9 && defined(A)\n#elif 0\n#endif",
		"#include \"t.p4\"", "#define A A A\nA", "\"a\\\n\" /* */ // \\\n x", "#define f(x) x f\nf(f)(f)(1)",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) < 1<<13 {
			run(text, nil)
		}
	})
}

// Each of forty macros doubles the previous macro. They cause an error that names the line and a macro, before the
// expansion uses gigabytes.
func TestExpansionHasALimit(t *testing.T) {
	var text strings.Builder
	for i := range 40 {
		fmt.Fprintf(&text, "#define A%d A%d A%d\n", i, i+1, i+1)
	}
	text.WriteString("A0")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, errs := run(text.String(), nil)
	runtime.ReadMemStats(&after)
	if !strings.HasPrefix(errs, "dir/t.p4:41:1: the expansion of macro A") ||
		!strings.HasSuffix(errs, "macros make more than 524288 tokens") {
		t.Errorf("error %q", errs)
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > 2<<30 {
		t.Errorf("%d MB were allocated", got>>20)
	}
}
