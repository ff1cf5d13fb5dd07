package retrieval

import (
	"encoding/binary"
	"math"
)

// encode returns the sequence in a shorter form: common words have small numbers, and those take one byte or two.
func (p *writerScratch) encode() string {
	p.encodedWords = p.encodedWords[:0]
	for _, w := range p.sequence {
		p.encodedWords = binary.AppendUvarint(p.encodedWords, uint64(w))
	}
	return string(p.encodedWords)
}

// sequence returns the words of a document in order, sentences apart by sentenceBreak. It may use into.
func (x *Index) sequence(doc uint32, into []uint32) []uint32 {
	into = into[:0]
	if x.wordLists.isKept && x.docs[doc].encodedWords != "" {
		list := x.wordLists.of(doc)
		into = resize(into, len(list))
		for i, w := range list {
			into[i] = uint32(w)
		}
		return into
	}
	s := x.docs[doc].encodedWords
	for i := 0; i < len(s); {
		w := uint32(s[i])
		i++
		if w >= 0x80 {
			w &= 0x7F
			for shift := 7; ; shift += 7 {
				b := s[i]
				i++
				w |= uint32(b&0x7F) << shift
				if b < 0x80 {
					break
				}
			}
		}
		into = append(into, w)
	}
	return into
}

// wordLists holds the words of all documents of a small index as they are read, one document after another: a search
// reads dozens of passages, and to decode them takes longer than to read them.
type wordLists struct {
	isKept bool // false once the index is no longer small
	words  []uint16
	ends   []uint32 // by document
}

// Bounds of a small index.
const (
	maxListedDocs  = 2000
	maxListedWords = 1 << 19
)

func newWordLists() wordLists { return wordLists{isKept: true} }

// add adds the words of the next document.
func (l *wordLists) add(sequence []uint32) {
	if !l.isKept {
		return
	}
	if len(l.ends) == maxListedDocs || len(l.words)+len(sequence) > maxListedWords {
		*l = wordLists{}
		return
	}
	for _, w := range sequence {
		if w > math.MaxUint16 {
			*l = wordLists{}
			return
		}
		l.words = append(l.words, uint16(w))
	}
	l.ends = append(l.ends, uint32(len(l.words)))
}

// of returns the words of a document.
func (l *wordLists) of(doc uint32) []uint16 {
	if doc == 0 {
		return l.words[:l.ends[0]]
	}
	return l.words[l.ends[doc-1]:l.ends[doc]]
}

// bytes returns how much memory the lists take.
func (l *wordLists) bytes() int64 { return 2*int64(cap(l.words)) + 4*int64(cap(l.ends)) }
