package pintlab

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

var everywhere = flag.Bool("everywhere", false, "interrupt every command that writes at ten moments and not at two")

// writing maps each command that writes files to a small job. IN stands for a directory of inputs.
var writing = map[string]string{
	"compare":           "--scale smoke --cc swift,timely --set workload.0.duration=20us --quiet --out o",
	"reproduce":         "pint/fig9 --scale smoke --quiet --out o",
	"sweep":             "IN/c.yaml --quiet --out o",
	"plot":              "IN/swept/sweep/sizes --to o",
	"report":            "IN/swept --to page.html",
	"run":               "two-flows --quiet --out o --cpuprofile cpu.prof --memprofile mem.prof",
	"estimate":          "fat320-web --set workload.0.duration=50us --quiet --out o",
	"series":            "IN/sampled --to o",
	"int decode":        "IN/sampled/capture.pcapng --parquet hops.parquet",
	"man":               "--to o",
	"new":               "program mine --to o",
	"notebook":          "IN/sampled --to page.ipynb",
	"view":              "IN/sampled --to page.html",
	"validate":          "IN/cases --quiet --out o",
	"validate random":   "--scenarios 3 --quiet --out o",
	"pint trace":        "fattree --set topology.k=4 --runs 20 --quiet --out o",
	"fridge measure":    "isp --count 60000 --entries 2048 --p 0.1 --samples --quiet --out o",
	"p4 run":            "towersketch --in IN/in.pcap --out sent.pcap --stf sent.stf --dump state.txt",
	"p4 stages":         "hpcc_util --to o",
	"p4 test":           "towersketch IN/x.stf --write-commands setup.txt",
	"p4 validate":       "pint_path --packets 10 --quiet --out o",
	"sketch accuracy":   "--packets 20000 --flows 1000 --memory 10KB --quiet --out o",
	"sketch trace":      "a.pcap --packets 200000 --flows 1000 --duration 1s",
	"guard":             "IN/faulty.yaml --exact 1ms --quiet --out o",
	"topology generate": "fattree t.txt --set topology.k=16",
	"topology convert":  "IN/t.txt t.dot",
	"workload generate": "fat320-hadoop flow.txt",
	"workload convert":  "IN/flow.txt flow.cm --topology fattree320",
}

// reading lists the commands that write no files.
var reading = []string{
	"bench", "fridge tune", "p4 entries", "p4 lint", "p4 list", "p4 show", "pint flows", "pint latency",
	"pint loops", "pint plan", "pint read", "pint routechange", "pint tune", "pint usecases",
	"list", "clean", "presets", "python", "schema",
	"sketch query", "sketch speed", "topology show", "workload show", "workload sizes", "version",
	"completion", "help",
}

// Each command either has a job in writing or has no flag that names an output file.
func TestEveryWritingCommandIsInterrupted(t *testing.T) {
	root := (&program{stdout: &output{w: &bytes.Buffer{}}, stderr: &bytes.Buffer{}}).root()
	seen := map[string]bool{}
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		name := strings.TrimPrefix(c.CommandPath(), "pintlab ")
		if slices.ContainsFunc(reading, func(r string) bool { return name == r || strings.HasPrefix(name, r+" ") }) {
			for _, f := range []string{"out", "to", "dump", "cpuprofile"} {
				if c.Flags().Lookup(f) != nil {
					t.Errorf("%s reads only, and has the flag --%s", name, f)
				}
			}
			return
		}
		if _, ok := writing[name]; ok {
			seen[name] = true
		} else if !c.HasSubCommands() {
			t.Errorf("%s: say in this test what it writes, or that it only reads", name)
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	for _, c := range root.Commands() {
		walk(c)
	}
	for name := range writing {
		if !seen[name] {
			t.Errorf("there is no command %s", name)
		}
	}
}

// pintlab runs the program in a directory. It calls moment after the start. If moment returns true, it then interrupts
// the program.
func pintlab(t *testing.T, dir, line string, moment func(done <-chan struct{}) bool) (code int, messages string) {
	t.Helper()
	c := exec.Command("pintlab", strings.Fields(line)...)
	c.Dir = dir
	var stderr bytes.Buffer
	c.Stderr = &stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var err error
	go func() {
		err = c.Wait()
		close(done)
	}()
	if moment(done) {
		c.Process.Signal(os.Interrupt)
	}
	<-done
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), stderr.String()
}

