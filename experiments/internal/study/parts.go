package study

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"pintlab/experiments/results/store"
	"pintlab/internal/input"
	"pintlab/internal/outfile"
	"pintlab/internal/progress"
)

// part is the file of a unit of work.
type part struct {
	Build    string          `json:"build"`
	Question json.RawMessage `json:"question"`
	Answer   json.RawMessage `json:"answer"`
	Digest   string          `json:"digest"` // digest of the file's text, computed while this field is empty
}

// Part does a unit of work and stores its answer next to the runs. So an interrupted figure continues with the next
// unit. Figures that only simulate do not need Part. question contains everything on which the answer depends, except
// the program. An answer of another build is used only with --reuse. If the stored file was changed, Part returns an
// error.
func Part[T any](j *Job, name string, question any, do func() (T, error)) (T, error) {
	var answer T
	if j.Campaign.Dir == "" {
		return do()
	}
	asked, err := json.Marshal(question)
	if err != nil {
		return answer, err
	}
	file := filepath.Join(filepath.Dir(j.Campaign.Dir), "parts",
		fmt.Sprintf("%s-%s.json", filepath.Base(name), store.Digest(append([]byte(name), asked...))[:16]))
	text, err := input.ReadFile(file, input.Map)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return answer, err
	}
	if err == nil {
		var p part
		if err := json.Unmarshal(text, &p); err != nil || !store.Sealed(text, p.Digest) ||
			!bytes.Equal(compact(p.Question), asked) {
			return answer, fmt.Errorf("%s was changed after it was written (remove it to repeat its work)", file)
		}
		if store.MadeHere(p.Build) || j.Campaign.AnyBuild {
			return answer, json.Unmarshal(p.Answer, &answer)
		}
	}
	if answer, err = do(); err != nil {
		return answer, err
	}
	p := part{Build: store.ThisProgram().Build, Question: asked}
	if p.Answer, err = json.Marshal(answer); err != nil {
		return answer, err
	}
	return answer, p.write(file)
}

// Kept returns work whose answers are stored by Part. So an interrupted study continues with the next seed. An answer
// depends only on question and the seed.
func Kept[T any](
	j *Job, name string, question any, do func(ctx context.Context, seed uint64, show *progress.Task) (T, error),
) Work {
	return func(ctx context.Context, seed uint64, show *progress.Task) (any, error) {
		return Part(j, name, []any{question, seed}, func() (T, error) { return do(ctx, seed, show) })
	}
}

func compact(text json.RawMessage) []byte {
	var b bytes.Buffer
	if json.Compact(&b, text) != nil {
		return nil
	}
	return b.Bytes()
}

// write writes the file and then renames it, so that it is complete or absent.
func (p *part) write(file string) error {
	text, err := store.Seal(p, &p.Digest)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return outfile.Write(file, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}
