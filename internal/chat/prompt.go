package chat

import (
	"encoding/json"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"parley"
	"parley/internal/model"
	"parley/internal/model/prompt"
	"parley/internal/model/quote"
	"parley/internal/retrieval"
)

// maxRetrievedPassages is how many passages retrieval returns. The built-in model chooses among all of them; a
// connected model, which is paid by the token, is given the first maxOfferedPassages.
const (
	maxRetrievedPassages = 12
	maxOfferedPassages   = 8
)

// maxHistoryBytes is the most bytes of the conversation that a model is given, the newest messages first. See
// context_budget.go for what fits into the context of a connected model.
const maxHistoryBytes = 32 << 10

// query returns the search for the message, with the user's earlier ones as context.
func (t *Turn) query() retrieval.Query {
	q := retrieval.Query{Text: t.question, Limit: maxRetrievedPassages, Synonyms: t.agent.Synonyms,
		Contact: quote.ContactKind(t.question)}
	if list := quote.ContactWords(t.question); list != nil {
		q.Synonyms = append(slices.Clone(q.Synonyms), list)
	}
	for i, m := range t.history {
		if m.Author == parley.AuthorUser && !isFollowedByCall(t.history[i+1:]) {
			q.Earlier = append(q.Earlier, m.Text())
		}
		if m.Author == parley.AuthorAssistant {
			q.Answer = m.Text()
		}
	}
	if n := len(q.Earlier); n > 3 {
		q.Earlier = q.Earlier[n-3:]
	}
	return q
}

// isFollowedByCall reports whether a tool call, or a question for its inputs, follows a message of the user: a request
// to do something says nothing about the subject of later questions. The same holds for the question that the client's
// results belong to.
func isFollowedByCall(next []parley.Message) bool {
	return len(next) > 0 && (quote.AsksForInputs(next[0].Text()) ||
		slices.ContainsFunc(next[0].Parts, func(p parley.Part) bool { return p.Type == "tool-call" }))
}

// prompt returns the request to the model.
func (t *Turn) prompt() model.Request {
	req := model.Request{Model: t.backend.Name, System: t.instructions(), Temperature: t.agent.Temp,
		Messages: t.historyMessages(), UserData: t.request.UserData}
	if !t.request.Continue {
		req.Messages = append(req.Messages, model.Message{Role: "user", Text: t.questionForModel()})
	}
	hits := t.hits
	if t.backend.Label != model.BuiltinName {
		hits = hits[:min(maxOfferedPassages, len(hits))]
	}
	for _, h := range hits {
		req.Passages = append(req.Passages, model.Passage{Passage: h.Passage, Score: h.Score, TermWeights: h.Terms,
			Translations: h.Translations, Reading: model.Reading(h.Reading), Signals: model.MatchSignals(h.Signs)})
	}
	return req
}

func (t *Turn) mustKeepMessage(i int) bool { return t.request.Continue && i >= len(t.history)-2 }

// modelMessages returns a stored message in the form for models: a call belongs to the text before it, and its result
// is a message of its own.
func modelMessages(m parley.Message) (list []model.Message) {
	open := model.Message{Role: m.Role()}
	flush := func() {
		if open.Text != "" || len(open.ToolCalls) > 0 {
			list = append(list, open)
		}
		open = model.Message{Role: m.Role()}
	}
	for i, p := range m.Parts {
		switch p.Type {
		case "text":
			if len(open.ToolCalls) > 0 {
				flush()
			}
			open.Text += p.Text
		case "tool-call":
			if p.ToolName == handoverToolName { // models do not know it
				continue
			}
			open.ToolCalls = append(open.ToolCalls, model.ToolCall{ID: p.ToolCallID, Name: p.ToolName, Input: p.Input})
			flush()
			list = append(list, model.Message{Role: "tool", ToolCallID: p.ToolCallID,
				Text: string(callResult(m.Parts[i:], p.ToolCallID))})
		}
	}
	flush()
	return list
}

// callResult returns the result of a call; models need one for each.
func callResult(parts []parley.Part, call string) json.RawMessage {
	for _, p := range parts {
		if p.Type == "tool-result" && p.ToolCallID == call {
			return p.Output
		}
	}
	return parley.ToolOutput{Status: parley.ToolIgnored}.JSON()
}

func panicError(p any) error { return fmt.Errorf("chat: panic: %v\n%s", p, debug.Stack()) }

// instructions returns the operator's instructions: those of the agent, then those of the channel, which may be
// narrower, then those of the application that asks. In a voice session the rules for speaking follow.
func (t *Turn) instructions() string {
	spoken := t.request.Voice
	text := strings.TrimSpace(strings.TrimSpace(t.agent.Instructions) + "\n\n" +
		channelInstructions(t.agent.ChannelInstructions, t.request.Channel, spoken != nil))
	text = strings.TrimSpace(text + "\n\n" + t.request.AddedInstructions)
	if spoken != nil {
		text = strings.TrimSpace(text + "\n\n" + prompt.VoiceRules(spoken.LocalTime))
	}
	return text
}

// channelKeys are the names of channels in an agent's channel instructions. Conversations of other origins, such as the
// playground, have the agent's instructions alone.
var channelKeys = map[parley.Channel]string{
	parley.ChannelAPI: "api", parley.ChannelWhatsApp: "whatsapp", parley.ChannelMessenger: "messenger",
	parley.ChannelInstagram: "instagram",
	parley.ChannelSlack:     "slack", parley.ChannelSalesforce: "salesforce", parley.ChannelZendesk: "zendesk",
	parley.ChannelZendeskMessaging: "zendesk_messaging",
	parley.ChannelServiceSite:      "help_page", parley.ChannelAgentPage: "help_page", parley.ChannelWidget: "chat_widget",
	parley.ChannelIframe:      "chat_widget",
	parley.ChannelCenterStage: "center_stage", parley.ChannelSearch: "search", parley.ChannelEmail: "email",
	parley.ChannelPhone:   "phone",
	parley.ChannelAndroid: "android_sdk", parley.ChannelIOS: "ios_sdk",
}

// channelInstructions returns the channel's instructions for text or for voice: the value is one text, or one for chat
// and another for voice.
func channelInstructions(all json.RawMessage, c parley.Channel, spoken bool) string {
	if len(all) == 0 || channelKeys[c] == "" {
		return ""
	}
	var byChannel map[string]json.RawMessage
	if json.Unmarshal(all, &byChannel) != nil {
		return ""
	}
	value := byChannel[channelKeys[c]]
	var text string
	var byMode struct{ Chat, Voice string }
	switch {
	case len(value) == 0:
	case json.Unmarshal(value, &text) == nil:
	case json.Unmarshal(value, &byMode) != nil:
	case spoken:
		text = byMode.Voice
	default:
		text = byMode.Chat
	}
	return strings.TrimSpace(text)
}
