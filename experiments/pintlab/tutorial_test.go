package pintlab

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pintlab/experiments/internal/figures/figure/figuretest"
)

// The pages of docs/tutorial, ai.md and gallery.md are correct: a reader who writes the files of a page, changes the
// sources as shown and enters the commands gets the output on the page, except for hashes and costs. In a page,
//
//	```yaml mine.yaml           is a file in the directory of the reader, or in the sources if these have its folder
//	```diff path/of/source.go   is a change of a file of the sources
//	```console                  is commands, each after "$ ", and what they print
//	<!-- images/x.svg: FILE --> names the reader's file of the picture; -update copies it
//
// The test does not change the sources: go reads the files of the page from an overlay.
func TestTutorial(t *testing.T) {
	if testing.Short() {
		t.Skip("follows every page of the tutorial, which takes tens of CPU seconds; needs go test without -short")
	}
	sources, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob(filepath.Join(sources, "docs", "tutorial", "*.md"))
	if err != nil || len(pages) != 5 {
		t.Fatalf("pages %q, %v; want five", pages, err)
	}
	docs := filepath.Join(sources, "docs")
	for _, page := range append(pages, filepath.Join(docs, "ai.md"), filepath.Join(docs, "gallery.md")) {
		t.Run(filepath.Base(page), func(t *testing.T) {
			t.Parallel()
			r := &reader{T: t, page: page, sources: sources, dir: t.TempDir(), overlay: map[string]string{}}
			r.follow()
		})
	}
}

// reader follows the steps of a page.
type reader struct {
	*testing.T
	page, sources string
	dir           string            // working directory of the reader, with a link to the folder of the figures
	overlay       map[string]string // files of the page that replace sources
}

var (
	pageBlock   = regexp.MustCompile("(?ms)^```(\\w+)(?: (\\S+))?\n(.*?)^```$")
	pagePicture = regexp.MustCompile(`(?m)^<!-- (images/\S+): (\S+) -->$`)
)

func (r *reader) follow() {
	text, err := os.ReadFile(r.page)
	if err != nil {
		r.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(r.sources, "experiments"), filepath.Join(r.dir, "experiments")); err != nil {
		r.Skipf("needs a file system with symbolic links: %v", err)
	}
	now := pageBlock.ReplaceAllFunc(text, func(block []byte) []byte {
		m := pageBlock.FindSubmatch(block)
		switch kind, name := string(m[1]), string(m[2]); {
		case kind == "console":
			return fmt.Appendf(nil, "```console\n%s```", r.commands(string(m[3])))
		case kind == "diff":
			r.patch(name, string(m[3]))
		case name != "":
			r.write(name, string(m[3]))
		}
		return block
	})
	for _, m := range pagePicture.FindAllSubmatch(text, -1) {
		r.picture(string(m[1]), string(m[2]))
	}
	if same(now) == same(text) {
		return
	}
	if *update {
		if err := os.WriteFile(r.page, now, 0o666); err != nil {
			r.Error(err)
		}
		return
	}
	r.Errorf("the commands of %s print something else now; "+
		"go test ./experiments/pintlab -run Tutorial -update writes (-page +now):\n%s",
		filepath.Base(r.page), cmp.Diff(strings.Split(same(text), "\n"), strings.Split(same(now), "\n")))
}

// same returns a text without costs and without the hashes of scenarios, which change with every new key. It does not
// remove fingerprints.
func same(text []byte) string {
	text = regexp.MustCompile(`(?m)^cost .*$`).ReplaceAll(text, []byte("cost"))
	return string(regexp.MustCompile(`-[0-9a-f]{16}\b`).ReplaceAll(text, []byte("-HASH")))
}

// write makes a file of the page.
func (r *reader) write(name, text string) {
	top, _, nested := strings.Cut(name, "/")
	path := filepath.Join(r.dir, name)
	if info, err := os.Stat(filepath.Join(r.sources, top)); nested && err == nil && info.IsDir() {
		path = filepath.Join(r.dir, "sources", name)
		r.overlay[filepath.Join(r.sources, name)] = path
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		r.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		r.Fatal(err)
	}
}

// patch applies a diff of the page to a source file. The old lines of the diff must occur exactly once in the file.
func (r *reader) patch(name, diff string) {
	text, err := os.ReadFile(filepath.Join(r.sources, name))
	if err != nil {
		r.Fatal(err)
	}
	for hunk := range strings.SplitSeq(diff, "@@\n") {
		var before, after strings.Builder
		for line := range strings.Lines(hunk) {
			if line[0] != '+' {
				before.WriteString(line[1:])
			}
			if line[0] != '-' {
				after.WriteString(line[1:])
			}
		}
		if n := bytes.Count(text, []byte(before.String())); n != 1 {
			r.Fatalf("%s has %d places with\n%s", name, n, &before)
		}
		text = bytes.Replace(text, []byte(before.String()), []byte(after.String()), 1)
	}
	r.write(name, string(text))
}

