package retrieval

import (
	"context"
	"math"
	"unsafe"

	"parley"
	"parley/internal/text/words"
)

// tokenizedText is a text cut into words.
type tokenizedText struct {
	text   string
	tokens []words.Token
	lang   words.Language
}

// tokenize cuts the text into words. Without function words to tell the language by it is taken for fallback.
func tokenize(into []words.Token, text string, fallback words.Language) tokenizedText {
	r := tokenizedText{text: text, tokens: words.AppendTokens(into[:0], text), lang: fallback}
	if lang, isSure := words.GuessLanguage(r.tokens); isSure {
		r.lang = lang
	}
	return r
}

// word is what the index knows about one word of one language.
type word struct {
	first, last uint32 // its grams, in vocabulary.spelled
	sketch      uint64 // a bit for each: two words with few bits in common are not alike
}

func sketch(grams []uint32) (bits uint64) {
	for _, g := range grams {
		bits |= stemBit(g)
	}
	return bits
}

// termTable counts terms of one kind.
type termTable struct {
	ids          hashTable
	lists        []postings
	freeUnits    []uint16 // where new lists begin: most stay as short as they are
	liveEntries  int64    // entries of documents that are not forgotten
	unitCapacity int64    // the capacity of all lists, in units
}

const (
	blockUnits       = 8192
	initialListUnits = 4
	maxPackedUnits   = 512 // of a list that shares its block with others
)

// intern returns the id of a term, which gets a list once documents are added to it.
func (t *termTable) intern(key uint64) uint32 {
	id, ok := t.ids.find(key)
	if !ok {
		id = uint32(t.ids.count)
		t.ids.add(key, id)
	}
	return id
}

// addList adds the list of the next term.
func (t *termTable) addList() {
	t.lists = append(t.lists, postings{units: t.takeUnits(initialListUnits)})
	t.unitCapacity += initialListUnits
}

func (t *termTable) add(id, doc uint32, times uint8) {
	for int(id) >= len(t.lists) {
		t.addList()
	}
	list := &t.lists[id]
	capacity := cap(list.units)
	list.add(doc, times)
	t.unitCapacity += int64(cap(list.units) - capacity)
	t.liveEntries++
}

// pack writes the lists without space to spare, short ones side by side: growing has left them all over the memory.
func (t *termTable) pack() {
	t.freeUnits, t.unitCapacity = nil, 0
	for i := range t.lists {
		units := &t.lists[i].units
		n := len(*units)
		switch {
		case n <= maxPackedUnits:
			*units = append(t.takeUnits(n), *units...)
		case cap(*units)-n > n/8:
			*units = append(make([]uint16, 0, n+n/32), *units...)
		}
		t.unitCapacity += int64(cap(*units))
	}
}

// takeUnits returns an empty list with the capacity, which is not more than blockUnits.
func (t *termTable) takeUnits(capacity int) []uint16 {
	if len(t.freeUnits) < capacity {
		t.freeUnits = make([]uint16, blockUnits)
	}
	list := t.freeUnits[:0:capacity]
	t.freeUnits = t.freeUnits[capacity:]
	return list
}

// docCount returns how many documents hold the term.
func (t *termTable) docCount(id uint32) int { return int(t.lists[id].liveDocs) }

// size returns how many terms there are, those that no document holds any more among them.
func (t *termTable) size() int { return len(t.lists) }

// bytes returns how much memory the table takes.
func (t *termTable) bytes() int64 {
	return t.ids.bytes() + int64(cap(t.lists))*int64(unsafe.Sizeof(postings{})) + 2*t.unitCapacity +
		2*int64(len(t.freeUnits))
}

// vocabulary interns the words of all documents.
type vocabulary struct {
	ids     hashTable
	words   []word
	stems   []uint32 // of the words; none of a word that carries no meaning of its own
	gramIDs []uint32 // grams of the words, one after another
	kinds   []words.Kind
}

// noStem is the id of words without a stem.
const noStem = math.MaxUint32

// sentenceBreak is the word id that parts two sentences in a document's sequence.
const sentenceBreak = 0

// bytes returns how much memory the vocabulary takes.
func (v *vocabulary) bytes() int64 {
	return v.ids.bytes() + int64(cap(v.words))*int64(unsafe.Sizeof(word{})) + 4*int64(cap(v.stems)+cap(v.gramIDs)) +
		int64(cap(v.kinds))
}

