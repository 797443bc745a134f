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
	aside   = ".old" + partial // the directory that was there, on its way out
)

// pending lists what this process is writing. It belongs to the process, as an interrupt
// does, and not to any caller. Its lock is held while something gets its final name.
var pending struct {
	sync.Mutex
	paths       map[string]bool
	interrupted bool
}

// notWritten is the error of a file that is not complete before the process is interrupted.
type notWritten struct{}

func (notWritten) Error() string { return "not written" }
func (notWritten) Unwrap() error { return context.Canceled }

// begin creates what will be called path when it is complete, by make, and notes its hidden name.
func begin(path string, create func(temp string) error) (temp string, err error) {
	pending.Lock()
	defer pending.Unlock()
	if pending.interrupted {
		return "", notWritten{}
	}
	if _, err := os.Lstat(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err // such as a name that is too long, which would show only at the end
	}
	if path, err = absolute(path); err != nil {
		return "", err
	}
	if err := clean(path); err != nil {
		return "", err
	}
	temp = hidden(path)
	if pending.paths[temp] {
		return "", fmt.Errorf("%s is being written by this process already", path)
	}
	if err := create(temp); err != nil {
		return "", err
	}
	note(temp)
	return temp, nil
}

// finish calls do, which gives what has a hidden name its final one. It does not if the process
// has been interrupted.
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

// drop removes what has a hidden name, if it is still there.
func drop(temp string) error {
	pending.Lock()
	defer pending.Unlock()
	if !pending.paths[temp] {
		return nil
	}
	delete(pending.paths, temp)
	return os.RemoveAll(temp)
}

// Scratch makes an empty directory for files that no one keeps. remove removes it.
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

// note notes a name. The lock must be held.
func note(temp string) {
	if pending.paths == nil {
		pending.paths = map[string]bool{}
	}
	pending.paths[temp] = true
}

// Interrupt makes all further writing fail: nothing gets its final name any more.
func Interrupt() {
	pending.Lock()
	defer pending.Unlock()
	pending.interrupted = true
}

// Abandon removes what this process is writing, after Interrupt. It is for a process that is about
// to exit while goroutines still write.
func Abandon() error {
	Interrupt()
	pending.Lock()
	defer pending.Unlock()
	var errs []error
	for _, temp := range slices.Sorted(maps.Keys(pending.paths)) {
		err := os.RemoveAll(temp)
		for tries := 0; err != nil && tries < 10; tries++ { // files may still come
			err = os.RemoveAll(temp)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// absolute returns the one spelling of a path under which this process knows what it writes. The last
// element may be a link, which is replaced and not followed.
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

// Same reports whether two names are those of one regular file, which need not be there yet.
func Same(a, b string) bool {
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

// most is how many bytes of a name the hidden one has, which must not be too long.
const most = 150

// short returns a name or, if it is too long, its beginning and what tells it apart from others.
func short(name string) string {
	if len(name) <= most {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	tail := "-" + hex.EncodeToString(sum[:8])
	return strings.ToValidUTF8(name[:most-len(tail)], "") + tail
}

// hidden returns the name of a file or directory while it is written.
func hidden(path string) string {
	return filepath.Join(filepath.Dir(path), "."+short(filepath.Base(path))+"."+strconv.Itoa(os.Getpid())+"@"+Hostname()+partial)
}

var leftover = regexp.MustCompile(`^\.(.+)\.([0-9]+)@([^@]*?)(\.old)?\.partial$`)

// clean removes what killed processes of this machine left of the same name. If one was killed
// after it had moved the old directory aside, it puts that back.
func clean(path string) error {
	dir, name := filepath.Split(path)
	name = short(name)
	entries, err := os.ReadDir(filepath.Clean(dir))
	if err != nil {
		return nil // not readable, but perhaps writable
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

// Hostname returns the machine's name with only letters, digits, '_' and '-', so that
// it can stand in a file name.
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
