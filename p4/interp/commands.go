package interp

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"pintlab/p4/interp/exec"
	"pintlab/p4/interp/ir"
	"pintlab/p4/interp/source"
	"pintlab/p4/interp/types"
)

// command is one command of the control plane that does not depend on the architecture.
type command struct {
	usage string
	min   int
	run   func(p *Pipeline, args []string) (string, error)
}

// tableCommands are those of BMv2's runtime CLI, with its spelling and order of
// arguments.
var tableCommands = map[string]command{
	"table_add":                         {"table_add <table> <action> <key>... => <parameter>... [priority]", 2, (*Pipeline).tableAdd},
	"table_set_default":                 {"table_set_default <table> <action> <parameter>...", 2, (*Pipeline).tableSetDefault},
	"table_delete":                      {"table_delete <table> <handle>", 2, (*Pipeline).tableDelete},
	"table_modify":                      {"table_modify <table> <action> <handle> <parameter>...", 3, (*Pipeline).tableModify},
	"table_clear":                       {"table_clear <table>", 1, (*Pipeline).tableClear},
	"table_dump":                        {"table_dump <table>", 1, (*Pipeline).tableDump},
	"table_num_entries":                 {"table_num_entries <table>", 1, (*Pipeline).tableNumEntries},
	"table_indirect_add":                {"table_indirect_add <table> <key>... => <member> [priority]", 1, indirectAdd(false)},
	"table_indirect_add_with_group":     {"table_indirect_add_with_group <table> <key>... => <group> [priority]", 1, indirectAdd(true)},
	"act_prof_create_group":             {"act_prof_create_group <profile>", 1, (*Pipeline).profileGroup},
	"act_prof_add_member_to_group":      {"act_prof_add_member_to_group <profile> <member> <group>", 3, (*Pipeline).profileJoin},
	"act_prof_remove_member_from_group": {"act_prof_remove_member_from_group <profile> <member> <group>", 3, (*Pipeline).profileLeave},
	"act_prof_create_member":            {"act_prof_create_member <profile> <action> <parameter>...", 2, (*Pipeline).profileMember},
	"register_read":                     {"register_read <register> [<index>]", 1, (*Pipeline).registerRead},
	"register_write":                    {"register_write <register> <index> <value>", 3, (*Pipeline).registerWrite},
	"register_reset":                    {"register_reset <register>", 1, (*Pipeline).registerReset},
	"counter_read":                      {"counter_read <counter> <index>", 2, (*Pipeline).counterRead},
	"counter_write":                     {"counter_write <counter> <index> <packets> <bytes>", 4, (*Pipeline).counterWrite},
	"counter_reset":                     {"counter_reset <counter>", 1, (*Pipeline).counterReset},
	"pvs_add":                           {"pvs_add <value set> <value>...", 2, (*Pipeline).valueSetAdd},
	"pvs_remove":                        {"pvs_remove <value set> <value>...", 2, (*Pipeline).valueSetRemove},
	"pvs_clear":                         {"pvs_clear <value set>", 1, (*Pipeline).valueSetClear},
}

