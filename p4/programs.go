package p4

import (
	"embed"
	"io/fs"
)

//go:embed src
var files embed.FS

// Sources returns the programs and the files that they include: the folder src.
func Sources() fs.FS {
	sub, err := fs.Sub(files, "src")
	if err != nil {
		panic(err) // the embedded folder is readable
	}
	return sub
}
