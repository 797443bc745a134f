package scenario

import (
	"crypto/sha256"
	"encoding/hex"

	"pintlab/internal/schema"
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
	if err := schema.DigestFiles(&c); err != nil {
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
