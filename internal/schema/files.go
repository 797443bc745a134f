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
func DigestFiles(document any) error {
	for _, k := range effective(reflect.ValueOf(document).Elem(), "") {
		if !k.File || k.at.String() == "" {
			continue
		}
		f, err := input.Open(k.at.String(), input.Flows)
		if err != nil {
			return fmt.Errorf("%s: %w", k.full, err)
		}
		h := sha256.New()
		_, err = io.Copy(h, f)
		if err = errors.Join(err, f.Close()); err != nil {
			return fmt.Errorf("%s: %w", k.full, err)
		}
		k.at.SetString(fmt.Sprintf("sha256:%x", h.Sum(nil)))
	}
	return nil
}
