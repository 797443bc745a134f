package interp

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"pintlab/internal/input"
	"pintlab/p4/interp/exec"
	"pintlab/p4/interp/ir"
	"pintlab/p4/interp/syntax"
	"pintlab/p4/interp/types"
)

// ErrInternal is wrapped by errors that are a defect of this package, not of the program or
// packet.
var ErrInternal = errors.New("internal error of the P4 interpreter")

// Options are the settings for reading a program.
type Options struct {
	// Defines are macros, "NAME" or "NAME=value". A macro that the program never uses is an error,
	// because it would have no effect.
	Defines []string
	// Target lists macros of a switch, in the same form. The program need not use them, and Defines can change them.
	Target []string
	// IncludeDirs are searched for included files after the folder of the including file.
	IncludeDirs []string
}

// Config holds the options of a pipeline.
type Config = exec.Config

// Program is a checked program. It does not change, and several pipelines may run it at
// the same time.
type Program struct {
	Name     string
	AST      *syntax.Program
	Info     *types.Info
	IR       *ir.Program
	Warnings []*syntax.Error
	// Files are the program and the files that it includes, if they are on disk.
	Files []string
}

// Load reads a program and what it includes from disk.
func Load(name string, opts Options) (*Program, error) {
	var files []string
	p, err := load(filepath.ToSlash(name), opts, func(name string) ([]byte, error) {
		data, err := input.ReadFile(filepath.FromSlash(name), input.Document)
		if err == nil {
			files = append(files, filepath.FromSlash(name))
		}
		return data, err
	})
	if err == nil {
		p.Files = files
	}
	return p, err
}

// LoadFS reads a program and what it includes from a file system.
func LoadFS(fsys fs.FS, name string, opts Options) (*Program, error) {
	return load(name, opts, func(name string) ([]byte, error) {
		return fs.ReadFile(fsys, path.Clean(name))
	})
}

func load(name string, opts Options, open func(string) ([]byte, error)) (p *Program, err error) {
	defer func() {
		if r := recover(); r != nil {
			p, err = nil, fmt.Errorf("%s: %w: %v", name, ErrInternal, r)
		}
	}()
	includes := systemFiles()
	defer func() { sayIncludes(err, includes) }()
	var errs syntax.List
	toks := syntax.Preprocess(name, syntax.Config{
		Open:        open,
		System:      func(n string) (string, bool) { t, ok := includes[n]; return t, ok },
		SystemNames: slices.Sorted(maps.Keys(includes)),
		IncludeDirs: opts.IncludeDirs,
		Predefined:  append([]string{targetMacro}, opts.Target...),
		Defines:     opts.Defines,
	}, &errs)
	if err := errs.Err(); err != nil {
		return nil, err
	}
	p = &Program{Name: strings.TrimSuffix(path.Base(name), ".p4")}
	p.AST = syntax.Parse(toks, &errs)
	if err := errs.Err(); err != nil {
		return nil, err
	}
	p.Info = types.Check(p.AST, &errs)
	if err := errs.Err(); err != nil {
		return nil, err
	}
	p.IR = ir.Elaborate(p.Info, ir.Options{Package: packageType, Share: share}, &errs)
	if err := errs.Err(); err != nil {
		return nil, located(err, name)
	}
	// Make a device and drop it, to find externs that cannot be run.
	compile(p.IR, exec.Config{}, &errs)
	if err := errs.Err(); err != nil {
		return nil, located(err, name)
	}
	p.Warnings = errs.Warnings
	return p, nil
}

// sayIncludes handles errors about undeclared names. It adds to each of them the include file that declares the
// name.
func sayIncludes(err error, includes map[string]string) {
	var list syntax.Errors
	if !errors.As(err, &list) {
		return
	}
	declares := map[string]string{}
	for _, file := range slices.Backward(slices.Sorted(maps.Keys(includes))) {
		var ignored syntax.List
		toks := syntax.Preprocess(file, syntax.Config{
			Open:   func(string) ([]byte, error) { return []byte(includes[file]), nil },
			System: func(string) (string, bool) { return "", true },
		}, &ignored)
		for _, d := range syntax.Parse(toks, &ignored).Decls {
			declares[d.DeclName()] = file
			if kinds, ok := d.(*syntax.MatchKindDecl); ok {
				for _, m := range kinds.Members {
					declares[m.Name] = file
				}
			}
		}
	}
	for _, e := range list {
		if file := declares[e.Undeclared]; file != "" && e.Undeclared != "" {
			e.Msg += ": #include <" + file + "> has it"
		}
	}
}

// located adds the program's name to errors about the program as a whole.
func located(err error, name string) error {
	var list syntax.Errors
	if errors.As(err, &list) {
		for _, e := range list {
			if e.Pos == (syntax.Pos{}) {
				e.Pos.File = name
			}
		}
	}
	return err
}

// Pipelines returns the controls that run as match-action pipelines: for v1model ingress
// and egress.
func (p *Program) Pipelines() []*ir.Control {
	var out []*ir.Control
	for _, i := range []int{argIngress, argEgress} {
		if i < len(p.IR.Args) && p.IR.Args[i].Control != nil {
			out = append(out, p.IR.Args[i].Control)
		}
	}
	return out
}
