package scenario

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"pintlab/internal/lists"
	"pintlab/internal/spelling"
)

//go:embed presets/*.yaml
var presetFiles embed.FS

// Presets returns the names of the embedded scenarios, sorted.
func Presets() []string {
	files, err := fs.Glob(presetFiles, "presets/*.yaml")
	if err != nil {
		panic(err) // the pattern is valid
	}
	names := lists.Map(files, func(f string) string { return strings.TrimSuffix(path.Base(f), ".yaml") })
	slices.Sort(names)
	return names
}

// preset returns the embedded scenario with the given name. via lists the presets that extend it.
func (l *Language) preset(name string, via []string, assignments ...string) (s Scenario, brought []string, err error) {
	if slices.Contains(via, name) {
		return Scenario{}, nil, fmt.Errorf("presets extend each other in a circle: %s", join(append(via, name)))
	}
	text, err := PresetYAML(name)
	if err != nil {
		return Scenario{}, nil, err
	}
	return l.parse(text, "preset "+name, "", append(slices.Clip(via), name), assignments...)
}

// schemaFolder is the folder of the JSON Schema that a comment in each preset's source names for editors.
const schemaFolder = "../../../docs/reference/schema/"

// PresetYAML returns the text of a preset, with its comments. The line for editors in this text names a JSON Schema in
// the directory in which a reader saves the text.
func PresetYAML(name string) ([]byte, error) {
	if !slices.Contains(Presets(), name) {
		return nil, fmt.Errorf("no preset of that name%s (presets: %s)",
			spelling.Hint(name, Presets()), join(Presets()))
	}
	text, err := presetFiles.ReadFile("presets/" + name + ".yaml")
	return bytes.Replace(text, []byte("$schema="+schemaFolder), []byte("$schema="), 1), err
}

// PresetTitle returns the first comment line of a preset. It is the title of the preset in lists.
func PresetTitle(name string) (string, error) {
	text, err := PresetYAML(name)
	if err != nil {
		return "", err
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(strings.TrimPrefix(line, "#")), nil
}
