package sketch

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/stats"
	"pintlab/internal/number"
	"pintlab/netsim/unit"
)

// period is the period of the SketchINT paper. table is the number of entries of an agent's tables at the scale of the
// paper, which suffices for all inflated latencies of a period.
const (
	period = 5 * unit.Second
	table  = 8192
)

// SystemScale contains the settings of a scale.
type SystemScale struct {
	share   int     // divides the SketchINT paper's period, memories and tables
	periods float64 // number of simulated periods; in the third, the groups of the second reach the analyzer
	memory  []Memory
	more    []Memory // memories of Fig. 8
	seeds   int
	usual   bool // omit variants, which take as long as all other points
}

// KB and MB are a kilobyte and a megabyte of the SketchINT paper, in bytes. The published code of its local tasks
// multiplies kilobytes by 1024.
const (
	KB = 1024
	MB = 1024 * KB
)

// SizeOf writes a memory in MiB or KiB, the SketchINT paper's MB and KB, if it has at most one decimal in one of them:
// "50 KiB", where number.Size writes "51.2 KB".
func SizeOf(bytes float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{MB, "MiB"}, {KB, "KiB"}} {
		if n := bytes / u.size; n >= 1 && 10*n == math.Trunc(10*n) {
			return number.Digits(n, 4) + " " + u.name
		}
	}
	return number.Size(bytes, 4)
}

// Memory is the memory of an agent at the SketchINT paper's scale, in bytes.
type Memory struct{ Heavy, Latency int }

var (
	memories = []Memory{{10 * KB, 600 * KB}, {20 * KB, 1200 * KB}, {30 * KB, 1800 * KB}, {40 * KB, 2400 * KB},
		{50 * KB, 3 * MB}}
	larger = []Memory{{50 * KB, 9 * MB / 2}, {50 * KB, 6 * MB}}
)

// SystemScales are the scales of both figures.
var SystemScales = map[study.Scale]SystemScale{
	study.Smoke:  {share: 200, periods: 2.2, memory: []Memory{memories[1], memories[4]}, seeds: 1},
	study.Laptop: {share: 20, periods: 2.2, memory: memories, more: larger, seeds: 20},
	study.Paper:  {share: 1, periods: 2.95, memory: memories, more: larger, seeds: 4, usual: true},
}

func (z SystemScale) String() string {
	return fmt.Sprintf("8 hosts and 10 switches, DCTCP's flow sizes at 62.5 %% load, two periods of %v%s, %s",
		period/unit.Time(z.share), z.over(", memories"), number.Count(z.seeds, "seed"))
}

// over returns words about what the scale divides. It returns "" if the scale has the sizes of the SketchINT paper.
func (z SystemScale) over(what string) string {
	if z.share == 1 {
		return ""
	}
	return fmt.Sprintf("%s over %d", what, z.share)
}

// Memories returns the memories of Fig. 7.
func (z SystemScale) Memories() []Memory { return z.memory }

// AllMemories returns the memories of Fig. 8.
func (z SystemScale) AllMemories() []Memory { return slices.Concat(z.memory, z.more) }

// Variants returns the variants that are measured in addition to the default settings.
func (z SystemScale) Variants() []Variant {
	if z.usual {
		return nil
	}
	return variants
}

// systemSketches lists the arrays and the insertion of the sketches that an agent can have. CM and CU consist of three
// rows of 32-bit counters. Latencies always use CM insertion, so CM and CU do not differ for latencies.
var systemSketches = map[Kind][2]string{TowerCU: {"tower", "cu"}, CM: {"rows", "cm"}, CU: {"rows", "cu"}}

// Variant is a change of settings for a run.
type Variant struct {
	Name string
	set  []string
}

// variants lists changes of two settings on which the errors of latencies depend: the place of the counters, and the
// length of queues.
var variants = []Variant{
	{"counters apart", []string{"monitors.0.counters=apart"}},
	{"marks at 4 times", []string{"network.ecn.kmin=390KB", "network.ecn.kmax=390KB"}},
	{"Reno", reno},
	{"Reno, counters apart", append([]string{"monitors.0.counters=apart"}, reno...)},
}

// MorePackets sets an MTU with which the flows send about as many packets in a period as in the SketchINT paper.
var MorePackets = Variant{"16 million packets", []string{"transport.mtu=7900B"}}

// reno turns ECN off, so that queues fill the buffer of 22 MB. Such a queue takes 4.4 ms to drain.
var reno = []string{"cc.kind=reno", "network.ecn.enabled=false", "transport.rto_initial=10ms", "transport.rto_min=10ms"}

// SystemPoint is a sketch with its memory.
type SystemPoint struct {
	Sketch  Kind
	Memory  Memory
	Variant Variant // none: the zero Variant
}

// SystemAnswer contains the results of a point over the seeds.
type SystemAnswer struct {
	SystemPoint
	Numbers map[string]stats.Number // by the names of the measures
	Missing int                     // frames that had not arrived at the end of their period
}

// bounded is a measure with an upper limit.
type bounded struct {
	study.Measure
	most float64
}

