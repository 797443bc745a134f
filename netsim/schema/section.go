package schema

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"sync"

	"pintlab/internal/lists"
)

// Choice is a section whose keys depend on its kind: a congestion control, a telemetry system. A section
// type embeds it as its only field, and the method Kinds of the file's type has its catalogue:
//
//	type CC struct{ schema.Choice }
type Choice struct {
	Kind   string
	Params any // pointer to the parameters of that kind; nil if the kind is unknown
}

// Catalogue lists the kinds of a Choice.
type Catalogue struct {
	Default string // kind if none is given; "" if a kind is required
	Kinds   []Kind
}

// Kind is one of the kinds of a Choice.
type Kind struct {
	Name    string
	Summary string     // one line for lists
	New     func() any // returns a pointer to its parameters, all zero
	Former  string     // former name, which an error mentions; "" if none

	Title string            // name in tables and drawings, as papers write it
	Looks map[string]string // how drawings show the kind's schemes (plots.Series)
}

// find returns the kind of that name.
func (c Catalogue) find(name string) (Kind, bool) {
	i := slices.IndexFunc(c.Kinds, func(k Kind) bool { return k.Name == name })
	if i < 0 {
		return Kind{}, false
	}
	return c.Kinds[i], true
}

// Title returns the title of the kind of that name, or the name if the catalogue has no such kind.
func (c Catalogue) Title(name string) string {
	k, _ := c.find(name)
	return cmp.Or(k.Title, name)
}

// Names returns the names of the kinds.
func (c Catalogue) Names() []string {
	return lists.Map(c.Kinds, func(k Kind) string { return k.Name })
}

// with returns the names of the kinds that have a key.
func (c Catalogue) with(key string) []string {
	var names []string
	for _, k := range c.Kinds {
		if _, ok := fieldNamed(paramFields(k), key); ok {
			names = append(names, k.Name)
		}
	}
	return names
}

// paramFields returns the keys of a kind.
func paramFields(k Kind) []Field { return Fields(reflect.TypeOf(k.New()).Elem()) }

// Kinds lists what the sections of a document can choose. A document that contains a Choice has a method Kinds, which
// returns its Kinds. Nil stands for a document without a Choice.
type Kinds struct {
	Catalogues map[reflect.Type]Catalogue // by type of the section
	Words      map[reflect.Type]Grouped   // the groups in the tags of a section, if they depend on kinds

	// fields stores the results of three methods. Its keys are the type of a section without kinds (method of), the
	// types of a section and of its parameters (chosen), and twice the type of a section, for all its kinds (Fields).
	fields sync.Map
}

// chooser is a document that contains a Choice.
type chooser interface{ Kinds() *Kinds }

// kindsOf returns what the sections of a document can choose.
func kindsOf(root reflect.Value) *Kinds {
	if d, ok := root.Addr().Interface().(chooser); ok {
		return d.Kinds()
	}
	return nil
}

// catalogue returns the catalogue of a section type, if it has one.
func (k *Kinds) catalogue(t reflect.Type) (c Catalogue, ok bool) {
	if k != nil {
		c, ok = k.Catalogues[t]
	}
	return c, ok
}

// of returns the keys of a section struct in order.
func (k *Kinds) of(t reflect.Type) []Field {
	if k == nil || k.Words[t] == nil {
		return Fields(t)
	}
	if known, ok := k.fields.Load(t); ok {
		return known.([]Field)
	}
	fields := readTags(t, k.Words[t])
	k.fields.Store(t, fields)
	return fields
}

// section is the present state of a section of a document: its keys and where their values are stored.
type section struct {
	typ    reflect.Type
	fields []Field
	choice *Catalogue    // nil for a section without kinds
	kind   reflect.Value // the Choice of a section with kinds
	params reflect.Value // the struct with the other keys, if there are any
}

// view returns the present state of a section. The result is out of date once the section's kind changes.
func (k *Kinds) view(v reflect.Value) section {
	c, ok := k.catalogue(v.Type())
	if !ok {
		return section{typ: v.Type(), fields: k.of(v.Type()), params: v}
	}
	kind := v.Field(0)
	params := kind.Field(1)
	s := section{typ: v.Type(), fields: k.chosen(c, v.Type(), params), choice: &c, kind: kind}
	if !params.IsNil() {
		s.params = params.Elem().Elem()
	}
	return s
}

