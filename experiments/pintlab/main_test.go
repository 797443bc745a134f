package pintlab

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/pintlab/testdata/outside/parts"
	"pintlab/experiments/protocols"
	"pintlab/internal/errtest"
	"pintlab/plots/report"
	"pintlab/transport/fixed"
)

// invoke runs the program as Main does, within a test.
func invoke(args []string, stdout, stderr io.Writer) int {
	signals := interrupts()
	defer signal.Stop(signals)
	return newProgram(protocols.Standard(), stdout, stderr).start(args, signals)
}

// TestMain lets scripts and tests call this program as pintlab.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"pintlab": func() { os.Exit(Main(protocols.Standard())) }, "interrupted": runInterrupted,
		"mine": func() { os.Exit(Main(mine())) }, "patient": runPatient,
	})
}

// runPatient runs this program for a busy machine, on which a command may take long to end.
func runPatient() {
	p := newProgram(protocols.Standard(), os.Stdout, os.Stderr)
	p.grace = time.Hour
	os.Exit(p.start(os.Args[1:], interrupts()))
}

// mine returns the protocols of a program that has additional protocols.
func mine() *protocols.Set {
	set := protocols.Standard()
	parts.Add(set)
	set.AddControl(new(fixed.Params), "mine", "Mine", "a constant window and rate")
	return set
}

// TestScript runs testdata/script. Besides the usual commands there are
//
//	exits CODE PROGRAM ARG...   the program ends with that exit code
//	json FILE                   the file is one JSON document and nothing else
//	take PATTERN FILE           copy the one file that matches
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"capture": capture,
			"exits":   exits,
			"frames":  frames,
			"json":    isJSON,
			"take":    take,
		},
	})
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARG...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

func isJSON(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: json FILE")
	}
	d := json.NewDecoder(strings.NewReader(ts.ReadFile(args[0])))
	var v any
	ts.Check(d.Decode(&v))
	if _, err := d.Token(); err != io.EOF {
		ts.Fatalf("more than one JSON document")
	}
}

func take(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: take PATTERN FILE")
	}
	found, err := filepath.Glob(ts.MkAbs(args[0]))
	ts.Check(err)
	if len(found) != 1 {
		ts.Fatalf("%d files match: %q", len(found), found)
	}
	data, err := os.ReadFile(found[0])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), data, 0o666))
}

// interrupt interrupts a program and waits until it has ended with exit code 130.
func interrupt(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
		t.Errorf("ended with %v, want exit code %d", err, exitInterrupted)
	}
}

// An interrupt ends a run with code 130 and leaves no incomplete file. The program prints how to start again.
func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs an operating system other than windows, where a process can be sent os.Interrupt")
	}
	dir := t.TempDir()
	out, profile := filepath.Join(dir, "results"), filepath.Join(dir, "cpu.prof")
	cmd := exec.Command("patient", "run", "two-flows", "--set", "workload.0.flows.0.size=100GB", "--out", out,
		"--cpuprofile", profile)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// The profile file exists as soon as the run begins.
	for range 10_000 {
		if begun, _ := filepath.Glob(filepath.Join(dir, ".cpu.prof.*")); len(begun) > 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	interrupt(t, cmd)
	if got := stderr.String(); !strings.Contains(got, "pintlab: interrupted at ") ||
		!strings.Contains(got,
			"Start again with: pintlab run two-flows --set workload.0.flows.0.size=100GB --out "+out+"\n") {
		t.Errorf("standard error is\n%s", got)
	}
	if stdout.Len() > 0 {
		t.Errorf("standard output is\n%s", &stdout)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v; want nothing", left, err)
	}
}

// After an interrupt while results are drawn and written, the program prints how to continue, as it does after an
// interrupt during the runs.
func TestInterruptAfterTheRuns(t *testing.T) {
	err := explainCampaign(fmt.Errorf("out/rows.csv: %w", context.Canceled), "pintlab compare")
	if exitCode(err) != exitInterrupted || !errtest.Says(err, "interrupted … are kept. Go on with: pintlab compare") {
		t.Errorf("exit code %d: %v", exitCode(err), err)
	}
}

