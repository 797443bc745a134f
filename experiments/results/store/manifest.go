package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"pintlab/internal/input"
	"pintlab/internal/number"
	"pintlab/netsim/schema"
)

// ManifestFile is the name of the manifest in a run directory.
const ManifestFile = "manifest.json"

// Summary summarises a run. "pintlab run --json" prints it with the notes, so the names of its keys do not change.
type Summary struct {
	Name        string `json:"name"` // name of the scenario
	Hash        string `json:"hash"` // hash of the scenario, see [run directory](#run-directory)
	Seed        uint64 `json:"seed"`
	Dir         string `json:"dir"`                 // run directory; empty if nothing was written
	Flows       int    `json:"flows"`               // number of flows that started
	Finished    int    `json:"finished"`            // number of flows that have finished
	Unfinished  int    `json:"unfinished"`          // number of flows that are unfinished because the run ended
	Estimated   int    `json:"estimated,omitempty"` // finished flows of an [estimate](../../large-runs.md): all or none
	Projected   int    `json:"projected,omitempty"` // number of unfinished flows that `run.cut_off` projects
	Failed      int    `json:"failed"`              // number of flows that were given up for good
	NotStarted  int64  `json:"not_started"`         // flows that had not started at the end of the run
	Fingerprint string `json:"fingerprint"`         // fingerprint of all flow records

	// transmissions of data, ACK and control frames by ports; in an [estimate](../../large-runs.md), the sum over all
	// its simulations
	PacketHops  uint64 `json:"packet_hops"`
	Events      uint64 `json:"events"` // events taken from the queue; in an estimate, summed likewise
	*Network           // nil for an estimate, which simulates no network as a whole
	SimulatedPS int64  `json:"simulated_ps"` // time at which the run ended

	WallSeconds float64 `json:"wall_seconds"` // real time of the run
	// user and system time of the process for this run; 0 if the process simulated other runs at the same time
	CPUSeconds   float64 `json:"cpu_seconds"`
	HopsPerCPU   float64 `json:"packet_hops_per_cpu_second"` // `packet_hops` / `cpu_seconds`; 0 if that is 0
	EventsPerHop float64 `json:"events_per_packet_hop"`      // `events` / `packet_hops`
	PeakMemory   int64   `json:"peak_memory_bytes"`          // largest resident size of the process; 0 if unknown
}

// Network counts what happened to the packets of a run.
type Network struct {
	// packets that found no room at a port, found no path, met a `blackhole-entry`, or had no TTL left; an estimate
	// lacks this row and the rows down to `int_overflows`
	Drops      uint64 `json:"drops"`
	LinkLosses uint64 `json:"link_losses"`       // packets lost on a wire
	Marks      uint64 `json:"marks"`             // packets marked with ECN
	Pauses     uint64 `json:"pauses"`            // pause frames
	Trims      uint64 `json:"trims,omitempty"`   // packets whose payload switches have cut off
	Returns    uint64 `json:"returns,omitempty"` // number of trimmed packets whose headers were returned to the source
	// how often an INT header was full, on detours longer than `telemetry.hops`
	Overflows uint64 `json:"int_overflows"`
}

// Counted returns a number of the network, or NaN for an estimate.
func (s *Summary) Counted(number func(*Network) uint64) float64 {
	if s.Network == nil {
		return math.NaN()
	}
	return float64(number(s.Network))
}

// Derive computes the fields that follow from other fields.
func (s *Summary) Derive() {
	s.HopsPerCPU, s.EventsPerHop = 0, 0
	if s.CPUSeconds > 0 {
		s.HopsPerCPU = float64(s.PacketHops) / s.CPUSeconds
	}
	if s.PacketHops > 0 {
		s.EventsPerHop = float64(s.Events) / float64(s.PacketHops)
	}
}

// Manifest describes how a run directory was made.
type Manifest struct {
	Format   int              `json:"format"`   // version of this layout, 2
	Scenario json.RawMessage  `json:"scenario"` // effective scenario; a file with this object alone is a scenario
	Command  string           `json:"command"`  // command that leads to the same result
	Started  string           `json:"started"`  // RFC 3339, UTC
	Program  Program          `json:"program"`
	Machine  Machine          `json:"machine"`
	Summary  Summary          `json:"summary"`
	Choices  []schema.Settled `json:"choices,omitempty"` // settings with `auto`
	// offered load of sources with a duration, as shares of link rates
	Loads *Loads   `json:"loads,omitempty"`
	Notes []string `json:"notes"` // warnings and facts, such as the realised load
	// flows after each fault, packets dropped and lost by cause and place, and the three busiest ports
	Outcomes []string `json:"account,omitempty"`
	Files    []File   `json:"files"`  // the other files, by name
	Digest   string   `json:"digest"` // SHA-256 of this file with an empty digest
}

