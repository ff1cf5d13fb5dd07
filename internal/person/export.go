package person

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"time"

	"parley"
	"parley/internal/store"
)

// Format names what an export is, for programs that read it (docs/manual/privacy.md).
const Format = "parley-person/1"

// Export is everything that an account holds of a person.
type Export struct {
	Format     string           `json:"format"`
	ExportedAt time.Time        `json:"exportedAt"`
	AccountID  parley.AccountID `json:"accountId"`
	Email      string           `json:"email,omitempty"`  // that was asked for
	UserID     string           `json:"userId,omitempty"` // that was asked for
	Agents     []Agent          `json:"agents"`
}

// Agent is what one agent holds of the person.
type Agent struct {
	AgentID       parley.AgentID `json:"agentId"`
	People        []Profile      `json:"people"`
	Leads         []Lead         `json:"leads"`
	Visitors      []Visitor      `json:"visitors"`
	Conversations []Conversation `json:"conversations"`
}

// Profile is a contact, or the customer of a ticket.
type Profile struct {
	ID         parley.PersonID `json:"id"`
	Email      string          `json:"email,omitempty"`
	UserID     string          `json:"userId,omitempty"`
	Name       string          `json:"name,omitempty"`
	Phone      string          `json:"phone,omitempty"`
	Attributes json.RawMessage `json:"attributes,omitempty"`
	CreatedAt  time.Time       `json:"createdAt"`

	StripeAccounts json.RawMessage `json:"stripeAccounts,omitempty"`
}

// Lead is what the person has left in a form.
type Lead struct {
	Name      string            `json:"name,omitempty"`
	Email     string            `json:"email,omitempty"`
	Phone     string            `json:"phone,omitempty"`
	Fields    map[string]string `json:"fields,omitempty"`
	CreatedAt time.Time         `json:"createdAt"`
}

// Visitor is a browser in which the person has used the widget.
type Visitor struct {
	ID         parley.VisitorID `json:"id"`
	FirstPage  string           `json:"firstPage,omitempty"`
	Locale     string           `json:"locale,omitempty"`
	CreatedAt  time.Time        `json:"createdAt"`
	LastSeenAt time.Time        `json:"lastSeenAt"`
}

// Conversation is one conversation of the person, with its ticket.
type Conversation struct {
	ID         parley.ConversationID `json:"id"`
	UserID     parley.EndUserID      `json:"userId,omitempty"`
	Title      string                `json:"title,omitempty"`
	Channel    parley.Channel        `json:"channel"`
	Page       string                `json:"page,omitempty"`
	CreatedAt  time.Time             `json:"createdAt"`
	Ticket     *Ticket               `json:"ticket,omitempty"`
	Insight    *Insight              `json:"insight,omitempty"`
	Messages   []Message             `json:"messages"`
	Recordings []File                `json:"recordings,omitempty"`
}

// Ticket is the ticket of a conversation.
type Ticket struct {
	Number      int64           `json:"number"`
	Subject     string          `json:"subject"`
	Description string          `json:"description,omitempty"`
	Metadata    json.RawMessage `json:"metadata,omitempty"`
}

// Insight is what was found out about a conversation.
type Insight struct {
	Topic     string           `json:"topic,omitempty"`
	Sentiment parley.Sentiment `json:"sentiment,omitempty"`
	Outcome   parley.Outcome   `json:"outcome,omitempty"`
}

// Message is a message with its files.
type Message struct {
	ID        parley.MessageID  `json:"id"`
	Author    parley.AuthorKind `json:"author"`
	Text      string            `json:"text"`
	Rating    string            `json:"rating,omitempty"`
	Comment   string            `json:"comment,omitempty"`
	CreatedAt time.Time         `json:"createdAt"`
	ToolCalls []ToolCall        `json:"toolCalls,omitempty"`
	Files     []File            `json:"files,omitempty"`
}

// ToolCall is what the agent has asked another program, and what that has answered.
type ToolCall struct {
	Name   string          `json:"name"`
	Input  json.RawMessage `json:"input,omitempty"`
	Output json.RawMessage `json:"output,omitempty"`
}

// File is a file with its bytes, which JSON has in base64.
type File struct {
	Name      string    `json:"name"`
	MediaType string    `json:"mediaType"`
	CreatedAt time.Time `json:"createdAt"`
	Data      []byte    `json:"data"`
	IsMissing bool      `json:"isMissing,omitempty"` // its bytes were gone before
}

