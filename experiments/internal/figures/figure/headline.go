package figure

import (
	"path"
	"strings"

	"pintlab/plots/report"
)

// headlinesFile is the name of a file in the folder of a paper, next to the folders of its figures.
const headlinesFile = "headlines.csv"

// headline is a line of headlines.csv. It contains one of the main promises of a paper, and a claim that decides this
// promise. If several lines have the same statement, the statement holds if all of their claims hold.
type headline struct {
	Statement string `col:"statement"`
	Figure    string `col:"figure"` // folder of the figure
	// Claim is the beginning of a statement in words, or the beginning of the name of a published quantity. A number
	// with another reading (another way to compute the quantity) decides the headline only if Claim contains this
	// reading.
	Claim string `col:"claim"`
}

// decides reports whether a published number decides the headline.
func (h *headline) decides(c *report.Compared) bool {
	return c.What() == h.Claim || c.Reading == "" && strings.HasPrefix(c.Quantity, h.Claim)
}

// Headlines returns the headlines that the figure decides, alone or with other figures. The verdicts are based on the
// rows of this figure. The details list the claims with their verdicts.
func (d *Done) Headlines() []Finding {
	if d.Figure.headlines == nil { // the figure belongs to no paper, as in sweeps
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

// Absent is appended to a claim for which there are no rows.
const Absent = ", which these rows do not show"

// add adds the verdict on a claim to a headline.
func (f *Finding) add(v Verdict, claim string) {
	if f.Detail != "" {
		f.Detail += "; "
	}
	f.Detail += string(v) + ": " + claim
	f.Outcome = Both(f.Outcome, v)
}

// Both returns the verdict on a statement that holds if two other statements hold.
func Both(a, b Verdict) Verdict {
	switch {
	case a == Deviates || a == Fails || b == Deviates || b == Fails:
		return Deviates
	case a == Holds && b == Holds:
		return Holds
	}
	return Undecided
}

// verdictOf returns the verdict on a published number. A number that is not measured decides nothing.
func verdictOf(m report.Mark) Verdict {
	switch m {
	case report.Holds:
		return Holds
	case report.Deviates:
		return Deviates
	}
	return Undecided
}

// Elsewhere returns the names of other figures that also decide a headline, such as "pint/fig7".
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
