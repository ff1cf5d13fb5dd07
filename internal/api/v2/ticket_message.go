package v2

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"time"

	"parley"
	"parley/internal/api/once"
	"parley/internal/helpdesk"
	"parley/internal/httpapi"
	"parley/internal/store"
)

// WrittenMessage is an entry of a ticket in the reply to its creation (docs/interface/helpdesk.md#reply).
type WrittenMessage struct {
	ID          string  `json:"id"`
	Type        string  `json:"type" enum:"@ticketMessageType" name:"TicketMessageType"`
	Sender      *Sender `json:"sender"`
	Content     *string `json:"content" doc:"Safe HTML."`
	ContentText *string `json:"contentText" doc:"The same as plain text."`
	CreatedAt   string  `json:"createdAt" format:"date-time"`
}

// FieldDocs returns the docs that are too long for tags.
func (WrittenMessage) FieldDocs() map[string]string {
	return map[string]string{
		"type": "What the customer and the team say to each other, what the team tells itself, or what has happened to " +
			"the ticket.",
	}
}

// TicketMessage is an entry of a ticket (docs/interface/helpdesk.md#messages-of-a-ticket).
type TicketMessage struct {
	WrittenMessage
	Attachments []Attachment                    `json:"attachments"`
	Metadata    httpapi.Opt[parley.TicketEvent] `json:"metadata,omitzero" doc:"Of an event: what has happened."`
}

// Sender is the author of an entry.
type Sender struct {
	Type  string  `json:"type" enum:"customer,agent,system"`
	ID    *string `json:"id"`
	Name  *string `json:"name"`
	Email *string `json:"email"`
}

// FieldDocs returns the docs that are too long for tags.
func (Sender) FieldDocs() map[string]string {
	return map[string]string{
		"type": "agent is a member of the team; system is the AI agent, or the server.",
	}
}

func newWrittenMessage(m *parley.TicketMessage) WrittenMessage {
	html, plain := helpdesk.RenderMessage(m)
	out := WrittenMessage{ID: string(m.ID), Type: m.Type, Content: textOrNull(html), ContentText: textOrNull(plain),
		CreatedAt: formatTime(m.CreatedAt)}
	if by := m.Sender; by.Type != "" {
		out.Sender = &Sender{Type: by.Type, ID: textOrNull(by.ID), Name: textOrNull(by.Name), Email: textOrNull(by.Email)}
	}
	return out
}

func (s *server) newTicketMessage(m *parley.TicketMessage) TicketMessage {
	out := TicketMessage{WrittenMessage: newWrittenMessage(m), Attachments: s.newAttachments(m.Attachments)}
	if m.Event != nil {
		out.Metadata = httpapi.Some(*m.Event)
	}
	return out
}

// TicketMessageQuery selects a page of a ticket's messages.
type TicketMessageQuery struct {
	TicketRef
	Paging
	Types []string `query:"types" item:"enum=@ticketMessageType,name=TicketMessageType"`
	Order string   `query:"order" enum:"asc,desc" name:"SortOrder" default:"asc" doc:"asc: the oldest first."`
}

// FieldDocs returns the docs that are too long for tags.
func (TicketMessageQuery) FieldDocs() map[string]string {
	return map[string]string{
		"types": "Comma-separated; reply and note where nothing is said.",
	}
}

func (s *server) listTicketMessages(ctx context.Context, c *call,
	in *TicketMessageQuery) (*Page[TicketMessage], error) {
	if len(in.Types) == 0 {
		in.Types = []string{store.MessageTypeReply, store.MessageTypeNote}
	}
	purpose := fmt.Sprintf("ticket %s %d %s %s", in.AgentID, in.TicketNumber, strings.Join(in.Types, ","), in.Order)
	request, err := s.pageRequest(in.Paging, purpose)
	if err != nil {
		return nil, err
	}
	page, err := s.Helpdesk.Messages(ctx, agentRef(c, in.AgentID), in.TicketNumber,
		store.TicketMessagesRequest{PageRequest: request, Types: in.Types, Descending: in.Order == "desc"})
	if err != nil {
		return nil, fmt.Errorf("list a ticket's messages: %w", err)
	}
	return newPage(s, page, purpose, s.newTicketMessage), nil
}

// NewTicketMessage is a message of a member of the team.
type NewTicketMessage struct {
	TicketRef
	Body   NewTicketMessageBody
	Upload *httpapi.Upload
}

// NewTicketMessageBody is the body of a member's message (docs/interface/helpdesk.md#reply).
type NewTicketMessageBody struct {
	Type        string              `json:"type" enum:"@ticketWrittenType" name:"TicketReplyType"`
	Content     string              `json:"content" min:"1" max:"10000" doc:"Markdown."`
	AuthorID    httpapi.Opt[string] `json:"authorId,omitzero" format:"uuid"`
	AuthorEmail httpapi.Opt[string] `json:"authorEmail,omitzero" format:"mail" max:"320"`
}

// FieldDocs returns the docs that are too long for tags.
func (NewTicketMessageBody) FieldDocs() map[string]string {
	return map[string]string{
		"type":        "reply: to the customer; note: for the team alone.",
		"authorId":    "The member of the account who writes. Either this or authorEmail.",
		"authorEmail": "The same member by e-mail address, in any case.",
	}
}

var ticketFilesForm = &httpapi.Form{MinFileBytes: 1, MaxFileBytes: helpdesk.MaxFileBytes, MaxFiles: helpdesk.MaxFiles,
	FileDescription: "A file of any kind, 1 byte to 20 MB."}

