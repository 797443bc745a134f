package scenario

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"reflect"
)

// Hash identifies what a run computes: the first 16 hexadecimal digits of the
// SHA-256 of the effective scenario in the form of YAML, in which
//
//   - name, profile and run.workers are blank, for they change no result (what a
//     profile sets is part of the scenario by itself);
//   - the path of each input file is replaced by the SHA-256 of its content, so
//     that an edited file is another scenario and a moved one is not.
//
// It depends on nothing else: not on the machine, the time or the order of keys.
func (s Scenario) Hash() (string, error) {
	c := s.Clone()
	c.Name, c.Profile, c.Run.Workers = "", "", 0
	if err := digestFiles(reflect.ValueOf(&c).Elem(), ""); err != nil {
		return "", err
	}
	sum := sha256.Sum256(c.YAML())
	return hex.EncodeToString(sum[:8]), nil
}

// DirName is the name of the directory that holds the results of s: its name
// and its hash.
func (s Scenario) DirName() (string, error) {
	h, err := s.Hash()
	if err != nil {
		return "", err
	}
	return s.Name + "-" + h, nil
}

// digestFiles replaces the paths of a section by digests.
func digestFiles(v reflect.Value, prefix string) error {
	for _, f := range fieldsOf(v.Type()) {
		fv, key := v.Field(f.index), prefix+f.key
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
		case f.file && fv.String() != "":
			data, err := os.ReadFile(fv.String())
			if err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
			fv.SetString(fmt.Sprintf("sha256:%x", sha256.Sum256(data)))
		}
	}
	return nil
}
