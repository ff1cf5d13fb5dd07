package quote

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley"
	"parley/internal/model"
	"parley/internal/text/contact"
	"parley/internal/text/language"
	"parley/internal/text/markdown"
	"parley/internal/text/prose"
	"parley/internal/text/words"
)

// answerAside answers a message that asks nothing of the sources: greetings and thanks, whether a person answers, a
// wish for one, an insult, a yes or no, or no words at all.
func answerAside(req model.Request, last string) (reply, bool) {
	own := func(text string) (reply, bool) { return reply{text: text, score: 1}, true }
	messageWords, lang := splitWords(last), func() *language.Texts { return textsIn(questionLanguage(req)) }
	switch {
	case len(messageWords) == 0 && strings.ContainsAny(last, "👍🙏❤"):
		return own(textsIn(questionLanguage(req)).Thanks)
	case len(messageWords) == 0:
		return own(lang().NotUnderstood)
	case consentKind(messageWords, last) == 'n' && len(req.Messages) > 1:
		return own(lang().Acknowledgement)
	case consentKind(messageWords, last) != 0 && !askedWhichMeaning(req.Messages) && !saysThanks(last):
		return own(whatElseQuestion(questionLanguage(req)))
	case asksIfMachine(messageWords, last):
		return own(lang().IsAutomated)
	case IsOpening(last) && isAskedByQnA(req.Passages):
		r := quoteExcerpts(req.Passages, []excerpt{{end: len(req.Passages[0].Text)}}, "")
		r.score = 1
		return r, true
	case IsOpening(last):
		return own(answerOpening(req, last))
	case wantsPerson(messageWords, last):
		return replyWithHandover(req, last, lang())
	}
	if text, ok := answerSmallTalk(last, guessLanguage(last)); ok {
		return own(text)
	}
	if isRude(messageWords, last) {
		return own(lang().ReplyToInsult)
	}
	for _, answer := range []func(model.Request, string) (reply, bool){answerContact, answerMeaning,
		answerNumberedPart} {
		if r, ok := answer(req, last); ok {
			return r, true
		}
	}
	return reply{}, false
}

// saysThanks reports whether a message thanks and says nothing else: "ok thank you".
func saysThanks(message string) bool {
	messageWords := splitWords(message)
	return slices.ContainsFunc(language.All(), func(l *language.Language) bool {
		return smallTalkKind(messageWords, l) == 't'
	})
}

// consentKind returns y or n where the message says nothing else, and 0 otherwise.
func consentKind(messageWords []string, message string) byte {
	text := strings.Trim(message, " \n\t.!。！，,")
	switch {
	case slices.Contains(affirmativesUnspaced(), text):
		return 'y'
	case slices.Contains(negativesUnspaced(), text):
		return 'n'
	case len(messageWords) > 3:
		return 0
	}
	kind := byte(0)
	for _, w := range messageWords {
		switch {
		case affirmativeWords()[w] && kind != 'n':
			kind = 'y'
		case negativeWords()[w] && kind != 'y':
			kind = 'n'
		case !greetingWords()[w] && !politeWords()[w]:
			return 0
		}
	}
	return kind
}

// whatElseQuestion returns the question what the user would like to know, which is the end of the greeting.
func whatElseQuestion(l words.Language) string {
	hello := textsIn(l).Hello
	for _, end := range []string{"! ", "！", "。"} {
		if _, rest, ok := strings.Cut(hello, end); ok {
			return rest
		}
	}
	return hello
}

const maxAsideWords = 9 // words

func asksIfMachine(messageWords []string, message string) bool {
	if containsAny(strings.ToLower(message), machineQuestionsUnspaced()...) && len([]rune(message)) <= 16 {
		return true
	}
	line := " " + strings.Join(messageWords, " ") + " "
	return len(messageWords) <= maxAsideWords && slices.ContainsFunc(machineQuestions(), func(p string) bool {
		return strings.Contains(line, " "+words.Fold(p)+" ")
	})
}

