package exec

import (
	"cmp"
	"fmt"
	"slices"
)

// Profile is a set of members, to which table entries refer by number (action_profile). A member is an action with
// data. A profile may also have groups of members; a hash then chooses a member of the group (action_selector).
type Profile struct {
	Name    string
	members map[int]member
	groups  map[int][]int // members in order of addition
	tables  []*Table
	choose  func([]byte) uint64
	keys    map[*Table]Do

	nextMember, nextGroup int
}

type member struct {
	use  int
	data []uint64
}

// NewProfile makes an empty profile. choose hashes the selector keys; it is nil for an
// action_profile.
func NewProfile(name string, choose func([]byte) uint64) *Profile {
	return &Profile{Name: name, members: map[int]member{}, groups: map[int][]int{}, choose: choose,
		keys: map[*Table]Do{}}
}

// Attach makes the entries of a table refer to the profile.
func (p *Profile) Attach(b *Builder, t *Table) {
	p.tables = append(p.tables, t)
	t.profile = p
	if len(t.selector) > 0 {
		p.keys[t] = b.selectorKey(t)
	}
	t.resolve = func(m *Machine, e *Entry) (int, []uint64) {
		n := e.Member
		if e.Group >= 0 {
			list := p.groups[e.Group]
			if len(list) == 0 {
				return t.def.Use, t.def.Data
			}
			var h uint64
			if key := p.keys[t]; key != nil && p.choose != nil {
				key(m)
				h = p.choose(m.Bytes.Bytes())
			}
			n = list[h%uint64(len(list))]
		}
		if n < 0 {
			return e.Use, e.Data // an entry of the program names its action directly
		}
		a := p.members[n]
		return a.use, a.data
	}
}

// Table returns one of the tables that use the profile. All of these tables have the same actions.
func (p *Profile) Table() (*Table, error) {
	if len(p.tables) == 0 {
		return nil, fmt.Errorf("no table uses %s", p.Name)
	}
	return p.tables[0], nil
}

// Create adds a member and returns its number.
func (p *Profile) Create(use int, data []uint64) (int, error) {
	t, err := p.Table()
	if err != nil {
		return 0, err
	}
	if err := t.checkAction(use, data); err != nil {
		return 0, err
	}
	p.nextMember++
	p.members[p.nextMember-1] = member{use, slices.Clone(data)}
	return p.nextMember - 1, nil
}

// Modify changes the action of a member.
func (p *Profile) Modify(n, use int, data []uint64) error {
	t, err := p.Table()
	if err := cmp.Or(err, p.has(n, -1)); err != nil {
		return err
	}
	if err := t.checkAction(use, data); err != nil {
		return err
	}
	p.members[n] = member{use, slices.Clone(data)}
	return nil
}

// Delete removes a member that no group and no entry uses.
func (p *Profile) Delete(n int) error {
	if err := p.has(n, -1); err != nil {
		return err
	}
	for group, list := range p.groups {
		if slices.Contains(list, n) {
			return fmt.Errorf("group %d of %s has member %d", group, p.Name, n)
		}
	}
	if err := p.used(func(e *Entry) bool { return e.Member == n }); err != nil {
		return err
	}
	delete(p.members, n)
	return nil
}

// DeleteGroup removes a group that no entry uses.
func (p *Profile) DeleteGroup(n int) error {
	if err := p.has(-1, n); err != nil {
		return err
	}
	if err := p.used(func(e *Entry) bool { return e.Group == n }); err != nil {
		return err
	}
	delete(p.groups, n)
	return nil
}

// used returns an error if by is true for an entry.
func (p *Profile) used(by func(*Entry) bool) error {
	for _, t := range p.tables {
		if i := slices.IndexFunc(t.entries, by); i >= 0 {
			return fmt.Errorf("entry %d of table %s uses it", t.entries[i].Handle, t.Def.Name)
		}
	}
	return nil
}

// CreateGroup adds an empty group and returns its number.
func (p *Profile) CreateGroup() int {
	p.nextGroup++
	p.groups[p.nextGroup-1] = []int{}
	return p.nextGroup - 1
}

// Join adds a member to a group.
func (p *Profile) Join(n, group int) error {
	if err := p.has(n, group); err != nil {
		return err
	}
	list := p.groups[group]
	if slices.Contains(list, n) {
		return fmt.Errorf("group %d of %s has member %d already", group, p.Name, n)
	}
	p.groups[group] = append(list, n)
	return nil
}

// Leave removes a member from a group.
func (p *Profile) Leave(n, group int) error {
	list := p.groups[group]
	i := slices.Index(list, n)
	if i < 0 {
		return fmt.Errorf("group %d of %s has no member %d", group, p.Name, n)
	}
	p.groups[group] = slices.Delete(slices.Clone(list), i, i+1)
	return nil
}

// has returns an error if there is no such member or group; -1 skips the check.
func (p *Profile) has(n, group int) error {
	if _, ok := p.members[n]; n >= 0 && !ok {
		return fmt.Errorf("%s has no member %d", p.Name, n)
	}
	if _, ok := p.groups[group]; group >= 0 && !ok {
		return fmt.Errorf("%s has no group %d", p.Name, group)
	}
	return nil
}
