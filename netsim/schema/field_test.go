package schema

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// The panic for a field of an unsupported type names the field and its struct.
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

// The condition of an embedded struct applies to those of its keys that have no condition.
func TestConditionOfEmbedded(t *testing.T) {
	type Inner struct {
		First  string `yaml:"first" default:"off" oneof:"off|on"`
		Second string `yaml:"second" when:"first=on" default:"x" oneof:"x|y"`
	}
	type Params struct {
		Kind  string `yaml:"kind" default:"plain" oneof:"plain|rich"`
		Inner `when:"kind=rich"`
	}
	fields := Fields(reflect.TypeFor[Params]())
	for i, want := range []Condition{nil, parseCondition("kind=rich"), parseCondition("first=on")} {
		if !reflect.DeepEqual(fields[i].When, want) {
			t.Errorf("%s: %v, want %v", fields[i].Key, fields[i].When, want)
		}
	}
}
