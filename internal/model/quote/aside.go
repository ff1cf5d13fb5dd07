package quote

import (
	"slices"
	"strings"
	"unicode"

	"parley/internal/model"
	"parley/internal/text/language"
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
	case consentKind(messageWords, last) != 0 && !askedWhichMeaning(req.Messages):
		return own(whatElseQuestion(questionLanguage(req)))
	case asksIfMachine(messageWords, last):
		return own(lang().IsAutomated)
	case wantsPerson(messageWords, last):
		return replyWithHandover(req, last, lang())
	}
	if text, ok := answerSmallTalk(last, guessLanguage(last)); ok {
		return own(text)
	}
	if isRude(messageWords, last) {
		return own(lang().ReplyToInsult)
	}
	return reply{}, false
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