// An interrupt at any time leaves no hidden file and no incomplete file. One of the tested times is the moment at which
// the first file is begun. The exit code is 130, or the exit code of the whole run if the interrupt came too late. With
// -everywhere, the test interrupts every command at ten times.
func TestInterruptLeavesNothingHalf(t *testing.T) {
	if testing.Short() {
		t.Skip("needs go test without -short")
	}
	in := t.TempDir()
	never := func(<-chan struct{}) bool { return false }
	prepare(t, in, func(line string) {
		t.Helper()
		if code, messages := pintlab(t, in, line, never); code != exitFine {
			t.Fatalf("pintlab %s: exit code %d\n%s", line, code, messages)
		}
	})
	moments := 2
	if *everywhere {
		moments = 10
	}
	for command, args := range writing {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			line := command + " " + strings.ReplaceAll(args, "IN", in)
			whole, took, want := t.TempDir(), time.Second, exitFine
			if command != "p4 validate" || *everywhere { // this command takes 5 s, and writes at the end
				began := time.Now()
				var messages string
				if want, messages = pintlab(t, whole, line, never); want > exitFailed {
					t.Fatalf("exit code %d\n%s", want, messages)
				}
				took = time.Since(began)
				dir := t.TempDir()
				code, messages := pintlab(t, dir, line, func(done <-chan struct{}) bool { return begun(dir, done) })
				ended(t, dir, whole, want, code, messages)
			}
			for i := range moments {
				dir := t.TempDir()
				wait := took * time.Duration(i+1) / time.Duration(moments+1)
				code, messages := pintlab(t, dir, line, func(done <-chan struct{}) bool {
					select {
					case <-done:
						return false
					case <-time.After(wait):
						return true
					}
				})
				ended(t, dir, whole, want, code, messages)
			}
		})
	}
}

// begun waits for an unfinished file or directory, and reports whether one appeared.
func begun(dir string, done <-chan struct{}) bool {
	for {
		found := false
		filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && path != dir && strings.HasPrefix(d.Name(), ".") {
				found = true
				return fs.SkipAll
			}
			return nil
		})
		select {
		case <-done:
			return false
		default:
		}
		if found {
			return true
		}
		time.Sleep(200 * time.Microsecond)
	}
}

