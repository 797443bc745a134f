package figure

import (
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/stats"
)

const claimsHead = "kind,statement," +
	"table,case,x,share,scheme,against,quantity,other,unit,amount,bound,because,cause,own\n"

func claimRow(of, scheme, against, quantity string, x, value float64) study.Row {
	n := stats.Number{Value: value, Lo: value - 0.1, Hi: value + 0.1}
	return study.Row{Case: of, X: x, Scheme: scheme, Against: against, Quantity: quantity,
		Sized: stats.Sized{Share: math.NaN(), Number: n}}
}

func readClaims(line string) []Claim {
	files := fstest.MapFS{"f/claims.csv": {Data: []byte(claimsHead + line + "\n")}}
	return claimsOf[study.Row]("p/f", files, nil)
}

// Each kind of claim finds its rows by case, X, scheme and quantity.
func TestClaims(t *testing.T) {
	rows := []study.Row{
		claimRow("a", "ours", "", "queue", 1, 2), claimRow("a", "theirs", "", "queue", 1, 5),
		claimRow("a", "ours", "theirs", "time", 1, 0.5), claimRow("b", "ours", "theirs", "time", 2, 1.5),
		claimRow("b", "ours", "theirs", "time", 1.5, 0.5),
	}
	for _, c := range []struct{ line, want string }{
		{"below,s,,a,,,ours,theirs,queue,,,0.5,,,,", "holds: s (ours: 2; theirs: 5)"},
		{"below,s,,a,,,theirs,ours,queue,,,1,,,,yes", "fails: s (theirs: 5; ours: 2)"},
		{"below bound,s,,a,,,ours,the link,queue,,B,1,3,,,", "holds: s (ours: 2 B; the link: 3 B)"},
		{"bound below,s,,a,,,the link,ours,queue,,,1,3,,,", "fails: s (the link: 3; ours: 2)"},
		{"above,s,,a,,,ours,theirs,queue,,,0.3,,,,", "holds: s (ours: 2)"},
		{"lower,s,,,..1,,ours,theirs,time,,,,,,,",
			"holds: s (−50.0 % on average; of 1 bucket, 1 significantly lower and 0 higher)"},
		{"lower,s,,a,last,,ours,theirs,time,,,,,,,", // the largest X of this case; another case has larger ones
			"holds: s (−50.0 % on average; of 1 bucket, 1 significantly lower and 0 higher)"},
		{"higher,s,,b,last,,ours,theirs,time,,,,,,,",
			"holds: s (+50.0 % on average; of 1 bucket, 0 significantly lower and 1 higher)"},
		{"lower?,s,,,3..4,,ours,theirs,time,,,,,,,", ""},
	} {
		got := ""
		for _, f := range readClaims(c.line)[0].judge(rows) {
			got = f.String()
			if f.Ours != strings.HasSuffix(c.line, "yes") {
				t.Errorf("%s: own %t", c.line, f.Ours)
			}
		}
		if got != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.line, got, c.want)
		}
	}
}

// A claim of an unknown kind is an error.
func TestUnknownClaim(t *testing.T) {
	defer func() {
		if text, _ := recover().(string); !strings.Contains(text, `no kind of claim "beyond"`) {
			t.Errorf("%q", text)
		}
	}()
	readClaims("beyond,,,,,,,,,,,,,,,")
}