func containsAny(text string, phrases ...string) bool {
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(text, p) })
}

// wantsPerson reports whether the message is a wish to talk to a person. Asking how to contact somebody is a question
// to the sources.
func wantsPerson(messageWords []string, message string) bool {
	if containsAny(message, personPhrasesUnspaced()...) {
		return !strings.ContainsAny(message, "不没")
	}
	if len(messageWords) > 14 || slices.ContainsFunc(messageWords, func(w string) bool {
		return denialWords()[w] || dislikeWords()[w]
	}) {
		return false
	}
	speaks, person, more := false, false, 0
	for _, w := range messageWords {
		switch {
		case personNouns()[w]:
			person = true
		case agentNouns()[w] && slices.ContainsFunc(messageWords, func(w string) bool { return talkVerbs()[w] }):
			person = true
		case contactVerbs()[w]:
			speaks = true
		case !politeWords()[w] && !greetingWords()[w] && !ignorableWords()[w] && !isFunctionWord(w):
			more++
		}
	}
	return person && (speaks && more <= 2 || more == 0 && len(messageWords) <= 3) && !isAboutPeople(messageWords)
}

// isAboutPeople reports whether the message is a question about people rather than a wish for one: "how many", "who".
func isAboutPeople(messageWords []string) bool {
	return slices.ContainsFunc(messageWords, func(w string) bool {
		return listContains("many much who what which when why where viele wer was cuantas quien combien qui", w)
	})
}

func isFunctionWord(word string) bool {
	return isStopWordOfAny(word) || listContains("real live actual actually speak team support service kundendienst "+
		"echten echte wirklich real vivo atencion cliente clientes vrai reelle vero", word)
}

// replyWithHandover calls the handover tool, or says that there is none. Where the sources say how to reach somebody,
// they answer.
func replyWithHandover(req model.Request, message string, a *language.Texts) (reply, bool) {
	for _, tool := range req.Tools {
		if !tool.IsHandover {
			continue
		}
		w := newCallDraft(tool, message)
		for _, in := range w.inputs {
			if in.name == "reason" {
				w.values[in.name] = jsonString(message)
			}
		}
		return w.makeReply(req), true
	}
	return reply{text: a.NoPersonAvailable, score: 1}, true
}

func isRude(messageWords []string, message string) bool {
	if containsAny(message, rudeWordsUnspaced()...) {
		return len([]rune(message)) <= 12 && !strings.ContainsAny(message, "?？吗怎")
	}
	found := false
	for _, w := range messageWords {
		switch {
		case rudeWords()[w]:
			found = true
		case !rudeFillerWords()[w] && !isFunctionWord(w) && !ignorableWords()[w]:
			return false
		}
	}
	return found && len(messageWords) <= maxAsideWords
}

// isGibberish reports whether the message is keys struck at random: no word of it could be spoken.
func isGibberish(messageWords []string) bool {
	return len(messageWords) > 0 && len(messageWords) <= 3 &&
		!slices.ContainsFunc(messageWords, func(w string) bool { return !isUnpronounceable(w) })
}

// keyboardRows are letters that are neighbours on a keyboard.
var keyboardRows = []string{"asdf", "sdfg", "dfgh", "fghj", "ghjk", "hjkl", "qwer", "werty", "yuio", "uiop", "zxcv",
	"xcvb", "cvbn", "vbnm", "йцук", "фыва", "ячсм"}

func isUnpronounceable(word string) bool {
	if len(word) < 4 || strings.IndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }) >= 0 {
		return false
	}
	for i := 3; i < len(word); i++ {
		if word[i] == word[i-1] && word[i] == word[i-2] && word[i] == word[i-3] {
			return true
		}
	}
	latin := word[0] < 0x80
	return containsAny(word, keyboardRows...) || latin && !strings.ContainsAny(word, "aeiouy") && len(word) >= 5
}

// Bounds of a message that asks for a contact and for nothing else.
const (
	maxContactWords         = 10
	minPlaceWords           = 3
	maxContactRunesUnspaced = 16
	maxContactNames         = 2
)

