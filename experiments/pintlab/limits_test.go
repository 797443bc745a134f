package pintlab

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pintlab/internal/flags"
)

// large contains a job for each command that has flags for numbers of a million or more. The test sets each flag to its
// largest value. The number of items must not affect the memory in use.
var large = map[string]string{
	"estimate":        "two-flows --quiet --out o",
	"fridge tune":     "--delays loguniform:1ms,4s --rate 1000",
	"int decode":      "IN/in.pcap",
	"guard":           "IN/faulty.yaml --exact 1ms --quiet --out o",
	"p4 validate":     "pint_path --quiet --out o",
	"run":             "two-flows --report-to 127.0.0.1:9 --quiet --out o",
	"pint latency":    "queues --flows 2",
	"pint loops":      "",
	"pint read":       "--listen 127.0.0.1:0 --for 1ns --switches 1",
	"pint trace":      "fattree --set topology.k=4 --runs 2 --quiet --out o",
	"pint tune":       "fattree --set topology.k=4 --runs 2",
	"sketch accuracy": "--packets 20000 --flows 1000 --memory 10KB --quiet --out o",
	"sketch speed":    "--packets 20000 --flows 1000 --memory 10KB --rounds 1",
	"sketch query":    "heavy-hitters --packets 20000 --flows 1000 --threshold 200",
	"sketch trace":    "a.pcap --packets 20000 --flows 1000",
	"reproduce":       "fridge/speed --scale smoke --quiet --out o",
	"sweep":           "IN/c.yaml --quiet --out o",
	"validate random": "--scenarios 1 --quiet --out o",
}

// everyFlag calls the function use for each flag of each command.
func everyFlag(use func(command string, f *pflag.Flag)) {
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) { use(strings.TrimPrefix(c.CommandPath(), "pintlab "), f) })
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk((&program{stdout: &output{w: &bytes.Buffer{}}, stderr: &bytes.Buffer{}}).root())
}

// counts calls the function use for each flag whose value is a whole number, in each command. It skips --seed, which is
// not a count.
func counts(use func(command string, f *pflag.Flag, most, bytes uint64)) {
	everyFlag(func(name string, f *pflag.Flag) {
		switch v := f.Value.(type) {
		case *flags.Whole[int]:
			use(name, f, uint64(v.Max), uint64(v.Bytes))
		case *flags.Whole[uint64]:
			if f.Name != flagSeed {
				use(name, f, v.Max, v.Bytes)
			}
		}
	})
}

// Each flag is declared by a tag. If a flag is declared in another way, its value has one of pflag's own types, other
// than bool and stringArray.
func TestEveryFlagIsATag(t *testing.T) {
	everyFlag(func(command string, f *pflag.Flag) {
		if kind := f.Value.Type(); strings.Contains(fmt.Sprintf("%T", f.Value), "pflag.") && kind != "bool" &&
			kind != "stringArray" {
			t.Errorf("%s --%s is a %s", command, f.Name, kind)
		}
	})
}

// limits returns the limits of a flag whose value is a number or a list of numbers.
func limits(v pflag.Value) (least, most float64, ok bool) {
	switch v := v.(type) {
	case *flags.Whole[int]:
		return float64(v.Min), float64(v.Max), true
	case *flags.Whole[uint64]:
		return float64(v.Min), float64(v.Max), true
	case *flags.Real:
		return v.Min, v.Max, true
	case *flags.List[int]:
		return limits(v.One(new(int)))
	case *flags.List[float64]:
		return limits(v.One(new(float64)))
	}
	return 0, 0, false
}

// Each flag whose value is a number or a list of numbers has limits, and its error lists the accepted values.
func TestEveryNumberHasLimits(t *testing.T) {
	n, texts := 0, 0
	everyFlag(func(command string, f *pflag.Flag) {
		v := f.Value
		least, most, ok := limits(v)
		if !ok {
			kind := f.Value.Type()
			if word, _ := pflag.UnquoteUsage(f); kind == "string" && word == "time" {
				kind = "duration"
			}
			if regexp.MustCompile("^(u?int|float|duration|count)").MatchString(kind) {
				t.Errorf("%s --%s: a %s without limits; use whole, real, text or list", command, f.Name, kind)
			}
			if v, ok := v.(*flags.Text); ok && isQuantity(v.Value) {
				texts++
				limitedText(t, command+" --"+f.Name, v)
			}
			return
		}
		if n++; f.Name == flagSeed {
			return
		}
		if !(most > least) || least < 0 || most > 1e12 {
			t.Errorf("%s --%s: from %v to %v", command, f.Name, least, most)
		}
		for _, value := range []string{"-1", "NaN", "Inf", "-Inf", "1e300", "1e999", fmt.Sprintf("%.0f", 2*most+1),
			"x", ""} {
			before := v.String()
			if err := v.Set(value); err == nil || !strings.Contains(err.Error(), "want a ") {
				t.Errorf("%s --%s %q: %v", command, f.Name, value, err)
			}
			if v.String() != before {
				t.Errorf("%s --%s %q: the value has changed to %s", command, f.Name, value, v)
			}
		}
		if f.DefValue != "" {
			if err := v.Set(f.DefValue); err != nil {
				t.Errorf("%s --%s: the default %s is refused: %v", command, f.Name, f.DefValue, err)
			}
		}
	})
	if n < 80 || texts < 5 {
		t.Errorf("%d flags and %d times and sizes: they are not all found", n, texts)
	}
	var stderr bytes.Buffer
	const want = "pintlab: --rate \"1e300\": want a number from 1e-06 to 1e+12: the clock has picoseconds\n"
	if code := invoke([]string{"fridge", "tune", "--rate", "1e300", "--delays", "uniform:1ms,2ms"}, &bytes.Buffer{},
		&stderr); code != exitUsage || stderr.String() != want {
		t.Errorf("exit code %d, %s", code, &stderr)
	}
}

