package chatapi

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"parley"
	"parley/internal/api/uistream"
	"parley/internal/chat"
	"parley/internal/httpapi"
	"parley/internal/visitor"
)

// maxBodyBytes is the largest body of what a visitor writes.
const maxBodyBytes = 64 << 10

// MessageRequest is a visitor's message.
type MessageRequest struct {
	AgentPath
	Body MessageBody
}

// MessageBody is the body of a visitor's message.
type MessageBody struct {
	Message        httpapi.Opt[string] `json:"message,omitzero" nullable:"true" min:"1" max:"10000"`
	ConversationID httpapi.Opt[string] `json:"conversationId,omitzero" id:"uuid" nullable:"true"`
	FileIDs        []string            `json:"fileIds,omitempty" doc:"Uploaded before, at most 5."`
	Page           httpapi.Opt[string] `json:"page,omitzero" nullable:"true" max:"2000"`
	Title          httpapi.Opt[string] `json:"title,omitzero" nullable:"true"`
	Locale         httpapi.Opt[string] `json:"locale,omitzero" nullable:"true" max:"35"`
	Metadata       json.RawMessage     `json:"metadata,omitempty"`
	Mode           httpapi.Opt[string] `json:"mode,omitzero" enum:"bubble,iframe,stage,help" name:"FrameMode"`
}

// FieldDocs returns the docs that are too long for tags.
func (MessageBody) FieldDocs() map[string]string {
	return map[string]string{
		"message":        "It may be left out only to go on after the results of the page's tools were sent.",
		"conversationId": "Continues a conversation.",
		"page":           "Where the agent is embedded.",
		"title":          "Of the page; cut at 200 characters. A new conversation takes it.",
		"locale":         "Of the page, such as pt-BR. A new conversation takes it.",
		"mode":           "How the chat is shown. A new conversation takes it.",
		"metadata": "What the page says of its user: a text, or any JSON; cut at 1,000 characters. The model reads it with " +
			"the remark that nobody has verified it.",
	}
}

// channels are the channels of conversations by how the chat is shown.
var channels = map[string]parley.Channel{"": parley.ChannelWidget, "bubble": parley.ChannelWidget,
	"iframe": parley.ChannelIframe, "stage": parley.ChannelCenterStage, "help": parley.ChannelAgentPage}

func (s *server) sendMessage(ctx context.Context, c *call, in *MessageRequest) (*httpapi.EventStream, error) {
	from, body := callerOf(c), &in.Body
	if err := checkWords(body.Message.Value); err != nil {
		return nil, err
	}
	if err := s.countMessage(from); err != nil {
		return nil, err
	}
	files, err := s.takeFiles(ctx, from, &body.Message, body.FileIDs)
	if err != nil {
		return nil, err
	}
	req := chat.Request{Streamed: true, Files: files, Channel: channels[body.Mode.Value], UserID: from.visitor.UserID,
		VisitorID: from.visitor.ID, EmbedOrigin: visitor.PageAddress(body.Page.Value), Message: body.Message.Value,
		EmbedTitle: pageTitle(body.Title.Value), EmbedLocale: body.Locale.Value,
		UserData: visitor.CutMetadata(parley.JSONText(body.Metadata))}
	if id := body.ConversationID.Ptr(); id != nil {
		conv, err := s.DB.VisitorConversation(ctx, from.visitor, parley.ConversationID(*id))
		if err != nil {
			return nil, err
		}
		req.ConversationID, req.Channel = conv.ID, conv.Channel
		req.Continue = req.Message == ""
	} else if err := checkNewConversation(from.agent, body); err != nil {
		return nil, err
	}
	return s.startTurn(ctx, c, req)
}

// checkWords fails for a message of spaces alone: there is nothing to answer, and an answer would be charged.
func checkWords(message string) error {
	if message != "" && strings.TrimSpace(message) == "" {
		return parley.Invalid("message", "must not be blank")
	}
	return nil
}

// maxTitleChars is the longest title of a page.
const maxTitleChars = 200

// pageTitle returns the title of a page on one line.
func pageTitle(text string) string {
	return parley.ClipText(strings.Join(strings.Fields(parley.StorableText(text)), " "), maxTitleChars)
}