// commands runs the commands of a block. It returns the block with the output that the commands print.
func (r *reader) commands(block string) string {
	var out strings.Builder
	lines := strings.SplitAfter(block, "\n")
	for i := 0; i < len(lines); i++ {
		command, ok := strings.CutPrefix(lines[i], "$ ")
		if !ok {
			continue // the line is output of the previous command, according to the page
		}
		out.WriteString(lines[i])
		for strings.HasSuffix(lines[i], "\\\n") {
			i++
			command += lines[i]
			out.WriteString(lines[i])
		}
		fails := false
		for _, printed := range lines[i+1:] {
			if strings.HasPrefix(printed, "$ ") {
				break
			}
			fails = fails || strings.HasPrefix(printed, "pintlab: ")
		}
		out.WriteString(r.run(strings.TrimSuffix(command, "\n"), fails))
	}
	return out.String()
}

// run runs one command and returns its output. If the command should fail, the output includes the error.
func (r *reader) run(command string, fails bool) string {
	bin := filepath.Join(r.dir, "bin")
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"), "GOBIN="+bin)
	if strings.HasPrefix(command, "go ") {
		cmd.Dir, cmd.Env = r.sources, append(cmd.Env, "GOFLAGS="+r.goFlags())
		if pkg, ok := strings.CutPrefix(command, "go test "); ok {
			return r.test(pkg, cmd.Env)
		}
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	switch exit := (*exec.ExitError)(nil); {
	case fails && errors.As(err, &exit):
		stdout.Write(stderr.Bytes())
	case err != nil || fails:
		r.Errorf("%s: %v, want it to fail: %v\n%s%s", command, err, fails, &stdout, &stderr)
	}
	text := strings.ReplaceAll(stdout.String(), r.dir, "/data/me/tutorial")
	if self, err := exec.LookPath("pintlab"); err == nil {
		text = strings.ReplaceAll(text, self, "/data/me/bin/pintlab")
	}
	return text
}

// goFlags returns flags that add the files of the page to the sources. They disable vet, which would not find the
// folders of these files. They also disable the profile of cmd/pintlab, because with it everything would be compiled
// again.
func (r *reader) goFlags() string {
	text, err := json.Marshal(map[string]any{"Replace": r.overlay})
	if err != nil {
		r.Fatal(err)
	}
	path := filepath.Join(r.dir, "overlay.json")
	if err := os.WriteFile(path, text, 0o666); err != nil {
		r.Fatal(err)
	}
	flags, err := exec.Command("go", "env", "GOFLAGS").Output()
	if err != nil {
		r.Skipf("needs the program go on the PATH: %v", err)
	}
	return strings.TrimSpace(strings.TrimSpace(string(flags)) + " -vet=off -pgo=off -overlay=" + path)
}

// test works like "go test" for a package whose folder may not exist on disk. go test itself would run the tests in
// that folder.
func (r *reader) test(pkg string, env []string) string {
	program := filepath.Join(r.dir, "page.test")
	build := exec.Command("go", "test", "-c", "-o", program, pkg)
	build.Dir, build.Env = r.sources, env
	if out, err := build.CombinedOutput(); err != nil {
		r.Fatalf("%v: %s", err, out)
	}
	if out, err := exec.Command(program).CombinedOutput(); err != nil {
		r.Errorf("%s: %v\n%s", pkg, err, out)
	}
	return "ok  \tpintlab" + strings.TrimPrefix(pkg, ".") + "\n"
}

// picture checks that the page can show a picture. With -update, it also writes the picture.
func (r *reader) picture(name, from string) {
	found, err := filepath.Glob(filepath.Join(r.dir, from))
	if err != nil || len(found) != 1 {
		r.Errorf("%s: %d files match %s, %v", name, len(found), from, err)
		return
	}
	path := filepath.Join(filepath.Dir(r.page), name)
	if _, err := os.Stat(path); err != nil && !*update {
		r.Error(err)
	}
	if !*update {
		return
	}
	data, err := os.ReadFile(found[0])
	if err == nil {
		err = os.WriteFile(path, figuretest.Dark(data), 0o666)
	}
	if err != nil {
		r.Error(err)
	}
}
