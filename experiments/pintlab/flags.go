package pintlab

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/internal/flags"
	"pintlab/internal/spelling"
	"pintlab/netsim/unit"
)

// options contains the flags that have the same meaning in every command. A command accepts only the flags that have an
// effect on it.
type options struct {
	out     string      `flag:"out" default:"results" use:"{directory} for results"`
	seed    uint64      `flag:"seed" use:"seed {N} of every random stream"`
	seeds   int         `flag:"seeds" range:">=1 <=10000" use:"number {N} of seeds, counting up"`
	workers int         `flag:"workers" range:">=1 <=1024"` // limit of run.workers
	scale   string      `flag:"scale" oneof:"smoke|laptop|paper"`
	set     []string    `flag:"set" each:"yes" use:"change a key of the scenario, {key=value}; may be repeated"`
	json    bool        `flag:"json" use:"print one JSON document on standard output"`
	quiet   bool        `flag:"quiet" use:"no progress"`
	Memory  memoryLimit `flag:"memory-limit"`
	table   string      `flag:"table" oneof:"csv|markdown|latex"`

	cmd     *cobra.Command
	implied []string // assignments that the command makes
	brought []string // assignments that the congestion control adds (see scenario.Language)
}

// Names of the common flags.
const (
	flagOut     = "out"
	flagSeed    = "seed"
	flagSeeds   = "seeds"
	flagWorkers = "workers"
	flagScale   = "scale"
	flagSet     = "set"
	flagJSON    = "json"
	flagQuiet   = "quiet"
	flagMemory  = "memory-limit"
	flagTable   = "table"
)

var commonFlags = []string{flagOut, flagSeed, flagSeeds, flagWorkers, flagScale, flagSet, flagJSON, flagQuiet,
	flagMemory}

func (o *options) Attached(cmd *cobra.Command) { o.cmd = cmd }

// given reports whether a flag occurs on the command line.
func (o *options) given(name string) bool { return o.cmd.Flags().Changed(name) }

// typed returns the given flags among the listed ones, as words of a command line.
func (o *options) typed(names ...string) (words []string) {
	for _, name := range names {
		f := o.cmd.Flags().Lookup(name)
		if f == nil || !f.Changed {
			continue
		}
		switch v := f.Value.(type) {
		case pflag.SliceValue: // a list, such as --set
			for _, s := range v.GetSlice() {
				words = append(words, "--"+name, s)
			}
		default:
			if v.Type() != "bool" {
				words = append(words, "--"+name, cmp.Or(v.String(), "0"))
			} else if v.String() == "true" {
				words = append(words, "--"+name)
			}
		}
	}
	return words
}

// changes returns the changes of --set. Two changes of the same key are an error.
func (o *options) changes() ([]string, error) {
	for i, a := range o.set {
		key, _, _ := strings.Cut(a, "=")
		for _, b := range o.set[:i] {
			if before, _, _ := strings.Cut(b, "="); scenario.Overlap(key, before) {
				return nil, fmt.Errorf("--set %s: the key is set twice, also by --set %s", a, b)
			}
		}
	}
	return o.set, nil
}

// keyed returns the given flags that set a scenario key. It returns each as the words on the command line and as an
// assignment.
func (o *options) keyed() (list []struct{ typed, key, assignment string }) {
	for _, f := range []struct {
		flag, key string
		value     any
	}{{flagSeed, "seed", o.seed}, {flagWorkers, "run.workers", o.workers}} {
		if o.given(f.flag) {
			list = append(list, struct{ typed, key, assignment string }{
				fmt.Sprintf("--%s %v", f.flag, f.value), f.key, fmt.Sprintf("%s=%v", f.key, f.value),
			})
		}
	}
	return list
}

// assignments returns all changes of scenario keys that the flags request.
func (o *options) assignments() ([]string, error) {
	list, err := o.changes()
	if err != nil {
		return nil, err
	}
	list = slices.Concat(o.implied, list)
	for _, f := range o.keyed() {
		for _, a := range o.set {
			if key, _, _ := strings.Cut(a, "="); scenario.Overlap(key, f.key) {
				return nil, fmt.Errorf("%s: the key %s is set twice, also by --set %s", f.typed, f.key, a)
			}
		}
		list = append(list, f.assignment)
	}
	return list, nil
}

