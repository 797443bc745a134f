package show

import "testing"

func TestSecondsInWords(t *testing.T) {
	for seconds, want := range map[float64]string{
		0.0123456: "0.0123 s",
		4.5:       "4.5 s",
		99.94:     "99.9 s",
		99.96:     "1 min 40 s",
		119.6:     "2 min 0 s",
		1680:      "28 min 0 s",
		3599.6:    "1 h 0 min 0 s",
		86399:     "23 h 59 min 59 s",
	} {
		if got := Took(seconds); got != want {
			t.Errorf("%v: %q, want %q", seconds, got, want)
		}
	}
}
