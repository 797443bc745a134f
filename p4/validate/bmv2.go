package validate

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gopacket/gopacket/pcapgo"

	"pintlab/internal/lists"
	"pintlab/internal/outfile"
	"pintlab/internal/parallel"
	"pintlab/internal/rng"
	"pintlab/p4"
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
	// Begin is how long the switch waits before it reads its packets, while the control plane
	// configures it. perEntry is added for each table entry. If configuration takes longer, the run
	// is repeated with twice the time.
	Begin time.Duration
	// The switch never exits by itself. It is killed Settle after it has written the expected
	// number of bytes (more may follow, which would be a difference), or when its files have not
	// grown for Quiet. A run whose files still grow after Patience is an error.
	Settle, Quiet, Patience time.Duration

	made   map[string]func() (*compiled, error) // compiled programs by file and macros
	making sync.Mutex
}

// Settings of the runs in BMv2. Its egress queues would by default hold 64 packets and drop the rest of a burst.
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
	Chain   *ChainReport   `json:"chain"` // five switches in a row; null if nothing was run
}

// BMv2Equality counts packets and cells that are equal in BMv2 and in the interpreter.
type BMv2Equality struct {
	Program string `json:"program"`
	In      int    `json:"in"`    // packets sent to the switch
	Out     int    `json:"out"`   // packets that the switch sent
	Cells   int    `json:"cells"` // compared cells of registers
}

// bmv2Difference is the first packet of a port in which BMv2 and the interpreter differ.
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
	return fmt.Sprintf("%s: packet %d out of port %d: simple_switch sends %s, the interpreter %s%s",
		d.Program, d.Packet, d.Port, show(d.Got), show(d.Want), from)
}

// sentPacket is an output packet of the interpreter with its input packet.
type sentPacket struct{ in, out []byte }

// equal compiles the program and runs packets through simple_switch. The switch must send the same
// packets as the interpreter, in the same order on each port, and have the same values in its
// registers. Both get the same table entries: as constants of the program in the interpreter, by
// commands in the switch. The clock of BMv2 is that of the machine. The packets of these programs do
// not depend on it; registers that do are not compared. The error is a *BMv2Difference if a packet
// differs.
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

// same runs a sample in the switch and returns the output packets of each port, which must be those
// of the interpreter.
func (b *bmv2) same(ctx context.Context, c *compiled, s *bmv2Sample, same func(got, want []byte) bool) (map[int][][]byte, error) {
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
	commands  []string // of the control plane
	in        [][]byte // arrives on port 0
	out       map[int][]sentPacket
	registers []*p4exec.Register // to compare
	names     []string           // of the registers
}

// timed is a twin of a program with registers that depend on the clock; it returns their names.
type timed interface{ clockRegisters() []string }

// commanded is a twin whose control plane is commands of the runtime CLI.
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
	for _, line := range s.commands {
		if _, err := c.pipe.Command(line); err != nil {
			return nil, fmt.Errorf("%s: %q: %w", p.Name, line, err)
		}
	}
	r := rng.New(seed, "p4/validate/bmv2/"+p.Name)
	for range n {
		packet := bytes.Clone(c.twin.draw(r))
		if err := c.next(ctx, packet); err != nil {
			return nil, err
		}
		s.in = append(s.in, packet)
		for _, o := range c.outs {
			s.out[o.Port] = append(s.out[o.Port], sentPacket{packet, bytes.Clone(o.Data)})
		}
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

// compiled is a program compiled by p4c.
type compiled struct {
	program string
	json    string
	prog    *interp.Program // as the interpreter runs it
	entries []string        // commands that add its constant entries to the switch
}

// compile compiles a program once for each set of macros.
func (b *bmv2) compile(ctx context.Context, p Program, defines []string) (*compiled, error) {
	key := fmt.Sprint(p.File, defines)
	b.making.Lock()
	if b.made == nil {
		b.made = map[string]func() (*compiled, error){}
	}
	if b.made[key] == nil {
		b.made[key] = sync.OnceValues(func() (*compiled, error) { return b.p4c(ctx, p, defines) })
	}
	c := b.made[key]
	b.making.Unlock()
	return c()
}

// p4c writes the sources to a new folder and compiles them to prog.json.
func (b *bmv2) p4c(ctx context.Context, p Program, defines []string) (*compiled, error) {
	prog, err := p.load(defines)
	if err != nil {
		return nil, err
	}
	var entries []string
	if prog.HasConstEntries() { // only these programs use the macro Loaded
		loaded, err := p.load(append(slices.Clone(defines), loadedMacro))
		if err == nil {
			entries, err = prog.EntryCommands(loaded)
		}
		if err != nil {
			return nil, err
		}
	}
	dir, err := os.MkdirTemp(b.Dir, "p4c-")
	if err != nil {
		return nil, err
	}
	if err := os.CopyFS(dir, p4.Sources()); err != nil {
		return nil, err
	}
	args := []string{"--std", "p4-16"}
	for _, d := range defines {
		args = append(args, "-D"+d)
	}
	args = append(args, "-o", "prog.json", p.File)
	ctx, cancel := context.WithTimeout(ctx, b.Compile)
	defer cancel()
	cmd := exec.CommandContext(ctx, b.Compiler, args...)
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	said, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("p4c-bm2-ss: %w", ctx.Err())
	}
	if err != nil {
		return nil, fmt.Errorf("p4c-bm2-ss: %w: %s", err, excerpt(said))
	}
	if bytes.Contains(said, []byte("warning:")) {
		return nil, fmt.Errorf("p4c-bm2-ss warns: %s", excerpt(said))
	}
	return &compiled{p.Name, filepath.Join(dir, "prog.json"), prog, entries}, nil
}