// measures lists the numbers that are measured at each point: F1 and ARE of the tasks, and the cost relative to INT in
// passport mode.
var measures = []bounded{
	task("hitters", "heavy-hitters", "f1", 1), task("changes", "heavy-changes", "f1", 1),
	task("inflated", "inflated", "f1", 1), task("latency", "latency", "are", math.Inf(1)),
	cost("bandwidth", "bytes_over_passport"), cost("packets", "packets_over_passport"),
}

func task(name, row, column string, most float64) bounded {
	return bounded{study.Monitor(name, "sketchint", func(t *study.MonitorTables) float64 {
		return t.Of("errors", "task", row, column)
	}), most}
}

func cost(name, column string) bounded {
	return bounded{study.Monitor(name, "sketchint", func(t *study.MonitorTables) float64 {
		return t.Sum("analyzer", column)
	}), math.Inf(1)}
}

func (p SystemPoint) cell(z SystemScale) study.Cell {
	every := period / unit.Time(z.share)
	end := unit.Time(z.periods*float64(every/unit.Microsecond)) * unit.Microsecond
	set := func(key string, v any) string { return fmt.Sprintf("%s=%v", key, v) }
	name := p.Sketch.Label()
	if p.Variant.Name != "" {
		name += ", " + p.Variant.Name
	}
	memory := SizeOf(float64(p.Memory.Heavy)) + " and " + SizeOf(float64(p.Memory.Latency)) + z.over("")
	return study.Cell{
		Case: memory, Scheme: name, Label: fmt.Sprintf("SketchINT, %s, %s", name, memory), Base: "sketchint",
		Set: append([]string{
			set("workload.0.duration", end), set("run.until", end), set("monitors.0.period", every),
			set("monitors.0.sketch", systemSketches[p.Sketch][0]),
			set("monitors.0.insertion", systemSketches[p.Sketch][1]),
			set("monitors.0.memory", unit.Bytes(p.Memory.Heavy/z.share)),
			set("monitors.0.latency_memory", unit.Bytes(p.Memory.Latency/z.share)),
			set("monitors.0.table", (table+z.share-1)/z.share),
		}, p.Variant.set...),
	}
}

// MeasureSystem runs the points with every seed and returns an answer for each point.
func MeasureSystem(ctx context.Context, j *study.Job, z SystemScale, points []SystemPoint) ([]SystemAnswer, error) {
	s := study.Study{Seeds: j.SeedList(z.seeds)}
	for _, p := range points {
		s.Cells = append(s.Cells, p.cell(z))
	}
	for _, q := range measures {
		s.Measures = append(s.Measures, q.Measure)
	}
	results, err := s.Run(ctx, j)
	if err != nil {
		return nil, err
	}
	traffic := map[string]*struct{ runs, packets, flows float64 }{"": {}, MorePackets.Name: {}}
	list := make([]SystemAnswer, len(points))
	for i, p := range points {
		c := s.Cells[i]
		list[i] = SystemAnswer{SystemPoint: p, Numbers: map[string]stats.Number{}}
		for _, r := range results.Runs(c) {
			t := study.MonitorTables{Dir: r.Dir, Kind: "sketchint"}
			list[i].Missing += int(t.Sum("agents", "frames_missing"))
			if x := traffic[p.Variant.Name]; x != nil {
				x.runs++
				x.flows += float64(r.Manifest.Summary.Flows)
				x.packets += t.Sum("agents", "packets")
			}
			if t.Err != nil {
				return nil, fmt.Errorf("%s: %w", r.Label, t.Err)
			}
		}
		for _, q := range measures {
			m, err := results.One(c, q.Name)
			if err != nil {
				return nil, err
			}
			list[i].Numbers[q.Name] = m.Within(0, q.most)
		}
	}
	every := period / unit.Time(z.share)
	j.Setting("period", "SketchINT §VII-A: 5 s", "%v; two of them", every)
	j.Setting("memory", "SketchINT §VII-C", "the memory in the figures%s", z.over(""))
	for _, v := range []string{"", MorePackets.Name} {
		x := traffic[v]
		if x.runs == 0 {
			continue
		}
		flows, packets := x.flows/x.runs/z.periods, x.packets/x.runs/z.periods
		j.Setting(strings.TrimSuffix("traffic, "+v, ", "), "SketchINT §VII-C: about 16 M packets and 73 K flows in 5 s",
			"web search at 62.5 %% load: %.3g M packets and %.3g K flows in 5 s, from periods of %v",
			packets*float64(z.share)/1e6, flows*float64(z.share)/1e3, every)
	}
	j.Setting("Δh, Δc, Δl", "SketchINT §VII-C: 1500, 750, 5", "1500, 750, 5")
	j.Setting("tables", "SketchINT §VII-B: 1024 entries in the local tasks",
		"%d entries%s: room for all inflated latencies", table, z.over(""))
	j.Footnote("FatTree of 8 hosts, 40 Gb/s; two periods of %v%s; %s", every, z.over(", memories"), j.Over(z.seeds))
	return list, nil
}
