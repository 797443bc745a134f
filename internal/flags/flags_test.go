package flags

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"pintlab/netsim/unit"
)

type inner struct {
	Seed uint64 `flag:"seed" use:"seed {N}" default:"1" range:"<=100"`
	Rest int    `flag:"rest" use:"not picked" range:"<=9"`
}

type options struct {
	Entries []int     `flag:"entries,e" use:"entries {M}" default:"4096" range:">=2 <=65536"`
	Share   []float64 `flag:"p" use:"shares {P}" default:"0.5" range:">0 <=1"`
	Weights string    `flag:"weights" use:"one of %s" default:"rate" oneof:"rate|variance"`
	Each    []string  `flag:"each" use:"words" each:"yes"`
	After   unit.Time `flag:"after" use:"time {T}" default:"1us" range:">0s <1ms"`
	Quiet   bool      `flag:"quiet" use:"say less"`
	Own     int       // no flag
	Inner   inner     `flags:"seed"`
}

// parsed returns the options of a command line.
func parsed(line string) (o *options, c *cobra.Command, err error) {
	o, c = &options{}, &cobra.Command{Use: "try"}
	Add(c, func(flag string) []any {
		if flag == "weights" {
			return []any{"rate, variance"}
		}
		return nil
	}, o)
	return o, c, c.ParseFlags(strings.Fields(line))
}

// A command line replaces defaults, and each use of a list flag adds to the earlier uses.
func TestAdd(t *testing.T) {
	normal := options{Entries: []int{4096}, Share: []float64{0.5}, Weights: "rate",
		After: unit.Microsecond, Inner: inner{Seed: 1}}
	for _, tt := range []struct {
		line string
		want func(*options)
	}{
		{"", func(*options) {}},
		{"-e 2,3 --entries 4", func(o *options) { o.Entries = []int{2, 3, 4} }},
		{"--p 1 --weights variance --quiet",
			func(o *options) { o.Share, o.Weights, o.Quiet = []float64{1}, "variance", true }},
		{"--each a,b --each c --after 2us --seed 7", func(o *options) {
			o.Each, o.After, o.Inner.Seed = []string{"a,b", "c"}, 2*unit.Microsecond, 7
		}},
	} {
		want := normal
		tt.want(&want)
		if got, _, err := parsed(tt.line); err != nil {
			t.Errorf("%q: %v", tt.line, err)
		} else if diff := cmp.Diff(want, *got); diff != "" {
			t.Errorf("%q: %s", tt.line, diff)
		}
	}
}

// A value that is not accepted causes an error that names the flag and the accepted values.
func TestErrors(t *testing.T) {
	for line, want := range map[string][]string{
		"--entries 1":        {"--entries", "2 to 65536"},
		"--entries 2,70000":  {"--entries", `"70000"`, "2 to 65536"},
		"--p 0":              {"--p", "above 0 and at most 1"},
		"--p 1e-300":         {"--p", "no effect"},
		"--weights mean":     {"--weights", "rate, variance"},
		"--weights varance":  {"--weights", "rate, variance", `did you mean "variance"?`},
		"--after 0s":         {"--after", "more than 0s", "less than 1ms"},
		"--after 1ms":        {"--after", "less than 1ms"},
		"--seed 101":         {"--seed", "to 100"},
		"--rest 1":           {"--rest"},
		"--entries nonsense": {"--entries", "2 to 65536"},
	} {
		_, _, err := parsed(line)
		if err == nil {
			t.Errorf("%s is accepted", line)
			continue
		}
		for _, w := range want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %v: no %q", line, err, w)
			}
		}
	}
}

// The help contains the accepted words and the defaults.
func TestHelp(t *testing.T) {
	_, c, err := parsed("")
	if err != nil {
		t.Fatal(err)
	}
	help := c.Flags().FlagUsages()
	for _, want := range []string{"-e, --entries M", "(default 4096)", "one of rate, variance", "--seed N"} {
		if !strings.Contains(help, want) {
			t.Errorf("no %q in\n%s", want, help)
		}
	}
	if strings.Contains(help, "rest") {
		t.Errorf("a flag that is not picked is in\n%s", help)
	}
}
