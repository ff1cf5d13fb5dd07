package quote

import (
	"slices"
	"strings"

	"parley/internal/model"
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