// contactQuestion is what a message asks for that asks how somebody is reached and for nothing else.
type contactQuestion struct {
	kind  contact.Kind
	names []string // of towns or people, whose contact it is
}

// readContactQuestion reads "email?", "What is your phone number?", "Where are you located?", "Your address in Lyon?".
// What is the customer's own is not asked for.
func readContactQuestion(message string) (c contactQuestion) {
	if kind := contactKindUnspaced(message); kind != contact.None {
		return contactQuestion{kind: kind}
	}
	tokens := words.AppendTokens(nil, message)
	if len(tokens) > maxContactWords || len(tokens) > 0 && words.IsUnspaced(tokens[0].Word) {
		return contactQuestion{}
	}
	for i, token := range tokens {
		w, found := token.Word, contactKindOfWord(token.Word)
		switch {
		case possessiveWords()[w]:
			return contactQuestion{}
		case found != contact.None:
			if c.kind == contact.None || found < c.kind { // "mail address" asks for the mail
				c.kind = found
			}
		case contactFillers.spaced()[w], politeWords()[w], greetingWords()[w], isStopWordOfAny(w):
		case i > 0 && len(c.names) < maxContactNames && startsWithCapital(message[token.Start:]):
			c.names = append(c.names, w)
		default:
			return contactQuestion{}
		}
	}
	return c.orPlace(message, len(tokens))
}

// orPlace adds that "Where are you?" asks for a place, though it names none, and that "When can I reach you?" asks for
// hours.
func (c contactQuestion) orPlace(message string, wordCount int) contactQuestion {
	switch {
	case c.kind == contact.Any && words.ContainsPhrase(message, whenPhrases()),
		c.kind == contact.None && len(c.names) > 0:
		return contactQuestion{}
	case c.kind == contact.None && words.ContainsPhrase(message, placePhrases()) && wordCount >= minPlaceWords &&
		!containsWord(message, func(w string) bool { return pointingWords()[w] && !contactFillers.spaced()[w] }):
		c.kind = contact.Place
	}
	return c
}

func startsWithCapital(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsUpper(r)
}

func contactKindUnspaced(message string) contact.Kind {
	if utf8.RuneCountInString(message) > maxContactRunesUnspaced {
		return contact.None
	}
	for i, t := range []contactTable{mailNouns, phoneNouns, placeNouns, reachWords} {
		if slices.ContainsFunc(t.unspaced(), func(noun string) bool { return asksForNoun(message, noun) }) {
			return contact.Mail + contact.Kind(i) //nolint:gosec // four of them
		}
	}
	return contact.None
}

// asksForNoun reports whether a message without spaces between its words holds the noun, and else nothing but what such
// a question may have: "where is my order" asks for no place.
func asksForNoun(message, noun string) bool {
	before, behind, found := strings.Cut(message, noun)
	return found && !strings.ContainsFunc(before+behind, func(r rune) bool {
		return (unicode.IsLetter(r) || unicode.IsNumber(r)) && !slices.Contains(contactFillers.unspaced(), string(r))
	})
}

func contactKindOfWord(word string) contact.Kind {
	switch {
	case utf8.RuneCountInString(word) < 2: // of "e-mail"
		return contact.None
	case mailNouns.spaced()[word]:
		return contact.Mail
	case phoneNouns.spaced()[word]:
		return contact.Phone
	case placeNouns.spaced()[word]:
		return contact.Place
	case reachWords.spaced()[word]:
		return contact.Any
	}
	return contact.None
}

// ContactKind returns by what a message asks how somebody is reached; None if it asks for something else.
func ContactKind(message string) contact.Kind { return readContactQuestion(message).kind }

