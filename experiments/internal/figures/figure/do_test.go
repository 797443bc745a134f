package figure

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/results/store"
	"pintlab/internal/errtest"
	"pintlab/plots"
	"pintlab/plots/report"
)

type sample struct {
	Name  string  `col:"name"`
	Size  int     `col:"size" unit:"B"`
	Value float64 `col:"value" unit:"s"`
}

// toy is a figure of two tiny simulations.
func toy() *Figure {
	f := Of[size, sample]{
		Name:   "doc/toy",
		Scales: map[Scale]size{Smoke: 2},
		Measure: func(ctx context.Context, j *Job, _ size) ([]sample, error) {
			var specs []campaign.Spec
			for _, mb := range []int{10, 20} {
				specs = append(specs, campaign.Spec{Label: fmt.Sprintf("%d MB", mb), Base: "two-flows",
					Set: []string{fmt.Sprintf("workload.0.flows.0.size=%dMB", mb)}})
			}
			runs, err := j.Simulate(ctx, append(specs, specs[0]))
			if err != nil {
				return nil, err
			}
			j.Setting("seeds", "", "%d", j.SeedList(2))
			j.Footnote("foot")
			var rows []sample
			for _, r := range runs[:2] {
				rows = append(rows,
					sample{r.Label, r.Manifest.Summary.Flows, float64(r.Manifest.Summary.SimulatedPS) / 1e12})
			}
			return rows, nil
		},
		Check: func(rows []sample) []Finding {
			return []Finding{Judge("longer", rows[1].Value > rows[0].Value, rows[1].Value < rows[0].Value, "%v s",
				rows[1].Value)}
		},
		Tables: func(rows []sample) []Table { return []Table{{Rows: rows, Caption: "All."}} },
		Draw: func(rows []sample) ([]Drawing, error) {
			s := plots.Series{Name: "end", Style: plots.Line}
			for i, r := range rows {
				s.X, s.Y = append(s.X, float64(i)), append(s.Y, r.Value)
			}
			axis := plots.Axis{Scale: plots.Linear}
			p := plots.Figure{Title: "Toy", Panels: []plots.Panel{{X: axis, Y: axis, Series: []plots.Series{s}}}}
			return []Drawing{{Name: "toy", Caption: "Toy.", Plot: p}}, nil
		},
	}.Figure()
	f.Title, f.Source, f.Claim = "Two flows", "§0", "The larger flow takes longer."
	return &f
}

// inkless is a figure whose drawings fail.
type inkless struct{ View }

func (inkless) Drawings(*Manifest) ([]Drawing, error) { return nil, errors.New("no ink") }

func job(t *testing.T) *Job {
	return &Job{Scale: Smoke, Seed: 4, Campaign: campaign.Options{
		Dir: filepath.Join(t.TempDir(), "runs"), Workers: 1, Quiet: true, Messages: io.Discard,
		Line: func(w ...string) string { return strings.Join(w, " ") },
	}}
}

func find(name string) (*Figure, error) {
	if name == "doc/toy" {
		return toy(), nil
	}
	return nil, errors.New("no such figure")
}

// A figure is stored completely, and can be drawn again from the stored files.
func TestDoAndLoad(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "doc", "toy", "smoke")
	d, err := Do(t.Context(), toy(), job(t), dir, "the command", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if f := d.Manifest.Findings; len(f) != 1 || f[0].Outcome != Holds {
		t.Errorf("findings %v, want one that holds", f)
	}
	if n := len(d.Manifest.Runs); n != 2 {
		t.Errorf("%d runs in the manifest, want each of the two once", n)
	}
	before, err := os.ReadFile(filepath.Join(dir, "toy.svg"))
	if err != nil {
		t.Fatal(err)
	}
	again, err := Load(dir, find)
	if err != nil {
		t.Fatal(err)
	}
	to := t.TempDir()
	files, err := again.Draw(to)
	if err != nil || len(files) != 2 {
		t.Fatalf("drew %v, %v", files, err)
	}
	after, err := os.ReadFile(files[0])
	if err != nil || string(before) != string(after) {
		t.Errorf("the drawing from the stored rows is another one (%v)", err)
	}
	// Without a manifest, the drawings get the footnote that is stored with the rows.
	if list, err := again.Drawings(&Manifest{}); err != nil || list[0].Plot.Footnote != "foot" {
		t.Errorf("%+v, %v, want the footnote of the job", list, err)
	}
	page, err := again.Page()
	if err != nil {
		t.Fatal(err)
	}
	var html strings.Builder
	if err := page.Write(&html); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Two flows", "longer: ", "the command", "[4 5]", "pintlab run two-flows --set " +
		"workload.0.flows.0.size=20MB"} {
		if !strings.Contains(html.String(), want) {
			t.Errorf("the report does not say %q", want)
		}
	}
	// The page does not depend on the machine, the build or the time.
	m := *again.Manifest
	m.Started, m.Program, m.Machine, m.Wall, m.CPU, m.Memory = "2001-01-01T00:00:00Z", store.Program{Version: "other"},
		store.Machine{Host: "other", Cores: 99}, 1e6, 1e6, 1e12
	m.Runs = slices.Clone(m.Runs)
	for i := range m.Runs {
		m.Runs[i].WallSeconds = 1e6
	}
	elsewhere := *again
	elsewhere.Manifest = &m
	if page, err = elsewhere.Page(); err != nil {
		t.Fatal(err)
	}
	var other strings.Builder
	if err := page.Write(&other); err != nil {
		t.Fatal(err)
	}
	if other.String() != html.String() {
		t.Error("the report depends on the machine, the build or the time")
	}
	// A second run into the same directory leaves no other files next to it.
	if _, err := Do(t.Context(), toy(), job(t), dir, "the command", Options{}); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(left) != 1 {
		t.Errorf("next to the figure: %v, %v", left, err)
	}
}

