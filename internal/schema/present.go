package schema

import (
	"reflect"
	"strconv"
)

// Present is a key that has an effect in a document as it stands.
type Present struct {
	Key      string   // full name, such as "workload.0.load"
	Value    string   // as a file would have it; "" for an empty list of sections
	Accepted []string // words; nil if it takes others than these
	Bounds   string   // of its numbers, for people
}

// PresentKeys lists the keys of a document, a pointer to a struct, that have an effect as it stands, in their order.
func PresentKeys(document any) []Present { return presentKeys(reflect.ValueOf(document).Elem(), "") }

func presentKeys(v reflect.Value, prefix string) (list []Present) {
	s := view(v)
	for _, f := range s.fields {
		if !f.When.holds(s) {
			continue
		}
		fv, key := s.value(f), prefix+f.Key
		switch {
		case fv.Kind() == reflect.Struct:
			list = append(list, presentKeys(fv, key+".")...)
		case isList(fv.Type()):
			if fv.Len() == 0 {
				list = append(list, Present{Key: key})
			}
			for i := range fv.Len() {
				list = append(list, presentKeys(fv.Index(i), key+"."+strconv.Itoa(i)+".")...)
			}
		default:
			list = append(list, Present{key, text(fv), f.words(), f.Bounds()})
		}
	}
	return list
}

// words are the words that a key takes, nil if these are not all that it takes.
func (f Field) words() []string {
	switch {
	case f.Type().Kind() == reflect.Bool:
		return []string{"false", "true"}
	case f.Type().Kind() == reflect.String:
		return f.OneOf
	}
	return nil
}
