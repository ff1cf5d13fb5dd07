package retrieval

import (
	"cmp"
	"iter"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"parley"
	"parley/internal/text/words"
)

// Index holds the passages of one agent in memory and finds those nearest to a question. It counts terms (how often, in
// how many passages, how long) and keeps each passage's words in order. Any number of readers may search while one
// writer changes it.
type Index struct {
	mu             sync.RWMutex
	vocabulary     vocabulary
	grams          termTable
	stems          termTable
	docs           []doc
	lengths        []length // of docs
	byID           map[parley.PassageID]uint32
	sources        map[parley.SourceID]*sharedStrings
	gramTotal      int64
	stemTotal      int64
	languages      [words.LanguageCount]int // live passages by language
	knownLanguages uint32                   // of all passages there ever were, a bit each
	bytes          int64                    // of the live passages
	wordLists      wordLists
	longWords      longWords
	norms          atomic.Pointer[norms]
	lengthParts    atomic.Pointer[lengthParts]
	writerScratch  writerScratch
	bulk           *bulk     // nil but while very many passages are put
	scratch        sync.Pool // of *searchScratch
	vectors        vectors
}

// doc is a passage in the index; a removed one has no id.
type doc struct {
	passage      parley.Passage
	encodedWords string // its words, as Index.sequence reads them
	lang         words.Language
	hasTitle     bool    // the first sentence is its title
	hasSteps     bool    // it holds numbered steps
	hasQuestion  bool    // its heading holds a question
	linkShare    float32 // share of the text that is Markdown links
	titleCount   int32   // how many titles its heading is
	bytes        int64   // it takes in memory, besides its place among the documents
}

// length is how much of each kind a document holds.
type length struct{ grams, stems int32 }

// writerScratch holds the buffers of the writer.
type writerScratch struct {
	sequence     []uint32
	encodedWords []byte
	grams, stems counter
	wordTimes    []int32 // by word, in the document at hand
	words        []uint32
}

// NewIndex returns an empty index.
func NewIndex() *Index {
	return &Index{vocabulary: newVocabulary(), byID: map[parley.PassageID]uint32{},
		sources: map[parley.SourceID]*sharedStrings{}, wordLists: newWordLists()}
}

// firstPassages returns the first passages of n sources, by the names of these.
func (x *Index) firstPassages(n int) (hits []Hit) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	for i := range x.docs {
		if p := &x.docs[i].passage; p.ID != "" && p.Ordinal == 0 {
			hits = append(hits, Hit{Passage: *p})
		}
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(a.Passage.SourceName, b.Passage.SourceName),
			cmp.Compare(a.Passage.SourceID, b.Passage.SourceID))
	})
	return hits[:min(n, len(hits))]
}

// Len returns how many passages the index holds.
func (x *Index) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.byID)
}

// chunkSize is how many passages are changed while searches wait: well under a millisecond's work.
const chunkSize = 16

// Put adds passages; one that is there already is left as it is, for a passage never changes.
func (x *Index) Put(passages ...parley.Passage) {
	b := newBatch()
	for part := range slices.Chunk(passages, chunkSize) {
		b.passages = append(b.passages[:0], part...)
		b.readWords()
		x.putBatch(b)
	}
}

func (x *Index) putBatch(b *batch) {
	use := x.reserveSpace()
	x.mu.Lock()
	defer x.mu.Unlock()
	use()
	for i, p := range b.passages {
		if _, ok := x.byID[p.ID]; !ok {
			x.put(p, &b.words[i])
		}
	}
	x.forgetNorms()
}

