package outfile

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

const (
	partial = ".partial"
	aside   = ".old" + partial // the old directory, until Commit removes it
)

// pending lists what this process is writing. It is global because an interrupt concerns
// the whole process. Its lock is held during each rename to a final name.
var pending struct {
	sync.Mutex
	paths       map[string]bool
	interrupted bool
}

// notWritten is the error of a write that an interrupt stopped.
type notWritten struct{}

func (notWritten) Error() string { return "not written" }
func (notWritten) Unwrap() error { return context.Canceled }

// begin calls create with the hidden name for path, and records that name.
func begin(path string, create func(temp string) error) (temp string, err error) {
	pending.Lock()
	defer pending.Unlock()
	if pending.interrupted {
		return "", notWritten{}
	}
	if _, err := os.Lstat(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err // for example a name that is too long, which would otherwise fail only at Commit
	}
	if path, err = absolute(path); err != nil {
		return "", err
	}
	if err := clean(path); err != nil {
		return "", err
	}
	temp = hidden(path)
	if pending.paths[temp] {
		return "", fmt.Errorf("this process is already writing %s", path)
	}
	if err := create(temp); err != nil {
		return "", err
	}
	note(temp)
	return temp, nil
}

// finish calls the function do, which renames temp to its final name, unless the process has been interrupted.
func finish(temp string, do func() error) error {
	pending.Lock()
	defer pending.Unlock()
	if pending.interrupted {
		return notWritten{}
	}
	if err := do(); err != nil {
		return err
	}
	delete(pending.paths, temp)
	return nil
}

// drop removes a hidden file or directory if it still exists.
func drop(temp string) error {
	pending.Lock()
	defer pending.Unlock()
	if !pending.paths[temp] {
		return nil
	}
	delete(pending.paths, temp)
	return os.RemoveAll(temp)
}

// Scratch makes an empty temporary directory. The function remove deletes it.
func Scratch(pattern string) (dir string, remove func() error, err error) {
	pending.Lock()
	defer pending.Unlock()
	if pending.interrupted {
		return "", nil, notWritten{}
	}
	if dir, err = os.MkdirTemp("", pattern); err != nil {
		return "", nil, err
	}
	note(dir)
	return dir, func() error { return drop(dir) }, nil
}

// note records a hidden name. The caller holds the lock.
func note(temp string) {
	if pending.paths == nil {
		pending.paths = map[string]bool{}
	}
	pending.paths[temp] = true
}

// Interrupt makes all later writes and renames fail.
func Interrupt() {
	pending.Lock()
	defer pending.Unlock()
	pending.interrupted = true
}

// Abandon calls Interrupt and removes all that this process is writing. Call it before
// the process exits while goroutines may still write.
func Abandon() error {
	Interrupt()
	pending.Lock()
	defer pending.Unlock()
	var errs []error
	for _, temp := range slices.Sorted(maps.Keys(pending.paths)) {
		err := os.RemoveAll(temp)
		for tries := 0; err != nil && tries < 10; tries++ { // goroutines may still create files
			err = os.RemoveAll(temp)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// absolute returns the absolute path with symbolic links resolved, except in the last
// element: a link there is replaced, not followed.
func absolute(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, filepath.Base(path)), nil
}

// Named is a file and the option or argument that names it.
type Named struct{ By, File string }

// Distinct returns an error if a command writes a file that it reads, or writes a file twice. Links, symbolic and
// hard, are followed.
func Distinct(reads, writes []Named) error {
	for i, w := range writes {
		for _, r := range reads {
			if sameFile(r.File, w.File) {
				return fmt.Errorf("%s %s is the file that %s reads", w.By, w.File, r.By)
			}
		}
		for _, other := range writes[:i] {
			if sameFile(other.File, w.File) {
				return fmt.Errorf("%s %s is the file that %s writes", w.By, w.File, other.By)
			}
		}
	}
	return nil
}

// sameFile reports whether two paths name the same regular file, which need not exist yet.
func sameFile(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	if errX == nil && errY == nil {
		return x.Mode().IsRegular() && os.SameFile(x, y)
	}
	a, errA := absolute(a)
	b, errB := absolute(b)
	return errX != nil && errY != nil && errA == nil && errB == nil && a == b
}

// most limits the number of bytes of the final name that the hidden name contains, because systems refuse long file
// names.
const most = 150

// short returns the name unchanged or, if the name is longer than most, a shortened name that ends in a hash.
func short(name string) string {
	if len(name) <= most {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	tail := "-" + hex.EncodeToString(sum[:8])
	return strings.ToValidUTF8(name[:most-len(tail)], "") + tail
}

// hidden returns the name that a file or directory has until Commit.
func hidden(path string) string {
	return filepath.Join(filepath.Dir(path), "."+short(filepath.Base(path))+"."+strconv.Itoa(os.Getpid())+"@"+
		Hostname()+partial)
}

var leftover = regexp.MustCompile(`^\.(.+)\.([0-9]+)@([^@]*?)(\.old)?\.partial$`)

// clean removes hidden files of the same name that killed processes of this machine left.
// It restores an old directory that such a process had moved aside.
func clean(path string) error {
	dir, name := filepath.Split(path)
	name = short(name)
	entries, err := os.ReadDir(filepath.Clean(dir))
	if err != nil {
		return nil // the directory may be writable but not readable
	}
	for _, e := range entries {
		m := leftover.FindStringSubmatch(e.Name())
		if m == nil || m[1] != name || m[3] != Hostname() {
			continue
		}
		pid, err := strconv.Atoi(m[2])
		left := filepath.Join(dir, e.Name())
		if ours := pid == os.Getpid(); err != nil || ours && pending.paths[left] || !ours && alive(pid) {
			continue
		}
		if _, err := os.Lstat(path); m[4] != "" && errors.Is(err, fs.ErrNotExist) {
			if err := os.Rename(left, path); err != nil {
				return err
			}
			continue
		}
		if err := os.RemoveAll(left); err != nil {
			return err
		}
	}
	return nil
}

// Leftovers returns the hidden files and directories below a directory that killed processes of this machine left:
// unfinished ones, and old directories that have been replaced. If remove is set, it also removes them. An old
// directory that has not been replaced stays, because the next command that writes it restores it.
func Leftovers(dir string, remove bool) (list []string, err error) {
	list = []string{}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		m := leftover.FindStringSubmatch(d.Name())
		if m == nil || m[3] != Hostname() {
			return nil
		}
		skip := fs.SkipDir
		if !d.IsDir() {
			skip = nil
		}
		if pid, err := strconv.Atoi(m[2]); err != nil || alive(pid) {
			return skip
		}
		if m[4] != "" {
			if _, err := os.Lstat(filepath.Join(filepath.Dir(path), m[1])); err != nil {
				return skip
			}
		}
		list = append(list, path)
		if remove {
			if err := os.RemoveAll(path); err != nil {
				return err
			}
		}
		return skip
	})
	return list, err
}

// Hostname returns the machine's name, with every character other than letters, digits,
// '_' and '-' replaced by '_', for use in file names.
func Hostname() string {
	h, err := os.Hostname()
	if err != nil {
		return "unknown"
	}
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, h)
}
