package sketchint

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"pintlab/p4"
	"pintlab/p4/analysis"
	"pintlab/p4/interp"
)

// layOut lays out towersketch.p4 with the hash units of the switch instead of our hash function. Before that, `change`
// changes the text of the program.
func layOut(t *testing.T, change func(text string) string) *analysis.Layout {
	t.Helper()
	data, err := fs.ReadFile(p4.Sources(), "towersketch.p4")
	if err != nil {
		t.Fatal(err)
	}
	const key = "{hdr.ipv4.src, hdr.ipv4.dst, hdr.ports.src, hdr.ports.dst, hdr.ipv4.protocol}"
	text := regexp.MustCompile(`hash_1\.apply.*`).ReplaceAllString(string(data),
		"hash(word_1, HashAlgorithm.crc32, 32w0, "+key+", 32w65536);")
	text = regexp.MustCompile(`hash_2\.apply.*`).ReplaceAllString(text,
		"hash(word_2, HashAlgorithm.crc32_custom, 32w0, "+key+", 32w32768);")
	text = regexp.MustCompile(`hash_3\.apply.*`).ReplaceAllString(text, "hash(word_3, HashAlgorithm.crc16, 32w0, "+key+
		", 32w16384);")
	text = regexp.MustCompile(`Word\(\) hash_.;|bit<64> (addresses|rest);|(addresses|rest) = .*;`).ReplaceAllString(
		text, "")
	text = strings.NewReplacer("[31:16]", "[15:0]", "[31:17]", "[14:0]", "[31:18]", "[13:0]").Replace(text)
	files := fstest.MapFS{"tower.p4": {Data: []byte(change(text))}}
	if err := fs.WalkDir(p4.Sources(), "include", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(p4.Sources(), path)
		files[path] = &fstest.MapFile{Data: data}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	target, err := analysis.OpenTarget(analysis.DefaultTarget)
	if err != nil {
		t.Fatal(err)
	}
	program, err := interp.LoadFS(files, "tower.p4", interp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return analysis.LayOut(program, target)
}

// With the hash units of the switch, our program uses as much SRAM as SketchINT's program, but fewer hash bits and
// actions. table4/known.csv contains the numbers.
func TestTable4HashUnits(t *testing.T) {
	var used analysis.Use
	for _, u := range layOut(t, func(text string) string { return text }).Use {
		for r := range used {
			used[r] += u[r]
		}
	}
	for r, want := range map[analysis.Resource]int{
		analysis.StatefulALUs: 3, analysis.SRAM: 15, analysis.IngressActions: 2, analysis.HashBits: 48,
		analysis.ExactBytes: 39, analysis.TCAM: 0,
	} {
		if int(used[r]) != want {
			t.Errorf("%v: %v, want %d", r, used[r], want)
		}
	}
}

// With the hash units of the switch, a CM of three arrays takes one stage. table4/known.csv contains this number.
func TestStagesOfCM(t *testing.T) {
	x := layOut(t, func(text string) string {
		text = regexp.MustCompile(`register<bit<\d+>>\(\d+\)`).ReplaceAllString(text, "register<bit<32>>(16384)")
		text = regexp.MustCompile(`bit<\d+>\s+count_`).ReplaceAllString(text, "bit<32> count_")
		return regexp.MustCompile(`32w(65536|32768)|\[1[45]:0\]`).ReplaceAllStringFunc(text, func(x string) string {
			if x[0] == '[' {
				return "[13:0]"
			}
			return "32w16384"
		})
	})
	if len(x.Use) != 1 {
		t.Errorf("%d stages, want 1: %+v", len(x.Use), x)
	}
}