func (x *Index) put(p parley.Passage, w *passageWords) {
	at := uint32(len(x.docs))
	shared := x.shareStrings(&p, at)
	d := w.doc
	d.passage = p
	x.knownLanguages |= 1 << w.language
	x.writerScratch.sequence = x.writerScratch.sequence[:0]
	for i := range w.Tokens {
		if w.beginsSentence(i) {
			x.writerScratch.sequence = append(x.writerScratch.sequence, sentenceBreak)
		}
		x.writerScratch.sequence = append(x.writerScratch.sequence, x.wordID(w, i))
	}
	d.encodedWords = x.writerScratch.encode()
	x.wordLists.add(x.writerScratch.sequence)
	d.bytes = shared + allocatedBytes(len(p.Text)) + allocatedBytes(len(p.ID)) + allocatedBytes(len(d.encodedWords))
	var l length
	if x.bulk != nil {
		x.growDocs()
		l = x.bulk.addWords(x, at)
	} else {
		l = x.countTerms(x.writerScratch.sequence)
		x.writerScratch.grams.addTo(&x.grams, at)
		x.writerScratch.stems.addTo(&x.stems, at)
	}
	x.docs, x.lengths = append(x.docs, d), append(x.lengths, l)
	x.byID[p.ID] = at
	x.updateTotals(&d, l, 1)
}

// countTerms counts the terms of a sequence of words and returns how many there are.
func (x *Index) countTerms(sequence []uint32) (l length) {
	p := &x.writerScratch
	p.countWords(sequence, len(x.vocabulary.words))
	for _, w := range p.words {
		times := p.wordTimes[w]
		p.wordTimes[w] = 0
		grams := x.vocabulary.grams(w)
		for _, g := range grams {
			p.grams.add(g, times)
		}
		l.grams += times * int32(len(grams))
		if stem := x.vocabulary.stems[w]; stem != noStem {
			p.stems.add(stem, times)
			l.stems += times
		}
	}
	return l
}

// countWords counts the words of a sequence.
func (p *writerScratch) countWords(sequence []uint32, vocabulary int) {
	if more := vocabulary - len(p.wordTimes); more > 0 {
		p.wordTimes = append(p.wordTimes, make([]int32, more+vocabulary/8)...)
	}
	p.words = p.words[:0]
	for _, w := range sequence {
		if p.wordTimes[w] == 0 {
			p.words = append(p.words, w)
		}
		p.wordTimes[w]++
	}
}

func (x *Index) updateTotals(d *doc, l length, sign int) {
	x.gramTotal += int64(sign) * int64(l.grams)
	x.stemTotal += int64(sign) * int64(l.stems)
	x.languages[d.lang] += sign
	x.bytes += int64(sign) * d.bytes
}

// Remove removes passages.
func (x *Index) Remove(ids ...parley.PassageID) {
	for part := range slices.Chunk(ids, chunkSize) {
		x.mu.Lock()
		for _, id := range part {
			x.removePassage(id)
		}
		x.forgetNorms()
		x.mu.Unlock()
	}
}

func (x *Index) removePassage(id parley.PassageID) {
	at, ok := x.byID[id]
	if !ok {
		return
	}
	d := &x.docs[at]
	x.updateTotals(d, x.lengths[at], -1)
	x.writerScratch.sequence = x.sequence(at, x.writerScratch.sequence)
	x.countTerms(x.writerScratch.sequence)
	x.writerScratch.grams.removeFrom(&x.grams)
	x.writerScratch.stems.removeFrom(&x.stems)
	*d, x.lengths[at] = doc{}, length{}
	delete(x.byID, id)
}

// isMostlyDeleted reports whether most of the index is removed passages: building it again is cheaper than keeping it.
func (x *Index) isMostlyDeleted() bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.docs) > 1024 && len(x.byID) < len(x.docs)/2
}

// language returns the language of most passages.
func (x *Index) language() words.Language {
	best := words.English
	for l, n := range x.languages {
		if n > x.languages[best] {
			best = words.Language(l)
		}
	}
	return best
}

// eachKnownLanguage yields the languages of all passages there ever were.
func (x *Index) eachKnownLanguage() iter.Seq[words.Language] {
	return func(yield func(words.Language) bool) {
		for left := x.knownLanguages; left != 0; left &= left - 1 {
			if !yield(words.Language(bits.TrailingZeros32(left))) { //nolint:gosec // a number below 32
				return
			}
		}
	}
}
