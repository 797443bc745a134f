package schema

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"reflect"

	"pintlab/internal/input"
)

// DigestFiles replaces the path of each input file of a document, a pointer to a
// struct, by the SHA-256 of what the file holds.
func DigestFiles(document any) error { return digestFiles(reflect.ValueOf(document).Elem(), "") }

func digestFiles(v reflect.Value, prefix string) error {
	s := view(v)
	for _, f := range s.fields {
		fv, key := s.value(f), prefix+f.Key
		switch {
		case fv.Kind() == reflect.Struct:
			if err := digestFiles(fv, key+"."); err != nil {
				return err
			}
		case isList(fv.Type()):
			for i := range fv.Len() {
				if err := digestFiles(fv.Index(i), fmt.Sprintf("%s.%d.", key, i)); err != nil {
					return err
				}
			}
		case f.File && fv.String() != "":
			f, err := input.Open(fv.String(), input.Flows)
			if err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
			h := sha256.New()
			_, err = io.Copy(h, f)
			if err = errors.Join(err, f.Close()); err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
			fv.SetString(fmt.Sprintf("sha256:%x", h.Sum(nil)))
		}
	}
	return nil
}
