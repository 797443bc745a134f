package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pintlab/internal/input"
)

// Dir is a run directory in the making. It has a temporary name until Commit
// renames it, so that a directory with a manifest is always whole.
type Dir struct {
	temp, final string
}

// A temporary directory is called .NAME.PID@HOST.partial.
const partial = ".partial"

var runName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// Create begins the directory called name under parent, which it makes if need
// be. It removes what interrupted processes of this machine left of the same
// name. End with Commit or Abort.
func Create(parent, name string) (*Dir, error) {
	if !runName.MatchString(name) {
		return nil, fmt.Errorf("run directory %q: want letters, digits, '.', '_' or '-', not beginning with a sign", name)
	}
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return nil, err
	}
	left, err := Leftovers(parent)
	if err != nil {
		return nil, err
	}
	for _, l := range left {
		if l.Name == name && l.Dead {
			if err := os.RemoveAll(l.Path); err != nil {
				return nil, err
			}
		}
	}
	d := &Dir{
		temp:  filepath.Join(parent, "."+name+"."+strconv.Itoa(os.Getpid())+"@"+hostname()+partial),
		final: filepath.Join(parent, name),
	}
	if err := os.Mkdir(d.temp, 0o777); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("%s is being written by this process already", d.final)
		}
		return nil, err
	}
	return d, nil
}

// Path is where a file of the directory is written before Commit.
func (d *Dir) Path(file string) string { return filepath.Join(d.temp, file) }

// Final is where the directory will be after Commit.
func (d *Dir) Final() string { return d.final }

// Commit writes the manifest, in which it lists the other files, and gives the
// directory its final name. The results of a run that was there are replaced: the name
// says what was run, so they are the same. Other files in that directory stay where they
// are.
func (d *Dir) Commit(m *Manifest) error {
	m.Format = ManifestFormat
	m.Files = nil
	entries, err := os.ReadDir(d.temp)
	if err != nil {
		return err
	}
	for _, e := range entries { // sorted by name
		f, err := fileOf(d.Path(e.Name()))
		if err != nil {
			return err
		}
		m.Files = append(m.Files, f)
	}
	if err := m.write(d.temp); err != nil {
		return err
	}
	err = os.Rename(d.temp, d.final)
	if err == nil {
		return nil
	}
	// A directory cannot be renamed over one that is not empty.
	if _, statErr := os.Stat(d.final); statErr != nil {
		return err
	}
	foreign, err := d.foreign()
	if err != nil {
		return err
	}
	if foreign {
		return d.replaceFiles(m)
	}
	old := strings.TrimSuffix(d.temp, partial) + ".old" + partial
	if err := os.Rename(d.final, old); err != nil {
		return err
	}
	if err := os.Rename(d.temp, d.final); err != nil {
		return errors.Join(err, os.Rename(old, d.final))
	}
	return os.RemoveAll(old)
}

// foreign says whether the final directory holds anything that no run has written. It is
// an error if no run has written that directory.
func (d *Dir) foreign() (bool, error) {
	files, err := listed(d.final)
	if err != nil {
		return false, fmt.Errorf("%s is there, and not the results of a run: %w", d.final, err)
	}
	entries, err := os.ReadDir(d.final)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool { return !slices.Contains(files, e.Name()) }), nil
}

// listed are the names of the files that a run has written to dir, whatever version of
// pintlab it was.
func listed(dir string) ([]string, error) {
	data, err := input.ReadFile(filepath.Join(dir, ManifestFile), input.Map)
	if err != nil {
		return nil, err
	}
	var m struct {
		Format int    `json:"format"`
		Files  []File `json:"files"`
	}
	if err := json.Unmarshal(data, &m); err != nil || m.Format == 0 {
		return nil, errors.Join(fmt.Errorf("%s cannot be read", ManifestFile), err)
	}
	names := []string{ManifestFile}
	for _, f := range m.Files {
		names = append(names, f.Name)
	}
	return names, nil
}