// ended compares the directory of an interrupted job with the directory of a complete job.
func ended(t *testing.T, dir, whole string, want, code int, messages string) {
	t.Helper()
	if entries, _ := os.ReadDir(dir); code == -1 && len(entries) == 0 {
		return // the interrupt ended the process before the program could handle it
	}
	if code != want && (code != exitInterrupted || !strings.Contains(messages, "interrupted")) {
		t.Errorf("exit code %d\n%s", code, messages)
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		if strings.HasPrefix(d.Name(), ".") {
			t.Errorf("%s is left", name)
		}
		if d.IsDir() {
			return nil
		}
		got, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		switch filepath.Ext(name) {
		case ".json":
			if !json.Valid(got) {
				t.Errorf("%s is not whole", name)
			}
		case ".html":
			if !bytes.HasSuffix(bytes.TrimSpace(got), []byte("</html>")) {
				t.Errorf("%s is not whole", name)
			}
		case ".csv", ".svg", ".png", ".pcap", ".txt", ".dot", ".cm", ".parquet":
			if d.Name() == "passed.csv" || strings.Contains(name, "scenario-") {
				return nil // these files grow while the command checks scenarios
			}
			if all, err := os.ReadFile(filepath.Join(whole, name)); err != nil || !bytes.Equal(got, all) {
				t.Errorf("%s has %d bytes, and %d in the whole run (%v)", name, len(got), len(all), err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// prepare makes the input files of the jobs. If run is not nil, it also makes results that commands make from these
// files.
func prepare(t *testing.T, in string, run func(line string)) {
	t.Helper()
	config := "TOPOLOGY_FILE topology.txt\nFLOW_FILE flow.txt\nCC_MODE 3\nRATE_AI 50Mb/s\n" +
		"MIN_RATE 1000Mb/s\nVAR_WIN 1\nINT_MULTI 4\nMI_THRESH 0\nMULTI_RATE 0\nBUFFER_SIZE 32\n"
	// The capture contains one Ethernet frame of 60 bytes.
	zeros := func(n int) string { return strings.Repeat("\x00", n) }
	frame := "\xd4\xc3\xb2\xa1\x02\x00\x04\x00" + zeros(8) + "\x00\x00\x04\x00\x01\x00\x00\x00" + zeros(8) +
		"\x3c\x00\x00\x00\x3c\x00\x00\x00" + zeros(60)
	for name, text := range map[string]string{
		"c.yaml": "name: sizes\nbase: two-flows\nvary: {workload.0.flows.0.size: [1MB, 2MB]}\n",
		"faulty.yaml": "topology: {kind: fattree, k: 4, host_rate: 10Gbps, fabric_rate: 10Gbps}\n" +
			"workload: [{kind: poisson, sizes: fixed, size: 100KB, load: 0.3, duration: 1ms}]\n" +
			"transport: {max_retries: 2}\ncc: {kind: hpcc}\ntelemetry: {kind: int, hops: 8}\n" +
			"faults: [{kind: drop, a: 26, b: 33, probability: 0.1, at: 0s}]\n",
		"cases/hpcc/topology.txt": "4 1 3\n3\n0 3 100Gbps 1000ns 0.000000\n1 3 100Gbps 1000ns 0.000000\n" +
			"2 3 100Gbps 1000ns 0.000000\n",
		"cases/hpcc/flow.txt":   "2\n0 2 3 100 100000 2.000000000\n1 2 3 100 50000 2.000001000\n",
		"cases/hpcc/config.txt": config,
		"in.pcap":               frame,
		"x.stf":                 "packet 0 00\n",
	} {
		path := filepath.Join(in, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777),
			os.WriteFile(path, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	if run == nil {
		return // the jobs need no results of commands
	}
	move := func(pattern, to string) {
		t.Helper()
		found, err := filepath.Glob(filepath.Join(in, pattern))
		if err != nil || len(found) != 1 {
			t.Fatalf("%s: %v, %v", pattern, found, err)
		}
		if err := os.Rename(found[0], filepath.Join(in, to)); err != nil {
			t.Fatal(err)
		}
	}
	run("run --config cases/hpcc/config.txt --quiet --out first")
	move("first/*/fct.txt", "cases/hpcc/fct.txt")
	run("run two-flows --quiet --set run.sampling.enabled=true --set run.capture.enabled=true --set " +
		"telemetry.format=standard --out second")
	move("second/*", "sampled")
	run("sweep c.yaml --quiet --out swept")
	run("topology generate fattree t.txt --set topology.k=16")
	run("workload generate fat320-hadoop flow.txt")
}

// runInterrupted runs this program with an interrupt between parsing its arguments and its work.
func runInterrupted() {
	p := &program{stdout: &output{w: os.Stdout}, stderr: os.Stderr, grace: time.Hour}
	root := p.root()
	root.SetArgs(os.Args[1:])
	var wrap func(*cobra.Command)
	wrap = func(c *cobra.Command) {
		if work := c.RunE; work != nil {
			c.RunE = func(c *cobra.Command, args []string) error {
				self, err := os.FindProcess(os.Getpid())
				if err == nil {
					err = self.Signal(os.Interrupt)
				}
				if err != nil {
					return err
				}
				<-c.Context().Done()
				return work(c, args)
			}
		}
		for _, sub := range c.Commands() {
			wrap(sub)
		}
	}
	wrap(root)
	os.Exit(p.execute(root, interrupts()))
}

// After an interrupt, a command ends with code 130 and without a file, regardless of whether it checks its context.
func TestNothingIsWrittenAfterAnInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs an operating system other than windows, where a process can be sent os.Interrupt")
	}
	for _, line := range []string{
		"topology generate fattree t.txt", "sketch trace a.pcap --packets 100 --flows 10 --duration 1ms",
		"workload generate fat320-hadoop flow.txt", "p4 lint pint_path", "presets",
		"run two-flows --quiet --out o --cpuprofile cpu.prof",
	} {
		dir := t.TempDir()
		c := exec.Command("interrupted", strings.Fields(line)...)
		c.Dir = dir
		var stderr bytes.Buffer
		c.Stderr = &stderr
		c.Run()
		if got := c.ProcessState.ExitCode(); got != exitInterrupted ||
			!strings.Contains(stderr.String(), "interrupted") {
			t.Errorf("pintlab %s: exit code %d\n%s", line, got, &stderr)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("pintlab %s: left %v, %v", line, left, err)
		}
	}
}
