package schema

import "reflect"

// Present is a key that has an effect in the given document.
type Present struct {
	Key      string   // full name, such as "workload.0.load"
	Value    string   // as a file would write it; "" for an empty list of sections
	Accepted []string // accepted words; nil if the key accepts other values
	Bounds   string   // accepted numbers, for messages
}

// PresentKeys lists the keys of a document, a pointer to a struct, that have an effect at present, in
// order.
func PresentKeys(document any) (list []Present) {
	for _, k := range effective(document) {
		switch {
		case !isList(k.at.Type()):
			list = append(list, Present{k.full, text(k.at), k.words(), k.Bounds()})
		case k.at.Len() == 0:
			list = append(list, Present{Key: k.full})
		}
	}
	return list
}

// words returns the accepted words, or nil if the key accepts other values.
func (f Field) words() []string {
	switch {
	case f.Type().Kind() == reflect.Bool:
		return []string{"false", "true"}
	case f.Type().Kind() == reflect.String:
		return f.OneOf
	}
	return nil
}
