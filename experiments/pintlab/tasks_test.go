package pintlab

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A task may die at any time, or at the byte at which a disk becomes full. Of every three tasks of a command, the test
// kills one at a random time, runs one twice at the same time, and limits the files of one to a random size. It then
// submits the tasks that --missing lists. In the end, the rows must have the same bytes as rows that were made on one
// machine.
func TestTasksDie(t *testing.T) {
	if testing.Short() {
		t.Skip("some 50 processes; needs go test without -short")
	}
	dir, sh := workdir(t)
	write(t, filepath.Join(dir, "sizes.yaml"),
		"name: sizes\nbase: two-flows\nvary: {\"workload.0.flows.0.size\": [5MB, 10MB, 15MB, 20MB]}\nseeds: 3\n")
	write(t, filepath.Join(dir, "estimates.yaml"),
		"name: estimates\nbase: incast16\nset: {estimate.enabled: true}\nvary: {\"workload.0.size\": [100KB, 200KB, "+
			"300KB]}\nseeds: 2\n")
	write(t, filepath.Join(dir, "links.yaml"),
		"topology: {kind: star, hosts: 9}\nworkload: [{kind: poisson, load: 0.5, duration: 500us}]\nrun: {outputs: "+
			"[flows.csv]}\nestimate: {enabled: true}\n")
	for _, tt := range []struct {
		command string
		tasks   int
		rows    []string
	}{
		{"sweep sizes.yaml", 12, []string{"sweep/sizes/rows.csv"}},
		{"sweep estimates.yaml", 6, []string{"sweep/estimates/rows.csv"}},
		{"reproduce hpcc/long-short fridge/fig2 hpcc/eta --scale smoke", 3,
			[]string{"hpcc/long-short/smoke/rows.csv", "fridge/fig2/smoke/rows.csv", "hpcc/eta/smoke/rows.csv"}},
		{"estimate links.yaml", 14, []string{"unnamed*/flows.csv"}},
	} {
		t.Run(strings.Join(strings.Fields(tt.command)[:2], " "), func(t *testing.T) {
			name := strings.NewReplacer(" ", "-", "/", "-").Replace(tt.command)
			rng := rand.New(rand.NewPCG(1, uint64(tt.tasks)))
			// begin starts the task with the given number, as a scheduler does.
			begin := func(index int, limit string, args ...string) *exec.Cmd {
				line := fmt.Sprintf("%sexec pintlab %s --out %s --workers 1 --quiet --task-from INDEX %s", limit,
					tt.command, name, strings.Join(args, " "))
				c := exec.Command("sh", "-c", line)
				c.Dir, c.Env = dir, append(os.Environ(), "INDEX="+strconv.Itoa(index))
				if err := c.Start(); err != nil {
					t.Fatal(err)
				}
				return c
			}
			sh(dir, fmt.Sprintf("pintlab %s --out %s-whole --quiet", tt.command, name))
			if got := missing(sh, dir, tt.command, name); got != fmt.Sprintf("0-%d", tt.tasks-1) {
				t.Fatalf("at first %q is missing", got)
			}
			died := 0
			for i := range tt.tasks {
				switch i % 3 {
				case 0:
					c := begin(i, "")
					time.Sleep(time.Duration(rng.Int64N(int64(300 * time.Millisecond))))
					c.Process.Kill() //nolint:errcheck // it may have ended
					if c.Wait() != nil {
						died++
					}
				case 1: // start two tasks with the same number; one may die at a byte of a file
					limit := ""
					if i%2 == 1 {
						limit = fmt.Sprintf("ulimit -f %d; ", rng.IntN(40))
					}
					a, b := begin(i, limit), begin(i, "")
					if a.Wait() != nil {
						died++
					}
					if err := b.Wait(); err != nil {
						t.Errorf("task %d together with another of its number: %v", i, err)
					}
				default: // dies at a byte
					if begin(i, fmt.Sprintf("ulimit -f %d; ", rng.IntN(40))).Wait() != nil {
						died++
					}
				}
			}
			if died == 0 {
				t.Error("no task died: the test shows little")
			}
			list := missing(sh, dir, tt.command, name)
			if list == "" {
				t.Fatal("nothing is missing")
			}
			for i := 0; ; i++ {
				var e *exec.ExitError
				if err := begin(i, "", "--tasks", list).Wait(); errors.As(err, &e) && e.ExitCode() == 2 {
					break // there is no such task
				} else if err != nil {
					t.Fatal(err)
				}
			}
			if list := missing(sh, dir, tt.command, name); list != "" {
				t.Fatalf("%s is missing after its tasks were made", list)
			}
			sh(dir, fmt.Sprintf("pintlab %s --out %s --quiet", tt.command, name))
			for _, r := range tt.rows {
				var text [2]string
				for i, out := range []string{name, name + "-whole"} {
					files, err := filepath.Glob(filepath.Join(dir, out, r))
					if err != nil || len(files) != 1 {
						t.Fatalf("%s has %d files %s: %v", out, len(files), r, err)
					}
					text[i] = readFile(t, files[0])
				}
				if text[0] != text[1] || text[0] == "" {
					t.Errorf("%s:\n%s\nwant\n%s", r, text[0], text[1])
				}
			}
			if left, _ := filepath.Glob(filepath.Join(dir, name, "*", ".*.partial")); len(left) > 0 {
				t.Errorf("%v are left", left)
			}
		})
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// missing returns the tasks that --missing lists.
func missing(sh func(dir, line string) string, dir, command, out string) string {
	return strings.TrimSpace(sh(dir, fmt.Sprintf("pintlab %s --out %s --missing", command, out)))
}
