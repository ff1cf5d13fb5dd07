// Package dictionary translates words by dictionaries that the operator has installed or written: those of the dictd
// server (as FreeDict publishes them) and tables of words. A Set finds the files, reads those of a pair of languages
// when it is first asked for, and keeps what it has read once for the whole server.
package dictionary

import (
	"cmp"
	"slices"

	"parley/internal/text/words"
)

// Translation is a word of what a headword is translated by.
type Translation struct {
	Word  string // folded
	Parts int    // how many words with a meaning the whole translation has; 1 if it is this one
}

// Equivalents is what stands for a word in one other language.
type Equivalents struct {
	Language words.Language
	Words    []string // folded
}

// Dictionary translates words of one language into another. Nothing changes once it is built.
//
// Headwords are kept by hashes only: first that of the stem, so that all forms of a word are side by side, then that of
// the word itself.
type Dictionary struct {
	from, to words.Language
	keys     []uint64 // of the headwords, ascending
	starts   []uint32 // where their translations begin in targets, and one more for the end of the last
	targets  []uint32 // in the lower bits the word, in the upper ones of how many parts it is one
	texts    string   // the words that translations are made of, one after another
	ends     []uint32 // where each ends
}

const (
	wordBits     = 24 // of a key that tell apart the words of one stem
	targetBits   = 28 // of a target that number the word
	targetMask   = 1<<targetBits - 1
	maxParts     = 3 // words with a meaning of a translation: more describe it
	maxTargets   = 12
	maxWordBytes = 64
	maxHeadwords = 1 << 21 // of a file; what comes after is left out
)

// Len returns how many headwords there are.
func (d *Dictionary) Len() int { return len(d.keys) }

// Bytes returns about how much memory the dictionary takes.
func (d *Dictionary) Bytes() int {
	return 8*cap(d.keys) + 4*(cap(d.starts)+cap(d.targets)+cap(d.ends)) + len(d.texts)
}

func headwordKey(stem, word string) uint64 {
	return words.Hash(stem)>>wordBits<<wordBits | words.Hash(word)>>(64-wordBits)
}

// find returns the translations of the word, else those of all headwords with its stem; nil for none.
func (d *Dictionary) find(word string) []uint32 {
	key := headwordKey(d.from.Stem(word), word)
	stem := key >> wordBits << wordBits
	first, _ := slices.BinarySearch(d.keys, stem)
	last := first
	for ; last < len(d.keys) && d.keys[last]>>wordBits == key>>wordBits; last++ {
		if d.keys[last] == key {
			return d.targets[d.starts[last]:d.starts[last+1]]
		}
	}
	if first == last {
		return nil
	}
	return d.targets[d.starts[first]:d.starts[last]]
}

func (d *Dictionary) target(t uint32) Translation {
	i, from := t&targetMask, uint32(0)
	if i > 0 {
		from = d.ends[i-1]
	}
	return Translation{d.texts[from:d.ends[i]], int(t >> targetBits)}
}

// builder collects headwords with their translations.
type builder struct {
	from, to words.Language
	pairs    []builtPair
	ids      map[string]uint32 // of the words of translations
	list     []string
	last     string // headword, of the pairs that were added last
	lastKey  uint64
	count    int // headwords added, several times where they are
}

// builtPair is a headword with one word of a translation.
type builtPair struct {
	key    uint64
	target uint32
	order  uint32
}

func newBuilder(from, to words.Language) *builder {
	return &builder{from: from, to: to, ids: map[string]uint32{}}
}

// add adds a translation of a headword. Function words beside it are left out ("to go", "sich freuen"); headwords of
// several words are not looked up, and are left out as a whole.
func (b *builder) add(headword, translation string) {
	if headword != b.last {
		b.last, b.lastKey = headword, 0
		if word, ok := onlyContentWord(b.from, headword); ok {
			b.lastKey = headwordKey(b.from.Stem(word), word)
			b.count++
		}
	}
	if b.lastKey == 0 || b.count > maxHeadwords {
		return
	}
	parts := contentWords(b.to, translation)
	if len(parts) == 0 || len(parts) > maxParts {
		return
	}
	for _, word := range parts {
		target := b.wordID(word) | uint32(len(parts))<<targetBits //nolint:gosec // at most maxParts
		b.pairs = append(b.pairs, builtPair{b.lastKey, target, uint32(len(b.pairs))})
	}
}

func (b *builder) wordID(word string) uint32 {
	id, ok := b.ids[word]
	if !ok {
		id = uint32(len(b.list)) //nolint:gosec // bounded by maxHeadwords
		b.ids[word] = id
		b.list = append(b.list, word)
	}
	return id
}

func contentWords(lang words.Language, text string) (list []string) {
	for t := range words.Tokens(text) {
		if !lang.IsStopWord(t.Word) && len(t.Word) <= maxWordBytes && !isPlaceholder[t.Word] {
			list = append(list, t.Word)
		}
	}
	return list
}

// isPlaceholder holds what dictionaries write in place of the persons and things that a verb has.
var isPlaceholder = words.NewSet("sth sb sbd smb smth so etw jdn jdm jmd jmdn jmdm jds jmds qn qc qch algn " +
	"algo sich oneself")

// onlyContentWord returns the only word of a headword that has a meaning of its own, or the only word at all.
func onlyContentWord(lang words.Language, headword string) (string, bool) {
	list := contentWords(lang, headword)
	return append(list, "")[0], len(list) == 1
}

// build returns the dictionary of what was added. Of a headword's translations those come first that are given for the
// most of its senses, then those that were added first.
func (b *builder) build() *Dictionary {
	d := &Dictionary{from: b.from, to: b.to}
	slices.SortFunc(b.pairs, func(x, y builtPair) int {
		return cmp.Or(cmp.Compare(x.key, y.key), cmp.Compare(x.order, y.order))
	})
	for from := 0; from < len(b.pairs); {
		to := from
		for to < len(b.pairs) && b.pairs[to].key == b.pairs[from].key {
			to++
		}
		d.keys, d.starts = append(d.keys, b.pairs[from].key), append(d.starts, uint32(len(d.targets)))
		d.targets = appendTargets(d.targets, b.pairs[from:to])
		from = to
	}
	d.starts = append(d.starts, uint32(len(d.targets)))
	d.keys, d.starts, d.targets = slices.Clip(d.keys), slices.Clip(d.starts), slices.Clip(d.targets)
	d.setTexts(b.list)
	return d
}

// appendTargets appends the targets of one headword.
func appendTargets(into []uint32, pairs []builtPair) []uint32 {
	counts := map[uint32]int{}
	var list []uint32
	for _, p := range pairs {
		if counts[p.target]++; counts[p.target] == 1 {
			list = append(list, p.target)
		}
	}
	slices.SortStableFunc(list, func(x, y uint32) int { return cmp.Compare(counts[y], counts[x]) })
	return append(into, list[:min(len(list), maxTargets)]...)
}

func (d *Dictionary) setTexts(list []string) {
	size := 0
	for _, w := range list {
		size += len(w)
	}
	text := make([]byte, 0, size)
	d.ends = make([]uint32, len(list))
	for i, w := range list {
		text = append(text, w...)
		d.ends[i] = uint32(len(text)) //nolint:gosec // of at most maxHeadwords short words
	}
	d.texts = string(text)
}
