package packets

import (
	"errors"
	"fmt"
	"io"

	"pintlab/internal/number"
)

// Truncation describes a file that ends within a record, for example because the program that wrote it was killed. It
// is also the error of the readers that return single records.
type Truncation struct {
	File    string `json:"file"`
	Packets int64  `json:"packets"` // complete packets of the file, which come before the incomplete record
	Byte    int64  `json:"byte"`    // where the incomplete record begins in the file, after decompression
}

func (t *Truncation) Error() string {
	name := ""
	if t.File != "" {
		name = t.File + ": "
	}
	return fmt.Sprintf("%sthe file is truncated: it ends within the record at byte %d, after %s", name, t.Byte,
		number.Count(t.Packets, "packet"))
}

// Partial is a part of every answer about the packets of files.
type Partial struct {
	// files that end within a record, so that the answer covers only the packets before
	Truncated []Truncation `json:"truncated,omitempty"`
}

// AddFile adds a file. It does nothing if t is nil.
func (p *Partial) AddFile(file string, t *Truncation) {
	if t != nil {
		p.Truncated = append(p.Truncated, Truncation{file, t.Packets, t.Byte})
	}
}

// Incomplete returns an error that describes the truncated files. It returns nil if all files were complete.
func (p *Partial) Incomplete() error {
	var all []error
	for i := range p.Truncated {
		all = append(all, fmt.Errorf("%w, and only these were read", &p.Truncated[i]))
	}
	return errors.Join(all...)
}

// ending returns io.EOF instead of the error of a file that ends within a record, and stores that error in t. It does
// not change the error if the file has no complete packet, because then there is nothing to answer from.
func ending(err error, t **Truncation) error {
	var found *Truncation
	if errors.As(err, &found) && found.Packets > 0 {
		*t = found
		return io.EOF
	}
	return err
}

// short reports whether an error of a reader means that its input has no more bytes.
func short(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }
