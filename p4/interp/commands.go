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

	"pintlab/internal/input"
	"pintlab/internal/number"
	"pintlab/p4/interp/exec"
	"pintlab/p4/interp/ir"
	"pintlab/p4/interp/syntax"
	"pintlab/p4/interp/types"
)

// on makes the handler of a command whose first argument names an object.
func on[T any](find func(name string) (T, error), run func(x T, args []string) (string, error)) exec.Handler {
	return func(args []string) (string, error) {
		x, err := find(args[0])
		if err != nil {
			return "", err
		}
		return run(x, args[1:])
	}
}

// addCommands adds the commands of BMv2's runtime CLI that do not depend on the architecture. They have the spelling
// and the order of arguments that BMv2 uses.
func (p *Pipeline) addCommands(c exec.Commands) {
	profile := func(name string) (*exec.Profile, error) { return object[*exec.Profile](p, "action profile", name) }
	c.Add("table_add <table> <action> <key>... => <parameter>... [priority]", 2, exec.Many, on(p.Table, tableAdd))
	c.Add("table_set_default <table> <action> <parameter>...", 2, exec.Many, on(p.Table, tableSetDefault))
	c.Add("table_reset_default <table>", 1, 1, on(p.Table, tableResetDefault))
	c.Add("table_indirect_delete <table> <handle>", 2, 2, on(p.Table, numbered("handle", (*exec.Table).Delete)))
	c.Add("table_delete <table> <handle>", 2, 2, on(p.Table, numbered("handle", (*exec.Table).Delete)))
	c.Add("table_modify <table> <action> <handle> <parameter>...", 3, exec.Many,
		on(p.Table, modified("handle", called, (*exec.Table).Modify)))
	c.Add("table_clear <table>", 1, 1, on(p.Table, tableClear))
	c.Add("table_dump <table>", 1, 1, on(p.Table, tableDump))
	c.Add("table_num_entries <table>", 1, 1, on(p.Table, tableNumEntries))
	c.Add("table_indirect_add <table> <key>... => <member> [priority]", 1, exec.Many, on(p.Table, indirectAdd(false)))
	c.Add("table_indirect_add_with_group <table> <key>... => <group> [priority]", 1, exec.Many,
		on(p.Table, indirectAdd(true)))
	c.Add("act_prof_create_group <profile>", 1, 1, on(profile, profileGroup))
	c.Add("act_prof_add_member_to_group <profile> <member> <group>", 3, 3,
		on(profile, memberAndGroup((*exec.Profile).Join)))
	c.Add("act_prof_remove_member_from_group <profile> <member> <group>", 3, 3,
		on(profile, memberAndGroup((*exec.Profile).Leave)))
	c.Add("act_prof_create_member <profile> <action> <parameter>...", 2, exec.Many, on(profile, profileMember))
	c.Add("act_prof_modify_member <profile> <action> <member> <parameter>...", 3, exec.Many,
		on(profile, modified("member", memberAction, (*exec.Profile).Modify)))
	c.Add("act_prof_delete_member <profile> <member>", 2, 2, on(profile, numbered("index", (*exec.Profile).Delete)))
	c.Add("act_prof_delete_group <profile> <group>", 2, 2, on(profile, numbered("index", (*exec.Profile).DeleteGroup)))
	c.Add("register_read <register> [<index>]", 1, 2, p.registerRead)
	c.Add("register_write <register> <index> <value>", 3, 3, p.registerWrite)
	c.Add("register_reset <register>", 1, 1, on(p.Register, registerReset))
	c.Add("counter_read <counter> <index>", 2, 2, p.counterRead)
	c.Add("counter_write <counter> <index> <packets> <bytes>", 4, 4, on(p.counter, counterWrite))
	c.Add("counter_reset <counter>", 1, 1, on(p.counter, counterReset))
	c.Add("meter_get_rates <meter> <index or handle>", 2, 2, on(p.meter, meterGet))
	c.Add("meter_set_rates <meter> <index or handle> <rate>:<burst>...", 3, exec.Many, on(p.meter, meterSet))
	c.Add("meter_array_set_rates <meter> <rate>:<burst>...", 2, exec.Many, on(p.meter, meterSetAll))
	c.Add("pvs_add <value set> <value>...", 2, exec.Many, on(p.valueSet, values((*exec.ValueSet).Add)))
	c.Add("pvs_remove <value set> <value>...", 2, exec.Many, on(p.valueSet, values((*exec.ValueSet).Remove)))
	c.Add("pvs_clear <value set>", 1, 1, on(p.valueSet, valueSetClear))
	c.Add("help [<command>]", 0, 1, p.help)
}

// Command runs one line of the control plane and returns its reply. Empty lines and comments
// (from '#' to the end of the line) do nothing.
func (p *Pipeline) Command(line string) (string, error) {
	line, _, _ = strings.Cut(line, "#")
	words := strings.Fields(line)
	if len(words) == 0 {
		return "", nil
	}
	name, args := words[0], words[1:]
	c, ok := p.commands[name]
	if !ok {
		return "", p.unknown(name)
	}
	if len(args) < c.Min || c.Max != exec.Many && len(args) > c.Max {
		return "", fmt.Errorf("%s: %s, expected %s", name, number.Count(len(args), "argument"), c.Usage)
	}
	reply, err := c.Run(args)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return reply, nil
}

