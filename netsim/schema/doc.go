// Package schema reads, checks, changes and writes documents whose sections are Go
// structs. The tags of a struct define its keys: names, defaults, accepted values, and
// when a key has an effect (see Field). A section whose keys depend on its kind, such as
// a congestion control, is a Choice: each kind has a struct for its parameters, and this
// package knows none of them.
//
// # Strictness
//
// Unknown and duplicate keys, wrong types, numbers without unit, values out of range,
// settings that contradict each other and settings that have no effect are errors. All of
// them are reported at once, each with file, line, column, key, value and accepted
// values. No value is clipped or ignored.
package schema
