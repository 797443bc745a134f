package pintlab

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"pintlab/experiments/results/columns"
	"pintlab/internal/outfile"
)

// output is standard output. It keeps the first error, so callers of printf need not check for errors.
type output struct {
	w        io.Writer
	err      error
	coloured bool   // whether the terminal shows colours
	width    int    // width of the terminal, to which text is fitted; with 0, text is not fitted
	begun    []byte // beginning of an incomplete line
}

func (o *output) Write(p []byte) (int, error) {
	if o.err != nil || o.width == 0 {
		return o.write(p)
	}
	o.begun = append(o.begun, p...)
	ends := bytes.LastIndexByte(o.begun, '\n') + 1
	text := fit(string(o.begun[:ends]), o.width)
	o.begun = append([]byte{}, o.begun[ends:]...)
	_, err := o.write([]byte(text))
	return len(p), err
}

func (o *output) write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.w.Write(p)
	o.err = err
	return n, err
}

// raw returns a writer that leaves the following output unchanged. It is for documents that other programs read.
func (o *output) raw() io.Writer {
	o.flush()
	o.width = 0
	return o
}

// flush writes the last line if it is incomplete.
func (o *output) flush() {
	o.write(o.begun)
	o.begun = nil
}

func (o *output) failure() error {
	if o.err == nil {
		return nil
	}
	return failed(fmt.Errorf("standard output: %w", o.err))
}

// keep records an error as if a write had failed.
func (o *output) keep(err error) { o.err = cmp.Or(o.err, err) }

func (p *program) printf(format string, args ...any) { fmt.Fprintf(p.stdout, format, args...) }

// printJSON prints a document. Lists without elements are printed as [], even if they are nil, unless they are omitted.
func (p *program) printJSON(v any) error {
	e := json.NewEncoder(p.stdout.raw())
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return failed(e.Encode(withLists(reflect.ValueOf(v)).Interface()))
}

// withLists returns a copy of a value in which nil slices are empty. It does not change values of types that encode
// themselves.
func withLists(v reflect.Value) reflect.Value {
	if !v.IsValid() || v.Type().Implements(reflect.TypeFor[json.Marshaler]()) ||
		v.Type().Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
		return v
	}
	to := reflect.New(v.Type()).Elem()
	to.Set(v)
	switch v.Kind() {
	case reflect.Slice:
		to.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			to.Index(i).Set(withLists(v.Index(i)))
		}
	case reflect.Map:
		if !v.IsNil() {
			to.Set(reflect.MakeMap(v.Type()))
		}
		for key, value := range v.Seq2() {
			to.SetMapIndex(key, withLists(value))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			omitted := v.Field(i).IsZero() && strings.Contains(v.Type().Field(i).Tag.Get("json"), ",omitzero")
			if to.Field(i).CanSet() && !omitted {
				to.Field(i).Set(withLists(v.Field(i)))
			}
		}
	case reflect.Interface:
		if !v.IsNil() {
			to.Set(withLists(v.Elem()))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			to.Set(reflect.New(v.Type().Elem()))
			to.Elem().Set(withLists(v.Elem()))
		}
	}
	return to
}

// show prints v as JSON with --json. Otherwise it calls text, which prints the same for people. If v covers only a
// part of its input (packets.Partial), show prints it and then returns an error with exit code 1.
func (p *program) show(o *options, v any, text func()) (err error) {
	if o.json {
		err = p.printJSON(v)
	} else {
		text()
	}
	if part, is := v.(interface{ Incomplete() error }); is {
		err = errors.Join(err, failed(part.Incomplete()))
	}
	return err
}

// An answer is a result with a text for people.
type answer interface{ Text() (string, error) }

// showAnswer prints an answer as JSON with --json, and otherwise its text.
func (p *program) showAnswer(o *options, a answer) error {
	return p.show(o, a, func() { p.print(a.Text()) })
}

// print prints a text, or keeps its error.
func (p *program) print(text string, err error) {
	p.stdout.keep(err)
	p.printf("%s", text)
}

// printRows prints a slice of structs as a table.
func (p *program) printRows(rows any) {
	var t columns.Text
	t.Rows(rows)
	p.print(t.Done())
}

// checkOut checks before a long run that a directory is writable. It leaves no files.
func checkOut(dir string) error {
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
	f, err := outfile.Create(filepath.Join(at, ".pintlab-writable")) // pintlab may be a clone of it
	if err != nil {
		return fmt.Errorf("--out %s: cannot write there: %w", dir, errors.Unwrap(err))
	}
	return f.Abort()
}
