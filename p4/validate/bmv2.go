package validate

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"pintlab/internal/hash"
	"pintlab/internal/lists"
	"pintlab/internal/outfile"
	"pintlab/p4/interp"
	p4exec "pintlab/p4/interp/exec"
)

// bmv2 is the reference switch of P4.org with its compiler and its CLI.
type bmv2 struct {
	Compiler string // path of p4c-bm2-ss
	Switch   string // path of simple_switch
	CLI      string // path of simple_switch_CLI
	Dir      string // existing folder for compiled programs and captures; the caller removes it
	// Compile bounds the compiler, which takes some seconds.
	Compile time.Duration
	// Begin is how long the switch waits before it reads its packets. During this time the control plane configures
	// the switch. perEntry is added for each table entry. If the configuration takes longer, the run is repeated
	// with twice the time.
	Begin time.Duration
	// The switch never exits, so it must be killed. It is killed Settle after it has written the expected number of
	// bytes (more bytes may follow, which would be a difference), or when its files have not grown for Quiet. A run
	// whose files still grow after Patience is an error.
	Settle, Quiet, Patience time.Duration

	made   map[string]func() (*compiled, error) // compiled programs by file and macros
	making sync.Mutex
}

// Settings of the runs in BMv2. By default, its egress queues would hold 64 packets and drop the remaining packets
// of a burst.
const (
	bmv2Packets = 2000
	bmv2Queue   = 16 * bmv2Packets
	perEntry    = 100 * time.Microsecond
)

// findBMv2 finds the three programs on the PATH. The error names a missing one.
func findBMv2() (*bmv2, error) {
	b := &bmv2{Compile: 5 * time.Minute, Begin: 2 * time.Second,
		Settle: 300 * time.Millisecond, Quiet: 3 * time.Second, Patience: time.Minute}
	var errs [3]error
	b.Compiler, errs[0] = exec.LookPath("p4c-bm2-ss")
	b.Switch, errs[1] = exec.LookPath("simple_switch")
	b.CLI, errs[2] = exec.LookPath("simple_switch_CLI")
	return b, cmp.Or(errs[:]...)
}

// BMv2Report is the result of running the programs in BMv2.
type BMv2Report struct {
	Skipped string         `json:"skipped"` // why nothing was run; "" if the programs were run
	Equal   []BMv2Equality `json:"equal"`
	Chain   *ChainReport   `json:"chain"` // five switches one after the other; null if nothing was run
}

// BMv2Equality counts packets and cells that are equal in BMv2 and in the interpreter.
type BMv2Equality struct {
	Program string `json:"program"`
	In      int    `json:"in"`    // packets sent to the switch
	Out     int    `json:"out"`   // packets that the switch sent
	Cells   int    `json:"cells"` // compared cells of registers
}

// bmv2Difference is the first packet on a port that BMv2 and the interpreter send differently.
type bmv2Difference struct {
	Program string
	Port    int
	Packet  int    // on this port, from 0
	In      []byte // the input packet of Want; nil if the interpreter sends nothing
	Got     []byte // sent by BMv2; nil for nothing
	Want    []byte // sent by the interpreter; nil for nothing
}

func (d *bmv2Difference) Error() string {
	from := ""
	if d.In != nil {
		from = fmt.Sprintf(" (from %x)", d.In)
	}
	return fmt.Sprintf("%s: packet %d from port %d: simple_switch sends %s, but the interpreter sends %s%s",
		d.Program, d.Packet, d.Port, show(d.Got), show(d.Want), from)
}

// sentPacket is an output packet of the interpreter with its input packet.
type sentPacket struct{ in, out []byte }

// equal compiles the program and runs packets through simple_switch. The switch must send the same packets as the
// interpreter, in the same order on each port, and have the same values in its registers. Both get the same table
// entries. In the interpreter they are constants of the program; the switch gets them by commands. The clock of BMv2
// is the machine's clock. The packets of these programs do not depend on the clock, and registers that depend on the
// clock are not compared. The error is a *bmv2Difference if a packet differs.
func (b *bmv2) equal(ctx context.Context, p Program, seed uint64) (e BMv2Equality, err error) {
	e = BMv2Equality{Program: p.Name}
	c, err := b.compile(ctx, p, p.defines())
	if err != nil {
		return e, fmt.Errorf("%s: %w", p.Name, err)
	}
	s, err := p.sample(ctx, c.prog, bmv2Packets, seed)
	if err != nil {
		return e, err
	}
	if _, err := b.same(ctx, c, s, bytes.Equal); err != nil {
		return e, err
	}
	e.In = len(s.in)
	for _, list := range s.out {
		e.Out += len(list)
	}
	for _, r := range s.registers {
		e.Cells += r.Size
	}
	return e, nil
}

// same runs a sample in the switch and returns the output packets of each port. They must equal the output packets
// of the interpreter.
func (b *bmv2) same(
	ctx context.Context, c *compiled, s *bmv2Sample, same func(got, want []byte) bool,
) (map[int][][]byte, error) {
	got, err := b.run(ctx, c, s)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.program, err)
	}
	if d := firstDifference(got, s.out, same); d != nil {
		d.Program = c.program
		return nil, d
	}
	return got, nil
}

