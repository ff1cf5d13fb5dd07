package retrieval

import (
	"runtime"
	"slices"
	"sync"

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
	gramTotal  int64
	stemTotal  int64
	languages  [words.Count]int // live passages by language
	bytes      int64            // of texts and sequences, live
	entries    int64            // of all postings
	scratch    sync.Pool
}

// doc is a passage in the index; a forgotten one has no sequence.
type doc struct {
	passage  parley.Passage
	sequence []uint32 // word ids in order, sentences parted by pause
	content  []uint32 // stems of those that carry a meaning
	lang     words.Language
	titled   bool    // the first sentence is its title
	steps    bool    // it holds numbered steps
	links    float32 // share of the text that is Markdown links
}

// length is how much of each kind a document holds.
type length struct{ grams, stems int32 }

// NewIndex gives an empty index.
func NewIndex() *Index {
	return &Index{vocabulary: newVocabulary(), byID: map[parley.PassageID]uint32{}}
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
	readings := make([]reading, min(chunk, len(passages)))
	for part := range slices.Chunk(passages, chunk) {
		for i, p := range part {
			readings[i] = read(readings[i].tokens, title(p)+"\n"+p.Text, words.English)
			runtime.Gosched() // an import must not keep turns from the processor for a whole time slice
		}
		x.mu.Lock()
		for i, p := range part {
			if _, ok := x.byID[p.ID]; !ok {
				x.put(p, readings[i])
			}
		}
		x.mu.Unlock()
	}
}

func (x *Index) put(p parley.Passage, r reading) {
	at := uint32(len(x.docs))
	d := doc{passage: p, lang: r.lang, titled: title(p) != "", steps: steps(p.Text), links: links(p.Text), sequence: make([]uint32, 0, len(r.tokens)+len(r.tokens)/6)}
	var buf [64]uint64
	for i, t := range r.tokens {
		if r.begins(i) {
			d.sequence = append(d.sequence, pause)
		}
		d.sequence = append(d.sequence, x.intern(t.Word, r.lang, buf[:]))
	}
	var l length
	d.content = make([]uint32, 0, len(r.tokens)*2/3)
	for _, w := range d.sequence {
		grams := x.vocabulary.grams(w)
		for _, g := range grams {
			x.entries += x.grams.lists[g].count(at)
		}
		l.grams += int32(len(grams))
		if stem := x.vocabulary.stems[w]; stem != none {
			x.entries += x.stems.lists[stem].count(at)
			d.content = append(d.content, stem)
		}
	}
	l.stems = int32(len(d.content))
	x.docs, x.lengths = append(x.docs, d), append(x.lengths, l)
	x.byID[p.ID] = at
	x.tally(&d, l, 1)
}

func (x *Index) tally(d *doc, l length, sign int) {
	x.gramTotal += int64(sign) * int64(l.grams)
	x.stemTotal += int64(sign) * int64(l.stems)
	x.languages[d.lang] += sign
	x.bytes += int64(sign) * int64(len(d.passage.Text)+len(d.passage.Heading)+4*cap(d.sequence)+4*cap(d.content)+passageBytes)
}

const passageBytes = 320 // of a doc, its strings' headers and its place in byID

// count notes one more occurrence in the newest document and tells how many entries that added.
func (p *postings) count(at uint32) int64 {
	if n := len(*p); n > 0 && (*p)[n-1]>>8 == at {
		if (*p)[n-1]&0xFF < 0xFF {
			(*p)[n-1]++
		}
		return 0
	}
	*p = append(*p, at<<8|1)
	return 1
}

// Forget takes passages out.
func (x *Index) Forget(ids ...parley.PassageID) {
	for part := range slices.Chunk(ids, chunk) {
		x.mu.Lock()
		for _, id := range part {
			x.forget(id)
		}
		x.mu.Unlock()
	}
}

// retain takes out the passages of these sources but those of the version named.
func (x *Index) retain(live map[parley.SourceID]parley.VersionID) {
	var gone []parley.PassageID
	x.mu.RLock()
	for i := range x.docs {
		p := &x.docs[i].passage
		if version, ok := live[p.SourceID]; ok && p.VersionID != version && x.docs[i].sequence != nil {
			gone = append(gone, p.ID)
		}
	}
	x.mu.RUnlock()
	x.Forget(gone...)
}

func (x *Index) forget(id parley.PassageID) {
	at, ok := x.byID[id]
	if !ok {
		return
	}
	d := &x.docs[at]
	x.tally(d, x.lengths[at], -1)
	for _, w := range d.sequence {
		for _, g := range x.vocabulary.grams(w) {
			x.entries -= x.grams.lists[g].drop(at)
		}
		if stem := x.vocabulary.stems[w]; stem != none {
			x.entries -= x.stems.lists[stem].drop(at)
		}
	}
	*d, x.lengths[at] = doc{}, length{}
	delete(x.byID, id)
}

func (p *postings) drop(at uint32) int64 {
	i, _ := slices.BinarySearch(*p, at<<8)
	if i < len(*p) && (*p)[i]>>8 == at {
		*p = slices.Delete(*p, i, i+1)
		return 1
	}
	return 0
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

// Bytes is about how much memory the index takes.
func (x *Index) Bytes() int64 {
	x.mu.RLock()
	defer x.mu.RUnlock()
	const perTerm, perWord = 24 + 8 + 24, 12 + 24 // a slice header with its first entries or a struct, and its place in a map
	terms := int64(len(x.grams.lists)+len(x.stems.lists))*perTerm + int64(len(x.vocabulary.words))*perWord
	return x.bytes + terms + 4*int64(len(x.vocabulary.spelled)) + 5*x.entries
}
