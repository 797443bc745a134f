package pintlab

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/internal/compare"
	"pintlab/experiments/internal/figures"
	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/figures/telemetry"
	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/experiments/scenario/ns3config"
	"pintlab/internal/flags"
	"pintlab/internal/lists"
	"pintlab/p4/analysis"
	"pintlab/p4/validate"
)

// A completer returns completions of a word on the command line. args contains the arguments before the word.
type completer = func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective)

// arguments contains the completer of each argument. The key is the name of the argument in the usage of commands, such
// as DIR.
var arguments = map[string]completer{
	"SCENARIO": orFile(scenario.Presets),
	"PRESET":   orFile(scenario.Presets),
	"PROGRAM":  orFile(programNames),
	"FIGURE":   only(figureNames),
	"DIR":      completeResults,
	"RUN":      completeResults,
}

// values maps flags to the completers of their values.
var values = map[string]completer{
	flagOut:    directories,
	"figure":   only(figureNames),
	"target":   orFile(analysis.TargetNames),
	flagMemory: only(func() []string { return []string{"none"} }),
}

// accepted maps flags to the names that they accept, given the arguments of the command.
func (p *program) accepted() map[string]func(args []string) []string {
	return map[string]func(args []string) []string{
		flagCC:        p.controlNames,
		flagTelemetry: p.systemNames,
		flagBalancing: func([]string) []string { return p.language.Protocols().Balancers.Names() },
	}
}

var capitals = regexp.MustCompile(`[A-Z]+`)

// complete registers the completers of a command and its subcommands.
func (p *program) complete(cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		p.complete(c)
	}
	if cmd.ValidArgs == nil && cmd.ValidArgsFunction == nil {
		for _, word := range capitals.FindAllString(cmd.Use, -1) {
			if f, ok := arguments[word]; ok && cmd.Name() != "validate" { // validate has another DIR
				cmd.ValidArgsFunction = f
				break
			}
		}
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		complete, ok := values[f.Name]
		if f.Name == flagSet {
			complete, ok = p.completeSet, true
		}
		if names := p.accepted()[f.Name]; names != nil {
			complete, ok = several(names), true
		}
		switch v := f.Value.(type) {
		case *flags.Choice:
			complete, ok = only(func() []string { return v.Of }), true
		case *flags.List[string]:
			if c, is := v.One(new(string)).(*flags.Choice); is {
				complete, ok = several(func([]string) []string { return c.Of }), true
			}
		}
		if ok && f.Value.Type() != "bool" {
			if err := cmd.RegisterFlagCompletionFunc(f.Name, complete); err != nil {
				panic(err) // the flag exists and is visited once
			}
		}
	})
}

func starting(names []string, word string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !strings.HasPrefix(n, word) })
}

// only returns a completer that completes names, but no files.
func only(names func() []string) completer {
	return func(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
		return starting(names(), word), cobra.ShellCompDirectiveNoFileComp
	}
}

// orFile returns a completer that completes names. If no name begins with the word, it completes files.
func orFile(names func() []string) completer {
	return func(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
		return starting(names(), word), cobra.ShellCompDirectiveDefault
	}
}

// several returns a completer for a comma-separated list. It completes the last name with names that are not yet in the
// list.
func several(names func(args []string) []string) completer {
	return func(_ *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		before := word[:strings.LastIndexByte(word, ',')+1]
		var full []string
		for _, n := range starting(names(args), word[len(before):]) {
			if !slices.Contains(strings.Split(before, ","), n) {
				full = append(full, before+n)
			}
		}
		return full, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

func directories(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// controlNames returns the names that compare --cc accepts, with or without a scenario.
func (p *program) controlNames(args []string) []string {
	if len(args) > 0 {
		return compare.NetworkControls(p.language.Protocols())
	}
	return compare.Controls(p.language.Protocols())
}

// systemNames returns the names that compare --telemetry accepts.
func (p *program) systemNames(args []string) []string {
	if len(args) > 0 {
		return compare.Systems(p.language.Protocols())
	}
	return telemetry.Keys()
}

func figureNames() (names []string) {
	for _, f := range figures.Figures() {
		names = append(names, f.Name)
		if first, err := figures.Find(f.Short()); err == nil && first == f {
			names = append(names, f.Short())
		}
	}
	return names
}

func programNames() []string {
	return lists.Map(validate.Programs(), func(q validate.Program) string { return q.Name })
}

// completeResults completes directories of runs and figures in the default directory of results. If none
// matches, it completes any directory.
func completeResults(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
	var found []string
	for _, dir := range []string{"results", campaign.DirName("results"), filepath.Dir(word + "x")} {
		runs, err := store.Runs(dir)
		if err != nil {
			continue // unreadable directories are not suggested
		}
		found = append(found, runs...)
	}
	drawn, _ := filepath.Glob(filepath.Join("results", "*", "*", "*", store.ManifestFile))
	for _, manifest := range drawn {
		if dir := filepath.Dir(manifest); figure.IsFigure(dir) {
			found = append(found, dir)
		}
	}
	slices.Sort(found)
	if found = starting(slices.Compact(found), word); len(found) == 0 {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}

// completeSet completes KEY=VALUE of --set: keys section by section, then the accepted words of the key.
func (p *program) completeSet(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	sc := p.described(cmd, args)
	key, value, valued := strings.Cut(word, "=")
	var found []string
	for _, k := range sc.Keys() {
		now := k.Value + " now"
		if k.Bounds != "" {
			now += ", " + k.Bounds
		}
		switch {
		case valued && k.Key == key:
			for _, w := range starting(k.Accepted, value) {
				found = append(found, key+"="+w)
			}
			if k.Accepted == nil && value == "" {
				found = append(found, key+"="+k.Value+"\t"+now)
			}
		case valued || !strings.HasPrefix(k.Key, key):
		case strings.Contains(k.Key[len(key):], "."):
			section := k.Key[:len(key)+strings.IndexByte(k.Key[len(key):], '.')+1]
			if len(found) == 0 || found[len(found)-1] != section {
				found = append(found, section)
			}
		case k.Value == "":
			found = append(found, k.Key+"=")
		default:
			found = append(found, k.Key+"=\t"+now)
		}
	}
	directive := cobra.ShellCompDirectiveNoFileComp
	if !valued {
		directive |= cobra.ShellCompDirectiveNoSpace
	}
	return found, directive
}

// described returns the scenario that the command line describes so far. If there is none, it returns the default
// scenario.
func (p *program) described(cmd *cobra.Command, args []string) scenario.Scenario {
	open := func(set ...string) (scenario.Scenario, error) { return p.language.Default().With(set...) }
	if f := cmd.Flags().Lookup("config"); f != nil && f.Changed {
		open = func(set ...string) (scenario.Scenario, error) {
			sc, _, err := ns3config.Load(f.Value.String(), set...)
			return sc, err
		}
	} else if len(args) > 0 {
		what := args[0]
		if c, err := compare.LoadGrid(what); err == nil {
			what = c.Base
		}
		if base, ok, err := p.networkBase(what); ok && err == nil {
			open = func(set ...string) (scenario.Scenario, error) { return base(set) }
		}
	}
	set, _ := cmd.Flags().GetStringArray(flagSet)
	for _, set := range [][]string{set, nil} {
		if sc, err := open(set...); err == nil {
			return sc
		}
	}
	return p.language.Default()
}
