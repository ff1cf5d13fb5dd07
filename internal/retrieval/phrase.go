package retrieval

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/text/words"
)

// phrase is words that count as one where they are side by side in a passage, whatever is between them: "ERR-4012" is
// also met as "ERR 4012".
type phrase struct {
	words       [][]uint32 // for each its ids: a word has one in each language
	wordIndexes []int      // words of the question that it stands for
	name        uint8      // which of the codes and quotations of the question it is, from 1; 0 for none
}

// Bounds of a question.
const (
	maxPhrases = 64
	maxNames   = 16
)

// addPhrase notes that the words, side by side, stand for those of the message from one to another, and reports whether
// passages may have them.
func (m *queryMessage) addPhrase(list []string, from, to int, name uint8) bool {
	if len(m.out.phrases) == maxPhrases {
		return false
	}
	p := phrase{name: name}
	for _, w := range list {
		ids := m.wordIDs(w)
		if ids == nil {
			return false
		}
		p.words = append(p.words, ids)
	}
	for i := from; i < to; i++ {
		if !m.words[i].isStop {
			p.wordIndexes = append(p.wordIndexes, m.firstWord+i)
		}
	}
	m.out.phrases = append(m.out.phrases, p)
	return true
}

// findQuotes searches for what is in quotation marks in the message.
func (m *queryMessage) findQuotes() {
	for at := 0; at < len(m.text); {
		open, n := utf8.DecodeRuneInString(m.text[at:])
		marks := strings.IndexRune(openingQuotes, open)
		if marks < 0 {
			at += n
			continue
		}
		length := strings.IndexAny(m.text[at+n:], closingQuotes)
		if length < 0 {
			return
		}
		m.addQuote(at+n, at+n+length)
		at += n + length
		_, n = utf8.DecodeRuneInString(m.text[at:])
		at += n
	}
}

const (
	openingQuotes = "\"“„«「『"
	closingQuotes = "\"”“»」』"
)

// addName notes a code or quotation in the message, in the forms that passages may have it in, and what it is worth.
func (m *queryMessage) addName(worth float64, from, to int, forms ...[]string) {
	if m.weight < 1 || len(m.out.nameWorths) == maxNames {
		return
	}
	met := false
	for _, list := range forms {
		met = m.addPhrase(list, from, to, uint8(len(m.out.nameWorths)+1)) || met
	}
	if met {
		m.out.nameWorths = append(m.out.nameWorths, worth)
	}
}

func (m *queryMessage) addQuote(start, end int) {
	from := slices.IndexFunc(m.tokens, func(t words.Token) bool { return t.Start >= start })
	if from < 0 {
		return
	}
	to := from
	for to < len(m.tokens) && m.tokens[to].End <= end {
		to++
	}
	if to > from+1 {
		m.addName(defaultWeights.quote, from, to, tokenWords(m.tokens[from:to]))
	}
}

// findCodes looks for error codes, versions, model and standard numbers: "ERR-4012", "X-200", "ISO 27001", "err4012".
func (m *queryMessage) findCodes() {
	for i := 0; i < len(m.tokens); {
		end, word := m.codeEnd(i), m.tokens[i].Word
		if list := tokenWords(m.tokens[i:end]); len(list) > 1 {
			whole := strings.Join(list, "")
			m.addName(defaultWeights.code, i, end, list, []string{whole})
			m.addAlternative(whole, i, end, 1)
		} else if parts := cutCode(word); parts != nil {
			m.addName(defaultWeights.code, i, end, parts, list)
		}
		i = end
	}
}

// codeEnd returns where the code that begins with token i ends; i+1 if none begins.
func (m *queryMessage) codeEnd(i int) int {
	end, digits := i+1, hasDigit(m.tokens[i].Word)
	letters := hasLetter(m.tokens[i].Word)
	for end < len(m.tokens) && !m.tokens[end].Unspaced {
		gap := m.gapBefore(end)
		bound := len(gap) == 1 && strings.Contains("-_/.#:", gap)
		named := gap == " " && end == i+1 && isNumber(m.tokens[end].Word) &&
			isUpper(m.text[m.tokens[i].Start:m.tokens[i].End])
		if !bound && !named {
			break
		}
		digits = digits || hasDigit(m.tokens[end].Word)
		letters = letters || hasLetter(m.tokens[end].Word)
		end++
	}
	if !digits || !letters || m.tokens[i].Unspaced {
		return i + 1
	}
	return end
}