func (p *Pipeline) unknown(name string) error {
	return fmt.Errorf("unknown command %q: expected %s", name, strings.Join(p.commandNames(), ", "))
}

// commandNames lists the commands in order.
func (p *Pipeline) commandNames() []string { return slices.Sorted(maps.Keys(p.commands)) }

// help returns the usage of one command, or of all.
func (p *Pipeline) help(args []string) (string, error) {
	if len(args) == 0 {
		args = p.commandNames()
	}
	var lines []string
	for _, n := range args {
		c, ok := p.commands[n]
		if !ok {
			return "", p.unknown(n)
		}
		lines = append(lines, c.Usage)
	}
	return strings.Join(lines, "\n"), nil
}

// longestLine is the length of the longest line of a file of commands, in bytes.
const longestLine = 1 << 20

// RunCommands runs a file of commands. obey runs a line, as Pipeline.Command does, and RunCommands writes the
// replies. name is the name of the file in messages. RunCommands tries all lines; the error lists the first lines
// that failed.
func RunCommands(name string, r io.Reader, w io.Writer, obey func(line string) (string, error)) error {
	var errs []error
	more := 0 // errors that are not listed
	s := bufio.NewScanner(r)
	s.Buffer(nil, longestLine)
	n := 1
	for ; s.Scan(); n++ {
		reply, err := obey(s.Text())
		switch {
		case err != nil && len(errs) == syntax.MaxErrors:
			more++
		case err != nil:
			errs = append(errs, fmt.Errorf("%s:%d: %w", name, n, err))
		case reply != "" && w != nil:
			if _, err := fmt.Fprintln(w, reply); err != nil {
				return err
			}
		}
	}
	if err := input.LineError(s.Err(), longestLine); err != nil {
		errs = append(errs, fmt.Errorf("%s:%d: %w", name, n, err))
	}
	if more > 0 {
		errs = append(errs, fmt.Errorf("and %d more", more))
	}
	return errors.Join(errs...)
}

// split splits the arguments at "=>".
func split(args []string) (before, after []string) {
	if i := slices.Index(args, "=>"); i >= 0 {
		return args[:i], args[i+1:]
	}
	return args, nil
}

