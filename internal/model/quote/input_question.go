package quote

import (
	"slices"
	"strings"

	"parley"
	"parley/internal/model"
	"parley/internal/text/language"
	"parley/internal/text/words"
)

func inputQuestion(l words.Language, missing []toolInput) string {
	d := textsIn(l)
	labels := make([]string, len(missing))
	for i, in := range missing {
		labels[i] = in.label()
	}
	return d.NeedInputs[0] + strings.Join(labels, d.ListSeparator) + d.NeedInputs[1]
}

// label returns what the input is called, with its choices.
func (t toolInput) label() string {
	label := t.shortDescription
	if label == "" {
		label = t.plainName()
	}
	if len(t.choices) == 0 {
		return label
	}
	choices := make([]string, len(t.choices))
	for i, c := range t.choices {
		choices[i] = parley.JSONText(c)
	}
	return label + " (" + strings.Join(choices, ", ") + ")"
}

func (t toolInput) plainName() string { return strings.Join(splitNameWords(t.name), " ") }

// AsksForInputs reports whether the text is how the built-in model asks for inputs that a call lacks. The message
// before it went to a tool, so that it says nothing of what later questions are about.
func AsksForInputs(text string) bool {
	for d := range allTexts() {
		if _, ok := parseInputQuestion(d, text); ok {
			return true
		}
	}
	return false
}

func parseInputQuestion(t *language.Texts, text string) (string, bool) {
	text, begins := strings.CutPrefix(strings.TrimSpace(text), t.NeedInputs[0])
	text, ends := strings.CutSuffix(text, t.NeedInputs[1])
	return text, begins && ends
}

// parseRequestedInputs returns the inputs that the question asks for; ok is false if it is no question of this tool.
func (cd *callDraft) parseRequestedInputs(text string) (all []toolInput, ok bool) {
	for d := range allTexts() {
		if list, ok := parseInputQuestion(d, text); ok {
			return matchLabels(cd.inputs, list, d.ListSeparator, map[[2]int]bool{})
		}
	}
	return nil, false
}

// matchLabels reads the list as labels of the inputs, in their order. A label may hold commas and may begin like
// another, so that what leads nowhere is noted, by how much of either was left.
func matchLabels(inputs []toolInput, list, comma string, deadEnds map[[2]int]bool) (all []toolInput, ok bool) {
	position := [2]int{len(inputs), len(list)}
	if deadEnds[position] {
		return nil, false
	}
	for i, in := range inputs {
		rest, begins := strings.CutPrefix(list, in.label())
		if !in.required || !begins {
			continue
		}
		if rest == "" {
			return []toolInput{in}, true
		}
		if rest, begins = strings.CutPrefix(rest, comma); !begins {
			continue
		}
		if more, ok := matchLabels(inputs[i+1:], rest, comma, deadEnds); ok {
			return append([]toolInput{in}, more...), true
		}
	}
	deadEnds[position] = true
	return nil, false
}

// replyLanguage returns the language that the user last wrote in for sure, else the tool's, else the agent's.
func (cd *callDraft) replyLanguage(req model.Request) words.Language {
	own := []string{strings.Join(cd.tool.Triggers, " "), cd.tool.Description}
	return surestLanguage(slices.Concat(agentTexts(req), own, userTexts(req.Messages), cd.userTexts))
}

func isRedacted(text string) bool {
	return containsAny(text, "[email]", "[phone]", "[card]", "[id]")
}
