package ai

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/figures/figure/figuretest"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/scenario"
)

// The smoke rows contradict no claim. If the stored laptop rows contradict a claim, a measurement explains the cause.
func TestMedianMeasured(t *testing.T) {
	figuretest.Compared(t, &Median, 7)
	for _, rows := range [][]study.Row{
		figuretest.Golden[study.Row](t, "median", figure.ByCase...),
		figuretest.Stored[study.Row](t, "median", figure.ByCase...),
		figuretest.Paper[study.Row](t, "median", figure.ByCase...),
	} {
		for _, network := range networks {
			for _, b := range pooledBalancers {
				for _, c := range pooledControls {
					for _, f := range feedbacks {
						took := study.One(rows, network, c.reading(f).with(b), slowest)
						if math.IsNaN(took.Value) || took.Value < 256e3*8/400e9 {
							t.Errorf("%s, %s: %v s", network, c.reading(f).with(b), took.Value)
						}
					}
				}
			}
		}
	}
}

// Every scheme can be run, and each of its keys has an effect.
func TestPooledSchemes(t *testing.T) {
	for _, b := range pooledBalancers {
		for _, c := range pooledControls {
			for _, f := range feedbacks {
				own := c.reading(f)
				if _, err := scenario.Open(base, own.settings(b)...); err != nil {
					t.Errorf("%s: %v", own.with(b), err)
				}
			}
		}
	}
}

// medianPage writes the section of the page that is about this figure.
func medianPage(t *testing.T, to *strings.Builder) {
	t.Helper()
	rows := figuretest.Paper[study.Row](t, "median", figure.ByCase...)
	fmt.Fprintf(to, "## ai/median\n\n%s ([rows](../../experiments/internal/figures/ai/median/paper.csv)). "+
		"Completion time of the slowest flow in us:\n\n| network | balancer | control |", Median.Size[figure.Paper])
	for _, f := range feedbacks {
		to.WriteString(" " + f.name + " |")
	}
	to.WriteString("\n" + strings.Repeat("|---", 3+len(feedbacks)) + "|\n")
	for _, network := range networks {
		for _, b := range pooledBalancers {
			for _, c := range pooledControls {
				fmt.Fprintf(to, "| %s | %s | %s |", network, b.name, c.name)
				for _, f := range feedbacks {
					fmt.Fprintf(to, " %.0f |", 1e6*study.One(rows, network, c.reading(f).with(b), slowest).Value)
				}
				to.WriteString("\n")
			}
		}
	}
	findings(t, to, &Median, rows)
}
