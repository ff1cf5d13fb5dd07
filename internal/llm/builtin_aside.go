package llm

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"parley/internal/words"
)

// aside answers a message that asks nothing of the sources: greetings and thanks, whether a person answers, a wish for one, an insult, a
// yes or no, or no words at all.
func aside(req Request, last string) (reply, bool) {
	own := func(text string) (reply, bool) { return reply{text: text, score: 1}, true }
	said, lang := spoken(last), func() asides { return asidesIn(languageOf(req)) }
	switch {
	case len(said) == 0 && strings.ContainsAny(last, "👍🙏❤"):
		return own(phrases(languageOf(req)).thanks)
	case len(said) == 0:
		return own(lang().nothing)
	case consent(said, last) == 'n' && len(req.Messages) > 1:
		return own(lang().right)
	case consent(said, last) != 0 && !askedBack(req.Messages):
		return own(whatElse(languageOf(req)))
	case asksMachine(said, last):
		return own(lang().machine)
	case wantsPerson(said, last):
		return callPerson(req, last, lang())
	}
	if text, ok := smallTalk(last, guess(last)); ok {
		return own(text)
	}
	if isRude(said, last) {
		return own(lang().calm)
	}
	return reply{}, false
}

// consent is y or n where the message says nothing else.
func consent(said []string, message string) byte {
	text := strings.Trim(message, " \n\t.!。！，,")
	switch {
	case slices.Contains(yesDense, text):
		return 'y'
	case slices.Contains(noDense, text):
		return 'n'
	case len(said) > 3:
		return 0
	}
	kind := byte(0)
	for _, w := range said {
		switch {
		case yeses[w] && kind != 'n':
			kind = 'y'
		case noes[w] && kind != 'y':
			kind = 'n'
		case !greetings[w] && !polite[w]:
			return 0
		}
	}
	return kind
}

// whatElse asks what the user would like to know: what stands behind the greeting.
func whatElse(l words.Language) string {
	hello := phrases(l).hello
	for _, end := range []string{"! ", "！", "。"} {
		if _, rest, ok := strings.Cut(hello, end); ok {
			return rest
		}
	}
	return hello
}

const longestAside = 9 // words

func asksMachine(said []string, message string) bool {
	if has(strings.ToLower(message), machineAskedDense) && len([]rune(message)) <= 16 {
		return true
	}
	line := " " + strings.Join(said, " ") + " "
	return len(said) <= longestAside && slices.ContainsFunc(machineAsked, func(p string) bool { return strings.Contains(line, " "+words.Fold(p)+" ") })
}

func has(text string, phrases []string) bool {
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(text, p) })
}

// wantsPerson reports a wish to talk to a person. Asking how to contact somebody is a question to the sources.
func wantsPerson(said []string, message string) bool {
	if has(message, personDense) {
		return !strings.ContainsAny(message, "不没")
	}
	if len(said) > 14 || slices.ContainsFunc(said, func(w string) bool { return denials[w] || loathing[w] }) {
		return false
	}
	speaks, person, more := false, false, 0
	for _, w := range said {
		switch {
		case persons[w]:
			person = true
		case agents[w] && slices.ContainsFunc(said, func(w string) bool { return speaksOnly[w] }):
			person = true
		case speaksTo[w]:
			speaks = true
		case !polite[w] && !greetings[w] && !ignorable[w] && !functional(w):
			more++
		}
	}
	return person && (speaks && more <= 2 || more == 0 && len(said) <= 3) && !aboutPersons(said)
}

// aboutPersons reports a question about people rather than for one: "how many", "who".
func aboutPersons(said []string) bool {
	return slices.ContainsFunc(said, func(w string) bool {
		return within("many much who what which when why where viele wer was cuantas quien combien qui", w)
	})
}

// functional reports a word that holds sentences together in one of the languages.
func functional(word string) bool {
	for l := range words.Count {
		if words.Language(l).IsStop(word) {
			return true
		}
	}
	return within("real live actual actually speak team support service kundendienst echten echte wirklich real vivo atencion cliente clientes vrai reelle vero", word)
}

// callPerson calls the tool that hands the conversation over, or says that there is none. Where the sources tell how to reach somebody, they do.
func callPerson(req Request, message string, a asides) (reply, bool) {
	for _, tool := range req.Tools {
		if !tool.HandsOver {
			continue
		}
		w := wish{tool: tool, inputs: inputsOf(tool.Parameters), texts: []string{message}, values: map[string]json.RawMessage{}}
		for _, in := range w.inputs {
			if in.name == "reason" {
				w.values[in.name] = quoted(message)
			}
		}
		return w.reply(req), true
	}
	return reply{text: a.person, score: 1}, true
}

// isRude reports a message that insults and asks nothing.
func isRude(said []string, message string) bool {
	if has(message, rudeDense) {
		return len([]rune(message)) <= 12 && !strings.ContainsAny(message, "?？吗怎")
	}
	found := false
	for _, w := range said {
		switch {
		case rude[w]:
			found = true
		case !rudeAlong[w] && !functional(w) && !ignorable[w]:
			return false
		}
	}
	return found && len(said) <= longestAside
}

// gibberish reports that the message is keys struck at random: no word of it could be spoken.
func gibberish(said []string) bool {
	if len(said) == 0 || len(said) > 3 {
		return false
	}
	for _, w := range said {
		if !unspeakable(w) {
			return false
		}
	}
	return true
}

// rows of a keyboard, as fingers run over them.
var rows = []string{"asdf", "sdfg", "dfgh", "fghj", "ghjk", "hjkl", "qwer", "werty", "yuio", "uiop", "zxcv", "xcvb", "cvbn", "vbnm", "йцук", "фыва", "ячсм"}

func unspeakable(word string) bool {
	if len(word) < 4 || strings.IndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }) >= 0 {
		return false
	}
	for i := 3; i < len(word); i++ {
		if word[i] == word[i-1] && word[i] == word[i-2] && word[i] == word[i-3] {
			return true
		}
	}
	latin := word[0] < 0x80
	return has(word, rows) || latin && !strings.ContainsAny(word, "aeiouy") && len(word) >= 5
}
