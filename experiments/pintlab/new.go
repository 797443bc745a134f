package pintlab

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/mod/modfile"

	"pintlab/int/sketch"
	"pintlab/internal/input"
	"pintlab/internal/lists"
	"pintlab/internal/outfile"
)

// starters contains the files that pintlab new writes, in a folder for each kind. Tests build and run them.
//
//go:embed testdata/outside/control testdata/outside/program testdata/outside/scenario testdata/outside/sketch
var starters embed.FS

const startersDir = "testdata/outside"

// starterKinds maps each kind of starter to a name in its files. The user's name replaces this name.
var starterKinds = map[string]string{"scenario": "rack", "control": "gentle", "sketch": "count", "program": "ewma"}

// starterSchemas lists, by kind, the JSON Schemas that are written next to the files. Editors complete keys with them.
var starterSchemas = map[string]string{"scenario": "scenario", "program": "network"}

// newName matches names that are valid for files, keys of scenarios and Go modules.
var newName = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

const longestName = 40

func newCommand(p *program) *cobra.Command {
	var o struct {
		options `flags:"json"`
		to      string `flag:"to" writes:"yes" use:"{directory} to make (default: NAME)"`
		source  string `flag:"source" use:"{directory} of a clone of pintlab, for a Go module"`
	}
	kinds := slices.Sorted(maps.Keys(starterKinds))
	return with(&cobra.Command{
		Use:       "new " + strings.Join(kinds, "|") + " NAME",
		Short:     "Write a small scenario, congestion control, sketch or P4 program to begin with",
		GroupID:   groupInputs,
		Args:      exactly("a kind ("+strings.Join(kinds, ", ")+")", "a name"),
		ValidArgs: kinds,
		RunE: func(cmd *cobra.Command, args []string) error {
			kind, name := args[0], args[1]
			if err := p.checkStarter(kind, name); err != nil {
				return err
			}
			to := o.to
			if to == "" {
				to = name
			}
			dir, err := fs.Sub(starters, startersDir+"/"+kind)
			if err != nil {
				return failed(err)
			}
			files, err := starterFiles(dir, starterKinds[kind], name)
			if err != nil {
				return failed(err)
			}
			if _, is := files["main.go"]; is {
				err = addModule(files, name, to, o.source)
			} else {
				err = without(cmd, "on a "+kind, "source")
			}
			if err != nil {
				return err
			}
			for _, s := range p.jsonSchemas() {
				if s.name == starterSchemas[kind] {
					files[s.name+".schema.json"] = s.text()
				}
			}
			if err := writeStarter(to, files); err != nil {
				return err
			}
			list := lists.Map(slices.Sorted(maps.Keys(files)), func(f string) string { return filepath.Join(to, f) })
			return p.show(&o.options, map[string][]string{"files": list}, func() {
				for _, file := range list {
					p.printf("%s\n", file)
				}
			})
		},
	}, &o)
}

// checkStarter returns an error if the kind does not exist, or if the name is not valid for the kind.
func (p *program) checkStarter(kind, name string) error {
	taken := []string(nil)
	switch set := p.language.Protocols(); kind {
	case "control":
		taken = set.Controls.Names()
	case "sketch":
		taken = lists.Map(set.Sketches, func(k sketch.Kind) string { return k.Name })
	}
	_, is := starterKinds[kind]
	switch {
	case !is:
		return fmt.Errorf("new: no kind %q (kinds: %s)", kind,
			strings.Join(slices.Sorted(maps.Keys(starterKinds)), ", "))
	case !newName.MatchString(name) || len(name) > longestName:
		return fmt.Errorf("new %s: name %q: want a lower-case letter, then lower-case letters, digits and single "+
			"hyphens inside the name, at most %d characters", kind, name, longestName)
	case slices.Contains(taken, name):
		return fmt.Errorf("new %s: pintlab has a %s %q already", kind, kind, name)
	}
	return nil
}

// starterFiles returns the files of a directory. In these files, the given name replaces own.
func starterFiles(dir fs.FS, own, name string) (map[string][]byte, error) {
	titled := func(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
	word := regexp.MustCompile(`\b(` + own + `|` + titled(own) + `)\b`)
	put := func(text []byte) []byte {
		return word.ReplaceAllFunc(text, func(w []byte) []byte {
			if string(w) == own {
				return []byte(name)
			}
			return []byte(titled(name))
		})
	}
	files := map[string][]byte{}
	return files, fs.WalkDir(dir, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(dir, path)
		if filepath.Ext(path) != ".pcap" {
			text = put(text)
		}
		files[string(put([]byte(path)))] = text
		return err
	})
}

// addModule adds the files of a Go module that uses a clone of pintlab. to is the directory of the module. The module
// requires the same versions of other modules as the clone, so that go build works without the network.
func addModule(files map[string][]byte, name, to, source string) error {
	clone, mod, err := findClone(source)
	if err != nil {
		return err
	}
	if files["go.sum"], err = input.ReadFile(filepath.Join(clone, "go.sum"), input.Settings); err != nil {
		return err
	}
	if to, err = filepath.Abs(to); err != nil {
		return err
	}
	if near, err := filepath.Rel(to, clone); err == nil {
		clone = near
	}
	for _, tool := range slices.Clone(mod.Tool) {
		err = errors.Join(err, mod.DropTool(tool.Path))
	}
	err = errors.Join(err, mod.AddModuleStmt("example.org/"+name), mod.AddRequire("pintlab", "v0.0.0"),
		mod.AddReplace("pintlab", "", filepath.ToSlash(clone), ""))
	mod.Cleanup()
	files["go.mod"] = modfile.Format(mod.Syntax)
	return err
}

// findClone returns the directory of pintlab's sources and the contents of its go.mod. The sources are in source or in
// a folder pintlab in source. If source is "", findClone searches the working directory and all directories above it in
// the same way.
func findClone(source string) (string, *modfile.File, error) {
	at, err := filepath.Abs(source)
	for err == nil {
		for _, dir := range []string{at, filepath.Join(at, "pintlab")} {
			text, err := input.ReadFile(filepath.Join(dir, "go.mod"), input.Settings)
			if err != nil || modfile.ModulePath(text) != "pintlab" {
				continue
			}
			mod, err := modfile.Parse(filepath.Join(dir, "go.mod"), text, nil)
			return dir, mod, err
		}
		up := filepath.Dir(at)
		if source != "" || up == at {
			break
		}
		at = up
	}
	if source != "" {
		return "", nil, errors.Join(err,
			fmt.Errorf("--source %s: this directory has no go.mod of the module pintlab", source))
	}
	return "", nil, errors.Join(err, errors.New("a Go module needs pintlab's sources, and neither this directory, "+
		"nor one above it, nor a folder pintlab in any of these has them: name them with --source"))
}

// writeStarter writes files to a new directory.
func writeStarter(to string, files map[string][]byte) error {
	exists := fmt.Errorf("new: %s exists already: name another directory with --to", to)
	if _, err := os.Lstat(to); err == nil {
		return exists
	}
	dir, err := outfile.MakeDir(to)
	if err != nil {
		return err
	}
	for name, text := range files {
		err = errors.Join(err, os.WriteFile(dir.Path(name), text, 0o666))
	}
	if err == nil {
		err = dir.Commit(func() ([]string, error) { return nil, exists })
	}
	return errors.Join(err, dir.Abort())
}
