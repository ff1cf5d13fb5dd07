package retrieval

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"parley/internal/text/words"
)

// A question is read in the words that the passages have for it: "iphone 15" where they write "iPhone15", "re-entry"
// where they write "reentry", "Rückerstattung" for "rueckerstattung", a telephone number in its groups, and a slip of
// the pen as what was meant. What passages have as it was typed is never read as something else.

// Reading is a question as it was typed, and in the words that the passages have for it.
type Reading struct{ Typed, Read string }

// messageReader reads a message in the words of the passages.
type messageReader struct {
	*Index
	text   string
	tokens []words.Token
	lang   words.Language
	out    strings.Builder
	end    int             // of what has been written to out
	typos  map[string]bool // words that stand for misspelt ones; nil for none

	moments []words.Moment // days and hours of the message

	isForeign    bool            // dictionaries say what the words mean
	synonymWords map[string]bool // words that the operator says mean the same as others
}

// readMessage returns the message in the words of the passages, and which of its words stand for misspelt ones.
func (x *Index) readMessage(typed string, synonyms [][]string, translator *translator) (reading string,
	typos map[string]bool) {
	text := words.ToStandardForm(typed)
	t := tokenize(nil, text, x.language())
	r := &messageReader{Index: x, text: text, tokens: t.tokens[:min(len(t.tokens), maxQueryWords)], lang: t.lang,
		isForeign: translator != nil && t.lang == translator.from, synonymWords: wordsOf(synonyms),
		moments: words.FindMoments(text)}
	for i := 0; i < len(r.tokens); {
		i = r.readToken(i)
	}
	if r.end == 0 {
		return typed, nil
	}
	r.out.WriteString(text[r.end:])
	return r.out.String(), r.typos
}

func wordsOf(groups [][]string) map[string]bool {
	if len(groups) == 0 {
		return nil
	}
	set := map[string]bool{}
	for _, group := range groups {
		for _, member := range group {
			for t := range words.Tokens(member) {
				set[t.Word] = true
			}
		}
	}
	return set
}

// readToken reads what begins with token i, and returns the token to go on with.
func (r *messageReader) readToken(i int) (next int) {
	t := r.tokens[i]
	if t.Unspaced {
		return i + 1
	}
	if end, form := r.writtenMoment(i); end > i {
		if form != "" {
			r.replace(i, end, form)
		}
		return end
	}
	if end, word := r.joinedForm(i); end > i+1 {
		r.replace(i, end, word)
		return end
	}
	if r.isKnown(t.Word) {
		return i + 1
	}
	if form, ok := r.otherForm(t); ok {
		r.replace(i, i+1, form)
	} else if word, ok := r.meantWord(t); ok {
		r.replace(i, i+1, word)
		if r.typos == nil {
			r.typos = map[string]bool{}
		}
		r.typos[word] = true
	}
	return i + 1
}

// writtenMoment returns the end of the day or hour that begins with token i, and how passages write it: empty where
// they write it as it was typed. The end is i if no day or hour begins there, or passages name none of them.
func (r *messageReader) writtenMoment(i int) (end int, form string) {
	for _, m := range r.moments {
		if m.Start != r.tokens[i].Start {
			continue
		}
		for end = i; end < len(r.tokens) && r.tokens[end].End <= m.End; {
			end++
		}
		if end > i && r.hasPhrase(tokenWords(r.tokens[i:end])) {
			return end, ""
		}
		for _, form := range m.Forms() {
			if end == i || !r.hasPhrase(tokenWords(words.AppendTokens(nil, form))) {
				continue
			}
			if year := strconv.Itoa(m.Year); m.Year > 0 && !strings.Contains(form, year) {
				form += " " + year
			}
			return end, form
		}
		break
	}
	return i, ""
}

// replace writes the form in place of the tokens.
func (r *messageReader) replace(from, to int, form string) {
	r.out.WriteString(r.text[r.end:r.tokens[from].Start])
	r.out.WriteString(form)
	r.end = r.tokens[to-1].End
}

// isKnown reports whether a passage has the word in some form, or whether it has no meaning of its own.
func (r *messageReader) isKnown(word string) bool {
	if r.lang.IsStopWord(word) || r.synonymWords[word] {
		return true
	}
	id, ok := r.stems.ids.find(words.Hash(r.lang.Stem(word)))
	return ok && r.stems.docCount(id) > 0 || r.isLive(word)
}

// isLive reports whether a passage has the word itself, in whatever language.
func (x *Index) isLive(word string) bool {
	return slices.ContainsFunc(x.wordIDs(word), func(id uint32) bool {
		stem := x.vocabulary.stems[id]
		return stem == noStem || x.stems.docCount(stem) > 0
	})
}

// Bounds of a run that may be one word.
const (
	maxRunTokens   = 10
	maxJoinedBytes = 40
)

// joinedForm returns the longest run from token i that passages write as one word, and not as it was typed.
func (r *messageReader) joinedForm(i int) (end int, form string) {
	word, isCode := r.tokens[i].Word, hasDigit(r.tokens[i].Word)
	end = i + 1
	for to := i + 1; to < min(len(r.tokens), i+maxRunTokens) && r.isRunGap(to, isCode); to++ {
		word += r.tokens[to].Word
		if isCode = isCode || hasDigit(r.tokens[to].Word); len(word) > maxJoinedBytes {
			break
		}
		if len(word) >= minJoinedBytes-1 && r.isLive(word) && !r.hasPhrase(tokenWords(r.tokens[i:to+1])) {
			end, form = to+1, word
		}
	}
	return end, form
}

