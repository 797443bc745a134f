package telemetry

import (
	"fmt"
	"math"
	"strings"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/measure/pint"
	"pintlab/experiments/internal/study"
	"pintlab/internal/number"
	"pintlab/netsim/unit"
	"pintlab/workloads"
)

// setup contains the settings of SideBySide at a scale.
type setup struct {
	seeds     int
	controls  []control
	workloads []workload
	loads     []int       // %
	windows   []unit.Time // by workload
	budgets   int         // number of workloads with budgets, at 50 % load
	testbed   []int       // loads of the testbed of LightGuardian's paper, %
	faults    contest
}

// workload is a workload, with the sizes from which its flows count as heavy or long.
type workload struct {
	pint.Workload
	heavy int        // packets in the window that make a flow heavy
	long  unit.Bytes // size above which the goodput of flows is measured
}

var (
	web    = workload{pint.Web, 100, unit.MB}
	hadoop = workload{pint.Hadoop, 30, 100 * unit.KB}
	// testbed is the testbed of the LightGuardian paper, with all times divided by 100.
	testbed = workload{pint.Workload{Name: "testbed of LightGuardian", Preset: "lightguardian"}, 30, unit.MB}
)

// testbedWindow is the length of two of LightGuardian's intervals of 5 s, divided by 100.
const testbedWindow = 100 * unit.Millisecond

var setups = map[figure.Scale]setup{
	figure.Smoke: {1, []control{hpcc}, []workload{hadoop}, []int{30}, []unit.Time{40 * unit.Microsecond}, 0, nil,
		contest{2 * unit.Millisecond, 2 * unit.Millisecond, 1}},
	figure.Laptop: {2, []control{hpcc, dctcp}, []workload{web, hadoop}, []int{30, 50, 70},
		[]unit.Time{120 * unit.Microsecond, 50 * unit.Microsecond}, 1, []int{50, 90},
		contest{16 * unit.Millisecond, 15 * unit.Millisecond, 3}},
	figure.Paper: {3, []control{hpcc, dctcp}, []workload{web, hadoop}, []int{30, 50, 70},
		[]unit.Time{200 * unit.Microsecond, 80 * unit.Microsecond}, 2, []int{50, 90},
		contest{16 * unit.Millisecond, 15 * unit.Millisecond, 10}},
}

func (z setup) String() string {
	var list []string
	for i, w := range z.workloads {
		list = append(list, fmt.Sprintf("%s for %v", w.Name, z.windows[i]))
	}
	return fmt.Sprintf("320-server fat tree, %s, %s", strings.Join(list, " and "), figure.Count(z.seeds, "seed"))
}

// point describes the runs of a row, over all seeds.
type point struct {
	table    string
	workload workload
	load     int
	window   unit.Time
	control  control
	budget   float64 // budget of the table, in B; 0: none
	system   *system
	knob     knob
}

func (p *point) setting() setting {
	return setting{p.control, p.window, p.workload.heavy, p.workload == testbed}
}

// cell returns the cell of a point. At each place, all systems have the same flows and paths, and are compared with
// the system "none". A system with a budget is a separate scheme at the place.
func (p point) cell() study.Cell {
	set := []string{
		fmt.Sprintf("workload.0.load=%g", float64(p.load)/100), fmt.Sprintf("workload.0.duration=%v", p.window),
		"workload.0.under_way=" + workloads.Steady, fmt.Sprintf("run.keep_load=%v", p.window), "run.cut_off=projected",
	}
	if p.workload == testbed {
		set = append(set, "run.until=10s", "monitors=[]")
	}
	spec := campaign.Spec{Set: set}.With(p.control.set...).With(p.system.set(p.setting(), p.knob)...)
	scheme := p.system.name
	if p.budget > 0 {
		scheme = fmt.Sprintf("%s, at most %s, %s", p.table, number.Format(p.budget, number.Bytes, 4), scheme)
	}
	return study.Cell{
		Case: p.place().String(), Scheme: scheme, X: math.NaN(),
		Label: fmt.Sprintf("%s, %s %d %%, %s", scheme, p.workload.Name, p.load, p.control.name),
		Base:  p.workload.Preset, Set: spec.Set, Long: p.workload.long,
	}
}