func matches(t *exec.Table, words []string) ([]ir.EntryKey, error) {
	if len(words) != t.Keys() {
		return nil, fmt.Errorf("%s, expected %d for table %s", number.Count(len(words), "key"), t.Keys(), t.Def.Name)
	}
	var ms []ir.EntryKey
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

// parameters reads the values of an action's parameters, in the order of their layout.
func parameters(a *ir.Action, words []string) ([]uint64, error) {
	if len(words) != len(a.Data) {
		return nil, fmt.Errorf("%s, expected %d for action %s",
			number.Count(len(words), "parameter"), len(a.Data), a.Name)
	}
	var out []uint64
	for i, w := range words {
		d := a.Data[i]
		if !types.IsScalar(d.Type) {
			return nil, fmt.Errorf("action %s: parameter %s has type %s and can only be set in the program",
				a.Name, d.Name, d.Type)
		}
		width, _ := types.Bits(d.Type)
		if _, sized := types.Strip(d.Type).(*types.Bit); !sized && width == 0 {
			width = 32 // an enum or error
		}
		v, err := parseValue(w, width)
		if err != nil {
			return nil, fmt.Errorf("parameter %s of action %s: %w", d.Name, a.Name, err)
		}
		out = append(out, types.Words(v, width)...)
	}
	return out, nil
}

// priorityOf removes the priority from the end of the words if the table needs a priority.
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

func called(t *exec.Table, action string, words []string) (use int, data []uint64, err error) {
	if use, err = ActionOf(t, action); err != nil {
		return 0, nil, err
	}
	if len(words) > 0 && words[0] == "=>" {
		words = words[1:]
	}
	data, err = parameters(t.Def.Actions[use].Action, words)
	return use, data, err
}

// entry reads the keys of an entry, the words after "=>" and the priority.
func entry(t *exec.Table, args []string) (ms []ir.EntryKey, rest []string, prio int, err error) {
	keys, rest := split(args)
	if ms, err = matches(t, keys); err != nil {
		return nil, nil, 0, err
	}
	rest, prio, err = priorityOf(t, rest)
	return ms, rest, prio, err
}

// added returns the reply to a command that adds an entry.
func added(handle int, err error) (string, error) {
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("entry has been added with handle %d", handle), nil
}

func tableAdd(t *exec.Table, args []string) (string, error) {
	ms, rest, prio, err := entry(t, args[1:])
	if err != nil {
		return "", err
	}
	use, data, err := called(t, args[0], rest)
	if err != nil {
		return "", err
	}
	return added(t.Add(ms, use, data, prio))
}

func tableSetDefault(t *exec.Table, args []string) (string, error) {
	use, data, err := called(t, args[0], args[1:])
	if err != nil {
		return "", err
	}
	return "", t.SetDefault(use, data)
}

func tableResetDefault(t *exec.Table, _ []string) (string, error) {
	return "", t.SetDefault(t.Def.Default.Use, t.Def.Default.Words)
}

// numbered returns a command that parses a number and passes it to do.
func numbered[T any](kind string, do func(T, int) error) func(T, []string) (string, error) {
	return func(on T, args []string) (string, error) {
		n, err := parseIndex(kind, args[0])
		if err != nil {
			return "", err
		}
		return "", do(on, n)
	}
}

// modified returns a command that changes the action of an entry or a member.
func modified[T any](
	kind string, called func(T, string, []string) (int, []uint64, error),
	do func(on T, n, use int, data []uint64) error,
) func(T, []string) (string, error) {
	return func(on T, args []string) (string, error) {
		n, err := parseIndex(kind, args[1])
		if err != nil {
			return "", err
		}
		use, data, err := called(on, args[0], args[2:])
		if err != nil {
			return "", err
		}
		return "", do(on, n, use, data)
	}
}

func tableClear(t *exec.Table, _ []string) (string, error)      { return "", t.Clear() }
func tableDump(t *exec.Table, _ []string) (string, error)       { return dumpTable(t), nil }
func tableNumEntries(t *exec.Table, _ []string) (string, error) { return strconv.Itoa(t.Len()), nil }

// indirectAdd returns a command that adds an entry with a member or a group.
func indirectAdd(group bool) func(*exec.Table, []string) (string, error) {
	return func(t *exec.Table, args []string) (string, error) {
		ms, rest, prio, err := entry(t, args)
		if err != nil {
			return "", err
		}
		if len(rest) != 1 {
			return "", fmt.Errorf("%s after =>, expected 1", number.Count(len(rest), "number"))
		}
		n, err := strconv.Atoi(rest[0])
		if err != nil || n < 0 {
			return "", fmt.Errorf("%q is not the number of a member or group", rest[0])
		}
		if group {
			return added(t.AddIndirect(ms, -1, n, prio))
		}
		return added(t.AddIndirect(ms, n, -1, prio))
	}
}

func profileMember(prof *exec.Profile, args []string) (string, error) {
	use, data, err := memberAction(prof, args[0], args[1:])
	if err != nil {
		return "", err
	}
	n, err := prof.Create(use, data)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("member has been created with handle %d", n), nil
}

// memberAction reads the action of a member.
func memberAction(prof *exec.Profile, action string, words []string) (use int, data []uint64, err error) {
	t, err := prof.Table()
	if err != nil {
		return 0, nil, err
	}
	return called(t, action, words)
}

func profileGroup(prof *exec.Profile, _ []string) (string, error) {
	return fmt.Sprintf("group has been created with handle %d", prof.CreateGroup()), nil
}

func memberAndGroup(
	change func(prof *exec.Profile, member, group int) error,
) func(*exec.Profile, []string) (string, error) {
	return func(prof *exec.Profile, args []string) (string, error) {
		n, err := parseIndex("index", args[0])
		if err != nil {
			return "", err
		}
		group, err := parseIndex("index", args[1])
		if err != nil {
			return "", err
		}
		return "", change(prof, n, group)
	}
}

// parseIndex reads an index or a handle.
func parseIndex(kind, s string) (int, error) {
	n, err := strconv.ParseInt(s, 0, 62)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%s %q is not a number from 0 on", kind, s)
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
	i, err := parseIndex("index", args[1])
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
	i, err := parseIndex("index", args[1])
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

func registerReset(r *exec.Register, _ []string) (string, error) { return "", r.Fill(new(big.Int)) }

func (p *Pipeline) counterRead(args []string) (string, error) {
	i, err := parseIndex("index", args[1])
	if err != nil {
		return "", err
	}
	packets, octets, err := p.CounterValue(args[0], i)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s[%d]= (%d packets, %d bytes)", args[0], i, packets, octets), nil
}

func counterWrite(c *exec.Counter, args []string) (string, error) {
	i, err := parseIndex("index", args[0])
	if err != nil {
		return "", err
	}
	n, err1 := strconv.ParseUint(args[1], 0, 64)
	b, err2 := strconv.ParseUint(args[2], 0, 64)
	if err := errors.Join(err1, err2); err != nil {
		return "", err
	}
	return "", c.Write(i, n, b)
}

func counterReset(c *exec.Counter, _ []string) (string, error) {
	c.Reset()
	return "", nil
}

func values(change func(*exec.ValueSet, []*big.Int) error) func(*exec.ValueSet, []string) (string, error) {
	return func(s *exec.ValueSet, args []string) (string, error) {
		var list []*big.Int
		for i, w := range args {
			width := types.MaxWidth
			if i < len(s.Def.Types) {
				width, _ = types.Bits(s.Def.Types[i])
			}
			v, err := parseValue(w, width)
			if err != nil {
				return "", err
			}
			list = append(list, v)
		}
		return "", change(s, list)
	}
}

func valueSetClear(s *exec.ValueSet, _ []string) (string, error) {
	s.Clear()
	return "", nil
}