// An interrupt also ends a command that does not check its context. The command ends a moment later and with the same
// code.
func TestInterruptOfWhatDoesNotLook(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs Linux, whose /proc/PID/statm tells how much memory the process has")
	}
	// The command computes the paths between 1200 leaves over 1.4 million links, which takes half a minute.
	cmd := exec.Command("pintlab", "topology", "show", "leafspine", "--set", "topology.leaves=1200", "--set",
		"topology.spines=1200", "--set", "topology.hosts_per_leaf=1")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range 10_000 {
		statm, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", cmd.Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		if f := strings.Fields(string(statm)); len(f) > 1 {
			if pages, _ := strconv.Atoi(f[1]); pages*os.Getpagesize() > 128<<20 {
				break // the network is built
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	interrupt(t, cmd)
	if got, want := stderr.String(), "pintlab: interrupted; unfinished work is lost\n"; got != want {
		t.Errorf("standard error %q, want %q", got, want)
	}
	if stdout.Len() > 0 {
		t.Errorf("standard output is\n%s", &stdout)
	}
}

func TestFullOutputIsAFailure(t *testing.T) {
	var stderr bytes.Buffer
	if code := invoke([]string{"presets"}, fullWriter{}, &stderr); code != exitFailed {
		t.Errorf("exit code %d, want %d", code, exitFailed)
	}
	if got := stderr.String(); got != "pintlab: standard output: no room\n" {
		t.Errorf("standard error is %q", got)
	}
}

type fullWriter struct{}

func (fullWriter) Write([]byte) (int, error) { return 0, errors.New("no room") }

func TestShellLine(t *testing.T) {
	got := campaign.CommandLine("pintlab", "run", "a b", "--set", "x={kind: int}", "it's", "", "a=1.5")
	const want = `pintlab run 'a b' --set 'x={kind: int}' 'it'\''s' '' a=1.5`
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if again := campaign.Repeated(want, nil); again != want {
		t.Errorf("repeated, %s becomes %s", want, again)
	}
	const other = `pintlab run 'a b' 'it'\''s' '' a=1.5 --set x=3`
	if again := campaign.Repeated(want, []string{"x"}, "--set", "x=3"); again != other {
		t.Errorf("with another setting: %s, want %s", again, other)
	}
}

// If a number can be read from the paper in two ways, it has two labels. A note about several deviations is shown once.
func TestComparedText(t *testing.T) {
	var foot report.Footnotes
	text := comparedText([]report.Compared{
		{Quantity: "gain", Unit: "%", Published: 71, Ours: 89, Lo: math.NaN(), Hi: math.NaN(),
			Outcome: report.Deviates, Source: "Fig. 7", Note: "Runs are short."},
		{Quantity: "gain", Reading: "of each flow", Unit: "%", Published: 71, Ours: 73, Lo: math.NaN(), Hi: math.NaN(),
			Outcome: report.Deviates, Source: "Fig. 7", Note: "Runs are short."},
		{Quantity: "loss", Unit: "%", Published: 1, Ours: 1, Lo: math.NaN(), Hi: math.NaN(), Outcome: report.Holds,
			Source: "Fig. 8", Note: "not shown"},
	}, &foot)
	want := "  deviates     gain: printed 71 %, ours 89 %   [Fig. 7] (1)\n" +
		"  deviates     gain, of each flow: printed 71 %, ours 73 %   [Fig. 7] (1)\n" +
		"  holds        loss: printed 1 %, ours 1 %   [Fig. 8]\n"
	if text != want || !slices.Equal(foot, report.Footnotes{"Runs are short."}) {
		t.Errorf("%s%q; want\n%s", text, foot, want)
	}
}
