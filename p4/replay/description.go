package replay

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"pintlab/internal/input"
	"pintlab/netsim/schema"
	"pintlab/netsim/unit"
)

// description is the content of a file that describes a network. The package comment has an example.
type description struct {
	Clock    string      `yaml:"clock" default:"us" oneof:"us|ns"`
	Cell     unit.Bytes  `yaml:"cell" default:"0B" range:">=0B"`
	Rate     unit.Rate   `yaml:"rate" default:"100Gbps" range:">0bps"`
	Switches []member    `yaml:"switches"`
	Links    []link      `yaml:"links"`
	Inputs   []arriving  `yaml:"inputs"`
	Outputs  []departing `yaml:"outputs"`
}

// JSONSchema returns the JSON Schema of the files that describe networks of P4 switches.
func JSONSchema() []byte {
	return schema.JSONSchema(new(description), schema.Described{Title: "Network of P4 switches of pintlab"})
}

// member is a switch and its program.
type member struct {
	Name     string    `yaml:"name" required:"yes"`
	Program  string    `yaml:"program" required:"yes"`
	Defines  []string  `yaml:"defines"`
	Commands []string  `yaml:"commands"`                         // files of commands before the packets
	After    []string  `yaml:"after"`                            // files of commands after the packets
	Offset   unit.Time `yaml:"offset" default:"0s" range:">=0s"` // offset of its clock
}

// link joins two ports, each written "switch:port".
type link struct {
	From  string    `yaml:"from" required:"yes"`
	To    string    `yaml:"to" required:"yes"`
	Rate  unit.Rate `yaml:"rate" default:"100Gbps" range:">0bps"`
	Delay unit.Time `yaml:"delay" default:"1us" range:">=0s"`
}

// arriving is a capture file whose packets arrive at a port without a link.
type arriving struct {
	At   string `yaml:"at" required:"yes"`
	File string `yaml:"file" required:"yes" file:"yes"`
}

// departing is a capture file of the packets that leave through a port without a link.
type departing struct {
	From string `yaml:"from" required:"yes"`
	File string `yaml:"file" required:"yes" file:"yes"`
}

// loadDescription reads a description.
func loadDescription(path string) (*description, error) {
	data, err := input.ReadFile(path, input.Document)
	if err != nil {
		return nil, err
	}
	return parseDescription(data, path)
}

// parseDescription reads a description. name is the name of the file in messages. Paths in the description are
// relative to the folder of this file.
func parseDescription(data []byte, name string) (*description, error) {
	d, dir := &description{}, filepath.Dir(name)
	l := schema.Language{Empty: "empty; want keys such as switches, links and inputs",
		Rules: func(document any, c *schema.Checker) {
			rules(document, c)
			document.(*description).findCommands(dir, c)
		}}
	l.Default(d)
	if err := l.Parse(d, data, schema.Source{Name: name, Dir: dir}); err != nil {
		return nil, err
	}
	for i := range d.Switches {
		if s := &d.Switches[i]; strings.HasSuffix(s.Program, ".p4") {
			s.Program = relative(dir, s.Program)
		}
	}
	return d, nil
}

// relative returns a path of a description in a directory.
func relative(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// findCommands makes the paths of command files relative to the directory of the description, and checks that the files
// exist.
func (d *description) findCommands(dir string, c *schema.Checker) {
	for i := range d.Switches {
		find := func(key string, files []string) {
			for k, file := range files {
				files[k] = relative(dir, file)
				_, err := os.Stat(files[k])
				c.FailIf(errors.Is(err, fs.ErrNotExist), fmt.Sprintf("switches.%d.%s.%d", i, key, k),
					fmt.Sprintf("%q: no such file", file))
			}
		}
		find("commands", d.Switches[i].Commands)
		find("after", d.Switches[i].After)
	}
}

// rules checks conditions on several keys. Names of switches are different. A port has one link, or it has at most
// one output and may receive the packets of inputs.
func rules(document any, c *schema.Checker) {
	d := document.(*description)
	c.FailIf(len(d.Switches) == 0, "switches", "want at least one switch")
	names := map[string]bool{}
	for i, s := range d.Switches {
		c.FailIf(names[s.Name], fmt.Sprintf("switches.%d.name", i), "another switch has this name")
		c.FailIf(strings.ContainsFunc(s.Name, unicode.IsControl), fmt.Sprintf("switches.%d.name", i),
			"want a name without control characters")
		names[s.Name] = true
	}
	linked := map[end]bool{}
	port := func(key, text string, used map[end]bool, what string) {
		e, err := d.end(text)
		switch {
		case err != nil:
			c.Fail(key, err.Error())
		case linked[e]:
			c.Fail(key, "the port has a link")
		case used[e]:
			c.Fail(key, "the port has "+what)
		default:
			used[e] = true
		}
	}
	for i, l := range d.Links {
		port(fmt.Sprintf("links.%d.from", i), l.From, linked, "")
		port(fmt.Sprintf("links.%d.to", i), l.To, linked, "")
	}
	for i, in := range d.Inputs {
		port(fmt.Sprintf("inputs.%d.at", i), in.At, map[end]bool{}, "")
	}
	outputs := map[end]bool{}
	written := map[string]bool{}
	for i, o := range d.Outputs {
		port(fmt.Sprintf("outputs.%d.from", i), o.From, outputs, "another output")
		file := filepath.Clean(o.File)
		c.FailIf(written[file], fmt.Sprintf("outputs.%d.file", i), "another output writes this file")
		written[file] = true
	}
}

// maxPort is the largest port of v1model.
const maxPort = 510

// end identifies a port of a switch.
type end struct{ node, port int }

// port returns the port with the given name, which the function rules has already checked.
func (d *description) port(s string) end {
	e, err := d.end(s)
	if err != nil {
		panic(err)
	}
	return e
}

// end finds the switch and the port of "switch:port".
func (d *description) end(s string) (end, error) {
	name, number, ok := strings.Cut(s, ":")
	if ok {
		port, err := strconv.Atoi(number)
		if err == nil && port >= 0 && port <= maxPort {
			for i, sw := range d.Switches {
				if sw.Name == name {
					return end{i, port}, nil
				}
			}
			return end{}, fmt.Errorf("there is no switch %q", name)
		}
	}
	return end{}, fmt.Errorf("want switch:port, ports from 0 to %d", maxPort)
}