// cutCode parts letters from digits; nil where a word has but one of them.
func cutCode(word string) (parts []string) {
	if !hasDigit(word) || !hasLetter(word) {
		return nil
	}
	from := 0
	for i := 1; i <= len(word); i++ {
		if i == len(word) || digit(word[i]) != digit(word[i-1]) && word[i] != '.' && word[i-1] != '.' {
			parts, from = append(parts, word[from:i]), i
		}
	}
	return parts
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

func hasDigit(word string) bool { return strings.ContainsAny(word, "0123456789") }

// hasLetter reports whether a word has a Latin letter: codes have those, whatever language the text around is in.
func hasLetter(word string) bool { return strings.ContainsAny(word, "abcdefghijklmnopqrstuvwxyz") }

func isNumber(word string) bool { return strings.Trim(word, "0123456789.") == "" }

// isUpper reports whether a word is an abbreviation: letters, all of them upper case.
func isUpper(s string) bool {
	for _, r := range s {
		if !unicode.IsUpper(r) {
			return false
		}
	}
	return true
}

// subjectPhrase is a phrase with the subjects that it stands for.
type subjectPhrase struct {
	words    [][]uint32
	subjects []uint8
	name     uint8
}

// preparePhrases makes ready to look for the phrases; subjects holds one for each word of the question, or -1.
func (r *reader) preparePhrases(phrases []phrase, subjects []int) {
	for _, p := range phrases {
		s := subjectPhrase{words: p.words, name: p.name}
		for _, w := range p.wordIndexes {
			if subjects[w] >= 0 {
				s.subjects = append(s.subjects, uint8(subjects[w]))
			}
		}
		for _, id := range p.words[len(p.words)-1] {
			r.phraseEndBits |= stemBit(id)
		}
		r.phrases = append(r.phrases, s)
	}
}

// spot is a place in a passage where a subject was found.
type spot struct {
	position int
	subject  uint8
	strength float64
}

// matchPhrases finds the phrases that end at a place.
func (p *passageRead) matchPhrases(at int) {
	for _, s := range p.phrases {
		if !s.endsWith(p.sequence[:at+1]) {
			continue
		}
		for _, subject := range s.subjects {
			p.recordMatch(at, wordMatch{subject: subject, strength: 1})
		}
		if s.name > 0 {
			p.foundNames |= 1 << s.name
		}
	}
}

// nameScore returns the mean of what the codes and quotations that were found are worth, with nothing for the others.
func (p *passageRead) nameScore() (sum float64) {
	for i, worth := range p.nameWorths {
		if p.foundNames>>(i+1)&1 == 1 {
			sum += worth / float64(len(p.nameWorths))
		}
	}
	return sum
}

// endsWith reports whether the words end with the phrase.
func (s *subjectPhrase) endsWith(list []uint32) bool {
	if len(list) < len(s.words) {
		return false
	}
	for i, w := range list[len(list)-len(s.words):] {
		if !slices.Contains(s.words[i], w) {
			return false
		}
	}
	return true
}

// nearWindow is how many words around something are taken to tell what it is about.
const nearWindow = 20

// kindScore returns the largest share of the question's words around something of the kind that it asks for.
func (p *passageRead) kindScore() (best float64) {
	for _, at := range p.kindPositions {
		var met matchStrengths
		sum := 0.0
		for _, s := range p.spots {
			if s.position >= at-nearWindow && s.position <= at+nearWindow && s.strength > met[s.subject] {
				sum += p.subjects[s.subject].weight * (s.strength - met[s.subject])
				met[s.subject] = s.strength
			}
		}
		best = max(best, sum/p.totalWeight)
	}
	return best
}

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
