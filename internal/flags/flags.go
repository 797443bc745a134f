// Package flags declares the flags of a command by struct tags, as package schema
// declares the keys of a scenario.
package flags

import (
	"cmp"
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Add gives a command the flags that the fields of a struct declare in their tags. If there are names, the command gets
// only the flags with these names. accepted returns what a flag accepts, for the %s in its line of the help; it returns
// nil for most flags.
//
//	flag:"entries"         the name; "define,D" has a letter
//	use:"entries {M}"      the line of the help, with the word for the value in braces; %s stands for what is accepted
//	                       (the caller sets the line of a flag without this tag)
//	default:"4096"         the value of a field that is zero
//	range:">=2 <=64"       the accepted numbers, also of each in a list
//	oneof:"rate|variance"  the accepted words
//	bytes:"120"            memory in bytes that each unit of a number needs
//	because:"..."          why larger numbers are not accepted
//	each:"yes"             a list that grows by a value with each use of the flag, and is not cut at commas
//	writes:"yes"           the value is a file that the command writes (see Writes)
//	flags:"seed json"      on a struct: which of its flags the command gets; "all" means all, or those in names
func Add(cmd *cobra.Command, accepted func(flag string) []any, values any, names ...string) {
	if x, ok := values.(interface{ Attached(*cobra.Command) }); ok {
		x.Attached(cmd)
	}
	v, flags := reflect.ValueOf(values).Elem(), cmd.Flags()
	for i := range v.NumField() {
		sf, field := v.Type().Field(i), v.Field(i)
		at := reflect.NewAt(sf.Type, field.Addr().UnsafePointer()).Interface()
		name, letter, _ := strings.Cut(sf.Tag.Get("flag"), ",")
		switch {
		case name == "":
			switch sub := sf.Tag.Get("flags"); sub {
			case "":
			case "all":
				Add(cmd, accepted, at, names...)
			default:
				Add(cmd, accepted, at, strings.Fields(sub)...)
			}
		case len(names) > 0 && !slices.Contains(names, name):
		default:
			use := strings.NewReplacer("{", "`", "}", "`").Replace(sf.Tag.Get("use"))
			if list := accepted(name); list != nil {
				use = fmt.Sprintf(use, list[:strings.Count(use, "%s")]...)
			}
			normal := sf.Tag.Get("default")
			switch x := at.(type) {
			case *bool:
				flags.BoolVarP(x, name, letter, *x, use)
			default:
				if list, ok := at.(*[]string); ok && sf.Tag.Get("each") != "" {
					flags.StringArrayVarP(list, name, letter, *list, use)
					break
				}
				value := valueOf(x, sf.Tag)
				if normal != "" && field.IsZero() {
					if err := value.Set(normal); err != nil {
						panic(fmt.Sprintf("--%s: default %q: %v", name, normal, err))
					}
				}
				if l, ok := value.(interface{ restart() }); ok {
					l.restart() // the first value on the command line replaces the default
				}
				flags.VarP(value, name, letter, use)
				if sf.Tag.Get("writes") != "" {
					flags.Lookup(name).Annotations = map[string][]string{writes: nil}
				}
			}
		}
	}
}

// writes is the annotation of flags whose value is a file that the command writes.
const writes = "writes"

// Writes reports whether the value of a flag is a file that the command writes.
func Writes(f *pflag.Flag) bool {
	_, is := f.Annotations[writes]
	return is
}

// valueOf returns the flag value that sets the field at an address.
func valueOf(at any, tag reflect.StructTag) pflag.Value {
	switch x := at.(type) {
	case pflag.Value:
		return x
	case *int:
		return wholeOf(x, tag)
	case *uint64:
		return wholeOf(x, tag)
	case *float64:
		return realOf(x, tag)
	case *[]int:
		return &List[int]{values: x, One: func(v *int) pflag.Value { return wholeOf(v, tag) }}
	case *[]float64:
		return &List[float64]{values: x, One: func(v *float64) pflag.Value { return realOf(v, tag) }}
	case *[]string:
		return &List[string]{values: x, One: func(v *string) pflag.Value { return wordOf(v, tag) }}
	case *string:
		return wordOf(x, tag)
	case interface {
		valueOf(reflect.StructTag) pflag.Value
	}:
		return x.valueOf(tag)
	case encoding.TextUnmarshaler:
		return textOf(x, tag)
	}
	panic(fmt.Sprintf("no flags of type %T", at))
}

// Texts is a comma-separated list of values that parse themselves, such as sizes. A value
// may not occur twice.
type Texts[T comparable] []T

func (l *Texts[T]) valueOf(tag reflect.StructTag) pflag.Value {
	return &List[T]{values: (*[]T)(l),
		One: func(v *T) pflag.Value { return textOf(any(v).(encoding.TextUnmarshaler), tag) }, once: true}
}

// wordOf returns the flag value for a string field: one of the accepted words, or any
// text if the tag lists none.
func wordOf(at *string, tag reflect.StructTag) pflag.Value {
	if words := tag.Get("oneof"); words != "" {
		return &Choice{at, strings.Split(words, "|")}
	}
	return (*word)(at)
}

// bounds are the limits that the tag range sets.
type bounds struct {
	least, most  string
	above, below bool // the limit itself is not accepted
}

func boundsOf(tag reflect.StructTag) (b bounds) {
	for _, s := range strings.Fields(tag.Get("range")) {
		limit := strings.TrimLeft(s, "<>=")
		if strict := !strings.Contains(s, "="); s[0] == '>' {
			b.least, b.above = limit, strict
		} else {
			b.most, b.below = limit, strict
		}
	}
	return b
}

func wholeOf[T int | uint64](at *T, tag reflect.StructTag) *Whole[T] {
	number := func(s string) T {
		n, err := strconv.ParseUint(s, 10, 63)
		if err != nil && s != "" {
			panic(err) // the tag is wrong
		}
		return T(n)
	}
	b := boundsOf(tag)
	return &Whole[T]{value: at, Min: number(b.least), Max: number(b.most), Bytes: number(tag.Get("bytes"))}
}

func realOf(at *float64, tag reflect.StructTag) *Real {
	number := func(s string) float64 {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil && s != "" {
			panic(err) // the tag is wrong
		}
		return x
	}
	b := boundsOf(tag)
	return &Real{value: at, Min: number(b.least), above: b.above, Max: number(b.most), below: b.below,
		because: tag.Get("because")}
}

// Text is the flag value of a type that parses itself, such as a time or a size.
type Text struct {
	Value encoding.TextUnmarshaler
	bounds
}

// textOf returns the flag value of a type that parses itself. If the tag sets no upper limit, the type's own limit
// applies.
func textOf(at encoding.TextUnmarshaler, tag reflect.StructTag) *Text {
	b := boundsOf(tag)
	if limited, ok := at.(interface{ Most() (limit, also string) }); ok && b.most == "" {
		b.most, _ = limited.Most()
	}
	return &Text{at, b}
}

func (t *Text) String() string {
	if t.Value == nil {
		return ""
	}
	s := fmt.Sprint(reflect.ValueOf(t.Value).Elem().Interface())
	if strings.HasPrefix(s, "0") {
		return "" // zero means not given: the help shows no default
	}
	return s
}

// Set parses s and reports an error if the value is out of range.
func (t *Text) Set(s string) error {
	v := reflect.New(reflect.TypeOf(t.Value).Elem())
	if err := v.Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(s)); err != nil {
		return err
	}
	against := func(limit string) int {
		l := reflect.New(v.Elem().Type())
		if err := l.Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(limit)); err != nil {
			panic(err) // the tag is wrong
		}
		return cmp.Compare(v.Elem().Int(), l.Elem().Int())
	}
	var want []string
	bad := false
	if b := t.bounds; b.least != "" {
		c, word := against(b.least), "at least "
		if bad = c < 0; b.above {
			bad, word = c <= 0, "more than "
		}
		want = append(want, word+b.least)
	}
	if b := t.bounds; b.most != "" {
		c, word := against(b.most), "at most "
		if beyond := c > 0 || b.below && c == 0; b.below {
			bad, word = bad || beyond, "less than "
		} else {
			bad = bad || beyond
		}
		want = append(want, word+b.most)
	}
	if bad {
		return fmt.Errorf("want %s", strings.Join(want, " and "))
	}
	reflect.ValueOf(t.Value).Elem().Set(v.Elem())
	return nil
}

// Most returns the upper limit, or "" without one.
func (t *Text) Most() string { return t.most }

func (t *Text) Type() string { return "text" }

// word is the flag value of a string field that accepts any text except an empty one, which would mean that the flag is
// not given.
type word string

func (w *word) String() string { return string(*w) }

func (w *word) Set(s string) error {
	if s == "" {
		return errors.New("want a value that is not empty")
	}
	*w = word(s)
	return nil
}

func (w *word) Type() string { return "string" }
