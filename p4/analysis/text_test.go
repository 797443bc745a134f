package analysis

import (
	"testing/fstest"

	"pintlab/p4/interp"
)

// loadText loads a program from memory.
func loadText(name, text string, o interp.Options) (*interp.Program, error) {
	return interp.LoadFS(fstest.MapFS{name: {Data: []byte(text)}}, name, o)
}
