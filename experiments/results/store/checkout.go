package store

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"pintlab/internal/input"
)

// goRun matches the path of a program that "go run" has built. For the first run, the program is in a temporary
// directory; for later runs, it is in the build cache.
var goRun = regexp.MustCompile(`[/\\](go-build\d+[/\\]b\d+[/\\]exe|[0-9a-f]{2}[/\\][0-9a-f]{64}-d)[/\\]`)

// WithCheckout adds the commit to a program that "go run" has started, because Go records none for it. "go
// run" has just compiled the module around the current directory, so git knows the commit. The sources of
// other programs may have changed since their build, so their unknown commit stays unknown.
func (p Program) WithCheckout(ctx context.Context) Program {
	self, err := os.Executable()
	if err != nil || p.Revision != unknown || p.Version != unknown || !goRun.MatchString(self) {
		return p
	}
	if dir := moduleAround("."); dir != "" {
		p.readCheckout(ctx, dir)
	}
	return p
}

// moduleAround returns the root of the module pintlab that contains a directory. It returns "" if the directory is in
// another module or in no module.
func moduleAround(dir string) string {
	for dir, err := filepath.Abs(dir); err == nil; dir = filepath.Dir(dir) {
		switch text, err := input.ReadFile(filepath.Join(dir, "go.mod"), input.Document); {
		case err == nil && strings.HasPrefix(string(text), "module pintlab\n"):
			return dir
		case err == nil, dir == filepath.Dir(dir):
			return ""
		}
	}
	return ""
}

// readCheckout sets the commit, its time and whether files are modified, from the git checkout that
// contains a directory. Without git or a checkout it changes nothing.
func (p *Program) readCheckout(ctx context.Context, dir string) {
	git := func(args ...string) string {
		out, err := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...).Output()
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(out))
	}
	if git("ls-files", "go.mod") == "" {
		return // the files are an unpacked archive in the checkout of another project
	}
	revision, seconds, _ := strings.Cut(git("log", "-1", "--format=%H %ct"), " ")
	at, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return
	}
	p.Revision, p.Time = revision, time.Unix(at, 0).UTC().Format(time.RFC3339)
	p.Modified = git("status", "--porcelain") != ""
}
