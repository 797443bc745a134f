package store

import (
	"fmt"
	"os"
	"unsafe"
)

// spilled is the part of a list of records that is on a disk.
type spilled struct {
	dir  string
	file *os.File     // without a name, so that nothing stays of it
	left int          // records in it
	room []FlowRecord // memory of those that have left
	err  error
}

// Spill says that records may leave memory for a file below dir, which is made if need be: all but the last 18 MB.
// What fails there Err tells.
func (f *Flows) Spill(dir string) { f.dir = dir }

// Err returns why records that had left memory could not be written or read. It is nil if all is well.
func (f *Flows) Err() error {
	if f.err != nil {
		return fmt.Errorf("records of flows below %s: %w", f.dir, f.err)
	}
	return nil
}

// leave writes the records that are in memory to the file.
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

// nameless makes a file that is gone with the process. It returns nil on systems that do not remove open files, such as Windows.
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

// fetch reads records from the file, from the i-th on.
func (f *Flows) fetch(to []FlowRecord, i int) {
	if _, err := f.file.ReadAt(bytesOf(to), int64(i)*int64(unsafe.Sizeof(to[0]))); err != nil {
		f.err = err
	}
}

// bytesOf returns the memory of records. It goes to a file that this process alone reads.
func bytesOf(list []FlowRecord) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), len(list)*int(unsafe.Sizeof(FlowRecord{})))
}