// excerpt returns the end of a program's output.
func excerpt(said []byte) string {
	const most = 2000
	said = bytes.TrimSpace(said)
	if len(said) > most {
		said = append([]byte("…"), said[len(said)-most:]...)
	}
	if len(said) == 0 {
		return "it says nothing"
	}
	return string(said)
}

func captureName(dir string, port int, way string) string {
	return filepath.Join(dir, fmt.Sprintf("p%d_%s.pcap", port, way))
}

// errLate means that the switch began to read packets before it was configured.
var errLate = errors.New("the control plane was not done when the first packet came")

// run sends the packets to port 0 of the compiled program and returns the output packets of each port,
// after it has compared the registers.
func (b *bmv2) run(ctx context.Context, c *compiled, s *bmv2Sample) (got map[int][][]byte, err error) {
	for begin := b.Begin + perEntry*time.Duration(len(c.entries)); ; begin *= 2 {
		got, err = b.once(ctx, c, s, begin)
		if !errors.Is(err, errLate) || begin > b.Patience {
			return got, err
		}
	}
}

func (b *bmv2) once(ctx context.Context, c *compiled, s *bmv2Sample, begin time.Duration) (map[int][][]byte, error) {
	dir, err := os.MkdirTemp(b.Dir, "run-")
	if err != nil {
		return nil, err
	}
	want, in := s.out, s.in
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	args := []string{"--thrift-port", port, "--use-files", strconv.Itoa(int(math.Ceil(begin.Seconds())))}
	size := int64(0) // of the expected captures
	for _, list := range want {
		for _, p := range list {
			size += captureRecord + int64(len(p.out))
		}
		if len(list) > 0 {
			size += captureHeader
		}
	}
	for _, port := range ports(want) {
		args = append(args, "-i", fmt.Sprintf("%d@p%d", port, port))
		arriving := in
		if port != 0 {
			arriving = nil // the switch needs a file for every port
		}
		if err := writeCapture(captureName(dir, port, "in"), arriving); err != nil {
			return nil, err
		}
	}
	if err := b.process(ctx, dir, append(args, c.json), port, c, s, begin, size); err != nil {
		return nil, err
	}
	got := map[int][][]byte{}
	for port := range want {
		if got[port], err = readCapture(captureName(dir, port, "out")); err != nil {
			return nil, err
		}
	}
	return got, nil
}

// freePort finds a TCP port that nobody listens on.
func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, errors.Join(err, l.Close())
}

// command sends lines to the control plane of the switch and returns the reply.
func (b *bmv2) command(ctx context.Context, port string, lines []string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, b.Patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, b.CLI, "--thrift-port", port)
	cmd.Stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
	cmd.WaitDelay = time.Second
	said, err := cmd.CombinedOutput()
	if err != nil {
		return said, fmt.Errorf("simple_switch_CLI: %w: %s", err, excerpt(said))
	}
	for _, word := range []string{"Error", "Invalid"} { // the CLI exits with 0 despite these
		if i := bytes.Index(said, []byte(word)); i >= 0 {
			return said, fmt.Errorf("simple_switch_CLI: %s", excerpt(said[i:]))
		}
	}
	return said, nil
}

var errEnded = errors.New("ended by itself")

