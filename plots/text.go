package plots

import (
	"bufio"
	"io"
	"math"
	"pintlab/internal/number"
	"slices"
	"strconv"
	"strings"

	"github.com/mattn/go-runewidth"
)

// terminal measures text in the cells of a terminal, whatever the language of the
// environment.
var terminal = runewidth.Condition{StrictEmojiNeutral: true}

// Heads returns the headings for people: name and unit. Real numbers of bytes that are not all whole, of seconds and of
// bits per second have the prefix of the middle between the smallest and the largest, in logarithms.
func (t *Table) Heads() []string {
	heads := make([]string, len(t.columns))
	for i, c := range t.columns {
		c.Unit = t.prefix(i).Name
		heads[i] = c.Title()
	}
	return heads
}

// prefix returns the scale and the unit under which a column is shown.
func (t *Table) prefix(column int) number.Scale {
	lo, hi, whole := math.Inf(1), 0.0, true
	for _, v := range t.data[column].real {
		if finite(v) && v != 0 {
			lo, hi = min(lo, math.Abs(v)), max(hi, math.Abs(v))
			whole = whole && v == math.Trunc(v)
		}
	}
	unit := t.columns[column].Unit
	switch {
	case whole && unit == InBytes: // such as the size of a table: stays exact
		return number.Scale{By: 1, Name: unit}
	case hi == 0:
		lo = 0
	}
	return number.ScaleOf(math.Sqrt(lo)*math.Sqrt(hi), unit)
}

// Cells returns the rows as people read them: integers grouped in thousands from
// five digits on, the real numbers of a column with one count of decimals and in the
// unit that Heads names, a dash for a missing one. Exact has the full numbers.
func (t *Table) Cells() [][]string {
	out := make([][]string, t.rows)
	for r := range out {
		out[r] = make([]string, len(t.columns))
	}
	for c, col := range t.columns {
		show := func(r int) string { return t.data[c].text[r] }
		switch col.Kind {
		case Int:
			show = func(r int) string { return number.Group(strconv.FormatInt(t.data[c].whole[r], 10)) }
		case Float:
			values, scale := slices.Clone(t.data[c].real), t.prefix(c).By
			for i := range values {
				values[i] /= scale
			}
			format := number.Column(values)
			show = func(r int) string { return format(values[r]) }
		}
		for r := range out {
			out[r][c] = show(r)
		}
	}
	return out
}

// WriteText writes the table for a terminal: numbers to the right, text to the
// left, a rule under the headings.
func (t *Table) WriteText(w io.Writer) error {
	cells, width := t.layout(terminal.StringWidth)
	b := bufio.NewWriter(w)
	for i, row := range cells {
		line := ""
		for c, s := range row {
			if c > 0 {
				line += "  "
			}
			line += t.columns[c].pad(s, width[c])
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
		if i > 0 {
			continue
		}
		for c, n := range width {
			if c > 0 {
				b.WriteString("  ")
			}
			b.WriteString(strings.Repeat("─", n))
		}
		b.WriteByte('\n')
	}
	return b.Flush()
}

// Width returns how many columns of a terminal WriteText takes.
func (t *Table) Width() int {
	_, width := t.layout(terminal.StringWidth)
	sum := 2 * (len(width) - 1)
	for _, w := range width {
		sum += w
	}
	return sum
}

// WriteMarkdown writes the table in the pipe notation of Markdown, padded so that
// the source can be read too.
func (t *Table) WriteMarkdown(w io.Writer) error {
	// A delimiter cell has at least three characters.
	cells, width := t.layout(func(s string) int { return max(terminal.StringWidth(escapeMarkdown(s)), 3) })
	b := bufio.NewWriter(w)
	for i, row := range cells {
		for c, s := range row {
			b.WriteString("| " + t.columns[c].pad(escapeMarkdown(s), width[c]) + " ")
		}
		b.WriteString("|\n")
		if i > 0 {
			continue
		}
		for c, n := range width {
			if t.columns[c].Kind == String {
				b.WriteString("| " + strings.Repeat("-", n) + " ")
			} else {
				b.WriteString("| " + strings.Repeat("-", n-1) + ": ")
			}
		}
		b.WriteString("|\n")
	}
	return b.Flush()
}

// layout returns the headings and the cells, and the width of each column.
func (t *Table) layout(widthOf func(string) int) (cells [][]string, width []int) {
	cells = append([][]string{t.Heads()}, t.Cells()...)
	width = make([]int, len(t.columns))
	for _, row := range cells {
		for c, s := range row {
			width[c] = max(width[c], widthOf(s))
		}
	}
	return cells, width
}

// pad fills a cell of a column up to a width: numbers on the left, text on the right.
func (c Column) pad(s string, width int) string {
	if c.Kind == String {
		return terminal.FillRight(s, width)
	}
	return terminal.FillLeft(s, width)
}

// escapeMarkdown keeps text from being read as markup.
var escapeMarkdown = strings.NewReplacer(`\`, `\\`, `|`, `\|`, `*`, `\*`, `_`, `\_`, "`", "\\`", `[`, `\[`, `]`, `\]`,
	`~`, `\~`, `<`, `&lt;`, `&`, `&amp;`).Replace
