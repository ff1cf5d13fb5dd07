package words

import (
	"sync"
	"unicode/utf8"
)

// HashedToken is a word of a text by its hash.
type HashedToken struct {
	Hash       uint64 // of the folded word, as Hash returns it
	Start, End uint32 // byte span in the text
}

// Word returns the folded word of a token of the text.
func (t HashedToken) Word(text string) string {
	if r, _ := decodeRune(text, int(t.Start)); IsUnspacedRune(r) {
		return Fold(text[t.Start:t.End])
	}
	if name, _ := signWord(text, int(t.Start), signAt(text, int(t.Start))); name != "" {
		return name
	}
	word, _ := foldWord(nil, text, int(t.Start))
	return string(word)
}

// signAt returns the character at i where it is a sign that may be a word.
func signAt(text string, i int) rune {
	if c := text[i]; isASCIIAlnum(rune(c)) {
		return 0
	}
	r, _ := decodeRune(text, i)
	return r
}

// Scanner cuts texts into the words that Tokens returns, for an index that looks words up by their hashes: no word is
// written down. It counts what their language shows by while it does so.
type Scanner struct {
	Tokens  []HashedToken // of all texts since Reset
	votes   languageCounts
	scripts languageCounts
	word    []byte

	functionWords *functionWordTable
}

// Reset forgets all texts.
func (s *Scanner) Reset() {
	s.Tokens, s.votes, s.scripts = s.Tokens[:0], languageCounts{}, languageCounts{}
}

// Language returns the language of the tokens as GuessLanguage does.
func (s *Scanner) Language() (lang Language, isSure bool) {
	scripts := s.scripts
	ofScript, isForeign := scripts.languagesOfScript()
	if len(ofScript) == 1 {
		return ofScript[0], true
	}
	lang, isSure = s.votes.mostVotes(ofScript)
	return lang, isSure || isForeign
}

// Scan appends the tokens of another text.
func (s *Scanner) Scan(text string) {
	s.functionWords = functionWordHashes()
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case foldedASCII[c] != 0:
			i = s.scanWord(text, i)
		case c == ']':
			i += linkTargetLength(text[i:])
		case c == '.' || c == '$':
			i = s.scanSign(text, i, rune(c), 1)
		case c < utf8.RuneSelf:
			i++
		default:
			i = s.scanRune(text, i)
		}
	}
}

// mayAddSign holds the signs of ASCII that may belong to a short word.
var mayAddSign = [256]bool{'+': true, '#': true, '&': true, '\'': true, '`': true}

// scanWord adds the word that begins with a letter or digit of ASCII, and returns where it ends.
func (s *Scanner) scanWord(text string, from int) int {
	hash, i := uint64(hashOffset), from
	for ; i < len(text); i++ {
		c := foldedASCII[text[i]]
		if c == 0 {
			break
		}
		hash = (hash ^ uint64(c)) * hashPrime
	}
	if i < len(text) {
		if c := text[i]; c >= utf8.RuneSelf || (c == '.' || c == ',') && betweenDigits(text, i) ||
			i-from <= maxAmpersandLetters && mayAddSign[c] {
			return s.scanLetters(text, from)
		}
	}
	s.add(HashedToken{mixBits(hash), uint32(from), uint32(i)}, rune(foldedASCII[text[from]])) //nolint:gosec // a text
	return i
}

// scanLetters adds the word that begins there, of whatever letters, and returns where it ends.
func (s *Scanner) scanLetters(text string, from int) (end int) {
	if s.word, end = foldWord(s.word[:0], text, from); len(s.word) > 0 {
		s.addFolded(from, end)
	}
	return end
}

// scanRune adds the word that may begin with a character beyond ASCII, and returns where to go on.
func (s *Scanner) scanRune(text string, i int) int {
	r, n := decodeRune(text, i)
	switch {
	case !isWordRune(r):
		return s.scanSign(text, i, r, n)
	case IsUnspacedRune(r):
		end := i + n
		s.word = appendFolded(s.word[:0], r)
		if next, m := decodeNext(text, end); IsUnspacedRune(next) {
			s.word, end = appendFolded(s.word, next), end+m
		}
		s.addFolded(i, end)
		return i + n
	}
	return s.scanLetters(text, i)
}

// scanSign adds the word that a sign of n bytes may be, and returns where to go on.
func (s *Scanner) scanSign(text string, i int, r rune, n int) int {
	name, end := signWord(text, i, r)
	if name == "" {
		return i + n
	}
	s.word = append(s.word[:0], name...)
	s.addFolded(i, end)
	return end
}

// addFolded adds the word that has been folded.
func (s *Scanner) addFolded(from, end int) {
	hash := uint64(hashOffset)
	for _, c := range s.word {
		hash = (hash ^ uint64(c)) * hashPrime
	}
	first, _ := utf8.DecodeRune(s.word)
	s.add(HashedToken{mixBits(hash), uint32(from), uint32(end)}, first) //nolint:gosec // a text
}

func (s *Scanner) add(t HashedToken, first rune) {
	if len(s.Tokens) < scriptTokens {
		s.scripts.countScript(first)
	}
	if languages := s.functionWords.find(t.Hash); languages != 0 {
		s.votes.countVotes(languages)
	}
	s.Tokens = append(s.Tokens, t)
}

// functionWordTable finds the languages of function words by the words' hashes.
type functionWordTable struct {
	marks [1 << 9]uint64 // a bit for each word: most words need not be looked up
	slots [1 << 13]struct {
		hash      uint64
		languages uint32 // 0 where the place is free
	}
}

var functionWordHashes = sync.OnceValue(newFunctionWordTable)

func newFunctionWordTable() *functionWordTable {
	t := &functionWordTable{}
	for word, languages := range loadTables().functionWords.languagesOf {
		hash := Hash(word)
		mark, bit := t.mark(hash)
		*mark |= bit
		i := hash % uint64(len(t.slots))
		for t.slots[i].languages != 0 {
			i = (i + 1) % uint64(len(t.slots))
		}
		t.slots[i].hash, t.slots[i].languages = hash, languages
	}
	return t
}

func (t *functionWordTable) mark(hash uint64) (mark *uint64, bit uint64) {
	return &t.marks[hash>>32%uint64(len(t.marks))], 1 << (hash >> 58)
}

func (t *functionWordTable) find(hash uint64) (languages uint32) {
	if mark, bit := t.mark(hash); *mark&bit == 0 {
		return 0
	}
	for i := hash % uint64(len(t.slots)); t.slots[i].languages != 0; i = (i + 1) % uint64(len(t.slots)) {
		if t.slots[i].hash == hash {
			return t.slots[i].languages
		}
	}
	return 0
}
