package outfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"pintlab/internal/errtest"
)

// tree returns the files under a directory with their contents.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(name)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// put creates the files in a directory.
func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777),
			os.WriteFile(path, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
}

// same checks the files under a directory.
func same(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	if diff := cmp.Diff(want, tree(t, dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

// A file is replaced only when the new one is complete. After an error the old file is still there.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	if err := Write(path, text("one")); err != nil {
		t.Fatal(err)
	}
	full := errors.New("full")
	err := Write(path, func(w io.Writer) error {
		if got := tree(t, dir)["a"]; got != "one" {
			t.Errorf("while it is written the file is %q", got)
		}
		if err := Write(path, text("x")); err == nil {
			t.Error("a file is written twice at the same time")
		}
		return errors.Join(text("tw")(w), full)
	})
	if !errors.Is(err, full) || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v", err)
	}
	same(t, dir, map[string]string{"a": "one"})
	if err := Write(path, text("two")); err != nil {
		t.Error(err)
	}
	same(t, dir, map[string]string{"a": "two"})
	if err := Write(filepath.Join(dir, "no", "b"), text("")); !errtest.Says(err,
		filepath.Join(dir, "no", "b")+": cannot write there: no such file or directory") {
		t.Errorf("error %v", err)
	}
	if _, err := Create(dir); err == nil || !strings.Contains(err.Error(), dir+": ") {
		t.Errorf("a directory is taken for a file: error %v", err)
	}
	long := filepath.Join(dir, strings.Repeat("l", 250))
	if err := Write(long, text("")); err != nil {
		t.Error(err)
	}
}

// make creates the directory at path with these files.
func make(t *testing.T, path string, files map[string]string) *Dir {
	t.Helper()
	d, err := MakeDir(path)
	if err != nil {
		t.Fatal(err)
	}
	put(t, d.Path(""), files)
	return d
}

func nothing() ([]string, error) { return nil, nil }

// killed is the panic value of a test at the point where a process is killed.
type killed struct{}

// If a process is killed after any step of Commit, the path has the old directory or the new one, and in both cases the
// other files of the old directory. The next MakeDir removes the remains. This is also true if two directories cannot
// be exchanged, except between the two renames: then the next MakeDir restores the old directory.
func TestKilledAtEveryStep(t *testing.T) {
	mine := map[string]string{"notes": "precious", "more/deep/n": "too"}
	with := func(x map[string]string) map[string]string {
		both := maps.Clone(mine)
		maps.Copy(both, x)
		return both
	}
	before, after := map[string]string{"rows": "old", "stale": "old"},
		map[string]string{"rows": "new", "drawing": "new"}
	for _, atomic := range []bool{true, false} {
		if atomic && exchange(t.TempDir(), t.TempDir()) != nil {
			continue // not on this system
		}
		steps := map[string]bool{}
		for n := 0; ; n++ {
			parent := t.TempDir()
			path := filepath.Join(parent, "x")
			put(t, path, with(before))
			d := make(t, path, after)
			if !atomic {
				d.swap = func(string, string) error { return errors.ErrUnsupported }
			}
			at := ""
			seen := 0
			d.step = func(step string) {
				steps[step] = true
				if at = step; seen == n {
					panic(killed{})
				}
				seen++
			}
			ended := func() (ended bool) {
				defer func() { ended = recover() == nil }()
				if err := d.Commit(func() ([]string, error) { return []string{"rows", "stale"}, nil }); err != nil {
					t.Error(err)
				}
				return
			}()
			name := fmt.Sprintf("exchange %v, killed after %q", atomic, at)
			if ended {
				same(t, parent, prefixed(with(after)))
				break
			}
			die(t, d)
			want := with(before)
			if at == "in place" {
				want = with(after)
			}
			if at != "aside" {
				same(t, path, want)
			}
			again, err := MakeDir(path)
			if err != nil {
				t.Fatal(name, err)
			}
			if err := again.Abort(); err != nil {
				t.Error(name, err)
			}
			same(t, parent, prefixed(want))
			if t.Failed() {
				t.Fatal(name)
			}
		}
		want := []string{"adopted", "in place"}
		if !atomic {
			want = []string{"adopted", "aside", "in place"}
		}
		if got := slices.Sorted(maps.Keys(steps)); !slices.Equal(got, want) {
			t.Errorf("steps %v, want %v", got, want)
		}
	}
}

func prefixed(files map[string]string) map[string]string {
	x := map[string]string{}
	for name, text := range files {
		x["x/"+name] = text
	}
	return x
}

// die renames the unfinished files of d as if their process had died.
func die(t *testing.T, d *Dir) {
	t.Helper()
	delete(pending.paths, d.temp)
	for _, ending := range []string{partial, aside} {
		from := strings.TrimSuffix(d.temp, partial) + ending
		to := strings.Replace(from, fmt.Sprintf(".%d@", os.Getpid()), ".2147483646@", 1)
		if err := os.Rename(from, to); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
}

// A process can write a path only once at a time, however the path is spelled. A process does not mistake its own
// hidden files for files of a dead process.
func TestOneFileBySeveralPaths(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o777); err != nil {
		t.Fatal(err)
	}
	spellings := []string{"a", "./a", "sub/../a", filepath.Join(dir, "a")}
	if os.Symlink(dir, filepath.Join(dir, "link")) == nil {
		spellings = append(spellings, "link/a")
	}
	t.Chdir(dir)
	for _, first := range spellings {
		f, err := Create(first)
		if err != nil {
			t.Fatal(err)
		}
		for _, second := range spellings {
			if _, err := Create(second); err == nil || !strings.Contains(err.Error(), "already") {
				t.Errorf("%s and %s at the same time: %v", first, second, err)
			}
		}
		if err := f.Commit(); err != nil {
			t.Error(err)
		}
	}
}

