package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"pintlab/experiments/results/columns"
	"pintlab/internal/outfile"
)

// output is standard output. It remembers the first failure, so that commands can
// print without looking.
type output struct {
	w        io.Writer
	err      error
	coloured bool // whether it shows colours
}

func (o *output) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.w.Write(p)
	o.err = err
	return n, err
}

func (o *output) failure() error {
	if o.err == nil {
		return nil
	}
	return failed(fmt.Errorf("standard output: %w", o.err))
}

// keep remembers an error as if writing had failed.
func (o *output) keep(err error) { o.err = cmp.Or(o.err, err) }

func (p *program) printf(format string, args ...any) { fmt.Fprintf(p.stdout, format, args...) }

func (p *program) printJSON(v any) error {
	e := json.NewEncoder(p.stdout)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return failed(e.Encode(v))
}

// show prints v as JSON if the flags ask for it, and else calls what prints it for people.
func (p *program) show(o *options, v any, text func()) error {
	if o.json {
		return p.printJSON(v)
	}
	text()
	return nil
}

// printRows prints a slice of structs as a table.
func (p *program) printRows(rows any) {
	t, err := columns.Of(rows)
	if err == nil {
		err = t.WriteText(p.stdout)
	}
	p.stdout.keep(err)
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
		if to, err := os.Readlink(at); err == nil {
			return fmt.Errorf("--out %s: %s is a link to %s, which does not exist", dir, at, to)
		}
		at = filepath.Dir(at)
	}
	f, err := outfile.Create(filepath.Join(at, "pintlab"))
	if err != nil {
		return fmt.Errorf("--out %s: cannot write there: %w", dir, errors.Unwrap(err))
	}
	return f.Abort()
}
