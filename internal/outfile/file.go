package outfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// File is a file in the making. End with Commit, or Abort.
type File struct {
	f     *os.File
	temp  string // "": it is written to as it stands
	final string
	err   error // of the last write that failed
}

// Create begins the file at path. What is there already and no ordinary file, such as a pipe or
// a terminal, is written to as it stands.
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

// Commit gives the file its final name, in place of the one that is there.
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

// Write makes the file at path with what write puts into it: the whole file or nothing.
func Write(path string, write func(io.Writer) error) error {
	f, err := Create(path)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		if f.err != nil {
			err = f.err // libraries hand on its words alone
		}
		return errors.Join(fmt.Errorf("%s: %w", path, err), f.Abort())
	}
	return f.Commit()
}

// cause returns an error of a file without the name, which is of no use to anyone if it is a
// hidden one.
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
