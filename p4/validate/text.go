package validate

import (
	"fmt"
	"io"
	"pintlab/internal/number"
	"slices"
	"strings"

	"pintlab/p4/analysis"
	"pintlab/plots"
)

// Verdict says in words whether a program fits a target.
func Verdict(fits bool) string {
	if fits {
		return "fits"
	}
	return "does not fit"
}

// WriteText writes a line about a program on a target. If full is set, it also writes the program's chains and the
// resources of its stages.
func (e *Layout) WriteText(w io.Writer, t *analysis.Target, full bool) {
	paper := ""
	if e.Paper > 0 {
		paper = fmt.Sprintf("   the PINT paper counts %d stages", e.Paper)
	}
	var alone []string
	for _, c := range e.Pipelines {
		if c.Stages > 0 {
			alone = append(alone, fmt.Sprintf("%d in %s", c.Stages, c.Name))
		}
	}
	where := fmt.Sprintf("%3d of the %d stages of %s", e.Placed, t.Stages.Limit, t.Title)
	switch {
	case t.Software != "":
		where = e.Target + " has no stages"
	case e.Placed > t.Stages.Limit:
		where = fmt.Sprintf("%3d stages, %s has %d", e.Placed, t.Title, t.Stages.Limit)
	}
	fmt.Fprintf(w, "%-25s %s, %s (dependencies only: %s)%s\n",
		e.Program, where, Verdict(e.Fits), strings.Join(alone, ", "), paper)
	if full {
		e.writeStages(w)
	}
	for _, x := range e.Problems {
		fmt.Fprintf(w, "    %s\n", x)
	}
}

func (e *Layout) writeStages(w io.Writer) {
	for _, c := range e.Pipelines {
		for _, x := range c.Chain {
			fmt.Fprintf(w, "    %s %s\n", c.Name, x)
		}
	}
	if err := e.writeUse(w); err != nil {
		panic(err) // the table is fixed
	}
}

// Resources calls a function for each resource of each stage that the program uses. limit is 0 without a limit.
func (e *Layout) Resources(use func(stage int, resource string, n, limit int)) {
	for r := analysis.Resource(0); r.String() != ""; r++ {
		for i, u := range e.Use {
			if n, ok := u[r.String()]; ok {
				use(i+1, r.String(), n[0], n[1])
			}
		}
	}
}

// shades marks how much of a resource a stage uses: up to a third, up to two thirds, more, and all.
var shades = [...]string{"░", "▒", "▓", "█"}

// writeUse writes a table that shows how much of each resource each stage uses, shaded like a heat map.
func (e *Layout) writeUse(w io.Writer) error {
	heads, rows := []plots.Column{plots.Text("used in stage")}, [][]any(nil)
	for i := range e.Use {
		heads = append(heads, plots.Text(fmt.Sprint(i+1)))
	}
	last, shaded := "", false
	e.Resources(func(stage int, resource string, n, limit int) {
		if resource != last {
			last = resource
			row := slices.Repeat([]any{""}, len(heads))
			if row[0] = resource; limit > 0 {
				row[0] = fmt.Sprintf("%s (%d)", resource, limit)
			}
			rows = append(rows, row)
		}
		text := fmt.Sprint(n)
		if limit > 0 {
			text, shaded = shades[min(3*n/limit, 3)]+text, true
		}
		rows[len(rows)-1][stage] = text
	})
	t, err := plots.NewTable(heads...)
	if err != nil || rows == nil {
		return err
	}
	for _, row := range rows {
		if err := t.Append(row...); err != nil {
			return err
		}
	}
	fmt.Fprintln(w)
	if err := t.WriteText(w); err != nil {
		return err
	}
	if !shaded {
		return nil
	}
	fmt.Fprintf(w, "%s up to a third of what a stage has (the number in brackets), %s up to two thirds, %s more, %s "+
		"all of it\n\n", shades[0],
		shades[1], shades[2], shades[3])
	return nil
}

// WriteText writes the results of a report for some programs: which programs equal their twins and BMv2, and the
// errors of the programs' operations.
func (r *Report) WriteText(w io.Writer, programs []Program) {
	for _, e := range r.Equal {
		fmt.Fprintf(w, "%-24s equals its twin on %s", e.Program, number.Count(e.Packets, "packet"))
		if e.Exhaustive > 0 {
			fmt.Fprintf(w, " and all %d values of a small domain", e.Exhaustive)
		}
		if e.Dropped > 0 {
			fmt.Fprintf(w, "; both dropped %d", e.Dropped)
		}
		fmt.Fprintln(w)
	}
	r.BMv2.writeText(w)
	computed := func(op string) bool { return len(programs) > 1 || programs[0].computes(op) }
	head := "\n%-27s %2s %9s %9s %9s %9s %9s\n"
	for _, e := range r.Errors {
		if e.Bits%2 != 0 || !computed(e.Operation) {
			continue
		}
		if head != "" {
			fmt.Fprintf(w, head, "error of", "q", "mean", "p99", "largest", "bound", "tables")
			head = ""
		}
		bound := "-"
		if e.Bound > 0 {
			bound = fmt.Sprintf("%.3g", e.Bound)
		}
		fmt.Fprintf(w, "%-27s %2d %9.3g %9.3g %9.3g %9s %7d B\n",
			e.Operation, e.Bits, e.Mean, e.P99, e.Max, bound, e.Memory)
	}
	if head == "" {
		writeNotes(w, computed(opMul))
	}
	if !computed(opFactors) {
		return
	}
	fmt.Fprintf(w, "\n%-27s %9s %9s\n", opFactors, "error", "prefixes")
	for _, f := range r.Factors {
		name := fmt.Sprintf("M = %d, p = %g", f.Entries, f.Probability)
		fmt.Fprintf(w, "%-27s %9s %9d\n", name, number.Share(f.Error), f.Prefixes)
	}
}

// writeNotes explains the columns of the table of errors. products reports whether the table has products.
func writeNotes(w io.Writer, products bool) {
	if products {
		fmt.Fprintf(w, "errors: absolute for log2, relative for the others. The bounds of products and quotients are "+
			"for operands\n  from 2^%d to 2^%d; a product of smaller ones also loses its fraction (q = 8: 1·3 = 2). "+
			"U may have\n  smaller operands, but its products have fractional bits: 22 of U, or 5 of a byte\n",
			operandBits, operandBits+1)
	}
	fmt.Fprintln(w, "tables: of U, keys, masks and data of all tables of the program, copies included; of other "+
		"operations, the\n  data of one table of each kind")
}

func (r *BMv2Report) writeText(w io.Writer) {
	for _, e := range r.Equal {
		fmt.Fprintf(w, "%-24s equals simple_switch on %d packets, which send %d\n", e.Program, e.In, e.Out)
	}
	if c := r.Chain; c != nil {
		fmt.Fprintf(w,
			"%-24s through %d switches of simple_switch: %d packets twice, %d paths and %d latency quantiles decoded, "+
				"U of %d packets within %s on average\n",
			c.Program, c.Switches, c.Packets, c.Paths, c.Quantiles, c.Loads, number.Share(c.LoadError))
	}
	if r.Skipped != "" {
		fmt.Fprintf(w, "%-24s skipped, alone and in a chain of five: %s\n", "simple_switch", r.Skipped)
	}
}
