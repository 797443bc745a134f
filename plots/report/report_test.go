package report

import (
	"bytes"
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pintlab/internal/errtest"
	"pintlab/plots"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func figure(names ...string) plots.Figure {
	f := plots.Figure{
		Title: "Goodput by load", Footnote: "Web search, 5 seeds, 10 ms of arrivals.",
		Panels: []plots.Panel{{
			X: plots.Axis{Label: "Load", Scale: plots.Categorical, Categories: []string{"30 %", "50 %", "70 %"}},
			Y: plots.Axis{Label: "Goodput", Unit: plots.InBitsPerSecond, Scale: plots.Linear},
		}},
	}
	for i, name := range names {
		k := 1 + float64(i)/4
		f.Panels[0].Series = append(f.Panels[0].Series, plots.Series{
			Name: name, Style: plots.Bar,
			X: plots.Values{0, 1, 2}, Y: plots.Values{40e9 * k, 25e9 * k, 9e9 * k},
			Lo: plots.Values{38e9 * k, 24e9 * k, 7e9 * k}, Hi: plots.Values{41e9 * k, 27e9 * k, 11e9 * k},
		})
	}
	return f
}

func rows(t testing.TB, cells ...[]any) *plots.Table {
	t.Helper()
	tab, err := plots.NewTable(plots.Text("scheme"), plots.Real("load", "%"), plots.Whole("flows", ""),
		plots.Real("p95", ""))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cells {
		if err := tab.Append(c...); err != nil {
			t.Fatal(err)
		}
	}
	return tab
}

// sample is a page with every part.
func sample(t testing.TB) *Page {
	wide := figure("INT", "PINT")
	wide.Panels = append(wide.Panels, wide.Panels[0])
	wide.Panels[0].Title, wide.Panels[1].Title = "Web search", "Hadoop"
	return &Page{
		Title:    "INT and PINT feedback for HPCC",
		Subtitle: "320 servers, 100 Gb/s links, 5 paired seeds",
		Verdicts: []Verdict{
			{Holds, "PINT gives long flows more goodput than INT at every load, and 64 % more at 70 % load.", ""},
			{Deviates, "The gain at 70 % load is 64 %, where the PINT paper has 71 %.", ""},
			{Fails, "With p = 1/256 short flows are not slower, as the PINT paper says they are.", ""},
			{Neutral, "TCP Reno was run with 0 to 108 bytes of overhead.", ""},
		},
		Config: []Setting{
			{"topology", "fat320", "§6.1"}, {"buffer", "32 MB per switch", "§6.1"}, {"seeds", "1, 2, 3, 4, 5", ""},
		},
		Sections: []Section{
			{
				Title: "Goodput", Text: []string{"Flows above 10 MB. Bars are 95 % confidence intervals over seeds."},
				Figures: []Figure{{Plot: figure("INT", "PINT"), Caption: "Goodput of long flows by load.",
					Rows: "fig7a/rows.csv"}, {Plot: wide, Caption: "Both workloads."}},
				Comparisons: []Comparison{{Caption: "Our values and the published values", Rows: []Compared{
					{Quantity: "gain at 70 % load", Unit: "%", Published: 71, Ours: 64, Lo: 58, Hi: 70,
						Outcome: Deviates, Source: "Fig. 7(a)", Note: "Our run is shorter, " +
							"which leaves fewer long flows."},
					{Quantity: "average FCT at 108 B", Published: 1.25, Ours: 1.262, Lo: math.NaN(), Hi: math.NaN(),
						Outcome: Holds, Source: "§2"},
					{Quantity: "median FCT", Unit: "s", Published: math.NaN(), Ours: 48.2e-6, Lo: math.NaN(),
						Hi: math.NaN(), Source: "–"},
				}}},
				Verdicts: []Verdict{{Deviates, "The gain grows with the load.",
					"Our run is shorter, which leaves fewer long flows."}},
				Notes:    []string{"The largest bucket has fewer than 100 flows and is faded."},
				Commands: []Command{{"All of this section:", "pintlab reproduce fig7 --scale laptop --seeds 5"}},
			},
			{
				Title: "Slowdown",
				Tables: []Table{
					{Table: rows(t, []any{"INT", 50.0, 120345, 3.25}, []any{"PINT", 50.0, 120345, 2.9}),
						Caption: "95th-percentile slowdown."},
					{Table: rows(t, []any{"INT", 70.0, 99, math.NaN()}), Caption: "Per seed.", Folded: true},
				},
			},
			{Title: "Speed", Text: []string{"5.2 M packet-hops per CPU second."}},
		},
		Footer: "pintlab, version 0.1.0",
	}
}

func render(t testing.TB, p *Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	path := filepath.Join("testdata", "page.html")
	got := render(t, sample(t))
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got == string(want) {
		return
	}
	g, w := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			t.Fatalf("line %d is\n%s\nwant\n%s\n(go test -update rewrites the file)", i+1, g[i], w[i])
		}
	}
	t.Fatalf("%d lines, want %d", len(g), len(w))
}

