package v1

import (
	"cmp"
	"context"

	"parley"
	"parley/internal/chat"
	"parley/internal/httpapi"
)

// ChatRequest is a conversation so far, whose last user message is to be answered.
type ChatRequest struct{ Body ChatBody }

// ChatBody is the body of a chat request. Null is the same as absent.
type ChatBody struct {
	Messages       []ChatMessage        `json:"messages" min:"1" max:"1000"`
	ChatbotID      httpapi.Opt[string]  `json:"chatbotId,omitzero" nullable:"true" doc:"The chatbot, by its id. Required."`
	ChatID         httpapi.Opt[string]  `json:"chatId,omitzero" nullable:"true" doc:"An older name of chatbotId."`
	Stream         httpapi.Opt[bool]    `json:"stream,omitzero" nullable:"true"`
	Temperature    httpapi.Opt[float64] `json:"temperature,omitzero" nullable:"true" min:"0" max:"1"`
	ConversationID httpapi.Opt[string]  `json:"conversationId,omitzero" nullable:"true" max:"200"`
	Model          httpapi.Opt[string]  `json:"model,omitzero" nullable:"true"`
	ContactID      httpapi.Opt[string]  `json:"contactId,omitzero" nullable:"true" max:"128"`
}

// FieldDocs returns the docs that are too long for tags.
func (ChatBody) FieldDocs() map[string]string {
	return map[string]string{
		"messages":       "All messages of the conversation so far, oldest first. The last one of the user is answered.",
		"stream":         "True answers with server-sent events; otherwise the answer is one JSON.",
		"temperature":    "How freely the answer is worded; 0 where it is absent.",
		"conversationId": "Your own id of the conversation. With it the conversation is saved; without it nothing is.",
		"model":          "The model to answer in place of the chatbot's own. gpt-4 needs a plan that has it.",
		"contactId":      "The end user, by your own id. Only a new conversation takes it.",
	}
}

// ChatMessage is one message of the conversation.
type ChatMessage struct {
	Role    string `json:"role" enum:"@messageRole"`
	Content string `json:"content"`
}

// ChatReply is the answer in one piece.
type ChatReply struct {
	Text string `json:"text"`
}

func (s *server) createAnswer(ctx context.Context, c *call, in *ChatRequest) (*ChatReply, error) {
	turn, err := s.startTurn(ctx, c, &in.Body)
	if err != nil {
		return nil, err
	}
	if in.Body.Stream.Value {
		return nil, s.streamTurn(ctx, c, turn)
	}
	end, err := turn.Wait(ctx)
	if err != nil {
		return nil, err
	}
	return newChatReply(end)
}

// newChatReply returns the answer. It fails for a partial answer, which REST v1 cannot express.
func newChatReply(end *chat.Finish) (*ChatReply, error) {
	switch {
	case end.Reason == "error":
		return nil, parley.NewError(parley.CodeChatStreaming)
	case end.Message == nil: // the conversation is paused, so there is no answer
		return &ChatReply{}, nil
	}
	return &ChatReply{Text: end.Message.Text()}, nil
}

func (s *server) startTurn(ctx context.Context, c *call, body *ChatBody) (*chat.Turn, error) {
	caller, chatbot := callerOf(c), cmp.Or(body.ChatbotID.Value, body.ChatID.Value)
	if chatbot == "" {
		return nil, parley.Invalid("chatbotId", "is required")
	}
	if err := s.checkChatbot(ctx, caller, chatbot); err != nil {
		return nil, err // before what is wrong with the rest
	}
	if model := body.Model.Value; model != "" {
		if err := s.checkModel(caller.Plan, "model", model); err != nil {
			return nil, err
		}
	}
	question, conversation, err := body.splitMessages()
	if err != nil {
		return nil, err
	}
	return s.Chat.Start(ctx, caller.Caller, parley.AgentID(chatbot), chat.Request{Message: question,
		ClientConversation: conversation, UserID: parley.EndUserID(body.ContactID.Value), Streamed: body.Stream.Value,
		Channel: parley.ChannelAPI, Model: body.Model.Value, Temperature: &body.Temperature.Value,
		NormalizeNewlines: true})
}

// splitMessages splits the messages at the last one of the user, which is to be answered.
func (b *ChatBody) splitMessages() (question string, conversation *chat.ClientConversation, err error) {
	last := -1
	messages := make([]parley.Message, len(b.Messages))
	for i, m := range b.Messages {
		messages[i] = parley.Message{Author: parley.AuthorAssistant, Parts: []parley.Part{{Type: "text", Text: m.Content}}}
		if m.Role == "user" {
			last, messages[i].Author = i, parley.AuthorUser
		}
	}
	switch {
	case last < 0:
		return "", nil, parley.Invalid("messages", "must have a message of the user")
	case b.Messages[last].Content == "":
		return "", nil, parley.Invalid("messages", "must end with a message of the user that says something")
	}
	return b.Messages[last].Content, &chat.ClientConversation{API: parley.APIV1, Name: b.ConversationID.Value,
		Before: messages[:last], After: messages[last+1:]}, nil
}