// isRunGap reports whether the token may belong to the word before it: behind a sign, or behind a space where one of
// the two has digits.
func (r *messageReader) isRunGap(i int, isCode bool) bool {
	if r.tokens[i].Unspaced || r.tokens[i].Start < r.tokens[i-1].End {
		return false
	}
	gap := r.text[r.tokens[i-1].End:r.tokens[i].Start]
	switch {
	case len(gap) > 3 || gap == "":
		return gap == ""
	case isCode || hasDigit(r.tokens[i].Word):
		return strings.Trim(gap, " \u00a0\u202f-_/.()#'’") == ""
	}
	return gap == "-" || gap == "'" || gap == "’" || gap == "/"
}

func tokenWords(tokens []words.Token) (list []string) {
	for _, t := range tokens {
		list = append(list, t.Word)
	}
	return list
}

// maxPhraseDocs is how many passages are looked through for a phrase.
const maxPhraseDocs = 64

// hasPhrase reports whether some passage has the words side by side.
func (x *Index) hasPhrase(list []string) bool {
	var docs []uint32
	p := subjectPhrase{}
	for i, word := range list {
		ids := x.wordIDs(word)
		if ids == nil {
			return false
		}
		p.words = append(p.words, ids)
		if with := x.docsWith(ids); with != nil && (docs == nil || len(with) < len(docs) || i == 0) {
			docs = with
		}
	}
	var sequence []uint32
	for _, doc := range docs[:min(len(docs), maxPhraseDocs)] {
		sequence = x.sequence(doc, sequence)
		for end := len(list); end <= len(sequence); end++ {
			if p.endsWith(sequence[:end]) {
				return true
			}
		}
	}
	return false
}

// docsWith returns passages that hold one of the words; nil for words without a meaning of their own.
func (x *Index) docsWith(ids []uint32) (docs []uint32) {
	for _, id := range ids {
		if stem := x.vocabulary.stems[id]; stem != noStem {
			x.stems.lists[stem].forEach(func(doc uint32, _ uint8) {
				if x.lengths[doc].stems > 0 {
					docs = append(docs, doc)
				}
			})
		}
	}
	return docs
}

// otherForm returns how passages write a word that they do not have as it was typed.
func (r *messageReader) otherForm(t words.Token) (form string, ok bool) {
	for form := range spelledOut(t.Word) {
		if r.isKnown(form) {
			return form, true
		}
	}
	for form := range withUmlauts(words.Compose(r.text[t.Start:t.End])) {
		if r.isKnown(form) {
			return form, true
		}
	}
	if grouped := groupDigits(t.Word); grouped != "" && r.isLive(grouped) {
		return grouped, true
	}
	if plain := strings.ReplaceAll(t.Word, ".", ""); plain != t.Word && groupDigits(plain) == t.Word && r.isLive(plain) {
		return plain, true
	}
	return r.splitForm(t.Word)
}

// groupDigits returns a whole number with points between its groups of three digits, as German texts write it; empty
// for what is no such number.
func groupDigits(word string) string {
	if len(word) < 4 || len(word) > 15 || strings.Trim(word, "0123456789") != "" {
		return ""
	}
	var b strings.Builder
	for i := range len(word) {
		if i > 0 && (len(word)-i)%3 == 0 {
			b.WriteByte('.')
		}
		b.WriteByte(word[i])
	}
	return b.String()
}

// German letters that keyboards lack are written as two. Folded words have "u" for "ü".
var umlauts = []struct{ letter, pair, plain string }{{"ä", "ae", "a"}, {"ö", "oe", "o"}, {"ü", "ue", "u"}}

// spelledOut yields the forms of a folded word in which pairs of letters may stand for an umlaut: all of them, then
// each.
func spelledOut(word string) func(yield func(form string) bool) {
	return func(yield func(form string) bool) {
		all := word
		for _, u := range umlauts {
			all = strings.ReplaceAll(all, u.pair, u.plain)
		}
		if all == word || !yield(all) {
			return
		}
		for _, u := range umlauts {
			for at := 0; ; at++ {
				i := strings.Index(word[at:], u.pair)
				if i < 0 {
					break
				}
				at += i
				if !yield(word[:at] + u.plain + word[at+len(u.pair):]) {
					return
				}
			}
		}
	}
}

// withUmlauts yields the word with its umlauts written as two letters.
func withUmlauts(typed string) func(yield func(form string) bool) {
	return func(yield func(form string) bool) {
		spelled := strings.ToLower(typed)
		for _, u := range umlauts {
			spelled = strings.ReplaceAll(spelled, u.letter, u.pair)
		}
		if spelled != strings.ToLower(typed) {
			yield(words.Fold(spelled))
		}
	}
}

// maxSplitTries bounds the ways to cut a word that are tried.
const maxSplitTries = 2000

// splitForm returns the word in the parts in which passages have it side by side.
func (r *messageReader) splitForm(word string) (form string, ok bool) {
	if len(word) < minJoinedBytes-1 || len(word) > maxJoinedBytes {
		return "", false
	}
	maxParts := 2
	separator := "-"
	if hasDigit(word) {
		maxParts, separator = maxRunTokens, " "
	}
	tries := 0
	var cut func(rest string, parts []string) []string
	cut = func(rest string, parts []string) []string {
		if tries++; tries > maxSplitTries || len(parts) == maxParts {
			return nil
		}
		for at := 1; at <= len(rest); at++ {
			if at < len(rest) && !utf8.RuneStart(rest[at]) || at == len(word) || !r.isLive(rest[:at]) {
				continue
			}
			list := append(slices.Clip(parts), rest[:at])
			if at == len(rest) {
				if r.hasPhrase(list) {
					return list
				}
				continue
			}
			if found := cut(rest[at:], list); found != nil {
				return found
			}
		}
		return nil
	}
	parts := cut(word, nil)
	return strings.Join(parts, separator), parts != nil
}
