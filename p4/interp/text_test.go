package interp

import "testing/fstest"

// loadText loads a program from memory.
func loadText(name, text string, o Options) (*Program, error) {
	return LoadFS(fstest.MapFS{name: {Data: []byte(text)}}, name, o)
}
