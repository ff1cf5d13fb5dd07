package retrieval

import (
	"math"
	"strings"
	"unsafe"

	"parley/internal/words"
)

// reading is a text cut into words.
type reading struct {
	text   string
	tokens []words.Token
	lang   words.Language
}

// read cuts the text into words. Without function words to tell the language by it is taken for fallback.
func read(into []words.Token, text string, fallback words.Language) reading {
	r := reading{text: text, tokens: words.Cut(into[:0], text), lang: fallback}
	if lang, sure := words.Guess(r.tokens); sure {
		r.lang = lang
	}
	return r
}

// begins reports that a sentence begins with the token.
func (r *reading) begins(i int) bool {
	if i == 0 {
		return false
	}
	end, start := r.tokens[i-1].End, r.tokens[i].Start
	return start > end && parts(r.text[end:start])
}

// parts reports whether the gap between two words ends a sentence.
func parts(gap string) bool {
	if len(gap) == 1 {
		return gap[0] == '\n' || gap[0] == '|' // a full stop between two words parts no sentences
	}
	return strings.ContainsAny(gap, ".!?\n|。！？؟")
}

// word is what the index knows about one word of one language.
type word struct {
	first, last uint32 // its grams, in vocabulary.spelled
	sketch      uint64 // a bit for each: two words with few bits in common are not alike
}

func sketch(grams []uint32) (bits uint64) {
	for _, g := range grams {
		bits |= bit(g)
	}
	return bits
}

// table counts terms of one kind.
type table struct {
	ids   keys
	lists []postings
	block []uint16 // where new lists begin: most stay as short as they are
	live  int64    // entries of documents that are not forgotten
	units int64    // that there is room for in all lists
}

const (
	listBlock  = 8192
	shortLists = 4
)

func (t *table) id(key uint64) uint32 {
	id, ok := t.ids.find(key)
	if !ok {
		id = uint32(len(t.lists))
		t.ids.add(key, id)
		if len(t.block) < shortLists {
			t.block = make([]uint16, listBlock)
		}
		t.lists = append(t.lists, postings{units: t.block[:0:shortLists]})
		t.block = t.block[shortLists:]
		t.units += shortLists
	}
	return id
}

func (t *table) add(id, doc uint32, times uint8) {
	list := &t.lists[id]
	room := cap(list.units)
	list.add(doc, times)
	t.units += int64(cap(list.units) - room)
	t.live++
}

// held tells how many documents hold the term.
func (t *table) held(id uint32) int { return int(t.lists[id].live) }

// size tells how many terms there are, those that no document holds any more among them.
func (t *table) size() int { return len(t.lists) }

// bytes is how much memory the table takes.
func (t *table) bytes() int64 {
	return t.ids.bytes() + int64(cap(t.lists))*int64(unsafe.Sizeof(postings{})) + 2*t.units + 2*int64(len(t.block))
}

// vocabulary interns the words of all documents.
type vocabulary struct {
	ids     keys
	words   []word
	stems   []uint32 // of the words; none of a word that carries no meaning of its own
	spelled []uint32 // grams of the words, one after another
	kinds   []words.Kind
}

// none is no stem.
const none = math.MaxUint32

// pause is the word id that parts two sentences in a document's sequence.
const pause = 0

// bytes is how much memory the vocabulary takes.
func (v *vocabulary) bytes() int64 {
	return v.ids.bytes() + int64(cap(v.words))*int64(unsafe.Sizeof(word{})) + 4*int64(cap(v.stems)+cap(v.spelled)) + int64(cap(v.kinds))
}

func newVocabulary() vocabulary {
	return vocabulary{words: make([]word, 1), stems: []uint32{none}, kinds: make([]words.Kind, 1)}
}

func (v *vocabulary) grams(w uint32) []uint32 {
	return v.spelled[v.words[w].first:v.words[w].last]
}

// intern gives the id of the word, spelling it out at the first sight.
func (x *Index) intern(text string, lang words.Language, buf []uint64) uint32 {
	v := &x.vocabulary
	key := words.Hash(text) + uint64(lang)
	if id, ok := v.ids.find(key); ok {
		return id
	}
	w, stem := word{first: uint32(len(v.spelled))}, uint32(none)
	if !lang.IsStop(text) {
		stem = x.stems.id(words.Hash(lang.Stem(text)))
	}
	for _, g := range words.Grams(buf[:0], text) {
		v.spelled = append(v.spelled, x.grams.id(g))
	}
	w.last = uint32(len(v.spelled))
	w.sketch = sketch(v.spelled[w.first:w.last])
	id := uint32(len(v.words))
	v.ids.add(key, id)
	v.words, v.stems, v.kinds = append(v.words, w), append(v.stems, stem), append(v.kinds, words.KindOf(text))
	return id
}
