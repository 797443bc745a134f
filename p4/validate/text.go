package validate

import (
	"fmt"
	"io"
	"strings"

	"pintlab/p4/analysis"
	"pintlab/p4/interp/syntax"
)

// Verdict returns words for whether a program fits a target.
func Verdict(fits bool) string {
	if fits {
		return "fits"
	}
	return "does not fit"
}

// WriteText writes a line for a program on a target and, if full is set, its chains and the resources of its stages.
func (e *Layout) WriteText(w io.Writer, t *analysis.Target, full bool) {
	paper := ""
	if e.Paper > 0 {
		paper = fmt.Sprintf("   the PINT paper counts %d", e.Paper)
	}
	var alone []string
	for _, c := range e.Pipelines {
		if c.Stages > 0 {
			alone = append(alone, fmt.Sprintf("%s %d", c.Name, c.Stages))
		}
	}
	number, stages, _ := strings.Cut(syntax.Count(e.Placed, "stage"), " ")
	where := fmt.Sprintf("%3s %s of %s", number, stages, e.Target)
	if t.Software != "" {
		where = e.Target + " has no stages"
	}
	fmt.Fprintf(w, "%-25s %s, %s (by dependencies: %s)%s\n",
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
	for i, u := range e.Use {
		var list []string
		for r := analysis.Resource(0); r.String() != ""; r++ {
			switch n, ok := u[r.String()]; {
			case ok && n[1] == 0:
				list = append(list, fmt.Sprintf("%s %d", r, n[0]))
			case ok:
				list = append(list, fmt.Sprintf("%s %d/%d", r, n[0], n[1]))
			}
		}
		fmt.Fprintf(w, "    stage %2d: %s\n", i+1, strings.Join(list, ", "))
	}
}

// WriteText writes what a report of some programs found: what equals what, and the errors of the
// operations of the programs.
func (r *Report) WriteText(w io.Writer, programs []Program) {
	for _, e := range r.Equal {
		fmt.Fprintf(w, "%-24s equals its twin on %d packets", e.Program, e.Packets)
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
	head := "\n%-28s %3s %11s %11s %11s %11s %9s\n"
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
		fmt.Fprintf(w, "%-28s %3d %11.3g %11.3g %11.3g %11s %7d B\n",
			e.Operation, e.Bits, e.Mean, e.P99, e.Max, bound, e.Memory)
	}
	if !computed(opFactors) {
		return
	}
	fmt.Fprintf(w, "\n%-28s %11s %9s\n", opFactors, "error", "prefixes")
	for _, f := range r.Factors {
		name := fmt.Sprintf("M = %d, p = %g", f.Entries, f.Probability)
		fmt.Fprintf(w, "%-28s %9.2f %% %9d\n", name, 100*f.Error, f.Prefixes)
	}
}

func (r *BMv2Report) writeText(w io.Writer) {
	for _, e := range r.Equal {
		fmt.Fprintf(w, "%-24s equals simple_switch on %d packets, which send %d\n", e.Program, e.In, e.Out)
	}
	if c := r.Chain; c != nil {
		fmt.Fprintf(w,
			"%-24s through %d switches of simple_switch: %d packets twice, %d paths and %d latency quantiles decoded, "+
				"U of %d packets within %.1f %% on average\n",
			c.Program, c.Switches, c.Packets, c.Paths, c.Quantiles, c.Loads, 100*c.LoadError)
	}
	if r.Skipped != "" {
		fmt.Fprintf(w, "%-24s skipped, alone and in a chain of five: %s\n", "simple_switch", r.Skipped)
	}
}
