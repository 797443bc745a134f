package schema

import (
	"cmp"
	"encoding"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"pintlab/internal/spelling"
)

// A Field is a key of a section. The tags of the struct define it:
//
//	yaml:"rto_min"          the key; "-" for a field that is not a key
//	default:"1ms"           its value if the file does not set it; "1ms; kind=gobackn: 4ms"
//	                        if the default depends on another key of the section; "auto" leaves
//	                        it to the rest of the file (see Auto)
//	when:"kind=newreno"     when the key has an effect; "a=x|y & b=z or c=w"; on an embedded
//	                        struct, the condition of its keys that have none
//	oneof:"exact|floor-ns"  the accepted words
//	range:">0 <=1"          the accepted numbers; without an upper limit, the type's limit applies
//	also:"never"            a value that is accepted in addition
//	required:"yes"          must be given, also in each element of a list
//	single:"yes"            a list of one word may be written without brackets
//	file:"yes"              a path, relative to the file that names it
//	draw:"3*20|1..9"        values in random scenarios, here 20 in three of four; without the tag, the
//	                        values of oneof or of a bool, or else the default
//	omit:"empty"            a list that is not written if it is empty
//	omit:"default"          a value that is not written if it has its default
//	before:"ecn"            the key before which this key stands, if not as in the struct
//
// In any of these "$name" stands for the words of a group, joined by "|", if the struct has groups
// (see Grouped).
//
// A key on which others depend is a control. When a control changes, keys that
// come into effect take their defaults, keys that go out of effect become zero.
// Controls stand before the keys that depend on them.
type Field struct {
	Key      string
	Name     string        // name of the struct field
	Owner    reflect.Type  // the struct, which a section may embed
	Defaults []Alternative // the last one that applies counts
	When     Condition
	OneOf    []string
	former   []string // old name of each word of OneOf, or ""; an error for it names the new word
	Draw     []string // ranges of whole numbers are written "LOW..HIGH" with a unit
	Required bool
	File     bool

	index   int
	bounds  []bound
	single  bool
	also    string
	control bool
	omit    string
}

// Type returns the type of the key's value.
func (f Field) Type() reflect.Type { return f.Owner.Field(f.index).Type }

// Alternative is a default and the condition under which it applies.
type Alternative struct {
	When Condition
	Text string
}

// Condition is a disjunction of conjunctions. The empty Condition always holds.
type Condition [][]test

type test struct {
	key    string
	values []string
}

type bound struct{ op, limit string }

// cache holds the results of Fields, because the tags of a type never change.
var cache sync.Map // reflect.Type to []Field

// Fields returns the keys of a section struct in order. It panics if a tag is malformed.
func Fields(t reflect.Type) []Field {
	if known, ok := cache.Load(t); ok {
		return known.([]Field)
	}
	groups, _ := reflect.Zero(t).Interface().(Grouped)
	fields := readTags(t, groups)
	cache.Store(t, fields)
	return fields
}

// Grouped is a section whose tags contain names of groups of words.
type Grouped interface {
	// Group returns the words of a group, at least one.
	Group(name string) []string
}

// groupName matches the name of a group in a tag.
var groupName = regexp.MustCompile(`\$[a-z]+`)

// readTags reads the keys of a section, and finds out which of them are controls.
func readTags(t reflect.Type, groups Grouped) []Field {
	fields := keysOf(t, groups)
	for i := range fields {
		fields[i].control = isControl(fields[i].Key, fields)
		fields[i].mustBeSound(fields[:i])
	}
	return fields
}

