package pintlab

import (
	"regexp"
	"slices"
	"strings"

	"github.com/mattn/go-runewidth"

	"pintlab/internal/lists"
)

// fit fits text to the width of a terminal. It wraps words and the cells of tables. If a table is still too wide, its
// remaining columns continue below, with the first column repeated. Commands stay on one line, so that they can be
// copied.
func fit(text string, width int) string {
	var b strings.Builder
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); {
		if i+1 < len(lines) {
			if t := tableAt(lines[i:]); t != nil && t.natural() > width {
				t.write(&b, width)
				i += 1 + len(t.rows)
				continue
			}
		}
		b.WriteString(wrapLine(lines[i], width))
		if i++; i < len(lines) {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// escapes matches colours.
var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// shown returns how many columns a text takes.
func shown(text string) int { return runewidth.StringWidth(escapes.ReplaceAllString(text, "")) }

// label matches the beginning of a line, up to the text that may wrap.
var label = regexp.MustCompile("^(?: *(?:\\S+ )*?\\S*  +(?:\x1b\\[0m *)?| +)")

// wrapLine breaks a line at blanks. The following lines are indented, so that they begin below the text after the
// label.
func wrapLine(line string, width int) string {
	if shown(line) <= width {
		return line
	}
	head := label.FindString(line)
	if shown(head) > width/2 {
		head = label.FindString(" ")
	}
	rest := strings.TrimPrefix(line, head)
	if strings.HasPrefix(rest, "pintlab ") {
		return line
	}
	indent := shown(head)
	if indent == 0 {
		indent = 2
	}
	return head + strings.Join(words(rest, width-shown(head), width-indent), "\n"+strings.Repeat(" ", indent))
}

// words breaks a text at blanks into lines. The first line and the other lines have separate widths. A word that is
// longer than a line gets its own line. A percent sign stays with its number.
func words(text string, first, others int) (list []string) {
	line := ""
	for i, w := range strings.Split(strings.ReplaceAll(text, " %", "\u00a0%"), " ") {
		w = strings.ReplaceAll(w, "\u00a0", " ")
		most := others
		if len(list) == 0 {
			most = first
		}
		switch {
		case i == 0:
			line = w
		case shown(line)+1+shown(w) > most:
			list, line = append(list, strings.TrimRight(line, " ")), w
		default:
			line += " " + w
		}
	}
	return append(list, line)
}

// A textTable is a table in a text: a head, a rule and rows.
type textTable struct {
	rows  [][]string // the first row is the head; a nil row stands for the rule
	width []int
	right []bool // which columns are numbers
}

// tableAt returns the table at the beginning of lines. It returns nil if there is none.
func tableAt(lines []string) *textTable {
	rule := lines[1]
	if strings.Trim(rule, "─ ") != "" || !strings.Contains(rule, "─") {
		return nil
	}
	t := &textTable{}
	for _, r := range strings.Split(rule, "  ") {
		t.width = append(t.width, shown(r))
	}
	t.right = slices.Repeat([]bool{true}, len(t.width))
	for i, line := range lines {
		if i == 1 {
			continue
		}
		cells, ok := t.cut(escapes.ReplaceAllString(line, ""))
		if !ok || strings.TrimSpace(line) == "" {
			break
		}
		for c, s := range cells {
			cells[c] = strings.TrimSpace(s)
			t.right[c] = t.right[c] && shown(strings.TrimRight(s, " ")) == t.width[c] &&
				(i == 0 || !strings.Contains(cells[c], " "))
		}
		t.rows = append(t.rows, cells)
	}
	if len(t.rows) == 0 {
		return nil // not even the head has as many columns as the rule
	}
	return t
}

// cut cuts a line into cells. ok reports whether only blanks separate them.
func (t *textTable) cut(line string) (cells []string, ok bool) {
	left := line
	for c, w := range t.width {
		cell := runewidth.Truncate(left, w, "")
		left = strings.TrimPrefix(left, cell)
		cells = append(cells, cell)
		if gap := min(2, len(left)); c < len(t.width)-1 {
			if strings.Trim(left[:gap], " ") != "" {
				return nil, false
			}
			left = left[gap:]
		}
	}
	return cells, left == ""
}

func (t *textTable) natural() int { return sum(t.width) + 2*(len(t.width)-1) }

func sum(list []int) int { return lists.Sum(list, func(n int) int { return n }) }

// least returns the smallest width that column c may have. In a column of numbers, this is the width of the longest
// number or of the longest word in the heading. In other columns, it depends on the longest word.
func (t *textTable) least(c int) (least int) {
	for i, row := range t.rows {
		if t.right[c] && i > 0 {
			least = max(least, shown(row[c]))
			continue
		}
		for _, w := range strings.Fields(row[c]) {
			least = max(least, shown(w))
		}
	}
	if !t.right[c] {
		least = max(least, min(t.width[c], 14))
	}
	return least
}

// write writes the table in blocks of columns that fit.
func (t *textTable) write(b *strings.Builder, width int) {
	for c := 0; c < len(t.width); {
		block := []int{0}
		c = max(c, 1)
		used := t.least(0)
		for ; c < len(t.width) && (len(block) == 1 || used+2+t.least(c) <= width); c++ {
			block = append(block, c)
			used += 2 + t.least(c)
		}
		t.block(b, block, width-2*(len(block)-1))
		if c < len(t.width) {
			b.WriteByte('\n')
		}
	}
}

// block writes some columns, which together fit the width.
func (t *textTable) block(b *strings.Builder, columns []int, width int) {
	wide := lists.Map(columns, t.least)
	for sum(wide) < width {
		narrow := -1
		for i, c := range columns {
			if wide[i] < t.width[c] && (narrow < 0 || wide[i] < wide[narrow]) {
				narrow = i
			}
		}
		if narrow < 0 {
			break
		}
		wide[narrow]++
	}
	for r, row := range t.rows {
		cells, height := make([][]string, len(columns)), 0
		for i, c := range columns {
			cells[i] = words(row[c], wide[i], wide[i])
			height = max(height, len(cells[i]))
		}
		for y := range height {
			line := ""
			for i, c := range columns {
				s, at := "", y
				if r == 0 { // heads are directly above the rule
					at = y - height + len(cells[i])
				}
				if 0 <= at && at < len(cells[i]) {
					s = cells[i][at]
				}
				if t.right[c] {
					s = runewidth.FillLeft(s, wide[i])
				}
				line += runewidth.FillRight(s, wide[i]) + "  "
			}
			b.WriteString(strings.TrimRight(line, " ") + "\n")
		}
		if r == 0 {
			rules := lists.Map(wide, func(w int) string { return strings.Repeat("─", w) })
			b.WriteString(strings.Join(rules, "  ") + "\n")
		}
	}
}
