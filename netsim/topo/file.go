package topo

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"pintlab/internal/input"
)

// ReadFile reads a topology by the extension of its name: .txt with ReadTopology, .topo with ReadHTSim, .gml with
// ReadGML, .graphml and .xml with ReadGraphML. Only ReadGML and ReadGraphML use f. The name of the graph is the file
// name without folder and extension, with spaces for control characters.
func ReadFile(path string, f Fill) (*Graph, error) {
	ext := filepath.Ext(path)
	switch ext {
	case ".txt", ".topo", ".gml", ".graphml", ".xml":
	default:
		return nil, fmt.Errorf("%s: unknown ending %q (accepted: .txt for the HPCC simulators' "+
			"topology.txt, .topo for htsim, .gml, .graphml, .xml)", path, ext)
	}
	in, err := input.Open(path, input.Map)
	if err != nil {
		return nil, err
	}
	g, err := read(in, path, f)
	if err = errors.Join(err, in.Close()); err != nil {
		return nil, err
	}
	g.Name = printable(strings.TrimSuffix(filepath.Base(path), ext))
	return g, nil
}

// read reads a topology by the extension of its name. With an extension that no other format has, it reads a
// topology.txt.
func read(in io.Reader, path string, f Fill) (*Graph, error) {
	switch filepath.Ext(path) {
	case ".gml":
		return ReadGML(in, path, f)
	case ".graphml", ".xml":
		return ReadGraphML(in, path, f)
	case ".topo":
		t, err := ReadHTSim(in, path)
		if err != nil {
			return nil, err
		}
		return t.Build()
	}
	return ReadTopology(in, path)
}
