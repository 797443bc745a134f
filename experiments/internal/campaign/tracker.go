package campaign

import (
	"fmt"
	"strings"
	"sync"

	"pintlab/internal/number"
	"pintlab/internal/progress"
)

// tracker shows the progress of a campaign. It weights each run by its work, because runs differ in length: if all
// counted equally, the estimate of the remaining time would be wrong.
type tracker struct {
	part  *Part
	total int     // number of runs, including existing ones
	all   float64 // work of the runs that must be made

	mu      sync.Mutex
	ended   int     // number of runs that have ended, including existing ones
	done    float64 // work of the runs that have ended
	running []*running
}

// running is a run in progress.
type running struct {
	label string
	work  float64
	share float64 // share of the run that is done
}

// newTracker returns a tracker of a campaign with `total` runs, of which `todo` have no result yet.
func newTracker(part *Part, total int, todo []*Run) *tracker {
	t := &tracker{part: part, total: total, ended: total - len(todo)}
	for _, r := range todo {
		t.all += r.work
	}
	return t
}

// begin adds a run to the display. update and end identify the run by the value that begin returns.
func (t *tracker) begin(r *Run) *running {
	t.mu.Lock()
	defer t.mu.Unlock()
	w := &running{label: r.Label, work: r.work}
	t.running = append(t.running, w)
	return w
}

func (t *tracker) update(w *running, share float64) {
	t.mu.Lock()
	w.share = share
	all, detail := t.state()
	t.mu.Unlock()
	t.part.update(all, detail)
}

func (t *tracker) end(w *running) {
	t.mu.Lock()
	for i, r := range t.running {
		if r == w {
			t.running = append(t.running[:i], t.running[i+1:]...)
			break
		}
	}
	t.ended++
	t.done += w.work
	all, detail := t.state()
	t.mu.Unlock()
	t.part.update(all, detail)
}

func (p *Part) update(share float64, detail string) {
	p.Task.Update((float64(p.Number)+share)/float64(p.Of), detail)
}

// state returns the share of the work that is done, and a description of the progress.
func (t *tracker) state() (share float64, detail string) {
	words := []string{fmt.Sprintf("%d of %s", t.ended, number.Count(t.total, "run"))}
	done := t.done
	for _, r := range t.running {
		done += r.work * r.share
		words = append(words, r.label+" "+progress.Percent(r.share))
	}
	if t.all == 0 {
		return 1, words[0]
	}
	return done / t.all, strings.Join(words, "; ")
}
