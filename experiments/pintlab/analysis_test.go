package pintlab

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every example of docs/results.md whose tool is installed runs.
func TestAnalysisPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "results.md"))
	if err != nil {
		t.Fatal(err)
	}
	dir, _ := workdir(t)
	runBlocks(t, dir, string(page))
	for page, drawings := range map[string]int{"results/sweep/sizes/notebook.html": 4, "incast16.html": 2,
		"both.html": 1} {
		data, err := os.ReadFile(filepath.Join(dir, page))
		if errors.Is(err, os.ErrNotExist) {
			continue // no Jupyter
		}
		if n := strings.Count(string(data), `<img src="data:image/png`); err != nil || n != drawings {
			t.Errorf("%s: %d drawings, want %d; %v", page, n, drawings, err)
		}
	}
}

// The example of docs/p4.md with the packets of a simulation decodes their path.
func TestRealPackets(t *testing.T) {
	page := readFile(t, filepath.Join("..", "..", "docs", "p4.md"))
	_, section, _ := strings.Cut(page, "\n## Real packets\n")
	section, _, _ = strings.Cut(section, "\n## ")
	dir, sh := workdir(t)
	runBlocks(t, dir, section)
	text := sh(dir, "pintlab pint read digests.pcap --switches 1,2")
	if !regexp.MustCompile(`(?m)^path +11\.0\.1\.1 .* 1 2 *$`).MatchString(text) {
		t.Errorf("no path of two switches:\n%s", text)
	}
}

// runBlocks runs the blocks of a page in the order of the page. A block of yaml or text becomes the file that the
// comment in its first line names.
func runBlocks(t *testing.T, dir, page string) {
	t.Helper()
	tools := map[string][]string{"sh": {"sh", "-e", "-c"}, "bash": {"sh", "-e", "-c"},
		"sql": {"duckdb", "-bail", "-c"}, "python": {"python3", "-c"}}
	needs := map[string][]string{
		"python": {"python3", "-c", "import pandas"},
		"bash": {"sh", "-c",
			`$(sed -n '1s/^#!//p' "$(command -v jupyter-nbconvert)") ` +
				`-c 'import nbconvert, ipykernel, pandas, matplotlib'`},
	}
	for _, block := range regexp.MustCompile("(?s)```(\\w+)\n(.*?)```").FindAllStringSubmatch(page, -1) {
		language, text := block[1], block[2]
		if language == "yaml" || language == "text" {
			name := strings.TrimPrefix(strings.SplitN(text, "\n", 2)[0], "# ")
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		tool := tools[language]
		if tool == nil {
			t.Fatalf("no way to run a block of %s", language)
		}
		t.Run(language, func(t *testing.T) {
			if _, err := exec.LookPath(tool[0]); err != nil {
				t.Skipf("needs the program %s on the PATH", tool[0])
			}
			if n := needs[language]; n != nil && exec.Command(n[0], n[1:]...).Run() != nil {
				t.Skipf("needs what `%s` imports: it fails", strings.Join(n, " "))
			}
			if language == "bash" && testing.Short() {
				t.Skip("needs seconds for each notebook: not with -short")
			}
			c := exec.Command(tool[0], append(tool[1:], text)...)
			c.Dir = dir
			out, err := c.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s\n%s", err, text, out)
			}
			if language != "sh" && len(strings.TrimSpace(string(out))) == 0 {
				t.Errorf("printed nothing:\n%s", text)
			}
		})
	}
}
