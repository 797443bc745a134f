package exec

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"pintlab/internal/number"
	"pintlab/p4/interp/ir"
	"pintlab/p4/interp/syntax"
	"pintlab/p4/interp/types"
)

// Errors of table operations. They are wrapped with the table and the cause.
var (
	errConst     = errors.New("it is const in the program")
	errDuplicate = errors.New("the table already has an entry with this key")
	errFull      = errors.New("the table is full")
	errNoEntry   = errors.New("the table has no entry with this handle")
)

// Prefix returns a key that matches the values of the given width whose first length bits equal the first length
// bits of v.
func Prefix(v *big.Int, length, width int) ir.EntryKey {
	return ir.EntryKey{Kind: ir.SetMask, X: v, Y: prefixMask(length, width)}
}

func prefixMask(length, width int) *big.Int {
	m := new(big.Int).Lsh(big.NewInt(1), uint(length))
	m.Sub(m, big.NewInt(1))
	return m.Lsh(m, uint(width-length))
}

// keyField is the position of one key among the words of the table's key.
type keyField struct {
	name       string
	off, words int
	width      int
	signed     bool
	match      ir.MatchKind
}

// Entry is one entry of a table.
type Entry struct {
	Handle int
	// Use is the action, as an index into the table's Def.Actions. Data is the data of the action in the order of
	// the layout.
	Use  int
	Data []uint64
	// Member and Group are for tables with an action profile: the number of the member or of the
	// group, or -1.
	Member, Group int
	// Packets and Octets are the counts of a direct counter.
	Packets, Octets uint64

	rank    int64 // smaller wins
	value   []uint64
	mask    []uint64
	ranges  []rangeCheck
	lengths int // prefix length of the lpm key, -1 without such a key
	fromSrc bool
}

// rangeCheck is the part of a key that must lie between two values.
type rangeCheck struct {
	field  keyField
	lo, hi []uint64
}

// Table is a table at run time.
type Table struct {
	Def    *ir.Table
	fields []keyField
	words  int

	entries []*Entry // in order of handles
	nextID  int
	def     Entry

	index index
	dirty bool

	// OnHit, if not nil, is called at each hit before the action runs.
	OnHit func(m *Machine, e *Entry)
	// profile, if not nil, contains the actions to which entries refer by number. resolve finds the action of an
	// entry.
	profile  *Profile
	resolve  func(m *Machine, e *Entry) (use int, data []uint64)
	selector []int // the keys of match kind selector

	keys map[string]*Entry // entries by key, to find duplicates
}

func newTable(def *ir.Table, errs *syntax.List) *Table {
	t := &Table{Def: def, dirty: true, keys: map[string]*Entry{}}
	for i, k := range def.Keys {
		w, signed := keyWidth(k.Expr.Type())
		if k.Match == ir.Selector {
			t.selector = append(t.selector, i)
			continue
		}
		n := types.Slots(k.Expr.Type())
		t.fields = append(t.fields,
			keyField{name: k.Name, off: t.words, words: n, width: w, signed: signed, match: k.Match})
		t.words += n
	}
	t.def = Entry{Use: def.Default.Use, Data: def.Default.Words, Member: -1, Group: -1, Handle: -1}
	ranks := entryRanks(def)
	for i, e := range def.Entries {
		if err := t.addSource(e, ranks[i]); err != nil {
			errs.Errorf(e.Pos, "%v", err)
		}
	}
	return t
}

// keyWidth returns the width of a key. A bool has one bit, an enum or error 32 bits.
func keyWidth(t types.Type) (int, bool) {
	switch x := types.Strip(t).(type) {
	case *types.Bit:
		return x.Width, x.Signed
	case *types.Basic:
		if x == types.Bool {
			return 1, false
		}
	}
	return 32, false
}

// entryRanks ranks the entries of the program. Unless the entries have priorities, the first entry that matches wins
// (specification 1.2.4, section 14.2.1.4).
func entryRanks(def *ir.Table) []int64 {
	ranks := make([]int64, len(def.Entries))
	for i, e := range def.Entries {
		ranks[i] = int64(i) + 1
		switch {
		case e.HasPriority && def.SmallestPriorityWins:
			ranks[i] = int64(e.Priority)
		case e.HasPriority:
			ranks[i] = -int64(e.Priority)
		case e.Rank > 0:
			ranks[i] = int64(e.Rank)
		}
	}
	return ranks
}

