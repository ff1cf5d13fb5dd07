package quote

import (
	"regexp"
	"slices"
	"strings"

	"parley/internal/model"
	"parley/internal/text/words"
)

// A question of so few content words may mean several things.
const (
	maxShortQuestionWords = 2
	maxBareWords          = 3 // with those that carry no meaning; in scripts without spaces these are pairs of characters
	maxOptions            = 4
	minOptions            = 2
	minNearScoreShare     = 0.75 // of the best score: what another passage must reach to be meant as well
	minFullShare          = 0.9  // share of the question's words that each of them holds
	maxOptionBytes        = 60   // bytes
)

// askWhichMeaning asks back what the question means where several passages answer it, each under a heading of its own.
// It is asked once: the next message is answered with what there is.
func (q *parsedQuestion) askWhichMeaning(req model.Request, pages []passageLayout, best quotableUnit) (reply, bool) {
	if q.isFollowUp || !q.isShortQuestion() || askedWhichMeaning(req.Messages) {
		return reply{}, false
	}
	near := q.nearMeanings(pages, best)
	if len(q.askingHeadings(req.Passages, append(near, best.passageIndex))) == 1 {
		return reply{}, false
	}
	options := q.meaningOptions(req.Passages, near)
	if len(options) < minOptions || len(options) > maxOptions {
		return reply{}, false
	}
	l := questionLanguage(req)
	a, last := textsIn(l), len(options)-1
	for i := range options {
		options[i] = strings.TrimRight(options[i], "?？؟:： ")
	}
	list := strings.Join(options[:last], textsIn(l).ListSeparator) + a.OrSeparator + options[last]
	return reply{text: a.WhichOne[0] + list + a.WhichOne[1], unscored: true}, true
}

// nearMeanings returns the passages that a short question may mean.
func (q *parsedQuestion) nearMeanings(pages []passageLayout, best quotableUnit) (near []int) {
	titled := q.matchedShare(pages[best.passageIndex].titleMatch, q.isSingleWord) >= minFullShare
	for i, p := range pages {
		top := 0.0
		for _, u := range p.units {
			top = max(top, u.score)
		}
		if titled && q.matchedShare(p.titleMatch, q.isSingleWord) < minFullShare {
			continue // one that is about it is meant before one that mentions it
		}
		if top/rankWeight(i) >= minNearScoreShare*best.score/rankWeight(best.passageIndex) &&
			q.matchedShare(p.passageMatch, q.isSingleWord) >= minFullShare {
			near = append(near, i)
		}
	}
	return near
}

// askingHeadings returns those of the passages, one of each heading, whose heading is a question that says hardly more
// than the user's. A name that many passages have, such as that of the product, does not count.
func (q *parsedQuestion) askingHeadings(passages []model.Passage, list []int) (asking []int) {
	for _, i := range list {
		heading := withoutCommonNames(innermostHeading(passages[i]), passages)
		if isUnderQuestion(passages[i]) && q.headingFocus(heading) >= minAskingShare &&
			!slices.ContainsFunc(asking, func(j int) bool { return passages[j].Heading == passages[i].Heading }) {
			asking = append(asking, i)
		}
	}
	return asking
}

// minCommonSources is how many sources have a name that is common.
const minCommonSources = 2

// withoutCommonNames returns the heading without the names that passages of several sources have.
func withoutCommonNames(heading string, passages []model.Passage) string {
	var left []string
	heading = strings.TrimSpace(heading)
	for token := range words.Tokens(heading) {
		if !isCapitalizedInside(heading, token) || countSourcesWith(token.Word, passages) < minCommonSources {
			left = append(left, token.Word)
		}
	}
	return strings.Join(left, " ")
}

// countSourcesWith returns how many sources have passages with the word.
func countSourcesWith(word string, passages []model.Passage) int {
	sources := map[string]bool{}
	for _, p := range passages {
		if containsWord(p.Heading+"\n"+p.Text, func(w string) bool { return w == word }) {
			sources[string(p.SourceID)] = true
		}
	}
	return len(sources)
}

// underAskingHeading returns the best unit below the heading that is the short question itself, where one of those that
// may be meant is.
func (q *parsedQuestion) underAskingHeading(req model.Request, pages []passageLayout, best quotableUnit) quotableUnit {
	if best.score == 0 || q.isFollowUp || !q.isShortQuestion() || askedWhichMeaning(req.Messages) {
		return best
	}
	asking := q.askingHeadings(req.Passages, q.nearMeanings(pages, best))
	if len(asking) != 1 || req.Passages[asking[0]].Heading == req.Passages[best.passageIndex].Heading {
		return best
	}
	if u := bestUnit(pages[asking[0] : asking[0]+1]); u.score > 0 {
		return u
	}
	return best
}

// isShortQuestion reports whether the question names hardly more than one thing: "price?", "how much does it cost?".
func (q *parsedQuestion) isShortQuestion() bool {
	n, wordCount := q.contentWordCount(), len(splitWords(q.foldedText))
	if q.isUnspaced() {
		return n <= maxBareWords && wordCount <= maxBareWords
	}
	return n > 0 && n <= maxShortQuestionWords && wordCount <= maxBareWords || n == 1 && q.wantsFact
}

