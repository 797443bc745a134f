package schema_test

import (
	"fmt"
	"log"

	"pintlab/netsim/schema"
	"pintlab/netsim/unit"
)

// Params has the keys of a new protocol. Each key is a field, with the accepted values in its tags.
type Params struct {
	// Queueing delay that the protocol accepts.
	Delay unit.Time `yaml:"delay" default:"4us" range:">0s <=1s"`
	// Share of the window that a cut removes.
	Cut float64 `yaml:"cut" default:"0.5" range:">0 <1"`
}

// A text changes some keys; the other keys keep their defaults.
func ExampleLanguage_Parse() {
	var language schema.Language
	p := schema.Default[Params]()
	if err := language.Parse(&p, []byte("delay: 10us\n"), schema.Source{Name: "mine.yaml"}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Delay, p.Cut)

	err := language.Parse(&p, []byte("delay: 10m\ncuts: 0.1\n"), schema.Source{Name: "mine.yaml"})
	fmt.Println(err)
	// Output:
	// 10us 0.5
	// mine.yaml:1:8: delay: time "10m": unknown unit "m" (accepted: s, ms, us, ns, ps); accepted: > 0s and <= 1s
	// mine.yaml:2:1: cuts: unknown key; did you mean cut? (accepted: delay, cut)
}

// CheckValues applies the same checks to fields that a program sets.
func ExampleCheckValues() {
	p := schema.Default[Params]()
	p.Cut = 1
	fmt.Println(schema.CheckValues(&p, nil).Err())
	// Output: cut: 1: want > 0 and < 1
}
