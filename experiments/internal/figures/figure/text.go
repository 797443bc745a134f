package figure

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
)

// Names of the files that a spec reads from the folder of its figure.
const (
	textFile      = "figure.md"
	knownFile     = "known.csv"
	publishedFile = "published.csv"
	// sharedFile contains sections that several figures of a paper use. It is next to the folders of the figures.
	sharedFile = "shared.md"
)

// Names of sections. Every text has a section "claim". The section "why" is optional and has a paragraph for each
// reason why our numbers differ from the paper's.
const (
	claimSection = "claim"
	whySection   = "why"
)

// footnoteSection is the optional section that contains the footnote of every job.
const footnoteSection = "footnote"

// Words contains the texts of a figure. Their file begins with the title ("# ...") and the figure's place in the
// paper. Sections ("## name") follow, such as captions, explanations and tolerances. The spec refers to the sections
// by name. The lines of a paragraph are joined.
//
// In a section, {name} stands for the text of another section. A heading "## name (measured: MEASUREMENT)" connects
// the section with the lines of known.csv that have the name MEASUREMENT. FOLDER/MEASUREMENT refers to lines of
// another figure. "(measured)" alone means that the measurement has the name of the section. {name, measured} stands
// for the text of a section and its measurements.
type Words struct {
	Title, Source, Claim string
	Why                  []string

	figure   string
	files    fs.FS
	sections map[string]*section

	mu   sync.Mutex
	used map[string]bool
}

type section struct {
	text   string
	known  string // name of the section's measurement in known.csv
	shared bool
}

// readText reads the text of a figure. It panics if something is missing from the text, because the files of figures
// are embedded.
func readText(name string, files fs.FS) *Words {
	t := &Words{figure: name, files: files, sections: map[string]*section{}, used: map[string]bool{}}
	text := t.read(path.Base(name) + "/" + textFile)
	head, rest, _ := strings.Cut(text, "\n## ")
	title, source, ok := strings.Cut(strings.TrimPrefix(head, "# "), "\n")
	if !ok || !strings.HasPrefix(head, "# ") {
		t.fail("no title and source")
	}
	t.Title, t.Source = title, strings.Join(paragraphs(source), " ")
	t.add(rest, false)
	if _, err := fs.Stat(files, sharedFile); err == nil {
		_, rest, _ := strings.Cut("\n"+t.read(sharedFile), "\n## ")
		t.add(rest, true)
	}
	t.Claim = t.section(claimSection)
	if t.has(whySection) {
		for _, p := range paragraphs(t.find(whySection).text) {
			t.Why = append(t.Why, t.expand(p))
		}
	}
	return t
}

func (t *Words) read(name string) string {
	data, err := fs.ReadFile(t.files, name)
	if err != nil {
		t.fail("%v", err)
	}
	return string(data)
}

func (t *Words) fail(format string, args ...any) {
	panic(t.figure + ": " + textFile + ": " + fmt.Sprintf(format, args...))
}

// add adds the sections of a text. The text begins with the name of the first section.
func (t *Words) add(text string, shared bool) {
	for _, part := range strings.Split(text, "\n## ") {
		name, body, _ := strings.Cut(part, "\n")
		s := &section{text: body, shared: shared}
		if before, measured, ok := strings.Cut(name, " (measured"); ok {
			name, s.known = before, before
			if of := strings.TrimSuffix(strings.TrimPrefix(measured, ": "), ")"); of != "" {
				s.known = of
			}
		}
		if t.has(name) {
			t.fail("two sections %q", name)
		}
		t.sections[name] = s
	}
}

// paragraphs returns the paragraphs of a text. Each becomes a single line.
func paragraphs(text string) []string {
	var list []string
	for _, p := range strings.Split(text, "\n\n") {
		if words := strings.Fields(p); len(words) > 0 {
			list = append(list, strings.Join(words, " "))
		}
	}
	return list
}

func (t *Words) has(name string) bool { return t.sections[name] != nil }

// find returns a section and marks it as used.
func (t *Words) find(name string) *section {
	s := t.sections[name]
	if s == nil {
		t.fail("no section %q", name)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.used[name] = true
	return s
}

// section returns the text of a section. If there are values, they replace its verbs (see package fmt).
func (t *Words) section(name string, values ...any) string {
	text := strings.Join(paragraphs(t.find(name).text), " ")
	if len(values) > 0 {
		if text = fmt.Sprintf(text, values...); strings.Contains(text, "%!") {
			t.fail("section %q: %s", name, text)
		}
	}
	return t.expand(text)
}

// expand replaces the names in braces by the texts of their sections.
func (t *Words) expand(text string) string {
	before, rest, ok := strings.Cut(text, "{")
	if !ok {
		return text
	}
	name, after, ok := strings.Cut(rest, "}")
	if !ok {
		t.fail("%q has no end", "{"+rest)
	}
	name, measured := strings.CutSuffix(name, ", measured")
	of := t.section(name)
	if measured {
		of = t.cause(name).String()
	}
	return before + of + t.expand(after)
}

// cause returns the cause that a section explains, and the section's stored measurements.
func (t *Words) cause(name string) cause {
	c := cause{why: t.section(name), measurement: t.find(name).known}
	folder, measurement, other := strings.Cut(c.measurement, "/")
	if !other {
		folder, measurement = path.Base(t.figure), c.measurement
	}
	if measurement == "" {
		return c
	}
	list, err := storedOf(t.files, folder, measurement)
	if err != nil {
		t.fail("%v", err)
	}
	c.measurement, c.stored = measurement, list
	return c
}

// note returns the text of a section that explains a number, and the section's stored measurements. If name is "",
// note returns "".
func (t *Words) note(name string, values []any) string {
	switch {
	case name == "":
		return ""
	case t.find(name).known != "":
		return t.cause(name).String()
	}
	return t.section(name, values...)
}

// Unused returns the names of the sections in the figure's own text that nothing has shown, sorted.
func (t *Words) Unused() []string {
	var list []string
	for name, s := range t.sections {
		if !s.shared && !t.used[name] {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}
