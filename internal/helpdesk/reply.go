package helpdesk

import (
	"context"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/text/redact"
	"parley/internal/text/safehtml"
)

// NewReply is what a member of the team writes to a ticket: a reply, which the customer sees, or a note, which only the
// team sees.
type NewReply struct {
	Type        string        // reply or note
	Content     string        // Markdown, 1 to 10,000 characters; beside files it may be empty
	AuthorID    parley.UserID // exactly one of AuthorID and AuthorEmail
	AuthorEmail string        // whatever its case
	Files       []File
	Uploaded    []parley.Attachment // files of the member that were uploaded before
}

// MaxReply is the most characters of a reply.
const MaxReply = 10_000

func (n *NewReply) check() error {
	faults := map[string]string{}
	if n.Type != store.MessageTypeReply && n.Type != store.MessageTypeNote {
		faults["type"] = "must be one of: reply, note"
	}
	if size := utf8.RuneCountInString(n.Content); size > MaxReply || size == 0 && len(n.Files)+len(n.Uploaded) == 0 {
		faults["content"] = fmt.Sprintf("must have 1 to %d characters", MaxReply)
	}
	if (n.AuthorID == "") == (n.AuthorEmail == "") {
		const reason = "exactly one of authorId and authorEmail is required"
		faults["authorId"], faults["authorEmail"] = reason, reason
	}
	checkFiles(faults, n.Files)
	return parley.InvalidFields(faults)
}

// Reply adds a member's reply or note to a ticket. A reply is a message of the conversation, which the customer gets at
// once, and makes the ticket wait for the customer, whatever its status; the conversation must be taken over. Fails
// with TICKET_NOT_FOUND, CONVERSATION_NOT_TAKEN_OVER, TEAM_MEMBER_NOT_FOUND, MESSAGE_CONTENT_NOT_RENDERABLE where
// nothing would be shown, and VALIDATION_INVALID_BODY.
func (s *Service) Reply(ctx context.Context, ref parley.AgentRef, number int64,
	n NewReply) (message *parley.TicketMessage, err error) {
	n.Content = parley.StorableText(n.Content)
	if err := n.check(); err != nil {
		return nil, err
	}
	n.AuthorID = lowerID(n.AuthorID)
	w := &replyWrite{NewReply: n, ref: ref, number: number, id: parley.NewMessageID(), now: s.now()}
	// an empty reply has files
	w.isVisible = n.Content == "" || parley.IsVisible(safehtml.ToText(safehtml.FromMarkdown(n.Content)))
	if err := w.prepareFiles(); err != nil {
		return nil, err
	}
	write := func(tx *store.DB) error {
		message, err = s.newUpdate(tx, w.now).writeReply(ctx, w)
		return err
	}
	switch {
	case len(w.files) == 0:
		err = s.DB.Transact(ctx, sqldb.Interactive, write)
	case s.StoreFiles == nil:
		err = parley.Invalid("files", "cannot be kept here")
	default:
		err = s.StoreFiles(ctx, w.paths, w.blobs, write)
	}
	if err != nil {
		return nil, err
	}
	return message, nil
}

// replyWrite is a reply to store, with all that does not come from the database.
type replyWrite struct {
	NewReply
	ref       parley.AgentRef
	number    int64
	id        parley.MessageID
	now       time.Time
	isVisible bool // whether a reader sees anything of it
	paths     []string
	blobs     []*store.Blob
	files     []parley.Attachment
}

func (u *update) writeReply(ctx context.Context, w *replyWrite) (*parley.TicketMessage, error) {
	t, c, err := u.lockTicket(ctx, w.ref, w.number)
	if err != nil {
		return nil, err
	}
	if w.Type == store.MessageTypeReply && c.Status != parley.ConversationTakenOver {
		return nil, parley.NewError(parley.CodeNotTakenOver)
	}
	author, err := w.author(ctx, u.tx)
	if err != nil {
		return nil, err
	}
	if !w.isVisible {
		return nil, parley.NewError(parley.CodeNotRenderable)
	}
	m := &parley.TicketMessage{Type: w.Type, Attachments: slices.Concat(w.files, w.Uploaded),
		Sender: parley.Sender{Type: "agent", ID: string(author.ID), Name: author.Name, Email: author.Email}}
	m.ID, m.ConversationID, m.Author, m.AuthorID, m.State, m.CreatedAt = w.id, t.ConversationID, parley.AuthorHuman,
		author.ID, parley.MessageComplete, w.now
	if err := u.storeReply(ctx, t, m, w); err != nil {
		return nil, err
	}
	if m.Type == store.MessageTypeReply && author.ID != c.ClaimedBy {
		if err := u.tx.ClaimConversation(ctx, c.Ref(), author.ID); err != nil {
			return nil, err
		}
	}
	if err := u.tx.CompleteClaim(ctx, "ticketmessage:"+string(m.ID)); err != nil {
		return nil, err
	}
	if m.Type == store.MessageTypeNote {
		return m, u.recordMessage(ctx, t, m)
	}
	if u.Wake != nil {
		u.tx.SQL().AfterCommit(func() { u.Wake(t.ConversationID) })
	}
	return m, u.recordMessage(ctx, t, m, messageCreated(t, m.ID))
}

func (w *replyWrite) author(ctx context.Context, tx *store.DB) (parley.User, error) {
	var m *parley.Membership
	var err error
	if w.AuthorID != "" {
		m, err = tx.Member(ctx, w.ref.Account, w.AuthorID, parley.CodeMemberNotFound)
	} else {
		m, err = tx.MemberByEmail(ctx, w.ref.Account, w.AuthorEmail, parley.CodeMemberNotFound)
	}
	if err != nil {
		return parley.User{}, err
	}
	return m.User, nil
}

func (u *update) storeReply(ctx context.Context, t *parley.Ticket, m *parley.TicketMessage, w *replyWrite) error {
	redacts, err := u.tx.AgentRedacts(ctx, t.AgentRef())
	if err != nil {
		return err
	}
	text := w.Content
	if redacts {
		text = redact.Text(text)
	}
	m.Parts = append([]parley.Part{{Type: "text", Text: text}}, parley.FileParts(m.Attachments)...)
	if m.Type == store.MessageTypeNote {
		err = u.tx.AddInternalMessage(ctx, t.AgentRef(), m)
	} else if err = u.tx.AddMessage(ctx, t.AgentRef(), &m.Message, nil); err == nil {
		err = u.tx.TouchAgent(ctx, t.AgentRef(), m.CreatedAt)
	}
	if err != nil {
		return err
	}
	if err := w.storeFiles(ctx, u.tx, t); err != nil {
		return err
	}
	err = u.tx.SendMemberFiles(ctx, t.ConversationRef(), m.ID, w.Uploaded)
	if parley.IsCode(err, parley.CodeResourceNotFound) {
		err = parley.Invalid("fileIds", "names a file that was sent already")
	}
	if err != nil {
		return err
	}
	return u.applyMessage(ctx, t, m)
}
