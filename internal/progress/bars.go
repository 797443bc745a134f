package progress

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/mattn/go-runewidth"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// steps is the number of steps of a bar that stand for finished work. A bar has one step more.
const steps = 1000

// leastBar is the width that a bar with its blanks keeps on a narrow terminal, in columns.
const leastBar = 16

// bars draws a display on a terminal: a bar for each running task and, if there are
// several tasks, a bar for the total below them.
type bars struct {
	d     *Display
	p     *mpb.Progress
	total *bar // nil if there is only one task

	mu   sync.Mutex
	open map[*bar]bool

	moving sync.Mutex // held while the total bar moves, so that it never moves back
}

type bar struct {
	all *bars
	b   *mpb.Bar
}

func newBars(w io.Writer, d *Display, more ...mpb.ContainerOption) *bars {
	s := &bars{d: d, p: mpb.New(append(more, mpb.WithOutput(w))...), open: map[*bar]bool{}}
	if d.o.Tasks > 1 {
		s.total = s.new("all", mpb.BarPriority(math.MaxInt), func() string {
			return left(d.share(), d.o.Now().Sub(d.began))
		})
	}
	return s
}

// add makes the bar of a task. If it is the only task, the bar also shows the time left.
func (s *bars) add(t *Task) *bar {
	return s.new(t.name, nil, func() string {
		if s.total != nil {
			return t.detail
		}
		return phrase(t.detail, left(t.share, s.d.o.Now().Sub(t.began)))
	})
}

// new makes a bar. It calls text with the display's lock held.
func (s *bars) new(name string, o mpb.BarOption, text func() string) *bar {
	percent := func(st decor.Statistics) string { return Percent(float64(st.Current) / steps) }
	after := func(st decor.Statistics) string {
		s.d.mu.Lock()
		defer s.d.mu.Unlock()
		// On a narrow terminal the text is cut to leave room for the bar.
		return runewidth.Truncate(text(), max(st.AvailableWidth-leastBar, 0), "…")
	}
	below := func(w io.Writer, st decor.Statistics) error {
		s.d.mu.Lock()
		defer s.d.mu.Unlock()
		for line := range strings.Lines(s.d.below) {
			if _, err := fmt.Fprintln(w, runewidth.Truncate(strings.TrimSuffix(line, "\n"), st.AvailableWidth,
				"…")); err != nil {
				return err
			}
		}
		return nil
	}
	b := &bar{all: s, b: s.p.AddBar(steps+1, o, mpb.BarWidth(30),
		mpb.BarOptional(mpb.BarExtender(mpb.BarFillerFunc(below), false), s.d.o.Tasks == 1),
		mpb.PrependDecorators(decor.Name(name, decor.WCSyncSpaceR), decor.Any(percent, decor.WCSyncSpace)),
		mpb.AppendDecorators(decor.Any(after)),
	)}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[b] = true
	return b
}

// set moves a bar. It never fills the bar, because the library closes a full bar.
func (b *bar) set(share float64) { b.b.SetCurrent(int64(share * steps)) }

// moveTotal moves the total bar to the display's present share.
func (s *bars) moveTotal() {
	if s.total == nil {
		return
	}
	s.moving.Lock()
	defer s.moving.Unlock()
	s.d.mu.Lock()
	share := s.d.share()
	s.d.mu.Unlock()
	s.total.set(share)
}

// drop removes a bar.
func (b *bar) drop() {
	b.all.mu.Lock()
	delete(b.all.open, b)
	b.all.mu.Unlock()
	b.b.Abort(true)
}

// close removes all bars and waits until the terminal is clean.
func (s *bars) close() {
	s.mu.Lock()
	open := slices.Collect(maps.Keys(s.open))
	s.mu.Unlock()
	for _, b := range open {
		b.drop()
	}
	s.p.Wait()
}
