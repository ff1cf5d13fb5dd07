package openai

import (
	"encoding/json"
	"slices"
	"strings"

	"parley"
	"parley/internal/chat"
)

// exchange is a conversation as its client sends it, and becomes the request for a turn. Messages of the assistant that
// follow one another are one message here, with their calls and the results of these.
type exchange struct {
	field        string   // where the client has sent it, for failures
	instructions []string // of the application
	messages     []parley.Message
}

// addInstructions adds what a message of the system says.
func (x *exchange) addInstructions(text string) {
	if text = strings.TrimSpace(text); text != "" {
		x.instructions = append(x.instructions, text)
	}
}

// addText adds a message, or more text of the assistant's message.
func (x *exchange) addText(author parley.AuthorKind, text string) {
	if author == parley.AuthorAssistant && text == "" {
		return
	}
	x.addPart(author, parley.Part{Type: "text", Text: text})
}

func (x *exchange) addPart(author parley.AuthorKind, p parley.Part) {
	if last := x.last(); last != nil && author == parley.AuthorAssistant && last.Author == author {
		last.Parts = append(last.Parts, p)
		return
	}
	x.messages = append(x.messages, parley.Message{Author: author, Parts: []parley.Part{p}})
}

func (x *exchange) last() *parley.Message {
	if len(x.messages) == 0 {
		return nil
	}
	return &x.messages[len(x.messages)-1]
}

// addCall adds a call of a tool that an earlier answer has made. Arguments must be a JSON object, or empty.
func (x *exchange) addCall(id, name, arguments string) (isValid bool) {
	if strings.TrimSpace(arguments) == "" {
		arguments = "{}"
	}
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(arguments), &object) != nil || object == nil {
		return false
	}
	x.addPart(parley.AuthorAssistant, parley.Part{Type: "tool-call", ToolCallID: id, ToolName: name,
		Input: json.RawMessage(arguments)})
	return true
}

// addResult adds the result of a call. It returns false unless the call is one of the message before, without a result.
func (x *exchange) addResult(id, output string) bool {
	last := x.last()
	if last == nil || !slices.ContainsFunc(openCalls(last), func(p parley.Part) bool { return p.ToolCallID == id }) {
		return false
	}
	data := json.RawMessage(output)
	if !json.Valid(data) {
		data, _ = json.Marshal(output) // a text always encodes
	}
	last.Parts = append(last.Parts, parley.Part{Type: "tool-result", ToolCallID: id,
		Output: parley.ToolOutput{Status: parley.ToolSuccess, Data: data}.JSON()})
	return true
}

// openCalls returns the calls of a message that have no result.
func openCalls(m *parley.Message) (calls []parley.Part) {
	for _, p := range m.Parts {
		if p.Type == "tool-call" && !slices.ContainsFunc(m.Parts, p.IsAnsweredBy) {
			calls = append(calls, p)
		}
	}
	return calls
}

// request returns the request for the turn that goes on with the conversation: it answers the last message of the user,
// or continues with the results of tools.
func (x *exchange) request() (chat.Request, error) {
	at := len(x.messages) - 1
	for at >= 0 && x.messages[at].Author != parley.AuthorUser {
		at--
	}
	if at < 0 {
		return chat.Request{}, parley.Invalid(x.field, "must have a message of the user")
	}
	req := chat.Request{Message: x.messages[at].Text(), Channel: parley.ChannelAPI,
		AddedInstructions:  strings.Join(x.instructions, "\n\n"),
		ClientConversation: &chat.ClientConversation{Before: x.messages[:at]}}
	if strings.TrimSpace(req.Message) == "" {
		return chat.Request{}, parley.Invalid(x.field, "must have a last message of the user that says something")
	}
	if at == len(x.messages)-1 {
		return req, nil
	}
	req.Continue, req.ClientConversation.Before = true, x.messages
	return req, x.checkContinuation()
}

// checkContinuation fails unless the conversation ends with the results of all calls.
func (x *exchange) checkContinuation() error {
	last := x.last()
	if calls := openCalls(last); len(calls) > 0 {
		return parley.Invalid(x.field, "must hold the result of the call "+calls[0].ToolCallID)
	}
	if last.Parts[len(last.Parts)-1].Type != "tool-result" {
		return parley.Invalid(x.field, "must end with a message of the user, or with the results of tools")
	}
	return nil
}
