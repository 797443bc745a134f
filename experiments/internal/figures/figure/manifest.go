package figure

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"pintlab/experiments/results/store"
	"pintlab/experiments/sim"
	"pintlab/internal/input"
	"pintlab/internal/lists"
	"pintlab/internal/number"
)

// The names of the files in a figure's directory, except the drawings.
const (
	RowsFile     = "rows.csv"
	ManifestFile = "manifest.json"
	ReportFile   = "report.html"
)

// Manifest describes how the rows of a figure were made.
type Manifest struct {
	Kind   string `json:"kind"`   // `figure`
	Format int    `json:"format"` // version of this layout, 2
	Figure string `json:"figure"` // name, such as `pint/fig7`
	// `smoke`, `laptop` or `paper`; empty for sweeps and for `compare` with scenarios
	Scale    Scale         `json:"scale"`
	Seed     uint64        `json:"seed"`    // first seed
	Seeds    int           `json:"seeds"`   // number of seeds; 0 stands for the figure's default
	Set      []string      `json:"set"`     // settings that were changed in every simulation, `key=value`
	Command  string        `json:"command"` // command that reproduces the rows
	Started  string        `json:"started"` // RFC 3339, UTC
	Program  store.Program `json:"program"`
	Machine  store.Machine `json:"machine"`
	Wall     float64       `json:"wall_seconds"`      // duration of the command, without stored runs
	CPU      float64       `json:"cpu_seconds"`       // likewise
	Memory   int64         `json:"peak_memory_bytes"` // largest resident size of the process
	Footnote string        `json:"footnote"`          // line below the drawings
	Settings []Setting     `json:"settings"`          // configuration
	Notes    []string      `json:"notes"`
	Findings []Finding     `json:"findings"`
	Runs     []RunRef      `json:"runs"`        // the simulations
	Files    []string      `json:"files"`       // the other files of the figure
	RowsFile string        `json:"rows_sha256"` // SHA-256 of `rows.csv`
	Digest   string        `json:"digest"`      // SHA-256 of this file, with an empty digest
}

const (
	manifestKind   = "figure"
	manifestFormat = 2
)

// Remarks divides the notes into notes about overloaded links and other notes. A report shows the overloads first,
// because they put all numbers in doubt.
func (m *Manifest) Remarks() (overloads, others []string) {
	return lists.Split(m.Notes, func(n string) bool { return strings.Contains(n, sim.Overload) })
}

// IsFigure reports whether dir contains the manifest of a figure.
func IsFigure(dir string) bool {
	data, err := input.ReadFile(filepath.Join(dir, ManifestFile), input.Map)
	if err != nil {
		return false
	}
	var m struct {
		Kind string `json:"kind"`
	}
	return json.Unmarshal(data, &m) == nil && m.Kind == manifestKind
}

// listedFiles returns the files that the manifest in dir lists, or nil if it lists none.
func listedFiles(dir string) []string {
	data, err := input.ReadFile(filepath.Join(dir, ManifestFile), input.Map)
	if err != nil {
		return nil
	}
	var m struct {
		Files []string `json:"files"`
	}
	if json.Unmarshal(data, &m) != nil {
		return nil
	}
	return m.Files
}

// ReadManifest reads the manifest in dir.
func ReadManifest(dir string) (*Manifest, error) {
	name := filepath.Join(dir, ManifestFile)
	data, err := input.ReadFile(name, input.Map)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var m Manifest
	if err := d.Decode(&m); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, fmt.Errorf("%s: the file is cut short: it ends after %s, inside the manifest", name,
				number.Count(len(data), "byte"))
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if m.Kind != manifestKind || m.Format != manifestFormat {
		return nil, fmt.Errorf("%s: kind %q, format %d; want %q, %d", name, m.Kind, m.Format, manifestKind,
			manifestFormat)
	}
	if !store.Sealed(data, m.Digest) {
		return nil, fmt.Errorf("%s was changed after the figure was made: its digest does not match", name)
	}
	return &m, nil
}

// write writes the manifest to dir, with the digest of the rows there and the manifest's own digest.
func (m *Manifest) write(dir string) error {
	rows, err := input.ReadFile(filepath.Join(dir, RowsFile), input.Flows)
	if err != nil {
		return err
	}
	m.RowsFile = store.Digest(rows)
	text, err := store.Seal(m, &m.Digest)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, ManifestFile), text, 0o666)
}

// made reports whether the manifest describes the rows in dir.
func (m *Manifest) made(dir string) error {
	name := filepath.Join(dir, RowsFile)
	rows, err := input.ReadFile(name, input.Flows)
	if err != nil {
		return err
	}
	if store.Digest(rows) != m.RowsFile {
		return fmt.Errorf("%s: these are not the measured rows: their digest differs from the digest in %s (to draw "+
			"your own rows: pintlab plot FILE.csv --figure %s)", name, ManifestFile, m.Figure)
	}
	return nil
}
