package hpcc

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/study"
	"pintlab/internal/number"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
	"pintlab/plots"
)

// encoding returns a scheme with a format of telemetry.
func encoding(name, keys string, set ...string) study.Scheme {
	return study.Scheme{Name: name, Set: append([]string{"telemetry={kind: " + keys + "}"}, set...)}
}

// The encodings. All have the same control law. draft-miao-tsv-hpcc-info defines the records per hop.
var (
	exactFree  = encoding("exact, no bytes", "int, format: free")
	ownExact   = encoding("HPCC's own, exact", "int")
	ownFormat  = encoding("HPCC's own", "int, precision: wire")
	mdRate     = encoding("INT-MD", "md")
	mdCounter  = encoding("INT-MD, counter", "md, tx: bytes")
	ifaRecords = encoding("IFA", "ifa")
	ioamTrace  = encoding("IOAM", "ioam")
	ioamRoom   = encoding("IOAM, pre-allocated", "ioam, trace: preallocated")
	ioamMicros = encoding("IOAM, µs clock", "ioam, timestamp: posix")
	atReceiver = encoding("IOAM, receiver", "ioam", "cc.computed=receiver")
	ioamProbes = encoding("IOAM, probes", "ioam", "cc.carrier=probes")
	csigTag    = encoding("CSIG", "csig")
	pintDigest = encoding("PINT", "pint")

	encodingsList = []study.Scheme{exactFree, ownExact, ownFormat, mdRate, mdCounter, ifaRecords, ioamTrace, ioamRoom,
		ioamMicros, atReceiver, ioamProbes, csigTag, pintDigest}
	// other maps encodings to a second reference. Every encoding is compared with exactFree. The encodings in this
	// map are also compared with an encoding that differs from them in one respect.
	other = map[string]study.Scheme{
		ownFormat.Name: ownExact, mdRate.Name: mdCounter, ioamMicros.Name: ioamTrace, ioamRoom.Name: ioamTrace,
		atReceiver.Name: ioamTrace, ioamProbes.Name: ioamTrace, ifaRecords.Name: ioamTrace, mdCounter.Name: ioamTrace,
	}
)

// encodingsScale holds the settings of a scale.
type encodingsScale struct {
	seeds, buckets int
	web, hadoop    unit.Time // time during which flows arrive
	loads          []float64
}

func (z encodingsScale) String() string {
	return fmt.Sprintf("%s, %s, arrivals for %v (web search) and %v (Hadoop)",
		figure.Count(len(encodingsList), "encoding"), figure.Count(z.seeds, "seed"), z.web, z.hadoop)
}

// Encodings answers two questions about HPCC++ that participants asked at IETF meetings. IETF 119: do different
// encodings of the telemetry perform the same? IETF 120: what if a port has several queues? Nobody has published an
// answer.
var Encodings = figure.Spec[encodingsScale]{
	Name: "hpcc/encodings", Files: files, Columns: figure.ByCase, Measure: measureEncodings,
	Tables: encodingsTables, Draw: drawEncodings,
	Scales: map[figure.Scale]encodingsScale{
		figure.Smoke:  {1, 2, 200 * unit.Microsecond, 50 * unit.Microsecond, []float64{0.5}},
		figure.Laptop: {5, 4, 20 * unit.Millisecond, 8 * unit.Millisecond, []float64{0.3, 0.5, 0.7}},
		figure.Paper:  {10, 20, 500 * unit.Millisecond, 200 * unit.Millisecond, []float64{0.3, 0.5, 0.7}},
	},
}.Figure()

// The quantities. The last two refer to two classes whose weights are 1 and 3.
const (
	sized50    = "p50 slowdown"
	sized99    = "p99 slowdown"
	whole99    = "p99 slowdown of all flows"
	wholeMean  = "mean slowdown"
	longRate   = "goodput of flows above 1 MB"
	arriving   = "telemetry of an arriving packet"
	heavyShare = "share of the class with weight 3"
	portRate   = "throughput of the port"

	webSearch = "web search"
	hadoop    = "Hadoop"

	bothBusy = "two classes, both busy"
	oneBusy  = "two classes, one busy"
)

