package llm

import (
	"encoding/json"
	"slices"
)

// use answers where tools are concerned: it tells what they gave back, calls one whose trigger the last message holds, or asks
// for what such a call lacks. A message leads to one call at most, since the results of a call are only told.
func use(req Request) (reply, bool) {
	if len(req.Messages) == 0 {
		return reply{}, false
	}
	switch last := req.Messages[len(req.Messages)-1]; {
	case last.Role == "tool":
		return reply{text: report(req), plain: true}, true
	case last.Role != "user" || len(req.Tools) == 0:
		return reply{}, false
	}
	w, ok := goOn(req)
	if !ok {
		w, ok = resume(req)
	}
	if !ok {
		w, ok = begin(req.Tools, req.Messages[len(req.Messages)-1].Text)
	}
	if !ok {
		return reply{}, false
	}
	return w.reply(req), true
}

// wish is a call in the making: a tool, what was said about it, and the inputs that are known.
type wish struct {
	tool   Tool
	inputs []input
	texts  []string // of the user since the tool was asked for, oldest first
	values map[string]json.RawMessage
}

// begin finds the tool that the message calls for.
func begin(tools []Tool, message string) (wish, bool) {
	tool, found := choose(tools, message)
	if tool < 0 {
		return wish{}, false
	}
	w := wish{tool: tools[tool], inputs: inputsOf(tools[tool].Parameters), texts: []string{message}, values: map[string]json.RawMessage{}}
	rest := w.place(message, found.captures)
	w.find(rest)
	return w, true
}

// goOn takes the last message as the answer to the question for inputs right before it.
func goOn(req Request) (wish, bool) {
	turns := dialogue(req.Messages)
	if len(turns) < 2 {
		return wish{}, false
	}
	w, ok := begin(req.Tools, turns[0].user)
	for i := 1; ok && i < len(turns); i++ {
		var asked []input
		if asked, ok = w.asked(turns[i].question); !ok {
			break
		}
		if i == len(turns)-1 {
			again := turns[i].question == turns[i-1].question
			ok = !w.elsewhere(turns[i].user, asked, req.Tools) && (!again || w.brings(turns[i].user, asked))
		}
		w.hear(turns[i].user, asked)
	}
	return w, ok
}

// turn is a question for inputs with what the user said to it.
type turn struct{ question, user string }

// mostTurns bounds how often a call is asked for inputs.
const mostTurns = 8

// dialogue gives the last message with the questions for inputs and the messages before it; the first turn has no question.
func dialogue(messages []Message) (turns []turn) {
	for i := len(messages) - 1; i >= 0 && messages[i].Role == "user"; i -= 2 {
		t := turn{user: messages[i].Text}
		more := i >= 2 && messages[i-1].Role == "assistant" && AsksForInputs(messages[i-1].Text) && len(turns) < mostTurns
		if more {
			t.question = messages[i-1].Text
		}
		turns = append(turns, t)
		if !more {
			break
		}
	}
	slices.Reverse(turns)
	return turns
}

// brings reports that the message holds one of the inputs that were asked for; a question put twice in vain is given up.
func (w *wish) brings(message string, asked []input) bool {
	try := wish{inputs: w.inputs, values: map[string]json.RawMessage{}}
	try.hear(message, asked)
	return slices.ContainsFunc(asked, func(in input) bool { return try.values[in.name] != nil })
}

// elsewhere reports that the message is no answer: the user gives up, asks something else, or calls for another tool.
func (w *wish) elsewhere(message string, asked []input, tools []Tool) bool {
	if len(asked) == 1 && asked[0].kind == freeText {
		return givesUp(message)
	}
	if givesUp(message) && !slices.ContainsFunc(asked, func(in input) bool { return in.kind == boolean }) {
		return true
	}
	if other, _ := choose(tools, message); other >= 0 && tools[other].Name != w.tool.Name {
		return true
	}
	try := wish{inputs: asked, values: map[string]json.RawMessage{}}
	try.find(message)
	return turnsAway(message) && len(try.values) == 0
}

func (w *wish) reply(req Request) reply {
	if missing := w.missing(); len(missing) > 0 {
		return reply{text: question(w.language(req), missing), plain: true}
	}
	call := ToolCall{ID: freshID(), Name: w.tool.Name, Input: object(w.inputs, w.values)}
	return reply{call: &call, plain: true}
}

// missing gives the required inputs that nobody has told. Where personal data was masked in what the user said before, all of it
// is asked for at once: the next message is the only one in which it can be read.
func (w *wish) missing() (all []input) {
	masked := slices.ContainsFunc(w.texts, isMasked)
	lacks := slices.ContainsFunc(w.inputs, func(in input) bool { return in.required && w.values[in.name] == nil })
	for _, in := range w.inputs {
		if in.required && (w.values[in.name] == nil || lacks && masked && in.personal()) {
			all = append(all, in)
		}
	}
	return all
}
