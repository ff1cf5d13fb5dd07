package retrieval

import (
	"regexp"
	"slices"
	"strings"

	"parley/internal/text/language"
	"parley/internal/text/prose"
	"parley/internal/text/words"
)

// A message is often more than its question: a greeting and thanks, a name below, what the customer feels, the mail
// that it answers. What asks is searched for by its own words. The rest is read with it only where the question cannot
// be understood alone.

// askingPart returns what of the message asks; the message as it is where nothing is to be left out.
func askingPart(message string) string {
	if len(message) > maxAskingBytes {
		return message
	}
	var asking, rest []string // what asks, with what limits it; all but courtesies
	isLess, hasQuestion := false, false
	own := withoutQuotedLines(message)
	isLess = len(own) < len(message)
	for line := range strings.Lines(own) {
		for _, s := range prose.Sentences(line, 0, len(line)) {
			text := withoutAddress(line[s.Start:s.End])
			isLess = isLess || len(text) < s.End-s.Start
			switch {
			case asks(text), saysWhatIsNot(text):
				hasQuestion = hasQuestion || asks(text)
				asking = append(asking, text)
				rest = append(rest, text)
			case isCourtesy(text):
				isLess = true
			default:
				rest = append(rest, text)
			}
		}
	}
	part := strings.Join(asking, " ")
	if !hasQuestion || words.NeedsContext(part) {
		part = strings.Join(rest, " ")
	} else {
		isLess = isLess || len(asking) < len(rest)
	}
	if !isLess || part == "" {
		return message
	}
	return part
}

// maxAskingBytes is how long a message may be that is taken apart.
const maxAskingBytes = 4000

// withoutQuotedLines leaves out lines of the mail that a message answers, unless there is nothing else.
func withoutQuotedLines(message string) string {
	if !strings.HasPrefix(message, ">") && !strings.Contains(message, "\n>") {
		return message
	}
	var own strings.Builder
	for line := range strings.Lines(message) {
		if !strings.HasPrefix(line, ">") {
			own.WriteString(line)
		}
	}
	if strings.TrimSpace(own.String()) == "" {
		return message
	}
	return own.String()
}

// asks reports whether a sentence is a question. Many leave its mark out where another follows: then it begins with
// more than one word that asks how.
func asks(sentence string) bool {
	if strings.ContainsAny(sentence, "?？؟") {
		return true
	}
	folded := " " + strings.Join(tokenWords(words.AppendTokens(nil, sentence)), " ") + " "
	return slices.ContainsFunc(howBeginnings(), func(p string) bool {
		return strings.HasPrefix(folded, p) && strings.Contains(strings.TrimSpace(p), " ")
	})
}

// maxDenialWords is how many words a sentence has that says what somebody is not or has not.
const maxDenialWords = 7

// saysWhatIsNot reports whether a sentence says what somebody is not or has not: "I am not a member." It limits what is
// asked beside it.
func saysWhatIsNot(sentence string) bool {
	n, isDenial, hasSubject := 0, false, false
	for t := range words.Tokens(sentence) {
		n++
		isDenial = isDenial || negations()[t.Word]
		hasSubject = hasSubject || havings()[t.Word]
	}
	return isDenial && hasSubject && n <= maxDenialWords
}

var (
	negations     = words.SpacedSet(func(l *language.Language) language.Words { return l.Questions.Negations })
	havings       = words.SpacedSet(func(l *language.Language) language.Words { return l.Questions.With })
	courtesyWords = words.Set(func(l *language.Language) language.Words {
		return l.SmallTalk.Hello + " " + l.SmallTalk.Thanks + " " + l.SmallTalk.Bye + " " + l.Sentences.Greetings
	})
	courtesyFillers = words.Set(func(l *language.Language) language.Words {
		return l.SmallTalk.Fillers + " " + l.Sentences.Polite
	})
	greetings = words.SpacedSet(func(l *language.Language) language.Words {
		list := ""
		for w := range l.SmallTalk.Hello.All() {
			if slices.Contains(slices.Collect(l.Sentences.Greetings.All()), w) {
				list += " " + w
			}
		}
		return language.Words(list)
	})
	howBeginnings      = words.Phrases(func(l *language.Language) language.Phrases { return l.Questions.How })
	openings           = words.Phrases(func(l *language.Language) language.Phrases { return l.Conversation.Openings })
	unspacedCourtesies = words.UnspacedList(func(l *language.Language) language.Words {
		return l.SmallTalk.Hello + " " + l.SmallTalk.Thanks + " " + l.SmallTalk.Bye
	})
)

// isCourtesy reports whether a sentence only greets or thanks, or says that a question comes.
func isCourtesy(text string) bool {
	if slices.ContainsFunc(unspacedCourtesies(), func(w string) bool { return strings.HasPrefix(text, w) }) &&
		len([]rune(text)) <= maxCourtesyRunes {
		return true
	}
	n, isKind := 0, false
	for t := range words.Tokens(text) {
		n++
		isKind = isKind || courtesyWords()[t.Word]
		if !courtesyWords()[t.Word] && !courtesyFillers()[t.Word] {
			return isOpening(text, maxCourtesyWords)
		}
	}
	return isKind || isOpening(text, maxCourtesyWords)
}

// How long a courtesy is at most.
const (
	maxCourtesyWords = 7
	maxCourtesyRunes = 8
	maxAddressBytes  = 60
)

// isOpening reports whether the text is one of the phrases that say that a question comes.
func isOpening(text string, maxWords int) bool {
	list := tokenWords(words.AppendTokens(nil, text))
	return len(list) > 0 && len(list) <= maxWords && slices.Contains(openings(), " "+strings.Join(list, " ")+" ")
}

// bracketedStart finds a remark in brackets before a sentence: "(order 48213) When …".
var bracketedStart = regexp.MustCompile(`^\s*[(\[][^()\[\]\n]{1,60}[)\]]\s*`)

// withoutAddress leaves out what a sentence begins with before it asks: "Hi,", "Quick question:", a remark in brackets.
func withoutAddress(sentence string) string {
	if at := bracketedStart.FindStringIndex(sentence); at != nil && asks(sentence[at[1]:]) {
		sentence = sentence[at[1]:]
	}
	for {
		i := strings.IndexAny(sentence[:min(len(sentence), maxAddressBytes)], ",:!–，：！、")
		if i <= 0 {
			return sentence
		}
		rest := strings.TrimLeft(sentence[i:], ",:!–，：！、 \t")
		if rest == "" || !isAddress(sentence[:i]) {
			return sentence
		}
		sentence = rest
	}
}

// isAddress reports whether the words before a comma are a greeting, maybe with a name, or say that a question comes.
func isAddress(text string) bool {
	list := words.AppendTokens(nil, text)
	if len(list) == 0 || len(list) > maxCourtesyWords {
		return false
	}
	return isCourtesy(text) || len(list) <= maxGreetingWords && greetings()[list[0].Word]
}

// maxGreetingWords is how many words a greeting has with the name of who is greeted.
const maxGreetingWords = 3
