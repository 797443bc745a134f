package show

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"pintlab/experiments/campaign"
	"pintlab/experiments/figures/figure"
	"pintlab/internal/lists"
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
	return labels(runs, all), nil
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

// compare divides the keys of the runs into those with one value in all runs, and all others.
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

// labels names each run after its scenario. Runs of one scenario also have the fewest of their settings, in
// order, that distinguish them. If no settings that all of them have do, the hash does.
func labels(runs []*campaign.Run, all []*settings) []string {
	names := make([]string, len(runs))
	for i, r := range runs {
		names[i] = r.Scenario.Name
	}
	groups := map[string][]int{}
	for i, n := range names {
		groups[n] = append(groups[n], i)
	}
	for name, group := range groups {
		if len(group) == 1 {
			continue
		}
		some := lists.Map(group, func(i int) *settings { return all[i] })
		_, keys := compare(some)
		keys = slices.DeleteFunc(keys, func(k string) bool {
			return slices.ContainsFunc(some, func(s *settings) bool { _, ok := s.values[k]; return !ok })
		})
		if i := slices.IndexFunc(keys, func(k string) bool { // a single setting may suffice
			values := map[string]bool{}
			for _, s := range some {
				values[s.values[k]] = true
			}
			return len(values) == len(some)
		}); i >= 0 {
			keys = keys[i : i+1]
		}
		texts := make([]string, len(group))
		distinct := func() int { return len(slices.Compact(slices.Sorted(slices.Values(texts)))) }
		for _, k := range keys {
			before, kept := distinct(), slices.Clone(texts)
			for j := range group {
				texts[j] += ", " + k + "=" + some[j].values[k]
			}
			if distinct() == before {
				texts = kept
			}
		}
		for j, i := range group {
			names[i] = name + texts[j]
			if distinct() < len(group) {
				names[i] = name + " " + runs[i].Hash[:8]
			}
		}
	}
	return names
}

// differences returns a table of the settings that differ between the runs: a row for each run, or a
// column if there are more settings than runs.
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
	runs := make([]int, len(all))
	for i := range runs {
		runs[i] = i
	}
	cells := []figure.Column[int]{figure.Text("run", func(run int) string { return names[run] })}
	for _, key := range keys {
		cells = append(cells, figure.Text(head(key), func(run int) string { return value(run, key) }))
	}
	return figure.Lines(caption, runs, cells...)
}

// common returns the settings with one value in all runs.
func common(first *settings, keys []string) []figure.Setting {
	return lists.Map(keys, func(k string) figure.Setting { return figure.Setting{Key: k, Value: first.values[k]} })
}
