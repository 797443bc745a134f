package schema

import (
	"encoding/json"
	"testing"
)

// A description consists of sentences, each with a full stop.
func TestDescriptions(t *testing.T) {
	type link struct {
		Rate  int  `yaml:"rate" default:"3" range:">=1 <=5"`
		Delay bool `yaml:"delay" required:"yes"`
		Name  bool `yaml:"name" default:"false"`
	}
	comments := map[string]string{"rate": "Rate of the link", "delay": "Delay of the link"}
	var got struct {
		Properties map[string]struct{ Description string }
	}
	text := JSONSchema(&link{}, Described{Comment: func(f Field) string { return comments[f.Key] }})
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"rate":  "Rate of the link. Default: 3. Accepted: >= 1 and <= 5.",
		"delay": "Delay of the link.",
		"name":  "Default: false.",
	} {
		if d := got.Properties[key].Description; d != want {
			t.Errorf("%s: %q, want %q", key, d, want)
		}
	}
}
