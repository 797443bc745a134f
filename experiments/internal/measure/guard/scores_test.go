package guard

import (
	"encoding/json"
	"strings"
	"testing"
)

// A share of nothing has no value, in print and in JSON.
func TestScoresOfNothing(t *testing.T) {
	for _, x := range []struct {
		a          Answer
		text, json string
	}{
		{Answer{Precision: 1, Recall: 1, F1: 1}, "precision –, recall –, F1 –",
			`"precision":null,"recall":null,"f1":null`},
		{Answer{Precision: 1, Afflicted: 3}, "precision –, recall 0.00, F1 0.00",
			`"precision":null,"recall":0,"f1":0`},
		{Answer{Recall: 1, Named: 2}, "precision 0.00, recall –, F1 0.00", `"precision":0,"recall":null,"f1":0`},
		{Answer{Precision: 0.5, Recall: 1, F1: 0.75, Named: 2, Afflicted: 1},
			"precision 0.50, recall 1.00, F1 0.75", `"precision":0.5,"recall":1,"f1":0.75`},
	} {
		if got := x.a.scores(2); got != x.text {
			t.Errorf("%q, want %q", got, x.text)
		}
		b, err := json.Marshal(&x.a)
		if err != nil || !strings.Contains(string(b), x.json) || strings.Count(string(b), `"precision"`) != 1 ||
			!strings.Contains(string(b), `"scenario"`) {
			t.Errorf("%s, %v; want %s", b, err, x.json)
		}
	}
}