// bmv2Sample holds the inputs of a run in the switch, and the expected outputs.
type bmv2Sample struct {
	commands  []string // commands of the control plane
	in        [][]byte // arrives on port 0
	out       map[int][]sentPacket
	registers []*p4exec.Register // to compare
	names     []string           // names of the registers
}

// record adds an input packet and the packets that the interpreter sends for it.
func (s *bmv2Sample) record(in []byte, sent []interp.Output) {
	s.in = append(s.in, in)
	for _, o := range sent {
		s.out[o.Port] = append(s.out[o.Port], sentPacket{in, bytes.Clone(o.Data)})
	}
}

// obey runs the commands of a control plane in the interpreter.
func obey(pipe *interp.Pipeline, commands []string) error {
	for _, line := range commands {
		if _, err := pipe.Command(line); err != nil {
			return fmt.Errorf("%q: %w", line, err)
		}
	}
	return nil
}

// timed is a twin of a program that has registers that depend on the clock. clockRegisters returns the names of
// these registers.
type timed interface{ clockRegisters() []string }

// commanded is a twin whose control plane consists of commands of the runtime CLI.
type commanded interface{ commands() ([]string, error) }

// sample runs n packets through interpreter and twin.
func (p Program) sample(ctx context.Context, prog *interp.Program, n int, seed uint64) (*bmv2Sample, error) {
	c := comparison{p: p}
	var err error
	if c.pipe, err = prog.NewPipeline(interp.Config{Seed: seed}); err != nil {
		return nil, err
	}
	if c.twin, err = p.twin(); err != nil {
		return nil, err
	}
	s := &bmv2Sample{out: map[int][]sentPacket{0: nil, 1: nil}}
	if t, ok := c.twin.(commanded); ok {
		if s.commands, err = t.commands(); err != nil {
			return nil, err
		}
	}
	if err := obey(c.pipe, s.commands); err != nil {
		return nil, fmt.Errorf("%s: %w", p.Name, err)
	}
	r := hash.Stream(seed, "p4/validate/bmv2/"+p.Name)
	for range n {
		packet := bytes.Clone(c.twin.draw(r))
		if err := c.next(ctx, packet); err != nil {
			return nil, err
		}
		s.record(packet, c.outs)
	}
	var clocks []string
	if t, ok := c.twin.(timed); ok {
		clocks = t.clockRegisters()
	}
	for _, o := range c.pipe.Device().Objects() {
		ofClock := slices.ContainsFunc(clocks, func(n string) bool { return strings.HasSuffix(o.Name, "."+n) })
		if r, ok := o.State.(*p4exec.Register); ok && !ofClock {
			s.registers, s.names = append(s.registers, r), append(s.names, o.Name)
		}
	}
	return s, nil
}

func ports[T any](m map[int]T) []int { return slices.Sorted(maps.Keys(m)) }

// firstDifference returns the first packet that differs, on the first port with a difference, or nil.
func firstDifference(
	got map[int][][]byte, want map[int][]sentPacket, same func(got, want []byte) bool,
) *bmv2Difference {
	for _, port := range ports(want) {
		g, w := got[port], want[port]
		for i := range max(len(g), len(w)) {
			d := &bmv2Difference{Port: port, Packet: i}
			if i < len(g) {
				d.Got = g[i]
			}
			if i < len(w) {
				d.In, d.Want = w[i].in, w[i].out
			}
			if (d.Got == nil) != (d.Want == nil) || !same(d.Got, d.Want) {
				return d
			}
		}
	}
	return nil
}

// runBMv2 runs the programs in BMv2 if it is installed.
func runBMv2(
	ctx context.Context, programs []Program, seed uint64, say func(string, ...any),
) (report BMv2Report, err error) {
	report.Equal = []BMv2Equality{}
	b, err := findBMv2()
	if err != nil {
		report.Skipped = strings.TrimPrefix(err.Error(), "exec: ")
		return report, nil
	}
	dir, remove, err := outfile.Scratch("pintlab-bmv2-")
	if err != nil {
		return report, err
	}
	b.Dir = dir
	defer func() { err = errors.Join(err, remove()) }()
	programs = slices.DeleteFunc(slices.Clone(programs), func(p Program) bool { return p.Racing })
	equal, errs := make([]BMv2Equality, len(programs)), make([]error, len(programs)+1)
	chained := slices.ContainsFunc(programs, func(p Program) bool { return p.Name == chainProgram })
	err = lists.Each(ctx, runtime.GOMAXPROCS(0), len(programs)+1, func(_ context.Context, i int) error {
		if i > 0 {
			p := programs[i-1]
			say("%s: %d packets through simple_switch", p.Name, bmv2Packets)
			equal[i-1], errs[i-1] = b.equal(ctx, p, seed)
		} else if chained { // takes longest
			say("%s: %d packets through five switches of simple_switch", chainProgram, 2*chainFlows*chainPackets)
			var c ChainReport
			if c, errs[len(programs)] = b.chain(ctx, chainSwitches(), seed); errs[len(programs)] == nil {
				report.Chain = &c
			}
		}
		return nil
	})
	if err != nil {
		return report, err
	}
	for i, e := range equal {
		if errs[i] == nil {
			report.Equal = append(report.Equal, e)
		}
	}
	return report, errors.Join(errs...)
}
