package interp

import (
	"fmt"
	"slices"
	"strings"

	"pintlab/internal/lists"
	"pintlab/internal/spelling"
	"pintlab/p4/interp/exec"
	"pintlab/p4/interp/syntax"
)

// Output is a packet that leaves the pipeline. Data is valid until the next packet is
// processed.
type Output = exec.Output

// Pipeline is a program with its state: table entries, registers, counters. It is not
// safe for concurrent use; make one for each goroutine.
type Pipeline struct {
	dev      *Switch
	commands exec.Commands
	trace    func(PcapPacket, []Output) error // nil without Trace
}

// NewPipeline makes a pipeline with empty state, running on v1model.
func (p *Program) NewPipeline(cfg Config) (*Pipeline, error) {
	var errs syntax.List
	dev := compile(p.IR, cfg, &errs)
	if err := errs.Err(); err != nil {
		return nil, err
	}
	pipe := &Pipeline{dev: dev, commands: exec.Commands{}}
	pipe.addCommands(pipe.commands)
	dev.addCommands(pipe.commands)
	return pipe, nil
}

// Device returns the switch, for state that only v1model has: clone sessions, multicast groups and digests.
func (p *Pipeline) Device() *Switch { return p.dev }

// ZeroDivisions returns the number of divisions by zero so far. The quotient of such a division is all ones, and the
// remainder is the dividend.
func (p *Pipeline) ZeroDivisions() int { return p.dev.core.Machine.ZeroDivisions }

// SetTime sets the time of timestamps, in microseconds.
func (p *Pipeline) SetTime(us uint64) { p.dev.SetTime(us) }

// Process runs one packet that arrives on a port and returns the output packets in order. The error
// concerns this packet only; the pipeline stays usable.
func (p *Pipeline) Process(port int, packet []byte) (outs []Output, err error) {
	defer func() {
		if r := recover(); r != nil {
			outs, err = nil, fmt.Errorf("%w: %v", ErrInternal, r)
		}
	}()
	return p.dev.process(port, packet)
}

// pick finds the only name in names that is equal to name or ends in "."+name.
func pick(kind, name string, names []string) (int, error) {
	if i := slices.Index(names, name); i >= 0 {
		return i, nil
	}
	found := -1
	for i, n := range names {
		if strings.HasSuffix(n, "."+name) {
			if found >= 0 {
				return 0, fmt.Errorf("%s %q could be %s or %s", kind, name, names[found], n)
			}
			found = i
		}
	}
	if found < 0 {
		if len(names) == 0 {
			return 0, fmt.Errorf("there is no %s %q: the program has none", kind, name)
		}
		const few = 8 // as many names are easy to read
		last := func(n string) string { return n[strings.LastIndexByte(n, '.')+1:] }
		short := lists.Map(names, last)
		if s := spelling.Suggest(last(name), short); s != "" && len(names) > few {
			return 0, fmt.Errorf("there is no %s %q; did you mean %s?", kind, name, names[slices.Index(short, s)])
		}
		return 0, fmt.Errorf("there is no %s %q: expected %s", kind, name, strings.Join(names, ", "))
	}
	return found, nil
}

// find finds the element of a list by its name, with the rules of pick.
func find[T any](kind, name string, list []T, nameOf func(T) string) (x T, err error) {
	names := lists.Map(list, nameOf)
	i, err := pick(kind, name, names)
	if err != nil {
		return x, err
	}
	return list[i], nil
}

// Tables returns the tables in order of declaration.
func (p *Pipeline) Tables() []*exec.Table { return p.dev.core.Tables }

// Table finds a table by its control-plane name ("ingress.route"), or by a unique end of that
// name.
func (p *Pipeline) Table(name string) (*exec.Table, error) {
	return find("table", name, p.Tables(), func(t *exec.Table) string { return t.Def.Name })
}

// ActionOf finds an action of a table. name is the action's control-plane name, a unique end of it, or the name in
// the program.
func ActionOf(t *exec.Table, name string) (int, error) {
	var names []string
	for _, u := range t.Def.Actions {
		names = append(names, u.Action.Name)
	}
	i, err := pick("action of table "+t.Def.Name, name, names)
	if err != nil {
		for k, u := range t.Def.Actions { // the name in the source, if @name gives another name
			if u.Action.Local == name {
				return k, nil
			}
		}
	}
	return i, err
}

// object finds an extern instance with state of type T.
func object[T any](p *Pipeline, kind, name string) (T, error) {
	others := func(o exec.Object) bool { _, ok := o.State.(T); return !ok }
	o, err := find(kind, name, slices.DeleteFunc(slices.Clone(p.dev.Objects()), others), func(o exec.Object) string {
		return o.Name
	})
	state, _ := o.State.(T)
	return state, err
}

// Register finds a register.
func (p *Pipeline) Register(name string) (*exec.Register, error) {
	return object[*exec.Register](p, "register", name)
}

// counter finds a counter.
func (p *Pipeline) counter(name string) (*exec.Counter, error) {
	return object[*exec.Counter](p, "counter", name)
}

// meter finds a meter or direct_meter.
func (p *Pipeline) meter(name string) (*meter, error) { return object[*meter](p, "meter", name) }

// CounterValue returns the counts of cell i of a counter, or of the entry with handle i
// of the table that a direct counter belongs to.
func (p *Pipeline) CounterValue(name string, i int) (packets, octets uint64, err error) {
	type readable interface {
		Read(i int) (packets, octets uint64, err error)
	}
	c, err := object[readable](p, "counter", name)
	if err != nil {
		return 0, 0, err
	}
	if packets, octets, err = c.Read(i); err != nil {
		return 0, 0, fmt.Errorf("counter %s: %w", name, err)
	}
	return packets, octets, nil
}

// valueSet finds a parser value set.
func (p *Pipeline) valueSet(name string) (*exec.ValueSet, error) {
	return find("value set", name, p.dev.core.ValueSets, func(s *exec.ValueSet) string { return s.Def.Name })
}
