package plots

import (
	"strings"
	"testing"
)

func TestWriteLaTeX(t *testing.T) {
	table, err := NewTable(Text("scheme"), Real("share", "%"))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range [][]any{{`HPCC_50 & "x"`, 12.5}, {`a\b{c}^2 ~ 3 $ #1 –`, -1.0}} {
		if err := table.Append(row...); err != nil {
			t.Fatal(err)
		}
	}
	var b strings.Builder
	if err := table.WriteLaTeX(&b); err != nil {
		t.Fatal(err)
	}
	want := `\begin{tabular}{lr}
\toprule
scheme & share (\%) \\
\midrule
HPCC\_50 \& "x" & 12.50 \\
a\textbackslash{}b\{c\}\textasciicircum{}2 \textasciitilde{} 3 \$ \#1 -- & $-$1.00 \\
\bottomrule
\end{tabular}
`
	if b.String() != want {
		t.Errorf("wrote\n%s\nwant\n%s", b.String(), want)
	}
}
