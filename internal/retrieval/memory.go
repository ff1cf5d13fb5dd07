package retrieval

import (
	"unsafe"

	"parley"
)

// Bytes returns about how much memory the index takes.
func (x *Index) Bytes() int64 {
	x.mu.RLock()
	defer x.mu.RUnlock()
	const perDoc = int64(unsafe.Sizeof(length{})) + 8 + 4 // and its norms, and its place among those of its source
	return emptyIndexBytes + x.bytes + x.vectors.bytes() + x.grams.bytes() + x.stems.bytes() + x.vocabulary.bytes() +
		x.writerScratch.bytes() + x.wordLists.bytes() + x.longWords.bytes() + x.lengthPartBytes() +
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

// sharedStrings holds the strings that the passages of one source have in common, once.
type sharedStrings struct {
	lastPassage parley.Passage // without its text
	docs        []uint32       // in the index; some of them removed
}

// shareStrings lets the passage, which becomes a document, use the strings of its neighbours, and returns the bytes of
// those that no neighbour has.
func (x *Index) shareStrings(p *parley.Passage, doc uint32) (bytes int64) {
	s := x.sources[p.SourceID]
	if s == nil {
		s = &sharedStrings{}
		x.sources[p.SourceID] = s
	}
	s.docs = append(s.docs, doc)
	l := &s.lastPassage
	bytes += reuseString(&p.SourceID, l.SourceID) + reuseString(&p.SourceName, l.SourceName) + reuseString(&p.SourceURL,
		l.SourceURL)
	bytes += reuseString(&p.VersionID, l.VersionID) + reuseString(&p.VersionHash, l.VersionHash) +
		reuseString(&p.Heading, l.Heading)
	*l = *p
	l.ID, l.Text = "", ""
	return bytes
}

// reuseString replaces a string by an equal one that is in memory already and returns 0, or returns the bytes of one
// that is new.
func reuseString[T ~string](s *T, earlier T) int64 {
	if *s == earlier {
		*s = earlier
		return 0
	}
	return allocatedBytes(len(*s))
}

// retainVersions removes the passages of these sources but for those of the named versions.
func (x *Index) retainVersions(live map[parley.SourceID]parley.VersionID) {
	var removed []parley.PassageID
	for source, version := range live {
		s := x.sources[source]
		if s == nil {
			continue
		}
		remaining := s.docs[:0]
		for _, doc := range s.docs {
			switch p := &x.docs[doc].passage; {
			case p.SourceID != source: // removed
			case p.VersionID == version:
				remaining = append(remaining, doc)
			default:
				removed = append(removed, p.ID)
			}
		}
		if s.docs = remaining; len(remaining) == 0 {
			delete(x.sources, source)
		}
	}
	x.Remove(removed...)
}