// If a drawing fails, the measured rows are kept.
func TestRowsOutliveDrawings(t *testing.T) {
	f, dir := toy(), filepath.Join(t.TempDir(), "toy")
	measure := f.Measure
	f.Measure = func(ctx context.Context, j *Job) (View, error) {
		v, err := measure(ctx, j)
		return inkless{v}, err
	}
	_, err := Do(t.Context(), f, job(t), dir, "pintlab", Options{})
	kept := dir + "-" + RowsFile
	if !errtest.Says(err, "doc/toy: no ink; the measured rows are in "+kept) {
		t.Errorf("error %v", err)
	}
	rows, err := os.ReadFile(kept)
	if err != nil || strings.Count(string(rows), "\n") != 3 {
		t.Errorf("%v: %q, want two rows", err, rows)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a figure without drawings is there: %v", err)
	}
}

func TestSaveReplacesOnlyFigures(t *testing.T) {
	dir := t.TempDir()
	precious := filepath.Join(dir, "precious")
	if err := os.WriteFile(precious, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := Do(t.Context(), toy(), job(t), dir, "", Options{})
	if want := dir + " … not replaced"; !errtest.Says(err, want) {
		t.Errorf("error %v, want %q", err, want)
	}
	if _, err := os.Stat(precious); err != nil {
		t.Error(err)
	}
}

// When a figure is made again, files that a user has added to its directory remain, and files that the figure wrote
// before are removed.
func TestSaveKeepsOtherFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "toy")
	remake := func() error { _, err := Do(t.Context(), toy(), job(t), dir, "", Options{}); return err }
	put := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777),
			os.WriteFile(path, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	if err := remake(); err != nil {
		t.Fatal(err)
	}
	mine := map[string]string{"notes.txt": "precious", "mine.svg": "drawn by hand", "more/rows.csv": "a"}
	for name, text := range mine {
		put(name, text)
	}
	put("rows.csv", "edited")
	if err := remake(); err != nil {
		t.Fatal(err)
	}
	for name, text := range mine {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != text {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if _, err := Load(dir, find); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(left) != 1 {
		t.Errorf("next to the figure: %v, %v", left, err)
	}

	// A drawing that this version no longer makes is removed.
	text, err := os.ReadFile(filepath.Join(dir, ManifestFile))
	if err != nil {
		t.Fatal(err)
	}
	put("stale.png", "x")
	put(ManifestFile, strings.Replace(string(text), `"files": [`, `"files": ["stale.png",`, 1))
	if err := remake(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "stale.png")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a drawing that is not made any more is still there (%v)", err)
	}
	// The manifest of an older version lists no files. Then the files that this version writes count as files of the
	// older figure.
	put(ManifestFile, regexp.MustCompile(`(?s)"files": \[.*?\],`).ReplaceAllString(string(text), ""))
	if err := remake(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "mine.svg")); err != nil {
		t.Error(err)
	}

	// A file of the user is not overwritten, even if it has the name of a file that the figure would write.
	put(ManifestFile, strings.Replace(string(text), `"toy.svg"`, `"other.svg"`, 1))
	if err := remake(); err == nil || !strings.Contains(err.Error(), "toy.svg was not written by this program") {
		t.Errorf("error %v", err)
	}
}

// sealed returns a manifest with the digest of its text.
func sealed(t *testing.T, text string) string {
	t.Helper()
	var m Manifest
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}
	empty := strings.Replace(text, m.Digest, "", 1)
	return strings.Replace(empty, `"digest": ""`, `"digest": "`+store.Digest([]byte(empty))+`"`, 1)
}

// edited returns the text of a file of rows, with one digit changed.
func edited(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	at := strings.LastIndexAny(string(text), "012345678")
	return string(text[:at]) + string(text[at]+1) + string(text[at+1:])
}

