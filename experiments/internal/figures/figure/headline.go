package figure

import (
	"path"
	"strings"

	"pintlab/plots/report"
)

// headlinesFile is next to the folders of a paper's figures.
const headlinesFile = "headlines.csv"

// headline is a line of headlines.csv: a main promise of a paper, and a claim that decides it. Several lines may have
// the same statement, which holds if all of their claims do.
type headline struct {
	Statement string `col:"statement"`
	Figure    string `col:"figure"` // its folder
	// Claim is the beginning of the published quantity or of the statement in words. A reading of a quantity (another
	// way to compute it) only counts if the name includes the reading.
	Claim string `col:"claim"`
}

// decides reports whether a published number decides the headline.
func (h *headline) decides(c *report.Compared) bool {
	return c.What() == h.Claim || c.Reading == "" && strings.HasPrefix(c.Quantity, h.Claim)
}

// Headlines returns the headlines that the figure decides alone or with others, with what its rows say of them. Details
// list the claims with their verdicts.
func (d *Done) Headlines() []Finding {
	if d.Figure.headlines == nil { // not of a paper, such as the figures of a sweep
		return nil
	}
	headlines := d.Figure.headlines()
	if len(headlines) == 0 {
		return nil
	}
	var list []Finding
	at := map[string]int{}
	compared, findings := d.Compared(), d.Findings()
	for _, h := range headlines {
		if h.Figure != d.Figure.Short() {
			continue
		}
		if _, ok := at[h.Statement]; !ok {
			at[h.Statement] = len(list)
			list = append(list, Finding{Statement: h.Statement, Outcome: Holds})
		}
		f, found := &list[at[h.Statement]], false
		for _, c := range compared {
			if h.decides(&c) {
				f.add(verdictOf(c.Outcome), c.What())
				found = true
			}
		}
		for _, x := range findings {
			if strings.HasPrefix(x.Statement, h.Claim) {
				f.add(x.Outcome, x.Statement)
				found = true
			}
		}
		if !found {
			f.add(Undecided, h.Claim+Absent)
		}
	}
	return list
}

// Absent follows a claim that the rows do not have.
const Absent = ", of which these rows say nothing"

// add adds the verdict on a claim to a headline.
func (f *Finding) add(v Verdict, claim string) {
	if f.Detail != "" {
		f.Detail += "; "
	}
	f.Detail += string(v) + ": " + claim
	f.Outcome = Both(f.Outcome, v)
}

// Both returns the verdict on a statement that two others decide.
func Both(a, b Verdict) Verdict {
	switch {
	case a == Deviates || a == Fails || b == Deviates || b == Fails:
		return Deviates
	case a == Holds && b == Holds:
		return Holds
	}
	return Undecided
}

// verdictOf returns the verdict on a published number; one that is not measured decides nothing.
func verdictOf(m report.Mark) Verdict {
	switch m {
	case report.Holds:
		return Holds
	case report.Deviates:
		return Deviates
	}
	return Undecided
}

// Elsewhere returns the other figures that decide a headline with this one, such as "pint/fig7".
func (f *Figure) Elsewhere(statement string) []string {
	var list []string
	for _, h := range f.headlines() {
		name := path.Dir(f.Name) + "/" + h.Figure
		if h.Statement == statement && name != f.Name && (len(list) == 0 || list[len(list)-1] != name) {
			list = append(list, name)
		}
	}
	return list
}
