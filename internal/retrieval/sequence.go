package retrieval

import "encoding/binary"

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
