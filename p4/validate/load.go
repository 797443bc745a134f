package validate

import (
	"fmt"
	"slices"
	"strings"

	"pintlab/internal/input"
	"pintlab/p4/analysis"
	"pintlab/p4/interp"
)

// Load reads a program from disk, or reads a built-in program.
func Load(name string, o interp.Options) (*interp.Program, error) {
	for _, dir := range o.IncludeDirs {
		if err := input.IsDir(dir, "included files"); err != nil {
			return nil, fmt.Errorf("-I %w", err)
		}
	}
	if strings.HasSuffix(name, ".p4") {
		return interp.Load(name, o)
	}
	q, err := Find(name)
	if err != nil {
		return nil, fmt.Errorf("%w, and the name does not end in .p4", err)
	}
	return q.Load(o)
}

// Loadable is a program that is loaded for a target. If the program is a file, only the field Name of Program is
// set.
type Loadable struct {
	Program
	Loaded *interp.Program
}

// ForTarget loads the named programs or files, or all built-in programs, for a target. A name may not occur twice.
func ForTarget(target string, names []string, o interp.Options) (*analysis.Target, []Loadable, error) {
	t, err := analysis.OpenTarget(target)
	if err != nil {
		return nil, nil, err
	}
	if len(names) == 0 {
		for _, q := range Programs() {
			names = append(names, q.Name)
		}
	}
	o.Target = t.Defines
	var programs []Loadable
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, nil, fmt.Errorf("%s occurs twice", name)
		}
		loaded, err := Load(name, o)
		if err != nil {
			return nil, nil, err
		}
		q, err := Find(name)
		if err != nil || strings.HasSuffix(name, ".p4") {
			q = Program{Name: name}
		}
		programs = append(programs, Loadable{q, loaded})
	}
	return t, programs, nil
}

// EntryCommands returns the table entries of a program as commands of simple_switch_CLI.
func EntryCommands(name string, o interp.Options) ([]string, error) {
	for _, d := range o.Defines {
		if macro, _, _ := strings.Cut(d, "="); macro == loadedMacro {
			return nil, fmt.Errorf("-D %s: p4 entries sets and unsets this macro itself: leave it out", d)
		}
	}
	prog, err := Load(name, o)
	if err != nil {
		return nil, err
	}
	o.Defines = append(slices.Clone(o.Defines), loadedMacro)
	loaded, err := Load(name, o)
	if err != nil && !prog.HasConstEntries() {
		return nil, fmt.Errorf("%s has no tables with constant entries, so a switch needs no commands for it", name)
	}
	if err != nil {
		return nil, fmt.Errorf("%s with the macro %s, which should remove all constant entries: %w",
			name, loadedMacro, err)
	}
	return prog.EntryCommands(loaded)
}

// Layout is the layout of a program in the stages of a target.
type Layout struct {
	Program   string              `json:"program"`
	Target    string              `json:"target"`
	Pipelines []analysis.Pipeline `json:"pipelines"` // laid out as if a stage had unlimited room
	Placed    int                 `json:"placed"`    // stages with limited room, shared by all pipelines
	Paper     int                 `json:"paper"`     // stages that the PINT paper counts; 0 if the paper has no number
	Fits      bool                `json:"fits"`
	PHV       int                 `json:"phv"`
	Use       []map[string][2]int `json:"use"`
	Problems  []analysis.Finding  `json:"problems"`
}

// Layout lays out the program in the stages of a target.
func (q *Loadable) Layout(t *analysis.Target) Layout {
	l := analysis.LayOut(q.Loaded, t)
	return Layout{q.Name, t.Name, analysis.Stages(q.Loaded, t), l.Stages, q.Stages, l.Fits(), l.PHV, l.InUse(),
		append([]analysis.Finding{}, l.Problems...)}
}
