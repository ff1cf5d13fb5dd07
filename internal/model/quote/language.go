package quote

import (
	"iter"
	"slices"
	"strings"

	"parley/internal/model"
	"parley/internal/text/language"
	"parley/internal/text/words"
)

// surestLanguage returns the language of the last text that shows one. Where it shows several, those before it decide
// among them.
func surestLanguage(texts []string) words.Language {
	var left []words.Language
	for _, text := range slices.Backward(texts) {
		languages := words.LikelyLanguages(text)
		if left == nil {
			left = languages
		} else if both := commonLanguages(left, languages); len(both) > 0 {
			left = both
		}
		if len(left) == 1 {
			break
		}
	}
	return append(left, words.English)[0]
}

func commonLanguages(a, b []words.Language) (both []words.Language) {
	for _, l := range a {
		if slices.Contains(b, l) {
			both = append(both, l)
		}
	}
	return both
}

// questionLanguage returns the language to answer the last message in: its own, or where it shows none that of what the
// user said before, else the agent's.
func questionLanguage(req model.Request) words.Language {
	texts := userTexts(req.Messages)
	last := texts[len(texts)-1]
	if _, isSure := words.GuessLanguage(words.AppendTokens(nil, words.BlankEmails(last))); isSure {
		return words.LikeliestLanguage(last)
	}
	return surestLanguage(append(agentTexts(req), texts...))
}

const maxAgentTextBytes = 4000 // bytes of what is looked at for the language of an agent

// agentTexts returns texts that tell what language an agent speaks: of its tools and of its passages.
func agentTexts(req model.Request) []string {
	var tools, passages strings.Builder
	for _, t := range req.Tools {
		if tools.Len() < maxAgentTextBytes {
			tools.WriteString(strings.Join(t.Triggers, " ") + " " + t.Description + " ")
		}
	}
	for _, p := range req.Passages {
		if passages.Len() < maxAgentTextBytes {
			passages.WriteString(p.Text + " ")
		}
	}
	return []string{truncateWithEllipsis(tools.String(), maxAgentTextBytes),
		truncateWithEllipsis(passages.String(), maxAgentTextBytes)}
}

// HandoverText returns the sentence, in the language, that says that a person is going to answer.
func HandoverText(l words.Language) string { return textsIn(l).Handover }

// textsIn returns what the built-in model says by itself in the language, or in English.
func textsIn(l words.Language) *language.Texts {
	if all := language.All(); int(l) < len(all) && all[l].Texts.Hello != "" {
		return &all[l].Texts
	}
	return &language.All()[words.English].Texts
}

// allTexts yields what it says in each language.
func allTexts() iter.Seq[*language.Texts] {
	return func(yield func(*language.Texts) bool) {
		for _, l := range language.All() {
			if l.Texts.Hello != "" && !yield(&l.Texts) {
				return
			}
		}
	}
}
