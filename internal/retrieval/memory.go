package retrieval

import "unsafe"

// Bytes returns about how much memory the index takes.
func (x *Index) Bytes() int64 {
	x.mu.RLock()
	defer x.mu.RUnlock()
	const perDoc = int64(unsafe.Sizeof(length{})) + 8 + 4 // and its norms, and its place among those of its source
	return emptyIndexBytes + x.bytes + x.vectors.bytes() + x.grams.bytes() + x.stems.bytes() + x.vocabulary.bytes() +
		x.writerScratch.bytes() + x.wordLists.bytes() + x.lengthPartBytes() +
		int64(cap(x.docs))*int64(unsafe.Sizeof(doc{})) + perDoc*int64(cap(x.lengths)) +
		passageBytes*int64(len(x.byID)) + sourceBytes*int64(len(x.sources))
}

const (
	emptyIndexBytes = int64(unsafe.Sizeof(Index{})) + 1<<10      // with its first tables
	passageBytes    = 44                                         // a place in byID
	sourceBytes     = int64(unsafe.Sizeof(sharedStrings{})) + 56 // and a place in sources
)

// lengthPartBytes returns how much memory the parts of scores take that depend on lengths.
func (x *Index) lengthPartBytes() int64 {
	if len(x.docs) > rangeSize {
		return 0
	}
	return 24 * int64(len(x.docs))
}

// bytes returns how much memory the scratch buffers keep between two passages.
func (p *writerScratch) bytes() int64 {
	return int64(4*cap(p.sequence) + cap(p.encodedWords) + 4*cap(p.wordTimes) + 4*cap(p.words) + cap(p.grams.times) +
		cap(p.stems.times) +
		4*cap(p.grams.ids) + 4*cap(p.stems.ids))
}

// allocatedBytes returns about how much memory is taken for so many bytes: sizes come in steps.
func allocatedBytes(n int) int64 {
	switch {
	case n <= 128:
		return int64(n+15) &^ 15
	case n <= 1024:
		return int64(n) + int64(n)/20
	}
	return int64(n) + int64(n)/14
}

// reserveSpace prepares space for the next chunk of passages while searches go on, as nobody else writes. The function
// that it returns puts the space to use.
func (x *Index) reserveSpace() (use func()) {
	if x.bulk != nil {
		return func() {}
	}
	docs, lengths := withSpace(x.docs), withSpace(x.lengths)
	vocabulary, grams, stems := withVocabularySpace(x.vocabulary), withTableSpace(x.grams), withTableSpace(x.stems)
	return func() {
		x.docs, x.lengths, x.vocabulary, x.grams, x.stems = docs, lengths, vocabulary, grams, stems
	}
}

func withVocabularySpace(v vocabulary) vocabulary {
	v.ids, v.words, v.stems, v.gramIDs, v.kinds = withKeySpace(v.ids), withSpace(v.words), withSpace(v.stems),
		withSpace(v.gramIDs), withSpace(v.kinds)
	return v
}

func withTableSpace(t termTable) termTable {
	t.ids, t.lists = withKeySpace(t.ids), withSpace(t.lists)
	return t
}

func withKeySpace(k hashTable) hashTable {
	if len(k.slots) >= minCopyElements && k.isFull(spareElements) {
		k.grow()
	}
	return k
}

// growDocs makes space for the documents to come while very many passages are put.
func (x *Index) growDocs() {
	if n := len(x.docs); n == cap(x.docs) && n >= minCopyElements {
		n += int(float64(n) * (x.bulk.growth() - 1))
		x.docs = append(make([]doc, 0, n+1), x.docs...)
		x.lengths = append(make([]length, 0, n+1), x.lengths...)
	}
}

const (
	minCopyElements = 1 << 14 // elements that are copied in no time
	spareElements   = 2048    // a chunk seldom adds more of anything
)

// withSpace returns a list that many more elements fit into, where copying it would take long.
func withSpace[T any](list []T) []T {
	if len(list) < minCopyElements || cap(list)-len(list) >= spareElements {
		return list
	}
	return append(make([]T, 0, len(list)+len(list)/8+spareElements), list...)
}
