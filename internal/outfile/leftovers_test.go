package outfile

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

// Leftovers returns the hidden files that ended processes of this machine left, except an old directory that nothing
// has replaced.
func TestLeftoversBelow(t *testing.T) {
	dir := t.TempDir()
	const dead = "999999999" // larger than every process number
	at := "@" + Hostname()
	names := map[string]bool{
		".run." + dead + at + ".partial":                      true,
		".run." + dead + at + ".old.partial":                  true,
		".only." + dead + at + ".old.partial":                 false,
		".run." + strconv.Itoa(os.Getpid()) + at + ".partial": false,
		".run." + dead + "@elsewhere.partial":                 false,
		".run.partial":                                        false,
		"run":                                                 false,
	}
	var want []string
	for name, left := range names {
		if err := os.MkdirAll(filepath.Join(dir, "a", name, "inner"), 0o777); err != nil {
			t.Fatal(err)
		}
		if left {
			want = append(want, filepath.Join(dir, "a", name))
		}
	}
	slices.Sort(want)
	for _, remove := range []bool{false, true} {
		if got, err := Leftovers(dir, remove); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
	}
	for name, left := range names {
		if _, err := os.Stat(filepath.Join(dir, "a", name)); (err == nil) == left {
			t.Errorf("%s: removed %v, want %v", name, err != nil, left)
		}
	}
}
