package chatapi

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley"
	"parley/internal/api/looks"
	"parley/internal/chat"
	"parley/internal/httpapi"
	"parley/internal/visitor"
)

// Conversation is a visitor's conversation.
type Conversation struct {
	ID        string  `json:"id" format:"uuid"`
	Title     *string `json:"title"`
	Status    string  `json:"status" enum:"@conversationStatus" name:"ConversationStatus"`
	CreatedAt int64   `json:"createdAt" doc:"Epoch milliseconds."`
	UpdatedAt int64   `json:"updatedAt" doc:"Epoch milliseconds of the last activity."`
	Excerpt   string  `json:"excerpt,omitempty" doc:"Of a search: what a message says; none where the title has it."`
}

func newConversation(c *parley.Conversation) Conversation {
	return Conversation{ID: string(c.ID), Title: textOrNull(c.Title), Status: string(c.Status),
		CreatedAt: c.CreatedAt.UnixMilli(), UpdatedAt: c.UpdatedAt.UnixMilli()}
}

// Message is a message as its visitor sees it.
type Message struct {
	ID        string                `json:"id"`
	Seq       int64                 `json:"seq" doc:"Its number in the conversation."`
	Author    string                `json:"author" enum:"user,assistant,human,system" name:"MessageAuthor"`
	State     string                `json:"state" enum:"complete,interrupted,failed" name:"MessageState"`
	Parts     []Part                `json:"parts"`
	Files     []File                `json:"files,omitempty" doc:"Of messages of the visitor and of persons."`
	CreatedAt int64                 `json:"createdAt" doc:"Epoch milliseconds."`
	Feedback  string                `json:"feedback,omitempty" enum:"@rating" name:"Rating"`
	Comment   string                `json:"comment,omitempty" doc:"Of the visitor on the rating."`
	Metadata  httpapi.Opt[Evidence] `json:"metadata,omitzero" doc:"Of the agent's messages only."`
	Person    *Person               `json:"person,omitempty" doc:"Who wrote it; of persons' messages only."`
}

// Person is a person of the company.
type Person struct {
	Name    *string `json:"name" doc:"Null for somebody who has left the company, and for its help desk as such."`
	Picture *string `json:"picture" doc:"Null: there are none yet."`
}

// Part is a piece of a message.
type Part struct {
	Type       string          `json:"type" enum:"text,tool-call,tool-result"`
	Text       string          `json:"text,omitempty"`
	ToolCallID string          `json:"toolCallId,omitempty"`
	ToolName   string          `json:"toolName,omitempty"`
	Input      json.RawMessage `json:"input,omitempty" doc:"Of a call that waits for the page."`
	IsFailed   bool            `json:"isFailed,omitempty" doc:"Of a result that says that the call has failed."`
}

// Evidence is how sure the agent is of an answer, and what it rests on.
type Evidence struct {
	AnswerState *string    `json:"answerState" enum:"@answerState" name:"AnswerState"`
	Citations   []Citation `json:"citations"`
}

// Citation names the source of a stretch of the answer.
type Citation struct {
	SourceID    string  `json:"sourceId" format:"uuid"`
	Name        string  `json:"name"`
	URL         *string `json:"url"`
	AnswerStart int     `json:"answerStart" doc:"First byte in the answer's text."`
	AnswerEnd   int     `json:"answerEnd"`
	Quote       *string `json:"quote" doc:"What the source says there, at most 500 characters of it."`
}

func newEvidence(state parley.AnswerState, citations []parley.Citation, showsSources bool) Evidence {
	if !showsSources {
		citations = nil
	}
	return Evidence{AnswerState: textOrNull(state), Citations: httpapi.ConvertList(citations,
		func(c *parley.Citation) Citation {
			return Citation{SourceID: string(c.SourceID), Name: c.Name, URL: textOrNull(c.URL), AnswerStart: c.AnswerStart,
				AnswerEnd: c.AnswerEnd, Quote: textOrNull(c.Quote)}
		})}
}

// messageView is how a visitor sees messages.
type messageView struct {
	agent        parley.AgentID
	showsSources bool                     // that answers rest on
	names        map[parley.UserID]string // of persons who wrote messages
}

// newMessageView returns how messages of a conversation are seen. Center stage has a setting for sources.
func newMessageView(agent *parley.Agent, conv *parley.Conversation) messageView {
	return messageView{agent: agent.ID, showsSources: showsSources(agent, conv.Channel)}
}

func showsSources(agent *parley.Agent, channel parley.Channel) bool {
	if channel != parley.ChannelCenterStage {
		return true
	}
	styles := looks.Read(agent.Styles)
	return styles == nil || styles.CenterStage == nil || styles.CenterStage.ShowDataSource
}

