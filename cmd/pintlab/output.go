package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// output is standard output. It remembers the first failure, so that commands can
// print without looking.
type output struct {
	w   io.Writer
	err error
}

func (o *output) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.w.Write(p)
	o.err = err
	return n, err
}

// failure is the first failure.
func (o *output) failure() error {
	if o.err == nil {
		return nil
	}
	return failed(fmt.Errorf("standard output: %w", o.err))
}

// printf prints on standard output.
func (p *program) printf(format string, args ...any) { fmt.Fprintf(p.stdout, format, args...) }

// printJSON prints v as one JSON document on standard output.
func (p *program) printJSON(v any) error {
	e := json.NewEncoder(p.stdout)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return failed(e.Encode(v))
}

// checkOut makes sure, before hours of work, that results can be written to a
// directory. It creates nothing that stays.
func checkOut(dir string) error {
	if dir == "" {
		return errors.New(`--out "": want a directory`)
	}
	at := filepath.Clean(dir)
	for {
		info, err := os.Stat(at)
		if err == nil && !info.IsDir() {
			return fmt.Errorf("--out %s: %s is not a directory", dir, at)
		}
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			return fmt.Errorf("--out %s: %w", dir, err)
		}
		at = filepath.Dir(at)
	}
	f, err := os.CreateTemp(at, ".pintlab-*")
	if err != nil {
		return fmt.Errorf("--out %s: cannot write there: %w", dir, cause(err))
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// cause is an error of a file without the name, which is of no use to anyone if it
// is a temporary one.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// writeFile makes the file at path with what write puts into it: the whole file
// or nothing. What is there already and no ordinary file, such as a pipe or a terminal, is
// written to as it stands.
func writeFile(path string, write func(io.Writer) error) (err error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		if err := errors.Join(write(f), f.Close()); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".pintlab-*")
	if err != nil {
		return fmt.Errorf("%s: cannot write there: %w", path, cause(err))
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	if err := errors.Join(write(f), f.Close()); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := os.Chmod(f.Name(), 0o644); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.Rename(f.Name(), path)
}