// configure sets the depth of the queues and fills the tables, as soon as the switch listens.
func (b *bmv2) configure(ctx context.Context, port string, c *compiled, s *bmv2Sample, until time.Time, ended <-chan struct{}) error {
	lines := slices.Concat([]string{fmt.Sprintf("set_queue_depth %d", bmv2Queue)}, c.entries, s.commands)
	for {
		_, err := b.command(ctx, port, lines)
		switch late := time.Now().After(until); {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil && !late:
			return nil
		case late:
			return errors.Join(errLate, err)
		}
		select {
		case <-ended:
			return errEnded
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// sameRegisters compares the registers of the switch with those of the interpreter.
func (b *bmv2) sameRegisters(ctx context.Context, port string, s *bmv2Sample) error {
	if len(s.names) == 0 {
		return nil
	}
	lines := lists.Map(s.names, func(n string) string { return "register_read " + n })
	said, err := b.command(ctx, port, lines)
	if err != nil {
		return err
	}
	for k, r := range s.registers {
		_, rest, ok := strings.Cut(string(said), s.names[k]+"= ")
		if !ok {
			return fmt.Errorf("simple_switch_CLI does not show register %s: %s", s.names[k], excerpt(said))
		}
		line, _, _ := strings.Cut(rest, "\n")
		cells := strings.Split(strings.TrimSpace(line), ", ")
		if len(cells) != r.Size {
			return fmt.Errorf("register %s has %d cells in simple_switch, %d in the interpreter", s.names[k], len(cells), r.Size)
		}
		for i, c := range cells {
			v, err := r.Read(i)
			if err != nil {
				return err
			}
			if c != v.String() {
				return fmt.Errorf("cell %d of register %s is %s in simple_switch, %s in the interpreter", i, s.names[k], c, v)
			}
		}
	}
	return nil
}

// process starts the switch, configures it, waits until its output is complete, compares its
// registers and kills it.
func (b *bmv2) process(ctx context.Context, dir string, args []string, port string, c *compiled, s *bmv2Sample, begin time.Duration, want int64) error {
	ports := ports(s.out)
	var said bytes.Buffer
	cmd := exec.Command(b.Switch, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &said, &said
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("simple_switch: %w", err)
	}
	ended := make(chan struct{})
	var exit error // valid once ended is closed
	go func() {
		exit = cmd.Wait()
		close(ended)
	}()
	started := time.Now()
	problem := b.configure(ctx, port, c, s, started.Add(begin), ended)
	grown, size := started.Add(begin), int64(0)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for done := problem != nil && !errors.Is(problem, errEnded); !done; {
		select {
		case <-ended:
			if exit == nil {
				exit = errors.New("exit status 0")
			}
			return fmt.Errorf("simple_switch %w: %w: %s", errEnded, exit, excerpt(said.Bytes()))
		case <-ctx.Done():
			problem, done = ctx.Err(), true
		case now := <-tick.C:
			if s := captured(dir, ports); s != size {
				grown, size = now, s
			}
			quiet := now.Sub(grown)
			switch {
			case quiet >= b.Quiet, size > 0 && size >= want && quiet >= b.Settle:
				done = true
			case now.Sub(started) >= begin+b.Patience:
				problem, done = fmt.Errorf("simple_switch still writes after %v", b.Patience), true
			}
		}
	}
	if problem == nil {
		problem = b.sameRegisters(ctx, port, s)
	}
	if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return errors.Join(problem, fmt.Errorf("simple_switch: %w", err))
	}
	<-ended
	return problem
}

// captured returns the size of the files of all ports.
func captured(dir string, ports []int) (size int64) {
	for _, port := range ports {
		if info, err := os.Stat(captureName(dir, port, "out")); err == nil {
			size += info.Size()
		}
	}
	return size
}

func ports[T any](m map[int]T) []int { return slices.Sorted(maps.Keys(m)) }

// firstDifference returns the first differing packet of the first port with a difference, or nil.
func firstDifference(got map[int][][]byte, want map[int][]sentPacket, same func(got, want []byte) bool) *bmv2Difference {
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

// The sizes of the headers of a capture file and of a packet in it.
const (
	captureHeader = 24
	captureRecord = 16
)

func writeCapture(name string, packets [][]byte) (err error) {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w, err := interp.NewPcapFile(f)
	if err != nil {
		return err
	}
	for i, p := range packets {
		if err := w.WritePacket(0, time.UnixMicro(int64(i)), p, len(p)); err != nil {
			return err
		}
	}
	return nil
}

// readCapture reads the packets of a file. If the switch sent nothing, the file may be empty or
// missing. simple_switch writes link type 0 and sends Ethernet.
func readCapture(name string) (packets [][]byte, err error) {
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(data) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r, err := pcapgo.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(name), err)
	}
	for {
		p, _, err := r.ReadPacketData()
		if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return packets, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: packet %d: %w", filepath.Base(name), len(packets), err)
		}
		packets = append(packets, p)
	}
}

// runBMv2 runs the programs in BMv2 if it is installed.
func runBMv2(ctx context.Context, programs []Program, seed uint64, say func(string, ...any)) (report BMv2Report, err error) {
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
	err = parallel.Each(ctx, runtime.GOMAXPROCS(0), len(programs)+1, func(_ context.Context, i int) error {
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
