// Command write writes the generated parts of the P4 programs to a directory.
package main

import (
	"fmt"
	"os"

	"pintlab/p4/gen"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: write DIRECTORY")
		os.Exit(2)
	}
	if err := gen.Write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "write:", err)
		os.Exit(1)
	}
}
