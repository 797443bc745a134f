package schema

import (
	"math"
	"reflect"
)

// Auto is the word for a value that the program derives from the rest of the file, such
// as a timeout from the network of a scenario. A key accepts it if its tag lists it as a
// default. The program replaces it by a value once the rest is known (IsAuto, Settle).
const Auto = "auto"

// Number is the type of a key that accepts Auto. The negative of the type's largest
// value, or negative infinity for a float, represents Auto; no range includes it.
type Number interface{ ~int | ~int64 | ~float64 }

// IsAuto reports whether x represents Auto.
func IsAuto[T Number](x T) bool { return isAuto(reflect.ValueOf(x)) }

// Settled is a value that replaced Auto.
type Settled struct {
	Key   string `json:"key"`   // full name, such as "cc.t"
	Value string `json:"value"` // as a file would write it, such as "13us"
	From  string `json:"from"`  // the rule that determined the value
}

// Text returns the value and, in parentheses, its rule.
func (s Settled) Text() string { return s.Value + " (" + s.From + ")" }

// Settle replaces x by value if x is Auto, and reports whether x was Auto.
func Settle[T Number](x *T, value T, key, from string) (s Settled, auto bool) {
	if auto = IsAuto(*x); auto {
		*x = value
		s = Settled{key, text(reflect.ValueOf(value)), from}
	}
	return s, auto
}

func isAuto(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Int:
		return v.Int() == -math.MaxInt
	case reflect.Int64:
		return v.Int() == -math.MaxInt64
	case reflect.Float64:
		return math.IsInf(v.Float(), -1)
	}
	return false
}

// setAuto sets v to the representation of Auto. It panics if the type of v has none.
func setAuto(v reflect.Value) {
	switch v.Kind() {
	case reflect.Int:
		v.SetInt(-math.MaxInt)
	case reflect.Int64:
		v.SetInt(-math.MaxInt64)
	case reflect.Float64:
		v.SetFloat(math.Inf(-1))
	default:
		panic("schema: a " + v.Type().String() + " cannot be " + Auto)
	}
}

// Autos returns the full keys of a document, a pointer to a struct, whose values are
// Auto.
func Autos(document any) (list []string) {
	for _, k := range effective(document) {
		if isAuto(k.at) {
			list = append(list, k.full)
		}
	}
	return list
}
