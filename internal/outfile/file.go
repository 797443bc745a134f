package outfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// File is a file being written. Call Commit or Abort at the end.
type File struct {
	f     *os.File
	temp  string // hidden name; "" if Create opened the final file itself
	final string
	err   error // last write error
}

// Create creates a hidden file that Commit renames to path. If path is not a regular
// file, such as a pipe or a terminal, Create opens it directly.
func Create(path string) (*File, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		return &File{f: f, final: path}, nil
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s: cannot write there: it is a directory", path)
	}
	x := &File{final: path}
	var err error
	x.temp, err = begin(path, func(temp string) error {
		x.f, err = os.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: cannot write there: %w", path, cause(err))
	}
	return x, nil
}

func (x *File) Write(p []byte) (int, error) {
	n, err := x.f.Write(p)
	if err != nil {
		x.err = cause(err)
	}
	return n, err
}

// Commit renames the file to its final name and replaces an existing file.
func (x *File) Commit() error {
	err := x.f.Close()
	if err == nil && x.temp != "" {
		err = finish(x.temp, func() error { return os.Rename(x.temp, x.final) })
	}
	if err != nil {
		return fmt.Errorf("%s: %w", x.final, errors.Join(cause(err), drop(x.temp)))
	}
	return nil
}

// Abort removes the file. After Commit it does nothing, so it may be deferred.
func (x *File) Abort() error {
	x.f.Close()
	return drop(x.temp)
}

// Write creates a file and calls the function write to fill it. On an error, no file is left at path.
func Write(path string, write func(io.Writer) error) error {
	f, err := Create(path)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		if f.err != nil {
			err = f.err // libraries return only the text of f.err
		}
		return errors.Join(fmt.Errorf("%s: %w", path, err), f.Abort())
	}
	return f.Commit()
}

// cause strips the file name, which may be a hidden one, from an error of a file
// operation.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	var l *os.LinkError
	if errors.As(err, &l) {
		return l.Err
	}
	return err
}
