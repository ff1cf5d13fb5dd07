package helpdesk

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"parley"
	"parley/internal/prose"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// NewReply is what a member of the team writes to a ticket: a reply, which the customer sees, or a note, which only the team sees.
type NewReply struct {
	Type        string        // reply or note
	Content     string        // Markdown, 1 to 10,000 characters; beside files it may be empty
	AuthorID    parley.UserID // exactly one of AuthorID and AuthorEmail
	AuthorEmail string        // whatever its case
	Files       []File
}

// MostReply is the most characters of a reply (facts 4.2b).
const MostReply = 10_000

func (in *NewReply) check() error {
	faults := map[string]string{}
	if in.Type != store.TypeReply && in.Type != store.TypeNote {
		faults["type"] = "must be one of: reply, note"
	}
	if n := utf8.RuneCountInString(in.Content); n > MostReply || n == 0 && len(in.Files) == 0 {
		faults["content"] = fmt.Sprintf("must have 1 to %d characters", MostReply)
	}
	if (in.AuthorID == "") == (in.AuthorEmail == "") {
		faults["authorId"], faults["authorEmail"] = "exactly one of authorId and authorEmail is required", "exactly one of authorId and authorEmail is required"
	}
	checkFiles(faults, in.Files)
	return invalid(faults)
}

// Reply writes a member's reply or note to a ticket. A reply is a message of the conversation, which the customer hears at once, and
// moves the ticket on to the customer, whatever its status; it needs a conversation in the hands of people. Fails with TICKET_NOT_FOUND,
// CONVERSATION_NOT_TAKEN_OVER, TEAM_MEMBER_NOT_FOUND, MESSAGE_CONTENT_NOT_RENDERABLE where nothing would be shown, and
// VALIDATION_INVALID_BODY.
func (d *Desk) Reply(ctx context.Context, account parley.AccountID, agent parley.AgentID, number int64, in NewReply) (*parley.TicketMessage, error) {
	in.Content = strings.ReplaceAll(in.Content, "\x00", "")
	if err := in.check(); err != nil {
		return nil, err
	}
	in.AuthorID = lower(in.AuthorID)
	w := &writing{NewReply: in, account: account, agent: agent, number: number, id: parley.NewMessageID(), now: d.now()}
	w.shown = visible(MarkdownText(in.Content)) || in.Content == "" // an empty one has files
	if err := w.receive(); err != nil {
		return nil, err
	}
	var written *parley.TicketMessage
	err := d.keep(ctx, w, func(tx *store.DB) (err error) {
		written, err = d.write(ctx, tx, w)
		return err
	})
	if err != nil {
		return nil, err
	}
	return written, nil
}

// writing is a reply being written, with all that does not come from the database.
type writing struct {
	NewReply
	account parley.AccountID
	agent   parley.AgentID
	number  int64
	id      parley.MessageID
	now     time.Time
	shown   bool // whether a reader sees anything of it
	paths   []string
	blobs   []*store.Blob
	files   []parley.Attachment
}

// keep runs write in a transaction, with the bytes of the files.
func (d *Desk) keep(ctx context.Context, w *writing, write func(tx *store.DB) error) error {
	switch {
	case len(w.files) == 0:
		return d.DB.Transact(ctx, sqldb.Turns, write)
	case d.Keep == nil:
		return invalid(map[string]string{"files": "cannot be kept here"})
	}
	return d.Keep(ctx, w.paths, w.blobs, write)
}

func (d *Desk) write(ctx context.Context, tx *store.DB, w *writing) (*parley.TicketMessage, error) {
	t, c, err := d.hold(ctx, tx, w.account, w.agent, w.number)
	if err != nil {
		return nil, err
	}
	if w.Type == store.TypeReply && c.Status != parley.TakenOver {
		return nil, parley.Fail(parley.CodeNotTakenOver)
	}
	author, err := w.author(ctx, tx)
	if err != nil {
		return nil, err
	}
	if !w.shown {
		return nil, parley.Fail(parley.CodeNotRenderable)
	}
	m := &parley.TicketMessage{Type: w.Type, Sender: parley.Sender{Type: "agent", ID: string(author.ID), Name: author.Name, Email: author.Email}, Attachments: w.files}
	m.ID, m.ConversationID, m.Author, m.AuthorID, m.State, m.CreatedAt = w.id, t.ConversationID, parley.ByHuman, author.ID, parley.MessageComplete, w.now
	if err := d.put(ctx, tx, t, m, w); err != nil {
		return nil, err
	}
	return m, d.announce(ctx, tx, t, m)
}

func (w *writing) author(ctx context.Context, tx *store.DB) (parley.User, error) {
	var m *parley.Membership
	var err error
	if w.AuthorID != "" {
		m, err = tx.Member(ctx, w.account, w.AuthorID, parley.CodeMemberNotFound)
	} else {
		m, err = tx.MemberByEmail(ctx, w.account, w.AuthorEmail, parley.CodeMemberNotFound)
	}
	if err != nil {
		return parley.User{}, err
	}
	return m.User, nil
}

// put writes the message and its files, and what follows from it for the ticket.
func (d *Desk) put(ctx context.Context, tx *store.DB, t *parley.Ticket, m *parley.TicketMessage, w *writing) error {
	redacts, err := tx.Redacts(ctx, t.AccountID, t.AgentID)
	if err != nil {
		return err
	}
	text := w.Content
	if redacts {
		text = prose.Redact(text)
	}
	m.Parts = []parley.Part{{Type: "text", Text: text}}
	if m.Type == store.TypeNote {
		err = tx.AddAside(ctx, t.AccountID, t.AgentID, m)
	} else if err = tx.AddMessage(ctx, t.AccountID, t.AgentID, &m.Message, nil); err == nil {
		err = tx.AgentSpoke(ctx, t.AccountID, t.AgentID, m.CreatedAt)
	}
	if err != nil {
		return err
	}
	if err := w.attach(ctx, tx, t); err != nil {
		return err
	}
	return d.advance(ctx, tx, t, m)
}