// Command obeys one line of the control plane and returns its reply. Empty lines and
// comments ('#' and what follows) do nothing.
func (p *Pipeline) Command(line string) (string, error) {
	line, _, _ = strings.Cut(line, "#")
	words := strings.Fields(line)
	if len(words) == 0 {
		return "", nil
	}
	name, args := words[0], words[1:]
	if name == "help" {
		return p.help(args)
	}
	if c, ok := tableCommands[name]; ok {
		if len(args) < c.min {
			return "", fmt.Errorf("%s: %s, expected %s", name, source.Count(len(args), "argument"), c.usage)
		}
		reply, err := c.run(p, args)
		if err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		return reply, nil
	}
	reply, ok, err := p.dev.Command(name, args)
	if !ok {
		return "", fmt.Errorf("unknown command %q: expected %s", name, strings.Join(p.CommandNames(), ", "))
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return reply, nil
}

// usages says how each command is written.
func (p *Pipeline) usages() map[string]string {
	all := p.dev.Commands()
	all["help"] = "help [<command>]"
	for n, c := range tableCommands {
		all[n] = c.usage
	}
	return all
}

// CommandNames lists the commands in order.
func (p *Pipeline) CommandNames() []string { return slices.Sorted(maps.Keys(p.usages())) }

// help says how commands are written: one, or all.
func (p *Pipeline) help(args []string) (string, error) {
	all := p.usages()
	switch len(args) {
	case 0:
		var lines []string
		for _, n := range p.CommandNames() {
			lines = append(lines, all[n])
		}
		return strings.Join(lines, "\n"), nil
	case 1:
		if all[args[0]] == "" {
			return "", fmt.Errorf("help: unknown command %q: expected %s", args[0], strings.Join(p.CommandNames(), ", "))
		}
		return all[args[0]], nil
	}
	return "", fmt.Errorf("help: %s, expected %s", source.Count(len(args), "argument"), all["help"])
}

// RunCommands obeys a file of commands, one a line, and writes the replies. name is for
// messages. All lines are tried; the error lists those that failed.
func (p *Pipeline) RunCommands(name string, r io.Reader, w io.Writer) error {
	var errs []error
	s := bufio.NewScanner(r)
	s.Buffer(nil, 1<<20)
	n := 1
	for ; s.Scan(); n++ {
		reply, err := p.Command(s.Text())
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("%s:%d: %w", name, n, err))
		case reply != "" && w != nil:
			if _, err := fmt.Fprintln(w, reply); err != nil {
				return err
			}
		}
	}
	if err := s.Err(); err != nil {
		errs = append(errs, fmt.Errorf("%s:%d: %w", name, n, err))
	}
	return errors.Join(errs...)
}

// split finds "=>" and returns what is before and after it.
func split(args []string) (before, after []string) {
	if i := slices.Index(args, "=>"); i >= 0 {
		return args[:i], args[i+1:]
	}
	return args, nil
}

// matches reads the keys of an entry.
func matches(t *exec.Table, words []string) ([]exec.Match, error) {
	if len(words) != t.Keys() {
		return nil, fmt.Errorf("%s, expected %d for table %s", source.Count(len(words), "key"), t.Keys(), t.Def.Name)
	}
	var ms []exec.Match
	for i, w := range words {
		kind, width := t.Key(i)
		m, err := parseMatch(w, kind, width)
		if err != nil {
			return nil, fmt.Errorf("key %d of table %s (%s): %w", i+1, t.Def.Name, kind, err)
		}
		ms = append(ms, m)
	}
	return ms, nil
}

// parameters reads the values of an action's parameters.
func parameters(a *ir.Action, words []string) ([]*big.Int, error) {
	if len(words) != len(a.Data) {
		return nil, fmt.Errorf("%s, expected %d for action %s", source.Count(len(words), "parameter"), len(a.Data), a.Name)
	}
	var out []*big.Int
	for i, w := range words {
		width, _ := types.Bits(a.Data[i].Type)
		if width == 0 {
			width = 32
		}
		v, err := parseValue(w, width)
		if err != nil {
			return nil, fmt.Errorf("parameter %s of action %s: %w", a.Data[i].Name, a.Name, err)
		}
		out = append(out, v)
	}
	return out, nil
}

// priorityOf takes the priority from the end of the words if the table needs one.
func priorityOf(t *exec.Table, words []string) ([]string, int, error) {
	if !t.NeedsPriority() {
		return words, 0, nil
	}
	if len(words) == 0 {
		return nil, 0, fmt.Errorf("table %s needs a priority at the end of the line", t.Def.Name)
	}
	last := words[len(words)-1]
	n, err := strconv.ParseInt(last, 0, 32)
	if err != nil || n < 0 {
		return nil, 0, fmt.Errorf("priority %q: expected a number that is not negative", last)
	}
	return words[:len(words)-1], int(n), nil
}

// called is the action of a table and the data that its parameters give.
func called(t *exec.Table, action string, words []string) (use int, data []uint64, err error) {
	if use, err = actionOf(t, action); err != nil {
		return 0, nil, err
	}
	if len(words) > 0 && words[0] == "=>" {
		words = words[1:]
	}
	a := t.Def.Actions[use].Action
	values, err := parameters(a, words)
	if err != nil {
		return 0, nil, err
	}
	data, err = actionData(a, values)
	return use, data, err
}

