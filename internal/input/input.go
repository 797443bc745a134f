// Package input opens text that users name: files, pipes and devices of any size and
// content. It enforces a size limit, skips a UTF-8 byte-order mark, and refuses NUL
// bytes, so that a binary file causes one error and not one for each of its lines.
package input

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// Size limits by type of text, in bytes.
const (
	Settings = 1 << 20  // a campaign, a set of queries
	Document = 16 << 20 // a scenario, a distribution of sizes, a program
	Map      = 256 << 20
	Flows    = 1 << 30
)

// Open opens a text file. Reading fails after more than limit bytes and at a NUL; these
// errors do not name the file.
func Open(path string, limit int64) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return &file{text{r: f, limit: limit}, f}, nil
}

// Binary opens a file of any bytes. Reading fails after more than limit bytes.
func Binary(path string, limit int64) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{Limit(f, limit), f}, nil
}

// Limit returns a reader of any bytes, such as decompressed ones, that fails after more than limit bytes.
func Limit(r io.Reader, limit int64) io.Reader {
	return &text{r: r, limit: limit, begun: true, binary: true}
}

// Ranks returns the files of a trace that has one file per rank: for NAME.0.et, that file
// and NAME.1.et, NAME.2.et and so on, as far as they exist. It returns any other path
// unchanged.
func Ranks(path string) []string {
	files := []string{path}
	stem, ok := strings.CutSuffix(path, ".0.et")
	for ok {
		next := fmt.Sprintf("%s.%d.et", stem, len(files))
		if _, err := os.Stat(next); err != nil {
			break
		}
		files = append(files, next)
	}
	return files
}

// IsDir returns an error unless dir is a directory. of is the expected content of dir, such as "results", for the
// error.
func IsDir(dir, of string) error {
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: no such directory", dir)
	}
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s: want a directory of %s", dir, of)
	}
	return nil
}

// ReadFile reads a whole text file under the same rules as Open. The error names the
// file.
func ReadFile(path string, limit int64) ([]byte, error) { return readAll(Open, path, limit) }

// ReadBinary reads a whole file under the same rules as Binary. The error names the file.
func ReadBinary(path string, limit int64) ([]byte, error) { return readAll(Binary, path, limit) }

func readAll(open func(string, int64) (io.ReadCloser, error), path string, limit int64) ([]byte, error) {
	f, err := open(path, limit)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	var rule ruleError
	if errors.As(err, &rule) {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return data, err
}

// LineError returns the error of a bufio.Scanner that reads lines of at most longest bytes. A longer line has an error
// with this limit in place of the scanner's words about tokens.
func LineError(err error, longest int) error {
	if errors.Is(err, bufio.ErrTooLong) {
		return ruleError(fmt.Sprintf("line longer than %d bytes", longest))
	}
	return err
}

// ruleError is a rule of this package that the text breaks.
type ruleError string

func (e ruleError) Error() string { return string(e) }

type file struct {
	text
	f *os.File
}

func (f *file) Close() error { return f.f.Close() }

// text is a reader that enforces the rules on the text that passes through it.
type text struct {
	r      io.Reader
	limit  int64
	read   int64  // bytes read from r so far
	head   []byte // first bytes of the text, read ahead to look for the byte-order mark
	begun  bool
	binary bool // any byte is accepted
	err    error
}

// mark is the UTF-8 byte-order mark.
var mark = []byte("\xef\xbb\xbf")

func (t *text) Read(p []byte) (int, error) {
	if !t.begun {
		t.begun = true
		t.head = make([]byte, len(mark))
		n, err := io.ReadFull(t.r, t.head)
		t.head = bytes.TrimPrefix(t.head[:n], mark)
		if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
			t.err = err
		}
	}
	if t.err != nil {
		return 0, t.err
	}
	n, err := copy(p, t.head), error(nil)
	t.head = t.head[n:]
	if n == 0 {
		n, err = t.r.Read(p)
	}
	if at := bytes.IndexByte(p[:n], 0); at >= 0 && !t.binary {
		n, t.err = 0, ruleError(fmt.Sprintf("not text: a NUL at byte %d", t.read+int64(at)))
		return n, t.err
	}
	if t.read += int64(n); t.read > t.limit {
		t.err = ruleError(fmt.Sprintf("more than %d bytes, which is the limit", t.limit))
		return 0, t.err
	}
	return n, err
}
