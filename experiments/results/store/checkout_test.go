package store

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Only programs that go run has built are at these paths.
func TestGoRun(t *testing.T) {
	for path, want := range map[string]bool{
		"/tmp/go-build2685134440/b001/exe/pintlab":                                                               true,
		"/home/me/.cache/go-build/c2/c268110f254e047ec6fb74e6351e30ff64e7c33f4e8643a4efdf6673e52bc8a0-d/pintlab": true,
		// of go test
		"/tmp/go-build2685134440/b001/store.test":            false,
		"/home/me/go/bin/pintlab":                            false,
		"/home/me/.cache/go-build/pintlab":                   false,
		"/home/me/go-build/pintlab":                          false,
		`C:\Users\me\Temp\go-build2685134440\b001\exe\x.exe`: true,
	} {
		if got := goRun.MatchString(path); got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}

func TestCheckout(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs the program git on the PATH")
	}
	dir := t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git",
			append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_COMMITTER_DATE=2026-02-03T04:05:06+02:00")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	inner := filepath.Join(dir, "cmd", "pintlab")
	if err := os.MkdirAll(inner, 0o777); err != nil {
		t.Fatal(err)
	}
	read := func() Program {
		p := Program{Version: unknown, Revision: unknown, Time: unknown}
		p.readCheckout(t.Context(), dir)
		return p
	}
	nothing := Program{Version: unknown, Revision: unknown, Time: unknown}

	write("go.mod", "module pintlab\n\ngo 1.26\n")
	if got := moduleAround(inner); got != dir {
		t.Errorf("module around %s: %q, want %s", inner, got, dir)
	}
	git("init", "-q")
	if got := read(); got != nothing {
		t.Errorf("of a checkout without commits: %+v", got)
	}
	git("commit", "-q", "--allow-empty", "-m", "of another project")
	if got := read(); got != nothing {
		t.Errorf("of an archive within another checkout: %+v", got)
	}
	git("add", "go.mod")
	git("commit", "-q", "-m", "ours")
	want := Program{Version: unknown, Revision: git("rev-parse", "HEAD"), Time: "2026-02-03T02:05:06Z"}
	if got := read(); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	write("go.mod", "module another\n")
	want.Modified = true
	if got := read(); got != want {
		t.Errorf("modified: got %+v, want %+v", got, want)
	}
	if got := moduleAround(inner); got != "" {
		t.Errorf("another module: %q", got)
	}
	// go test has built the program of this test, not go run.
	if got := nothing.WithCheckout(t.Context()); got != nothing {
		t.Errorf("of a test: %+v", got)
	}
}
