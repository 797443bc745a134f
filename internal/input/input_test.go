package input

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"pintlab/internal/errtest"
)

func TestText(t *testing.T) {
	for _, c := range []struct{ in, want, err string }{
		{"", "", ""},
		{"a", "a", ""},
		{"\xef\xbb\xbf", "", ""},
		{"\xef\xbb\xbfname: x", "name: x", ""},
		{"a\xef\xbb\xbf", "a\xef\xbb\xbf", ""}, // a byte-order mark counts only at the beginning
		{"0123456789", "0123456789", ""},
		{"0123456789a", "", "… 10 bytes, … limit"},
		{"\x00", "", "not text: a NUL at byte 0"},
		{"\xef\xbb\xbf012\x00", "", "not text: a NUL at byte 3"},
		{"0123456\x00", "", "not text: a NUL at byte 7"},
	} {
		for _, r := range []io.Reader{strings.NewReader(c.in), iotest.OneByteReader(strings.NewReader(c.in)),
			iotest.DataErrReader(strings.NewReader(c.in))} {
			got, err := io.ReadAll(&text{r: r, limit: 10})
			if c.err == "" && (err != nil || string(got) != c.want) || c.err != "" && (!errtest.Says(err, c.err)) {
				t.Errorf("%q: %q, %v; want %q, %s", c.in, got, err, c.want, c.err)
			}
		}
	}
	broken := errors.New("broken")
	if _, err := io.ReadAll(&text{r: iotest.ErrReader(broken), limit: 10}); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

// A source without an end is not read beyond the limit.
func TestLimitHoldsWhileReading(t *testing.T) {
	if _, err := io.ReadAll(&text{r: endless('a'), limit: 1 << 20}); !errtest.Says(err, "… 1048576 bytes, … limit") {
		t.Errorf("error %v", err)
	}
	if _, err := ReadFile("/dev/zero", 1<<40); !errors.Is(err, fs.ErrNotExist) &&
		(!errtest.Says(err, "/dev/zero: not text: a NUL at byte 0")) {
		t.Errorf("error %v", err)
	}
}

// endless is a source of one repeated letter.
type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}

func TestReadFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if _, err := ReadFile(path, 10); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	if err := os.WriteFile(path, []byte("\xef\xbb\xbfa: 1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadFile(path, 10); err != nil || string(got) != "a: 1\n" {
		t.Errorf("%q, %v", got, err)
	}
}