func newVocabulary() vocabulary {
	return vocabulary{words: make([]word, 1), stems: []uint32{noStem}, kinds: make([]words.Kind, 1)}
}

func (v *vocabulary) grams(w uint32) []uint32 {
	return v.gramIDs[v.words[w].first:v.words[w].last]
}

// stem returns the stem of a word, in a list; an empty one for none.
func (v *vocabulary) stem(w uint32) []uint32 {
	if v.stems[w] == noStem {
		return nil
	}
	return v.stems[w : w+1]
}

// wordID returns the id of word i of a passage, and adds a word that is new.
func (x *Index) wordID(w *passageWords, i int) uint32 {
	key := w.Tokens[i].Hash + uint64(w.language)
	if x.bulk != nil {
		if s := x.bulk.recentWords.slot(key); s.key == key && s.id != 0 {
			return s.id
		}
	}
	id, ok := x.vocabulary.ids.find(key)
	if !ok {
		id = x.addWord(key, w.word(i), w.language)
	}
	if x.bulk != nil {
		*x.bulk.recentWords.slot(key) = slot{key, id}
	}
	return id
}

// addWord adds a word and returns its id.
func (x *Index) addWord(key uint64, text string, lang words.Language) uint32 {
	v := &x.vocabulary
	w, stem := word{first: uint32(len(v.gramIDs))}, uint32(noStem)
	if !lang.IsStopWord(text) {
		stem = x.stems.intern(words.Hash(lang.Stem(text)))
	}
	var buf [64]uint64
	for _, g := range words.Grams(buf[:0], text) {
		v.gramIDs = append(v.gramIDs, x.grams.intern(g))
	}
	w.last = uint32(len(v.gramIDs))
	w.sketch = sketch(v.gramIDs[w.first:w.last])
	if stem != noStem {
		x.longWords.add(text, lang)
	}
	id := uint32(len(v.words))
	v.ids.add(key, id)
	v.words, v.stems, v.kinds = append(v.words, w), append(v.stems, stem), append(v.kinds, words.KindOf(text))
	return id
}

// CountPassages returns in how many of the agent's passages each stem occurs, and how many passages there are, as they
// were at the passage version or later.
func (ix *Indexes) CountPassages(ctx context.Context, agent parley.AgentID, passageVersion int64,
	stems []string) (counts []int, all int, err error) {
	x, err := ix.loadIndex(ctx, agent, passageVersion)
	if err != nil {
		return nil, 0, err
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	counts = make([]int, len(stems))
	for i, stem := range stems {
		if id, ok := x.stems.ids.find(words.Hash(stem)); ok {
			counts[i] = x.stems.docCount(id)
		}
	}
	return counts, len(x.byID), nil
}

// hashTable finds ids by hash, with open addressing. Hashes need no second hashing, and nothing is ever removed.
type hashTable struct {
	slots []slot // a power of two of them
	count int
}

type slot struct {
	key uint64
	id  uint32 // and one: 0 is an empty slot
}

func (k *hashTable) find(key uint64) (id uint32, ok bool) {
	if len(k.slots) == 0 {
		return 0, false
	}
	mask := uint64(len(k.slots) - 1)
	for i := key & mask; ; i = (i + 1) & mask {
		switch s := &k.slots[i]; {
		case s.id == 0:
			return 0, false
		case s.key == key:
			return s.id - 1, true
		}
	}
}

// bytes returns how much memory the table takes.
func (k *hashTable) bytes() int64 { return int64(len(k.slots)) * int64(unsafe.Sizeof(slot{})) }

// add adds a key that is not there yet.
func (k *hashTable) add(key uint64, id uint32) {
	if k.isFull(1) {
		k.grow()
	}
	k.insert(slot{key, id + 1})
	k.count++
}

// isFull reports whether the table must grow before more keys are added.
func (k *hashTable) isFull(more int) bool { return 3*len(k.slots) <= 4*(k.count+more) }

func (k *hashTable) grow() {
	old := k.slots
	k.slots = make([]slot, max(64, 2*len(old)))
	for _, s := range old {
		if s.id != 0 {
			k.insert(s)
		}
	}
}

func (k *hashTable) insert(s slot) {
	mask := uint64(len(k.slots) - 1)
	i := s.key & mask
	for k.slots[i].id != 0 {
		i = (i + 1) & mask
	}
	k.slots[i] = s
}
