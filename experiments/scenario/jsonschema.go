package scenario

import (
	_ "embed"
	"encoding/json"

	"pintlab/netsim/schema"
)

// comments contains the comments of all keys by struct and field, such as "hpcc.Params.Eta". The test of
// docs/reference/scenario writes the file.
//
//go:embed comments.json
var comments []byte

// JSONSchema returns the JSON Schema of scenario files.
func (l *Language) JSONSchema() []byte {
	var known map[string]string
	if err := json.Unmarshal(comments, &known); err != nil {
		panic(err) // the embedded file is valid
	}
	return schema.JSONSchema(&Scenario{Language: l}, schema.Described{
		Title:   "Scenario of pintlab",
		Words:   map[string]string{"extends": "A preset, whose values the other keys change."},
		Comment: func(f schema.Field) string { return known[f.Owner.String()+"."+f.Name] },
	})
}
