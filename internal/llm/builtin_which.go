package llm

import (
	"slices"
	"strings"

	"parley/internal/words"
)

// A question of so few content words may mean several things.
const (
	fewWords    = 2
	bareWords   = 3 // with those that carry no meaning; in scripts without spaces these are pairs of characters
	mostOptions = 4
	leastOption = 2
	asNear      = 0.75 // of the best score: what another passage must reach to be meant as well
	wholly      = 0.9  // share of the question's words that each of them holds
	longOption  = 60   // bytes
)

// which asks back what the question means where several passages answer it, each under a heading of its own. It is asked once: the next
// message is answered with what there is.
func (t *topic) which(req Request, pages []page, best unit) (reply, bool) {
	if t.followUp || !t.brief() || askedBack(req.Messages) {
		return reply{}, false
	}
	titled := t.share(pages[best.passage].title, t.single) >= wholly
	var near []int
	for i, p := range pages {
		top := 0.0
		for _, u := range p.units {
			top = max(top, u.score)
		}
		if titled && t.share(p.title, t.single) < wholly {
			continue // one that is about it is meant before one that mentions it
		}
		if top >= asNear*best.score && t.share(p.whole, t.single) >= wholly {
			near = append(near, i)
		}
	}
	options := t.options(req.Passages, near)
	if len(options) < leastOption || len(options) > mostOptions {
		return reply{}, false
	}
	l := languageOf(req)
	a, last := asidesIn(l), len(options)-1
	list := strings.Join(options[:last], dealingsIn(l).comma) + a.or + options[last]
	return reply{text: a.which[0] + list + a.which[1], plain: true}, true
}

// brief reports a question that names hardly more than one thing: "price?", "how much does it cost?".
func (t *topic) brief() bool {
	n, said := t.asked(), len(spoken(t.question))
	if t.dense() {
		return n <= bareWords && said <= bareWords
	}
	return n > 0 && n <= fewWords && said <= bareWords || n == 1 && t.fact
}

// options names the passages by the innermost part of their headings that the others do not share and that the question does not name; nil
// where one has no such part, or where the headings say that one of them is about nothing but the question.
func (t *topic) options(passages []Passage, near []int) (names []string) {
	paths := make([][]string, len(near))
	for i, n := range near {
		paths[i] = path(passages[n])
	}
	for i := range paths {
		name := ""
		for _, part := range slices.Backward(paths[i]) {
			if t.focus(part) < 0.5 && !everywhere(part, paths) {
				name = part
				break
			}
		}
		switch {
		case name == "" || len(name) > longOption:
			return nil
		case !slices.ContainsFunc(names, func(n string) bool { return words.Fold(n) == words.Fold(name) }):
			names = append(names, name)
		}
	}
	return names
}

// path is the name of the source and the headings of a passage, outermost first.
func path(p Passage) (parts []string) {
	if p.Heading != "" {
		parts = strings.Split(p.Heading, " › ")
	}
	if p.SourceName != "" && !slices.Contains(parts, p.SourceName) {
		parts = append([]string{p.SourceName}, parts...)
	}
	for i := range parts {
		parts[i] = strings.Join(strings.Fields(strings.Trim(parts[i], "*_` ")), " ")
	}
	return parts
}

// everywhere reports that all of the paths hold the part.
func everywhere(part string, paths [][]string) bool {
	return !slices.ContainsFunc(paths, func(p []string) bool { return !slices.Contains(p, part) })
}

// askedBack reports that the message before the last asked which of several things was meant.
func askedBack(messages []Message) bool {
	for i := len(messages) - 2; i >= 0; i-- {
		if messages[i].Role == "assistant" {
			return asksWhichOne(messages[i].Text)
		}
	}
	return false
}

func asksWhichOne(text string) bool {
	for _, a := range asidesOf {
		if strings.HasPrefix(text, a.which[0]) && strings.HasSuffix(text, a.which[1]) {
			return true
		}
	}
	return false
}

// resolved puts the answer to a question back together with the question that it belongs to.
func resolved(messages []Message, said []string) []string {
	n := len(said)
	if n < 2 || !askedBack(messages) || len(spoken(said[n-1])) > longestAside {
		return said
	}
	return append(slices.Clone(said[:n-2]), said[n-2]+"\n"+said[n-1])
}

// Nearest topics are named only where the sources touch the question: when a heading names some of it.
const (
	nearEnough = 0.5 // share of the question that the passage holds with its title
	namesSome  = 0.2 // share that the title holds
)

// unknown says that the sources hold no answer, and what they speak of instead where that may help.
func (t *topic) unknown(req Request, pages []page, best unit) string {
	l := languageOf(req)
	text := phrases(l).unknown
	if best.score == 0 {
		return text
	}
	p := pages[best.passage]
	parts := path(req.Passages[best.passage])
	if len(parts) == 0 || t.share(p.whole, t.single) < nearEnough || t.share(p.title, t.single) < namesSome {
		return text
	}
	topic, a := parts[len(parts)-1], asidesIn(l)
	if len(parts) > 1 && len(topic) < longOption/2 {
		topic = parts[len(parts)-2] + " › " + topic
	}
	if len(topic) > 2*longOption || words.Dense(topic) != words.Dense(a.near[0]) {
		return text
	}
	if !strings.HasSuffix(text, "。") {
		text += " "
	}
	return text + a.near[0] + topic + a.near[1]
}
