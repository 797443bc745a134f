package topo

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"pintlab/internal/input"
)

// ReadFile reads a topology by the ending of its name: .txt with ReadTopology,
// .gml with ReadGML, .graphml and .xml with ReadGraphML. f is of use to the last
// two only. The graph is called after the file, without folder and ending.
func ReadFile(path string, f Fill) (*Graph, Dropped, error) {
	ext := filepath.Ext(path)
	switch ext {
	case ".txt", ".gml", ".graphml", ".xml":
	default:
		return nil, Dropped{}, fmt.Errorf("%s: do not know the ending %q (accepted: .txt for the HPCC simulators' topology.txt, .gml, .graphml, .xml)", path, ext)
	}
	in, err := input.Open(path, input.Map)
	if err != nil {
		return nil, Dropped{}, err
	}
	var g *Graph
	var d Dropped
	switch ext {
	case ".txt":
		g, err = ReadTopology(in, path)
	case ".gml":
		g, d, err = ReadGML(in, path, f)
	default:
		g, d, err = ReadGraphML(in, path, f)
	}
	if err = errors.Join(err, in.Close()); err != nil {
		return nil, Dropped{}, err
	}
	g.Name = strings.TrimSuffix(filepath.Base(path), ext)
	return g, d, nil
}
