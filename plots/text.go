package plots

import (
	"bufio"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mattn/go-runewidth"

	"pintlab/internal/number"
)

// terminal measures text in the cells of a terminal. The language setting of the environment has no influence.
var terminal = runewidth.Condition{StrictEmojiNeutral: true}

// Heads returns the headings that people read: name and unit. A column of real numbers has a prefix if the unit is
// seconds or bits per second, or if it is bytes and not all numbers are whole. The prefix suits the geometric mean
// of the smallest and the largest number.
func (t *Table) Heads() []string {
	heads := make([]string, len(t.columns))
	for i, c := range t.columns {
		c.Unit = t.prefix(i).Name
		heads[i] = c.Title()
	}
	return heads
}

// prefix returns the scale and the unit with which a column is shown.
func (t *Table) prefix(column int) number.Scale {
	of, unit := &t.data[column], t.columns[column].Unit
	values := slices.Clone(of.real)
	for _, n := range of.whole {
		values = append(values, float64(n))
	}
	lo, hi, whole := math.Inf(1), 0.0, true
	for _, v := range values {
		if finite(v) && v != 0 {
			lo, hi = min(lo, math.Abs(v)), max(hi, math.Abs(v))
			whole = whole && v == math.Trunc(v)
		}
	}
	switch {
	case whole && unit == InBytes: // such as the size of a table, which is shown exactly
		return powerOfTwo(values)
	case t.columns[column].Kind == Int:
		return number.Scale{By: 1, Name: number.Unit(unit)}
	case hi == 0:
		lo = 0
	}
	return number.ScaleOf(math.Sqrt(lo)*math.Sqrt(hi), unit)
}

// powerOfTwo returns the largest of KiB, MiB and so on of which all sizes are multiples. It returns bytes if there is
// none, or if no size has fewer digits then.
func powerOfTwo(sizes []float64) number.Scale {
	unit, shorter := number.Scale{By: 1 << 50}, false
	for _, v := range sizes {
		if !finite(v) || v == 0 {
			continue
		}
		_, ok := number.Binary(v, 4)
		shorter = shorter || ok
		for unit.By > 1 && math.Mod(v, unit.By) != 0 {
			unit.By /= 1024
		}
	}
	if s, ok := number.Binary(unit.By, 1); ok && shorter {
		return s
	}
	return number.Scale{By: 1, Name: InBytes}
}

// Cells returns the rows as people read them. Integers of five or more digits are grouped in thousands. The real
// numbers of a column have the same number of decimals and the unit that Heads returns. A missing number is a dash.
// Exact returns the full numbers.
func (t *Table) Cells() [][]string {
	out := make([][]string, t.rows)
	for r := range out {
		out[r] = make([]string, len(t.columns))
	}
	for c, col := range t.columns {
		show := func(r int) string { return t.data[c].text[r] }
		switch col.Kind {
		case Int:
			by := int64(t.prefix(c).By)
			show = func(r int) string { return number.Group(strconv.FormatInt(t.data[c].whole[r]/by, 10)) }
		case Float:
			values, scale := slices.Clone(t.data[c].real), t.prefix(c).By
			for i := range values {
				values[i] /= scale
			}
			format := number.Column(values)
			show = func(r int) string { return t.data[c].marks[r] + format(values[r]) }
		}
		for r := range out {
			out[r][c] = show(r)
		}
	}
	return out
}

// WriteText writes the table for a terminal: numbers are right-aligned, text is left-aligned, and a line is under the
// headings.
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

// Width returns the number of columns of a terminal that WriteText needs.
func (t *Table) Width() int {
	_, width := t.layout(terminal.StringWidth)
	sum := 2 * (len(width) - 1)
	for _, w := range width {
		sum += w
	}
	return sum
}

// WriteMarkdown writes the table in the pipe notation of Markdown, padded so that the source is readable, too.
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

// pad fills a cell of a column up to a width. Numbers are right-aligned and text is left-aligned.
func (c Column) pad(s string, width int) string {
	if c.Kind == String {
		return terminal.FillRight(s, width)
	}
	return terminal.FillLeft(s, width)
}

// escapeMarkdown prevents Markdown from reading text as markup.
var escapeMarkdown = strings.NewReplacer(`\`, `\\`, `|`, `\|`, `*`, `\*`, `_`, `\_`, "`", "\\`", `[`, `\[`, `]`, `\]`,
	`~`, `\~`, `<`, `&lt;`, `&`, `&amp;`).Replace
