package pintlab

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/spf13/cobra"

	"pintlab/experiments/protocols"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/plots"
)

// ledgerFile contains digests of the output and the files of the commands in testdata/ledger.txtar.
const ledgerFile = "testdata/ledger.csv"

// A ledgerLine is the digest of one output of a line of commands. An output is a stream or a file.
type ledgerLine struct {
	Line   string `col:"line"`
	Shows  string `col:"shows"` // stdout, stderr, or a file
	Digest string `col:"sha256"`
}

// The ledger detects accidental changes of what commands print or write. An intended change must also update the
// ledger, in a commit whose message explains what changed and why.
func TestLedger(t *testing.T) { checkLedger(t, false) }

// TestLedgerOfLongLines is like TestLedger, but for the commands that take long.
func TestLedgerOfLongLines(t *testing.T) {
	if testing.Short() {
		t.Skip("runs commands that take seconds; needs go test without -short")
	}
	checkLedger(t, true)
}

// checkLedger runs either the slow lines or all other lines, and compares their output with the ledger.
func checkLedger(t *testing.T, long bool) {
	t.Helper()
	file, err := filepath.Abs(ledgerFile)
	if err != nil {
		t.Fatal(err)
	}
	table, err := plots.LoadCSV(file)
	if err != nil {
		t.Fatal(err)
	}
	want, err := columns.Decode[ledgerLine](table)
	if err != nil {
		t.Fatal(err)
	}
	l := newLedger(t)
	var moved strings.Builder
	var all []ledgerLine
	for _, e := range l.entries {
		stored := slices.DeleteFunc(slices.Clone(want), func(w ledgerLine) bool { return w.Line != e.line })
		if e.long != long {
			all = append(all, stored...)
			continue
		}
		got := l.show(t, e)
		all = append(all, got...)
		for _, w := range stored {
			if !slices.Contains(got, w) {
				fmt.Fprintf(&moved, "- %s: %s\n", w.Line, w.Shows)
			}
		}
		for _, g := range got {
			if !slices.Contains(stored, g) {
				fmt.Fprintf(&moved, "+ %s: %s\n", g.Line, g.Shows)
			}
		}
	}
	for _, w := range want {
		if !slices.ContainsFunc(l.entries, func(e ledgerEntry) bool { return e.line == w.Line }) {
			fmt.Fprintf(&moved, "- %s: %s\n", w.Line, w.Shows)
		}
	}
	if *update {
		if table, err = columns.Encode(all); err != nil {
			t.Fatal(err)
		}
		if err := table.SaveCSV(file); err != nil {
			t.Fatal(err)
		}
	} else if moved.Len() > 0 {
		t.Errorf("commands print or write something else than %s says (-ledger +now); if that is right: "+
			"go test ./experiments/pintlab -run TestLedger -update. PINTLAB_LEDGER=DIR stores the texts in DIR.\n%s",
			ledgerFile, &moved)
	}
}

// A ledger runs lines of commands in a directory with the files of examples.
type ledger struct {
	entries []ledgerEntry
	given   map[string]fs.FileInfo // files and directories that exist before each line, by path
	mask    *strings.Replacer      // replaces paths of this machine
	keep    string                 // directory for copies of all texts; "" if no copies are made
}

// A ledgerEntry is a line of commands that are joined by &&.
type ledgerEntry struct {
	line  string
	long  bool
	timed bool // the command prints times, so its numbers are ignored
}

// ledgerEntries returns the lines of testdata/ledger.txtar.
func ledgerEntries(archive *txtar.Archive) (entries []ledgerEntry) {
	_, list, _ := strings.Cut(string(archive.Comment), "\n\n")
	for line := range strings.Lines(list) {
		e := ledgerEntry{line: strings.TrimSpace(line)}
		e.line, e.long = strings.CutPrefix(e.line, "long ")
		e.line, e.timed = strings.CutPrefix(e.line, "timed ")
		entries = append(entries, e)
	}
	return entries
}

// ledgerLines returns the arguments of lines in testdata/ledger.txtar. It includes only lines that consist of a single
// command.
func ledgerLines(t *testing.T) (lines []string) {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", "ledger.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range ledgerEntries(archive) {
		if list := simpleCommands(e.line); len(list) == 1 {
			lines = append(lines, strings.Join(list[0].words[1:], " "))
		}
	}
	return lines
}

