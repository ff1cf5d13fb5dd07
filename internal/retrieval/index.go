package retrieval

import (
	"slices"
	"sync"
	"sync/atomic"

	"parley"
	"parley/internal/words"
)

// Index holds the passages of one agent in memory and finds those nearest to a question. It counts terms (how often, in how
// many passages, how long) and keeps each passage's words in order. Any number of readers may search while one writer changes it.
type Index struct {
	mu         sync.RWMutex
	vocabulary vocabulary
	grams      table
	stems      table
	docs       []doc
	lengths    []length // of docs
	byID       map[parley.PassageID]uint32
	sources    map[parley.SourceID]*shared
	gramTotal  int64
	stemTotal  int64
	languages  [words.Count]int // live passages by language
	bytes      int64            // of the live passages
	norms      atomic.Pointer[norms]
	pen        pen
	scratch    sync.Pool // of *sums
	notes      sync.Pool // of *notes
	vectors    vectors
}

// doc is a passage in the index; a forgotten one has no id.
type doc struct {
	passage parley.Passage
	spelled string // its words, as Index.sequence reads them
	lang    words.Language
	titled  bool    // the first sentence is its title
	steps   bool    // it holds numbered steps
	links   float32 // share of the text that is Markdown links
	bytes   int64   // it takes in memory, besides its place among the documents
}

// length is how much of each kind a document holds.
type length struct{ grams, stems int32 }

// pen is what the writer writes with.
type pen struct {
	sequence     []uint32
	spelled      []byte
	grams, stems counter
}

// NewIndex gives an empty index.
func NewIndex() *Index {
	return &Index{vocabulary: newVocabulary(), byID: map[parley.PassageID]uint32{}, sources: map[parley.SourceID]*shared{}}
}

// Len tells how many passages the index holds.
func (x *Index) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.byID)
}

// chunk is how many passages are changed while searches wait: well under a millisecond's work.
const chunk = 16

// Put adds passages; one that is there already is left as it is, for a passage never changes.
func (x *Index) Put(passages ...parley.Passage) {
	b := newBatch()
	for part := range slices.Chunk(passages, chunk) {
		b.passages = append(b.passages[:0], part...)
		b.read()
		x.enter(b)
	}
}

func (x *Index) enter(b *batch) {
	use := x.makeRoom()
	x.mu.Lock()
	defer x.mu.Unlock()
	use()
	for i, p := range b.passages {
		if _, ok := x.byID[p.ID]; !ok {
			x.put(p, b.readings[i])
		}
	}
	x.norms.Store(nil)
}

func (x *Index) put(p parley.Passage, r reading) {
	at := uint32(len(x.docs))
	shared := x.share(&p, at)
	d := doc{passage: p, lang: r.lang, titled: title(p) != "", steps: steps(p.Text), links: links(p.Text)}
	x.pen.sequence = x.pen.sequence[:0]
	var buf [64]uint64
	for i, t := range r.tokens {
		if r.begins(i) {
			x.pen.sequence = append(x.pen.sequence, pause)
		}
		x.pen.sequence = append(x.pen.sequence, x.intern(t.Word, r.lang, buf[:]))
	}
	d.spelled = x.pen.spell()
	d.bytes = shared + allotted(len(p.Text)) + allotted(len(p.ID)) + allotted(len(d.spelled))
	l := x.count(x.pen.sequence)
	x.pen.grams.enter(&x.grams, at)
	x.pen.stems.enter(&x.stems, at)
	x.docs, x.lengths = append(x.docs, d), append(x.lengths, l)
	x.byID[p.ID] = at
	x.tally(&d, l, 1)
}

// count counts the terms of a sequence of words and tells how many there are.
func (x *Index) count(sequence []uint32) (l length) {
	for _, w := range sequence {
		grams := x.vocabulary.grams(w)
		for _, g := range grams {
			x.pen.grams.add(g)
		}
		l.grams += int32(len(grams))
		if stem := x.vocabulary.stems[w]; stem != none {
			x.pen.stems.add(stem)
			l.stems++
		}
	}
	return l
}

func (x *Index) tally(d *doc, l length, sign int) {
	x.gramTotal += int64(sign) * int64(l.grams)
	x.stemTotal += int64(sign) * int64(l.stems)
	x.languages[d.lang] += sign
	x.bytes += int64(sign) * d.bytes
}

// Forget takes passages out.
func (x *Index) Forget(ids ...parley.PassageID) {
	for part := range slices.Chunk(ids, chunk) {
		x.mu.Lock()
		for _, id := range part {
			x.forget(id)
		}
		x.norms.Store(nil)
		x.mu.Unlock()
	}
}

func (x *Index) forget(id parley.PassageID) {
	at, ok := x.byID[id]
	if !ok {
		return
	}
	d := &x.docs[at]
	x.tally(d, x.lengths[at], -1)
	x.pen.sequence = x.sequence(at, x.pen.sequence)
	x.count(x.pen.sequence)
	x.pen.grams.leave(&x.grams)
	x.pen.stems.leave(&x.stems)
	*d, x.lengths[at] = doc{}, length{}
	delete(x.byID, id)
}

// worn reports that most of the index is what was forgotten: building it anew is cheaper than carrying it on.
func (x *Index) worn() bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.docs) > 1024 && len(x.byID) < len(x.docs)/2
}

// language is that of most passages.
func (x *Index) language() words.Language {
	best := words.English
	for l, n := range x.languages {
		if n > x.languages[best] {
			best = words.Language(l)
		}
	}
	return best
}