// keysOf reads the keys of a struct. The keys of an embedded struct take its position, and the groups of the outer
// struct replace the groups of the embedded struct.
func keysOf(t reflect.Type, groups Grouped) []Field {
	lookup := reflect.StructTag.Lookup
	if groups == nil {
		groups, _ = reflect.Zero(t).Interface().(Grouped)
	}
	if g := groups; g != nil {
		lookup = func(tag reflect.StructTag, key string) (string, bool) {
			s, ok := tag.Lookup(key)
			return groupName.ReplaceAllStringFunc(s,
				func(name string) string { return strings.Join(g.Group(name[1:]), "|") }), ok
		}
	}
	fields := make([]Field, 0, t.NumField())
	for i := range t.NumField() {
		sf := t.Field(i)
		if sf.Tag.Get("yaml") == "-" {
			continue
		}
		if sf.Anonymous {
			inner := keysOf(sf.Type, groups) // no keys, if the type has only methods
			if s, ok := lookup(sf.Tag, "when"); ok {
				for i := range inner {
					if inner[i].When == nil {
						inner[i].When = parseCondition(s)
					}
				}
			}
			fields = append(fields, inner...)
			continue
		}
		get := func(key string) string {
			s, _ := lookup(sf.Tag, key)
			return s
		}
		f := Field{
			Key:      get("yaml"),
			Name:     sf.Name,
			Owner:    t,
			When:     parseCondition(get("when")),
			Required: get("required") == "yes",
			File:     get("file") == "yes",
			single:   get("single") == "yes",
			also:     get("also"),
			omit:     get("omit"),
			index:    i,
		}
		if f.Key == "" {
			panic("schema: " + t.Name() + "." + sf.Name + ` has no key; want a tag such as yaml:"key", or yaml:"-"`)
		}
		if s := get("oneof"); s != "" {
			f.OneOf = strings.Split(s, "|")
		}
		if s := get("draw"); s != "" {
			f.Draw = weighted(strings.Split(s, "|"))
		} else if f.Draw = f.OneOf; sf.Type.Kind() == reflect.Bool {
			f.Draw = []string{"false", "true"}
		}
		if s, ok := lookup(sf.Tag, "default"); ok {
			f.Defaults = parseDefaults(s)
		}
		for _, s := range strings.Fields(get("range")) {
			limit := strings.TrimLeft(s, "<>=")
			if limit == s {
				panic(fmt.Sprintf("schema: %s.%s: range %q: want limits such as >0 and <=1", t, sf.Name, s))
			}
			f.bounds = append(f.bounds, bound{op: s[:len(s)-len(limit)], limit: limit})
		}
		f.inherit(sf.Type)
		at := len(fields)
		if s := get("before"); s != "" {
			at = slices.IndexFunc(fields, func(g Field) bool { return g.Key == s })
		}
		fields = slices.Insert(fields, at, f)
	}
	return fields
}

// weighted repeats N times each word that begins with "N*".
func weighted(words []string) (list []string) {
	for _, w := range words {
		times, word, ok := strings.Cut(w, "*")
		if !ok {
			times, word = "1", w
		}
		n, err := strconv.Atoi(times)
		if err != nil {
			panic("schema: malformed draw " + w)
		}
		list = append(list, slices.Repeat([]string{word}, n)...)
	}
	return list
}

// limited is a type of numbers with an upper limit. The limit applies to keys whose range has no upper limit.
type limited interface {
	// Most returns the limit as a document would write it, and a word that is accepted in addition to numbers, or "".
	Most() (limit, also string)
}

// MostInt is the limit of whole numbers, because node and flow numbers have 32 bits.
const MostInt = math.MaxInt32

// LeastFloat is the smallest positive real number that a key accepts. Smaller ones have no effect: 1 +
// 1e-16 is 1, and the hashes that decide by a probability have 53 bits.
const LeastFloat = 1e-15

// inherit gives a numeric key the upper limit of its type, unless its range has one.
func (f *Field) inherit(t reflect.Type) {
	for _, b := range f.bounds {
		if b.op[0] == '<' {
			return
		}
	}
	switch v := reflect.Zero(t).Interface().(type) {
	case limited:
		limit, also := v.Most()
		f.also = cmp.Or(f.also, also)
		f.bounds = append(f.bounds, bound{"<=", limit})
	case int:
		f.bounds = append(f.bounds, bound{"<=", strconv.Itoa(MostInt)})
	}
}

// mustBeSound panics unless f differs from the earlier keys of the section, its conditions name only these, and f
// accepts all its defaults.
func (f Field) mustBeSound(earlier []Field) {
	bad := func(format string, args ...any) {
		panic(fmt.Sprintf("schema: %s.%s: ", f.Owner, f.Name) + fmt.Sprintf(format, args...))
	}
	known := func(c Condition) {
		for _, and := range c {
			for _, t := range and {
				if _, ok := fieldNamed(earlier, t.key); !ok {
					bad("depends on %q, which is not an earlier key", t.key)
				}
			}
		}
	}
	if _, ok := fieldNamed(earlier, f.Key); ok {
		bad("an earlier field has the key %q", f.Key)
	}
	known(f.When)
	for _, a := range f.Defaults {
		known(a.When)
		for _, word := range strings.Split(a.Text, ", ") {
			v := reflect.New(f.Type()).Elem()
			if v.Kind() == reflect.Slice {
				v.Set(reflect.ValueOf([]string{word}))
			} else if err := f.read(v, word); err != nil {
				bad("default %q: %v", word, err)
			}
			if rule := f.check(v); rule != "" {
				bad("default %q: %s", word, rule)
			}
		}
	}
	if f.Type().Kind() == reflect.Float64 && len(f.bounds) < 2 {
		bad("no range")
	}
	section := f.Type().Kind() == reflect.Struct || f.Type().Kind() == reflect.Slice
	if len(f.Defaults) == 0 && !f.Required && !f.File && !section {
		bad("no default")
	}
}