// replaceFiles puts the files of the directory in the place of those of the run that is
// there. Without a manifest a directory holds no results: that goes first and comes last.
func (d *Dir) replaceFiles(m *Manifest) error {
	old, err := listed(d.final)
	if err != nil {
		return err
	}
	for _, name := range old { // the manifest is the first
		if err := os.Remove(filepath.Join(d.final, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for _, f := range m.Files {
		if err := os.Rename(d.Path(f.Name), filepath.Join(d.final, f.Name)); err != nil {
			return err
		}
	}
	if err := os.Rename(d.Path(ManifestFile), filepath.Join(d.final, ManifestFile)); err != nil {
		return err
	}
	return os.RemoveAll(d.temp)
}

// Abort removes the directory. After Commit it does nothing, so it may be
// deferred.
func (d *Dir) Abort() error { return os.RemoveAll(d.temp) }

// Leftover is a temporary directory under a results directory.
type Leftover struct {
	Path string
	Name string // of the run directory that it would have become
	PID  int
	Host string
	Dead bool // its process ran on this machine and is gone; false if that is not known
}

// Leftovers lists the temporary directories under parent, sorted by path. Those
// that are not dead may still be written to. There are none if parent does not
// exist.
func Leftovers(parent string) ([]Leftover, error) {
	entries, err := os.ReadDir(parent)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []Leftover
	for _, e := range entries {
		l, ok := parseLeftover(e.Name())
		if !e.IsDir() || !ok {
			continue
		}
		l.Path = filepath.Join(parent, e.Name())
		l.Dead = l.Host == hostname() && l.PID != os.Getpid() && !alive(l.PID)
		list = append(list, l)
	}
	return list, nil
}

var leftoverName = regexp.MustCompile(`^\.([A-Za-z0-9][A-Za-z0-9._-]*)\.([0-9]+)@([^@]*?)(\.old)?\.partial$`)

func parseLeftover(name string) (Leftover, bool) {
	m := leftoverName.FindStringSubmatch(name)
	if m == nil {
		return Leftover{}, false
	}
	pid, err := strconv.Atoi(m[2])
	if err != nil {
		return Leftover{}, false
	}
	return Leftover{Name: m[1], PID: pid, Host: m[3]}, true
}

// hostname is the machine's name with only letters, digits, '_' and '-', so that
// it can stand in a file name.
func hostname() string {
	h, err := os.Hostname()
	if err != nil {
		return "unknown"
	}
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, h)
}

// Runs lists the complete run directories under parent, sorted by name. There are
// none if parent does not exist.
func Runs(parent string) ([]string, error) {
	entries, err := os.ReadDir(parent)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var runs []string
	for _, e := range entries {
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		dir := filepath.Join(parent, e.Name())
		if _, err := os.Stat(filepath.Join(dir, ManifestFile)); err == nil {
			runs = append(runs, dir)
		}
	}
	return runs, nil
}

// WriteFile makes a file of the directory with what write puts into it.
func (d *Dir) WriteFile(file string, write func(*os.File) error) (err error) {
	f, err := os.Create(d.Path(file))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return write(f)
}

// Flows reads the flow records of the run directory dir, from flows.parquet or else
// flows.csv, and makes sure that they are those of the manifest. Where there are both, both
// must be: else an edit of one of them would be ignored.
func (m *Manifest) Flows(dir string) (*Flows, error) {
	var there []string
	for _, name := range []string{"flows.parquet", "flows.csv"} {
		if _, err := os.Stat(filepath.Join(dir, name)); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := m.Check(dir, name); err != nil {
			return nil, err
		}
		there = append(there, filepath.Join(dir, name))
	}
	if there == nil {
		return nil, fmt.Errorf("%s: neither flows.parquet nor flows.csv", dir)
	}
	flows, err := readFlows(there[0])
	if err != nil {
		return nil, err
	}
	print, err := flows.Fingerprint()
	if err == nil && print != m.Summary.Fingerprint {
		err = fmt.Errorf("%s: the records have the fingerprint %s, %s says %s", there[0], print, ManifestFile, m.Summary.Fingerprint)
	}
	return flows, err
}

func readFlows(path string) (*Flows, error) {
	f, size, err := openSized(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if strings.HasSuffix(path, ".csv") {
		return ReadFlowsCSV(f, path)
	}
	return ReadFlowsParquet(f, size, path)
}