func TestSameBytesTwice(t *testing.T) {
	first, second := render(t, sample(t)), render(t, sample(t))
	if first != second {
		t.Error("two pages of one content differ")
	}
}

// element is a part of the parsed page that the tests read.
type element struct {
	name  string
	attrs map[string]string
	text  string
}

// parse reads the page as strict XML.
func parse(t *testing.T, page string) []element {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(page))
	var all []element
	var open []int
	for {
		tok, err := d.Token()
		if err == io.EOF {
			return all
		} else if err != nil {
			t.Fatalf("not well-formed: %v", err)
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			e := element{name: tok.Name.Local, attrs: map[string]string{}}
			for _, a := range tok.Attr {
				e.attrs[a.Name.Local] = a.Value
			}
			open = append(open, len(all))
			all = append(all, e)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) > 0 {
				all[open[len(open)-1]].text += string(tok)
			}
		}
	}
}

func TestStructure(t *testing.T) {
	ids, level := map[string]bool{}, 0
	links := []string{}
	count := map[string]int{}
	for _, e := range parse(t, render(t, sample(t))) {
		count[e.name]++
		if id, ok := e.attrs["id"]; ok {
			if ids[id] {
				t.Errorf("id %q twice", id)
			}
			ids[id] = true
		}
		switch e.name {
		case "h1", "h2", "h3":
			n := int(e.name[1] - '0')
			if n > level+1 {
				t.Errorf("heading %q skips a level", e.text)
			}
			level = n
		case "svg":
			if e.attrs["role"] != "img" || e.attrs["aria-label"] == "" {
				t.Errorf("drawing without a text alternative: %v", e.attrs)
			}
		case "script", "link", "img", "iframe", "object", "embed", "form":
			t.Errorf("element %s in a page that should need nothing", e.name)
		case "th":
			if s := e.attrs["scope"]; s != "row" && s != "col" {
				t.Errorf("heading cell %q without a scope", e.text)
			}
		case "a":
			links = append(links, e.attrs["href"])
		}
	}
	for _, l := range links {
		if id, ok := strings.CutPrefix(l, "#"); ok && !ids[id] {
			t.Errorf("link to %q, which is not there", l)
		}
	}
	for name, want := range map[string]int{"h1": 1, "title": 1, "main": 1, "svg": 3, "figcaption": 2, "table": 4,
		"caption": 4, "details": 1, "pre": 1, "nav": 1} {
		if count[name] != want {
			t.Errorf("%d elements %s, want %d", count[name], name, want)
		}
	}
}

