package scenario

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"

	"pintlab/netsim/schema"
)

// Hash identifies the results of a run. It is the first 16 hexadecimal digits of the SHA-256 of the
// effective scenario as YAML, with two changes:
//
//   - name, profile and run.workers are blank because they change no result (the
//     profile's settings are themselves part of the scenario);
//   - the SHA-256 of each input file replaces its path, so that an edited file
//     changes the hash and a moved one does not.
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

// DirName returns the name of the directory for the results of s. It consists of the scenario's name, a short form of
// the changes to the file or preset, each "key=value", and the scenario's hash. Only the hash identifies the run. The
// other parts are for people.
func (s Scenario) DirName(changes ...string) (string, error) {
	h, err := s.Hash()
	if err != nil {
		return "", err
	}
	return s.Name + InShort(changes) + "-" + h, nil
}

// The largest number of letters of a value in a directory name, and the largest number of letters of all changes except
// the seed.
const (
	maxValueLetters  = 20
	maxChangeLetters = 80
)

// notInNames matches characters that directory names omit from values.
var notInNames = regexp.MustCompile(`[^A-Za-z0-9.]+`)

// InShort returns changes, each "key=value", in characters that are suitable for a directory name. The seed comes last:
// _load-0.7_cc-swift_seed-2.
func InShort(changes []string) string {
	var name, seed string
	for _, c := range changes {
		key, value, _ := strings.Cut(c, "=")
		switch key {
		case "name", "run.workers":
			continue // the key is part of every name, or has no effect
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

// shortKey returns the last word of a key. If the last word is "kind" or "enabled", it returns the word before it. For
// an entry of a list, except the first, the number of the entry precedes the word.
func shortKey(key string) string {
	words := strings.Split(strings.TrimSuffix(strings.TrimSuffix(key, ".kind"), ".enabled"), ".")
	short := words[len(words)-1]
	if _, err := strconv.Atoi(short); err == nil && len(words) > 1 {
		short = words[len(words)-2] // the kind of a list entry
	}
	for _, w := range words {
		if n, err := strconv.Atoi(w); err == nil && n > 0 {
			short = w + "." + short
		}
	}
	return short
}

// shortValue returns a value in characters that are suitable for a directory name. For a path, it returns the last
// element.
func shortValue(value string) string {
	value = notInNames.ReplaceAllString(value[strings.LastIndexByte(value, '/')+1:], "-")
	return strings.Trim(value[:min(len(value), maxValueLetters)], "-")
}
