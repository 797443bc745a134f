package outfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Dir is a directory being written. Call Commit or Abort at the end.
type Dir struct {
	temp, final string
	swap        func(a, b string) error
	step        func(done string) // called after each step of Commit
}

// MakeDir creates the parents of path and a hidden directory, which Commit renames to path.
func MakeDir(path string) (*Dir, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	temp, err := begin(path, func(temp string) error { return os.Mkdir(temp, 0o777) })
	if err != nil {
		return nil, err
	}
	return &Dir{temp: temp, final: path, swap: exchange, step: func(string) {}}, nil
}

// Path returns the path that a file of the directory has before Commit.
func (d *Dir) Path(file string) string { return filepath.Join(d.temp, file) }

// Final returns the path that the directory has after Commit.
func (d *Dir) Final() string { return d.final }

// Commit renames the directory to its final name. If a directory of that name exists, own returns which of its files to
// replace; Commit keeps all others. At any time, the old or the new directory is complete. If the system can exchange
// two names, a complete directory has the final name at any time. Otherwise the old directory has another name for a
// moment; after a crash at that moment, the next MakeDir restores it.
func (d *Dir) Commit(own func() (files []string, err error)) error {
	return finish(d.temp, func() error {
		err := os.Rename(d.temp, d.final)
		if err == nil {
			return nil
		}
		// A directory cannot be renamed over one that is not empty.
		if _, statErr := os.Stat(d.final); statErr != nil {
			return err
		}
		files, err := own()
		if err != nil {
			return err
		}
		if err := d.adopt(files); err != nil {
			return err
		}
		d.step("adopted")
		old := d.temp
		if d.swap(d.temp, d.final) != nil { // not supported by every system and file system
			old = strings.TrimSuffix(d.temp, partial) + aside
			if err := os.Rename(d.final, old); err != nil {
				return err
			}
			d.step("aside")
			if err := os.Rename(d.temp, d.final); err != nil {
				return errors.Join(err, os.Rename(old, d.final))
			}
		}
		d.step("in place")
		return os.RemoveAll(old)
	})
}

// adopt links the files of the existing directory into the new one, except the replaced files. All files remain in the
// existing directory until it is removed.
func (d *Dir) adopt(replaced []string) error {
	entries, err := os.ReadDir(d.final)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if slices.Contains(replaced, e.Name()) {
			continue
		}
		from, to := filepath.Join(d.final, e.Name()), d.Path(e.Name())
		if _, err := os.Lstat(to); err == nil {
			return fmt.Errorf("%s was not written by this program, but the new results need a file of this name: "+
				"move it away", from)
		}
		if err := link(from, to, e.IsDir()); err != nil {
			return fmt.Errorf("%s was not written by this program, and cannot be kept: %w; move it away",
				from, cause(err))
		}
	}
	return nil
}

// link gives a file, or every file in a directory, a second name.
func link(from, to string, dir bool) error {
	if !dir {
		return os.Link(from, to)
	}
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if err := os.Mkdir(to, info.Mode().Perm()); err != nil {
		return err
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := link(filepath.Join(from, e.Name()), filepath.Join(to, e.Name()), e.IsDir()); err != nil {
			return err
		}
	}
	return nil
}

// Abort removes the directory. After Commit it does nothing, so it may be deferred.
func (d *Dir) Abort() error { return drop(d.temp) }
