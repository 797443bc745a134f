// Package input opens the text that users name: files, pipes and devices of any size and
// content. It reads no more than a limit, skips the UTF-8 byte-order mark that some editors
// put in front, and refuses what no text contains, so that a binary file costs one line and
// not one for each of its lines.
package input

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// Limits of the sorts of text, in bytes.
const (
	Settings = 1 << 20  // a campaign, a set of queries
	Document = 16 << 20 // a scenario, a distribution of sizes, a program
	Map      = 256 << 20
	Flows    = 1 << 30
)

// Open opens a text file. Reading it gives an error, which does not name the file, after
// more than limit bytes, and at a NUL.
func Open(path string, limit int64) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return &file{text{r: f, limit: limit}, f}, nil
}

// ReadFile reads a whole text file as Open does. The error names the file.
func ReadFile(path string, limit int64) ([]byte, error) {
	f, err := Open(path, limit)
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

// ruleError says what no text of ours may be.
type ruleError string

func (e ruleError) Error() string { return string(e) }

type file struct {
	text
	f *os.File
}

// Close implements io.Closer.
func (f *file) Close() error { return f.f.Close() }

// text is a reader that checks what passes.
type text struct {
	r     io.Reader
	limit int64
	read  int64  // bytes before the next of r
	head  []byte // of the text, read ahead to look for the mark
	begun bool
	err   error
}

// mark is the UTF-8 byte-order mark.
var mark = []byte("\xef\xbb\xbf")

// Read implements io.Reader.
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
	if at := bytes.IndexByte(p[:n], 0); at >= 0 {
		n, t.err = 0, ruleError(fmt.Sprintf("not text: a NUL at byte %d", t.read+int64(at)))
		return n, t.err
	}
	if t.read += int64(n); t.read > t.limit {
		t.err = ruleError(fmt.Sprintf("more than %d bytes, which is the limit", t.limit))
		return 0, t.err
	}
	return n, err
}
