//go:build unix

package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pintlab/experiments/scenario"
)

// program writes a shell script that appends its name to a log and then runs the given commands.
func program(t *testing.T, dir, name, does string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path,
		[]byte("#!/bin/sh\necho "+name+" \"$@\" >> "+filepath.Join(dir, "log")+"\n"+does), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// says returns a script that prints the JSON of a run.
func says(hops int, fingerprint string) string {
	return fmt.Sprintf(
		`echo '{"packet_hops": %d, "fingerprint": "%s", "peak_memory_bytes": 2000000, "cpu_seconds": 99}'`, hops,
		fingerprint)
}

// calls returns the words of each call in the log.
func calls(t *testing.T, dir string) (list [][]string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		list = append(list, strings.Fields(line))
	}
	return list
}

func works(t *testing.T, names ...string) []Work {
	t.Helper()
	list, err := Choose(names)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// The programs take turns in running first.
func TestPairsAlternate(t *testing.T) {
	dir := t.TempDir()
	c := Config{This: program(t, dir, "new", says(1000, "a")), Other: program(t, dir, "old", says(1000, "a")),
		Works: works(t, "perm128"), Pairs: 3}
	results, err := Measure(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, c := range calls(t, dir) {
		order = append(order, c[0])
		if got := strings.Join(c[1:6], " "); got != "run perm128 --quiet --json --out" {
			t.Errorf("called with %s", got)
		}
		if _, err := os.Stat(c[6]); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("results are left in %s", c[6])
		}
	}
	if got := strings.Join(order, " "); got != "new old old new new old" {
		t.Errorf("order %s", got)
	}
	r := results[0]
	if len(results) != 1 || r.Pairs != 3 || r.Note != "" || r.Memory != 2 || r.OtherMemory != 2 ||
		r.Level != 0.75 || !(r.Least <= r.Ratio && r.Ratio <= r.Most) {
		t.Errorf("%+v", results)
	}
	if p := r.Runs[0].This; p.CPUSeconds == 99 || p.WallSeconds <= 0 {
		t.Errorf("%+v: want times of the process, not what it says of itself", p)
	}
}

// If a work sets `against`, this program runs on both sides, with different arguments. A work may count time on the
// clock.
func TestOneProgram(t *testing.T) {
	dir := t.TempDir()
	c := Config{This: program(t, dir, "new", "sleep 0.01\n"+says(1000, "a")), Other: filepath.Join(dir, "none"),
		Works: works(t, "workers-2/1"), Pairs: 1}
	results, err := Measure(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(calls(t, dir)[0][1:5],
		calls(t, dir)[1][1:3]); got != "[run fat320-web --workers 2] [run fat320-web]" {
		t.Errorf("calls %s", got)
	}
	if r := results[0]; r.Speed <= 0 || r.Speed > 0.1 { // 1000 packet-hops in 10 ms or more
		t.Errorf("%v M packet-hops per second of the clock", r.Speed)
	}
}

func TestNotes(t *testing.T) {
	dir := t.TempDir()
	good, other := program(t, dir, "good", says(1000, "a")), program(t, dir, "other", says(1000, "b"))
	bad, silent := program(t, dir, "bad", "echo 'pintlab: no preset perm128\nmore' >&2; exit 2"),
		program(t, dir, "silent", "true")
	for _, c := range []struct {
		this, other, note, err string
		pairs                  int
	}{
		{good, other, "the records differ", "", 2},
		{good, bad, "the other program fails: no preset perm128", "", 0},
		{good, silent, "the other program fails: its output is not the JSON of a run", "", 0},
		{bad, good, "fails: no preset perm128", "perm128: no preset perm128", 0},
	} {
		results, err := Measure(t.Context(), Config{This: c.this, Other: c.other, Works: works(t, "perm128"), Pairs: 2})
		if (err == nil) != (c.err == "") || err != nil && err.Error() != c.err {
			t.Errorf("%v, want %q", err, c.err)
		}
		r := results[0]
		if r.Note != c.note || r.Pairs != c.pairs || math.IsNaN(float64(r.Ratio)) != (c.pairs == 0) {
			t.Errorf("%+v, want %+v", r, c)
		}
		if math.IsNaN(float64(r.Speed)) != (c.this == bad) {
			t.Errorf("speed %v of %s", r.Speed, c.this)
		}
	}
}

// After an interrupt, the results contain the works that have a complete pair, and only the complete pairs.
func TestInterrupt(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := Config{This: program(t, dir, "new", says(1000, "a")), Other: program(t, dir, "old", says(1000, "a")),
		Works: works(t, "perm128", "swift", "ndp"), Pairs: 2}
	c.Progress = func(work string, pair int) {
		if work == "swift" && pair == 1 {
			cancel()
		}
	}
	results, err := Measure(ctx, c)
	if !errors.Is(err, context.Canceled) || len(results) != 2 || results[0].Pairs != 2 || results[1].Pairs != 1 {
		t.Errorf("%v, %+v", err, results)
	}
}

func TestChoose(t *testing.T) {
	for _, bad := range [][]string{{"perm"}, {"perm128", "perm128"}, {""}} {
		if list, err := Choose(bad); err == nil {
			t.Errorf("%q: %v", bad, list)
		}
	}
	if list := works(t, "swift", "perm128"); len(list) != 2 || list[0].Name != "swift" || list[1].Name != "perm128" {
		t.Errorf("%+v", list)
	}
}

// All works are scenarios.
func TestWorks(t *testing.T) {
	for _, w := range Works() {
		for _, args := range [][]string{w.args, w.against} {
			if args == nil {
				continue
			}
			sets := slices.DeleteFunc(slices.Clone(args[1:]), func(s string) bool {
				return s == "--set" || !strings.Contains(s, "=")
			})
			if _, err := scenario.Open(args[0], sets...); err != nil {
				t.Errorf("%s: %v", w.Name, err)
			}
		}
	}
}