// addSource adds an entry that is written in the program.
func (t *Table) addSource(e *ir.Entry, rank int64) error {
	var ms []ir.EntryKey
	for i, k := range e.Keys {
		if t.Def.Keys[i].Match == ir.Selector {
			continue
		}
		ms = append(ms, k)
	}
	x, err := t.newEntry(ms)
	if err != nil {
		return err
	}
	if !t.NeedsPriority() && t.keys[t.keyOf(x)] != nil {
		return fmt.Errorf("table %s: the entry can never match, %w", t.Def.Name, errDuplicate)
	}
	x.Use, x.Data, x.rank, x.fromSrc = e.Action.Use, e.Action.Words, rank, true
	t.insert(x)
	return nil
}

func (t *Table) insert(e *Entry) {
	e.Handle = t.nextID
	t.nextID++
	t.entries = append(t.entries, e)
	if k := t.keyOf(e); t.keys[k] == nil {
		t.keys[k] = e
	}
	t.dirty = true
}

// newEntry checks a key and computes its words.
func (t *Table) newEntry(ms []ir.EntryKey) (*Entry, error) {
	if len(ms) != len(t.fields) {
		return nil, fmt.Errorf("table %s has %s, not %d", t.Def.Name, number.Count(len(t.fields), "key"), len(ms))
	}
	e := &Entry{value: make([]uint64, t.words), mask: make([]uint64, t.words), lengths: -1, Member: -1, Group: -1}
	for i, f := range t.fields {
		if err := e.set(f, ms[i]); err != nil {
			return nil, fmt.Errorf("table %s, key %s: %w", t.Def.Name, f.name, err)
		}
	}
	return e, nil
}

// KeyName returns the name of key i, which excludes selector keys.
func (t *Table) KeyName(i int) string { return t.fields[i].name }

func (e *Entry) set(f keyField, m ir.EntryKey) error {
	full := prefixMask(f.width, f.width)
	value, ones := new(big.Int), new(big.Int)
	fits := func(v *big.Int) error {
		lo, hi := (&types.Bit{Width: f.width, Signed: f.signed}).Range()
		if v.Sign() < 0 && v.Cmp(lo) < 0 || v.Cmp(hi) > 0 && v.BitLen() > f.width {
			return fmt.Errorf("value %s does not fit into %s", v, number.Count(f.width, "bit"))
		}
		return nil
	}
	for _, v := range []*big.Int{m.X, m.Y} {
		if v == nil {
			continue
		}
		if err := fits(v); err != nil {
			return err
		}
	}
	switch m.Kind {
	case ir.SetValue:
		value, ones = m.X, full
		if f.match == ir.LPM {
			e.lengths = f.width
		}
	case ir.SetMask:
		if f.match != ir.Ternary && f.match != ir.LPM && f.match != ir.Optional {
			return fmt.Errorf("a mask is not possible for match kind %s", f.match)
		}
		ones = types.Unsigned(f.width).Wrap(m.Y)
		value = new(big.Int).And(types.Unsigned(f.width).Wrap(m.X), ones)
		if f.match == ir.LPM {
			n := 0
			for n < f.width && ones.Bit(f.width-1-n) == 1 {
				n++
			}
			if ones.Cmp(prefixMask(n, f.width)) != 0 {
				return fmt.Errorf("mask %#x is not a prefix", ones)
			}
			e.lengths = n
		}
		if f.match == ir.Optional && ones.Sign() != 0 && ones.Cmp(full) != 0 {
			return fmt.Errorf("match kind optional takes a value or any, not mask %#x", ones)
		}
	case ir.SetRange:
		if f.match != ir.Range {
			return fmt.Errorf("a range is not possible for match kind %s", f.match)
		}
		r := rangeCheck{field: f, lo: types.Words(m.X, f.width), hi: types.Words(m.Y, f.width)}
		if wideOrder(r.lo, r.hi, f) > 0 {
			return fmt.Errorf("range %s .. %s is empty", m.X, m.Y)
		}
		e.ranges = append(e.ranges, r)
	case ir.SetAny:
		if f.match == ir.LPM {
			e.lengths = 0
		}
	}
	copy(e.value[f.off:f.off+f.words], types.Words(value, f.width))
	copy(e.mask[f.off:f.off+f.words], types.Words(ones, f.width))
	return nil
}