// Export collects what an account holds of a person. It is recorded in the audit chain. Fails with
// VALIDATION_INVALID_BODY.
func (s *Service) Export(ctx context.Context, w Who) (*Export, error) {
	if err := w.check(); err != nil {
		return nil, err
	}
	out := &Export{Format: Format, ExportedAt: s.Now().UTC(), AccountID: w.Account, Email: w.Email, UserID: w.UserID,
		Agents: []Agent{}}
	keys, err := s.findKeys(ctx, w)
	if err != nil {
		return nil, err
	}
	conversations := 0
	err = s.eachAgent(ctx, w.Account, keys, func(ref parley.AgentRef, d *store.PersonData) error {
		a := newAgent(ref, d)
		for _, id := range d.Conversations {
			c, err := s.exportConversation(ctx, ref.ConversationRef(id))
			if err != nil {
				return err
			}
			a.Conversations = append(a.Conversations, *c)
		}
		conversations += len(a.Conversations)
		out.Agents = append(out.Agents, a)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, s.DB.NotePerson(ctx, w.Account, s.Now(), w.Actor, store.PersonExported, s.mark(w),
		map[string]any{"agents": len(out.Agents), "conversations": conversations})
}

func newAgent(ref parley.AgentRef, d *store.PersonData) Agent {
	a := Agent{AgentID: ref.Agent, People: []Profile{}, Leads: []Lead{}, Visitors: []Visitor{},
		Conversations: []Conversation{}}
	for _, p := range d.People {
		a.People = append(a.People, Profile{ID: p.ID, Email: p.Email, UserID: p.ExternalID, Name: p.Name, Phone: p.Phone,
			Attributes: p.Attributes, CreatedAt: p.CreatedAt, StripeAccounts: p.StripeAccounts})
	}
	for _, l := range d.Leads {
		a.Leads = append(a.Leads, Lead{l.Name, l.Email, l.Phone, l.Fields, l.CreatedAt})
	}
	for _, v := range d.Visitors {
		a.Visitors = append(a.Visitors, Visitor{v.ID, v.FirstPage, v.Locale, v.CreatedAt, v.LastSeenAt})
	}
	return a
}

func (s *Service) exportConversation(ctx context.Context, ref parley.ConversationRef) (*Conversation, error) {
	c, err := s.DB.Conversation(ctx, ref)
	if err != nil {
		return nil, err
	}
	out := &Conversation{ID: c.ID, UserID: c.UserID, Title: c.Title, Channel: c.Channel, Page: c.EmbedOrigin,
		CreatedAt: c.CreatedAt, Messages: []Message{}}
	ticket, err := s.DB.TicketOfConversation(ctx, ref)
	switch {
	case err == nil:
		out.Ticket = &Ticket{ticket.Number, ticket.Subject, ticket.Description, ticket.Metadata}
	case !parley.IsCode(err, parley.CodeTicketNotFound):
		return nil, err
	}
	found, err := s.DB.Insight(ctx, ref)
	if err != nil {
		return nil, err
	}
	if found != nil {
		out.Insight = &Insight{found.Topic, found.Sentiment, found.FinalOutcome()}
	}
	if err := s.addMessages(ctx, ref, out); err != nil {
		return nil, err
	}
	return out, s.addRecordings(ctx, ref, out)
}

const messagesPerRead = 200

func (s *Service) addMessages(ctx context.Context, ref parley.ConversationRef, out *Conversation) error {
	for after := int64(0); ; {
		list, err := s.DB.MessagesAfter(ctx, ref, after, messagesPerRead)
		if err != nil || len(list) == 0 {
			return err
		}
		after = list[len(list)-1].Seq
		for i := range list {
			m := &list[i]
			files, err := s.messageFiles(ctx, ref.AgentRef, m.ID)
			if err != nil {
				return err
			}
			out.Messages = append(out.Messages, Message{ID: m.ID, Author: m.Author, Text: m.Text(), Rating: m.Feedback,
				Comment: m.Comment, CreatedAt: m.CreatedAt, ToolCalls: toolCallsOf(m), Files: files})
		}
	}
}

// toolCallsOf returns the calls of a message, each with its answer.
func toolCallsOf(m *parley.Message) (list []ToolCall) {
	places := map[string]int{} // by the ids of the calls
	for _, p := range m.Parts {
		place, isKnown := places[p.ToolCallID]
		switch {
		case p.Type == "tool-call":
			places[p.ToolCallID] = len(list)
			list = append(list, ToolCall{Name: p.ToolName, Input: p.Input})
		case p.Type == "tool-result" && isKnown:
			list[place].Output = p.Output
		case p.Type == "tool-result":
			list = append(list, ToolCall{Name: p.ToolName, Output: p.Output})
		}
	}
	return list
}

func (s *Service) messageFiles(ctx context.Context, ref parley.AgentRef, message parley.MessageID) ([]File, error) {
	list, err := s.DB.Attachments(ctx, ref, []parley.MessageID{message})
	if err != nil {
		return nil, err
	}
	var files []File
	for _, f := range list {
		_, blob, err := s.DB.FileOfAgent(ctx, ref, f.ID)
		if err != nil {
			return nil, err
		}
		file, err := s.newFile(ctx, blob, File{Name: f.Name, MediaType: f.MediaType, CreatedAt: f.CreatedAt})
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}

// newFile reads the bytes of a file. One that is gone does not prevent the export of all others.
func (s *Service) newFile(ctx context.Context, blob *store.Blob, f File) (_ File, err error) {
	if f.Data, err = s.ReadFile(ctx, blob); errors.Is(err, fs.ErrNotExist) {
		f.IsMissing, err = true, nil
	}
	return f, err
}

func (s *Service) addRecordings(ctx context.Context, ref parley.ConversationRef, out *Conversation) error {
	list, err := s.DB.Recordings(ctx, ref)
	if err != nil {
		return err
	}
	for i := range list {
		blob, err := s.DB.RecordingBlob(ctx, &list[i])
		if err != nil {
			return err
		}
		file, err := s.newFile(ctx, blob, File{Name: blob.Name, MediaType: blob.MediaType, CreatedAt: list[i].CreatedAt})
		if err != nil {
			return err
		}
		out.Recordings = append(out.Recordings, file)
	}
	return nil
}
