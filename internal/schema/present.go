package schema

import "reflect"

// Present is a key that has an effect in a document as it stands.
type Present struct {
	Key      string   // full name, such as "workload.0.load"
	Value    string   // as a file would have it; "" for an empty list of sections
	Accepted []string // words; nil if it takes others than these
	Bounds   string   // of its numbers, for people
}

// PresentKeys lists the keys of a document, a pointer to a struct, that have an effect as it stands, in their order.
func PresentKeys(document any) (list []Present) {
	for _, k := range effective(reflect.ValueOf(document).Elem(), "") {
		switch {
		case !isList(k.at.Type()):
			list = append(list, Present{k.full, text(k.at), k.words(), k.Bounds()})
		case k.at.Len() == 0:
			list = append(list, Present{Key: k.full})
		}
	}
	return list
}

// words returns the words that a key takes, nil if these are not all that it takes.
func (f Field) words() []string {
	switch {
	case f.Type().Kind() == reflect.Bool:
		return []string{"false", "true"}
	case f.Type().Kind() == reflect.String:
		return f.OneOf
	}
	return nil
}
