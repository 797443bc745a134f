package workloads

import (
	"math"
	"testing"

	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// Over a long time, racks receive their shares in the matrix, the busiest host has the load, and gaps of any
// distribution have the right mean. Seeds are fixed, and bounds are at least five standard deviations of exponential
// gaps.
func TestRacks(t *testing.T) {
	hosts := make([]Host, 16)
	for i := range hosts {
		hosts[i] = Host{topo.NodeID(i), 10 * unit.Gbps}
	}
	m := [][]float64{{0, 3, 1, 0}, {0, 8, 0, 0}, {2, 0, 0, 2}, {0, 0, 0, 0}}
	for _, sigma := range []float64{0, 1, 2} {
		g := Racks{Matrix: m, Hosts: 4, Sizes: Fixed(1000), Load: 0.4, Sigma: sigma, Duration: 100 * unit.Millisecond}
		w := Workload{Seed: 1, Parts: []Part{{Name: "racks", Priority: DefaultPriority, Generator: g}}}
		s, err := w.Stream(hosts)
		if err != nil {
			t.Fatal(err)
		}
		var got [4][4]float64
		total := 0.0
		for f := range All(s) {
			if f.Src == f.Dst {
				t.Fatalf("flow %d is from host %d to itself", f.ID, f.Src)
			}
			got[f.Src/4][f.Dst/4]++
			total++
		}
		// Rack 1 receives 11 of 16 parts of the traffic and is the busiest rack. It has 4 hosts with 40 % of 10 Gb/s,
		// and flows have 8000 bits.
		want := 0.4 * 10e9 / 8000 * 4 * 0.1 * 16 / 11
		if math.Abs(total/want-1) > 0.02+0.1*sigma {
			t.Errorf("sigma %v: %v flows, want about %.0f", sigma, total, want)
		}
		for i := range m {
			for j := range m[i] {
				if x := got[i][j] / total; math.Abs(x-m[i][j]/16) > 0.01+0.02*sigma || (x == 0) != (m[i][j] == 0) {
					t.Errorf("sigma %v: rack %d sends %.3f to rack %d, want %.3f", sigma, i, x, j, m[i][j]/16)
				}
			}
		}
		plan, err := w.Plan(hosts)
		if err != nil || math.Abs(plan.Flows/want-1) > 1e-9 {
			t.Errorf("sigma %v: the plan has %v flows (%v), want %v", sigma, plan.Flows, err, want)
		}
		var rates [4][4]float64 // from rack to rack
		for from, to := range g.Demands(hosts) {
			for a := range hosts {
				for b := range hosts {
					if a != b {
						rates[a/4][b/4] += from[a] * to[b]
					}
				}
			}
		}
		for i := range m {
			for j := range m[i] {
				if want := m[i][j] / 11 * 4 * 0.4 * 10e9; math.Abs(rates[i][j]-want) > 1 {
					t.Errorf("racks %d and %d: %v bit/s, want %v", i, j, rates[i][j], want)
				}
			}
		}
	}
}

// The built-in matrices are complete and match published descriptions of their clusters: Hadoop traffic stays within
// the racks, and the traffic of the other clusters does not.
func TestMatrices(t *testing.T) {
	for name, most := range map[string]float64{"database": 0.2, "web": 0.1, "hadoop": 1} {
		m := Matrix(name)
		if len(m) != racksOfMatrix {
			t.Fatalf("%s has %d rows", name, len(m))
		}
		within, all := 0.0, 0.0
		for i, row := range m {
			if len(row) != racksOfMatrix {
				t.Fatalf("row %d of %s has %d columns", i, name, len(row))
			}
			for j, x := range row {
				if !(x >= 0) {
					t.Errorf("%s sends %v from rack %d to rack %d", name, x, i, j)
				}
				if all += x; i == j {
					within += x
				}
			}
		}
		if share := within / all; share > most || name == "hadoop" && share < 0.3 {
			t.Errorf("%s keeps %.3f of its traffic in racks", name, share)
		}
	}
}