// ContactWords returns the words of a message that asks for a contact and for nothing else, and words that are beside
// what it asks for: a text that says "Write to help@shop.example" holds none of "What is your email?".
func ContactWords(message string) (list []string) {
	kind := ContactKind(message)
	if kind == contact.None {
		return nil
	}
	for _, w := range splitWords(message) {
		if contactKindOfWord(w) != contact.None {
			list = append(list, w)
		}
	}
	for _, l := range language.All() {
		nouns := []language.Words{l.Contacts.MailNouns, l.Contacts.PhoneNouns, l.Contacts.PlaceNouns,
			l.Contacts.ReachWords}[kind-contact.Mail]
		hasWord := slices.ContainsFunc(list, func(w string) bool { return listContains(nouns, w) })
		if l.Unspaced {
			hasWord = containsAny(message, slices.Collect(nouns.All())...)
		}
		if hasWord {
			list = slices.AppendSeq(list, l.Contacts.Context.All())
		}
	}
	return list
}

// contactConfidence is the confidence in a line that holds the kind of contact that is asked for.
const contactConfidence = 0.9

// answerContact quotes the sentence or the line that holds the contact that is asked for: the first of those that say
// most surely that they do.
func answerContact(req model.Request, message string) (reply, bool) {
	c := readContactQuestion(message)
	for _, kind := range c.kind.Kinds() {
		if e, ok := c.bestLine(req.Passages, kind); ok {
			r := quoteLine(req, e)
			r.reason = parley.ReasonContact
			return r, true
		}
	}
	return reply{}, false
}

// quoteLine quotes a line that is known to hold what is asked for.
func quoteLine(req model.Request, e excerpt) reply {
	r := quoteExcerpts(req.Passages, []excerpt{e}, "")
	r.score = contactConfidence
	return r
}

// bestLine returns the line that holds a contact of the kind.
func (c contactQuestion) bestLine(passages []model.Passage, kind contact.Kind) (best excerpt, found bool) {
	highest := 0
	for i, p := range passages {
		for _, e := range linesWith(p.Text, i, kind.Holds) {
			line := p.Text[e.start:e.end]
			if n := contactSureness(p, line, kind); n > highest && c.namesAllOf(line+" "+p.Heading+" "+p.SourceName) {
				best, highest = e, n
			}
		}
	}
	return best, highest > 0
}

// namesAllOf reports whether a text has the names of the question.
func (c contactQuestion) namesAllOf(text string) bool {
	return !slices.ContainsFunc(c.names, func(name string) bool {
		return !containsWord(text, func(w string) bool { return w == name })
	})
}

// contactSureness returns how surely a line that holds a contact is there to be used: it or a heading above says what
// it is, its passage does, or it is nothing else; 0 if it may be anything.
func contactSureness(p model.Passage, line string, kind contact.Kind) int {
	switch {
	case isAboutContacts(p.Heading, kind), isAboutContacts(line, kind):
		return 3
	case kind != contact.Place && isAboutContacts(p.Text, kind):
		return 2
	case kind.ShowsIn(line):
		return 1
	}
	return 0
}

// linesWith returns the sentences and items of a passage that hold what is asked for.
func linesWith(text string, passage int, holds func(line string) bool) (all []excerpt) {
	for _, b := range parseBlocks(text) {
		var spans []prose.Span
		switch b.Kind {
		case markdown.Paragraph:
			spans = prose.Sentences(text, b.Start, b.End)
		case markdown.Item:
			spans = []prose.Span{{Start: b.Start, End: b.End}}
		default:
		}
		for _, s := range spans {
			if s.End-s.Start <= maxContactBytes && holds(text[s.Start:s.End]) {
				all = append(all, excerpt{passageIndex: passage, start: s.Start, end: s.End})
			}
		}
	}
	return all
}

// maxContactBytes is how long a sentence may be that says how to reach somebody.
const maxContactBytes = 500

// isAboutContacts reports whether a text says of itself that it is about contacts. A street that is no address is
// common, so a place must be named as one.
func isAboutContacts(text string, kind contact.Kind) bool {
	t := contactContext
	if kind == contact.Place {
		t = placeNouns
	}
	return containsWord(text, func(w string) bool { return utf8.RuneCountInString(w) > 1 && t.spaced()[w] }) ||
		containsAny(text, t.unspaced()...)
}
