package show

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"pintlab/internal/input"
	"pintlab/internal/outfile"
)

// Python is a module that runs pintlab and loads results with pandas.
//
//go:embed pintlab.py
var Python []byte

// NotebookFile is the default name of the notebook, in the directory that it loads.
const NotebookFile = "notebook.ipynb"

//go:embed cells/*.py
var notebookCells embed.FS

// textCell and codeCell are the types of a notebook's cells.
type (
	textCell struct {
		Type     string   `json:"cell_type"`
		ID       string   `json:"id"`
		Metadata struct{} `json:"metadata"`
		Source   string   `json:"source"`
	}
	codeCell struct {
		textCell
		Outputs [0]string `json:"outputs"`
		Count   *int      `json:"execution_count"`
	}
)

// partsOf returns the names of the cell files for a directory.
func partsOf(dir string) ([]string, error) {
	data, err := input.ReadFile(filepath.Join(dir, "manifest.json"), input.Map)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: no manifest.json: want the directory of a run, a sweep or a comparison", dir)
	}
	var m struct{ Kind, Figure string }
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, "manifest.json"), err)
	}
	has := func(table string) bool {
		for _, end := range []string{".parquet", ".csv"} {
			if _, err := os.Stat(filepath.Join(dir, table+end)); err == nil {
				return true
			}
		}
		return false
	}
	name, _, _ := strings.Cut(m.Figure, "/")
	switch {
	case name == "sweep":
		return []string{"start", "rows", "sweep"}, nil
	case name == "compare":
		return []string{"start", "rows", "compare"}, nil
	case name != "":
		return nil, fmt.Errorf("%s is the figure %s: want the directory of a run, a sweep or a comparison", dir,
			m.Figure)
	case !has("flows"):
		return nil, fmt.Errorf("%s: no flows.parquet and no flows.csv: want a run that stored its flows", dir)
	case has("series"):
		return []string{"start", "flows", "queues"}, nil
	}
	return []string{"start", "flows"}, nil
}

// WriteNotebook writes a notebook for the directory dir and returns the name of the notebook's file. If to is empty,
// the file is in dir. The notebook imports the module Python. WriteNotebook also writes this module, unless it already
// exists next to the notebook.
func WriteNotebook(dir, to string) (string, error) {
	list, err := partsOf(dir)
	if err != nil {
		return "", err
	}
	if to == "" {
		to = filepath.Join(dir, NotebookFile)
	}
	from, err := filepath.Abs(filepath.Dir(to))
	if err != nil {
		return "", err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return "", err
	}
	if near, err := filepath.Rel(from, dir); err == nil {
		dir = near
	}
	path, err := json.Marshal(filepath.ToSlash(dir)) // also a valid string of Python
	if err != nil {
		return "", err
	}
	var document []any
	for _, name := range list {
		source, err := notebookCells.ReadFile("cells/" + name + ".py")
		if err != nil {
			return "", err
		}
		for _, part := range strings.Split(string(source), "# %%")[1:] {
			kind, body, _ := strings.Cut(part, "\n")
			c := textCell{Type: "markdown", ID: fmt.Sprintf("cell-%d", len(document)), Source: strings.TrimSpace(body)}
			if kind == " [markdown]" {
				document = append(document, c)
				continue
			}
			c.Type, c.Source = "code", strings.ReplaceAll(c.Source, "@DIR@", string(path))
			document = append(document, codeCell{textCell: c})
		}
	}
	module := filepath.Join(filepath.Dir(to), "pintlab.py")
	if _, err := os.Lstat(module); errors.Is(err, fs.ErrNotExist) {
		err = outfile.Write(module, func(w io.Writer) error { _, err := w.Write(Python); return err })
		if err != nil {
			return "", err
		}
	}
	return to, outfile.Write(to, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", " ")
		return e.Encode(map[string]any{
			"cells": document, "nbformat": 4, "nbformat_minor": 5,
			"metadata": map[string]any{
				"kernelspec":    map[string]string{"name": "python3", "display_name": "Python 3", "language": "python"},
				"language_info": map[string]string{"name": "python"},
			},
		})
	})
}
