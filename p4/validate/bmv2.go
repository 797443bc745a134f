package validate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gopacket/gopacket/pcapgo"

	"pintlab/internal/rng"
	"pintlab/p4/interp"
	"pintlab/p4/src"
)

// BMv2 is the reference switch of P4.org with its compiler.
type BMv2 struct {
	Compiler string // path of p4c-bm2-ss
	Switch   string // path of simple_switch
	// The switch never exits by itself. It is ended Settle after it wrote as many bytes
	// as are expected (more may follow, which would be a difference), or when its files
	// have not grown for Quiet. A run that still grows after Patience is an error.
	Settle, Quiet, Patience time.Duration
}

// What is sent to BMv2: its egress queues keep 64 packets, so runs are shorter than that.
// Each run is a process of its own, with empty registers.
const (
	bmv2Runs    = 4
	bmv2Packets = 48
)

// FindBMv2 finds both programs on the PATH. The error says which one is missing.
func FindBMv2() (*BMv2, error) {
	b := &BMv2{Settle: 300 * time.Millisecond, Quiet: 3 * time.Second, Patience: time.Minute}
	var err error
	if b.Compiler, err = exec.LookPath("p4c-bm2-ss"); err != nil {
		return nil, err
	}
	if b.Switch, err = exec.LookPath("simple_switch"); err != nil {
		return nil, err
	}
	return b, nil
}

// BMv2Report is what came of running the programs in BMv2.
type BMv2Report struct {
	Skipped string         `json:"skipped"` // why nothing was run; "" if it was
	Equal   []BMv2Equality `json:"equal"`
}

// BMv2Equality says that BMv2 and the interpreter sent the same packets.
type BMv2Equality struct {
	Program string `json:"program"`
	Runs    int    `json:"runs"`
	In      int    `json:"in"`  // packets sent to the switch, all runs together
	Out     int    `json:"out"` // and that it sent
}

// BMv2Difference is the first packet of a port on which BMv2 and the interpreter disagree.
type BMv2Difference struct {
	Program string
	Run     int // from 0
	Port    int
	Packet  int    // on this port, from 0
	In      []byte // what the interpreter made Want of; nil if it sends nothing
	Got     []byte // by BMv2; nil if it sent nothing
	Want    []byte // by the interpreter; nil if it sent nothing
}

func (d *BMv2Difference) Error() string {
	from := ""
	if d.In != nil {
		from = fmt.Sprintf(" (from %x)", d.In)
	}
	return fmt.Sprintf("%s: run %d, packet %d out of port %d: simple_switch sends %s, the interpreter %s%s",
		d.Program, d.Run, d.Packet, d.Port, show(d.Got), show(d.Want), from)
}

// sentPacket is a packet of the interpreter with the one that it was made of.
type sentPacket struct{ in, out []byte }

// Equal compiles the program and runs packets through simple_switch, which must send
// what the interpreter sends, in the same order on each port. (The clock of BMv2 is that
// of the machine; what the programs here send does not depend on it.) The error is a
// *BMv2Difference if they disagree.
func (b *BMv2) Equal(ctx context.Context, p Program, seed uint64) (e BMv2Equality, err error) {
	e = BMv2Equality{Program: p.Name}
	dir, err := os.MkdirTemp("", "pintlab-bmv2-")
	if err != nil {
		return e, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := b.compile(ctx, p, dir); err != nil {
		return e, fmt.Errorf("%s: %w", p.Name, err)
	}
	prog, err := p.Load()
	if err != nil {
		return e, err
	}
	for ; e.Runs < bmv2Runs; e.Runs++ {
		in, want, err := p.sample(ctx, prog, bmv2Packets, seed, e.Runs)
		if err != nil {
			return e, err
		}
		got, err := b.run(ctx, dir, in, want)
		if err != nil {
			return e, fmt.Errorf("%s: run %d: %w", p.Name, e.Runs, err)
		}
		if d := firstDifference(got, want); d != nil {
			d.Program, d.Run = p.Name, e.Runs
			return e, d
		}
		e.In += len(in)
		for _, list := range want {
			e.Out += len(list)
		}
	}
	return e, nil
}

// sample runs n packets through interpreter and twin: what arrives on port 0 and what
// leaves on each port.
func (p Program) sample(ctx context.Context, prog *interp.Program, n int, seed uint64, run int) (in [][]byte, out map[int][]sentPacket, err error) {
	c := comparison{p: p}
	if c.pipe, err = prog.NewPipeline(interp.Config{Seed: seed}); err != nil {
		return nil, nil, err
	}
	if c.twin, err = p.twin(); err != nil {
		return nil, nil, err
	}
	r := rng.New(seed, fmt.Sprintf("p4/validate/bmv2/%s/%d", p.Name, run))
	out = map[int][]sentPacket{0: nil, 1: nil}
	for range n {
		packet := bytes.Clone(c.twin.draw(r))
		if err := c.next(ctx, packet); err != nil {
			return nil, nil, err
		}
		in = append(in, packet)
		for _, o := range c.outs {
			out[o.Port] = append(out[o.Port], sentPacket{packet, bytes.Clone(o.Data)})
		}
	}
	return in, out, nil
}

// compile writes the sources to dir and makes prog.json of them.
func (b *BMv2) compile(ctx context.Context, p Program, dir string) error {
	if err := os.CopyFS(dir, src.FS); err != nil {
		return err
	}
	args := []string{"--std", "p4-16"}
	for _, d := range p.Defines {
		args = append(args, "-D"+d)
	}
	args = append(args, "-o", "prog.json", p.File)
	ctx, cancel := context.WithTimeout(ctx, b.Patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, b.Compiler, args...)
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	said, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return fmt.Errorf("p4c-bm2-ss: %w", ctx.Err())
	}
	if err != nil {
		return fmt.Errorf("p4c-bm2-ss: %w: %s", err, excerpt(said))
	}
	if bytes.Contains(said, []byte("warning:")) {
		return fmt.Errorf("p4c-bm2-ss warns: %s", excerpt(said))
	}
	return nil
}

