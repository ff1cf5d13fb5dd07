package quote

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"parley/internal/model"
	"parley/internal/text/words"
)

// answerAside answers a message that asks nothing of the sources: greetings and thanks, whether a person answers, a wish for one, an insult, a
// yes or no, or no words at all.
func answerAside(req model.Request, last string) (reply, bool) {
	own := func(text string) (reply, bool) { return reply{text: text, score: 1}, true }
	messageWords, lang := splitWords(last), func() asideTexts { return asideTextsFor(questionLanguage(req)) }
	switch {
	case len(messageWords) == 0 && strings.ContainsAny(last, "👍🙏❤"):
		return own(smallTalkTextsFor(questionLanguage(req)).thanks)
	case len(messageWords) == 0:
		return own(lang().notUnderstood)
	case consentKind(messageWords, last) == 'n' && len(req.Messages) > 1:
		return own(lang().acknowledgement)
	case consentKind(messageWords, last) != 0 && !askedWhichMeaning(req.Messages):
		return own(whatElseQuestion(questionLanguage(req)))
	case asksIfMachine(messageWords, last):
		return own(lang().isAutomated)
	case wantsPerson(messageWords, last):
		return replyWithHandover(req, last, lang())
	}
	if text, ok := answerSmallTalk(last, guessLanguage(last)); ok {
		return own(text)
	}
	if isRude(messageWords, last) {
		return own(lang().replyToInsult)
	}
	return reply{}, false
}

// consentKind is y or n where the message says nothing else.
func consentKind(messageWords []string, message string) byte {
	text := strings.Trim(message, " \n\t.!。！，,")
	switch {
	case slices.Contains(affirmativesUnspaced, text):
		return 'y'
	case slices.Contains(negativesUnspaced, text):
		return 'n'
	case len(messageWords) > 3:
		return 0
	}
	kind := byte(0)
	for _, w := range messageWords {
		switch {
		case affirmativeWords[w] && kind != 'n':
			kind = 'y'
		case negativeWords[w] && kind != 'y':
			kind = 'n'
		case !greetingWords[w] && !politeWords[w]:
			return 0
		}
	}
	return kind
}

// whatElseQuestion asks what the user would like to know: what stands behind the greeting.
func whatElseQuestion(l words.Language) string {
	hello := smallTalkTextsFor(l).hello
	for _, end := range []string{"! ", "！", "。"} {
		if _, rest, ok := strings.Cut(hello, end); ok {
			return rest
		}
	}
	return hello
}

const maxAsideWords = 9 // words

func asksIfMachine(messageWords []string, message string) bool {
	if containsAny(strings.ToLower(message), machineQuestionsUnspaced) && len([]rune(message)) <= 16 {
		return true
	}
	line := " " + strings.Join(messageWords, " ") + " "
	return len(messageWords) <= maxAsideWords && slices.ContainsFunc(machineQuestions, func(p string) bool { return strings.Contains(line, " "+words.Fold(p)+" ") })
}

func containsAny(text string, phrases []string) bool {
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(text, p) })
}

// wantsPerson reports a wish to talk to a person. Asking how to contact somebody is a question to the sources.
func wantsPerson(messageWords []string, message string) bool {
	if containsAny(message, personPhrasesUnspaced) {
		return !strings.ContainsAny(message, "不没")
	}
	if len(messageWords) > 14 || slices.ContainsFunc(messageWords, func(w string) bool { return denialWords[w] || dislikeWords[w] }) {
		return false
	}
	speaks, person, more := false, false, 0
	for _, w := range messageWords {
		switch {
		case personNouns[w]:
			person = true
		case agentNouns[w] && slices.ContainsFunc(messageWords, func(w string) bool { return talkVerbs[w] }):
			person = true
		case contactVerbs[w]:
			speaks = true
		case !politeWords[w] && !greetingWords[w] && !ignorableWords[w] && !isFunctionWord(w):
			more++
		}
	}
	return person && (speaks && more <= 2 || more == 0 && len(messageWords) <= 3) && !isAboutPeople(messageWords)
}

// isAboutPeople reports a question about people rather than for one: "how many", "who".
func isAboutPeople(messageWords []string) bool {
	return slices.ContainsFunc(messageWords, func(w string) bool {
		return listContains("many much who what which when why where viele wer was cuantas quien combien qui", w)
	})
}

// isFunctionWord reports a word that holds sentences together in one of the languages.
func isFunctionWord(word string) bool {
	for l := range words.LanguageCount {
		if words.Language(l).IsStopWord(word) {
			return true
		}
	}
	return listContains("real live actual actually speak team support service kundendienst echten echte wirklich real vivo atencion cliente clientes vrai reelle vero", word)
}

// replyWithHandover calls the tool that hands the conversation over, or says that there is none. Where the sources tell how to reach somebody, they do.
func replyWithHandover(req model.Request, message string, a asideTexts) (reply, bool) {
	for _, tool := range req.Tools {
		if !tool.IsHandover {
			continue
		}
		w := callDraft{tool: tool, inputs: parseInputs(tool.Parameters), userTexts: []string{message}, values: map[string]json.RawMessage{}}
		for _, in := range w.inputs {
			if in.name == "reason" {
				w.values[in.name] = jsonString(message)
			}
		}
		return w.makeReply(req), true
	}
	return reply{text: a.noPersonAvailable, score: 1}, true
}

// isRude reports a message that insults and asks nothing.
func isRude(messageWords []string, message string) bool {
	if containsAny(message, rudeWordsUnspaced) {
		return len([]rune(message)) <= 12 && !strings.ContainsAny(message, "?？吗怎")
	}
	found := false
	for _, w := range messageWords {
		switch {
		case rudeWords[w]:
			found = true
		case !rudeFillerWords[w] && !isFunctionWord(w) && !ignorableWords[w]:
			return false
		}
	}
	return found && len(messageWords) <= maxAsideWords
}

// isGibberish reports that the message is keys struck at random: no word of it could be spoken.
func isGibberish(messageWords []string) bool {
	if len(messageWords) == 0 || len(messageWords) > 3 {
		return false
	}
	for _, w := range messageWords {
		if !isUnpronounceable(w) {
			return false
		}
	}
	return true
}

// keyboardRows of a keyboard, as fingers run over them.
var keyboardRows = []string{"asdf", "sdfg", "dfgh", "fghj", "ghjk", "hjkl", "qwer", "werty", "yuio", "uiop", "zxcv", "xcvb", "cvbn", "vbnm", "йцук", "фыва", "ячсм"}

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
	return containsAny(word, keyboardRows) || latin && !strings.ContainsAny(word, "aeiouy") && len(word) >= 5
}