func isControl(key string, fields []Field) bool {
	for _, f := range fields {
		if f.When.mentions(key) {
			return true
		}
		for _, a := range f.Defaults {
			if a.When.mentions(key) {
				return true
			}
		}
	}
	return false
}

func parseCondition(s string) Condition {
	if s == "" {
		return nil
	}
	var c Condition
	for _, term := range strings.Split(s, " or ") {
		var and []test
		for _, t := range strings.Split(term, " & ") {
			key, values, ok := strings.Cut(t, "=")
			if !ok {
				panic("schema: malformed condition " + s)
			}
			and = append(and, test{key: key, values: strings.Split(values, "|")})
		}
		c = append(c, and)
	}
	return c
}

func parseDefaults(s string) []Alternative {
	parts := strings.Split(s, "; ")
	alts := []Alternative{{Text: parts[0]}}
	for _, p := range parts[1:] {
		when, text, ok := strings.Cut(p, ": ")
		if !ok {
			panic("schema: malformed default " + s)
		}
		alts = append(alts, Alternative{When: parseCondition(when), Text: text})
	}
	return alts
}

// holds reports whether the section meets the condition.
func (c Condition) holds(s section) bool {
	if len(c) == 0 {
		return true
	}
	for _, and := range c {
		all := true
		for _, t := range and {
			all = all && t.holds(s)
		}
		if all {
			return true
		}
	}
	return false
}

func (t test) holds(s section) bool {
	f, ok := s.field(t.key)
	if !ok {
		panic("schema: a condition names the key " + t.key + ", which " + s.typ.Name() + " does not have")
	}
	return slices.Contains(t.values, text(s.value(f)))
}

func (c Condition) mentions(key string) bool {
	for _, and := range c {
		for _, t := range and {
			if t.key == key {
				return true
			}
		}
	}
	return false
}

// noEffect returns the rule that a key without effect breaks: the condition under which the key has an effect. If this
// condition depends on another key without effect, it returns the condition of the other key.
func (f Field) noEffect(s section, prefix string) string {
	for _, and := range f.When {
		for _, t := range and {
			g, _ := s.field(t.key)
			if len(f.When) == 1 && !g.When.holds(s) {
				return g.noEffect(s, prefix)
			}
		}
	}
	return onlyWith(f.When.Describe(prefix))
}

func onlyWith(condition string) string { return "has no effect (only with " + condition + ")" }

// Describe returns the condition for people, with the full names of its keys.
func (c Condition) Describe(prefix string) string {
	terms := make([]string, len(c))
	for i, and := range c {
		tests := make([]string, len(and))
		for j, t := range and {
			tests[j] = prefix + t.key + " = " + strings.Join(t.values, " or ")
		}
		terms[i] = strings.Join(tests, " and ")
	}
	return strings.Join(terms, ", or ")
}

// text returns a value as a document writes it.
func text(v reflect.Value) string {
	if isAuto(v) {
		return Auto
	}
	if b, ok := v.Interface().(interface{ Short() string }); ok {
		return b.Short()
	}
	if m, ok := v.Interface().(encoding.TextMarshaler); ok {
		b, err := m.MarshalText()
		if err != nil {
			panic(fmt.Sprintf("schema: %v", err)) // the unit types return no errors
		}
		return string(b)
	}
	switch v.Kind() {
	case reflect.String:
		return v.String()
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Int:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Uint64:
		return strconv.FormatUint(v.Uint(), 10)
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case reflect.Slice:
		words := make([]string, v.Len())
		for i := range words {
			words[i] = text(v.Index(i))
		}
		return "[" + strings.Join(words, ", ") + "]"
	}
	panic("schema: no text for " + v.Type().String())
}

// Auto reports whether the key accepts the word Auto.
func (f Field) Auto() bool {
	return slices.ContainsFunc(f.Defaults, func(a Alternative) bool { return a.Text == Auto })
}

// read sets v to the value with text s, or to Auto if the key accepts it. The error names the accepted
// values.
func (f Field) read(v reflect.Value, s string) error {
	if f.Auto() && s == Auto {
		setAuto(v)
		return nil
	}
	return setText(v, s)
}