func wideOrder(a, b []uint64, f keyField) int {
	if f.signed {
		return wideCmpSigned(a, b, f.width)
	}
	return wideCmp(a, b)
}

// Keys returns the number of keys of an entry.
func (t *Table) Keys() int { return len(t.fields) }

// Key returns the match kind and the width in bits of key i.
func (t *Table) Key(i int) (ir.MatchKind, int) { return t.fields[i].match, t.fields[i].width }

// NeedsPriority reports whether the entries of the table have priorities.
func (t *Table) NeedsPriority() bool {
	return slices.ContainsFunc(t.fields, func(f keyField) bool {
		return f.match == ir.Ternary || f.match == ir.Range || f.match == ir.Optional
	})
}

// Matched returns the values that an entry matches in key i: a value and its mask, or the ends of a range.
func (t *Table) Matched(e *Entry, i int) (x, y *big.Int) {
	f := t.fields[i]
	of := func(words []uint64) *big.Int { return types.FromWords(words[f.off : f.off+f.words]) }
	for _, r := range e.ranges {
		if r.field.off == f.off {
			return types.FromWords(r.lo), types.FromWords(r.hi)
		}
	}
	x, y = of(e.value), of(e.mask)
	if f.match == ir.Range { // the range is a single value, or all values
		y.Or(x, y.AndNot(prefixMask(f.width, f.width), y))
	}
	return x, y
}

// Rank returns the rank of an entry. In a table with priorities, the entry with the smallest rank wins.
func (e *Entry) Rank() int64 { return e.rank }

// Add adds an entry and returns its handle. Several entries may match. If one key of the table is lpm and the others
// are exact, the longest prefix wins. In a table with ternary, range or optional keys the smallest priority wins
// and, among equal priorities, the entry that was added first.
func (t *Table) Add(ms []ir.EntryKey, use int, data []uint64, priority int) (int, error) {
	if err := t.checkAction(use, data); err != nil {
		return 0, err
	}
	return t.add(ms, &Entry{Use: use, Data: slices.Clone(data), Member: -1, Group: -1}, priority)
}

// add adds an entry whose action has been checked.
func (t *Table) add(ms []ir.EntryKey, action *Entry, priority int) (int, error) {
	if t.Def.ConstEntries {
		return 0, fmt.Errorf("cannot add to table %s: %w", t.Def.Name, errConst)
	}
	e, err := t.newEntry(ms)
	if err != nil {
		return 0, err
	}
	if t.Def.Size > 0 && len(t.entries) >= t.Def.Size {
		return 0, fmt.Errorf("cannot add to table %s, which already has %s: %w", t.Def.Name,
			number.Count(t.Def.Size, "entry"), errFull)
	}
	e.Use, e.Data, e.Member, e.Group, e.rank = action.Use, action.Data, action.Member, action.Group, int64(priority)
	if old := t.keys[t.keyOf(e)]; old != nil {
		return 0, fmt.Errorf("cannot add to table %s: %w (handle %d)", t.Def.Name, errDuplicate, old.Handle)
	}
	t.insert(e)
	return e.Handle, nil
}

// keyOf encodes the key of an entry, and its priority if the table has priorities.
func (t *Table) keyOf(e *Entry) string {
	var b []byte
	word := func(ws []uint64) {
		for _, w := range ws {
			b = binary.BigEndian.AppendUint64(b, w)
		}
	}
	word(e.value)
	word(e.mask)
	for _, r := range e.ranges {
		word(r.lo)
		word(r.hi)
	}
	if t.NeedsPriority() {
		word([]uint64{uint64(e.rank)})
	}
	return string(b)
}

