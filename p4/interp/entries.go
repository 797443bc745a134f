package interp

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"

	"pintlab/p4/interp/constant"
	"pintlab/p4/interp/exec"
	"pintlab/p4/interp/ir"
	"pintlab/p4/interp/types"
)

// EntryCommands writes constant entries as commands of simple_switch_CLI: those of the tables
// whose entries are constant in p and come from the control plane in loaded, which is the same
// program with other macros.
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

// tableAdds writes the entries of a table as commands, the one that wins first.
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
		for _, v := range dataValues(a, e.Data) {
			line += fmt.Sprintf(" %#x", v)
		}
		if t.NeedsPriority() {
			line += fmt.Sprint(" ", i+1)
		}
		list = append(list, line)
	}
	return list
}

// spellKey writes what an entry matches in one key, as parseMatch reads it.
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

// dataValues returns the values of an action's parameters.
func dataValues(a *ir.Action, words []uint64) []*big.Int {
	var list []*big.Int
	for _, d := range a.Data {
		n := types.Slots(d.Type)
		list = append(list, constant.FromWords(words[:n]))
		words = words[n:]
	}
	return list
}
