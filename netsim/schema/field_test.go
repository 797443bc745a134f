package schema

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// The panic for a malformed field names the field, its struct and the fault.
func TestFieldsNameWhatIsMalformed(t *testing.T) {
	for want, params := range map[string]any{
		"schema.Params.Least: default \"1\": a key cannot be of type int64": func() any {
			type Params struct {
				Least int64 `yaml:"least" default:"1" range:">=0"`
			}
			return Params{}
		}(),
		"schema.Params.B: an earlier field has the key \"a\"": func() any {
			type Params struct {
				A int `yaml:"a" default:"1" range:">=0"`
				B int `yaml:"a" default:"1" range:">=0"`
			}
			return Params{}
		}(),
		"schema.Params.A: range \"1..3\": want limits": func() any {
			type Params struct {
				A int `yaml:"a" default:"1" range:"1..3"`
			}
			return Params{}
		}(),
		"Params.A has no key; want a tag": func() any {
			type Params struct{ A int }
			return Params{}
		}(),
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, want) {
					t.Errorf("panic %q, want %q", got, want)
				}
			}()
			Fields(reflect.TypeOf(params))
		}()
	}
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
