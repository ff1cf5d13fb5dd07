package llm

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"parley/internal/words"
)

// longestWish is how many bytes of a message are looked through for a wish; a longer one is no chat but a document.
const longestWish = 4000

// AsksForPerson reports whether the message says plainly that its writer wants to talk to a person, and in what language. Where the words
// are those of several languages, what the writer has said before decides; earlier may be nil. It would rather miss a wish than see one where there is none:
// a sentence must say this and nothing else, so that questions about people and about support are left to the sources.
func AsksForPerson(message string, earlier func() []string) (words.Language, bool) {
	if len(message) > longestWish {
		return 0, false
	}
	meant := wishesIn(words.Fold(message))
	if len(meant) < 2 || earlier == nil {
		return append(meant, words.English)[0], len(meant) > 0
	}
	if told := surest(append(earlier(), message)); slices.Contains(meant, told) {
		return told, true
	}
	return meant[0], true
}

// wishesIn gives the languages in which a sentence of the folded message is a wish for a person.
func wishesIn(folded string) (meant []words.Language) {
	var sentences []string
	for i := range pleas {
		if !has(folded, pleas[i].stems) {
			continue
		}
		if sentences == nil {
			sentences = strings.FieldsFunc(unquoted(folded), endsWish)
		}
		if w := pleas[i].read(); slices.ContainsFunc(sentences, w.in) {
			meant = append(meant, pleas[i].language)
		}
	}
	return meant
}

// in reports whether the sentence is a wish: all of it, or one of its clauses behind others that do not make a condition or a report of it.
func (w *wishForm) in(sentence string) bool {
	clauses := strings.FieldsFunc(sentence, endsWishClause)
	if len(clauses) > 1 && onlyNo(clauses[0]) { // "no, I want": without the comma it may say the contrary
		clauses = clauses[1:]
	}
	if w.alone.MatchString(w.plain(strings.Join(clauses, " "))) {
		return true
	}
	if len(clauses) < 2 || askingFirst[firstWord(clauses[0])] {
		return false
	}
	for _, c := range clauses {
		plain := w.plain(c)
		if w.within.MatchString(plain) {
			return true
		}
		if slices.ContainsFunc(strings.Fields(plain), func(word string) bool { return conditions[word] }) || has(plain, conditionsDense) {
			return false
		}
	}
	return false
}

func endsWish(r rune) bool { return strings.ContainsRune(".!?;\n。！？；؟…", r) }

func endsWishClause(r rune) bool { return strings.ContainsRune(",，、،–—", r) }

// onlyNo reports a clause that only says no, for instance to what was answered before.
func onlyNo(clause string) bool {
	plain := spaced(clause)
	return noes[plain] || slices.Contains(noDense, plain)
}

func firstWord(clause string) string { return append(strings.Fields(spaced(clause)), "")[0] }

// unquoted leaves out what stands in double quotes: it is spoken of, not said. A message that is all in quotes is said.
func unquoted(folded string) string {
	if rest := quotes.ReplaceAllString(folded, " "); strings.TrimFunc(rest, notWord) != "" {
		return rest
	}
	return folded
}

var quotes = regexp.MustCompile("\"[^\"]*\"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|「[^」]*」|`[^`]*`")

func notWord(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// spaced gives the words of a folded text with one space between them; dense the letters alone.
func spaced(folded string) string { return strings.Join(strings.FieldsFunc(folded, notWord), " ") }

func dense(folded string) string { return strings.Join(strings.FieldsFunc(folded, notWord), "") }

// wishForm is how a wish for a person is worded in one language.
type wishForm struct {
	plain  func(string) string
	alone  *regexp.Regexp // a sentence of its own
	within *regexp.Regexp // a clause among others: it has a verb
}

// plea is a wishForm that is made at the first message that speaks of a person in its language.
type plea struct {
	language words.Language
	stems    []string
	read     func() *wishForm
}

var pleas = func() (all []plea) {
	for _, g := range wishGrammars {
		all = append(all, plea{g.language, strings.Fields(words.Fold(g.stems)), sync.OnceValue(g.form)})
	}
	return all
}()

func (g *wishGrammar) form() *wishForm {
	f, gap := &wishForm{plain: spaced}, " "
	if g.language == words.Chinese || g.language == words.Japanese {
		f.plain, gap = dense, ""
	}
	compile := func(cores string) *regexp.Regexp {
		return regexp.MustCompile(words.Fold("^(?:(?:" + g.before + ")" + gap + ")*(?:" + cores + ")(?:" + gap + "(?:" + g.after + "))*$"))
	}
	cores := strings.Join(g.cores, "|")
	f.within, f.alone = compile(cores), compile(cores+"|"+g.bare)
	return f
}
