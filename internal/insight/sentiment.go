package insight

import (
	"math"
	"strings"

	"parley"
	"parley/internal/text/words"
)

const (
	strongMood        = 0.9 // from here on a message has a sentiment
	mixedMood         = 1.5 // messages that pull both ways as strongly as this leave it open
	minNeutralWords   = 3   // words of messages that are needed to call a customer neutral
	lastMessageWeight = 1.6 // weight of the last message beside the others
)

// sentimentOf judges from a customer's messages in English how they sound, and nothing where that is not certain: in
// other languages, of next to no words, and where they pull both ways.
func sentimentOf(messages []string) parley.Sentiment {
	if !isEnglish(messages) {
		return ""
	}
	var sum, up, down float64
	wordCount := 0
	for i, text := range messages {
		v, n := moodScore(text)
		up, down, wordCount = max(up, v), min(down, v), wordCount+n
		if i == len(messages)-1 {
			v *= lastMessageWeight
		}
		sum += v
	}
	switch {
	case wordCount == 0:
		return ""
	case up >= mixedMood && down <= -mixedMood && math.Abs(sum) < 3*mixedMood:
		return ""
	case sum >= strongMood && up >= strongMood:
		return parley.SentimentPositive
	case sum <= -strongMood && down <= -strongMood:
		return parley.SentimentNegative
	case wordCount < minNeutralWords:
		return ""
	}
	return parley.SentimentNeutral
}

// isEnglish reports whether the messages are certainly in English.
func isEnglish(messages []string) bool {
	tokens := words.AppendTokens(nil, strings.Join(messages, "\n"))
	lang, isSure := words.GuessLanguage(tokens)
	if lang != words.English {
		return false
	}
	if isSure {
		return true
	}
	for _, t := range tokens { // a word or two, and no function word among them
		if _, known := valence()[words.English.Stem(t.Word)]; known {
			return true
		}
	}
	return false
}

// moodScore adds up what the words of a message say: turned by a negation before them, more behind "very", and more
// behind a "but" than before it. It also returns the number of words.
func moodScore(text string) (v float64, n int) {
	wordList := moodWords(text)
	before := 0.0
	for i := 0; i < len(wordList); {
		if wordList[i] == "but" {
			before, v = before+v, 0
			i++
			continue
		}
		if value, length, ok := phraseAt(wordList[i:]); ok {
			v += value
			i += length
			continue
		}
		v += valueAt(wordList, i)
		i++
	}
	if before != 0 {
		v = 0.5*before + 1.5*v
	}
	if v != 0 && strings.Contains(text, "!") {
		v *= 1.2
	}
	return v, len(wordList)
}

// moodWords cuts a message into words, with apostrophes inside of them.
func moodWords(text string) []string {
	return strings.FieldsFunc(strings.ReplaceAll(words.Fold(text), "’", "'"), func(r rune) bool {
		return (r < 'a' || r > 'z') && r != '\'' && (r < '0' || r > '9')
	})
}

// maxPhraseWords is in words.
const maxPhraseWords = 4

func phraseAt(wordList []string) (value float64, length int, ok bool) {
	for length = min(maxPhraseWords, len(wordList)); length > 1; length-- {
		if value, ok = phraseValence[strings.Join(wordList[:length], " ")]; ok {
			return value, length, true
		}
	}
	return 0, 0, false
}

// valueAt is what one word says where it is.
func valueAt(wordList []string, i int) float64 {
	v := valence()[words.English.Stem(wordList[i])]
	if v == 0 {
		return 0
	}
	for back := 1; back <= 3 && back <= i; back++ {
		switch w := wordList[i-back]; {
		case negations[w]:
			return -0.75 * v
		case intensifiers[w] && back == 1:
			v *= 1.3
		case weakeners[w] && back <= 2:
			v *= 0.7
		case w == "but":
			return v
		}
	}
	return v
}

// isOnlyMood reports whether a message says how the customer feels and nothing else: "This is awful, I am very angry!"
func isOnlyMood(text string) bool {
	hasMood := false
	if strings.ContainsAny(text, "?？") {
		return false
	}
	for term := range termsOf(text) {
		stem, word, single := strings.Cut(term, "|")
		if !single {
			continue
		}
		if valence()[stem] == 0 && !intensifiers[word] && !negations[word] {
			return false
		}
		hasMood = hasMood || valence()[stem] != 0
	}
	return hasMood
}
