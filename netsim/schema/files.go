package schema

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"

	"pintlab/internal/input"
)

// Files lists the keys of a document, a pointer to a struct, that name input files, with their paths. A key
// that stands for a trace of several ranks is listed once for each file.
func Files(document any) (list []Present) {
	for _, k := range effective(document) {
		if k.File && k.at.String() != "" {
			for _, path := range input.Ranks(k.at.String()) {
				list = append(list, Present{Key: k.full, Value: path})
			}
		}
	}
	return list
}

// DigestFiles replaces the path of each input file of a document, a pointer to a struct, by the SHA-256 of
// the file's content.
func DigestFiles(document any) error {
	for _, k := range effective(document) {
		if !k.File || k.at.String() == "" {
			continue
		}
		h := sha256.New()
		for _, path := range input.Ranks(k.at.String()) {
			open := input.Open
			if strings.HasSuffix(path, ".et") {
				open = input.Binary
			}
			f, err := open(path, input.Flows)
			if err != nil {
				return fmt.Errorf("%s: %w", k.full, err)
			}
			_, err = io.Copy(h, f)
			if err = errors.Join(err, f.Close()); err != nil {
				return fmt.Errorf("%s: %w", k.full, err)
			}
		}
		k.at.SetString(fmt.Sprintf("sha256:%x", h.Sum(nil)))
	}
	return nil
}
