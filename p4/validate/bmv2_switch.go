package validate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gopacket/gopacket/pcapgo"

	"pintlab/internal/lists"
	"pintlab/p4"
	"pintlab/p4/interp"
)

// compiled is a program compiled by p4c.
type compiled struct {
	program string
	json    string
	prog    *interp.Program // as the interpreter runs it
	entries []string        // commands that add the program's constant entries to the switch
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
var errLate = errors.New("the control plane had not finished when the first packet came")

// run compares the registers after it has sent the packets to port 0 of the compiled program. It returns the output
// packets of each port.
func (b *bmv2) run(ctx context.Context, c *compiled, s *bmv2Sample) (got map[int][][]byte, err error) {
	for begin := b.Begin + perEntry*time.Duration(len(c.entries)); ; begin *= 2 {
		got, err = b.once(ctx, c, s, begin)
		taken := err != nil && strings.Contains(err.Error(), "ddress already in use") // the port, in the meantime
		if !errors.Is(err, errLate) && !taken || begin > b.Patience {
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
	size := int64(0) // size of the expected captures
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

// freePort finds a free TCP port.
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
	for _, word := range []string{"Error", "Invalid"} { // the CLI exits with 0 even if it prints one of these words
		if i := bytes.Index(said, []byte(word)); i >= 0 {
			return said, fmt.Errorf("simple_switch_CLI: %s", excerpt(said[i:]))
		}
	}
	return said, nil
}

var errEnded = errors.New("ended unexpectedly")

// configure sets the depth of the queues and fills the tables, as soon as the switch listens.
func (b *bmv2) configure(
	ctx context.Context, port string, c *compiled, s *bmv2Sample, until time.Time, ended <-chan struct{},
) error {
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

// sameRegisters compares the registers of the switch and of the interpreter.
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
			return fmt.Errorf("register %s has %d cells in simple_switch, %d in the interpreter",
				s.names[k], len(cells), r.Size)
		}
		for i, c := range cells {
			v, err := r.Read(i)
			if err != nil {
				return err
			}
			if c != v.String() {
				return fmt.Errorf("cell %d of register %s is %s in simple_switch, %s in the interpreter",
					i, s.names[k], c, v)
			}
		}
	}
	return nil
}

// process starts the switch, configures it and waits until its output is complete. It then compares the registers
// and kills the switch.
func (b *bmv2) process(
	ctx context.Context, dir string, args []string, port string, c *compiled, s *bmv2Sample, begin time.Duration,
	want int64,
) error {
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