// On a narrow screen drawings and tables keep a readable size and scroll. A drawing is never narrower than in print.
func TestNarrowScreensScroll(t *testing.T) {
	page := render(t, sample(t))
	for _, want := range []string{
		`<meta name="viewport" content="width=device-width, initial-scale=1"/>`,
		".drawing {", ".scroll { overflow-x: auto;",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%s is not on the page", want)
		}
	}
	for element, box := range map[string]string{"<svg": "drawing(?: broad| narrow)?", "<table": "scroll"} {
		inside := regexp.MustCompile(`<div class="` + box + `" role="region"[^>]* tabindex="0">\s*` + element)
		if all, in := strings.Count(page, element), len(inside.FindAllString(page, -1)); all == 0 || in != all {
			t.Errorf("%d of %d elements %s are in a box that scrolls", in, all, element)
		}
	}
	rules, _, _ := strings.Cut(page, "@media print")
	if !regexp.MustCompile(`\n\.drawing \{[^}]*overflow-x: auto`).MatchString(rules) {
		t.Error("drawings do not scroll")
	}
	for rule, points := range map[string]float64{`\n\.drawing svg`: plots.ColumnWidth,
		`\n\.wide \.drawing svg`: plots.PageWidth, `\n  \.wide \.drawing\.narrow svg`: plots.ColumnWidth} {
		m := regexp.MustCompile(rule + ` \{[^}]*min-width: ([0-9.]+)rem`).FindStringSubmatch(rules)
		if m == nil {
			t.Errorf("%s has no least width", rule)
			continue
		}
		// 16 pixels are 12 points.
		if rem, err := strconv.ParseFloat(m[1], 64); err != nil || 12*rem < points {
			t.Errorf("%s may shrink to %s rem, and is printed %v points wide", rule, m[1], points)
		}
	}
}

// The page must not cause a browser to request anything.
func TestNothingExternal(t *testing.T) {
	page := render(t, sample(t))
	for _, re := range []string{`https?://[^"]*`, `url\(`, `@import`, `\bsrc=`, `\bon[a-z]+=`} {
		for _, m := range regexp.MustCompile(re).FindAllString(page, -1) {
			if m != "http://www.w3.org/1999/xhtml" && m != "http://www.w3.org/2000/svg" {
				t.Errorf("found %q", m)
			}
		}
	}
}

