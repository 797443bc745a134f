package progress

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/cwriter"
)

// Options configure a Display. The zero value shows one task, with bars on a terminal and
// with a line every 5 s elsewhere.
type Options struct {
	Quiet bool // show nothing; messages are still written

	Tasks int              // number of tasks, including skipped ones; 0 is 1
	Every time.Duration    // between lines; 0 is 5 s
	Now   func() time.Time // clock; nil is time.Now
}

// Display shows the progress of some tasks on a writer.
type Display struct {
	w     io.Writer
	o     Options
	bars  *bars // nil if w is no terminal
	began time.Time

	// mu is never held during a call to bars, because the goroutines of bars lock it to
	// draw.
	mu      sync.Mutex
	shown   time.Time // time of the last line
	active  []*Task   // in order of Begin
	ended   int
	skipped int
	closed  bool
	below   string // lines below the bar
}

// New makes a display on w, usually standard error. Call Close at the end.
func New(w io.Writer, o Options) *Display {
	return newDisplay(w, o, !o.Quiet && isTerminal(w))
}

func newDisplay(w io.Writer, o Options, terminal bool, more ...mpb.ContainerOption) *Display {
	o.Tasks = max(o.Tasks, 1)
	o.Every = cmp.Or(o.Every, 5*time.Second)
	if o.Now == nil {
		o.Now = time.Now
	}
	d := &Display{w: w, o: o, began: o.Now()}
	d.shown = d.began
	if terminal {
		d.bars = newBars(w, d, more...)
	}
	return d
}

// isTerminal reports whether w is a terminal with a movable cursor and enough room for
// bars.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" {
		return false
	}
	width, height, err := cwriter.GetSize(int(f.Fd()))
	return err == nil && width >= 40 && height >= 3
}

// Task is a running piece of work.
type Task struct {
	d     *Display
	name  string
	began time.Time
	bar   *bar // nil if there is no terminal

	share  float64 // share and detail are guarded by the display's lock
	detail string
}

// Begin starts a task. Call End when it is over.
func (d *Display) Begin(name string) *Task {
	t := &Task{d: d, name: name, began: d.o.Now()}
	if d.bars != nil {
		t.bar = d.bars.add(t)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.active = append(d.active, t)
	return t
}

// Do shows a task while f does it. A finished task is at 100 %.
func (d *Display) Do(name string, f func(*Task) error) error {
	t := d.Begin(name)
	defer t.End()
	err := f(t)
	if err == nil {
		t.Update(1, "")
	}
	return err
}

// Update sets the share of the task that is done, in [0, 1]. detail describes the present
// state in a few words; it may be empty.
func (t *Task) Update(share float64, detail string) {
	d, share := t.d, min(max(share, 0), 1)
	d.mu.Lock()
	t.share, t.detail = share, detail
	if now := d.o.Now(); t.bar == nil && !d.o.Quiet && !d.closed && now.Sub(d.shown) >= d.o.Every {
		d.shown = now
		fmt.Fprintln(d.w, d.line(now))
	}
	d.mu.Unlock()
	if t.bar != nil {
		t.bar.set(share)
		d.bars.moveTotal()
	}
}

// End ends the task, whether it succeeded or not. It may be called twice.
func (t *Task) End() {
	d := t.d
	d.mu.Lock()
	i := slices.Index(d.active, t)
	if i >= 0 {
		d.active = slices.Delete(d.active, i, i+1)
		d.ended++
	}
	d.mu.Unlock()
	if t.bar != nil && i >= 0 {
		t.bar.drop()
		d.bars.moveTotal()
	}
}

// Write writes whole lines, above the bars if there are any.
func (d *Display) Write(p []byte) (int, error) {
	if d.bars != nil {
		if n, err := d.bars.p.Write(p); !errors.Is(err, mpb.ErrDone) {
			return n, err
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.w.Write(p)
}

// Below replaces the lines below a terminal's bar. Without a terminal, it writes line, a summary of the lines, once.
func (d *Display) Below(lines, line string) {
	if d.bars == nil && !d.o.Quiet {
		fmt.Fprintln(d, line)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.below = lines
}

// Close removes the bars. The display can still be written to. Close may be called twice.
func (d *Display) Close() {
	d.mu.Lock()
	already := d.closed
	d.closed = true
	d.mu.Unlock()
	if d.bars != nil && !already {
		d.bars.close()
	}
}

// share returns the share of the work that is done, over all tasks that are not skipped.
func (d *Display) share() float64 {
	work := d.o.Tasks - d.skipped
	if work <= 0 {
		return 1
	}
	sum := float64(d.ended)
	for _, t := range d.active {
		sum += t.share
	}
	return min(sum/float64(work), 1)
}

// line returns the progress as a line of text.
func (d *Display) line(now time.Time) string {
	left := left(d.share(), now.Sub(d.began))
	if d.o.Tasks == 1 && len(d.active) == 1 {
		t := d.active[0]
		return fmt.Sprintf("%s: %s", t.name, phrase(Percent(t.share), t.detail, left))
	}
	var running []string
	for _, t := range d.active {
		running = append(running, t.name+" "+Percent(t.share))
	}
	return phrase(fmt.Sprintf("%d of %d done", d.ended+d.skipped, d.o.Tasks), left, strings.Join(running, ", "))
}

// phrase joins the non-empty parts with commas.
func phrase(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}
