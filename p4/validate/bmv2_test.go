package validate

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"pintlab/p4/interp"
)

// The test binary acts as one of the three programs of BMv2 if it is started under the name of that program. As the
// compiler, it checks its arguments and the program. As the switch, it runs the interpreter, obeys the control plane
// and, like the real switch, never ends. As the CLI, it is the command line of the control plane. The name of the
// folder selects a fault.
func TestMain(m *testing.M) {
	var play func(args []string, fault string) error
	switch filepath.Base(os.Args[0]) {
	case "p4c-bm2-ss":
		play = fakeCompiler
	case "simple_switch":
		play = fakeSwitch
	case "simple_switch_CLI":
		play = fakeCLI
	default:
		os.Exit(m.Run())
	}
	if err := play(os.Args[1:], filepath.Base(filepath.Dir(os.Args[0]))); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// repeated is the value of a flag that may be repeated.
type repeated []string

func (r *repeated) String() string     { return strings.Join(*r, " ") }
func (r *repeated) Set(s string) error { *r = append(*r, s); return nil }

// fakeProgram is the output of the fake compiler.
type fakeProgram struct {
	File    string
	Defines []string
}

func fakeCompiler(args []string, fault string) error {
	var p fakeProgram
	var rest []string
	var err error
	for _, a := range args { // flag does not know -DNAME
		if d, ok := strings.CutPrefix(a, "-D"); ok {
			p.Defines = append(p.Defines, d)
		} else {
			rest = append(rest, a)
		}
	}
	fs := flag.NewFlagSet("p4c-bm2-ss", flag.ContinueOnError)
	std, out := fs.String("std", "", ""), fs.String("o", "", "")
	if err := fs.Parse(rest); err != nil {
		return err
	}
	if *std != "p4-16" || fs.NArg() != 1 {
		return fmt.Errorf("p4c-bm2-ss: bad arguments %q", args)
	}
	switch fault {
	case "reject":
		return fmt.Errorf("%s(12): error: could not compile", fs.Arg(0))
	case "warn":
		fmt.Fprintf(os.Stderr, "%s(7): [--Wwarn=unused] warning: 'x' is unused\n", fs.Arg(0))
	case "hang":
		time.Sleep(time.Hour)
	}
	p.File, err = filepath.Abs(fs.Arg(0))
	if err != nil {
		return err
	}
	p.Defines = append(p.Defines, loadedMacro)
	if _, err := interp.Load(p.File, interp.Options{Defines: p.Defines}); err != nil {
		return err
	}
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return os.WriteFile(*out, data, 0o666)
}

func fakeSwitch(args []string, fault string) error {
	fs := flag.NewFlagSet("simple_switch", flag.ContinueOnError)
	wait := fs.Int("use-files", -1, "")
	thrift := fs.String("thrift-port", "", "")
	var interfaces repeated
	fs.Var(&interfaces, "i", "")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if *wait < 1 || fs.NArg() != 1 || len(interfaces) < 2 {
		return fmt.Errorf("simple_switch: bad arguments %q", args)
	}
	data, err := os.ReadFile(fs.Arg(0))
	if err != nil {
		return err
	}
	var p fakeProgram
	if err := json.Unmarshal(data, &p); err != nil {
		return err
	}
	prog, err := interp.Load(p.File, interp.Options{Defines: p.Defines})
	if err != nil {
		return err
	}
	pipe, err := prog.NewPipeline(interp.Config{})
	if err != nil {
		return err
	}
	var inputs []interp.PcapInput
	files := map[int]*os.File{}
	for _, i := range interfaces {
		number, name, _ := strings.Cut(i, "@")
		port, err := strconv.Atoi(number)
		if err != nil {
			return err
		}
		in, err := os.Open(name + "_in.pcap")
		if err != nil {
			return err
		}
		inputs = append(inputs, interp.PcapInput{Name: in.Name(), Port: port, R: in})
		if files[port], err = os.Create(name + "_out.pcap"); err != nil { // the file stays empty if no packet follows
			return err
		}
	}
	if fault == "exit" {
		return errors.New("bad JSON file")
	}
	if fault == "slow" && *wait < 2 {
		time.Sleep(time.Duration(*wait+1) * time.Second)
	}
	var turn sync.Mutex
	l, err := net.Listen("tcp", "127.0.0.1:"+*thrift)
	if err != nil {
		return err
	}
	configured := make(chan struct{}, 1)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			serveCommands(c, pipe, &turn, fault)
			select {
			case configured <- struct{}{}:
			default:
			}
		}
	}()
	select { // the real switch always waits for the whole time
	case <-configured:
	case <-time.After(time.Duration(*wait) * time.Second):
	}
	turn.Lock()
	w := &faulty{PcapWriter: portFiles{files, map[int]*pcapgo.Writer{}}, fault: fault}
	packets, err := interp.OpenPcap(inputs)
	if err != nil {
		return err
	}
	if _, err := pipe.RunPcap(context.Background(), packets, w); err != nil {
		return err
	}
	turn.Unlock()
	switch fault {
	case "lose": // the test waits until the output has the expected length
		if err := w.PcapWriter.WritePacket(w.port, w.at, w.last, len(w.last)); err != nil {
			return err
		}
	case "endless":
		for {
			if err := w.WritePacket(1, time.Time{}, make([]byte, 20), 20); err != nil {
				return err
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
	return sleep()
}

// serveCommands executes the commands of one connection.
func serveCommands(c net.Conn, pipe *interp.Pipeline, turn *sync.Mutex, fault string) {
	defer c.Close()
	for s := bufio.NewScanner(c); s.Scan(); {
		turn.Lock()
		reply, err := pipe.Command(s.Text())
		turn.Unlock()
		if err != nil {
			reply = "Error: " + err.Error()
		}
		if fault == "cell" && strings.HasPrefix(s.Text(), "register_read") {
			reply = strings.Replace(reply, "= ", "= 7", 1)
		}
		fmt.Fprintf(c, "RuntimeCmd: %s\n", reply)
	}
}

// fakeCLI sends its input to the switch and prints the replies.
func fakeCLI(args []string, _ string) error {
	fs := flag.NewFlagSet("simple_switch_CLI", flag.ContinueOnError)
	thrift := fs.String("thrift-port", "", "")
	if err := fs.Parse(args); err != nil {
		return err
	}
	c, err := net.Dial("tcp", "127.0.0.1:"+*thrift)
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := io.Copy(c, os.Stdin); err != nil {
		return err
	}
	if err := c.(*net.TCPConn).CloseWrite(); err != nil {
		return err
	}
	_, err = io.Copy(os.Stdout, c)
	return err
}

func sleep() error {
	time.Sleep(time.Hour)
	return nil
}

// portFiles writes the packets of each port to a file of the port. The file has no header until the first packet.
// Like the real switch, portFiles declares a link type other than Ethernet in the header.
type portFiles struct {
	files   map[int]*os.File
	writers map[int]*pcapgo.Writer
}

func (p portFiles) WritePacket(port int, at time.Time, data []byte, length int) error {
	if p.writers[port] == nil {
		p.writers[port] = pcapgo.NewWriter(p.files[port])
		if err := p.writers[port].WriteFileHeader(1<<18, layers.LinkTypeNull); err != nil {
			return err
		}
	}
	return p.writers[port].WritePacket(gopacket.CaptureInfo{Timestamp: at, CaptureLength: len(data),
		Length: len(data)}, data)
}

// faulty makes an error with packet 20 (counted from 0), or writes no packet at all if the fault is "nothing".
type faulty struct {
	interp.PcapWriter
	fault string
	n     int

	last []byte // packet
	port int
	at   time.Time
}

func (f *faulty) WritePacket(port int, at time.Time, data []byte, length int) error {
	f.n++
	f.port, f.at, f.last = port, at, bytes.Clone(data)
	if f.n == 21 {
		switch f.fault {
		case "corrupt":
			data[len(data)-1] ^= 1
		case "lose":
			return nil
		case "cut": // the rest of the file is shorter than the length of this packet, 1<<18
			header := []byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 4, 0}
			_, err := f.PcapWriter.(portFiles).files[port].Write(append(header, data...))
			return err
		case "port":
			port = 0
		case "twice":
			if err := f.PcapWriter.WritePacket(port, at, data, length); err != nil {
				return err
			}
		}
	}
	if f.fault == "nothing" {
		return nil
	}
	return f.PcapWriter.WritePacket(port, at, data, length)
}

// fakeBMv2 makes the fakes.
func fakeBMv2(t *testing.T, fault string) *bmv2 {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), fault)
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	b := &bmv2{
		Compiler: filepath.Join(dir, "p4c-bm2-ss"), Switch: filepath.Join(dir, "simple_switch"),
		CLI: filepath.Join(dir, "simple_switch_CLI"), Dir: t.TempDir(), Compile: time.Minute, Begin: time.Second,
		Settle: 100 * time.Millisecond, Quiet: time.Minute, Patience: time.Minute,
	}
	if fault == "nothing" { // long enough that a switch on a busy machine is not taken for silent
		b.Quiet = 1500 * time.Millisecond
	}
	for _, name := range []string{b.Compiler, b.Switch, b.CLI} {
		if err := os.Symlink(self, name); err != nil {
			t.Skipf("needs a temporary directory in which os.Symlink works: %v", err)
		}
	}
	return b
}