func (p *Pipeline) tableAdd(args []string) (string, error) {
	t, err := p.Table(args[0])
	if err != nil {
		return "", err
	}
	keys, rest := split(args[2:])
	ms, err := matches(t, keys)
	if err != nil {
		return "", err
	}
	rest, prio, err := priorityOf(t, rest)
	if err != nil {
		return "", err
	}
	use, data, err := called(t, args[1], rest)
	if err != nil {
		return "", err
	}
	h, err := t.Add(ms, use, data, prio)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("entry has been added with handle %d", h), nil
}

func (p *Pipeline) tableSetDefault(args []string) (string, error) {
	t, err := p.Table(args[0])
	if err != nil {
		return "", err
	}
	use, data, err := called(t, args[1], args[2:])
	if err != nil {
		return "", err
	}
	return "", t.SetDefault(use, data)
}

// tableHandle finds the table and the entry that a command is about.
func (p *Pipeline) tableHandle(table, handle string) (*exec.Table, int, error) {
	t, err := p.Table(table)
	if err != nil {
		return nil, 0, err
	}
	n, err := strconv.Atoi(handle)
	if err != nil {
		return nil, 0, fmt.Errorf("handle %q is not a number", handle)
	}
	return t, n, nil
}

func (p *Pipeline) tableDelete(args []string) (string, error) {
	t, n, err := p.tableHandle(args[0], args[1])
	if err != nil {
		return "", err
	}
	return "", t.Delete(n)
}

func (p *Pipeline) tableModify(args []string) (string, error) {
	t, n, err := p.tableHandle(args[0], args[2])
	if err != nil {
		return "", err
	}
	use, data, err := called(t, args[1], args[3:])
	if err != nil {
		return "", err
	}
	return "", t.Modify(n, use, data)
}

func (p *Pipeline) tableClear(args []string) (string, error) {
	t, err := p.Table(args[0])
	if err != nil {
		return "", err
	}
	return "", t.Clear()
}

func (p *Pipeline) tableDump(args []string) (string, error) {
	t, err := p.Table(args[0])
	if err != nil {
		return "", err
	}
	return dumpTable(t), nil
}

func (p *Pipeline) tableNumEntries(args []string) (string, error) {
	t, err := p.Table(args[0])
	if err != nil {
		return "", err
	}
	return strconv.Itoa(t.Len()), nil
}

// indirectAdd makes the command that adds an entry with a member or a group.
func indirectAdd(group bool) func(*Pipeline, []string) (string, error) {
	return func(p *Pipeline, args []string) (string, error) {
		t, err := p.Table(args[0])
		if err != nil {
			return "", err
		}
		keys, rest := split(args[1:])
		ms, err := matches(t, keys)
		if err != nil {
			return "", err
		}
		rest, prio, err := priorityOf(t, rest)
		if err != nil {
			return "", err
		}
		if len(rest) != 1 {
			return "", fmt.Errorf("%s after =>, expected 1", source.Count(len(rest), "number"))
		}
		n, err := strconv.Atoi(rest[0])
		if err != nil || n < 0 {
			return "", fmt.Errorf("%q is not the number of a member or group", rest[0])
		}
		member := -1
		if !group {
			member, n = n, -1
		}
		h, err := t.AddIndirect(ms, member, n, prio)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("entry has been added with handle %d", h), nil
	}
}

func (p *Pipeline) profileMember(args []string) (string, error) {
	prof, err := object[*exec.Profile](p, "action profile", args[0])
	if err != nil {
		return "", err
	}
	t, err := prof.Table()
	if err != nil {
		return "", err
	}
	use, data, err := called(t, args[1], args[2:])
	if err != nil {
		return "", err
	}
	n, err := prof.Create(use, data)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("member has been created with handle %d", n), nil
}

func (p *Pipeline) profileGroup(args []string) (string, error) {
	prof, err := object[*exec.Profile](p, "action profile", args[0])
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("group has been created with handle %d", prof.CreateGroup()), nil
}

// memberAndGroup reads the arguments of the commands that change groups.
func (p *Pipeline) memberAndGroup(args []string) (prof *exec.Profile, n, group int, err error) {
	if prof, err = object[*exec.Profile](p, "action profile", args[0]); err != nil {
		return nil, 0, 0, err
	}
	if n, err = index(args[1]); err != nil {
		return nil, 0, 0, err
	}
	group, err = index(args[2])
	return prof, n, group, err
}