func encodingQuantities(buckets int) []study.Measure {
	return []study.Measure{
		study.BySize(sized50, 0.50, buckets), study.BySize(sized99, 0.99, buckets),
		study.Slowdown(whole99, 0.99, 0, math.MaxInt64), study.MeanSlowdown(wholeMean), study.Goodput(longRate),
		study.PerTrial(arriving, func(t *study.Trial) (float64, int, error) {
			system := t.Run.Scenario.Telemetry.System()
			bytes, packets := 0.0, 0.0
			for f := range t.Flows.All() {
				n := float64(f.Packets)
				bytes += n * float64(system.Overhead()+telemetry.Growth(system, int(f.Hops)))
				packets += n
			}
			return bytes / packets, t.Flows.Len(), nil
		}).In(plots.InBytes),
	}
}

// ofWhat lists the encodings of the runs with two classes. Their records describe the port or the queue.
var ofWhat = []study.Scheme{encoding("records of the port", "int"), encoding("records of the queue", "int, of: queue")}

// twoClasses is the length of runs with two classes.
const twoClasses = 3 * unit.Millisecond

// twoQueues contains the measures of the runs with two classes, from the packets that the senders have sent. Hosts 2
// and 3 send in the class with weight 3. The payload of a packet is 1000 B.
var twoQueues = []study.Measure{
	study.PerTrial(heavyShare, func(t *study.Trial) (float64, int, error) {
		heavy, all := 0.0, 0.0
		for f := range t.Flows.All() {
			if all += float64(f.Packets); f.Src >= 2 {
				heavy += float64(f.Packets)
			}
		}
		return heavy / all, t.Flows.Len(), nil
	}),
	study.PerTrial(portRate, func(t *study.Trial) (float64, int, error) {
		packets := 0.0
		for f := range t.Flows.All() {
			packets += float64(f.Packets)
		}
		return packets * 8000 / twoClasses.Seconds(), t.Flows.Len(), nil
	}).In(plots.InBitsPerSecond),
}

// classCells returns the runs with two classes. In the case oneBusy, the class with weight 3 sends only 1 KB.
func classCells() (list []study.Cell) {
	for _, c := range []struct{ name, heavy string }{
		{bothBusy, "{src: 2, dst: 4, size: 1GB}, {src: 3, dst: 4, size: 1GB}, "}, {oneBusy, ""},
	} {
		for _, s := range ofWhat {
			list = append(list, study.Cell{Case: c.name, Scheme: s.Name, X: math.NaN(), Base: "fat320-web",
				Measures: twoQueues, Set: append([]string{
					"name=hpcc-queues", "topology={kind: star, hosts: 5}",
					"network.scheduling={kind: drr, weights: [2=3]}",
					"workload=[{kind: list, flows: [{src: 0, dst: 4, size: 1GB}, {src: 1, dst: 4, size: 1GB}], " +
						"priority: 1}, {kind: list, flows: [" + c.heavy + "{src: 2, dst: 4, size: 1KB}], priority: 2}]",
					fmt.Sprintf("run.until=%v", twoClasses),
				}, s.Set...)})
		}
	}
	return list
}

func measureEncodings(ctx context.Context, j *figure.Job, z encodingsScale) ([]study.Row, error) {
	p := study.Study{Seeds: j.SeedList(z.seeds), Measures: encodingQuantities(z.buckets)}
	for _, t := range []struct {
		name, sizes string
		arrivals    unit.Time
	}{{webSearch, "websearch", z.web}, {hadoop, "hadoop", z.hadoop}} {
		for _, load := range z.loads {
			for i, s := range encodingsList {
				e := study.Cell{Case: fmt.Sprintf("%s, %s", t.name, number.Share(load)), Scheme: s.Name, X: math.NaN(),
					Base: "fat320-web", Long: unit.MB, Set: append([]string{
						"name=hpcc-encodings",
						"topology={kind: fattree, k: 4, host_rate: 100Gbps, fabric_rate: 100Gbps}",
						fmt.Sprintf("workload=[{kind: poisson, sizes: %s, load: %v, duration: %v}]", t.sizes, load,
							t.arrivals),
					}, s.Set...)}
				if s.Name == ioamProbes.Name { // data packets carry no telemetry
					e.Measures = slices.DeleteFunc(encodingQuantities(z.buckets),
						func(m study.Measure) bool { return m.Name == arriving })
				}
				if i > 0 {
					e.Against = []string{exactFree.Name}
				}
				if o, ok := other[s.Name]; ok {
					e.Against = append(e.Against, o.Name)
				}
				p.Cells = append(p.Cells, e)
			}
		}
	}
	p.Cells = append(p.Cells, classCells()...)
	for _, s := range slices.Concat(encodingsList, ofWhat) {
		j.Setting(s.Name, "", "%s", s.Changes())
	}
	j.Footnote("16-host fat tree at 100 Gb/s, 1 µs per link, T = 13 µs, %v, then until all flows have finished; two "+
		"classes: four senders to one port for %v; bars: 95 %% intervals over the seeds", z, twoClasses)
	return p.Measure(ctx, j, study.All("", ""))
}

