package pintlab

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write what the examples of README.md print into it")

var readme = filepath.Join("..", "..", "README.md")

// Every command has a row in the README, and every row is about a command.
func TestReadmeListsTheCommands(t *testing.T) {
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `pintlab ([a-z0-9]+)").FindAllSubmatch(text, -1) {
		listed[string(m[1])] = true
	}
	p := &program{stdout: &output{w: &bytes.Buffer{}}}
	for _, c := range p.commands() {
		if !listed[c.Name()] {
			t.Errorf("README.md has no row for %q", c.Name())
		}
		delete(listed, c.Name())
	}
	for name := range listed {
		t.Errorf("README.md has a row for %q, which is no command", name)
	}
}

// The program prints the output that the examples of the README show, except for hashes and costs.
func TestReadmeExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("runs every example, which takes seconds; needs go test without -short")
	}
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	path, err := filepath.Abs(readme)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	examples := 0
	now := regexp.MustCompile("(?ms)^```console\n(.*?)^```$").ReplaceAllFunc(text, func(block []byte) []byte {
		lines := strings.SplitAfter(string(block), "\n")
		words := strings.Fields(strings.TrimPrefix(lines[1], "$ "))
		if words[0] != "pintlab" {
			t.Errorf("an example runs %q", words[0])
			return block
		}
		examples++
		var stdout, stderr bytes.Buffer
		if code := invoke(words[1:], &stdout, &stderr); code != 0 {
			t.Errorf("%s: exit code %d, %s", lines[1], code, &stderr)
			return block
		}
		return fmt.Appendf(nil, "```console\n%s%s```", lines[1], &stdout)
	})
	if examples == 0 {
		t.Error("README.md has no examples")
	}
	if steady(now) == steady(text) {
		return
	}
	if *update {
		if err := os.WriteFile(path, now, 0o666); err != nil {
			t.Error(err)
		}
		return
	}
	t.Errorf("the examples of README.md print something else now; "+
		"go test ./experiments/pintlab -run Readme -update writes (-README +now):\n%s",
		cmp.Diff(strings.Split(steady(text), "\n"), strings.Split(steady(now), "\n")))
}

// The scenarios in the README are valid: pintlab run accepts them unchanged.
func TestReadmeScenarios(t *testing.T) {
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$").FindAllSubmatch(text, -1)
	if len(blocks) == 0 {
		t.Error("README.md has no scenario")
	}
	for i, block := range blocks {
		path := filepath.Join(t.TempDir(), fmt.Sprintf("readme%d.yaml", i))
		if err := os.WriteFile(path, block[1], 0o666); err != nil {
			t.Fatal(err)
		}
		var stdout, stderr bytes.Buffer
		if code := invoke([]string{"run", path, "--print-config"}, &stdout, &stderr); code != 0 {
			t.Errorf("exit code %d, %s, of\n%s", code, &stderr, block[1])
		}
	}
}

// steady returns a text without the parts that differ between builds.
func steady(text []byte) string {
	text = regexp.MustCompile(`(?m)^cost .*$`).ReplaceAll(text, []byte("cost"))
	return string(regexp.MustCompile(`[0-9a-f]{16,}`).ReplaceAll(text, []byte("HASH")))
}