func find(t *testing.T, name string) Program {
	t.Helper()
	p, err := Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The programs run through compiler and switch, with macros, dropped packets, table entries and registers. For programs
// that forward packets unchanged, the test compares registers.
func TestBMv2SendsTheSame(t *testing.T) {
	t.Parallel()
	b := fakeBMv2(t, "right")
	for name, cells := range map[string]int{"pint_loop": 0, "int_md-source": 3 * 512, "towersketch": 7 << 14,
		"fridge": 2<<16 + 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, err := b.equal(t.Context(), find(t, name), 1)
			if err != nil {
				t.Fatal(err)
			}
			if want := (BMv2Equality{name, bmv2Packets, e.Out, cells}); e != want {
				t.Errorf("%+v, want %+v", e, want)
			}
			if drops := name == "pint_loop"; drops != (e.Out < e.In) || e.Out == 0 {
				t.Errorf("%s: %d packets in, %d out", name, e.In, e.Out)
			}
		})
	}
}

// A switch gets more time if it accepts connections only after it has begun to read its packets.
func TestBMv2Slow(t *testing.T) {
	t.Parallel()
	b := fakeBMv2(t, "slow")
	if _, err := b.equal(t.Context(), find(t, "pint_path"), 1); err != nil {
		t.Error(err)
	}
}