// excerpt is the end of what a program said.
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

// run sends the packets to port 0 of the compiled program in dir and returns what leaves
// each port of want.
func (b *BMv2) run(ctx context.Context, dir string, in [][]byte, want map[int][]sentPacket) (map[int][][]byte, error) {
	args := []string{"--use-files", "0"}
	size := int64(0) // of what should come out
	for port, list := range want {
		for _, p := range list {
			size += captureRecord + int64(len(p.out))
		}
		if len(list) > 0 {
			size += captureHeader
		}
		err := os.Remove(captureName(dir, port, "out")) // of the run before
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	for _, port := range ports(want) {
		args = append(args, "-i", fmt.Sprintf("%d@p%d", port, port))
		arriving := in
		if port != 0 {
			arriving = nil // but the switch wants a file for every port
		}
		if err := writeCapture(captureName(dir, port, "in"), arriving); err != nil {
			return nil, err
		}
	}
	if err := b.process(ctx, dir, append(args, "prog.json"), ports(want), size); err != nil {
		return nil, err
	}
	got := map[int][][]byte{}
	for port := range want {
		var err error
		if got[port], err = readCapture(captureName(dir, port, "out")); err != nil {
			return nil, err
		}
	}
	return got, nil
}

// process starts the switch, waits until its output is complete and ends it.
func (b *BMv2) process(ctx context.Context, dir string, args []string, ports []int, want int64) error {
	var said bytes.Buffer
	cmd := exec.Command(b.Switch, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &said, &said
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("simple_switch: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	started := time.Now()
	grown, size := started, int64(0)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	var problem error
	for done := false; !done; {
		select {
		case err := <-ended:
			if err == nil {
				err = errors.New("exit status 0")
			}
			return fmt.Errorf("simple_switch ended by itself: %w: %s", err, excerpt(said.Bytes()))
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
			case now.Sub(started) >= b.Patience:
				problem, done = fmt.Errorf("simple_switch still writes after %v", b.Patience), true
			}
		}
	}
	if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return errors.Join(problem, fmt.Errorf("simple_switch: %w", err))
	}
	<-ended
	return problem
}

// captured is the size of the files of all ports.
func captured(dir string, ports []int) (size int64) {
	for _, port := range ports {
		if info, err := os.Stat(captureName(dir, port, "out")); err == nil {
			size += info.Size()
		}
	}
	return size
}

// ports are the ports of a map in order.
func ports[T any](m map[int]T) []int {
	var list []int
	for port := range m {
		list = append(list, port)
	}
	slices.Sort(list)
	return list
}

// firstDifference is the first packet of the first port on which both differ, or nil.
func firstDifference(got map[int][][]byte, want map[int][]sentPacket) *BMv2Difference {
	for _, port := range ports(want) {
		g, w := got[port], want[port]
		for i := range max(len(g), len(w)) {
			d := &BMv2Difference{Port: port, Packet: i}
			if i < len(g) {
				d.Got = g[i]
			}
			if i < len(w) {
				d.In, d.Want = w[i].in, w[i].out
			}
			if (d.Got == nil) != (d.Want == nil) || !bytes.Equal(d.Got, d.Want) {
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
		if err := w.WritePacket(0, time.UnixMicro(int64(i)), p); err != nil {
			return err
		}
	}
	return nil
}

// readCapture reads the packets of a file. It may be empty, without even a header, or
// not be there, if nothing came out.
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

// bmv2 runs the programs in BMv2 if it is installed.
func bmv2(ctx context.Context, programs []Program, seed uint64, say func(string, ...any)) (BMv2Report, error) {
	report := BMv2Report{Equal: []BMv2Equality{}}
	b, err := FindBMv2()
	if err != nil {
		report.Skipped = strings.TrimPrefix(err.Error(), "exec: ")
		return report, nil
	}
	var errs []error
	for _, p := range programs {
		if p.Racing {
			continue
		}
		say("%s: %d packets through simple_switch", p.Name, bmv2Runs*bmv2Packets)
		e, err := b.Equal(ctx, p, seed)
		if ctx.Err() != nil {
			return report, ctx.Err()
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		report.Equal = append(report.Equal, e)
	}
	return report, errors.Join(errs...)
}
