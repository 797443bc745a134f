package analysis

import (
	"embed"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"

	"pintlab/internal/input"
	"pintlab/netsim/schema"
)

// builtIn holds the built-in targets. Each limit has its public source.
//
//go:embed targets
var builtIn embed.FS

// DefaultTarget is the target of commands if the user names none.
const DefaultTarget = "tofino"

// noLimit is the limit of a resource for which a software target specifies none.
const noLimit = 1 << 30

// Limit is the amount of a resource, with its source.
type Limit struct {
	Limit  int    `yaml:"limit" default:"0" range:">=0"`
	Source string `yaml:"source" default:""`
}

// Target is a switch. Limits are for one stage unless the comment on the limit specifies otherwise.
type Target struct {
	Name  string `yaml:"name" default:""`
	Title string `yaml:"title" default:""`
	// Defines are macros with which programs are compiled for the target, such as the unit of its clock.
	Defines []string `yaml:"defines"`
	// Software, if not empty, means that the target computes in software; its text is the source of this fact. Such
	// a target has no stages, any operation may come between the read and the write of a register, and a resource
	// for which the file specifies no limit is unlimited.
	Software string `yaml:"software" default:""`

	Stages Limit `yaml:"stages"` // stages of a pipeline, shared by ingress and egress

	Tables        Limit `yaml:"tables"`         // logical tables; operations outside of tables also take them
	TernaryTables Limit `yaml:"ternary_tables"` // tables with ternary or lpm keys
	Gateways      Limit `yaml:"gateways"`       // tables under a condition
	Actions       Limit `yaml:"actions"`        // action addresses, for ingress and egress separately
	HashBits      Limit `yaml:"hash_bits"`      // bits of hashes that are used as data, and of register indexes
	StatefulALUs  Limit `yaml:"stateful_alus"`  // registers
	SRAMBlocks    Limit `yaml:"sram_blocks"`    // SRAM blocks of 1024 words of 128 bits
	TCAMBlocks    Limit `yaml:"tcam_blocks"`    // TCAM blocks of 512 words of 44 bits
	ExactBytes    Limit `yaml:"exact_bytes"`    // bytes of keys of exact tables and of inputs of hashes
	TernaryBytes  Limit `yaml:"ternary_bytes"`  // bytes of keys of other tables

	RegisterBlocks     Limit `yaml:"register_blocks"`     // SRAM blocks of one register
	RegisterBits       Limit `yaml:"register_bits"`       // bits of a cell
	RegisterOperations Limit `yaml:"register_operations"` // dependent operations between reading and writing a cell
	GatewayEntries     Limit `yaml:"gateway_entries"`     // entries of a condition
	PHVBits            Limit `yaml:"phv_bits"`            // bits of all fields in the whole pipeline
}

// The sizes of a memory block.
const (
	sramWords, sramWidth = 1024, 128
	tcamWords, tcamWidth = 512, 44
)

// TargetNames returns the built-in targets.
func TargetNames() []string {
	list, err := builtIn.ReadDir("targets")
	if err != nil {
		panic(err) // the embedded folder is readable
	}
	var names []string
	for _, e := range list {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	return names
}

// OpenTarget returns the built-in target with the given name. If there is none, it reads the file with this path.
func OpenTarget(nameOrPath string) (*Target, error) {
	if slices.Contains(TargetNames(), nameOrPath) {
		data, err := builtIn.ReadFile("targets/" + nameOrPath + ".yaml")
		if err != nil {
			return nil, err
		}
		return parseTarget(data, nameOrPath+".yaml")
	}
	data, err := input.ReadFile(nameOrPath, input.Settings)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("no target %q: neither a file nor a built-in target (targets: %s)",
			nameOrPath, strings.Join(TargetNames(), ", "))
	}
	if err != nil {
		return nil, err
	}
	return parseTarget(data, nameOrPath)
}

// parseTarget reads a target. Every limit must be present, positive and have a source, unless the target is
// software. Unknown keys are errors. source is the name of the text in error messages.
func parseTarget(data []byte, source string) (*Target, error) {
	t := &Target{}
	l := schema.Language{Rules: targetRules, Empty: "empty; want keys such as name, title and stages"}
	l.Default(t)
	if err := l.Parse(t, data, schema.Source{Name: source}); err != nil {
		return nil, err
	}
	for _, l := range t.limits() {
		if *l.Limit == (Limit{}) {
			*l.Limit = Limit{noLimit, t.Software}
		}
	}
	return t, nil
}

// targetRules reports missing names, limits and sources.
func targetRules(document any, c *schema.Checker) {
	t := document.(*Target)
	c.FailIf(t.Name == "", "name", "missing")
	c.FailIf(t.Title == "", "title", "missing")
	for _, l := range t.limits() {
		if t.Software != "" && *l.Limit == (Limit{}) {
			continue
		}
		c.FailIf(l.Limit.Limit == 0, l.key+".limit", "want at least 1")
		c.FailIf(strings.TrimSpace(l.Source) == "", l.key+".source", "missing: name the publication of the limit")
	}
}

// named is a limit with its YAML key.
type named struct {
	key string
	*Limit
}

// limits returns all limits, in order of the file.
func (t *Target) limits() []named {
	var list []named
	v := reflect.ValueOf(t).Elem()
	for i := range v.NumField() {
		if l, ok := v.Field(i).Addr().Interface().(*Limit); ok {
			list = append(list, named{v.Type().Field(i).Tag.Get("yaml"), l})
		}
	}
	return list
}
