package schema

import (
	"fmt"
	"reflect"
)

// Fill sets the keys of a kind's parameters, a pointer to a struct, to values that the function choose picks from
// Field.Draw, and returns these values as "key: value, …". Keys without effect or without Draw keep their defaults and
// are not listed.
func Fill(params any, choose func(Field) string) (text string, err error) {
	Defaults(params)
	v := reflect.ValueOf(params).Elem()
	s := new(Kinds).view(v)
	for _, f := range s.fields {
		if f.Draw == nil || !f.When.holds(s) {
			continue
		}
		value := choose(f)
		if err := f.read(s.value(f), value); err != nil {
			return "", fmt.Errorf("%s = %s: %w", f.Key, value, err)
		}
		text += fmt.Sprintf(", %s: %s", f.Key, value)
	}
	return text, nil
}