func TestBMv2ComparesRegisters(t *testing.T) {
	t.Parallel()
	b := fakeBMv2(t, "cell")
	_, err := b.equal(t.Context(), find(t, "towersketch"), 1)
	if err == nil || !strings.Contains(err.Error(), "cell 0 of register TowerIngress.counters_1 is 7") {
		t.Errorf("error %v, want the first cell's", err)
	}
}

func TestBMv2Faults(t *testing.T) {
	for _, c := range []struct{ fault, want string }{
		{"reject", "pint_path: p4c-bm2-ss: exit status 1: pint_path.p4(12): error: could not compile"},
		{"warn", "pint_path: p4c-bm2-ss warns: pint_path.p4(7): [--Wwarn=unused] warning: 'x' is unused"},
		{"hang", "pint_path: p4c-bm2-ss: context deadline exceeded"},
		{"exit", "pint_path: simple_switch ended unexpectedly: exit status 1: bad JSON file"},
		{"endless", "pint_path: simple_switch still writes after 5s"},
		{"cut", "p1_out.pcap: packet 20: "},
		{"corrupt", "pint_path: packet 20 from port 1: simple_switch sends "},
		{"lose", "pint_path: packet 20 from port 1: simple_switch sends "},
		{"twice", "pint_path: packet 21 from port 1: simple_switch sends "},
		{"port", "pint_path: packet 0 from port 0: simple_switch sends "},
		{"nothing", "pint_path: packet 0 from port 1: simple_switch sends nothing, but the interpreter sends "},
	} {
		t.Run(c.fault, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && slices.Contains([]string{"hang", "endless", "cut", "lose", "twice", "port",
				"nothing"}, c.fault) {
				t.Skip("needs a switch for each fault: not with -short")
			}
			b := fakeBMv2(t, c.fault)
			switch c.fault {
			case "hang":
				b.Compile = 2 * time.Second
			case "endless":
				b.Patience, b.Settle = 5*time.Second, time.Minute // on a busy machine the switch pauses
			}
			_, err := b.equal(t.Context(), find(t, "pint_path"), 1)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %s", err, c.want)
			}
		})
	}
}

