package schema

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// A field of a type that no key can have is named with its struct.
func TestFieldsNameWhatIsMalformed(t *testing.T) {
	type Params struct {
		Least int64 `yaml:"least" default:"1" range:">=0"`
	}
	defer func() {
		if got := fmt.Sprint(recover()); !strings.Contains(got, "schema.Params.Least") ||
			!strings.Contains(got, "int64") {
			t.Errorf("got %s, want the field and its type", got)
		}
	}()
	Fields(reflect.TypeFor[Params]())
}
