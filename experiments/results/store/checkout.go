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

// goRun matches the path of a program that "go run" has built: in a temporary directory at first, and in the build
// cache from then on.
var goRun = regexp.MustCompile(`[/\\](go-build\d+[/\\]b\d+[/\\]exe|[0-9a-f]{2}[/\\][0-9a-f]{64}-d)[/\\]`)

// WithCheckout adds the commit to a program that "go run" has started, for which Go records none. The module around
// the current directory is the one that was compiled a moment ago, so git can tell. Of any other program the sources
// may have changed since it was built, and what is unknown stays unknown.
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

// moduleAround returns the root of the module pintlab that holds a directory, "" if it is in another module or in none.
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

// readCheckout fills in what git says of the checkout that holds a directory. Without git, or if the directory is in
// no checkout, it changes nothing.
func (p *Program) readCheckout(ctx context.Context, dir string) {
	git := func(args ...string) string {
		out, err := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...).Output()
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(out))
	}
	if git("ls-files", "go.mod") == "" {
		return // an unpacked archive within a checkout of something else
	}
	revision, seconds, _ := strings.Cut(git("log", "-1", "--format=%H %ct"), " ")
	at, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return
	}
	p.Revision, p.Time = revision, time.Unix(at, 0).UTC().Format(time.RFC3339)
	p.Modified = git("status", "--porcelain") != ""
}
