package random

import (
	"cmp"
	"slices"
	"strings"

	"pintlab/experiments/scenario"
	"pintlab/plots"
)

// What is one of the things of which a scenario has a kind, or several.
type What int

// The parts of a scenario that are counted, in the order of tables.
const (
	Topology What = iota
	Traffic
	Control
	Telemetry
	Recovery
	Balancing
	Scheduling
	Marking
	Pausing
	Losses
	Faults
	Monitors
	parts
)

var names = [parts]string{"topology", "traffic", "control", "telemetry", "recovery", "balancing", "scheduling", "marking", "pausing", "losses", "faults", "monitors"}

// String is the name in tables.
func (w What) String() string { return names[w] }

// Kinds are the kinds that a scenario has of each part.
type Kinds [parts][]string

// none is the kind of a part that is not there.
const none = "none"

// texts has the kinds of each part in one word, each once.
func (k *Kinds) texts() (list [parts]string) {
	for w, kinds := range k {
		kinds = slices.Clone(kinds)
		slices.Sort(kinds)
		list[w] = cmp.Or(strings.Join(slices.Compact(kinds), separator), none)
	}
	return list
}

// separator stands between kinds of a part.
const separator = "+"

// faultKinds are the faults of a scenario as it is run.
func faultKinds(sc *scenario.Scenario) (list []string) {
	for _, f := range sc.Faults {
		list = append(list, f.Kind)
	}
	return list
}

// Count is how many scenarios had a kind.
type Count struct {
	Part      string `json:"part" col:"part"`
	Kind      string `json:"kind" col:"kind"`
	Scenarios int    `json:"scenarios" col:"scenarios"`
}

// Coverage counts the kinds of scenarios that have passed: by part, the most frequent first.
func Coverage(rows []Row) []Count {
	var list []Count
	for w := range parts {
		n := map[string]int{}
		for i := range rows {
			for kind := range strings.SplitSeq(rows[i].Kinds[w], separator) {
				n[kind]++
			}
		}
		from := len(list)
		for kind, scenarios := range n {
			list = append(list, Count{w.String(), kind, scenarios})
		}
		slices.SortFunc(list[from:], func(a, b Count) int {
			return cmp.Or(cmp.Compare(b.Scenarios, a.Scenarios), cmp.Compare(a.Kind, b.Kind))
		})
	}
	return list
}

// Row is a scenario that has passed.
type Row struct {
	Scenario int
	Build    string        // of the program that it passed in
	Kinds    [parts]string // of each part, joined by +
	Outcome
}

// columns are those of the table of rows.
func columns() []plots.Column {
	list := []plots.Column{plots.Whole("scenario", ""), plots.Text("build")}
	for w := range parts {
		list = append(list, plots.Text(w.String()))
	}
	for _, name := range counts {
		list = append(list, plots.Whole(name, ""))
	}
	return list
}

// counts are the columns of an Outcome.
var counts = []string{"engines", "flows", "finished", "failed", "unreachable", "stalled", "unfinished", "packet_hops", "drops", "link_losses", "marks", "pauses"}

// numbers are its fields in the order of counts.
func (o *Outcome) numbers() []*int64 {
	return []*int64{&o.Engines, &o.Flows, &o.Finished, &o.Failed, &o.Unreachable, &o.Stalled, &o.Unfinished, &o.PacketHops, &o.Drops, &o.Losses, &o.Marks, &o.Pauses}
}

// encode makes a table of rows.
func encode(rows []Row) (*plots.Table, error) {
	t, err := plots.NewTable(columns()...)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		r := &rows[i]
		cells := []any{r.Scenario, r.Build}
		for _, k := range r.Kinds {
			cells = append(cells, k)
		}
		for _, n := range r.numbers() {
			cells = append(cells, *n)
		}
		if err := t.Append(cells...); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// decode reads what encode has made.
func decode(t *plots.Table) ([]Row, error) {
	rows := make([]Row, t.Len())
	for _, c := range columns() {
		if c.Kind == plots.String {
			texts, err := t.Texts(c.Name)
			if err != nil {
				return nil, err
			}
			w := slices.Index(names[:], c.Name)
			for i := range rows {
				if w < 0 {
					rows[i].Build = texts[i]
				} else {
					rows[i].Kinds[w] = texts[i]
				}
			}
			continue
		}
		wholes, err := t.Wholes(c.Name)
		if err != nil {
			return nil, err
		}
		n := slices.Index(counts, c.Name)
		for i := range rows {
			if n < 0 {
				rows[i].Scenario = int(wholes[i])
			} else {
				*rows[i].numbers()[n] = wholes[i]
			}
		}
	}
	return rows, nil
}
