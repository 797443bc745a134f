package progress

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vbauerster/mpb/v8"
)

// clock is a clock that a test moves.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time          { return c.now }
func (c *clock) advance(d time.Duration) { c.now = c.now.Add(d) }

func TestLinesOfOneTask(t *testing.T) {
	var out bytes.Buffer
	c := &clock{}
	d := New(&out, Options{Now: c.Now, Every: 5 * time.Second})
	task := d.Begin("web")
	for i := 1; i <= 10; i++ {
		c.advance(2 * time.Second)
		task.Update(float64(i)/20, fmt.Sprintf("%d ms", i))
	}
	task.End()
	d.Close()
	const want = `web: 15 %, 3 ms, about 34 s left
web: 30 %, 6 ms, about 28 s left
web: 45 %, 9 ms, about 22 s left
`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", &out, want)
	}
}

func TestLinesOfSeveralTasks(t *testing.T) {
	var out bytes.Buffer
	c := &clock{}
	d := New(&out, Options{Now: c.Now, Tasks: 5})
	d.Skip(1)
	a, b := d.Begin("a"), d.Begin("b")
	c.advance(4 * time.Second)
	b.Update(0.25, "unseen")
	c.advance(4 * time.Second)
	a.Update(0.75, "")
	a.End()
	a.End()
	c.advance(5 * time.Second)
	b.Update(1, "")
	d.Close()
	c.advance(time.Hour)
	b.Update(1, "")
	// The estimate does not count the skipped task: a and b have done the work of one of four tasks after 8 s, and of
	// two after 13 s.
	const want = `1 of 5 done, about 24 s left, a 75 %, b 25 %
2 of 5 done, about 13 s left, b 100 %
`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", &out, want)
	}
}

func TestQuiet(t *testing.T) {
	var out bytes.Buffer
	c := &clock{}
	d := New(&out, Options{Quiet: true, Now: c.Now})
	task := d.Begin("web")
	c.advance(time.Hour)
	task.Update(0.5, "")
	fmt.Fprintln(d, "a message")
	d.Close()
	if got := out.String(); got != "a message\n" {
		t.Errorf("got %q", got)
	}
}

// Several goroutines move and remove bars, and messages are written whole.
func TestBars(t *testing.T) {
	var out bytes.Buffer
	tick := make(chan any)
	d := newDisplay(&out, Options{Tasks: 3}, true, mpb.WithManualRefresh(tick), mpb.WithWidth(100))
	var group sync.WaitGroup
	for _, name := range []string{"left", "right"} {
		task := d.Begin(name)
		group.Go(func() {
			for i := range 100 {
				task.Update(float64(i)/100, name+" detail")
			}
			fmt.Fprintf(d, "message of %s\n", name)
		})
	}
	group.Wait()
	tick <- time.Now()
	tick <- time.Now()
	done := d.Begin("done")
	done.End()
	d.Close()
	d.Close()
	io.WriteString(d, "after\n")
	for _, want := range []string{"message of left\n", "message of right\n", "left 99 %", "right 99 %", "left detail",
		"all", "66 %"} {
		if !strings.Contains(squeeze(out.String()), want) {
			t.Errorf("%q is missing in\n%s", want, &out)
		}
	}
	if !strings.HasSuffix(out.String(), "after\n") {
		t.Errorf("the message after the end is not at the end:\n%q", &out)
	}
}

// The bar keeps its position on a terminal of 80 columns, whatever texts are shown.
func TestBarOnNarrowTerminal(t *testing.T) {
	var out bytes.Buffer
	tick := make(chan any)
	d := newDisplay(&out, Options{}, true, mpb.WithManualRefresh(tick), mpb.WithWidth(80))
	task := d.Begin("fat320-web-pint, seed 1")
	task.Update(0.5, "123456 of 326734 flows, 100.25 ms simulated, 6190.0 M packet-hops")
	tick <- time.Now()
	tick <- time.Now()
	task.End()
	d.Close()
	if !regexp.MustCompile(`fat320-web-pint, seed 1 +50 % \[=+>-+\] 123456 of 326734.*…`).MatchString(out.String()) {
		t.Errorf("no bar next to a text that is cut:\n%q", &out)
	}
}

// squeeze replaces each run of blanks by one blank.
func squeeze(s string) string {
	for strings.Contains(s, "  ") {
		s = strings.ReplaceAll(s, "  ", " ")
	}
	return s
}

func TestLeft(t *testing.T) {
	for _, c := range []struct {
		share float64
		spent time.Duration
		want  string
	}{
		{0, time.Hour, ""},
		{1, time.Hour, ""},
		{0.5, 500 * time.Millisecond, ""},
		{0.005, 9 * time.Second, ""},
		{0.005, 10 * time.Second, "about 34 min left"},
		{0.5, 40 * time.Second, "about 40 s left"},
		{0.25, time.Hour, "about 3 h 0 min left"},
		{1e-9, time.Hour, "more than a year left"},
	} {
		got := left(c.share, c.spent)
		if got != c.want {
			t.Errorf("Left(%v, %v) = %q, want %q", c.share, c.spent, got, c.want)
		}
	}
}

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0:                                "0 s",
		time.Millisecond:                 "1 s",
		59 * time.Second:                 "59 s",
		60 * time.Second:                 "1 min 0 s",
		599 * time.Second:                "9 min 59 s",
		600 * time.Second:                "10 min",
		3540*time.Second + time.Second/2: "60 min",
		3600 * time.Second:               "1 h 0 min",
		27 * time.Hour:                   "27 h 0 min",
	} {
		if got := duration(d); got != want {
			t.Errorf("Duration(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestPercentIsFullOnlyAtTheEnd(t *testing.T) {
	for share, want := range map[float64]string{0: "0 %", 0.999999: "99 %", 1: "100 %"} {
		if got := Percent(share); got != want {
			t.Errorf("Percent(%v) = %q, want %q", share, got, want)
		}
	}
}

// A task that succeeds ends at 100 %, even if it did not report its last step. A task that fails does not.
func TestFinishedTaskIsFull(t *testing.T) {
	var out bytes.Buffer
	d := New(&out, Options{Every: 1})
	for _, want := range []error{nil, errors.New("lost")} {
		if err := d.Do("web", func(*Task) error { return want }); err != want {
			t.Errorf("error %v, want %v", err, want)
		}
	}
	if out.String() != "web: 100 %\n" {
		t.Error(&out)
	}
}

// Results so far appear as one line without a terminal, and as lines below the bar on a terminal.
func TestBelow(t *testing.T) {
	var out bytes.Buffer
	d := New(&out, Options{})
	d.Below("a\nb\n", "in short")
	if d.Close(); out.String() != "in short\n" {
		t.Errorf("wrote %q", &out)
	}
	out.Reset()
	tick := make(chan any)
	d = newDisplay(&out, Options{}, true, mpb.WithManualRefresh(tick), mpb.WithWidth(60))
	task := d.Begin("runs")
	d.Below("scheme  time\nPINT    1\n", "in short")
	task.Update(0.5, "")
	tick <- time.Now()
	tick <- time.Now()
	task.End()
	d.Close()
	if s := out.String(); !strings.Contains(s, "scheme  time\n") || !strings.Contains(s, "PINT    1\n") ||
		strings.Contains(s, "in short") {
		t.Errorf("drew %q", s)
	}
}
