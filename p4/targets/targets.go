// Package targets has the limits of switches that P4 programs are laid out for: how many
// stages there are and how much of what one stage has, each with its public source. The files
// of the built-in targets are next to this one; Read takes a file of your own.
package targets

import (
	"embed"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"pintlab/internal/input"
	"pintlab/internal/lists"
	"pintlab/internal/rules"
	"pintlab/internal/yamldoc"
)

//go:embed *.yaml
var files embed.FS

// Default is the target of commands that are not told another one.
const Default = "tofino"

// NoLimit is the limit of what a target in software has enough of.
const NoLimit = 1 << 30

// Limit is how much there is of something, and who says so.
type Limit struct {
	Limit  int    `yaml:"limit"`
	Source string `yaml:"source"`
}

// Target is a switch. Limits are those of one stage unless they say otherwise.
type Target struct {
	Name  string `yaml:"name"`
	Title string `yaml:"title"`
	// Defines are macros with which the built-in programs are made for the target.
	Defines []string `yaml:"defines"`
	// Software says, with its source, that the target computes in software: there are no stages,
	// any operation may come between reading and writing a register, and of what has no limit
	// here there is enough (NoLimit).
	Software string `yaml:"software"`

	Stages Limit `yaml:"stages"` // of a pipeline, shared by ingress and egress

	Tables        Limit `yaml:"tables"`         // logical ones; operations outside of tables take one too
	TernaryTables Limit `yaml:"ternary_tables"` // those of them with ternary or lpm keys
	Gateways      Limit `yaml:"gateways"`       // tables that a condition decides about
	Actions       Limit `yaml:"actions"`        // action addresses, for ingress and egress separately
	HashBits      Limit `yaml:"hash_bits"`      // of hashes that are data, and of indexes of registers
	StatefulALUs  Limit `yaml:"stateful_alus"`  // registers
	SRAMBlocks    Limit `yaml:"sram_blocks"`    // of 1024 words of 128 bits
	TCAMBlocks    Limit `yaml:"tcam_blocks"`    // of 512 words of 44 bits
	ExactBytes    Limit `yaml:"exact_bytes"`    // of keys of exact tables and of what is hashed
	TernaryBytes  Limit `yaml:"ternary_bytes"`  // of keys of the others

	RegisterBlocks     Limit `yaml:"register_blocks"`     // of SRAM, of one register
	RegisterBits       Limit `yaml:"register_bits"`       // of a cell
	RegisterOperations Limit `yaml:"register_operations"` // in a row between reading and writing a cell
	GatewayEntries     Limit `yaml:"gateway_entries"`     // of a condition
	PHVBits            Limit `yaml:"phv_bits"`            // of all fields, in the whole pipeline
}

// The sizes of a memory block.
const (
	SRAMWords, SRAMWidth = 1024, 128
	TCAMWords, TCAMWidth = 512, 44
)

// Names returns the built-in targets.
func Names() []string {
	list, err := files.ReadDir(".")
	if err != nil {
		panic(err) // it is embedded
	}
	var names []string
	for _, e := range list {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	return names
}

// Open returns the built-in target of that name, or else the one in that file.
func Open(nameOrPath string) (*Target, error) {
	if slices.Contains(Names(), nameOrPath) {
		data, err := files.ReadFile(nameOrPath + ".yaml")
		if err != nil {
			return nil, err
		}
		return Parse(data, nameOrPath+".yaml")
	}
	data, err := input.ReadFile(nameOrPath, input.Settings)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("no target %q: neither a file nor a built-in one (targets: %s)", nameOrPath, strings.Join(Names(), ", "))
	}
	if err != nil {
		return nil, err
	}
	return Parse(data, nameOrPath)
}

// Parse reads a target. Every limit must be there, positive and with a source, unless the target
// is software; unknown keys are errors. source names the text in errors.
func Parse(data []byte, source string) (*Target, error) {
	var t Target
	if err := yamldoc.Decode(data, source, input.Settings, &t); err != nil {
		return nil, err
	}
	var errs rules.Broken
	errs.If(t.Name == "" || t.Title == "", "%s: name or title is missing", source)
	for _, l := range t.Limits() {
		if t.Software != "" && l.Limit == (Limit{}) {
			*t.limit(l.Key) = Limit{NoLimit, t.Software}
			continue
		}
		switch {
		case l.Limit.Limit <= 0:
			errs = append(errs, fmt.Errorf("%s: %s: limit = %d, want at least 1", source, l.Key, l.Limit.Limit))
		case strings.TrimSpace(l.Source) == "":
			errs = append(errs, fmt.Errorf("%s: %s: source is missing: say where the limit is published", source, l.Key))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return &t, nil
}

// Named is a limit under its key.
type Named struct {
	Key string
	Limit
}

// keys are those of the limits, in order of the file.
var keys = []string{
	"stages", "tables", "ternary_tables", "gateways", "actions", "hash_bits", "stateful_alus", "sram_blocks", "tcam_blocks",
	"exact_bytes", "ternary_bytes", "register_blocks", "register_bits", "register_operations", "gateway_entries", "phv_bits",
}

func (t *Target) limit(key string) *Limit {
	return map[string]*Limit{
		"stages": &t.Stages, "tables": &t.Tables, "ternary_tables": &t.TernaryTables, "gateways": &t.Gateways, "actions": &t.Actions,
		"hash_bits": &t.HashBits, "stateful_alus": &t.StatefulALUs, "sram_blocks": &t.SRAMBlocks, "tcam_blocks": &t.TCAMBlocks,
		"exact_bytes": &t.ExactBytes, "ternary_bytes": &t.TernaryBytes, "register_blocks": &t.RegisterBlocks,
		"register_bits": &t.RegisterBits, "register_operations": &t.RegisterOperations, "gateway_entries": &t.GatewayEntries,
		"phv_bits": &t.PHVBits,
	}[key]
}

// Limits returns all limits, in order of the file.
func (t *Target) Limits() []Named {
	return lists.Map(keys, func(k string) Named { return Named{k, *t.limit(k)} })
}
