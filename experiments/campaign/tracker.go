package campaign

import (
	"fmt"
	"strings"
	"sync"

	"pintlab/internal/progress"
)

// tracker shows a campaign as one piece of work, in which each run counts as much
// as it takes: the estimate of the time left would be far off if a run of a second
// counted like one of a minute.
type tracker struct {
	part  *Part
	total int     // runs, those that were there already included
	all   float64 // work of the runs that are left

	mu      sync.Mutex
	ended   int     // runs
	done    float64 // work of the runs that have ended
	running []*running
}

// running is a run under way.
type running struct {
	label string
	work  float64
	share float64 // done
}

// newTracker begins with so many runs that need no work.
func newTracker(part *Part, total int, todo []*Run) *tracker {
	t := &tracker{part: part, total: total, ended: total - len(todo)}
	for _, r := range todo {
		t.all += r.work()
	}
	return t
}

// begin adds a run. The result is for update and end.
func (t *tracker) begin(r *Run) *running {
	t.mu.Lock()
	defer t.mu.Unlock()
	w := &running{label: r.Label, work: r.work()}
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

// state returns the share of all work that is done, and what is going on.
func (t *tracker) state() (share float64, detail string) {
	words := []string{fmt.Sprintf("%d of %d runs", t.ended, t.total)}
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
