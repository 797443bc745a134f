package ast

import "reflect"

// Inspect calls visit for every expression and statement in a node, itself included: parents
// first, in the order of the source. Types and annotations are left out.
func Inspect(n Node, visit func(Node)) { inspect(reflect.ValueOf(n), visit) }

func inspect(v reflect.Value, visit func(Node)) {
	switch v.Kind() {
	case reflect.Interface:
		inspect(v.Elem(), visit)
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		switch n := v.Interface().(type) {
		case Type:
			return
		case Expr:
			visit(n)
		case Stmt:
			visit(n)
		}
		inspect(v.Elem(), visit)
	case reflect.Slice:
		for i := range v.Len() {
			inspect(v.Index(i), visit)
		}
	case reflect.Struct:
		if t := v.Type(); t != reflect.TypeFor[At]() && t != reflect.TypeFor[Annotation]() {
			for i := range v.NumField() {
				inspect(v.Field(i), visit)
			}
		}
	}
}
