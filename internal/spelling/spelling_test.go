package spelling

import "testing"

func TestSuggest(t *testing.T) {
	words := []string{"fattree320", "clos64", "fattree", "leafspine", "star"}
	for _, tt := range []struct{ word, want string }{
		{"fatree", "fattree"}, {"leaf-spine", "leafspine"}, {"clos46", "clos64"}, {"sart", "star"}, {"Star", "star"},
		{"ring", ""}, {"", ""},
		{"stars", "star"}, {"leafs", "leafspine"}, {"start-time", "star"}, {"lea", "leafspine"}, {"st", ""},
	} {
		if got := Suggest(tt.word, words); got != tt.want {
			t.Errorf("Suggest(%q) = %q, want %q", tt.word, got, tt.want)
		}
	}
	if got, want := Hint("fatree", words), `; did you mean "fattree"?`; got != want {
		t.Errorf("Hint: %q, want %q", got, want)
	}
	if got := Hint("ring", words); got != "" {
		t.Errorf("Hint: %q without a close word", got)
	}
	// Words that differ in three of seven letters are too far apart, unless they begin with the same letters.
	if got := Suggest("snaplen", []string{"enabled", "snap"}); got != "snap" {
		t.Errorf("snaplen: %q, want snap", got)
	}
}
