package syntax

import "reflect"

// Inspect calls visit for every expression and statement in a node, in the order of the source and parents first. If
// the node itself is an expression or a statement, it is visited too. Inspect skips types and annotations. It also
// skips the content of a node for which visit returns false.
func Inspect(n Node, visit func(Node) bool) { inspect(reflect.ValueOf(n), visit) }

func inspect(v reflect.Value, visit func(Node) bool) {
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
		case Expr, Stmt:
			if !visit(n.(Node)) {
				return
			}
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
