package pintlab

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/spf13/cobra"

	"pintlab/internal/lists"
	"pintlab/netsim/unit"
	"pintlab/workloads/packets"
)

// made lists the results and files that examples read, and the commands that make them.
var made = []struct{ command, result, name string }{
	{"run incast16 --set run.sampling.enabled=true --set run.sampling.period=1us", "made/*",
		"results/incast16_sampling-true_period-1us-0123456789abcdef"},
	{"run incast16 --set run.sampling.enabled=true", "made/*", "results/incast16-0123456789abcdef"},
	{"run fat320-web --set workload.0.duration=10us --set run.sampling.enabled=true", "made/*",
		"results/fat320-web-0123456789abcdef"},
	{"run fat320-web-pint --set workload.0.duration=10us", "made/*", "results/fat320-web-pint-0123456789abcdef"},
	{"run capture.yaml", "made/*/capture.pcapng", "capture.pcapng"},
	{"run capture.yaml", "made/*/capture.pcapng", "switch.pcap"},
	{"p4 run pint.yaml --quiet", "", ""},
	{"new program ewma", "", ""},
	{"sketch trace caida.pcap --packets 2000 --flows 100 --duration 1ms", "", ""},
	{"sketch trace link1.pcap --packets 2000 --flows 100 --duration 1ms", "", ""},
	{"sketch trace link2.pcap --packets 2000 --flows 100 --duration 1ms --seed 2", "", ""},
	{"sketch trace 1.dat --packets 2000 --flows 100 --duration 1ms", "", ""},
	{"sketch trace 2.dat --packets 2000 --flows 100 --duration 1ms --window 2", "", ""},
}

// standIn replaces two things in examples: placeholders, for which readers insert their own names, and results that
// take hours.
var standIn = strings.NewReplacer("FIGURE", "fig9", "DIR", "cases", "CASES", "cases",
	"fig7/laptop", "fig7/smoke", "mine/rows.csv", "results/pint/fig7/smoke/rows.csv")

// foreign lists programs in the examples that are not part of this project. The test does not run them.
var foreign = map[string]bool{"sh": true, "[": true, "jupyter": true, "p4c-bm2-ss": true, "simple_switch_CLI": true}

// results lists the commands that make results for later examples.
var results = []string{"reproduce", "sweep", "run"}

// followed lists the pages whose blocks another test runs unchanged.
var followed = map[string]bool{"results.md": true}

// Every example in the help works, and every command in a block of README and docs works. If this test fails, correct
// the example. TestTutorial tests the pages of the tutorial.
func TestExamples(t *testing.T) {
	var examples []string
	for _, line := range append(helpExamples(), pageExamples(t)...) {
		if !slices.Contains(examples, line) {
			examples = append(examples, line)
		}
	}
	shown := ledgerLines(t)
	trials, write := exampleFiles(t)
	unused := map[string]bool{}
	for line := range trials {
		unused[line] = true
	}
	for name := range foreign {
		unused[name] = true
	}
	for _, line := range examples {
		with, long := strings.CutPrefix(trials[line], "long")
		delete(unused, line)
		for _, c := range simpleCommands(line) {
			if name := path.Base(c.words[0]); !c.ours() {
				delete(unused, name)
				if !foreign[name] {
					t.Errorf("%s: the test does not know the program %s", line, name)
				}
				continue
			}
			if long && testing.Short() {
				continue
			}
			args := c.args(with)
			if slices.Contains(shown, strings.Join(args, " ")) && !slices.Contains(results, args[0]) {
				continue
			}
			write()
			t.Run(line, func(t *testing.T) { c.run(t, args) })
		}
	}
	for what := range unused {
		t.Errorf("no example is or has %q", what)
	}
}

// helpExamples returns the examples in the help of all commands. Examples that make results come first.
func helpExamples() (list []string) {
	root := (&program{stdout: &output{w: &bytes.Buffer{}}, stderr: &bytes.Buffer{}}).root()
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		list = append(list, commandLines(c.Example)...)
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(root)
	first := func(line string) int { return slices.Index(results, strings.Fields(line)[1]) }
	slices.SortStableFunc(list, func(a, b string) int { return first(b) - first(a) })
	return list
}

var pageFences = regexp.MustCompile("(?ms)^ *```(\\w*)[^\n]*\n(.*?)^ *```$")

// pageExamples returns the pintlab commands in the blocks of README and docs.
func pageExamples(t *testing.T) (list []string) {
	t.Helper()
	pages, err := filepath.Glob(filepath.Join("..", "..", "docs", "*.md"))
	if err != nil || len(pages) < 7 {
		t.Fatalf("pages %q, %v", pages, err)
	}
	below, err := filepath.Glob(filepath.Join("..", "..", "docs", "*", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(append(pages, below...), readme) {
		if followed[filepath.Base(page)] {
			continue
		}
		for _, block := range pageFences.FindAllStringSubmatch(readFile(t, page), -1) {
			if !slices.Contains([]string{"", "sh", "bash"}, block[1]) {
				continue
			}
			for _, line := range commandLines(block[2]) {
				if slices.ContainsFunc(simpleCommands(line), simpleCommand.ours) {
					list = append(list, line)
				}
			}
		}
	}
	return list
}

// commandLines returns the lines of a text without comments. A backslash at the end of a line joins it with the next
// line.
func commandLines(text string) (list []string) {
	text = strings.ReplaceAll(text, "\\\n", " ")
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, " #")
		line = strings.Join(strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "$ ")), " ")
		if line != "" && line[0] != '#' {
			list = append(list, line)
		}
	}
	return list
}

