package sim

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/internal/number"
	"pintlab/netsim/telemetry"
)

// Save writes a result to its run directory under parent and returns the directory. command is the command
// line that repeats the run. changes, each "key=value", become part of the directory's name.
func Save(r *Result, parent, command string, started time.Time, changes ...string) (string, error) {
	name, err := r.Scenario.DirName(changes...)
	if err != nil {
		return "", err
	}
	dir, err := store.Create(parent, name)
	if err != nil {
		return "", err
	}
	defer dir.Abort()
	writers := map[string]func(*os.File) error{
		scenario.OutputParquet: func(f *os.File) error { return store.WriteFlowsParquet(f, r.Flows) },
		scenario.OutputCSV:     func(f *os.File) error { return store.WriteFlowsCSV(f, r.Flows) },
		scenario.OutputFCT:     func(f *os.File) error { return store.WriteFCT(f, r.Flows) },
		scenario.OutputPFC:     func(f *os.File) error { return store.WritePFC(f, r.Frames) },
	}
	for _, file := range slices.Sorted(slices.Values(r.Scenario.Run.Outputs)) {
		if err := dir.WriteFile(file, writers[file]); err != nil {
			return "", err
		}
	}
	if err := r.Series.save(dir, r.Scenario.Run.Sampling.Formats); err != nil {
		return "", err
	}
	if r.Capture != nil {
		write := func(f *os.File) error { return r.Capture.Write(f) }
		if err := dir.WriteFile(scenario.OutputCapture, write); err != nil {
			return "", err
		}
	}
	for i, m := range r.Monitors {
		for _, t := range m.Tables {
			name := fmt.Sprintf("monitor-%d-%s-%s.csv", i, m.Kind, t.Name)
			if err := dir.WriteFile(name, func(f *os.File) error { return writeTable(f, t) }); err != nil {
				return "", err
			}
		}
	}
	for _, t := range r.TelemetryTables {
		name := fmt.Sprintf("telemetry-%s-%s.csv", r.Scenario.Telemetry.Kind, t.Name)
		if err := dir.WriteFile(name, func(f *os.File) error { return writeTable(f, t) }); err != nil {
			return "", err
		}
	}
	if r.Jobs != nil {
		for name, write := range map[string]func(io.Writer) error{
			TasksFile: r.Jobs.writeTasks,
			JobsFile:  func(w io.Writer) error { return writeJobs(w, r.JobRows) },
			LinksFile: func(w io.Writer) error { return writeLinks(w, r.LinkRows) },
		} {
			if err := dir.WriteFile(name, func(f *os.File) error { return write(f) }); err != nil {
				return "", err
			}
		}
	}
	if t := r.Faults; t != nil {
		if err := dir.WriteFile(t.Name+".csv", func(f *os.File) error { return writeTable(f, *t) }); err != nil {
			return "", err
		}
	}
	text, err := json.Marshal(r.Scenario)
	if err != nil {
		return "", err
	}
	m := store.Manifest{
		Format: store.ManifestFormat, Scenario: text, Command: command, Started: started.UTC().Format(time.RFC3339),
		Program: store.ThisProgram(), Machine: store.ThisMachine(), Summary: r.Summary, Choices: r.Choices,
		Loads: r.Loads, Notes: r.Notes, Outcomes: r.Outcomes,
	}
	m.Summary.Dir = dir.Final()
	if err := r.Flows.Err(); err != nil {
		return "", err
	}
	if err := dir.Commit(&m); err != nil {
		return "", err
	}
	r.Summary.Dir = dir.Final()
	return dir.Final(), nil
}

func writeTable(f *os.File, t telemetry.Table) error {
	for i, row := range t.Rows {
		if len(row) != len(t.Head) {
			return fmt.Errorf("%s: row %d has %s, the heading has %d", filepath.Base(f.Name()), i+1,
				number.Count(len(row), "cell"), len(t.Head))
		}
	}
	w := csv.NewWriter(f)
	if err := w.WriteAll(append([][]string{t.Head}, t.Rows...)); err != nil {
		return err
	}
	return w.Error()
}
