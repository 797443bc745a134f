package ai

import (
	"flag"
	"fmt"
	"math"
	"strings"
	"testing"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/figures/figure/figuretest"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/scenario"
	"pintlab/plots"
)

var studies = []struct {
	folder string
	figure *figure.Figure
	least  int // claims that hold at the laptop scale
}{{"allreduce", &Allreduce, 8}, {"alltoall", &Alltoall, 6}, {"jobs", &Jobs, 3}}

// Neither the smoke rows nor the stored laptop rows contradict a claim. The laptop rows decide most claims.
func TestMeasured(t *testing.T) {
	for _, s := range studies {
		figuretest.Compared(t, s.figure, s.least)
		possible(t, s.folder, figuretest.Golden[study.Row](t, s.folder, figure.ByCase...))
		possible(t, s.folder, figuretest.Stored[study.Row](t, s.folder, figure.ByCase...))
	}
}

// possible checks rows against physical limits. The bus bandwidth is below the rate of a host's link, and exposed
// communication takes only a part of a job. Every combination has a completion time, or a reason why it was refused.
// Jobs have no bus bandwidth, because a mean over collectives of several sizes makes no sense.
func possible(t *testing.T, folder string, rows []study.Row) {
	t.Helper()
	for _, network := range networks {
		for _, b := range balancers {
			for _, c := range controls {
				refusals := figure.Pick(rows, func(r *study.Row) bool {
					return r.Case == network && r.Scheme == c.with(b) && strings.HasPrefix(r.Quantity, refused)
				})
				took, busy, limit := study.One(rows, network, c.with(b), completion),
					study.One(rows, network, c.with(b), bus), 400e9
				if folder == "jobs" {
					busy, limit = study.One(rows, network, c.with(b), exposed), took.Value
				}
				switch {
				case len(refusals) == 1 && math.IsNaN(took.Value):
				case len(refusals) > 0 || math.IsNaN(took.Value) || !(busy.Value > 0 && busy.Value < limit) ||
					folder == "jobs" && has(rows, bus):
					t.Errorf("%s, %s, %s: %v, bus bandwidth or exposed time %v, %d refusals", folder, network,
						c.with(b), took.Value, busy.Value, len(refusals))
				}
			}
		}
	}
}

// Only HPCC over INT is refused, and only if the packets of a flow take several paths. The cost of telemetry is the
// number of bytes that it adds to a packet and its ACK. INT adds 42 B to a packet and 28 B to the smallest ACK, PINT
// adds 1 B in total, and CSIG adds 8 B.
func TestSchemes(t *testing.T) {
	cost := map[string]float64{hpccINT.name: 70, hpccPINT.name: 1, hpccCSIG.name: 8}
	for _, c := range controls {
		for _, b := range balancers {
			e := study.Cell{Base: base, Set: c.settings(b)}
			why := refusal(e)
			if want := c.name == hpccINT.name && (b == spraying || b == reps); (why != "") != want {
				t.Errorf("%s: refused because %q", c.with(b), why)
			}
			if s, err := scenario.Open(e.Base, e.Set...); err == nil && added(&s) != cost[c.name] {
				t.Errorf("%s: %v B of telemetry, want %v", c.with(b), added(&s), cost[c.name])
			}
		}
	}
}

// findings writes the findings of a figure for the given rows.
func findings(t *testing.T, to *strings.Builder, of *figure.Figure, rows []study.Row) {
	t.Helper()
	to.WriteString("\n")
	for _, f := range figuretest.View(t, of, rows, figure.ByCase...).Findings() {
		fmt.Fprintf(to, "- *%s*: %s (%s).\n", f.Outcome, f.Statement, f.Detail)
	}
	to.WriteString("\n")
}

var update = flag.Bool("update", false, "write what the stored rows say into docs/reference/ai-rows.md")

// The page quotes only stored rows, so its numbers cannot become outdated.
func TestPage(t *testing.T) {
	var want strings.Builder
	for _, s := range studies {
		rows := figuretest.Stored[study.Row](t, s.folder, figure.ByCase...)
		fmt.Fprintf(&want,
			"## ai/%s\n\n%s ([rows](../../experiments/internal/figures/ai/%s/laptop.csv)). "+
				"Completion time in us:\n\n", s.folder,
			s.figure.Size[figure.Laptop], s.folder)
		want.WriteString("| |" + strings.Repeat(" "+healthy+" |", len(balancers)) + strings.Repeat(" "+degraded+" |",
			len(balancers)) + "\n|" + strings.Repeat("---|", 1+2*len(balancers)) + "\n|")
		for range networks {
			for _, b := range balancers {
				want.WriteString(" | " + b.name)
			}
		}
		want.WriteString(" |\n")
		for _, c := range controls {
			want.WriteString("| " + c.name)
			for _, network := range networks {
				for _, b := range balancers {
					if r := study.One(rows, network, c.with(b), completion); math.IsNaN(r.Value) {
						want.WriteString(" | refused")
					} else {
						fmt.Fprintf(&want, " | %.0f", 1e6*r.Value)
					}
				}
			}
			want.WriteString(" |\n")
		}
		findings(t, &want, s.figure, rows)
	}
	medianPage(t, &want)
	want.WriteString("## Also measured\n\n| | | |\n|---|---|---|\n")
	known, err := plots.LoadCSV("allreduce/known.csv")
	if err != nil {
		t.Fatal(err)
	}
	list, err := columns.Decode[figure.Stored](known)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range list {
		fmt.Fprintf(&want, "| %s | %v %s | %s |\n", k.Quantity, k.Value, k.Unit, k.Conditions)
	}
	want.WriteString("\n")
	figuretest.Page(t, "../../../../docs/reference/ai-rows.md", "-run TestPage -update -->\n",
		"<!-- end rows -->", want.String(), *update)
}
