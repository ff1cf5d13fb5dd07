package v2

import (
	"context"
	"fmt"

	"parley"
	"parley/internal/helpdesk"
	"parley/internal/httpapi"
)

// NewTicketMessage is what a member of the team writes to a ticket.
type NewTicketMessage struct {
	TicketRef
	Body   NewTicketMessageBody
	Upload *httpapi.Upload
}

// NewTicketMessageBody is the body of a member's message (facts 4.2b).
type NewTicketMessageBody struct {
	Type        string              `json:"type" enum:"reply,note" name:"TicketReplyType" doc:"reply: to the customer; note: for the team alone."`
	Content     string              `json:"content" min:"1" max:"10000" doc:"Markdown."`
	AuthorID    httpapi.Opt[string] `json:"authorId,omitzero" format:"uuid" doc:"The member of the account who writes. Either this or authorEmail."`
	AuthorEmail httpapi.Opt[string] `json:"authorEmail,omitzero" format:"mail" max:"320" doc:"The same member by e-mail address, in any case."`
}

var ticketFilesForm = &httpapi.Form{MinFileBytes: 1, MaxFileBytes: helpdesk.MaxFileBytes, MaxFiles: helpdesk.MaxFiles, FileDescription: "A file of any kind, 1 byte to 20 MB."}

// checkAuthor refuses a message of nobody, and one of two.
func (b *NewTicketMessageBody) checkAuthor() error {
	switch {
	case b.AuthorID.Present && b.AuthorEmail.Present:
		return newInvalidBodyError(map[string]string{"authorId": exclusiveMessage("authorEmail"), "authorEmail": exclusiveMessage("authorId")})
	case !b.AuthorID.Present && !b.AuthorEmail.Present:
		return newInvalidBodyError(map[string]string{"authorId": "is required where there is no authorEmail", "authorEmail": "is required where there is no authorId"})
	}
	return nil
}

func (s *server) writeToTicket(ctx context.Context, c *httpapi.Call, in *NewTicketMessage) (*WrittenMessage, error) {
	if err := in.Body.checkAuthor(); err != nil {
		return nil, s.errorUnlessNoTicket(ctx, c, &in.TicketRef, err)
	}
	if _, err := s.findAgent(ctx, c, in.AgentID); err != nil {
		return nil, err
	}
	m, err := s.Helpdesk.Reply(ctx, callerOf(c).Account.ID, parley.AgentID(in.AgentID), in.TicketNumber, in.helpdeskReply())
	if err != nil {
		return nil, fmt.Errorf("write to ticket: %w", err)
	}
	out := newWrittenMessage(m)
	return &out, nil
}

func (in *NewTicketMessage) helpdeskReply() helpdesk.NewReply {
	b := &in.Body
	r := helpdesk.NewReply{Type: b.Type, Content: b.Content, AuthorID: parley.UserID(b.AuthorID.Value), AuthorEmail: b.AuthorEmail.Value}
	if in.Upload == nil {
		return r
	}
	for _, f := range in.Upload.Files {
		r.Files = append(r.Files, helpdesk.File{Name: f.Name, Path: f.Path, Size: f.Size, Hash: f.Hash})
	}
	return r
}

// replayTicketMessage answers the same request once more from the message that it has written.
func (s *server) replayTicketMessage(ctx context.Context, c *httpapi.Call, in any, did effect) (any, error) {
	ref := in.(*NewTicketMessage)
	if _, err := s.findAgent(ctx, c, ref.AgentID); err != nil {
		return nil, err
	}
	m, err := s.Helpdesk.Message(ctx, callerOf(c).Account.ID, parley.AgentID(ref.AgentID), ref.TicketNumber, parley.MessageID(did.id))
	if err != nil {
		return nil, fmt.Errorf("find a ticket's message: %w", err)
	}
	out := newWrittenMessage(m)
	return &out, nil
}
