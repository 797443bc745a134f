package interp

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"pintlab/p4/interp/exec"
	"pintlab/p4/interp/ir"
	"pintlab/p4/interp/types"
)

// HasConstEntries reports whether a table of the program has constant entries.
func (p *Program) HasConstEntries() bool {
	return slices.ContainsFunc(p.IR.Tables, func(t *ir.Table) bool { return t.ConstEntries && len(t.Entries) > 0 })
}

// EntryCommands writes constant entries as commands of simple_switch_CLI. loaded is the same program as p with other
// macros. The commands cover the tables whose entries are constant in p and come from the control plane in loaded.
func (p *Program) EntryCommands(loaded *Program) ([]string, error) {
	pipe, err := p.NewPipeline(Config{})
	if err != nil {
		return nil, err
	}
	byHand := map[string]bool{}
	for _, t := range loaded.IR.Tables {
		byHand[t.Name] = !t.ConstEntries && len(t.Entries) == 0
	}
	var list []string
	for _, t := range pipe.Tables() {
		if t.Def.ConstEntries && byHand[t.Def.Name] {
			list = append(list, tableAdds(t)...)
		}
	}
	return list, nil
}

// tableAdds writes the entries of a table as commands, in the order of precedence.
func tableAdds(t *exec.Table) []string {
	entries := slices.Clone(t.Entries())
	slices.SortStableFunc(entries, func(a, b *exec.Entry) int { return cmp.Compare(a.Rank(), b.Rank()) })
	var list []string
	for i, e := range entries {
		a := t.Def.Actions[e.Use].Action
		line := "table_add " + t.Def.Name + " " + a.Name
		for k := range t.Keys() {
			line += " " + spellKey(t, e, k)
		}
		line += " =>"
		for _, v := range ActionData(a, e.Data) {
			line += fmt.Sprintf(" %#x", v)
		}
		if t.NeedsPriority() {
			line += fmt.Sprint(" ", i+1)
		}
		list = append(list, line)
	}
	return list
}

// spellKey writes the values that an entry matches in one key, in the spelling that parseMatch reads.
func spellKey(t *exec.Table, e *exec.Entry, k int) string {
	kind, width := t.Key(k)
	x, y := t.Matched(e, k)
	switch kind {
	case ir.LPM:
		return fmt.Sprintf("%#x/%d", x, width-int(trailingZeros(y, width)))
	case ir.Ternary:
		return fmt.Sprintf("%#x&&&%#x", x, y)
	case ir.Range:
		return fmt.Sprintf("%#x->%#x", x, y)
	case ir.Optional:
		if y.Sign() == 0 {
			return "*"
		}
	}
	return fmt.Sprintf("%#x", x)
}

// trailingZeros counts the zeros at the end of a mask.
func trailingZeros(mask *big.Int, width int) uint {
	if mask.Sign() == 0 {
		return uint(width)
	}
	return mask.TrailingZeroBits()
}

// ActionData splits words into the values of the action's parameters. The words have the layout of the parameters.
func ActionData(a *ir.Action, words []uint64) []*big.Int {
	var list []*big.Int
	for _, d := range a.Data {
		n := types.Slots(d.Type)
		list = append(list, types.FromWords(words[:n]))
		words = words[n:]
	}
	return list
}

// dumpTable writes the entries of a table and its default action in the format of simple_switch_CLI.
func dumpTable(t *exec.Table) string {
	var b strings.Builder
	action := func(e *exec.Entry) {
		switch {
		case e.Group >= 0:
			fmt.Fprintf(&b, "Index: group(%d)\n", e.Group)
		case e.Member >= 0:
			fmt.Fprintf(&b, "Index: member(%d)\n", e.Member)
		case e.Use < 0:
			b.WriteString("EMPTY\n")
		default:
			a := t.Def.Actions[e.Use].Action
			var data []string
			for i, v := range ActionData(a, e.Data) {
				width, _ := types.Bits(a.Data[i].Type)
				data = append(data, octets(v, width))
			}
			fmt.Fprintf(&b, "Action entry: %s - %s\n", a.Name, strings.Join(data, ", "))
		}
	}
	b.WriteString("==========\nTABLE ENTRIES\n")
	for _, e := range t.Entries() {
		fmt.Fprintf(&b, "**********\nDumping entry %#x\nMatch key:\n", e.Handle)
		for k := range t.Keys() {
			kind, width := t.Key(k)
			x, y := t.Matched(e, k)
			value := octets(x, width)
			switch kind {
			case ir.LPM:
				value = fmt.Sprintf("%s/%d", value, width-int(trailingZeros(y, width)))
			case ir.Ternary, ir.Optional:
				value += " &&& " + octets(y, width)
			case ir.Range:
				value += " -> " + octets(y, width)
			}
			fmt.Fprintf(&b, "* %-20s: %-10s%s\n", t.KeyName(k), strings.ToUpper(string(kind)), value)
		}
		if t.NeedsPriority() {
			fmt.Fprintf(&b, "Priority: %d\n", e.Rank())
		}
		action(e)
	}
	b.WriteString("==========\nDumping default entry\n")
	action(t.Default())
	b.WriteString("==========")
	return b.String()
}

// octets writes a number of this many bits byte by byte.
func octets(v *big.Int, width int) string { return fmt.Sprintf("%0*x", 2*((width+7)/8), v) }
