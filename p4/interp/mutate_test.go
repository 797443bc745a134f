package interp

import (
	"errors"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"pintlab/internal/hash"
	"pintlab/p4/interp/syntax"
)

// mutations is the number of damaged programs that TestMutatedPrograms tries; the environment variable P4_MUTATIONS
// sets another number.
const mutations = 400

// TestMutatedPrograms damages the programs of the conformance suite token by token and runs the programs that still
// load. Unlike random bytes, these texts are almost P4.
func TestMutatedPrograms(t *testing.T) {
	n := mutations
	if s := os.Getenv("P4_MUTATIONS"); s != "" {
		for n = 0; s != ""; s = s[1:] {
			n = 10*n + int(s[0]-'0')
		}
	}
	r := hash.Stream(1, "p4/mutate")
	shared := fstest.MapFS{}
	for _, name := range []string{"begin.p4", "main.p4"} {
		data, err := os.ReadFile("testdata/include/" + name)
		if err != nil {
			t.Fatal(err)
		}
		shared[name] = &fstest.MapFile{Data: data}
	}
	var programs [][]string
	var pool []string
	for _, text := range conformancePrograms(t) {
		words := flatten(text, shared)
		if _, err := loadText("prog.p4", strings.Join(words, " "), Options{}); err != nil {
			continue // one of the error cases
		}
		programs = append(programs, words)
		pool = append(pool, words...)
	}
	loaded := 0
	packets := []string{"", "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\x11",
		"\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"}
	for range n {
		words := damage(r, programs[r.IntN(len(programs))], pool)
		text := strings.Join(words, " ")
		prog, err := loadText("prog.p4", text, Options{})
		if errors.Is(err, ErrInternal) {
			t.Fatalf("%v\n%s", err, text)
		}
		if err != nil {
			continue
		}
		loaded++
		p, err := prog.NewPipeline(fuzzConfig)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		for _, packet := range packets {
			if _, err := p.Process(1, []byte(packet)); errors.Is(err, ErrInternal) {
				t.Fatalf("%v\n%s", err, text)
			}
		}
	}
	if loaded < n/20 {
		t.Errorf("only %d of %d damaged programs load: the damage is too great to test anything behind the parser",
			loaded, n)
	}
}

// flatten preprocesses a program to words. It includes the files of the program, but not the files of the
// architecture.
func flatten(text string, shared fstest.MapFS) []string {
	var errs syntax.List
	fsys := fstest.MapFS{"prog.p4": {Data: []byte(text)}, "begin.p4": shared["begin.p4"], "main.p4": shared["main.p4"]}
	toks := syntax.Preprocess("prog.p4", syntax.Config{
		Open:   fsys.ReadFile,
		System: func(string) (string, bool) { return "", true },
	}, &errs)
	words := []string{"#include <core.p4>\n#include <v1model.p4>\n"}
	for _, t := range toks[:len(toks)-1] {
		if n := len(words); t.Is(">") && !t.Spaced && words[n-1] == ">" {
			words[n-1] = ">>"
			continue
		}
		words = append(words, t.String())
	}
	return words
}

// alike lists groups of words. A word of a group can often replace another word of the same group.
var alike = [][]string{
	{"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "|+|", "|-|", "++"},
	{"==", "!=", "<", ">", "<=", ">=", "&&", "||"},
	{"in", "out", "inout"},
	{"exact", "lpm", "ternary", "range", "optional", "selector"},
	{"setValid", "setInvalid", "isValid"},
	{"push_front", "pop_front"},
	{"header", "struct", "header_union"},
	{"accept", "reject"},
	{"next", "last"},
	{"&&&", ".."},
	{"default", "_"},
	{"bit", "int", "varbit"},
}

func isNumber(w string) bool { return w[0] >= '0' && w[0] <= '9' }

func isWord(w string) bool { return w[0] == '_' || w[0] >= 'A' && w[0] <= 'z' }

// damage changes one or two words of a program. Most words are replaced by words of the same kind.
func damage(r *rand.Rand, words, pool []string) []string {
	out := append([]string(nil), words...)
	for range 1 + r.IntN(2) {
		if len(out) < 3 {
			break
		}
		i := 1 + r.IntN(len(out)-1)
		if r.IntN(8) == 0 { // at random
			switch r.IntN(3) {
			case 0:
				out = append(out[:i], out[i+1:]...)
			case 1:
				out[i] = pool[r.IntN(len(pool))]
			case 2:
				out = append(out[:i], append([]string{pool[r.IntN(len(pool))]}, out[i:]...)...)
			}
			continue
		}
		for range 200 { // until i is a word that exchange can replace
			if i = 1 + r.IntN(len(out)-1); exchange(r, out, i) {
				break
			}
		}
	}
	return out
}

// exchange replaces a word by another word of the same kind.
func exchange(r *rand.Rand, out []string, i int) bool {
	w := out[i]
	if isNumber(w) {
		numbers := []string{"0", "1", "2", "3", "5", "7", "8", "16", "31", "32", "33", "64", "65", "128", "255",
			"256", "65535", "8w255", "32w0", "4294967296", "16s0x7fff", "340282366920938463463374607431768211455"}
		out[i] = numbers[r.IntN(len(numbers))]
		return true
	}
	for _, set := range alike {
		for _, x := range set {
			if x == w {
				out[i] = set[r.IntN(len(set))]
				return true
			}
		}
	}
	if !isWord(w) {
		return false
	}
	for range 100 { // look for another name that follows the same word
		j := 1 + r.IntN(len(out)-1)
		if out[j] != w && out[j-1] == out[i-1] && isWord(out[j]) {
			out[i] = out[j]
			return true
		}
	}
	return false
}
