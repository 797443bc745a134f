package store

import (
	"fmt"
	"os"
	"unsafe"
)

// spilled is the part of a list of records that is on disk.
type spilled struct {
	dir  string
	file *os.File     // unlinked, so that it disappears with the process
	left int          // number of records in it
	room []FlowRecord // block that can be reused after its records were written
	err  error
}

// Spill lets records move from memory to a file below dir, except for the last 18 MB. dir is created if necessary. Err
// returns errors that occur in writing or reading the file.
func (f *Flows) Spill(dir string) { f.dir = dir }

// Err returns the first error in writing or reading spilled records, or nil.
func (f *Flows) Err() error {
	if f.err != nil {
		return fmt.Errorf("records of flows below %s: %w", f.dir, f.err)
	}
	return nil
}

// leave writes the records in memory to the file.
func (f *Flows) leave() {
	if f.dir == "" || f.err != nil {
		return
	}
	if f.file == nil {
		if f.file, f.err = nameless(f.dir); f.err != nil {
			return
		}
		if f.file == nil {
			f.dir = "" // records stay in memory
			return
		}
	}
	for _, c := range f.chunks {
		if _, err := f.file.Write(bytesOf(c)); err != nil {
			f.err = err
			return
		}
		f.left += len(c)
	}
	f.chunks = f.chunks[:0]
	f.block = f.room
}

// nameless creates a file that disappears when the process ends. It returns nil on systems that cannot remove open
// files, such as Windows.
func nameless(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	file, err := os.CreateTemp(dir, ".flows-")
	if err != nil {
		return nil, err
	}
	if os.Remove(file.Name()) == nil {
		return file, nil
	}
	if err := file.Close(); err != nil {
		return nil, err
	}
	return nil, os.Remove(file.Name())
}

// fetch reads records from the file, starting with the i-th.
func (f *Flows) fetch(to []FlowRecord, i int) {
	if _, err := f.file.ReadAt(bytesOf(to), int64(i)*int64(unsafe.Sizeof(to[0]))); err != nil {
		f.err = err
	}
}

// bytesOf returns the memory of records as bytes. Only this process reads the file, so the layout does not
// matter.
func bytesOf(list []FlowRecord) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), len(list)*int(unsafe.Sizeof(FlowRecord{})))
}
