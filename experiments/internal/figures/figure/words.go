package figure

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"pintlab/experiments/protocols"
)

// terms maps parts of keys to the words that texts use for them.
var terms = map[string]string{"cc": "congestion control", "ecn": "ECN", "pfc": "PFC", "fct": "FCT", "mtu": "MTU",
	"rtt": "RTT", "int": "INT", "pint": "PINT", "rto": "RTO"}

// KeyInWords returns the words for a key of a scenario or a column: "port limit" for network.port_limit.
func KeyInWords(key string) string {
	parts := strings.Split(key, ".")
	last := parts[len(parts)-1]
	if n := len(parts); n > 1 && (last == "enabled" || last == "kind") {
		last = parts[n-2]
	}
	words := strings.Split(last, "_")
	for i, w := range words {
		if term, is := terms[w]; is {
			words[i] = term
		}
	}
	return strings.Join(words, " ")
}

// Names names protocols by their titles.
type Names struct {
	Protocols *protocols.Set // nil stands for the standard protocols
}

// InWords describes settings: "HPCC, PINT, load 0.5" for cc.kind, telemetry.kind and workload.0.load.
func (n Names) InWords(keys, values []string) string {
	var list []string
	none := ""
	for i, key := range keys {
		word := n.ValueInWords(key, values[i])
		if word == "none" {
			if none = "no " + KeyInWords(key); !named(key) {
				list = append(list, none)
			}
			continue
		}
		number := word != "" && word[0] >= '0' && word[0] <= '9'
		if number || word == "on" || word == "off" || word != "" && strings.Contains(key, ".") && !named(key) {
			word = KeyInWords(key) + " " + word
		}
		if word != "" {
			list = append(list, word)
		}
	}
	return cmp.Or(strings.Join(list, ", "), none)
}

// named reports whether the values of a key are names.
func named(key string) bool { return key == "cc.kind" || key == "telemetry.kind" }

// KindInWords returns the words for a congestion control or a telemetry system. Other values remain as they are.
func (n Names) KindInWords(key, value string) string {
	if !named(key) || value == "none" {
		return value
	}
	set := n.Protocols
	if set == nil {
		set = protocols.Standard()
	}
	if key == "cc.kind" {
		return set.Controls.Title(value)
	}
	return set.Telemetry.Title(value)
}

// ValueInWords returns the words for a value of a key: "10 µs" for 10us.
func (n Names) ValueInWords(key, value string) string {
	switch {
	case named(key):
		return n.KindInWords(key, value)
	case value == "true":
		return "on"
	case value == "false":
		return "off"
	}
	number := strings.TrimRightFunc(value, unicode.IsLetter)
	if unit := value[len(number):]; number != "" && unit != "" && strings.Trim(number, "0123456789.") == "" {
		unit = strings.ReplaceAll(strings.ReplaceAll(unit, "bps", "b/s"), "us", "µs")
		return number + " " + unit
	}
	return value
}

// Titled returns the title of an axis with the values of a key.
func Titled(key string) string { return capital(KeyInWords(key)) }

// capital capitalises the first letter of a text, unless the text begins with a symbol such as p95.
func capital(s string) string {
	first, n := utf8.DecodeRuneInString(s)
	second, _ := utf8.DecodeRuneInString(s[n:])
	if len(s) == n || unicode.IsUpper(second) || unicode.IsDigit(second) {
		return s
	}
	return string(unicode.ToUpper(first)) + s[n:]
}