// chosen returns the keys of a section with kinds: the kind, and the keys of the parameters.
func (k *Kinds) chosen(c Catalogue, section reflect.Type, params reflect.Value) []Field {
	key := [2]reflect.Type{section, nil}
	if !params.IsNil() {
		key[1] = params.Elem().Elem().Type()
	}
	if known, ok := k.fields.Load(key); ok {
		return known.([]Field)
	}
	fields := []Field{kindField(c)}
	if key[1] != nil {
		fields = append(fields, Fields(key[1])...)
	}
	k.fields.Store(key, fields)
	return fields
}

// located is a key of a document with its value and full name.
type located struct {
	Field
	at   reflect.Value
	full string
}

// effective lists the keys that have an effect in a document, a pointer to a struct.
func effective(document any) []located {
	root := reflect.ValueOf(document).Elem()
	return kindsOf(root).effective(root, "")
}

// effective lists the keys that have an effect in a section, its subsections and list entries, in
// order.
func (k *Kinds) effective(v reflect.Value, prefix string) (list []located) {
	s := k.view(v)
	for _, f := range s.fields {
		fv, key := s.value(f), prefix+f.Key
		switch {
		case !f.When.holds(s):
		case fv.Kind() == reflect.Struct:
			list = append(list, k.effective(fv, key+".")...)
		default:
			list = append(list, located{f, fv, key})
			if isList(fv.Type()) {
				for i := range fv.Len() {
					list = append(list, k.effective(fv.Index(i), entry(key, i))...)
				}
			}
		}
	}
	return list
}

func kindField(c Catalogue) Field {
	f := Field{
		Key: "kind", Name: "Kind", Owner: reflect.TypeFor[Choice](),
		OneOf: c.Names(), Required: c.Default == "", control: true,
	}
	for _, k := range c.Kinds {
		f.former = append(f.former, k.Former)
	}
	if c.Default != "" {
		f.Defaults = []Alternative{{Text: c.Default}}
	}
	return f
}

// chooses reports whether f is the kind of the section.
func (s section) chooses(f Field) bool {
	return s.choice != nil && f.Owner == reflect.TypeFor[Choice]()
}

func (s section) field(key string) (Field, bool) { return fieldNamed(s.fields, key) }

func (s section) has(key string) bool {
	_, ok := s.field(key)
	return ok
}

// value returns the settable value of a key.
func (s section) value(f Field) reflect.Value {
	in := s.params
	switch {
	case s.chooses(f):
		in = s.kind
	case in.IsValid() && in.Type() != f.Owner:
		in = in.FieldByName(f.Owner.Name())
	}
	if !in.IsValid() || in.Type() != f.Owner {
		panic("schema: " + s.typ.Name() + " has no key " + f.Key)
	}
	return in.Field(f.index)
}

// elsewhere returns the rule that a key breaks if only other kinds of the section have this key. It returns "" if no
// kind has the key.
func (s section) elsewhere(key, prefix string) string {
	if s.choice == nil {
		return ""
	}
	names := s.choice.with(key)
	if len(names) == 0 {
		return ""
	}
	return onlyWith(prefix + "kind = " + strings.Join(names, " or "))
}

// Fields returns the keys of a section type, for all its kinds.
func (k *Kinds) Fields(t reflect.Type) []Field {
	c, ok := k.catalogue(t)
	if !ok {
		return k.of(t)
	}
	key := [2]reflect.Type{t, t}
	if known, ok := k.fields.Load(key); ok {
		return known.([]Field)
	}
	fields := []Field{kindField(c)}
	for _, k := range c.Kinds {
		for _, f := range paramFields(k) {
			if _, known := fieldNamed(fields, f.Key); !known {
				fields = append(fields, f)
			}
		}
	}
	k.fields.Store(key, fields)
	return fields
}

// Clone returns a deep copy of a document.
func Clone[T any](document T) T {
	c := reflect.New(reflect.TypeFor[T]()).Elem()
	c.Set(reflect.ValueOf(document))
	unshare(c)
	return c.Interface().(T)
}

// unshare replaces the lists and parameters that v points to by copies.
func unshare(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			unshare(v.Field(i))
		}
	case reflect.Slice:
		if v.IsNil() {
			return
		}
		list := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(list, v)
		v.Set(list)
		for i := range list.Len() {
			unshare(list.Index(i))
		}
	case reflect.Interface: // Choice.Params
		if v.IsNil() {
			return
		}
		params := reflect.New(v.Elem().Type().Elem())
		params.Elem().Set(v.Elem().Elem())
		unshare(params.Elem())
		v.Set(params)
	}
}