func encodingsTables(rows []study.Row) []figure.Table {
	apart := func(two bool) []study.Row {
		return figure.Pick(rows, func(r *study.Row) bool { return (r.Case == bothBusy || r.Case == oneBusy) == two })
	}
	sizes := figure.Lines("sizes",
		figure.BySchemesAndBuckets(figure.Pick(apart(false), func(r *study.Row) bool { return !math.IsNaN(r.Share) })),
		figure.Case("traffic"), figure.Scheme("encoding"), figure.UpTo("flows up to"), figure.Value("p50", "", sized50),
		figure.Value("p99", "", sized99), figure.Change("p99 against exact", sized99), figure.Flows("flows", sized50))
	sizes.Folded = true
	return []figure.Table{
		figure.Lines("alike", figure.BySchemes(apart(false)),
			figure.Case("traffic"), figure.Scheme("encoding"), figure.Value("telemetry", "", arriving),
			figure.Value("mean slowdown", "", wholeMean), figure.Change("against exact", wholeMean),
			figure.Value("p99 slowdown", "", whole99), figure.Change("against exact, p99", whole99),
			figure.Value("goodput above 1 MB", "Gb/s", longRate)),
		figure.Lines("classes", figure.BySchemes(apart(true)),
			figure.Case("senders"), figure.Scheme("records"), figure.Value("class with weight 3", "%", heavyShare),
			figure.Value("throughput", "Gb/s", portRate)),
		sizes,
	}
}

// drawEncodings draws two figures with ratios to exactFree: p99 slowdowns by flow size, and the p99 slowdown of all
// flows and the goodput of long flows.
func drawEncodings(rows []study.Row) ([]figure.Drawing, error) {
	all := plots.Figure{Title: "Flows by encoding, against exact records without bytes", Width: plots.PageWidth,
		Columns: 2}
	for _, of := range [][2]string{{whole99, "Ratio of p99 slowdowns"}, {longRate, "Ratio of goodputs above 1 MB"}} {
		for _, traffic := range []string{webSearch, hadoop} {
			all.Panels = append(all.Panels, againstExact(rows, traffic, of[0], of[1]))
		}
	}
	shown := []string{ownFormat.Name, mdRate.Name, ifaRecords.Name, ioamTrace.Name, csigTag.Name, pintDigest.Name}
	of := figure.Pick(rows, func(r *study.Row) bool {
		return r.Quantity == sized99 && r.Against == exactFree.Name && slices.Contains(shown, r.Scheme)
	})
	sizes, err := figure.BySize(of, 0.99, figure.Ratio("Ratio of p99 slowdowns"))
	sizes.Title = "p99 slowdown by flow size, against exact records without bytes"
	sizes.Width, sizes.Columns = plots.PageWidth, 2
	return []figure.Drawing{{Name: "sizes", Caption: "by size", Plot: sizes}, {Name: "all", Plot: all}}, err
}

// againstExact returns a panel with the ratios of a quantity to the exact encoding, by encoding and load.
func againstExact(rows []study.Row, traffic, quantity, label string) plots.Panel {
	of := figure.Pick(rows, func(r *study.Row) bool {
		return r.Against == exactFree.Name && r.Quantity == quantity && strings.HasPrefix(r.Case, traffic+", ")
	})
	names := study.Schemes(of)
	p := plots.Panel{Title: traffic, X: plots.Axis{Scale: plots.Categorical, Categories: names}, Y: figure.Ratio(label)}
	for _, c := range study.Cases(of) {
		load := figure.Pick(of, func(r *study.Row) bool { return r.Case == c })
		s := plots.Series{Name: strings.TrimPrefix(c, traffic+", ") + " load", Style: plots.Points}
		p.Series = append(p.Series, figure.Ranges(s, load, func(r *study.Row) (x, y, lo, hi float64) {
			return float64(slices.Index(names, r.Scheme)), r.Value, r.Lo, r.Hi
		}))
	}
	return p
}
