package show

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"io"
	"math"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// sample returns a page with three steps of a network of two hosts and a switch.
func sample() *Page {
	return &Page{
		Title: "a <b>", Subtitle: "2 hosts & 1 switch", Again: "pintlab run x --view", Notes: []string{"</script>"},
		Layers: []PageLayer{{"hosts"}, {"switch"}}, Nodes: []Node{{"h0", 0}, {"h1", 0}, {"sw0", 1}},
		Links: []Link{{0, 2, 1e9}, {1, 2, 1e9}},
		Step:  1e-6, Steps: 3, End: 3e-6, Seen: []bool{true, true, true, true}, AllFlows: 1, Under: []int{1, 1, 0},
		Classes: []string{"background"}, Single: true,
		Queue: &PageSeries{
			Values: []float32{0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 5000, 20000}, Peaks: []float64{0, 0, 0, 20000},
		},
		Flows: []PageFlow{{ID: 0, Src: 0, Dst: 1, Size: 1000, End: 2e-6, First: 0,
			Rate: &Curve{Values: []float64{1e9, 5e8}}, Goodput: &Curve{Values: []float64{0, 4e9}},
			Flight: &Curve{Values: []float64{0, 0}}}},
	}
}

// populate gives each list of structs one element and sets each pointer; other lists stay nil.
func populate(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		populate(v.Elem())
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Struct {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			populate(v.Index(0))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			populate(v.Field(i))
		}
	}
}

// The script reads lists: none may be null, in any part of the page.
func TestListsAreNeverNull(t *testing.T) {
	full := &Page{}
	populate(reflect.ValueOf(full).Elem())
	full.Steps = 1
	for _, s := range []*PageSeries{full.Queue, full.Busy, full.Paused, full.Drops, full.Marks} {
		s.Values, s.Peaks = make([]float32, 2), make([]float64, 2)
	}
	page, err := full.HTML()
	if err != nil {
		t.Fatal(err)
	}
	if at := regexp.MustCompile(`"[^"]*":null`).Find(pageText(t, page)); at != nil {
		t.Errorf("the page has %s", at)
	}
	if page, err = (&Page{}).HTML(); err != nil {
		t.Fatal(err)
	}
	got := string(pageText(t, page))
	if !strings.Contains(got, `"classes":[]`) || !strings.Contains(got, `"queue":null`) {
		t.Errorf("an empty page is %s", got)
	}
}

// pageText returns the JSON text of a page.
func pageText(t *testing.T, page []byte) []byte {
	t.Helper()
	all := pageData(t, page)
	return all[4 : 4+binary.LittleEndian.Uint32(all)]
}

// pageData returns the decompressed data of a page.
func pageData(t *testing.T, page []byte) []byte {
	t.Helper()
	packed,
		err := base64.StdEncoding.DecodeString(
		string(regexp.MustCompile(`id="data">([^<]*)</script>`).FindSubmatch(page)[1]))
	if err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed)))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// unpack decodes data like the script of the page.
func unpack(t *testing.T, page []byte) (*Page, []byte) {
	t.Helper()
	var p Page
	if err := json.Unmarshal(pageText(t, page), &p); err != nil {
		t.Fatal(err)
	}
	return &p, pageData(t, page)[4+len(pageText(t, page)):]
}

// Every value is decoded within half a level. The largest values are exact, and none becomes 0.
func TestLevels(t *testing.T) {
	want := sample()
	page, err := sample().HTML()
	if err != nil {
		t.Fatal(err)
	}
	p, levels := unpack(t, page)
	if p.Queue.Max != 20000 || p.Queue.Peaks[3] != 20000 || p.Busy != nil {
		t.Errorf("max %v, peaks %v", p.Queue.Max, p.Queue.Peaks)
	}
	for i, v := range want.Queue.Values {
		l := levels[p.Queue.At+i]
		got := p.Queue.Max * math.Pow(float64(l)/255, 2)
		if v > 0 && l == 0 || math.Abs(math.Sqrt(got)-math.Sqrt(float64(v))) > math.Sqrt(20000)/255 {
			t.Errorf("value %d is %v, was %v", i, got, v)
		}
	}
	for name, c := range map[string][2]*Curve{"rate": {want.Flows[0].Rate, p.Flows[0].Rate},
		"goodput": {want.Flows[0].Goodput, p.Flows[0].Goodput}} {
		for i, v := range c[0].Values {
			if got := c[1].Max * float64(levels[c[1].At+i]) / 255; math.Abs(got-v) > c[1].Max/510+1e-9 {
				t.Errorf("%s %d is %v, was %v", name, i, got, v)
			}
		}
	}
	bad := sample()
	bad.Queue.Values = bad.Queue.Values[1:]
	if _, err := bad.HTML(); err == nil {
		t.Error("a series that does not fit the steps is accepted")
	}
}

// The page is self-contained, runs only one script, escapes markup, and always has the same bytes.
func TestPageIsSelfContained(t *testing.T) {
	a, err := sample().HTML()
	if err != nil {
		t.Fatal(err)
	}
	b, err := sample().HTML()
	if err != nil || !bytes.Equal(a, b) {
		t.Errorf("two pages of the same differ: %v", err)
	}
	page := string(a)
	for _, bad := range []string{"http:", "https:", "src=", "url(", "@import", "import(", "fetch(", "{{", "<b>"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	sum := sha256.Sum256([]byte(script))
	if !strings.Contains(page, "script-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'") ||
		strings.Count(page, "<script") != 2 {
		t.Error("the content security policy does not name the script")
	}
	if strings.Contains(script, "</script") || !strings.Contains(page, "a &lt;b&gt;") {
		t.Error("markup is not shown as it is")
	}
}