// newLedger returns the ledger for three kinds of lines: the help of every command, every preset with all its keys, and
// the lines of testdata/ledger.txtar.
func newLedger(t *testing.T) *ledger {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", "ledger.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	l := &ledger{keep: os.Getenv("PINTLAB_LEDGER")}
	root := newProgram(protocols.Standard(), &bytes.Buffer{}, &bytes.Buffer{}).root()
	has := map[*cobra.Command]bool{}
	for _, e := range ledgerEntries(archive) {
		for _, c := range simpleCommands(e.line) {
			cmd, _, err := root.Find(c.words[1:])
			if err != nil {
				t.Fatalf("%s: %v", e.line, err)
			}
			has[cmd] = true
		}
		l.entries = append(l.entries, e)
	}
	for _, name := range scenario.Presets() {
		l.entries = append(l.entries, ledgerEntry{line: "pintlab run " + name + " --print-config"},
			ledgerEntry{line: "pintlab presets " + name})
	}
	var help func(*cobra.Command)
	help = func(c *cobra.Command) {
		l.entries = append(l.entries, ledgerEntry{line: c.CommandPath() + " --help"})
		if !c.HasSubCommands() && !has[c] {
			t.Errorf("testdata/ledger.txtar has no line with %s", c.CommandPath())
		}
		for _, sub := range c.Commands() {
			if sub.Name() != "help" && sub.Name() != "completion" {
				help(sub)
			}
		}
	}
	help(root)

	exampleFiles(t)
	for _, f := range archive.Files {
		if err := os.WriteFile(f.Name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	l.given, l.mask = entriesBelow(t), strings.NewReplacer(dir, "/DIR", program, "/PROGRAM")
	return l
}

// entriesBelow returns the files and directories below the working directory, by path.
func entriesBelow(t *testing.T) map[string]fs.FileInfo {
	t.Helper()
	list := map[string]fs.FileInfo{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err == nil {
			list[path], err = d.Info()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// show runs the commands of a line. If the last command has the flag --json and the line does not take long, it runs
// the line again with this flag.
func (l *ledger) show(t *testing.T, e ledgerEntry) []ledgerLine {
	t.Helper()
	list := l.run(t, e, "")
	commands := simpleCommands(e.line)
	last := commands[len(commands)-1].words
	cmd, _, err := newProgram(protocols.Standard(), &bytes.Buffer{}, &bytes.Buffer{}).root().Find(last[1:])
	if err != nil {
		t.Fatal(err)
	}
	if !e.long && cmd.Flags().Lookup(flagJSON) != nil && !slices.Contains(last, "--json") &&
		!slices.Contains(last, "--help") {
		list = append(list, l.run(t, e, "--json")...)
	}
	return list
}

// run runs the commands of a line, and adds a flag to the last command. It then removes the files that the commands
// have written.
func (l *ledger) run(t *testing.T, e ledgerEntry, flag string) (list []ledgerLine) {
	t.Helper()
	add := func(shows string, data []byte) {
		shows, data = string(l.steady(false, []byte(shows))), l.steady(e.timed, data)
		list = append(list, ledgerLine{e.line, shows, store.Digest(data)})
		if l.keep == "" {
			return
		}
		file := filepath.Join(l.keep, strings.ReplaceAll(e.line+" "+flag, "/", "_"), shows)
		err := os.MkdirAll(filepath.Dir(file), 0o777)
		if err = errors.Join(err, os.WriteFile(file, data, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	var stdout, stderr bytes.Buffer
	commands := simpleCommands(e.line)
	for i, c := range commands {
		args := slices.Clone(c.words[1:])
		if i == len(commands)-1 && flag != "" {
			args = append(args, flag)
		}
		if code := invokeFitting(t, args, &stdout, &stderr); code != exitFine {
			fmt.Fprintf(&stderr, "exit code %d\n", code)
		}
	}
	add(strings.TrimSpace("stdout "+flag), stdout.Bytes())
	if stderr.Len() > 0 {
		add(strings.TrimSpace("stderr "+flag), stderr.Bytes())
	}
	var dirs []string
	after := entriesBelow(t)
	for _, path := range slices.Sorted(maps.Keys(after)) {
		now, before := after[path], l.given[path]
		switch {
		case before != nil && !now.IsDir() && !now.ModTime().Equal(before.ModTime()):
			t.Errorf("%s: it has changed %s, which later lines read", e.line, path)
		case before != nil:
		case now.IsDir():
			dirs = append(dirs, path)
		default:
			data, err := os.ReadFile(path)
			if err = errors.Join(err, os.Remove(path)); err != nil {
				t.Fatal(err)
			}
			if flag == "" { // with another flag, the commands write the same files
				add(path, data)
			}
		}
	}
	for _, dir := range slices.Backward(dirs) {
		if err := os.Remove(dir); err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// unsteady lists parts that differ between two runs of the same command: costs, the machine, the program, the hash of a
// scenario (it changes with every new key), and digests of other files.
var unsteady = []struct {
	pattern *regexp.Regexp
	stands  string
}{
	{regexp.MustCompile(`(?m)^(cost|simulated) .*$`), "$1"},
	{regexp.MustCompile(`"(started|(wall|cpu)_seconds|packet_hops_per_cpu_second)": *("[^"]*"|[-+.0-9e]+)`), `"$1"`},
	{regexp.MustCompile(`"((peak_)?memory_bytes)": *[0-9]+`), `"$1"`},
	{regexp.MustCompile(`"(program|machine)": *\{[^}]*\}`), `"$1"`},
	{regexp.MustCompile(`(no effect on results \(default) [0-9]+`), "$1 N"},
	{regexp.MustCompile(`([-",>\s])[0-9a-f]{16}\b|\b[0-9a-f]{64}\b`), "${1}HASH"},
}

// measured matches the varying parts in the text of a command that prints times or its version.
var measured = regexp.MustCompile(`\S*[0-9]\S*|[-─]+| +`)

// steady returns a text without the parts that differ between two runs of the same command.
func (l *ledger) steady(timed bool, text []byte) []byte {
	text = []byte(l.mask.Replace(string(text)))
	for _, u := range unsteady {
		text = u.pattern.ReplaceAll(text, []byte(u.stands))
	}
	if timed {
		text = measured.ReplaceAll(text, nil)
	}
	return text
}