// checkAuthor fails unless exactly one of the two author fields is set.
func (b *NewTicketMessageBody) checkAuthor() error {
	switch {
	case b.AuthorID.Present && b.AuthorEmail.Present:
		return parley.InvalidFields(map[string]string{"authorId": exclusiveMessage("authorEmail"),
			"authorEmail": exclusiveMessage("authorId")})
	case !b.AuthorID.Present && !b.AuthorEmail.Present:
		return parley.InvalidFields(map[string]string{"authorId": "is required where there is no authorEmail",
			"authorEmail": "is required where there is no authorId"})
	}
	return nil
}

func (s *server) writeToTicket(ctx context.Context, c *call, in *NewTicketMessage) (*WrittenMessage, error) {
	if err := in.Body.checkAuthor(); err != nil {
		return nil, s.missingTicketOr(ctx, c, &in.TicketRef, err)
	}
	if err := s.checkOwnName(ctx, callerOf(c).Member, &in.Body); err != nil {
		return nil, s.missingTicketOr(ctx, c, &in.TicketRef, err)
	}
	m, err := s.Helpdesk.Reply(ctx, agentRef(c, in.AgentID), in.TicketNumber, in.helpdeskReply())
	if err != nil {
		return nil, fmt.Errorf("write to ticket: %w", err)
	}
	out := newWrittenMessage(m)
	return &out, nil
}

// checkOwnName fails with TEAM_MEMBER_NOT_FOUND where a member writes in another's name. A key writes in that of any
// member; then there is no member.
func (s *server) checkOwnName(ctx context.Context, member *parley.Member, b *NewTicketMessageBody) error {
	if member == nil {
		return nil
	}
	author := parley.UserID(strings.ToLower(b.AuthorID.Value))
	if b.AuthorEmail.Present {
		m, err := s.DB.MemberByEmail(ctx, member.Account, b.AuthorEmail.Value, parley.CodeMemberNotFound)
		if err != nil && !parley.IsCode(err, parley.CodeMemberNotFound) {
			return err
		}
		if err == nil {
			author = m.User.ID
		}
	}
	if author != member.User {
		return parley.NewErrorf(parley.CodeMemberNotFound, "A member writes in their own name only.")
	}
	return nil
}

func (m *NewTicketMessage) helpdeskReply() helpdesk.NewReply {
	b := &m.Body
	r := helpdesk.NewReply{Type: b.Type, Content: b.Content, AuthorID: parley.UserID(b.AuthorID.Value),
		AuthorEmail: b.AuthorEmail.Value}
	if m.Upload == nil {
		return r
	}
	for _, f := range m.Upload.Files {
		r.Files = append(r.Files, helpdesk.File{Name: f.Name, Path: f.Path, Size: f.Size, Hash: f.Hash})
	}
	return r
}

// replayTicketMessage returns the message that the request has written.
func (s *server) replayTicketMessage(ctx context.Context, c *call, in any, done once.Effect) (any, error) {
	ref := in.(*NewTicketMessage)
	m, err := s.Helpdesk.Message(ctx, agentRef(c, ref.AgentID), ref.TicketNumber, parley.MessageID(done.ID))
	if err != nil {
		return nil, fmt.Errorf("find a ticket's message: %w", err)
	}
	out := newWrittenMessage(m)
	return &out, nil
}

// Attachment is a file that belongs to a ticket's message (docs/interface/helpdesk.md#attachments).
type Attachment struct {
	Name string `json:"name"`
	URL  string `json:"url" doc:"Needs no key. It leads to an address that works for 120 seconds."`
	Type string `json:"type" doc:"Media type, told by the content."`
	Size int64  `json:"size" min:"1" doc:"Bytes."`
}

func (s *server) newAttachments(list []parley.Attachment) []Attachment {
	return httpapi.ConvertList(list, func(a *parley.Attachment) Attachment {
		return Attachment{a.Name, s.fileAddress(s.Helpdesk.AttachmentLink(a.ID)), a.MediaType, a.Size}
	})
}

// fileAddress returns the address of a path of the help desk; a relative one if BaseURL is empty.
func (s *server) fileAddress(path string) string {
	return strings.TrimSuffix(s.BaseURL, "/") + Base + path
}

// FileRef is the address of a file in a message. Its token stands for a key.
type FileRef struct {
	AttachmentID string `path:"attachmentId"`
	Token        string `query:"token"`
}

// redirectToFile redirects to an address that is valid for a short time (docs/interface/helpdesk.md#attachments).
func (s *server) redirectToFile(ctx context.Context, c *call, in *FileRef) (*httpapi.EventStream, error) {
	path, err := s.Helpdesk.ResolveLink(ctx, parley.AttachmentID(in.AttachmentID), in.Token)
	if err != nil {
		return nil, fileNotFound(err)
	}
	c.Delegate(ctx, http.RedirectHandler(s.fileAddress(path), http.StatusFound), nil)
	return nil, nil
}

// FileContent is the address that redirectToFile redirects to.
type FileContent struct {
	AttachmentID string `path:"attachmentId"`
	Expires      string `query:"expires"`
	Signature    string `query:"signature"`
}

func (s *server) serveFile(ctx context.Context, c *call, in *FileContent) (*httpapi.EventStream, error) {
	file, err := s.Helpdesk.AttachmentContent(ctx, parley.AttachmentID(in.AttachmentID), in.Expires, in.Signature)
	if err != nil {
		return nil, fileNotFound(err)
	}
	c.Delegate(ctx, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		maps.Copy(w.Header(), file.Header)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(file.Bytes))
	}), nil)
	return nil, nil
}

// fileNotFound returns the same failure for a file that does not exist, a wrong token, and an address that has
// expired.
func fileNotFound(err error) error {
	if parley.IsCode(err, parley.CodeResourceNotFound) {
		return parley.NewErrorf(parley.CodeResourceNotFound, "There is no such file, or the link to it is no longer valid.")
	}
	return fmt.Errorf("hand out a file: %w", err)
}
