package schema

import "testing"

// Fill chooses values for keys that have an effect, depending on earlier choices, and does not change other keys.
func TestFill(t *testing.T) {
	type params struct {
		Mode  string `yaml:"mode" default:"one" oneof:"one|two|three" draw:"one|two"`
		Count int    `yaml:"count" when:"mode=two" default:"7" range:">=1 <=9" draw:"2..4"`
		Size  int    `yaml:"size" default:"5" range:">=1 <=9"`
		On    bool   `yaml:"on" default:"false"`
	}
	for mode, want := range map[string]string{"one": ", mode: one, on: true",
		"two": ", mode: two, count: 3, on: true"} {
		var p params
		text, err := Fill(&p, func(f Field) string {
			return map[string]string{"mode": mode, "count": "3", "on": "true"}[f.Key]
		})
		if err != nil || text != want || p.Mode != mode || p.Size != 5 || !p.On {
			t.Errorf("%q, %+v, %v; want %q", text, p, err, want)
		}
	}
	if _, err := Fill(&params{}, func(Field) string { return "x" }); err == nil {
		t.Error("no error of a number that is none")
	}
}