// limitedText checks that a time or size that is too large is refused.
func limitedText(t *testing.T, flag string, v *flags.Text) {
	if v.Most() == "" {
		t.Errorf("%s: no upper limit", flag)
	}
	for _, value := range []string{"9000000s", "9000TB", "9000Tbps"} {
		before := v.String()
		if err := v.Set(value); err == nil || v.String() != before {
			t.Errorf("%s %s: %v, and it has gone from %s to %s", flag, value, err, before, v)
		}
	}
}

// Each count has a limit. A larger value is an error before the command starts to work. The product of the limit and
// the memory for one item is at most 5 GB.
func TestEveryCountHasALimit(t *testing.T) {
	n := 0
	counts(func(command string, f *pflag.Flag, most, bytes uint64) {
		n++
		if most == 0 || most > 1<<40 || most*bytes > 5e9 {
			t.Errorf("%s --%s: at most %d of %d bytes each", command, f.Name, most, bytes)
		}
		for _, value := range []string{strconv.FormatUint(most+1, 10), "99999999999999999999", "18446744073709551615"} {
			err := f.Value.Set(value)
			if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("to %d", most)) || bytes > 0 &&
				value != "99999999999999999999" && !strings.Contains(err.Error(), "GB of memory") {
				t.Errorf("%s --%s %s: %v", command, f.Name, value, err)
			}
		}
	})
	if n < 50 {
		t.Errorf("%d flags: they are not all found", n)
	}
	var stderr bytes.Buffer
	const want = "pintlab: --count \"99999999999\": want a whole number from 1 to 20000000, which need about 4 GB " +
		"of memory\n"
	if code := invoke([]string{"fridge", "measure", "synthetic", "--count", "99999999999"}, &bytes.Buffer{},
		&stderr); code != exitUsage || stderr.String() != want {
		t.Errorf("exit code %d, %s", code, &stderr)
	}
}

// If a command processes its items one after the other, a large count does not increase its memory. The command either
// ends at once or runs without using more memory.
func TestLargeCountsTakeNoMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("needs go test without -short")
	}
	if _, err := os.Stat("/proc/self/statm"); err != nil {
		t.Skipf("needs /proc/self/statm: %v", err)
	}
	in := t.TempDir()
	prepare(t, in, nil)
	counts(func(command string, f *pflag.Flag, most, bytes uint64) {
		if most < 1_000_000 || bytes > 0 {
			return
		}
		args, ok := large[command]
		if !ok {
			t.Errorf("%s --%s: has no job in this test", command, f.Name)
			return
		}
		line := command + " " + strings.ReplaceAll(args, "IN", in)
		words := strings.Fields(line)
		for i, w := range words {
			if w == "--"+f.Name { // replaces the job's value
				words = append(words[:i], words[i+2:]...)
				break
			}
		}
		words = append(words, "--"+f.Name, strconv.FormatUint(most, 10))
		t.Run(strings.Join(words[:len(words)-1], " "), func(t *testing.T) { passes(t, words) })
	})
}

// passes runs the program for half a second and checks its memory.
func passes(t *testing.T, words []string) {
	c := exec.Command("pintlab", words...)
	c.Dir = t.TempDir()
	// On a busy machine, garbage that has not been collected would count as used memory.
	c.Env = append(os.Environ(), "GOMEMLIMIT=128MiB")
	var stderr bytes.Buffer
	c.Stderr = &stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- c.Wait() }()
	pages := int64(0)
	for range 10 {
		select {
		case <-done:
			if code := c.ProcessState.ExitCode(); code > exitUsage || strings.Contains(stderr.String(), "goroutine ") {
				t.Errorf("exit code %d\n%s", code, &stderr)
			}
			return
		case <-time.After(50 * time.Millisecond):
		}
		var all, resident int64
		if text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", c.Process.Pid)); err == nil {
			if _, err := fmt.Sscan(string(text), &all, &resident); err == nil {
				pages = max(pages, resident)
			}
		}
	}
	c.Process.Kill()
	<-done
	if most := int64(256 << 20); pages*int64(os.Getpagesize()) > most {
		t.Errorf("%d MB of memory after half a second", pages*int64(os.Getpagesize())>>20)
	}
}

// isQuantity reports whether the value of a flag is a time, a size or a rate, and not a word.
func isQuantity(v any) bool {
	_, ok := v.(interface{ Most() (limit, also string) })
	return ok
}
