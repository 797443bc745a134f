package schema

import (
	"reflect"
	"slices"
	"strings"
)

// Choice is a section whose keys depend on its kind: a congestion control, a
// telemetry system. A section type embeds it as its only field and says by a method
// Catalogue which kinds there are:
//
//	type CC struct{ schema.Choice }
//
//	func (CC) Catalogue() Catalogue { return protocols.CongestionControls() }
type Choice struct {
	Kind   string
	Params any // a pointer to the parameters of that kind; nil if the kind is not known
}

// Catalogue is the kinds that a Choice has.
type Catalogue struct {
	Default string // if no kind is given; "" if one must be
	Kinds   []Kind
}

// Kind is one of the kinds of a Choice.
type Kind struct {
	Name    string
	Summary string     // one line for lists
	New     func() any // a pointer to its parameters, all of them zero
	Former  string     // name that it had, which an error says
}

// Find returns the kind of that name.
func (c Catalogue) Find(name string) (Kind, bool) {
	i := slices.IndexFunc(c.Kinds, func(k Kind) bool { return k.Name == name })
	if i < 0 {
		return Kind{}, false
	}
	return c.Kinds[i], true
}

// Names returns the names of the kinds.
func (c Catalogue) Names() []string {
	names := make([]string, len(c.Kinds))
	for i, k := range c.Kinds {
		names[i] = k.Name
	}
	return names
}

// With returns the names of the kinds that have the key.
func (c Catalogue) With(key string) []string {
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

// chooser is a section type that embeds Choice.
type chooser interface{ Catalogue() Catalogue }

// CatalogueOf returns the catalogue of a section type, if it has one.
func CatalogueOf(t reflect.Type) (Catalogue, bool) {
	if !t.Implements(reflect.TypeFor[chooser]()) {
		return Catalogue{}, false
	}
	return reflect.Zero(t).Interface().(chooser).Catalogue(), true
}

// section is a section of a document as it stands: which keys it has now, and where
// their values are.
type section struct {
	typ    reflect.Type
	fields []Field
	parts  []reflect.Value // the struct that holds each field
	choice *Catalogue      // nil for a section without kinds
}

// view looks at a section. After a change of a kind it must be looked at again.
func view(v reflect.Value) section {
	s := section{typ: v.Type()}
	c, ok := CatalogueOf(v.Type())
	if !ok {
		s.add(v)
		return s
	}
	s.choice = &c
	choice := v.Field(0)
	s.fields = []Field{kindField(c)}
	s.parts = []reflect.Value{choice}
	if params := choice.Field(1); !params.IsNil() {
		s.add(params.Elem().Elem())
	}
	return s
}

// located is a key of a document with its place and full name.
type located struct {
	Field
	at   reflect.Value
	full string
}

// effective lists the keys of a section that have an effect, and those of its sections and of the
// entries of its lists, in their order.
func effective(v reflect.Value, prefix string) (list []located) {
	s := view(v)
	for _, f := range s.fields {
		fv, key := s.value(f), prefix+f.Key
		switch {
		case !f.When.holds(s):
		case fv.Kind() == reflect.Struct:
			list = append(list, effective(fv, key+".")...)
		default:
			list = append(list, located{f, fv, key})
			if isList(fv.Type()) {
				for i := range fv.Len() {
					list = append(list, effective(fv.Index(i), entry(key, i))...)
				}
			}
		}
	}
	return list
}

func (s *section) add(v reflect.Value) {
	fields := Fields(v.Type())
	s.fields = slices.Concat(s.fields, fields)
	for _, f := range fields {
		part := v
		if f.Owner != v.Type() {
			part = v.FieldByName(f.Owner.Name())
		}
		s.parts = append(s.parts, part)
	}
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

// value returns where the section holds the value of a key.
func (s section) value(f Field) reflect.Value {
	for i, g := range s.fields {
		if g.Key == f.Key {
			return s.parts[i].Field(f.index)
		}
	}
	panic("schema: " + s.typ.Name() + " has no key " + f.Key)
}

// elsewhere says that a key which the section does not have now belongs to another
// kind of it; "" if it belongs to none.
func (s section) elsewhere(key, prefix string) string {
	if s.choice == nil {
		return ""
	}
	names := s.choice.With(key)
	if len(names) == 0 {
		return ""
	}
	return onlyWith(prefix + "kind = " + strings.Join(names, " or "))
}

// AllFields returns the keys that a section of this type can have, whatever its kind.
func AllFields(t reflect.Type) []Field {
	c, ok := CatalogueOf(t)
	if !ok {
		return Fields(t)
	}
	fields := []Field{kindField(c)}
	for _, k := range c.Kinds {
		for _, f := range paramFields(k) {
			if _, known := fieldNamed(fields, f.Key); !known {
				fields = append(fields, f)
			}
		}
	}
	return fields
}

// Clone returns a copy of a document that shares nothing with it.
func Clone[T any](document T) T {
	c := reflect.New(reflect.TypeFor[T]()).Elem()
	c.Set(reflect.ValueOf(document))
	unshare(c)
	return c.Interface().(T)
}

// unshare gives v copies of the lists and parameters that it points to.
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