// checkNewConversation fails unless the conversation has a first message and its page is on a domain of the agent.
func checkNewConversation(agent *parley.Agent, body *MessageBody) error {
	if body.Message.Ptr() == nil {
		return parley.Invalid("message", "is required")
	}
	return checkPage(agent, body.Page.Value)
}

// checkPage fails where a page is on none of the agent's domains. A page without an address, such as an app's, is none
// of a site.
func checkPage(agent *parley.Agent, page string) error {
	u, err := url.Parse(page)
	if err == nil && u.Host != "" && !visitor.IsAllowedOrigin(agent, u.Scheme+"://"+u.Host) {
		return parley.NewError(parley.CodeDomainNotAllowed)
	}
	return nil
}

// startTurn begins a turn and streams its answer.
func (s *server) startTurn(ctx context.Context, c *call, req chat.Request) (*httpapi.EventStream, error) {
	from := callerOf(c)
	turn, err := s.Chat.Start(ctx, from.Caller, from.agent.ID, req)
	if err != nil {
		return nil, err
	}
	return nil, s.streamTurn(ctx, c, turn, req.Channel)
}

// answerMetadata is the metadata of the last event of an answer.
type answerMetadata struct {
	MessageID      string `json:"messageId"`
	UserMessageID  string `json:"userMessageId"`
	ConversationID string `json:"conversationId"`
	FinishReason   string `json:"finishReason"`
	Evidence
}

// streamTurn streams a turn of a conversation of a channel. A turn that fails before its first word is an ordinary
// error.
func (s *server) streamTurn(ctx context.Context, c *call, turn *chat.Turn, channel parley.Channel) error {
	showsSources := showsSources(callerOf(c).agent, channel)
	r := turn.Reader()
	isLate, err := httpapi.Await(ctx, cmp.Or(s.StreamOpenDelay, uistream.OpenDelay), turn.WaitForText)
	if err != nil {
		r.Close()
		return nameMessage(err, turn)
	}
	if c.Request.Method == http.MethodHead {
		r.Close()
		return nil
	}
	out := c.StreamUIMessages()
	w := uistream.NewWriter(out, turn, r, func(end *chat.Finish) any {
		return answerMetadata{MessageID: string(turn.MessageID), UserMessageID: string(turn.UserMessageID),
			ConversationID: string(turn.ConversationID), FinishReason: end.Reason,
			Evidence: newEvidence(end.AnswerState, end.Citations, showsSources)}
	})
	if !callerOf(c).agent.Redact { // what is stored of the answer has other texts
		w.WithPositions(c.Request.Header.Get("Last-Event-ID"))
	}
	w.Begin(uistream.Start{UserMessageID: string(turn.UserMessageID), ConversationID: string(turn.ConversationID),
		UserID: textOrNull(turn.UserID), TurnID: string(turn.ID)})
	if isLate {
		w.Flush()
	}
	s.follow(c, out, w)
	return nil
}

// nameMessage adds to the error of an answer that could not begin which message is kept: it can be answered again.
func nameMessage(err error, turn *chat.Turn) error {
	if !parley.IsCode(err, parley.CodeChatStreaming) {
		return err
	}
	named := *parley.AsError(err)
	named.Details = map[string]string{"conversationId": string(turn.ConversationID),
		"userMessageId": string(turn.UserMessageID)}
	return &named
}

// RetryRequest asks for another answer.
type RetryRequest struct {
	AgentPath
	Body RetryBody
}

// RetryBody names what is to be answered again.
type RetryBody struct {
	ConversationID string `json:"conversationId" id:"uuid"`
	MessageID      string `json:"messageId" min:"1" doc:"The answer to replace, or the visitor's message to answer again."`
}

func (s *server) retryAnswer(ctx context.Context, c *call, in *RetryRequest) (*httpapi.EventStream, error) {
	from := callerOf(c)
	if err := s.countMessage(from); err != nil {
		return nil, err
	}
	conv, err := s.DB.VisitorConversation(ctx, from.visitor, parley.ConversationID(in.Body.ConversationID))
	if err != nil {
		return nil, err
	}
	return s.startTurn(ctx, c, chat.Request{Streamed: true, Channel: conv.Channel, ConversationID: conv.ID,
		VisitorID: from.visitor.ID, Retry: parley.MessageID(in.Body.MessageID)})
}

// TurnPath names an answer in a path.
type TurnPath struct {
	AgentPath
	TurnID string `path:"turnId" id:"uuid"`
}