func (s *server) newMessage(m *parley.Message, view messageView) Message {
	out := Message{ID: string(m.ID), Seq: m.Seq, Author: string(m.Author), State: string(m.State),
		CreatedAt: m.CreatedAt.UnixMilli(), Parts: []Part{}, Feedback: m.Feedback, Comment: m.Comment,
		Files: s.newFiles(view.agent, m)}
	for _, p := range m.Parts {
		if p.Type == parley.PartFile {
			continue
		}
		part := Part{Type: p.Type, Text: p.Text, ToolCallID: p.ToolCallID, ToolName: p.ToolName,
			IsFailed: isFailure(p.Output)}
		if p.Type == "tool-call" && isWaiting(m, p, s.Now()) && len(p.Input) > 0 {
			part.Input = p.Input
		}
		out.Parts = append(out.Parts, part)
	}
	if m.Author == parley.AuthorHuman {
		out.Person = &Person{Name: textOrNull(view.names[m.AuthorID])}
	}
	if m.Author == parley.AuthorAssistant {
		out.Metadata = httpapi.Some(newEvidence(m.AnswerState, m.Citations, view.showsSources))
	}
	return out
}

// isFailure reports whether the result of a tool says that it has failed.
func isFailure(output json.RawMessage) bool {
	var result struct{ Status string }
	return json.Unmarshal(output, &result) == nil && result.Status == "error"
}

// isWaiting reports whether a tool call still waits for its result from the page.
func isWaiting(m *parley.Message, call parley.Part, now time.Time) bool {
	return now.Sub(m.CreatedAt) < parley.ToolResultTimeout && !slices.ContainsFunc(m.Parts, call.IsAnsweredBy)
}

const maxConversations = 50

// ConversationList are a visitor's latest conversations.
type ConversationList struct {
	Data []Conversation `json:"data"`
}

// ListQuery asks for conversations.
type ListQuery struct {
	AgentPath
	Query string `query:"query" max:"200" doc:"Only those that contain all of these words; empty for all."`
}

func (s *server) listConversations(ctx context.Context, c *call, in *ListQuery) (*ConversationList, error) {
	if strings.TrimSpace(in.Query) != "" {
		return s.searchConversations(ctx, callerOf(c), in.Query)
	}
	list, err := s.DB.VisitorConversations(ctx, callerOf(c).visitor, maxConversations)
	if err != nil {
		return nil, err
	}
	return &ConversationList{httpapi.ConvertList(list, newConversation)}, nil
}

func (s *server) searchConversations(ctx context.Context, from *caller, text string) (*ConversationList, error) {
	if err := s.count(s.people.searches, from); err != nil {
		return nil, err
	}
	found, err := s.Visitors.Search(ctx, from.visitor, text)
	if err != nil {
		return nil, err
	}
	return &ConversationList{httpapi.ConvertList(found, func(c *visitor.FoundConversation) Conversation {
		out := newConversation(&c.Conversation)
		out.Excerpt = c.Excerpt
		return out
	})}, nil
}

// ConversationPath names a conversation in a path.
type ConversationPath struct {
	AgentPath
	ConversationID string `path:"conversationId" id:"uuid"`
}

// HistoryQuery asks for a conversation.
type HistoryQuery struct {
	ConversationPath
	After  int64 `query:"after" min:"0" default:"0" doc:"Only messages after this number."`
	Before int64 `query:"before" min:"0" default:"0" doc:"Only messages before this number; 0 for the newest."`
}

// History is a conversation with messages.
type History struct {
	Conversation
	Answer   *OpenAnswer `json:"answer" doc:"The answer that is being written; null for none."`
	Messages []Message   `json:"messages" doc:"Oldest first."`
	HasMore  bool        `json:"hasMore" doc:"There are more, before these or after them, as was asked."`
}

// OpenAnswer is an answer that is being written.
type OpenAnswer struct {
	TurnID        string `json:"turnId" format:"uuid"`
	MessageID     string `json:"messageId"`
	UserMessageID string `json:"userMessageId"`
}

// maxMessages are in one reply.
const maxMessages = 50

func (s *server) getConversation(ctx context.Context, c *call, in *HistoryQuery) (*Data[History], error) {
	conv, err := s.DB.VisitorConversation(ctx, callerOf(c).visitor, parley.ConversationID(in.ConversationID))
	if err != nil {
		return nil, err
	}
	out := History{Conversation: newConversation(conv)}
	open, err := s.DB.OpenTurn(ctx, conv.Ref()) // before the messages, so that none is missed between the two
	if err != nil {
		return nil, err
	}
	if open != nil {
		out.Answer = &OpenAnswer{string(open.ID), string(open.MessageID), string(open.UserMessageID)}
	}
	var messages []parley.Message
	if in.After > 0 {
		messages, err = s.DB.MessagesAfter(ctx, conv.Ref(), in.After, maxMessages+1)
		out.HasMore, messages = len(messages) > maxMessages, messages[:min(len(messages), maxMessages)]
	} else {
		messages, err = s.DB.RecentMessages(ctx, conv.Ref(), in.Before, maxMessages+1)
		out.HasMore, messages = len(messages) > maxMessages, messages[max(0, len(messages)-maxMessages):]
	}
	if err != nil {
		return nil, err
	}
	view := newMessageView(callerOf(c).agent, conv)
	if view.names, err = s.Conversations.AuthorNames(ctx, conv.AccountID, messages); err != nil {
		return nil, err
	}
	out.Messages = httpapi.ConvertList(messages, func(m *parley.Message) Message { return s.newMessage(m, view) })
	return &Data[History]{out}, s.Visitors.NoteRead(ctx, callerOf(c).visitor, messages)
}