// setText sets v to the value with text s. The error names the accepted values.
func setText(v reflect.Value, s string) error {
	if u, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		return u.UnmarshalText([]byte(s))
	}
	switch v.Kind() {
	case reflect.String:
		if !utf8.ValidString(s) {
			return fmt.Errorf("want UTF-8")
		}
		v.SetString(s)
	case reflect.Bool:
		if s != "true" && s != "false" {
			return fmt.Errorf("want true or false")
		}
		v.SetBool(s == "true")
	case reflect.Int:
		n, err := strconv.ParseInt(s, 10, 32)
		if err != nil {
			return fmt.Errorf("want a whole number")
		}
		v.SetInt(n)
	case reflect.Uint64:
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			return fmt.Errorf("want a whole number between 0 and %d", uint64(math.MaxUint64))
		}
		v.SetUint(n)
	case reflect.Float64:
		x, err := strconv.ParseFloat(s, 64)
		if err != nil || math.IsInf(x, 0) || math.IsNaN(x) || strings.ContainsAny(s, "xX_") {
			return fmt.Errorf("want a decimal number")
		}
		v.SetFloat(x)
	default:
		return fmt.Errorf("a key cannot be of type %v: want int, uint64, float64, bool, string or a type with "+
			"UnmarshalText, such as unit.Bytes", v.Type())
	}
	return nil
}

// check returns the rule that v breaks, or "".
func (f Field) check(v reflect.Value) string {
	if f.OneOf != nil {
		if v.Kind() == reflect.Slice {
			for i := range v.Len() {
				if rule := f.checkWord(v.Index(i).String()); rule != "" {
					return rule
				}
			}
			return ""
		}
		return f.checkWord(v.String())
	}
	if f.File && v.String() == "" {
		return "want the path of a file"
	}
	if f.File && (!utf8.ValidString(v.String()) || strings.ContainsFunc(v.String(), unicode.IsControl)) {
		return "want the path of a file in UTF-8, without control characters"
	}
	if f.also != "" && text(v) == f.also || f.Auto() && isAuto(v) {
		return ""
	}
	for _, b := range f.bounds {
		if !b.holds(v) {
			return "want " + f.Bounds()
		}
	}
	if v.Kind() == reflect.Float64 && v.Float() != 0 && math.Abs(v.Float()) < LeastFloat {
		return fmt.Sprintf("want %s; values smaller than %v have no effect", f.Bounds(), LeastFloat)
	}
	return ""
}

func (f Field) checkWord(word string) string {
	for _, w := range f.OneOf {
		if w == word {
			return ""
		}
	}
	rule := "not known (accepted: " + strings.Join(f.OneOf, ", ") + ")"
	if i := slices.Index(f.former, word); i >= 0 {
		return rule + "; it is called " + f.OneOf[i] + " now"
	}
	return rule + spelling.Hint(word, f.OneOf)
}

// Bounds returns the accepted numbers for messages.
func (f Field) Bounds() string {
	words := make([]string, len(f.bounds))
	for i, b := range f.bounds {
		words[i] = b.op + " " + b.limit
	}
	bounds := strings.Join(words, " and ")
	if f.Auto() {
		bounds = strings.TrimSuffix(Auto+" or "+bounds, " or ")
	}
	if f.also != "" {
		bounds += ", or " + f.also
	}
	return bounds
}

// holds compares v, or the length of a slice, with the limit. The limit has the same format as values of
// v's type.
func (b bound) holds(v reflect.Value) bool {
	var c int
	switch {
	case v.Kind() == reflect.Slice:
		n, err := strconv.Atoi(b.limit)
		if err != nil {
			panic("schema: malformed range limit " + b.limit)
		}
		c = cmp.Compare(v.Len(), n)
	default:
		limit := reflect.New(v.Type()).Elem()
		if err := setText(limit, b.limit); err != nil {
			panic("schema: malformed range limit " + b.limit)
		}
		switch v.Kind() {
		case reflect.Float64:
			if math.IsNaN(v.Float()) {
				return false
			}
			c = cmp.Compare(v.Float(), limit.Float())
		case reflect.Uint64:
			c = cmp.Compare(v.Uint(), limit.Uint())
		default:
			c = cmp.Compare(v.Int(), limit.Int())
		}
	}
	switch b.op {
	case ">":
		return c > 0
	case ">=":
		return c >= 0
	case "<":
		return c < 0
	case "<=":
		return c <= 0
	}
	panic("schema: malformed range operator " + b.op)
}
