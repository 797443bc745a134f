package scenario

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"

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

// DirName returns the name of the directory that holds the results of s: its name, in short what was changed in the file
// or preset, each "key=value", and its hash. Only the hash tells runs apart; the rest is for people.
func (s Scenario) DirName(changes ...string) (string, error) {
	h, err := s.Hash()
	if err != nil {
		return "", err
	}
	return s.Name + inShort(changes) + "-" + h, nil
}

// The most letters of a value, and of all changes without the seed, in the name of a directory.
const (
	maxValueLetters  = 20
	maxChangeLetters = 80
)

// notInNames matches characters of values that names of directories leave out.
var notInNames = regexp.MustCompile(`[^A-Za-z0-9.]+`)

// inShort tells changes with letters that the name of a directory can have, the seed last: _load-0.7_cc-swift_seed-2.
func inShort(changes []string) string {
	var name, seed string
	for _, c := range changes {
		key, value, _ := strings.Cut(c, "=")
		switch key {
		case "name", "run.workers":
			continue // in front, and without effect
		}
		word := "_" + shortKey(key) + "-" + shortValue(value)
		switch {
		case key == "seed":
			seed = word
		case strings.HasSuffix(name, "_more"):
		case len(name)+len(word) > maxChangeLetters:
			name += "_more"
		default:
			name += word
		}
	}
	return name + seed
}

// shortKey returns the last word of a key, or the section where that is its kind or whether it is enabled, behind the number of its entry of a list
// unless that is the first one.
func shortKey(key string) string {
	words := strings.Split(strings.TrimSuffix(strings.TrimSuffix(key, ".kind"), ".enabled"), ".")
	short := words[len(words)-1]
	if _, err := strconv.Atoi(short); err == nil && len(words) > 1 {
		short = words[len(words)-2] // the kind of an entry
	}
	for _, w := range words {
		if n, err := strconv.Atoi(w); err == nil && n > 0 {
			short = w + "." + short
		}
	}
	return short
}

// shortValue returns a value in letters that a name can have; of a path it is the file.
func shortValue(value string) string {
	value = notInNames.ReplaceAllString(value[strings.LastIndexByte(value, '/')+1:], "-")
	return strings.Trim(value[:min(len(value), maxValueLetters)], "-")
}