// PersonRequest is a message to a person.
type PersonRequest struct {
	ConversationPath
	Body PersonBody
}

// PersonBody is the body of a message to a person.
type PersonBody struct {
	Message httpapi.Opt[string] `json:"message,omitzero" min:"1" max:"10000" doc:"It may be left out beside files."`
	FileIDs []string            `json:"fileIds,omitempty" doc:"Uploaded before, at most 5."`
}

func (s *server) writeToPerson(ctx context.Context, c *call, in *PersonRequest) (*Data[Message], error) {
	from := callerOf(c)
	if err := checkWords(in.Body.Message.Value); err != nil {
		return nil, err
	}
	if err := s.countMessage(from); err != nil {
		return nil, err
	}
	conv, err := s.DB.VisitorConversation(ctx, from.visitor, parley.ConversationID(in.ConversationID))
	if err != nil {
		return nil, err
	}
	files, err := s.takeFiles(ctx, from, &in.Body.Message, in.Body.FileIDs)
	if err != nil {
		return nil, err
	}
	if in.Body.Message.Value == "" {
		return nil, parley.Invalid("message", "is required")
	}
	m, err := s.Conversations.AddCustomerMessage(ctx, conv.Ref(), in.Body.Message.Value, files...)
	if err != nil {
		return nil, notFoundAsConversation(err)
	}
	return &Data[Message]{s.newMessage(m, newMessageView(from.agent, conv))}, nil
}

// notFoundAsConversation returns CONVERSATION_NOT_FOUND for a conversation that was deleted meanwhile.
func notFoundAsConversation(err error) error {
	if parley.IsCode(err, parley.CodeResourceNotFound) {
		return parley.NewError(parley.CodeConversationNotFound)
	}
	return err
}

// followConversation streams what happens in a conversation: events named status and message. The id of a message event
// is the number of the message. The stream ends after the status ended.
func (s *server) followConversation(ctx context.Context, c *call,
	in *ConversationPath) (*httpapi.EventStream, error) {
	conv, err := s.DB.VisitorConversation(ctx, callerOf(c).visitor, parley.ConversationID(in.ConversationID))
	if err != nil {
		return nil, err
	}
	if err := s.limitIdleStream(callerOf(c), conv); err != nil {
		return nil, err
	}
	f, err := s.Conversations.FollowAsVisitor(ctx, conv.Ref(), lastEventID(c.Request))
	if err != nil {
		return nil, notFoundAsConversation(err)
	}
	out := c.StreamEvents()
	if c.Request.Method == http.MethodHead {
		f.Close()
		return nil, nil
	}
	s.follow(c, out, &updateWriter{s, out, f, conv,
		newMessageView(callerOf(c).agent, conv), *callerOf(c).visitor})
	return nil, nil
}

// lastEventID returns the number of the last message that the client has seen, or nil.
func lastEventID(r *http.Request) *int64 {
	n, err := strconv.ParseInt(r.Header.Get("Last-Event-ID"), 10, 64)
	if err != nil || n < 0 {
		return nil
	}
	return &n
}

// updateTimeout is how long the database may take for what an update does not hold.
const updateTimeout = 10 * time.Second

// updateWriter writes what happens in a conversation.
type updateWriter struct {
	server       *server
	out          *httpapi.Stream
	follower     *chat.Follower
	conversation *parley.Conversation // as it was at first
	view         messageView
	visitor      parley.Visitor // whose stream it is
}

// statusEvent is the data of a status event.
type statusEvent struct {
	Status parley.ConversationStatus `json:"status"`
}

// SendNext implements httpapi.Feed.
func (u *updateWriter) SendNext(ctx context.Context) error {
	update, err := u.follower.Next(ctx)
	switch {
	case err != nil:
		if !errors.Is(err, io.EOF) && ctx.Err() == nil {
			u.server.Logger.Warn("a conversation is not followed any more", "err", err)
		}
		return err
	case update.Status != "":
		err = u.out.SendEvent("status", 0, statusEvent{update.Status})
	}
	// The context of a silent stream has ended; what has come is sent nevertheless.
	reading, stop := context.WithTimeout(context.WithoutCancel(ctx), updateTimeout)
	defer stop()
	err = errors.Join(err, u.sendPeople(reading, update))
	names, failure := u.server.Conversations.AuthorNames(reading, u.conversation.AccountID, update.Messages)
	err, u.view.names = errors.Join(err, failure), names
	for i := range update.Messages {
		err = errors.Join(err, u.out.SendEvent("message", update.Messages[i].Seq,
			u.server.newMessage(&update.Messages[i], u.view)))
	}
	if err := errors.Join(err, u.out.Flush()); err != nil {
		return err
	}
	return u.server.Visitors.NoteRead(reading, &u.visitor, update.Messages)
}

// Notify implements httpapi.Notifier.
func (u *updateWriter) Notify(wake func()) { u.follower.Notify(wake) }

// Close implements httpapi.Feed.
func (u *updateWriter) Close() { u.follower.Close() }
