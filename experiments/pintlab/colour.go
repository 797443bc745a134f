package pintlab

import (
	"io"
	"os"
	"regexp"
	"runtime"
	"strings"

	"github.com/vbauerster/mpb/v8/cwriter"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/plots"
	"pintlab/plots/report"
)

// An ink is a colour or weight of text, as a parameter of ECMA-48's SGR.
type ink string

const (
	heading ink = "1"  // bold
	unsure  ink = "2"  // faint
	good    ink = "36" // cyan, legible on black and on white
	bad     ink = "33" // yellow
)

// outcomes maps verdicts to their inks.
var outcomes = map[figure.Verdict]ink{figure.Holds: good, figure.Fails: bad}

// coloured reports whether w is a terminal that shows colours and NO_COLOR (no-color.org) is not set.
func coloured(w io.Writer) bool {
	f, ok := w.(*os.File)
	term := os.Getenv("TERM")
	return ok && os.Getenv("NO_COLOR") == "" && term != "" && term != "dumb" && runtime.GOOS != "windows" &&
		cwriter.IsTerminal(int(f.Fd()))
}

// widthOf returns the number of columns of the terminal w, or 0 if w is not a terminal.
func widthOf(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok || !cwriter.IsTerminal(int(f.Fd())) {
		return 0
	}
	width, _, err := cwriter.GetSize(int(f.Fd()))
	if err != nil || width < 40 {
		return 0
	}
	return width
}

// paint colours a text if standard output shows colours.
func (p *program) paint(text string, i ink) string {
	if !p.stdout.coloured || text == "" || i == "" {
		return text
	}
	return "\x1b[" + string(i) + "m" + text + "\x1b[0m"
}

func (p *program) printTable(t *plots.Table) { p.printf("%s", p.tableText(t)) }

func (p *program) printTables(tables []report.Table) {
	for _, t := range tables {
		p.printf("%s\n", t.Caption)
		p.printTable(t.Table)
		p.printf("\n")
	}
}

func (p *program) tableText(t *plots.Table) string {
	var b strings.Builder
	p.stdout.keep(t.WriteText(&b))
	head, rows, _ := strings.Cut(b.String(), "\n")
	return p.paint(head, heading) + "\n" + rows
}

// change matches a change with its interval in an answer.
var change = regexp.MustCompile(`([-+])[0-9.]+ % \(([-+])[0-9.]+ to ([-+])[0-9.]+\)`)

// paintChanges colours changes of times. A decrease is good, and a change whose interval contains 0 is printed faintly.
func (p *program) paintChanges(text string) string {
	return change.ReplaceAllStringFunc(text, func(s string) string {
		signs := change.FindStringSubmatch(s)
		switch lo, hi := signs[2], signs[3]; {
		case lo != hi:
			return p.paint(s, unsure)
		case hi == "-":
			return p.paint(s, good)
		}
		return p.paint(s, bad)
	})
}