// An interrupted run leaves no process behind, because equal only returns when the process is gone.
func TestBMv2Interrupted(t *testing.T) {
	t.Parallel()
	b := fakeBMv2(t, "endless")
	b.Settle = time.Minute // on a busy machine the switch pauses
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := b.equal(ctx, find(t, "pint_path"), 1); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want context.DeadlineExceeded", err)
	}
}

// The path of each flow is decoded from the digests of packets that cross five switches. If the packets carry times
// and queues, latency quantiles within their bounds and U are also decoded.
func TestBMv2Chain(t *testing.T) {
	if testing.Short() {
		t.Skip("needs ten chained switches: not with -short")
	}
	t.Parallel()
	r, err := fakeBMv2(t, "right").chain(t.Context(), chainSwitches(), 1)
	if err != nil {
		t.Fatal(err)
	}
	const n = chainFlows * chainPackets
	if want := (ChainReport{"pint_combined", 5, n, n, 2 * chainFlows, 2 * 5 * chainFlows, r.Loads,
		r.LoadError}); r != want {
		t.Errorf("%+v, want %+v", r, want)
	}
	if r.Loads < n/32 || r.LoadError == 0 || r.LoadError > 0.03 {
		t.Errorf("%d packets give U, with a mean error of %v", r.Loads, r.LoadError)
	}
}

func TestBMv2Int(t *testing.T) {
	if testing.Short() {
		t.Skip("needs six chained switches: not with -short")
	}
	t.Parallel()
	intRow(t, fakeBMv2(t, "right"))
}

// An error of one switch in the chain is reported at this switch.
func TestBMv2ChainFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("needs chained switches: not with -short")
	}
	for fault, want := range map[string]string{
		"corrupt": "pint_combined through 2 switches, real packets: switch 1: pint_combined: packet 20 from " +
			"port 1: simple_switch sends ",
		"lose": "pint_combined through 2 switches, real packets: switch 1: pint_combined: packet 20 from " +
			"port 1: simple_switch sends ",
		"reject": "pint_combined through 2 switches, real packets: p4c-bm2-ss: exit status 1: " +
			"pint_combined.p4(12): error: could not compile",
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			if _, err := fakeBMv2(t, fault).chain(t.Context(), chainSwitches()[:2], 1); err == nil ||
				!strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %s", err, want)
			}
		})
	}
}

// Two packets count as equal if they differ only in values that depend on the clock.
func TestSameButClock(t *testing.T) {
	tagged := append(make([]byte, 12), 0x88, 0xb5, 1, 2, 8, 0)
	plain := append(make([]byte, 12), 8, 0, 1, 2, 8, 0)
	for _, c := range []struct {
		packet []byte
		at     int
		same   bool
	}{{tagged, 14, true}, {tagged, 15, false}, {tagged, 3, false}, {plain, 14, false}} {
		other := bytes.Clone(c.packet)
		other[c.at]++
		if got := sameButClock(other, c.packet); got != c.same {
			t.Errorf("%x, %x: %v", other, c.packet, got)
		}
	}
	if sameButClock(tagged[:17], tagged) || !sameButClock(plain, plain) {
		t.Error("wrong")
	}
}

// Validation uses BMv2 if its programs are on the PATH.
func TestBMv2OnThePath(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	say := func(string, ...any) {}
	programs := []Program{find(t, "pint_path")}
	for _, missing := range []string{"p4c-bm2-ss", "simple_switch", "simple_switch_CLI"} {
		r, err := runBMv2(t.Context(), programs, 1, say)
		if want := fmt.Sprintf("%q: executable file not found in $PATH", missing); err != nil ||
			r.Skipped != want || len(r.Equal) != 0 {
			t.Errorf("%+v, %v; want it skipped because of %s", r, err, want)
		}
		if err := os.WriteFile(filepath.Join(dir, missing), []byte("no program"), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	r, err := runBMv2(t.Context(), programs, 1, say)
	if r.Skipped != "" || err == nil || !strings.Contains(err.Error(), "pint_path: p4c-bm2-ss: ") {
		t.Errorf("%+v, %v; want the error of a program that does not start", r, err)
	}
}
