package topo

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// WriteDOT writes g for Graphviz: hosts as circles, switches as boxes, the nodes of a layer on one
// rank, and each link with its rate and delay.
func WriteDOT(w io.Writer, g *Graph) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "graph %s {\n", dotQuote(g.Name))
	fmt.Fprintln(out, "  rankdir=BT; node [fontsize=10]; edge [fontsize=8];")
	byLayer := make([][]NodeID, 0, 4) // index = layer + 1
	for i, n := range g.Nodes {
		label := n.Name
		if label == "" {
			label = fmt.Sprint(i)
		}
		shape := "box"
		if n.Kind == Host {
			shape = "circle"
		}
		fmt.Fprintf(out, "  n%d [label=%s, shape=%s];\n", i, dotQuote(label), shape)
		layer := max(int(n.Layer)+1, 0)
		for len(byLayer) <= layer {
			byLayer = append(byLayer, nil)
		}
		byLayer[layer] = append(byLayer[layer], NodeID(i))
	}
	for layer, ids := range byLayer {
		if layer == 0 || len(ids) == 0 {
			continue // the layer is not known
		}
		out.WriteString("  { rank=same;")
		for _, id := range ids {
			fmt.Fprintf(out, " n%d;", id)
		}
		out.WriteString(" }\n")
	}
	for _, l := range g.Links {
		fmt.Fprintf(out, "  n%d -- n%d [label=%s];\n", l.A, l.B, dotQuote(l.Rate.String()+" "+l.Delay.String()))
	}
	out.WriteString("}\n")
	return out.Flush()
}

// dotQuote quotes a name for DOT.
func dotQuote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
