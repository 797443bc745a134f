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

// Options say how a Display shows itself. The zero value is one task, on a
// terminal if there is one, with a line every 5 s otherwise.
type Options struct {
	Quiet bool // show nothing; messages are still written

	Tasks int              // how many there will be in all, skipped ones included; 0 is 1
	Every time.Duration    // between lines; 0 is 5 s
	Now   func() time.Time // the clock; nil is time.Now
}

// Display shows the progress of some tasks on a writer.
type Display struct {
	w     io.Writer
	o     Options
	bars  *bars // nil where there is no terminal
	began time.Time

	// Never held while bars are called: their goroutines take it to draw.
	mu      sync.Mutex
	shown   time.Time // last line
	active  []*Task   // in the order of Begin
	ended   int
	skipped int
	closed  bool
	below   string // lines
}

// New begins a display on w, usually standard error. End it with Close.
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

// isTerminal reports whether w is a terminal that can move its cursor and has room
// for bars.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" {
		return false
	}
	width, height, err := cwriter.GetSize(int(f.Fd()))
	return err == nil && width >= 40 && height >= 3
}

// Task is a piece of work under way.
type Task struct {
	d     *Display
	name  string
	began time.Time
	bar   *bar // nil where there is no terminal

	share  float64 // these two under the display's lock
	detail string
}

// Begin starts a task. End it with End.
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

// Update reports that the share of the task, in [0, 1], is done. detail says in a
// few words where it is; it may be empty.
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

// End says that the task is over, whatever became of it. It may be called twice.
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

// Write writes a message: above the bars if there are any. It is for whole lines.
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

// Below shows lines below the bar of a terminal, in the place of those before, until Close. Elsewhere it
// writes the line instead, which says the same in short.
func (d *Display) Below(lines, line string) {
	if d.bars == nil && !d.o.Quiet {
		fmt.Fprintln(d, line)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.below = lines
}

// Close takes the bars away. The display may still be written to. Close may be
// called twice.
func (d *Display) Close() {
	d.mu.Lock()
	already := d.closed
	d.closed = true
	d.mu.Unlock()
	if d.bars != nil && !already {
		d.bars.close()
	}
}

// share returns how much of all tasks that need work is done.
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

// line returns the state in words.
func (d *Display) line(now time.Time) string {
	left := Left(d.share(), now.Sub(d.began))
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

// phrase joins what is not empty.
func phrase(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}
