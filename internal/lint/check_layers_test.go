package lint

import (
	"fmt"
	"slices"
	"strings"
)

// Package is a package of the module with its imports, for the layer check.
type Package struct {
	Path    string   // path in the module: "netsim/topo"
	Imports []string // imports of files other than tests; packages of the module have the same form as Path
}

// A layer may import earlier layers. Within a layer, a folder may import itself, its subfolders and its parent folder.
//
// A folder includes all packages below it that no other entry names. With a slash at the end it excludes the folder
// itself.
var layers = [][]string{
	{"internal", "netsim/unit"},
	{"netsim/schema"},
	{"netsim/"},
	{"netsim"},
	{"netsim/telemetry", "netsim/netsimtest"},
	{"int/sketch", "int/fridge"},
	{"int", "transport", "workloads", "plots", "p4/fixedpoint"},
	{"hpcc", "pint", "int/sketchint", "int/lightguardian", "transport/cctest"},
	{"p4", "experiments/protocols"},
	{"experiments/scenario", "experiments/results"},
	{"experiments/sim"},
	{"experiments/internal/estimate"},
	{"experiments/internal/campaign"},
	{"experiments/internal/study"},
	{"experiments/internal/measure"},
	{"experiments/internal/figures/figure"},
	{"experiments/internal/show", "experiments/internal/compare"},
	{"experiments/internal/figures"},
	{"experiments/internal/validate"},
	{"experiments/pintlab"},
	{"cmd"},
}

// leaves are pure data structures. From this module, each may import only packages of internal and of its own folder.
var leaves = []string{"int/sketch", "int/fridge"}

// helpers are packages that only tests import.
var helpers = []string{"netsim/netsimtest", "transport/cctest", "int/sketch/sketchtest",
	"experiments/internal/figures/figure/figuretest"}

// lists is the package that names all protocols. No other package of experiments may import a protocol's package, so a
// new protocol needs only a folder and a line in lists. common names the imports of lists that other packages may also
// import: the packages that declare the kinds of protocols, and the sketches, which experiments also use directly.
const lists = "experiments/protocols"

var common = []string{"netsim/schema", "int/sketch", "int/sketch/rows", "int/sketch/sumax", "int/sketch/tower",
	"netsim/route", "netsim/telemetry", "netsim/topo", "transport", "workloads"}

// namesProtocols lists the packages that may import protocols.
var namesProtocols = []string{lists, "experiments/scenario/ns3config"} // ns3config identifies modes by number

// Protocols complains about packages of experiments that import a protocol's package.
func Protocols(packages []Package) []string {
	var bad, protocols []string
	for _, p := range packages {
		if p.Path == lists {
			protocols = p.Imports
		}
	}
	for _, p := range packages {
		if !strings.HasPrefix(p.Path, "experiments/") || slices.Contains(namesProtocols, p.Path) {
			continue
		}
		for _, i := range p.Imports {
			if slices.Contains(protocols, i) && !slices.Contains(common, i) {
				bad = append(bad, fmt.Sprintf("%s imports %s: only %s names protocols; ask by an interface of "+
					"netsim/telemetry or transport", p.Path, i, lists))
			}
		}
	}
	return bad
}

// Layers complains about imports that are neither in an earlier layer nor in the folder of the importing package.
func Layers(packages []Package) []string {
	var bad []string
	for _, p := range packages {
		level, folder := place(p.Path)
		if level < 0 {
			bad = append(bad, fmt.Sprintf("%s: in no layer; give it one in internal/lint/check_layers_test.go", p.Path))
			continue
		}
		for _, i := range p.Imports {
			below, other := place(i)
			switch {
			case slices.Contains(helpers, i) && !slices.Contains(helpers, p.Path):
				bad = append(bad, fmt.Sprintf("%s imports %s, which is for tests only", p.Path, i))
			case slices.Contains(leaves, folder) && other != folder && other != "internal":
				bad = append(bad, fmt.Sprintf("%s imports %s, but %s is a leaf: it may import only internal",
					p.Path, i, folder))
			case other == folder || below >= 0 && below < level:
			default:
				bad = append(bad, fmt.Sprintf("%s (layer %q) imports %s (layer %q), which is not below it",
					p.Path, folder, i, other))
			}
		}
	}
	return bad
}

// place returns the layer and the folder of a package. The layer is -1 if the package is in none.
func place(path string) (level int, folder string) {
	level = -1
	for l, folders := range layers {
		for _, f := range folders {
			inside := strings.HasPrefix(path+"/", strings.TrimSuffix(f, "/")+"/")
			if strings.HasSuffix(f, "/") {
				inside = strings.HasPrefix(path, f) // not the folder itself
			}
			// The longest matching name is the most specific one.
			if inside && len(f) > len(folder) {
				level, folder = l, f
			}
		}
	}
	return level, folder
}