var hostile = []string{
	`</p><script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `</style><b>`, `</svg></div><h1>`,
	`javascript:alert(1)`, `{{.Title}}`, `<!-- `, `]]>`, `&lt;b&gt;`, `' onload='x`, `\u003c`, "`${1}`",
	"日本語 العربية 🙂 e\u0301",
}

// For any strings, the page has the same elements as with harmless strings, and the page shows the strings.
func TestHostileStrings(t *testing.T) {
	elements := func(p *Page) (names []string, text string) {
		for _, e := range parse(t, render(t, p)) {
			names = append(names, e.name)
			text += e.text + "\n"
		}
		return names, text
	}
	build := func(s string) *Page {
		f := figure(s)
		f.Title, f.Footnote, f.Panels[0].X.Categories[0] = s, s, s
		return &Page{
			Title: s, Subtitle: s, Footer: s,
			Verdicts: []Verdict{{Holds, s, s}},
			Config:   []Setting{{s, s, s}},
			Sections: []Section{
				{Title: s, Text: []string{s}, Notes: []string{s}, Commands: []Command{{s, s}},
					Figures: []Figure{{Plot: f, Caption: s, Rows: s}},
					Tables:  []Table{{Table: rows(t, []any{s, 1.0, 1, 1.0}), Caption: s}},
					Comparisons: []Comparison{{Caption: s,
						Rows: []Compared{{Quantity: s, Unit: s, Published: 1, Ours: 2, Source: s, Note: s}}}},
				},
			},
		}
	}
	skeleton := func(names []string) string {
		// The elements text and path do not count: their number depends on the length of the texts in the drawing.
		kept := []string{}
		for _, n := range names {
			if n != "text" && n != "path" {
				kept = append(kept, n)
			}
		}
		return strings.Join(kept, " ")
	}
	want, _ := elements(build("harmless"))
	for _, s := range hostile {
		got, text := elements(build(s))
		if skeleton(got) != skeleton(want) {
			t.Errorf("%q changes the structure of the page", s)
		}
		if strings.Count(text, s) < 10 {
			t.Errorf("%q can be read %d times, want 10", s, strings.Count(text, s))
		}
	}
}

// A link to the rows can only be a relative path.
func TestRowsLink(t *testing.T) {
	p := sample(t)
	p.Sections[0].Figures[0].Rows = "javascript:alert(1)"
	for _, e := range parse(t, render(t, p)) {
		if strings.HasPrefix(e.attrs["href"], "javascript") {
			t.Errorf("link to %q", e.attrs["href"])
		}
	}
}

func TestErrors(t *testing.T) {
	tests := []struct {
		name string
		edit func(*Page)
		want string
	}{
		{"no title", func(p *Page) { p.Title = " " }, "no title"},
		{"control character", func(p *Page) { p.Sections[0].Text[0] = "a\x00b" },
			`Sections[0].Text[0]: "a\x00b" has a control character`},
		{"not UTF-8", func(p *Page) { p.Verdicts[0].Text = "\xff" }, `Verdicts[0].Text: "\xff" is not valid UTF-8`},
		{"figure", func(p *Page) { p.Sections[0].Figures[1].Plot.Panels = nil }, "section \"Goodput\": figure 2: " +
			"plots: bad figure: no panels"},
		{"two", func(p *Page) { p.Title, p.Sections[1].Title = "", "\xff" }, "Sections[1].Title: \"\\xff\" is not " +
			"valid UTF-8\nno title"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := sample(t)
			tt.edit(p)
			var b bytes.Buffer
			err := p.Write(&b)
			if want := "report: bad page: " + tt.want; !errtest.Says(err, want) {
				t.Errorf("error\n%v\nwant\n%s", err, want)
			}
			if b.Len() > 0 {
				t.Errorf("%d bytes written all the same", b.Len())
			}
		})
	}
}

// After an error the old page still exists, and there is no other file.
func TestSave(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "report.html")
	if err := sample(t).Save(path); err != nil {
		t.Fatal(err)
	}
	if err := (&Page{}).Save(path); err == nil {
		t.Fatal("an empty page was saved")
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != render(t, sample(t)) {
		t.Errorf("the old page is gone (%v)", err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("%d files, want 1", len(files))
	}
	// With -artifacts, the pages are stored so that people can look at them.
	if err := sample(t).Save(filepath.Join(t.ArtifactDir(), "report.html")); err != nil {
		t.Error(err)
	}
}

func TestDeviation(t *testing.T) {
	tests := []struct {
		c    Compared
		want string
	}{
		{Compared{Published: 1.25, Ours: 1.5}, "+20.0 %"},
		{Compared{Published: -2, Ours: -1}, "+50.0 %"},
		{Compared{Published: 100, Ours: 99.99}, "0.0 %"},
		{Compared{Published: 71, Ours: 64, Unit: "%"}, "−7.0 points"},
		{Compared{Published: 0, Ours: 2e-6, Unit: "s"}, "+2 µs"},
		{Compared{Published: 0, Ours: -3}, "−3"},
		{Compared{Published: 0, Ours: 0}, "0"},
		{Compared{Published: math.NaN(), Ours: 1}, "–"},
		{Compared{Published: 1, Ours: math.NaN()}, "–"},
	}
	for _, tt := range tests {
		if got := deviation(tt.c); got != tt.want {
			t.Errorf("deviation(%+v) = %q, want %q", tt.c, got, tt.want)
		}
	}
}

func ExamplePage_Write() {
	p := Page{
		Title:    "A run",
		Verdicts: []Verdict{{Holds, "PINT is not slower than INT.", ""}},
	}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		fmt.Println(err)
	}
	fmt.Println(strings.Contains(b.String(), `<strong class="outcome">Holds</strong> PINT is not slower than INT.`))
	// Output: true
}

// Numbers with their units are aligned to the right and do not wrap, also if they are texts. The first column names
// the rows.
func TestNumbersInTexts(t *testing.T) {
	tab, err := plots.NewTable(plots.Text("load"), plots.Text("p99 FCT"), plots.Text("mean"), plots.Text("left out"))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range [][]any{{"0.2", "~4.65 ms", "848 µs (0 s to 6.2 ms)", ""}, {"0.4", "–", "–", ""}} {
		if err := tab.Append(row...); err != nil {
			t.Fatal(err)
		}
	}
	v := viewTable(Table{Table: tab}, 1)
	for i, want := range []bool{false, true, false, false} {
		if v.Head[i].Number != want || v.Rows[1][i].Number != want || v.Rows[1][i].Row != (i == 0) {
			t.Errorf("column %d: %+v and %+v, want a number: %v", i, v.Head[i], v.Rows[1][i], want)
		}
	}
}
