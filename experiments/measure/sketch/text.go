package sketch

import (
	"fmt"
	"math"

	"pintlab/experiments/results/columns"
	"pintlab/netsim/unit"
)

// Text prints a line for each sketch and memory. With several seeds, the smallest and largest values follow.
func (s *Summary) Text() (string, error) {
	const form = "%-10s %9s %11s %11s %8s %11s %8s %11s %11s %8s\n"
	var t columns.Text
	t.Printf("%d packets of %d flows, entropy %.4f bits; %s\n\n", s.Packets, s.Flows, s.Entropy, s.overSeeds())
	t.Printf(form, "sketch", "memory", "ARE", "AAE", "HH F1", "HH ARE", "HC F1", "entropy RE", "card. RE", "WMRE")
	for _, m := range s.means {
		line := func(name, memory string, of func(*Spread) float64) {
			number := func(n *Spread, form string) string {
				if x := of(n); !math.IsNaN(x) && !math.IsInf(x, 0) {
					return fmt.Sprintf(form, x)
				}
				return "-"
			}
			t.Printf(form, name, memory, number(&m.ARE, "%.4g"), number(&m.AAE, "%.4g"), number(&m.HitterF1, "%.4f"),
				number(&m.HitterARE, "%.4g"), number(&m.ChangeF1, "%.4f"), number(&m.Entropy, "%.4g"),
				number(&m.Cardinality, "%.4g"), number(&m.Distribution, "%.4f"))
		}
		line(m.Sketch.Label(), unit.Bytes(m.Memory).String(), median)
		if m.Seeds > 1 {
			line("  least", "", least)
			line("  most", "", most)
		}
	}
	for _, m := range s.means {
		if m.Dropped > 0 {
			t.Printf("%s with %v: %d packets of heavy flows found a table of %d full (--table)\n",
				m.Sketch.Label(), unit.Bytes(m.Memory), m.Dropped, s.table)
		}
	}
	return t.Done()
}

func (s *Summary) overSeeds() string {
	if s.seeds == 1 {
		return "one seed"
	}
	return fmt.Sprintf("median of %d seeds, and the least and the most of them", s.seeds)
}

// Text prints the answer to a task with at most top flows.
func (a *QueryAnswer) Text(task string, top int) (string, error) {
	var t columns.Text
	switch task {
	case TaskEntropy:
		t.Printf("entropy %.4f bits, %d packets\n", *a.Entropy, a.Packets)
	case TaskCardinality:
		t.Printf("%.0f flows, %d packets\n", *a.Cardinality, a.Packets)
	case TaskDistribution:
		t.Printf("%21s  %12s\n", "packets", "flows")
		list := a.Distribution
		for from := uint64(1); len(list) > 0; from *= 2 {
			flows := 0.0
			for len(list) > 0 && list[0].Size < 2*from {
				flows += list[0].Flows
				list = list[1:]
			}
			t.Printf("%10d %10d  %12.1f\n", from, 2*from-1, flows)
		}
	case TaskChanges:
		t.Printf("%d heavy changes\n%10s %10s  %s\n", len(a.Changes), "before", "after", "flow")
		for _, c := range a.Changes[:min(top, len(a.Changes))] {
			t.Printf("%10d %10d  %s\n", c.Before, c.After, c.Flow)
		}
	case TaskArrivals:
		t.Printf("%d large flows among %d packets\n%10s %14s %14s  %s\n",
			len(a.Arrivals), a.Packets, "packets", "longest gap", "last packet", "flow")
		for _, f := range a.Arrivals[:min(top, len(a.Arrivals))] {
			t.Printf("%10d %14v %14v  %s\n", f.Packets, f.Gap, f.Last, f.Flow)
		}
	default:
		t.Printf("%d heavy hitters among %d packets\n%10s  %s\n", len(a.Hitters), a.Packets, "packets", "flow")
		for _, h := range a.Hitters[:min(top, len(a.Hitters))] {
			t.Printf("%10d  %s\n", h.Packets, h.Flow)
		}
	}
	if a.TableFull > 0 {
		t.Printf("the table of heavy flows was full for %d packets\n", a.TableFull)
	}
	if a.Falling > 0 {
		t.Printf("%d packets are earlier than the one before them, and count at its time\n", a.Falling)
	}
	return t.Done()
}