// followAnswer streams an answer, whether it runs or has ended: from its beginning, or from where Last-Event-ID says.
func (s *server) followAnswer(ctx context.Context, c *call, in *TurnPath) (*httpapi.EventStream, error) {
	conv, err := s.findTurnConversation(ctx, c, in.TurnID)
	if err != nil {
		return nil, err
	}
	turn, err := s.Chat.FindTurn(ctx, callerOf(c).agent.Ref(), parley.TurnID(in.TurnID))
	if err != nil {
		return nil, err
	}
	return nil, s.streamTurn(ctx, c, turn, conv.Channel)
}

// Success is the reply of writes without a result.
type Success struct {
	Success bool `json:"success"`
}

func (s *server) stopAnswer(ctx context.Context, c *call, in *TurnPath) (*Data[Success], error) {
	conv, err := s.findTurnConversation(ctx, c, in.TurnID)
	if err != nil {
		return nil, err
	}
	open, err := s.DB.OpenTurn(ctx, conv.Ref())
	if err == nil && open != nil && open.ID == parley.TurnID(in.TurnID) {
		err = s.Conversations.StopAnswer(ctx, conv.Ref())
	}
	if err != nil {
		return nil, err
	}
	return &Data[Success]{Success{true}}, nil
}

// findTurnConversation returns the visitor's conversation that an answer belongs to.
func (s *server) findTurnConversation(ctx context.Context, c *call, turn string) (*parley.Conversation, error) {
	from := callerOf(c)
	result, err := s.DB.TurnResult(ctx, from.agent.Ref(), parley.TurnID(turn))
	if err != nil {
		return nil, err
	}
	return s.DB.VisitorConversation(ctx, from.visitor, result.ConversationID)
}

// ToolResultRequest holds the result of a tool that ran in the page.
type ToolResultRequest struct {
	AgentPath
	Body ToolResultBody
}

// ToolResultBody is the body of a tool's result.
type ToolResultBody struct {
	ConversationID string          `json:"conversationId" id:"uuid"`
	ToolCallID     string          `json:"toolCallId" min:"1"`
	Output         json.RawMessage `json:"output,omitempty"`
}

func (s *server) sendToolResult(ctx context.Context, c *call, in *ToolResultRequest) (*Data[Success], error) {
	conv, err := s.DB.VisitorConversation(ctx, callerOf(c).visitor, parley.ConversationID(in.Body.ConversationID))
	if err != nil {
		return nil, err
	}
	if err := s.Chat.SubmitToolResult(ctx, conv.Ref(), in.Body.ToolCallID, in.Body.Output); err != nil {
		return nil, err
	}
	return &Data[Success]{Success{true}}, nil
}

// RatingRequest rates an answer.
type RatingRequest struct {
	AgentPath
	MessageID string `path:"messageId"`
	Body      RatingBody
}

// RatingBody holds the rating; null removes it.
type RatingBody struct {
	ConversationID string              `json:"conversationId" id:"uuid"`
	Feedback       *string             `json:"feedback" enum:"@rating" name:"Rating"`
	Comment        httpapi.Opt[string] `json:"comment,omitzero" nullable:"true" max:"1000"`
}

// FieldDocs returns the docs that are too long for tags.
func (RatingBody) FieldDocs() map[string]string {
	return map[string]string{
		"comment": "What the visitor writes about the rating. Without one the earlier comment stays as long as the rating.",
	}
}

func (s *server) rateAnswer(ctx context.Context, c *call, in *RatingRequest) (*Data[Message], error) {
	conv, err := s.DB.VisitorConversation(ctx, callerOf(c).visitor, parley.ConversationID(in.Body.ConversationID))
	if err != nil {
		return nil, err
	}
	rating := ""
	if in.Body.Feedback != nil {
		rating = *in.Body.Feedback
	}
	comment := strings.TrimSpace(in.Body.Comment.Value)
	m, err := s.Conversations.RateWithComment(ctx, conv.Ref(), parley.MessageID(in.MessageID), rating, comment)
	if parley.IsCode(err, parley.CodeResourceNotFound) { // it has just been deleted
		return nil, parley.NewError(parley.CodeConversationNotFound)
	}
	if err != nil {
		return nil, err
	}
	return &Data[Message]{s.newMessage(m, newMessageView(callerOf(c).agent, conv))}, nil
}
