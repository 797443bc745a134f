package main

import (
	"fmt"
	"math"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"pintlab/experiments/campaign"
	"pintlab/experiments/measure/accuracy"
	"pintlab/experiments/measure/speed"
	"pintlab/int/sketch/heavy"
	"pintlab/netsim/unit"
	"pintlab/workloads/packets"
)

func sketchAccuracy(p *program) *cobra.Command {
	var o options
	var t traceFlags
	memories := []unit.Bytes{300 * unit.KB, 900 * unit.KB}
	which := accuracy.Kinds()
	paper := accuracy.Paper()
	hitter, change, table := paper.Hitter, paper.Change, paper.Table
	cmd := &cobra.Command{
		Use:   "accuracy [TRACE [NEXT]]",
		Short: "Errors of sketches in six tasks, against the exact counts",
		Long: `Errors of sketches in the six local tasks of SketchINT: flow sizes, heavy hitters,
heavy changes, flow size distribution, entropy and cardinality. Each number is the
median over the seeds, with the least and the most of them below. Heavy changes need a second trace, NEXT; a generated trace has
a second window. docs/sketches.md has the definitions.`,
		Example: `  pintlab sketch accuracy --packets 230000 --flows 17000 --memory 30KB,90KB --seeds 3
  pintlab sketch accuracy caida.pcap.gz --sketches tower-cu,elastic --memory 900KB
  pintlab sketch accuracy 1.dat 2.dat --json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 2 {
				return fmt.Errorf("%s: want at most a trace and the next one, got %d arguments", cmd.CommandPath(), len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.given(flagOut) {
				if err := checkOut(o.out); err != nil {
					return err
				}
			}
			if err := campaign.CheckSeeds(o.seed, o.seeds); err != nil {
				return fmt.Errorf("--seed: %w", err)
			}
			windows, done, err := t.windows(args, 2, o.seed, false)
			if err != nil {
				return err
			}
			if len(windows) < 2 {
				if err := without(cmd, "without a second window", "change"); err != nil {
					return err
				}
			}
			show := p.display(&o, 1)
			task := show.Begin("sketch accuracy")
			c := accuracy.Config{
				Sketches: which, Seeds: campaign.Seeds(o.seed, o.seeds), Hitter: hitter, Change: change, Table: table, Workers: o.workers,
				Progress: func(n int64) { task.Update(0, fmt.Sprintf("%d packets", n)) },
			}
			for _, m := range memories {
				c.Memories = append(c.Memories, int(m))
			}
			var second packets.Source
			if len(windows) > 1 {
				second = windows[1]
			}
			results, truth, err := accuracy.Run(cmd.Context(), c, windows[0], second)
			task.End()
			show.Close()
			if err = p.skipped(args, windows, err); err != nil {
				return err
			}
			if err := done(); err != nil {
				return err
			}
			means, err := accuracy.Means(results)
			if err != nil {
				return err
			}
			if o.given(flagOut) {
				if err := p.drawAccuracy(filepath.Join(o.out, "sketch", "accuracy"), means, truth, len(c.Seeds)); err != nil {
					return err
				}
			}
			if o.json {
				return p.printJSON(accuracy.Summarise(truth, means))
			}
			p.printf("%d packets of %d flows, entropy %.4f bits; %s\n\n", truth.First.Packets(), truth.First.Flows(), truth.Entropy, overSeeds(len(c.Seeds)))
			p.printf("%-10s %9s %11s %11s %8s %11s %8s %11s %11s %8s\n", "sketch", "memory", "ARE", "AAE", "HH F1", "HH ARE", "HC F1", "entropy RE", "card. RE", "WMRE")
			for _, m := range means {
				line := func(name, memory string, of func(*accuracy.Number) float64) {
					p.printf("%-10s %9s %11s %11s %8s %11s %8s %11s %11s %8s\n", name, memory, digits(of(&m.ARE)), digits(of(&m.AAE)),
						fraction(of(&m.HitterF1)), digits(of(&m.HitterARE)), fraction(of(&m.ChangeF1)), digits(of(&m.Entropy)), digits(of(&m.Cardinality)), fraction(of(&m.Distribution)))
				}
				line(m.Sketch.Label(), unit.Bytes(m.Memory).String(), accuracy.Median)
				if m.Seeds > 1 {
					line("  least", "", accuracy.Least)
					line("  most", "", accuracy.Most)
				}
			}
			for _, m := range means {
				if m.Dropped > 0 {
					p.printf("%s with %v: %d packets of heavy flows found a table of %d full (--table)\n", m.Sketch.Label(), unit.Bytes(m.Memory), m.Dropped, table)
				}
			}
			return nil
		},
	}
	o.seed, o.seeds, o.workers = 1, 1, runtime.GOMAXPROCS(0)
	o.attach(cmd, flagSeed, flagSeeds, flagWorkers, flagJSON, flagQuiet, flagOut)
	t.attach(cmd)
	f := cmd.Flags()
	f.Var(&sizes{&memories}, "memory", "`sizes` of the sketches")
	f.Var(&kinds{&which}, "sketches", "which `sketches`")
	f.Var(&whole[uint64]{value: &hitter, min: 1, max: maxPassing}, "hitter", "a flow of `N` packets is a heavy hitter")
	f.Var(&whole[uint64]{value: &change, min: 1, max: maxPassing}, "change", "a difference of `N` packets is a heavy change")
	f.Var(&whole[int]{value: &table, min: 1, max: heavy.MaxCapacity}, "table", "room of a table of heavy flows for `N` of them")
	return cmd
}

// drawAccuracy draws each task against the memory.
func (p *program) drawAccuracy(dir string, means []accuracy.Mean, truth *accuracy.Truth, seeds int) error {
	files, err := accuracy.Save(dir, means, fmt.Sprintf("%d packets of %d flows; %s", truth.First.Packets(), truth.First.Flows(), overSeeds(seeds)))
	for _, f := range files {
		fmt.Fprintf(p.stderr, "drawn   %s\n", f)
	}
	return err
}

// overSeeds says what numbers over the seeds are.
func overSeeds(n int) string {
	if n == 1 {
		return "one seed"
	}
	return fmt.Sprintf("median of %d seeds, and the least and the most of them", n)
}

// digits is a number in a table; "-" if there is none.
func digits(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "-"
	}
	return fmt.Sprintf("%.4g", x)
}

// fraction is a number between 0 and 1, or so, in a table.
func fraction(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "-"
	}
	return fmt.Sprintf("%.4f", x)
}

// speedLine is an entry of the JSON of sketch speed, in millions of packets per second.
type speedLine struct {
	Sketch string  `json:"sketch"`
	Insert float64 `json:"insert_mpps"`
	Query  float64 `json:"query_mpps"`
}

// parallelLine is an entry of the same JSON for several goroutines.
type parallelLine struct {
	Sketch     string  `json:"sketch"`
	Locked     bool    `json:"locked"`
	Goroutines int     `json:"goroutines"`
	Insert     float64 `json:"insert_mpps"`
	ARE        float64 `json:"are"`
}

func sketchSpeed(p *program) *cobra.Command {
	var o options
	var t traceFlags
	memory := []unit.Bytes{2 * unit.MB}
	which := []accuracy.Kind{accuracy.TowerCM, accuracy.TowerCU, accuracy.CM, accuracy.CU, accuracy.SuMax, accuracy.Elastic}
	c := speed.Config{Arrays: 5, Rounds: 7}
	keys := "4"
	goroutines := 1
	cmd := &cobra.Command{
		Use:   "speed [TRACE]",
		Short: "Packets per second that sketches take in and answer for",
		Long: `Packets per second that sketches take in and answer for, on this machine. Each part
of the trace counts with the fastest of several rounds. With --goroutines, a
TowerSketch shared by as many goroutines, without a lock and with one, is measured
too, with the error that is left.`,
		Example: `  pintlab sketch speed
  pintlab sketch speed --memory 900KB --arrays 3 --keys 13
  pintlab sketch speed --goroutines 2 caida.pcap`,
		Args: atMostOne("a trace"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(memory) != 1 {
				return fmt.Errorf("--memory: want one size, got %d", len(memory))
			}
			c.Memory, c.Tuples, c.Seed = int(memory[0]), keys == "13", o.seed
			if err := c.Validate(); err != nil {
				return err
			}
			windows, done, err := t.windows(args, 1, o.seed, false)
			if err != nil {
				return err
			}
			stream, err := speed.Read(windows[0], maxSpeedPackets)
			if err = p.skipped(args, windows, err); err != nil {
				return err
			}
			if err := done(); err != nil {
				return err
			}
			var lines []speedLine
			for _, k := range which {
				r, err := c.Run(cmd.Context(), k, stream)
				if err != nil {
					return noRoom(err)
				}
				lines = append(lines, speedLine{string(k), r.Insert, r.Query})
			}
			var shared []parallelLine
			for _, locked := range []bool{false, true} {
				for _, conservative := range []bool{false, true} {
					for g := 1; g <= goroutines && goroutines > 1; g++ {
						mpps, are, err := c.Parallel(cmd.Context(), stream, conservative, locked, g)
						if err != nil {
							return noRoom(err)
						}
						name := accuracy.TowerCM
						if conservative {
							name = accuracy.TowerCU
						}
						shared = append(shared, parallelLine{string(name), locked, g, mpps, are})
					}
				}
			}
			if o.json {
				return p.printJSON(struct {
					Packets int            `json:"packets"`
					Memory  int            `json:"memory_bytes"`
					Arrays  int            `json:"arrays"`
					Key     string         `json:"key_bytes"`
					Sketch  []speedLine    `json:"sketches"`
					Shared  []parallelLine `json:"shared,omitempty"`
				}{len(stream.Words), c.Memory, c.Arrays, keys, lines, shared})
			}
			p.printf("%d packets, %v, %d arrays, keys of %s bytes; best of %d rounds\n\n", len(stream.Words), memory[0], c.Arrays, keys, c.Rounds)
			p.printf("%-10s %12s %12s\n", "sketch", "insert Mpps", "query Mpps")
			for _, l := range lines {
				p.printf("%-10s %12.1f %12.1f\n", accuracy.Kind(l.Sketch).Label(), l.Insert, l.Query)
			}
			if len(shared) > 0 {
				p.printf("\n%-10s %-10s %11s %12s %10s\n", "shared", "lock", "goroutines", "insert Mpps", "ARE")
			}
			for _, l := range shared {
				lock := "none"
				if l.Locked {
					lock = "mutex"
				}
				p.printf("%-10s %-10s %11d %12.1f %10.4g\n", accuracy.Kind(l.Sketch).Label(), lock, l.Goroutines, l.Insert, l.ARE)
			}
			return nil
		},
	}
	o.seed = 1
	o.attach(cmd, flagSeed, flagJSON)
	t.attach(cmd)
	f := cmd.Flags()
	kept := f.Lookup("packets").Value.(*whole[int])
	kept.max, kept.bytes = maxSpeedPackets, 32
	f.Var(&sizes{&memory}, "memory", "`size` of each sketch")
	f.Var(&kinds{&which}, "sketches", "which `sketches`")
	f.Var(&whole[int]{value: &c.Arrays, min: 3, max: 5}, "arrays", "`N` arrays: 5 (2 to 32 bits) or 3 (8 to 32 bits)")
	f.Var(&whole[int]{value: &c.Rounds, min: 1, max: 1000}, "rounds", "number `N` of rounds")
	f.Var(&choice{&keys, []string{"4", "13"}}, "keys", "`bytes` of a key: 4, or 13 for the 5-tuple")
	f.Var(&whole[int]{value: &goroutines, min: 1, max: 256}, "goroutines", "insert with 1 to `N` goroutines into one sketch as well")
	return cmd
}

// maxSpeedPackets is how many packets of a trace are kept in memory to measure speed.
const maxSpeedPackets = 1 << 24