// Names with the same beginning are not confused, however long they are. A name that the system does not accept is
// refused before anything is written.
func TestLongNames(t *testing.T) {
	dir := t.TempDir()
	long := filepath.Join(dir, strings.Repeat("é", 100)) // a cut at a fixed byte would be within a letter
	a, err := Create(long + "a")
	if err != nil {
		t.Fatal(err)
	}
	b, err := Create(long + "b")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(a.Commit(), b.Commit()); err != nil {
		t.Error(err)
	}
	old := hidden(long + "a")
	put(t, strings.Replace(old, "."+strconv.Itoa(os.Getpid())+"@", ".2147483645@", 1), map[string]string{"f": ""})
	if d, err := MakeDir(long + "c"); err != nil {
		t.Error(err)
	} else if err := d.Abort(); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) != 1 || !utf8.ValidString(left[0]) {
		t.Errorf("%q, want what was left of the other name", left)
	}
	if _, err := Create(filepath.Join(dir, strings.Repeat("l", 300))); err == nil {
		t.Error("a name of 300 bytes is begun")
	}
	if _, err := MakeDir(filepath.Join(dir, strings.Repeat("l", 300))); err == nil {
		t.Error("a directory with a name of 300 bytes is begun")
	}
}

// A process that writes a name removes the files that dead processes of this machine have left under this name, and
// nothing else.
func TestLeftovers(t *testing.T) {
	parent := t.TempDir()
	// On the systems that we know, no process has the number 2^31-2.
	dead, old := ".x.2147483646@"+Hostname()+partial, ".x.2147483645@"+Hostname()+aside
	others := []string{".x.1@elsewhere.partial", ".git", ".y.2147483646@" + Hostname() + partial, "x.1@h.partial", "x"}
	for _, name := range append(others, dead, old) {
		put(t, parent, map[string]string{name + "/f": ""})
	}
	d, err := MakeDir(filepath.Join(parent, "x"))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Abort(); err != nil {
		t.Error(err)
	}
	want := map[string]string{}
	for _, name := range others {
		want[name+"/f"] = ""
	}
	if !alive(2147483646) {
		same(t, parent, want)
	}
}

// Commit does not touch an existing directory if a new file would replace a file that own does not list, or if own
// returns an error.
func TestCommitRefuses(t *testing.T) {
	parent := t.TempDir()
	path := filepath.Join(parent, "x")
	put(t, path, map[string]string{"a": "mine"})
	for _, own := range []func() ([]string,
		error){nothing, func() ([]string, error) { return nil, errors.New("not ours") }} {
		d := make(t, path, map[string]string{"a": "new"})
		if err := d.Commit(own); err == nil {
			t.Error("it is replaced")
		}
		if err := d.Abort(); err != nil {
			t.Error(err)
		}
		same(t, parent, map[string]string{"x/a": "mine"})
	}
}

// Abandon removes all unfinished files and keeps all finished ones. After Abandon, no file gets its final name.
func TestAbandon(t *testing.T) {
	defer func() { pending.interrupted = false }()
	parent := t.TempDir()
	if err := Write(filepath.Join(parent, "done"), text("done")); err != nil {
		t.Fatal(err)
	}
	f, err := Create(filepath.Join(parent, "f"))
	if err != nil {
		t.Fatal(err)
	}
	d := make(t, filepath.Join(parent, "d"), map[string]string{"a": "", "b/c": ""})
	scratch, remove, err := Scratch("outfile-test-")
	if err != nil {
		t.Fatal(err)
	}
	if err := Abandon(); err != nil {
		t.Error(err)
	}
	same(t, parent, map[string]string{"done": "done"})
	if _, err := os.Stat(scratch); err == nil {
		t.Error("the scratch directory is still there")
	}
	if err := f.Commit(); err == nil {
		t.Error("a file is complete after Abandon")
	}
	if err := d.Commit(nothing); err == nil {
		t.Error("a directory is complete after Abandon")
	}
	if err := Write(filepath.Join(parent, "g"), text("")); err == nil {
		t.Error("a file is begun after Abandon")
	}
	if _, _, err := Scratch("outfile-test-"); err == nil {
		t.Error("a scratch directory is made after Abandon")
	}
	if err := errors.Join(d.Abort(), remove()); err != nil {
		t.Error(err)
	}
	same(t, parent, map[string]string{"done": "done"})
}

// A path that is not a regular file, such as a device, is written to and not replaced.
func TestWriteLeavesDevicesAlone(t *testing.T) {
	link := filepath.Join(t.TempDir(), "null")
	if err := os.Symlink(os.DevNull, link); err != nil {
		t.Skipf("needs a temporary directory in which os.Symlink works: %v", err)
	}
	if err := Write(link, text("gone")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(link); err != nil || info.Mode().IsRegular() {
		t.Errorf("a file in place of the device: %v, %v", info, err)
	}
}

// After an interrupt no file gets its final name, even if it is complete, and old files stay.
func TestInterrupt(t *testing.T) {
	defer func() { pending.interrupted = false }()
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	put(t, dir, map[string]string{"a": "old", "d/b": "old"})
	d := make(t, filepath.Join(dir, "d"), map[string]string{"b": "new"})
	err := Write(path, func(w io.Writer) error {
		Interrupt()
		return text("new")(w)
	})
	for _, err := range []error{err, d.Commit(nothing), Write(path, text("new"))} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want one of an interrupt", err)
		}
	}
	if err := d.Abort(); err != nil {
		t.Error(err)
	}
	same(t, dir, map[string]string{"a": "old", "d/b": "old"})
}