// asTyped replaces assignments in an error by the flags that stand for them on the command line.
func (o *options) asTyped(err error) error {
	var problems scenario.Problems
	if !errors.As(err, &problems) {
		return err
	}
	problems = slices.Clone(problems)
	for i := range problems {
		for _, f := range o.keyed() {
			if problems[i].Source == "--set "+f.assignment {
				problems[i].Source = f.typed
			}
		}
	}
	return problems
}

// with adds the flags of a struct to a command (see flags.Add).
func with(cmd *cobra.Command, values any, names ...string) *cobra.Command {
	return naming(nil, cmd, values, names...)
}

// naming is like with, but for flags that accept names. The help lists these names in lines.
func naming(
	accepted map[string]func([]string) []string, cmd *cobra.Command, values any, names ...string,
) *cobra.Command {
	flags.Add(cmd, func(flag string) (list []any) {
		if names := accepted[flag]; names != nil {
			list = []any{strings.Join(names(nil), ", "), strings.Join(names([]string{"a scenario"}), ", ")}
		}
		return list
	}, values, names...)
	return cmd
}

// oneOutput makes a command refuse --json together with --table.
func oneOutput(cmd *cobra.Command) *cobra.Command {
	cmd.MarkFlagsMutuallyExclusive(flagJSON, flagTable)
	return cmd
}

// without returns an error if one of the listed flags is given. why describes the setting with which the flags have no
// effect.
func without(cmd *cobra.Command, why string, names ...string) error {
	for _, n := range names {
		if f := cmd.Flags().Lookup(n); f != nil && f.Changed {
			return fmt.Errorf("--%s has no effect %s", n, why)
		}
	}
	return nil
}

// flagError rewrites an error of the flag parser in plain words.
func (p *program) flagError(cmd *cobra.Command, err error) error {
	var (
		missing *pflag.ValueRequiredError
		invalid *pflag.InvalidValueError
		unknown *pflag.NotExistError
	)
	switch {
	case errors.As(err, &missing):
		return fmt.Errorf("--%s: the value is missing", missing.GetSpecifiedName())
	case errors.As(err, &invalid) && invalid.GetValue() == "" && p.accepted()[invalid.GetFlag().Name] != nil:
		name := invalid.GetFlag().Name
		return fmt.Errorf("--%s \"\": want one or more of %s", name,
			strings.Join(p.accepted()[name](cmd.Flags().Args()), ", "))
	case errors.As(err, &invalid):
		return fmt.Errorf("--%s %q: %w", invalid.GetFlag().Name, invalid.GetValue(), invalid.Unwrap())
	case errors.As(err, &unknown):
		name := unknown.GetSpecifiedName()
		var names, has []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names, has = append(names, f.Name), append(has, "--"+f.Name)
			}
		})
		if slices.Contains(commonFlags, name) {
			return fmt.Errorf("--%s has no effect in %s (options: %s)", name, called(cmd),
				strings.Join(has, ", "))
		}
		dashes := "--"
		if unknown.GetSpecifiedShortnames() != "" {
			dashes = "-"
		}
		hint := ""
		if s := spelling.Suggest(name, names); s != "" {
			hint = fmt.Sprintf("; did you mean --%s?", s)
		}
		return fmt.Errorf("%s has no option %s%s%s (options: %s)", called(cmd), dashes, name, hint,
			strings.Join(has, ", "))
	}
	return err
}

// memoryLimit is the value of --memory-limit.
type memoryLimit struct {
	given bool
	bytes int64 // 0 for no limit
}

func (m *memoryLimit) String() string { return "" }

func (m *memoryLimit) Set(s string) error {
	if s == "none" {
		*m = memoryLimit{given: true}
		return nil
	}
	var b unit.Bytes
	if err := b.UnmarshalText([]byte(s)); err != nil || b < 1 {
		return errors.New("want a size such as 4GB, or the word none")
	}
	*m = memoryLimit{given: true, bytes: int64(b)}
	return nil
}

func (m *memoryLimit) Type() string { return "size" }

// limit returns the limit in bytes. This is the given limit or, if none was given, nine tenths of the free memory.
func (m *memoryLimit) limit() int64 {
	if m.given {
		return m.bytes
	}
	return store.FreeMemory() / 10 * 9
}
