package p4

import (
	"embed"
	"io/fs"
)

//go:embed src
var files embed.FS

// Sources returns the folder src. It contains the programs and the files that they include.
func Sources() fs.FS {
	sub, err := fs.Sub(files, "src")
	if err != nil {
		panic(err) // the embedded folder is readable
	}
	return sub
}