// Loads contains loads of links. They are shares of link rates, caused by the sources with a duration, and expected
// values over random draws.
type Loads struct {
	Payload float64 `json:"payload"` // load of all hosts' links by payload
	Wire    float64 `json:"wire"`    // load of the same links by all bytes that hosts send, with headers and telemetry
	// load of the same links by all bytes that hosts receive, if switches add bytes to packets
	Received float64 `json:"received,omitempty"`
	Busiest  float64 `json:"busiest"` // load of the busiest link in one direction, with ACKs
	Link     string  `json:"link"`    // the busiest one
	// load of the busiest link if traffic divides in proportion to the rates of paths; only with a balancer that moves
	// traffic away from slow paths, and if the busiest link is overloaded or almost so
	ByRate float64 `json:"by_rate,omitempty"`
	// when the loads apply, such as "0s to 1ms", if sources begin or end at different times; at other times the busiest
	// link has no more load
	Peak string `json:"peak,omitempty"`
}

// ManifestFormat is the version of the directory layout. It changes when older readers would misread a new directory.
const ManifestFormat = 2

// FormatError is the error of a directory in the layout of another version of pintlab.
type FormatError struct {
	Name   string // file name of the manifest
	Format int
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("%s: format %d, this program reads %d", e.Name, e.Format, ManifestFormat)
}

// File is a file of a run directory.
type File struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // SHA-256 of the content, hexadecimal
}

func (m *Manifest) write(dir string) error {
	text, err := Seal(m, &m.Digest)
	if err != nil {
		return fmt.Errorf("%s: %w", ManifestFile, err)
	}
	return os.WriteFile(filepath.Join(dir, ManifestFile), text, 0o666)
}

// Seal returns v as JSON. It first sets digest, which must point to a field of v. The new value is the digest of the
// JSON text in which the field is empty.
func Seal(v any, digest *string) ([]byte, error) {
	*digest = ""
	text, err := encodeJSON(v)
	if err != nil {
		return nil, err
	}
	*digest = Digest(text)
	return encodeJSON(v)
}

// encodeJSON returns v as JSON on indented lines.
func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return b.Bytes(), err
}

// Digest returns the SHA-256 of a text in hexadecimal.
func Digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Check returns an error if the file `name` in the directory dir is not the file that the manifest lists by this name.
func (m *Manifest) Check(dir, name string) error {
	path := filepath.Join(dir, name)
	for _, want := range m.Files {
		if want.Name != name {
			continue
		}
		if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
			// reading a pipe may never end, so only regular files are read
			return fmt.Errorf("%s is not the file that the run wrote: it is not a regular file", path)
		}
		got, err := fileOf(path)
		if err == nil && got != want {
			err = fmt.Errorf("%s is not the file that the run wrote: it has %d bytes and a SHA-256 that begins with "+
				"%.16s, but %s lists %d bytes and %.16s",
				path, got.Bytes, got.SHA256, ManifestFile, want.Bytes, want.SHA256)
		}
		return err
	}
	return fmt.Errorf("%s is not a file of the run: %s does not list it", path, ManifestFile)
}

func fileOf(path string) (File, error) {
	f, err := os.Open(path)
	if err != nil {
		return File{}, err
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, f)
	return File{Name: filepath.Base(path), Bytes: n, SHA256: hex.EncodeToString(h.Sum(nil))}, err
}

// ReadManifest reads the manifest of a run directory. The error is a FormatError if another version of
// pintlab wrote it. A manifest that was changed after the run is also an error.
func ReadManifest(dir string) (*Manifest, error) {
	name := filepath.Join(dir, ManifestFile)
	data, err := input.ReadFile(name, input.Map)
	if err != nil {
		return nil, err
	}
	var version struct {
		Format int `json:"format"`
	}
	if json.Unmarshal(data, &version) == nil && version.Format != ManifestFormat {
		return nil, &FormatError{name, version.Format}
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var m Manifest
	if err := d.Decode(&m); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, fmt.Errorf("%s: the file is cut short: it ends after %s, inside the manifest", name,
				number.Count(len(data), "byte"))
		}
		if line := lineOf(err, data); line > 0 {
			return nil, fmt.Errorf("%s:%d: %w", name, line, err)
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("%s: more than one JSON value", name)
	}
	if !Sealed(data, m.Digest) {
		return nil, fmt.Errorf("%s was changed after the run: its digest does not match", name)
	}
	return &m, nil
}

// Sealed reports whether a text with this digest is unchanged since Seal wrote it.
func Sealed(text []byte, digest string) bool {
	return digest != "" && Digest(bytes.Replace(text, []byte(digest), nil, 1)) == digest
}

// lineOf returns the line of a JSON error, or 0 if unknown.
func lineOf(err error, data []byte) int {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	var offset int64
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
	default:
		return 0
	}
	return 1 + bytes.Count(data[:min(max(offset, 0), int64(len(data)))], []byte("\n"))
}
