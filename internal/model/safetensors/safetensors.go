// Package safetensors reads files of tensors in the format of the same name. A file is taken to be hostile: its header
// is checked against its length before anything is allocated for it, so that a file costs memory in proportion to its
// size at most.
package safetensors

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/bits"
	"slices"
)

const (
	lengthBytes    = 8       // of the number that a file begins with
	maxHeaderBytes = 8 << 20 // of a model of a hundred layers it has about 100 kB
	maxTensors     = 100_000
	maxAxes        = 8
)

// DType is the type of a tensor's numbers.
type DType string

// The types that can be read.
const (
	F64  DType = "F64"
	F32  DType = "F32"
	F16  DType = "F16"
	BF16 DType = "BF16"
	I64  DType = "I64"
	I32  DType = "I32"
	I8   DType = "I8"
)

// sizes holds the bytes of a number of each type, also of those whose values are not read.
var sizes = map[DType]int{F64: 8, F32: 4, F16: 2, BF16: 2, I64: 8, I32: 4, I8: 1, "I16": 2, "U64": 8, "U32": 4,
	"U16": 2, "U8": 1, "BOOL": 1, "F8_E4M3": 1, "F8_E5M2": 1}

// Tensor is an entry of the header.
type Tensor struct {
	Name  string
	DType DType
	Shape []int

	start, size int64 // of its bytes in the file
}

// File is an open file. Of its tensors only the header is in memory.
type File struct {
	reader  io.ReaderAt
	tensors map[string]*Tensor
}

// Read reads the header of a file of so many bytes.
func Read(r io.ReaderAt, size int64) (*File, error) {
	header, err := readHeader(r, size)
	if err != nil {
		return nil, err
	}
	var entries map[string]json.RawMessage
	if err := json.Unmarshal(header, &entries); err != nil {
		return nil, fmt.Errorf("the header is no JSON object: %w", err)
	}
	delete(entries, "__metadata__")
	if len(entries) > maxTensors {
		return nil, fmt.Errorf("the header has %d tensors, at most %d", len(entries), maxTensors)
	}
	f := &File{reader: r, tensors: make(map[string]*Tensor, len(entries))}
	start := lengthBytes + int64(len(header))
	for name, entry := range entries {
		if f.tensors[name], err = parseTensor(name, entry, start, size); err != nil {
			return nil, err
		}
	}
	return f, f.checkOverlaps()
}

func readHeader(r io.ReaderAt, size int64) ([]byte, error) {
	var length [lengthBytes]byte
	if size < lengthBytes {
		return nil, errors.New("the file is too short for a header")
	}
	if err := readFull(r, length[:], 0); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint64(length[:])
	switch {
	case n > maxHeaderBytes:
		return nil, fmt.Errorf("the header has %d bytes, at most %d", n, maxHeaderBytes)
	case n > uint64(size-lengthBytes):
		return nil, fmt.Errorf("the header has %d bytes, and the file %d", n, size)
	}
	header := make([]byte, n)
	if err := readFull(r, header, lengthBytes); err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(header, []byte("{")) {
		return nil, errors.New("the header is no JSON object")
	}
	return header, nil
}

func readFull(r io.ReaderAt, into []byte, offset int64) error {
	n, err := r.ReadAt(into, offset)
	if n == len(into) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("read the file: %w", err)
}

// parseTensor reads an entry of the header; start is where the file's numbers begin.
func parseTensor(name string, entry []byte, start, fileSize int64) (*Tensor, error) {
	var e struct {
		DType   DType   `json:"dtype"`
		Shape   []int64 `json:"shape"`
		Offsets []int64 `json:"data_offsets"`
	}
	if err := json.Unmarshal(entry, &e); err != nil {
		return nil, fmt.Errorf("tensor %q: %w", name, err)
	}
	if len(e.Offsets) != 2 || e.Offsets[0] < 0 || e.Offsets[1] < e.Offsets[0] || e.Offsets[1] > fileSize-start {
		return nil, fmt.Errorf("tensor %q: the offsets %v are not within the file", name, e.Offsets)
	}
	t := &Tensor{Name: name, DType: e.DType, start: start + e.Offsets[0], size: e.Offsets[1] - e.Offsets[0]}
	numbers, err := t.setShape(e.Shape)
	if err != nil {
		return nil, fmt.Errorf("tensor %q: %w", name, err)
	}
	if each, ok := sizes[e.DType]; ok && numbers*uint64(each) != uint64(t.size) {
		return nil, fmt.Errorf("tensor %q: %d bytes for the shape %v of %s", name, t.size, e.Shape, e.DType)
	}
	return t, nil
}

// setShape returns how many numbers a tensor of the shape has.
func (t *Tensor) setShape(shape []int64) (numbers uint64, err error) {
	if len(shape) > maxAxes {
		return 0, fmt.Errorf("the shape has %d axes, at most %d", len(shape), maxAxes)
	}
	numbers = 1
	for _, n := range shape {
		high, low := bits.Mul64(numbers, uint64(n))
		if n < 0 || n > 1<<31-1 || high > 0 || low > 1<<48 {
			return 0, fmt.Errorf("the shape %v is none", shape)
		}
		numbers = low
		t.Shape = append(t.Shape, int(n))
	}
	return numbers, nil
}

// checkOverlaps refuses tensors that share bytes: a small file could have any number of them.
func (f *File) checkOverlaps() error {
	list := slices.SortedFunc(maps.Values(f.tensors), func(a, b *Tensor) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.size, b.size))
	})
	for i := range max(0, len(list)-1) {
		if list[i].start+list[i].size > list[i+1].start {
			return fmt.Errorf("the tensors %q and %q share bytes", list[i].Name, list[i+1].Name)
		}
	}
	return nil
}

// Tensor returns a tensor by its name; nil if there is none.
func (f *File) Tensor(name string) *Tensor { return f.tensors[name] }

// Names lists the tensors in the order of their names.
func (f *File) Names() []string { return slices.Sorted(maps.Keys(f.tensors)) }

// Rows returns how many rows the tensor has, where all axes but the last are one.
func (t *Tensor) Rows() int {
	rows := 1
	for _, n := range t.Shape[:max(0, len(t.Shape)-1)] {
		rows *= n
	}
	return rows
}

// Columns returns the length of the last axis.
func (t *Tensor) Columns() int {
	if len(t.Shape) == 0 {
		return 1
	}
	return t.Shape[len(t.Shape)-1]
}