// checkAction checks an action chosen at run time.
func (t *Table) checkAction(use int, data []uint64) error {
	if use < 0 || use >= len(t.Def.Actions) {
		return fmt.Errorf("table %s has no action %d", t.Def.Name, use)
	}
	u := t.Def.Actions[use]
	if len(data) != u.Action.DataWords {
		return fmt.Errorf("action %s takes %s of data, not %d", u.Action.Name, number.Count(u.Action.DataWords, "word"),
			len(data))
	}
	if u.DefaultOnly {
		return fmt.Errorf("action %s of table %s is @defaultonly", u.Action.Name, t.Def.Name)
	}
	return nil
}

// Entry returns the entry with a handle.
func (t *Table) Entry(handle int) (*Entry, error) {
	for _, e := range t.entries {
		if e.Handle == handle {
			return e, nil
		}
	}
	return nil, fmt.Errorf("table %s, handle %d: %w", t.Def.Name, handle, errNoEntry)
}

// Delete removes an entry.
func (t *Table) Delete(handle int) error {
	e, err := t.variable(handle, "delete from")
	if err != nil {
		return err
	}
	t.forget(e)
	t.entries = slices.DeleteFunc(t.entries, func(x *Entry) bool { return x == e })
	return nil
}

// variable finds an entry that the control plane may change.
func (t *Table) variable(handle int, change string) (*Entry, error) {
	e, err := t.Entry(handle)
	if err == nil && (t.Def.ConstEntries || t.isConst(e)) {
		err = fmt.Errorf("cannot %s table %s: %w", change, t.Def.Name, errConst)
	}
	return e, err
}

// isConst reports whether an entry of the program is marked const.
func (t *Table) isConst(e *Entry) bool {
	return e.fromSrc && e.Handle < len(t.Def.Entries) && t.Def.Entries[e.Handle].Const
}

// Modify changes the action of an entry.
func (t *Table) Modify(handle, use int, data []uint64) error {
	e, err := t.variable(handle, "modify")
	if err != nil {
		return err
	}
	if err := t.checkAction(use, data); err != nil {
		return err
	}
	e.Use, e.Data = use, slices.Clone(data)
	return nil
}

// Clear removes all entries except those that are const in the program.
func (t *Table) Clear() error {
	if t.Def.ConstEntries {
		return fmt.Errorf("cannot clear table %s: %w", t.Def.Name, errConst)
	}
	t.entries = slices.DeleteFunc(t.entries, func(e *Entry) bool {
		if t.isConst(e) {
			return false
		}
		t.forget(e)
		return true
	})
	return nil
}

func (t *Table) forget(e *Entry) {
	if k := t.keyOf(e); t.keys[k] == e {
		delete(t.keys, k)
	}
	t.dirty = true
}

// SetDefault sets the action for packets without a matching entry.
func (t *Table) SetDefault(use int, data []uint64) error {
	if t.Def.ConstDefault {
		return fmt.Errorf("cannot set the default action of table %s: %w", t.Def.Name, errConst)
	}
	if use >= 0 && use < len(t.Def.Actions) && t.Def.Actions[use].TableOnly {
		return fmt.Errorf("action %s of table %s is @tableonly", t.Def.Actions[use].Action.Name, t.Def.Name)
	}
	if use < 0 || use >= len(t.Def.Actions) || len(data) != t.Def.Actions[use].Action.DataWords {
		return t.checkAction(use, data)
	}
	t.def.Use, t.def.Data = use, slices.Clone(data)
	return nil
}

// Default returns the default entry.
func (t *Table) Default() *Entry { return &t.def }

// Len returns the number of entries.
func (t *Table) Len() int { return len(t.entries) }

// Entries returns the entries in order of their handles.
func (t *Table) Entries() []*Entry { return t.entries }

// lookup returns the entry that matches the key, or nil.
func (t *Table) lookup(key []uint64) *Entry {
	if t.dirty {
		t.index, t.dirty = t.build(), false
	}
	return t.index.lookup(key)
}

// AddIndirect adds an entry that refers to a member or a group of the table's action profile. Of the two numbers,
// the unused one is -1.
func (t *Table) AddIndirect(ms []ir.EntryKey, member, group, priority int) (int, error) {
	if t.profile == nil {
		return 0, fmt.Errorf("table %s has no action profile", t.Def.Name)
	}
	if err := t.profile.has(member, group); err != nil {
		return 0, err
	}
	return t.add(ms, &Entry{Use: -1, Member: member, Group: group}, priority)
}
