package main

import (
	"cmp"
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pintlab/experiments/measure/accuracy"
	"pintlab/netsim/unit"
)

// with gives a command the flags that the fields of a struct declare in their tags. Names picks some of
// them; without names the command gets all.
//
//	flag:"entries"         the name; "define,D" has a letter
//	use:"entries {M}"      the line of the help, with the word for the value in braces; %s stands for what is accepted
//	default:"4096"         the value of a field that is zero
//	range:">=2 <=64"       the accepted numbers, also of each in a list
//	oneof:"rate|variance"  the accepted words
//	bytes:"120"            memory that each of a number takes
//	because:"..."          why no number is larger
//	each:"yes"             a list that grows by a value with each use of the flag, and is not cut at commas
//	flags:"seed json"      of a struct: its flags that the command gets; "all" of them, or all that names picks
func with(cmd *cobra.Command, values any, names ...string) *cobra.Command {
	if x, ok := values.(interface{ attached(*cobra.Command) }); ok {
		x.attached(cmd)
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
				with(cmd, at, names...)
			default:
				with(cmd, at, strings.Fields(sub)...)
			}
		case len(names) > 0 && !slices.Contains(names, name):
		default:
			use := strings.NewReplacer("{", "`", "}", "`").Replace(sf.Tag.Get("use"))
			for _, args := range [][]string{nil, {"a scenario"}} {
				if list := accepted[name]; list != nil {
					use = strings.Replace(use, "%s", strings.Join(list(args), ", "), 1)
				}
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
			}
		}
	}
	return cmd
}

// valueOf returns the value of a flag for the field at an address.
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
		return &list[int]{values: x, one: func(v *int) pflag.Value { return wholeOf(v, tag) }}
	case *[]float64:
		return &list[float64]{values: x, one: func(v *float64) pflag.Value { return realOf(v, tag) }}
	case *[]unit.Bytes:
		return &list[unit.Bytes]{values: x, one: func(v *unit.Bytes) pflag.Value { return textOf(v, tag) }, once: true}
	case *[]accuracy.Kind:
		return &list[accuracy.Kind]{values: x, one: func(v *accuracy.Kind) pflag.Value { return textOf(v, tag) }, once: true}
	case *[]string:
		return &list[string]{values: x, one: func(v *string) pflag.Value { return wordOf(v, tag) }}
	case *string:
		return wordOf(x, tag)
	case encoding.TextUnmarshaler:
		return textOf(x, tag)
	}
	panic(fmt.Sprintf("no flags of type %T", at))
}

// wordOf returns the value of a flag that is one of the accepted words, or any text if there are none.
func wordOf(at *string, tag reflect.StructTag) pflag.Value {
	if words := tag.Get("oneof"); words != "" {
		return &choice{at, strings.Split(words, "|")}
	}
	return (*word)(at)
}

// bounds are those of the tag range.
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

func wholeOf[T int | uint64](at *T, tag reflect.StructTag) *whole[T] {
	number := func(s string) T {
		n, err := strconv.ParseUint(s, 10, 63)
		if err != nil && s != "" {
			panic(err) // the tags are ours
		}
		return T(n)
	}
	b := boundsOf(tag)
	return &whole[T]{value: at, min: number(b.least), max: number(b.most), bytes: number(tag.Get("bytes"))}
}

func realOf(at *float64, tag reflect.StructTag) *real {
	number := func(s string) float64 {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil && s != "" {
			panic(err) // the tags are ours
		}
		return x
	}
	b := boundsOf(tag)
	return &real{value: at, min: number(b.least), above: b.above, max: number(b.most), below: b.below, because: tag.Get("because")}
}

// text is the value of a flag that reads itself, such as a time or a size.
type text struct {
	value encoding.TextUnmarshaler
	bounds
}

// textOf returns the value of a flag with the upper limit of its type if the tag has none.
func textOf(at encoding.TextUnmarshaler, tag reflect.StructTag) *text {
	b := boundsOf(tag)
	if limited, ok := at.(interface{ Most() (limit, also string) }); ok && b.most == "" {
		b.most, _ = limited.Most()
	}
	return &text{at, b}
}

func (t *text) String() string {
	if t.value == nil {
		return ""
	}
	s := fmt.Sprint(reflect.ValueOf(t.value).Elem().Interface())
	if strings.HasPrefix(s, "0") {
		return "" // not given; help shows no default
	}
	return s
}

func (t *text) Set(s string) error {
	v := reflect.New(reflect.TypeOf(t.value).Elem())
	if err := v.Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(s)); err != nil {
		return err
	}
	against := func(limit string) int {
		l := reflect.New(v.Elem().Type())
		if err := l.Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(limit)); err != nil {
			panic(err) // the tags are ours
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
	reflect.ValueOf(t.value).Elem().Set(v.Elem())
	return nil
}

func (t *text) Type() string { return "text" }

// word is the value of a flag that is any text.
type word string

func (w *word) String() string     { return string(*w) }
func (w *word) Set(s string) error { *w = word(s); return nil }
func (w *word) Type() string       { return "string" }