func TestLoadRefusesBrokenDirectories(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "toy")
	if _, err := Do(t.Context(), toy(), job(t), dir, "", Options{}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, ManifestFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ file, content, want string }{
		{ManifestFile, "{", "the file is cut short"},
		{ManifestFile, strings.Replace(string(text), `"seeds"`, `"sedes"`, 1), `unknown field "sedes"`},
		{ManifestFile, strings.Replace(string(text), `"format": 2`, `"format": 1`, 1),
			`kind "figure", format 1; want "figure", 2`},
		{ManifestFile, sealed(t, strings.Replace(string(text), "doc/toy", "doc/other", 1)), "no such figure"},
		// If a file was edited, its rows do not count as measurements.
		{ManifestFile, strings.Replace(string(text), `"scale": "smoke"`, `"scale": "laptop"`, 1),
			"was changed after the figure was made"},
		{RowsFile, edited(t, filepath.Join(dir, RowsFile)), "not the measured rows"},
		{RowsFile, "", "empty, want a line of headings"},
		{RowsFile, "name\na\n", `headings ["name"], want those of the schema: ["name"`},
	} {
		name := filepath.Join(dir, c.file)
		kept, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(c.content), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(dir, find); err == nil || !strings.Contains(err.Error(), c.want) ||
			!strings.HasPrefix(err.Error(), name) {
			t.Errorf("error %v, want %s: … %s", err, name, c.want)
		}
		if err := os.WriteFile(name, kept, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Load(dir, find); err != nil {
		t.Error(err)
	}
}

func TestJudge(t *testing.T) {
	if got := (Finding{Statement: "s", Outcome: Holds, Detail: "d"}).String(); got != "holds: s (d)" {
		t.Error(got)
	}
	for _, c := range []struct {
		confirmed, contradicted bool
		want                    Verdict
	}{{true, false, Holds}, {false, true, Fails}, {true, true, Fails}, {false, false, Undecided}} {
		f := Judge("s", c.confirmed, c.contradicted, "%d", 7)
		if f.Outcome != c.want || f.Detail != "7" {
			t.Errorf("%v, %v: %v, want %s", c.confirmed, c.contradicted, f, c.want)
		}
	}
}

// Figures with different settings are stored in different directories. The order of changes and the number of seeds
// do not matter. Figures about different scenarios of a user are also stored in different directories.
func TestDirName(t *testing.T) {
	f := &Figure{Name: "compare/network"}
	name := func(j *Job, folder string, specs ...campaign.Spec) string {
		t.Helper()
		dir, err := DirName("out", f, j, folder, specs...)
		if err != nil {
			t.Fatal(err)
		}
		return filepath.ToSlash(dir)
	}
	load := func(set ...string) *Job { return &Job{Scale: Smoke, Seeds: len(set), Set: set} }
	plain, half, swapped := name(load(), "mine"), name(load("workload.0.load=0.5", "cc.eta=0.9"), "mine"),
		name(load("cc.eta=0.9", "workload.0.load=0.5"), "mine")
	if plain != "out/compare/network/mine/smoke" || !strings.HasPrefix(half, plain+"_load-0.5_eta-0.9-") {
		t.Errorf("%s, %s", plain, half)
	}
	if other := name(load("workload.0.load=0.7", "cc.eta=0.9"),
		"mine"); path.Base(half)[len("smoke_load-0.5_eta-0.9-"):] == path.Base(other)[len("smoke_load-0.7_eta-0.9-"):] {
		t.Errorf("%s and %s have one hash", half, other)
	}
	if path.Base(half)[len("smoke_load-0.5_eta-0.9-"):] != path.Base(swapped)[len("smoke_eta-0.9_load-0.5-"):] {
		t.Errorf("%s and %s have two hashes", half, swapped)
	}
	a, b := name(&Job{}, "mine", campaign.Spec{Base: "two-flows"}),
		name(&Job{}, "mine", campaign.Spec{Base: "two-flows", Set: []string{"cc.kind=swift", "telemetry.kind=none"}})
	if !strings.HasPrefix(a, "out/compare/network/mine-") || a == b ||
		a != name(&Job{Seeds: 3}, "mine", campaign.Spec{Base: "two-flows"}) {
		t.Errorf("%s, %s", a, b)
	}
	if _, err := DirName("out", f, load("cc.et=1"), "", campaign.Spec{Base: "two-flows"}); !errtest.Says(err,
		"…cc.et: unknown key…") {
		t.Errorf("%v", err)
	}
}

// noted is a view that compares a number with a note.
type noted struct {
	View
	note string
}

func (n noted) Compared() []report.Compared {
	return []report.Compared{{Quantity: "a number", Published: 1, Ours: 2, Lo: 2, Hi: 2, Outcome: report.Deviates,
		Note: n.note}}
}

// A reason for a deviation that is the note of a number is not repeated in the list of reasons.
func TestReasonsOnce(t *testing.T) {
	d, err := Do(t.Context(), toy(), job(t), filepath.Join(t.TempDir(), "toy"), "the command", Options{})
	if err != nil {
		t.Fatal(err)
	}
	f := *d.Figure
	f.Why = []string{"The trace is another one.", "The threshold was chosen afterwards."}
	d.Figure, d.View = &f, noted{d.View, f.Why[0]}
	page, err := d.Page()
	if err != nil {
		t.Fatal(err)
	}
	var html strings.Builder
	if err := page.Write(&html); err != nil {
		t.Fatal(err)
	}
	for _, why := range f.Why {
		if n := strings.Count(html.String(), why); n != 1 {
			t.Errorf("%q occurs %d times, want once", why, n)
		}
	}
}
