package schema

import (
	"fmt"
	"reflect"
)

// Fill gives the keys of a kind's parameters, a pointer to a struct, values that choose takes from Field.Draw, and
// returns them as "key: value, …". Keys that have no effect, or no Draw, are left out and keep their defaults.
func Fill(params any, choose func(Field) string) (text string, err error) {
	Defaults(params)
	v := reflect.ValueOf(params).Elem()
	s := view(v)
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
