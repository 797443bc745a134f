package schema

import (
	"runtime"
	"strings"
	"testing"

	"github.com/goccy/go-yaml/ast"

	"pintlab/internal/errtest"
)

func TestParse(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"# nothing\n", ""},
		{"a: 1\na: 2\n", ""}, // the caller reports the place of the first occurrence
		{"a: [1\nb", "f:2:1: not YAML: ',' or ']' must be specified"},
		{"a: 1\n---\nb: 2\n", "f:3:1: want one document, found a second"},
		{"%YAML 1.2\n---\na: 1\n...\n", ""},
		{"%YAML 1.2\n---\na: 1\n...\n%YAML 1.2\n---\nb: 1\n", "f:7:1: want one document, found a second"},
		{"a: " + strings.Repeat("[", 64) + strings.Repeat("]", 64), ""},
		{"a:\n  " + strings.Repeat("{", 65), "f:2: nested more than 64 levels deep"},
		{strings.Repeat("- ", 65), "f:1: nested more than 64 levels deep"},
		{strings.Repeat("a", 1001), "f: 1001 bytes, want at most 1000"},
	} {
		_, err := ParseYAML([]byte(c.text), "f", 1000)
		if got := message(err); got != c.want {
			t.Errorf("%.20q: %q, want %q", c.text, got, c.want)
		}
	}
}

// The text of a value in messages, and the place where it begins.
func TestNodes(t *testing.T) {
	for _, c := range []struct {
		value, want  string
		line, column int
	}{
		{"0x1f", `"0x1f"`, 1, 4}, // as the text spells it
		{"1e3", `"1e3"`, 1, 4},
		{".inf", `".inf"`, 1, 4},
		{"yes", `"yes"`, 1, 4},
		{"'x y'", `"x y"`, 1, 4},
		{"|\n  text", `"text"`, 1, 4},
		{"", "nothing", 1, 4},
		{"[1]", "a list", 1, 4},
		{"{b: 1}", "keys and values", 1, 4},
		{"\n  b: 1\n  c: 2", "keys and values", 2, 3},
		{"\n  b: 1", "keys and values", 2, 3},
		{"&x 3", "an anchor, alias or merge key, which is not accepted here", 1, 4},
		{"!x 3", "a tag, which is not accepted here", 1, 4},
	} {
		n, err := ParseYAML([]byte("a: "+c.value), "f", 1000)
		if err != nil {
			t.Fatal(err)
		}
		entries, ok := Entries(n)
		if key, _ := Scalar(entries[0].Key); !ok || len(entries) != 1 || key != "a" {
			t.Fatalf("%q: entries %v", c.value, entries)
		}
		line, column := Position(entries[0].Value)
		if got := DescribeNode(entries[0].Value); got != c.want || line != c.line || column != c.column {
			t.Errorf("%q: %s in %d:%d, want %s in %d:%d", c.value, got, line, column, c.want, c.line, c.column)
		}
	}
	if line, _ := Position(ast.Node(nil)); line != 0 {
		t.Errorf("nothing is in line %d", line)
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// The library takes thousands of bytes for each value, so a document of the largest size could take 40 GB.
func TestBombs(t *testing.T) {
	for _, text := range []string{
		"a: [" + strings.Repeat("1,", maxValues) + "1]", strings.Repeat("- 1\n", maxValues+1),
		strings.Repeat("a: 1\n", maxValues/2+1),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := ParseYAML([]byte(text), "f", 16<<20)
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; !errtest.Says(err, "f: … values, want at most 400000") ||
			took > 64<<20 {
			t.Errorf("%.20s: %v, and %d bytes of memory", text, err, took)
		}
	}
}
