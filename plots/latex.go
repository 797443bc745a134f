package plots

import (
	"bufio"
	"io"
	"strings"
)

// WriteLaTeX writes the table as a tabular environment with the rules of the package booktabs. Numbers are
// right-aligned, text is left-aligned.
func (t *Table) WriteLaTeX(w io.Writer) error {
	b := bufio.NewWriter(w)
	b.WriteString(`\begin{tabular}{`)
	for _, c := range t.columns {
		if c.Kind == String {
			b.WriteByte('l')
		} else {
			b.WriteByte('r')
		}
	}
	b.WriteString("}\n\\toprule\n")
	for i, row := range append([][]string{t.Heads()}, t.Cells()...) {
		for c, s := range row {
			if c > 0 {
				b.WriteString(" & ")
			}
			b.WriteString(escapeLaTeX(s))
		}
		b.WriteString(" \\\\\n")
		if i == 0 {
			b.WriteString("\\midrule\n")
		}
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
	return b.Flush()
}

// escapeLaTeX prevents LaTeX from reading text as commands.
var escapeLaTeX = strings.NewReplacer(`\`, `\textbackslash{}`, `&`, `\&`, `%`, `\%`, `$`, `\$`, `#`, `\#`, `_`, `\_`,
	`{`, `\{`, `}`, `\}`, `~`, `\textasciitilde{}`, `^`, `\textasciicircum{}`, "–", "--", "−", "$-$", "µ", `\textmu{}`,
	"×", `$\times$`, "≥", `$\ge$`, "≤", `$\le$`, "<", `$<$`, ">", `$>$`).Replace
