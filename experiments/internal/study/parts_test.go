package study

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pintlab/experiments/internal/campaign"
)

// A unit of work is done once for each question, and the next job does not repeat it. A unit that fails is done again,
// and a file that was changed does not count as an answer.
func TestPart(t *testing.T) {
	dir := t.TempDir()
	job := func() *Job { return &Job{Campaign: campaign.Options{Dir: filepath.Join(dir, "runs")}} }
	done := 0
	do := func(answer []float64, err error) func() ([]float64, error) {
		return func() ([]float64, error) { done++; return answer, err }
	}
	type question struct{ Seed uint64 }
	if _, err := Part(job(), "doc/toy", question{1}, do(nil, errors.New("out of luck"))); err == nil {
		t.Fatal("no error")
	}
	for range 2 {
		got, err := Part(job(), "doc/toy", question{1}, do([]float64{0.1, 2}, nil))
		if err != nil || len(got) != 2 || got[0] != 0.1 || got[1] != 2 {
			t.Fatalf("%v, %v", got, err)
		}
	}
	if _, err := Part(job(), "doc/toy", question{2}, do([]float64{3}, nil)); err != nil || done != 3 {
		t.Errorf("done %d times (%v), want 3: one failure and two questions", done, err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "parts", "toy-*.json"))
	if err != nil || len(files) != 2 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(strings.Replace(string(text), "3", "4", 1)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Part(job(), "doc/toy", question{2}, do(nil, nil)); err == nil ||
		!strings.Contains(err.Error(), "was changed after it was written") {
		t.Errorf("a changed file: %v", err)
	}
	// Without a directory, no answers are stored.
	done = 0
	for range 2 {
		if _, err := Part(&Job{}, "doc/toy", question{1}, do(nil, nil)); err != nil {
			t.Fatal(err)
		}
	}
	if done != 2 {
		t.Errorf("done %d times without a directory", done)
	}
}