// simpleCommand is one command of a shell line, with the file for its output.
type simpleCommand struct {
	words []string
	to    string
}

// ours reports whether a command is pintlab.
func (c simpleCommand) ours() bool { return strings.HasPrefix(path.Base(c.words[0]), "pintlab") }

var shellWord = regexp.MustCompile(`(?:'[^']*'|"[^"]*"|[^\s'"])+`)

// shellWords splits a line as a shell does.
func shellWords(line string) []string {
	return lists.Map(shellWord.FindAllString(line, -1), strings.NewReplacer("'", "", `"`, "").Replace)
}

// simpleCommands returns the commands of a line.
func simpleCommands(line string) (list []simpleCommand) {
	var c simpleCommand
	end := func() {
		if len(c.words) > 0 {
			list = append(list, c)
		}
		c = simpleCommand{}
	}
	words := shellWords(line)
	for i := 0; i < len(words); i++ {
		switch w := words[i]; {
		case w == "|" || w == "&&" || w == ";":
			end()
		case w == ">" && i+1 < len(words):
			i++
			c.to = words[i]
		default:
			c.words = append(c.words, w)
		}
	}
	end()
	return list
}

// args returns the arguments of a pintlab command, with changes that make it run quickly.
func (c *simpleCommand) args(with string) []string {
	args := slices.Clone(c.words[1:])
	for i, a := range args {
		args[i] = standIn.Replace(a)
	}
	more := shellWords(with)
	args = slices.DeleteFunc(args, func(a string) bool {
		key, _, set := strings.Cut(a, "=")
		return set && slices.ContainsFunc(more, func(m string) bool { return strings.HasPrefix(m, key+"=") })
	})
	for i := len(args) - 1; i >= 0; i-- { // remove a --set that has no key and value
		if args[i] == "--set" && (i+1 == len(args) || !strings.Contains(args[i+1], "=")) {
			args = slices.Delete(args, i, i+1)
		}
	}
	return append(args, more...)
}

// run runs a pintlab command with the given arguments.
func (c *simpleCommand) run(t *testing.T, args []string) {
	var stdout, stderr bytes.Buffer
	if code := invokeFitting(t, args, &stdout, &stderr); code != exitFine {
		t.Errorf("exit code %d of pintlab %q\n%s", code, args, &stderr)
	}
	if c.to == "" {
		return
	}
	if err := os.WriteFile(c.to, stdout.Bytes(), 0o666); err != nil {
		t.Error(err)
	}
}

// exampleFiles makes a directory with the files that examples read. It makes this directory the working directory.
// trials contains the settings of testdata/examples.txtar. write restores the files that examples may have replaced.
func exampleFiles(t *testing.T) (trials map[string]string, write func()) {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", "examples.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	trials = map[string]string{}
	for line := range strings.Lines(string(archive.Comment)) {
		if example, with, ok := strings.Cut(strings.TrimSpace(line), " => "); ok {
			trials[example] = with
		}
	}
	dir := t.TempDir()
	t.Chdir(dir)
	if err := errors.Join(os.Mkdir("here", 0o777), os.Mkdir("before", 0o777)); err != nil {
		t.Fatal(err)
	}
	t.Chdir("here")
	t.Setenv("PBS_ARRAY_INDEX", "0")
	write = func() {
		for _, f := range archive.Files {
			err := os.MkdirAll(filepath.Dir(f.Name), 0o777)
			if err = errors.Join(err, os.WriteFile(f.Name, f.Data, 0o666)); err != nil {
				t.Fatal(err)
			}
		}
	}
	write()
	if err := writeFrames("in.pcap"); err != nil {
		t.Fatal(err)
	}
	for _, x := range made {
		args := strings.Fields(x.command)
		if x.result != "" {
			args = append(args, "--quiet", "--out", "made")
		}
		var stdout, stderr bytes.Buffer
		if code := invoke(args, &stdout, &stderr); code != exitFine {
			t.Fatalf("pintlab %s: exit code %d\n%s", x.command, code, &stderr)
		}
		if x.result == "" {
			continue
		}
		found, err := filepath.Glob(x.result)
		if err != nil || len(found) != 1 {
			t.Fatalf("pintlab %s: %q, %v", x.command, found, err)
		}
		err = os.MkdirAll("results", 0o777)
		if err = errors.Join(err, os.Rename(found[0], x.name), os.RemoveAll("made")); err != nil {
			t.Fatal(err)
		}
	}
	out := packets.MakeTuple(0x0a000001, 0xc0a80001, 4000, 443, packets.TCP)
	var handshake bytes.Buffer
	if _, err := packets.WritePcap(&handshake, &segments{
		{Tuple: out, Size: 40, Flags: packets.SYN, Seq: 99},
		{Time: unit.Millisecond, Tuple: out.Reverse(), Size: 40, Flags: packets.SYN | packets.ACK, Seq: 6, Ack: 100},
	}); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{"border.pcap.gz": handshake.String(),
		"caida.pcap.gz": readFile(t, "caida.pcap")} {
		var zipped bytes.Buffer
		z := gzip.NewWriter(&zipped)
		if _, err := z.Write([]byte(data)); err != nil || z.Close() != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, zipped.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	// This is the shortest program that bench accepts as an older pintlab.
	before := []byte("#!/bin/sh\necho '{\"packet_hops\": 1000, \"fingerprint\": \"a\", \"peak_memory_bytes\": " +
		"3000000}'\n")
	for _, name := range []string{"pintlab-before", "../before/pintlab-before"} {
		if err := os.WriteFile(name, before, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return trials, write
}