func (p *Pipeline) profileJoin(args []string) (string, error) {
	prof, n, group, err := p.memberAndGroup(args)
	if err != nil {
		return "", err
	}
	return "", prof.Join(n, group)
}

func (p *Pipeline) profileLeave(args []string) (string, error) {
	prof, n, group, err := p.memberAndGroup(args)
	if err != nil {
		return "", err
	}
	return "", prof.Leave(n, group)
}

func index(s string) (int, error) {
	n, err := strconv.ParseInt(s, 0, 62)
	if err != nil {
		return 0, fmt.Errorf("index %q is not a number", s)
	}
	return int(n), nil
}

func (p *Pipeline) registerRead(args []string) (string, error) {
	r, err := p.Register(args[0])
	if err != nil {
		return "", err
	}
	if len(args) == 1 {
		cells := make([]string, r.Size)
		for i := range cells {
			v, err := r.Read(i)
			if err != nil {
				return "", err
			}
			cells[i] = v.String()
		}
		return args[0] + "= " + strings.Join(cells, ", "), nil
	}
	i, err := index(args[1])
	if err != nil {
		return "", err
	}
	v, err := r.Read(i)
	if err != nil {
		return "", fmt.Errorf("%s: %w", args[0], err)
	}
	return fmt.Sprintf("%s[%d]= %s", args[0], i, v), nil
}

func (p *Pipeline) registerWrite(args []string) (string, error) {
	r, err := p.Register(args[0])
	if err != nil {
		return "", err
	}
	i, err := index(args[1])
	if err != nil {
		return "", err
	}
	v, err := parseNumber(args[2])
	if err != nil {
		return "", err
	}
	if err := r.Write(i, v); err != nil {
		return "", fmt.Errorf("%s: %w", args[0], err)
	}
	return "", nil
}

func (p *Pipeline) registerReset(args []string) (string, error) {
	r, err := p.Register(args[0])
	if err != nil {
		return "", err
	}
	return "", r.Fill(new(big.Int))
}

func (p *Pipeline) counterRead(args []string) (string, error) {
	i, err := index(args[1])
	if err != nil {
		return "", err
	}
	packets, octets, err := p.CounterValue(args[0], i)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s[%d]= (%d packets, %d bytes)", args[0], i, packets, octets), nil
}

func (p *Pipeline) counterWrite(args []string) (string, error) {
	c, err := p.Counter(args[0])
	if err != nil {
		return "", err
	}
	i, err := index(args[1])
	if err != nil {
		return "", err
	}
	n, err1 := strconv.ParseUint(args[2], 0, 64)
	b, err2 := strconv.ParseUint(args[3], 0, 64)
	if err := errors.Join(err1, err2); err != nil {
		return "", err
	}
	return "", c.Write(i, n, b)
}

func (p *Pipeline) counterReset(args []string) (string, error) {
	c, err := p.Counter(args[0])
	if err != nil {
		return "", err
	}
	c.Reset()
	return "", nil
}

// valueSet reads the arguments of the commands on value sets.
func (p *Pipeline) valueSet(args []string) (*exec.ValueSet, []*big.Int, error) {
	s, err := p.ValueSet(args[0])
	if err != nil {
		return nil, nil, err
	}
	var values []*big.Int
	for i, w := range args[1:] {
		width := types.MaxWidth
		if i < len(s.Def.Types) {
			width, _ = types.Bits(s.Def.Types[i])
		}
		v, err := parseValue(w, width)
		if err != nil {
			return nil, nil, err
		}
		values = append(values, v)
	}
	return s, values, nil
}

func (p *Pipeline) valueSetAdd(args []string) (string, error) {
	s, values, err := p.valueSet(args)
	if err != nil {
		return "", err
	}
	return "", s.Add(values)
}

func (p *Pipeline) valueSetRemove(args []string) (string, error) {
	s, values, err := p.valueSet(args)
	if err != nil {
		return "", err
	}
	return "", s.Remove(values)
}

func (p *Pipeline) valueSetClear(args []string) (string, error) {
	s, err := p.ValueSet(args[0])
	if err != nil {
		return "", err
	}
	s.Clear()
	return "", nil
}
