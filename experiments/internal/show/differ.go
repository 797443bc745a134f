package show

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/internal/figures/figure"
	"pintlab/internal/lists"
	"pintlab/internal/number"
)

// settings are the keys and values of a scenario, in the scenario's order.
type settings struct {
	keys   []string
	values map[string]string
}

// Labels returns a distinct name for each run.
func Labels(runs []*campaign.Run) ([]string, error) {
	all, err := lists.Try(runs, func(r *campaign.Run) (*settings, error) { return settingsOf(r.Manifest.Scenario) })
	if err != nil {
		return nil, err
	}
	names, _ := labels(runs, all)
	return names, nil
}

// Settings returns the values of a scenario in JSON by their keys, such as workload.0.load.
func Settings(scenario []byte) (map[string]string, error) {
	s, err := settingsOf(scenario)
	if err != nil {
		return nil, err
	}
	return s.values, nil
}

// settingsOf flattens a scenario in JSON: {"cc": {"eta": 0.95}} becomes cc.eta = 0.95.
func settingsOf(scenario []byte) (*settings, error) {
	s := &settings{values: map[string]string{}}
	d := json.NewDecoder(bytes.NewReader(scenario))
	d.UseNumber()
	if err := s.read(d, ""); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *settings) read(d *json.Decoder, key string) error {
	t, err := d.Token()
	if err != nil {
		return err
	}
	inside := strings.TrimPrefix(key+".", ".")
	switch t {
	case json.Delim('{'):
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return err
			}
			if err := s.read(d, inside+fmt.Sprint(name)); err != nil {
				return err
			}
		}
	case json.Delim('['):
		for i := 0; d.More(); i++ {
			if err := s.read(d, inside+fmt.Sprint(i)); err != nil {
				return err
			}
		}
	default:
		s.keys, s.values[key] = append(s.keys, key), fmt.Sprint(t)
		return nil
	}
	_, err = d.Token()
	return err
}

// compare divides the keys of the runs into keys with the same value in all runs and all other keys.
func compare(runs []*settings) (same, other []string) {
	seen := map[string]bool{}
	for _, r := range runs {
		for _, k := range r.keys {
			if seen[k] || k == "name" {
				continue
			}
			seen[k] = true
			equal := true
			for _, o := range runs {
				v, ok := o.values[k]
				equal = equal && ok && v == r.values[k]
			}
			if equal {
				same = append(same, k)
			} else {
				other = append(other, k)
			}
		}
	}
	return same, other
}

// labels returns the names of runs and the names of their schemes. Runs of the same scheme differ only in the seed. If
// each scheme has a separate scenario, the name of the scheme is the name of the scenario. Otherwise the name consists
// of the control, the telemetry, and the fewest other settings that distinguish the schemes. It includes the number of
// faults if the runs differ in faults.
func labels(runs []*campaign.Run, all []*settings) (names, schemes []string) {
	_, keys := compare(all)
	keys = lists.Keep(keys, func(k string) bool { return k != seedKey })
	words := figure.Names{Protocols: runs[0].Scenario.Protocols()}
	of := func(keys ...string) []string {
		return lists.Map(all, func(s *settings) string {
			return words.InWords(keys, lists.Map(keys, func(k string) string { return s.values[k] }))
		})
	}
	apart := func(texts []string) int { return len(slices.Compact(slices.Sorted(slices.Values(texts)))) }
	raw := lists.Map(all, func(s *settings) string {
		return strings.Join(lists.Map(keys, func(k string) string { return s.values[k] }), "\n")
	})
	scenarios := lists.Map(runs, func(r *campaign.Run) string { return r.Scenario.Name })
	both := lists.Map(runs, func(r *campaign.Run) string { return r.Scenario.Name })
	for i := range both {
		both[i] += "\n" + raw[i]
	}
	if schemes = scenarios; apart(scenarios) < apart(both) {
		few := fewest(keys, apart(raw), func(k []string) int { return apart(of(k...)) })
		if schemes = of(few...); !slices.ContainsFunc(few, isFault) && slices.ContainsFunc(keys, isFault) {
			for i, r := range runs {
				if n := len(r.Scenario.Faults); n > 0 {
					schemes[i] = strings.TrimPrefix(schemes[i]+", "+number.Count(n, "fault"), ", ")
				}
			}
		}
	}
	for i := range schemes {
		schemes[i] = cmp.Or(schemes[i], scenarios[i])
	}
	if apart(schemes) < apart(both) {
		for i := range schemes {
			schemes[i] = strings.TrimSuffix(scenarios[i]+", "+schemes[i], ", "+scenarios[i])
		}
	}
	names = slices.Clone(schemes)
	for i, s := range schemes {
		if lists.Count(schemes, func(o string) bool { return o == s }) > 1 {
			names[i] = s + ", seed " + all[i].values[seedKey]
		}
	}
	for i := range names {
		if apart(names) < len(names) { // the words may be equal although the settings differ
			names[i] += " " + runs[i].Hash[:8]
		}
	}
	return names, schemes
}

// isFault reports whether a key belongs to a fault.
func isFault(key string) bool { return strings.HasPrefix(key, "faults.") }

// fewest returns the keys that distinguish the most runs. They are control and telemetry, and one other key if that
// suffices; otherwise they are control, telemetry, and every key that helps.
func fewest(keys []string, enough int, apart func(keys []string) int) (list []string) {
	scheme := []string{"cc.kind", "telemetry.kind"}
	if slices.ContainsFunc(scheme, func(k string) bool { return slices.Contains(keys, k) }) {
		list = scheme
	}
	others := lists.Keep(keys, func(k string) bool { return !slices.Contains(scheme, k) })
	for _, k := range others {
		if one := append(slices.Clone(list), k); apart(one) == enough && apart(list) < enough {
			return one
		}
	}
	for _, k := range others {
		if more := append(slices.Clone(list), k); apart(more) > apart(list) {
			list = more
		}
	}
	return list
}

// seedKey is the key of the seed.
const seedKey = "seed"

// differences returns a table of the settings that differ between the runs. The table has a row for each run. If there
// are more settings than runs, it has a row for each setting instead.
func differences(names []string, all []*settings, keys []string) figure.Table {
	value := func(run int, key string) string {
		if v, ok := all[run].values[key]; ok {
			return v
		}
		return "–"
	}
	head := func(name string) string { return strings.ReplaceAll(name, ":", " ") }
	const caption = "What differs between the runs."
	if len(keys) > len(all) {
		cells := []figure.Column[string]{figure.Text("setting", func(key string) string { return key })}
		for run, name := range names {
			cells = append(cells, figure.Text(head(name), func(key string) string { return value(run, key) }))
		}
		return figure.Lines(caption, keys, cells...)
	}
	cells := []figure.Column[int]{figure.Text("run", func(run int) string { return names[run] })}
	for _, key := range keys {
		cells = append(cells, figure.Text(head(key), func(run int) string { return value(run, key) }))
	}
	return figure.Lines(caption, lists.Indices(len(all)), cells...)
}

// common returns the settings that have the same value in all runs.
func common(first *settings, keys []string) []figure.Setting {
	return lists.Map(keys, func(k string) figure.Setting { return figure.Setting{Key: k, Value: first.values[k]} })
}
