package helpdesk

import (
	"context"
	"fmt"
	"time"
	"unicode/utf8"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/text/redact"
)

// NewReply is what a member of the team writes to a ticket: a reply, which the customer sees, or a note, which only the
// team sees.
type NewReply struct {
	Type        string        // reply or note
	Content     string        // Markdown, 1 to 10,000 characters; beside files it may be empty
	AuthorID    parley.UserID // exactly one of AuthorID and AuthorEmail
	AuthorEmail string        // whatever its case
	Files       []File
}

// MaxReply is the most characters of a reply.
const MaxReply = 10_000

func (in *NewReply) check() error {
	faults := map[string]string{}
	if in.Type != store.MessageTypeReply && in.Type != store.MessageTypeNote {
		faults["type"] = "must be one of: reply, note"
	}
	if n := utf8.RuneCountInString(in.Content); n > MaxReply || n == 0 && len(in.Files) == 0 {
		faults["content"] = fmt.Sprintf("must have 1 to %d characters", MaxReply)
	}
	if (in.AuthorID == "") == (in.AuthorEmail == "") {
		faults["authorId"], faults["authorEmail"] = "exactly one of authorId and authorEmail is required",
			"exactly one of authorId and authorEmail is required"
	}
	checkFiles(faults, in.Files)
	return parley.InvalidFields(faults)
}

// Reply adds a member's reply or note to a ticket. A reply is a message of the conversation, which the customer gets at
// once, and makes the ticket wait for the customer, whatever its status; the conversation must be taken over. Fails
// with TICKET_NOT_FOUND, CONVERSATION_NOT_TAKEN_OVER, TEAM_MEMBER_NOT_FOUND, MESSAGE_CONTENT_NOT_RENDERABLE where
// nothing would be shown, and VALIDATION_INVALID_BODY.
func (d *Service) Reply(ctx context.Context, ref parley.AgentRef, number int64, in NewReply) (*parley.TicketMessage,
	error) {
	in.Content = parley.StorableText(in.Content)
	if err := in.check(); err != nil {
		return nil, err
	}
	in.AuthorID = lowerID(in.AuthorID)
	w := &replyWrite{NewReply: in, account: ref.Account, agent: ref.Agent, number: number, id: parley.NewMessageID(),
		now: d.now()}
	w.isVisible = isVisible(MarkdownText(in.Content)) || in.Content == "" // an empty reply has files
	if err := w.prepareFiles(); err != nil {
		return nil, err
	}
	var written *parley.TicketMessage
	err := d.transactWithFiles(ctx, w, func(tx *store.DB) (err error) {
		written, err = d.writeReply(ctx, tx, w)
		return err
	})
	if err != nil {
		return nil, err
	}
	return written, nil
}

// replyWrite is a reply to store, with all that does not come from the database.
type replyWrite struct {
	NewReply
	account   parley.AccountID
	agent     parley.AgentID
	number    int64
	id        parley.MessageID
	now       time.Time
	isVisible bool // whether a reader sees anything of it
	paths     []string
	blobs     []*store.Blob
	files     []parley.Attachment
}

// transactWithFiles runs write in a transaction, after storing the files.
func (d *Service) transactWithFiles(ctx context.Context, w *replyWrite, write func(tx *store.DB) error) error {
	switch {
	case len(w.files) == 0:
		return d.DB.Transact(ctx, sqldb.Interactive, write)
	case d.StoreFiles == nil:
		return parley.Invalid("files", "cannot be kept here")
	}
	return d.StoreFiles(ctx, w.paths, w.blobs, write)
}

func (d *Service) writeReply(ctx context.Context, tx *store.DB, w *replyWrite) (*parley.TicketMessage, error) {
	t, c, err := d.lockTicket(ctx, tx, w.account.AgentRef(w.agent), w.number)
	if err != nil {
		return nil, err
	}
	if w.Type == store.MessageTypeReply && c.Status != parley.ConversationTakenOver {
		return nil, parley.NewError(parley.CodeNotTakenOver)
	}
	author, err := w.author(ctx, tx)
	if err != nil {
		return nil, err
	}
	if !w.isVisible {
		return nil, parley.NewError(parley.CodeNotRenderable)
	}
	m := &parley.TicketMessage{Type: w.Type, Sender: parley.Sender{Type: "agent", ID: string(author.ID),
		Name: author.Name, Email: author.Email}, Attachments: w.files}
	m.ID, m.ConversationID, m.Author, m.AuthorID, m.State, m.CreatedAt = w.id, t.ConversationID, parley.AuthorHuman,
		author.ID, parley.MessageComplete, w.now
	if err := d.storeReply(ctx, tx, t, m, w); err != nil {
		return nil, err
	}
	return m, d.recordMessage(ctx, tx, t, m)
}

func (w *replyWrite) author(ctx context.Context, tx *store.DB) (parley.User, error) {
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

// storeReply stores the message and its files, and updates the ticket.
func (d *Service) storeReply(ctx context.Context, tx *store.DB, t *parley.Ticket, m *parley.TicketMessage,
	w *replyWrite) error {
	redacts, err := tx.AgentRedacts(ctx, t.AgentRef())
	if err != nil {
		return err
	}
	text := w.Content
	if redacts {
		text = redact.Text(text)
	}
	m.Parts = []parley.Part{{Type: "text", Text: text}}
	if m.Type == store.MessageTypeNote {
		err = tx.AddInternalMessage(ctx, t.AgentRef(), m)
	} else if err = tx.AddMessage(ctx, t.AgentRef(), &m.Message, nil); err == nil {
		err = tx.TouchAgent(ctx, t.AgentRef(), m.CreatedAt)
	}
	if err != nil {
		return err
	}
	if err := w.storeFiles(ctx, tx, t); err != nil {
		return err
	}
	return d.applyMessage(ctx, tx, t, m)
}