// The tables of the rows.
const (
	bySetting = "settings"
	byBytes   = "bytes"   // limit on the telemetry bytes per data packet, with reports about the packet
	byMemory  = "memory"  // limit on the memory of a switch
	byFault   = "faults"  // silent faults in a small network
	byPeriod  = "periods" // periods of the LightGuardian paper, on its testbed
)

// The budgets of bytes and of memory at which systems are compared.
var (
	bytesBudgets  = []float64{1, 2, 8, 42}
	memoryBudgets = []float64{64e3, 256e3, 1e6}
)

// points returns the points to measure for the chosen systems. The first chosen system is "none", so the first
// point of each setting has no telemetry.
func (z setup) points(chosen []*system) []point {
	var list []point
	for _, c := range z.controls {
		for i, w := range z.workloads {
			for _, load := range z.loads {
				for _, x := range chosen {
					if !x.ofHPCC || c.name == hpcc.name {
						list = append(list, point{bySetting, w, load, z.windows[i], c, 0, x, x.knob})
					}
				}
			}
		}
	}
	for _, load := range z.testbed {
		for _, x := range chosen {
			if x.ofHPCC {
				continue
			}
			k := x.knob
			if x.monitor == passport || x.monitor == postcard {
				k.share = 1
			}
			list = append(list, point{byPeriod, testbed, load, testbedWindow, asPreset, 0, x, k})
		}
	}
	for i, w := range z.workloads[:z.budgets] {
		at := point{workload: w, load: 50, window: z.windows[i], control: z.controls[0]}
		for _, b := range bytesBudgets {
			for _, x := range chosen {
				if k, ok := x.within(b); ok {
					p := at
					p.table, p.budget, p.system, p.knob = byBytes, b, x, k
					list = append(list, p)
				}
			}
		}
		for _, b := range memoryBudgets {
			for _, x := range chosen {
				if strings.Contains(x.registers, "$") {
					p := at
					p.table, p.budget, p.system, p.knob = byMemory, b, x, x.knob
					p.knob.memory = unit.Bytes(b)
					list = append(list, p)
				}
			}
		}
	}
	return list
}

// The cost of each system, in bytes per data packet. It is the mean over the six links of a path of five switches,
// plus the reports. If a system observes only a share of the packets, or adds data only to a share, the cost is
// proportional to the share.
const (
	// On the six links, a passport has 0, 20, 32, 44, 56 and 68 B. A report contains 67 B and the passport of 68 B.
	passportBytes = 220.0/6 + 67 + 68
	// Each of five postcards consists of 67 B and a layer of 20 B.
	postcardBytes = 5 * (67 + 20)
	// A switch adds a sketchlet of 24 B to a packet. The sketchlet passes 3 links on average, and then goes to the
	// analyzer. Each of five switches does this with the system's share of the packets, during four fifths of the
	// time.
	sketchletBytes = 0.8 * 5 * (24*3.0/6 + 24)
	// DLINT adds at most 1 B, on the links between switches; PLINT adds 3 B. With CLINT, each switch also sends a
	// report of 68 B for each flow. A flow may have only one packet.
	dlintBytes = 4.0 / 6
	// On the six links, SketchINT adds 0, 8, 14, 20, 26 and 32 B to a packet. Its sketches cost less than 5 B per
	// packet.
	sketchINTBytes = 100.0/6 + 5
)

// within returns a knob with which the system keeps a budget of bytes. It reports false if the system cannot keep the
// budget.
func (x *system) within(bytes float64) (knob, bool) {
	k := x.knob
	if k.share > 0 {
		k.share = min(1, bytes/x.cost)
		return k, true
	}
	return k, bytes >= x.cost
}
