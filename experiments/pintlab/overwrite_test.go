package pintlab

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pintlab/experiments/protocols"
	"pintlab/internal/flags"
)

// No command overwrites a file that it reads. The table has one line for each output of each command.
func TestOverwrites(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, text := range map[string]string{
		"net.txt":  "3 1 2\n2\n0 2 10Gbps 1us 0\n1 2 10Gbps 1us 0\n",
		"flow.txt": "1\n0 1 3 100 20000 0\n",
		"run.yaml": `name: tiny
topology: {kind: file, path: net.txt}
workload: [{kind: file, path: flow.txt}]
run: {sampling: {enabled: true, nodes: [all], period: 1us},
  capture: {enabled: true}, outputs: [flows.parquet, flows.csv]}
`,
		"test.stf": "packet 0 00\n",
		"net.yaml": "switches: [{name: s, program: towersketch}]\ninputs: [{at: \"s:0\", file: in.pcap}]\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var stderr bytes.Buffer
	if code := invoke([]string{"run", "run.yaml", "--quiet"}, &bytes.Buffer{}, &stderr); code != exitFine {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	runs, _ := filepath.Glob("results/tiny-*")
	if err := os.Rename(runs[0], "results/tiny"); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Symlink("results/tiny", "symbolic"),
		os.Link("results/tiny/flows.csv", "hard")); err != nil {
		t.Skipf("needs a file system with symbolic and hard links: %v", err)
	}
	covered := map[string]bool{"sketch trace": true, "man --to": true, "new --to": true} // read no files
	for _, tt := range []struct{ output, line, file, by string }{
		{"report --to", "report results/tiny --to results/tiny/manifest.json", "results/tiny/manifest.json", "report"},
		{"report --to", "report results --to results/tiny/flows.parquet", "results/tiny/flows.parquet", "report"},
		{"report --to", "report results --to ./hard", "results/tiny/flows.csv", "report"},
		{"view --to", "view symbolic --to results/tiny/series.parquet", "results/tiny/series.parquet", "view"},
		{"view --to", "view results/tiny --to symbolic/manifest.json", "results/tiny/manifest.json", "view"},
		{"notebook --to", "notebook results/tiny --to results/tiny/flows.parquet", "results/tiny/flows.parquet",
			"notebook"},
		{"series --perfetto", "series results/tiny --perfetto results/tiny/flows.csv", "results/tiny/flows.csv",
			"series"},
		{"series --perfetto", "series results/tiny --perfetto hard", "results/tiny/flows.csv", "series"},
		{"int decode --parquet", "int decode results/tiny/capture.pcapng --parquet symbolic/capture.pcapng",
			"results/tiny/capture.pcapng", "int decode"},
		{"run --cpuprofile", "run run.yaml --cpuprofile run.yaml", "run.yaml", "run"},
		{"run --cpuprofile", "run run.yaml --cpuprofile net.txt", "net.txt", "topology.path"},
		{"run --memprofile", "run run.yaml --memprofile flow.txt", "flow.txt", "workload.0.path"},
		{"p4 run --out", "p4 run towersketch --in results/tiny/capture.pcapng --out symbolic/capture.pcapng",
			"results/tiny/capture.pcapng", "--in"},
		{"p4 run --dump", "p4 run net.yaml --dump net.yaml", "net.yaml", "p4 run"},
		{"p4 run --stf", "p4 run towersketch --in in.pcap --commands test.stf --stf test.stf", "test.stf",
			"--commands"},
		{"p4 test --write-commands", "p4 test towersketch test.stf --write-commands ./test.stf", "test.stf", "p4 test"},
		{"topology generate", "topology generate run.yaml net.txt", "net.txt", "topology.path"},
		{"topology convert", "topology convert net.txt ./net.txt", "net.txt", "topology convert"},
		{"workload generate", "workload generate run.yaml flow.txt", "flow.txt", "workload.0.path"},
		{"workload convert", "workload convert flow.txt net.txt --topology net.txt", "net.txt", "--topology"},
	} {
		covered[tt.output] = true
		before, err := os.ReadFile(tt.file)
		if err != nil {
			t.Fatal(err)
		}
		stderr.Reset()
		code := invoke(strings.Fields(tt.line), &bytes.Buffer{}, &stderr)
		if want := " is the file that " + tt.by + " reads\n"; code != exitUsage ||
			!strings.HasSuffix(stderr.String(), want) {
			t.Errorf("%s: exit code %d, want %d and %q: %s", tt.line, code, exitUsage, want, &stderr)
		}
		if after, err := os.ReadFile(tt.file); err != nil || !bytes.Equal(before, after) {
			t.Errorf("%s: %s has changed: %v", tt.line, tt.file, err)
		}
	}
	for _, output := range outputs(newProgram(protocols.Standard(), &stderr, &stderr).root()) {
		if !covered[output] {
			t.Errorf("%s: the table has no line for this output", output)
		}
	}
	// A command may replace its own result, even in the directory that it reads.
	for _, line := range []string{
		"view results/tiny", "report results/tiny", "report results", "notebook results/tiny",
		"series results/tiny --perfetto results/tiny/trace.json",
		"run run.yaml --quiet --cpuprofile results/tiny/cpu.prof",
	} {
		for range 2 {
			stderr.Reset()
			if code := invoke(strings.Fields(line), &bytes.Buffer{}, &stderr); code != exitFine {
				t.Errorf("%s: exit code %d: %s", line, code, &stderr)
			}
		}
	}
}

// outputs lists the flags and arguments that name output files. It panics if the help of a flag mentions an output file
// that its tag does not declare.
func outputs(root *cobra.Command) []string {
	found := map[string]bool{}
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		name := strings.TrimPrefix(cmd.CommandPath(), "pintlab ")
		if _, is := cmd.Annotations[writesLast]; is {
			found[name] = true
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			value, use := pflag.UnquoteUsage(f)
			if flags.Writes(f) {
				found[name+" --"+f.Name] = true
			} else if value == "file" && strings.Contains(use, "writ") {
				panic(name + " --" + f.Name + ": the tag lacks writes")
			}
		})
		for _, c := range cmd.Commands() {
			visit(c)
		}
	}
	visit(root)
	return slices.Sorted(maps.Keys(found))
}