// meaningOptions names the passages by the innermost part of their headings that the others do not share and that the
// question does not name; nil if one has no such part, or where the headings say that one of them is about nothing
// but the question.
func (q *parsedQuestion) meaningOptions(passages []model.Passage, near []int) (names []string) {
	paths := make([][]string, len(near))
	for i, n := range near {
		paths[i] = headingPath(passages[n])
	}
	for i := range paths {
		name := ""
		for _, part := range slices.Backward(paths[i]) {
			if q.headingFocus(part) < 0.5 && !isInAllPaths(part, paths) {
				name = part
				break
			}
		}
		switch {
		case name == "" || len(name) > maxOptionBytes:
			return nil
		case !slices.ContainsFunc(names, func(n string) bool { return words.Fold(n) == words.Fold(name) }):
			names = append(names, name)
		}
	}
	return names
}

// headingPath returns the name of the source and the headings of a passage, outermost first.
func headingPath(p model.Passage) (parts []string) {
	if p.Heading != "" {
		parts = strings.Split(p.Heading, " › ")
	}
	if p.SourceName != "" && !slices.Contains(parts, p.SourceName) {
		parts = append([]string{p.SourceName}, parts...)
	}
	for i := range parts {
		parts[i] = strings.Join(strings.Fields(strings.Trim(parts[i], "*_`| ")), " ")
		parts[i] = headingRemarkPattern.ReplaceAllString(parts[i], "$1")
	}
	return slices.DeleteFunc(parts, func(part string) bool { return !saysSomething(part) })
}

// headingRemarkPattern finds a remark behind a heading: "What can I not find? [closed]".
var headingRemarkPattern = regexp.MustCompile(`(\S) \[\p{L}[\p{L} ]{0,24}\]$`)

func isInAllPaths(part string, paths [][]string) bool {
	return !slices.ContainsFunc(paths, func(p []string) bool { return !slices.Contains(p, part) })
}

// askedWhichMeaning reports whether the message before the last asked which of several things was meant.
func askedWhichMeaning(messages []model.Message) bool {
	for i := len(messages) - 2; i >= 0; i-- {
		if messages[i].Role == "assistant" {
			return isWhichQuestion(messages[i].Text)
		}
	}
	return false
}

func isWhichQuestion(text string) bool {
	for a := range allTexts() {
		if strings.HasPrefix(text, a.WhichOne[0]) && strings.HasSuffix(text, a.WhichOne[1]) {
			return true
		}
	}
	return false
}

// joinAnswerToQuestion puts the answer to a question back together with the question that it belongs to.
func joinAnswerToQuestion(messages []model.Message, texts []string) []string {
	n := len(texts)
	if n < 2 || !askedWhichMeaning(messages) || len(splitWords(texts[n-1])) > maxAsideWords {
		return texts
	}
	return append(slices.Clone(texts[:n-2]), texts[n-2]+"\n"+texts[n-1])
}

// Nearest topics are named only where the sources touch the question: when a heading names some of it.
const (
	minNearShare  = 0.5 // share of the question that the passage holds with its title
	minNamedShare = 0.3 // share that the title holds
)

// unknownAnswer says that the sources hold no answer, and what they speak of instead where that may help.
func (q *parsedQuestion) unknownAnswer(req model.Request, pages []passageLayout, best quotableUnit) string {
	l := questionLanguage(req)
	text := textsIn(l).Unknown
	if missing := q.codesNowhere(req.Passages); len(missing) > 0 {
		texts := textsIn(l).CodeNotFound
		return texts[0] + missing[0].typed + texts[1]
	}
	if best.score == 0 {
		return text
	}
	p := pages[best.passageIndex]
	parts := headingPath(req.Passages[best.passageIndex])
	if len(parts) == 0 || q.matchedShare(p.passageMatch, q.isSingleWord) < minNearShare ||
		q.matchedShare(p.titleMatch, q.isSingleWord) < minNamedShare {
		return text
	}
	topic, a := q.nearestTopic(req.Passages[best.passageIndex], parts), textsIn(l)
	if len(topic) > 2*maxOptionBytes || words.IsUnspaced(topic) != words.IsUnspaced(a.SourceTopics[0]) {
		return text
	}
	if !strings.HasSuffix(text, "。") {
		text += " "
	}
	if endsSentence(lastRune(topic)) || strings.HasSuffix(topic, "؟") {
		return text + a.SourceTopics[0] + topic
	}
	return text + a.SourceTopics[0] + topic + a.SourceTopics[1]
}

// nearestTopic returns what the passage is about: of the questions of a Q&A the one that holds most of the question,
// else the innermost heading that names some of it, with the one above where it is short.
func (q *parsedQuestion) nearestTopic(p model.Passage, parts []string) string {
	topic := ""
	if p.IsQnA {
		best := -1.0
		for _, part := range parts {
			if share := q.matchedShare(q.matchText(part), q.isSingleWord); share > best {
				topic, best = part, share
			}
		}
		return topic
	}
	for n := len(parts); n > 0; n-- {
		if q.matchedShare(q.matchText(parts[n-1]), q.isSingleWord) > 0 {
			parts = parts[:n] // "Refunds › Related topics" is about refunds
			break
		}
	}
	topic = parts[len(parts)-1]
	if len(parts) > 1 && len(topic) < maxOptionBytes/2 {
		topic = parts[len(parts)-2] + " › " + topic
	}
	return topic
}
