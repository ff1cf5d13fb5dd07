package retrieval

import (
	"encoding/binary"
	"math"
	"slices"
	"unsafe"

	"parley"
)

// vectors holds the vectors of documents row by row. A row stays when its document is removed, and is skipped then,
// until the index is rebuilt.
type vectors struct {
	dims   int       // of all rows; that of the first one
	docs   []uint32  // of each row
	scales []float32 // of each row
	blocks [][]int8  // blockRows rows each, so that growing copies nothing
	row    []uint32  // of each document, and one; 0 is none
}

const blockRows = 256

// Vector is the vector of a passage in its stored form (PackVector).
type Vector struct {
	Passage parley.PassageID
	Packed  []byte
}

// PutVectors adds vectors of passages that the index holds; others are left out, and so are those of another dimension
// than the first and those of passages that have one.
func (x *Index) PutVectors(list ...Vector) {
	for part := range slices.Chunk(list, chunkSize) {
		x.mu.Lock()
		for _, v := range part {
			if at, ok := x.byID[v.Passage]; ok && len(v.Packed) > scaleBytes {
				x.vectors.put(at, v.Packed)
			}
		}
		x.mu.Unlock()
	}
}

func (s *vectors) put(doc uint32, packed []byte) {
	if int(doc) >= len(s.row) {
		s.row = append(s.row, make([]uint32, int(doc)+1-len(s.row))...)
	}
	codes := packed[scaleBytes:]
	if s.dims == 0 {
		s.dims = len(codes)
	}
	if s.row[doc] != 0 || len(codes) != s.dims {
		return
	}
	n := len(s.docs)
	switch {
	case n == 0:
		s.blocks = append(s.blocks, nil) // most agents are small: the first block grows as it fills
	case n%blockRows == 0:
		s.blocks = append(s.blocks, make([]int8, 0, blockRows*stride(s.dims)))
	}
	block := &s.blocks[n/blockRows]
	*block = append(*block, unsafe.Slice((*int8)(unsafe.Pointer(&codes[0])), len(codes))...)
	*block = append(*block, make([]int8, stride(s.dims)-s.dims)...)
	s.docs = append(s.docs, doc)
	s.scales = append(s.scales, math.Float32frombits(binary.LittleEndian.Uint32(packed)))
	s.row[doc] = uint32(n + 1)
}

// bytes returns how much memory they take.
func (s *vectors) bytes() int64 {
	n := 8*cap(s.docs) + 4*cap(s.row)
	for _, block := range s.blocks {
		n += cap(block)
	}
	return int64(n)
}

// cosine compares a document's vector with the question's; false when it has none.
func (s *vectors) cosine(d *direction, doc uint32) (float64, bool) {
	if int(doc) >= len(s.row) || s.row[doc] == 0 || s.dims != d.dims {
		return 0, false
	}
	return s.cosineAt(d, int(s.row[doc])-1), true
}

func (s *vectors) cosineAt(d *direction, row int) float64 {
	width := len(d.codes)
	from := row % blockRows * width
	return float64(dot(d.codes, s.blocks[row/blockRows][from:from+width])) * d.scale * float64(s.scales[row])
}

// nearest returns the documents whose vectors point most nearly where the question's does, best first: all of them are
// compared.
func (x *Index) nearest(d *direction, limit int) []scoredDoc {
	s := &x.vectors
	if s.dims != d.dims {
		return nil
	}
	top := make([]scoredDoc, 0, 2*limit)
	lowest := 0.0
	for row, doc := range s.docs {
		score := s.cosineAt(d, row)
		if score <= 0 || score < lowest || x.docs[doc].passage.ID == "" {
			continue
		}
		if top = append(top, scoredDoc{doc, score}); len(top) == 2*limit {
			slices.SortFunc(top, x.comparePlaces)
			top = top[:limit]
			lowest = top[limit-1].score
		}
	}
	slices.SortFunc(top, x.comparePlaces)
	return top[:min(limit, len(top))]
}

// HasVectors reports whether passages of the index have vectors.
func (x *Index) HasVectors() bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.vectors.docs) > 0
}
