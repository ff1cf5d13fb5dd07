package chat

import (
	"context"
	"maps"
	"strings"
	"unicode/utf8"

	"parley"
	"parley/internal/model"
	"parley/internal/model/prompt"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/text/redact"
)

// AddCustomerMessage stores what the customer writes to the person who has taken the conversation over, with files that
// were uploaded before. Fails with RESOURCE_NOT_FOUND, with CONVERSATION_NOT_TAKEN_OVER, and with
// VALIDATION_INVALID_BODY of a file that was sent already.
func (cs *Conversations) AddCustomerMessage(ctx context.Context, ref parley.ConversationRef,
	text string, files ...parley.Attachment) (*parley.Message, error) {
	return cs.addMessage(ctx, ref, parley.Message{Author: parley.AuthorUser}, text, nil, files...)
}

// AddHumanReply stores what a member of the team writes to the customer, with files that they have uploaded before.
// Fails as AddCustomerMessage does, and with VALIDATION_INVALID_BODY of an empty text without files.
func (cs *Conversations) AddHumanReply(ctx context.Context, ref parley.ConversationRef, member parley.UserID,
	text string, files ...parley.Attachment) (*parley.Message, error) {
	return cs.addReply(ctx, ref, member, text, nil, files)
}

// AddReplyAfter is AddHumanReply by a member who has seen the messages up to the number seen. Fails as that does, and
// with CONVERSATION_ANSWERED where another member has written to the customer since.
func (cs *Conversations) AddReplyAfter(ctx context.Context, ref parley.ConversationRef, member parley.UserID,
	text string, seen int64, files ...parley.Attachment) (*parley.Message, error) {
	return cs.addReply(ctx, ref, member, text, func(tx *store.DB) error {
		hasWritten, err := tx.HasColleagueWritten(ctx, ref, member, seen)
		if err == nil && hasWritten {
			err = parley.NewError(parley.CodeAnswered)
		}
		return err
	}, files)
}

func (cs *Conversations) addReply(ctx context.Context, ref parley.ConversationRef, member parley.UserID, text string,
	check func(tx *store.DB) error, files []parley.Attachment) (*parley.Message, error) {
	if strings.TrimSpace(text) == "" && len(files) == 0 {
		return nil, parley.Invalid("text", "must say something")
	}
	return cs.addMessage(ctx, ref, parley.Message{Author: parley.AuthorHuman, AuthorID: member}, text, check, files...)
}

// addMessage stores a message, unless check fails, which is called once the conversation is locked; nil checks nothing.
func (cs *Conversations) addMessage(ctx context.Context, ref parley.ConversationRef, m parley.Message, text string,
	check func(tx *store.DB) error, files ...parley.Attachment) (*parley.Message, error) {
	m.ID, m.ConversationID, m.State, m.CreatedAt = parley.NewMessageID(), ref.Conversation, parley.MessageComplete,
		cs.Now()
	var added *parley.Message
	err := cs.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		c, err := tx.LockConversation(ctx, ref)
		if err != nil {
			return err
		}
		if c.Status != parley.ConversationTakenOver {
			return parley.NewError(parley.CodeNotTakenOver)
		}
		if check != nil {
			if err := check(tx); err != nil {
				return err
			}
		}
		message := m
		if message.Parts, err = redactedParts(ctx, tx, ref.AgentRef, text); err != nil {
			return err
		}
		message.Parts = append(message.Parts, parley.FileParts(files)...)
		if err := tx.AddMessage(ctx, ref.AgentRef, &message, nil); err != nil {
			return err
		}
		send := (*store.DB).SendVisitorFiles
		if m.Author == parley.AuthorHuman {
			send = (*store.DB).SendMemberFiles
		}
		if err := checkSent(send(tx, ctx, ref, message.ID, files)); err != nil {
			return err
		}
		if member := claim(string(m.AuthorID)); member != "" && member != c.ClaimedBy {
			if err := tx.ClaimConversation(ctx, ref, member); err != nil {
				return err
			}
		}
		if err := tx.TouchAgent(ctx, ref.AgentRef, m.CreatedAt); err != nil {
			return err
		}
		if cs.HandoverObserver != nil {
			if err := cs.HandoverObserver.MessageWritten(ctx, tx, c, &message); err != nil {
				return err
			}
		}
		if err := tx.CompleteClaim(ctx, "message:"+string(message.ID)); err != nil {
			return err
		}
		added = &message
		tx.SQL().AfterCommit(func() {
			if message.Author == parley.AuthorHuman {
				cs.Hub.stopTyping(ref.Conversation)
			}
			cs.Hub.Wake(ref.Conversation)
		})
		return tx.RecordEvents(ctx, ref.Account, m.CreatedAt, store.NewEvent{Kind: parley.EventMessageCreated,
			AgentID: ref.Agent, ConversationID: ref.Conversation, Subject: string(message.ID)})
	})
	if err != nil {
		return nil, err
	}
	return added, nil
}

// SaveDraft keeps what a member has typed and not sent in a conversation; an empty text removes it. It reports whether
// it is kept: where the agent masks personal data no draft is. Fails with RESOURCE_NOT_FOUND.
func (cs *Conversations) SaveDraft(ctx context.Context, ref parley.ConversationRef, d store.Draft) (isKept bool,
	err error) {
	d.UpdatedAt, d.Text = cs.Now(), parley.StorableText(d.Text)
	err = cs.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		if _, err := tx.LockConversation(ctx, ref); err != nil {
			return err
		}
		mustRedact, err := tx.AgentRedacts(ctx, ref.AgentRef)
		if err != nil {
			return err
		}
		if isKept = d.Text != "" && !mustRedact; isKept {
			return tx.SaveDraft(ctx, ref, &d)
		}
		return tx.DeleteDraft(ctx, ref, &d)
	})
	return isKept && err == nil, err
}

// MarkRead notes that a member has seen a conversation up to the message number seen. It reports whether the
// conversation is read then: where the customer has written since, it stays as it was. Fails with RESOURCE_NOT_FOUND.
func (cs *Conversations) MarkRead(ctx context.Context, ref parley.ConversationRef, member parley.UserID,
	seen int64) (isRead bool, err error) {
	err = cs.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		c, err := tx.LockConversation(ctx, ref)
		if err != nil {
			return err
		}
		hasWritten, err := tx.HasCustomerWritten(ctx, ref, seen)
		if isRead = !hasWritten; err != nil || hasWritten {
			return err
		}
		marks, err := tx.ReadMarks(ctx, ref.Account, member, []parley.ConversationID{ref.Conversation})
		if err != nil {
			return err
		}
		if err := tx.SaveReadMark(ctx, ref, member, c.UpdatedAt); err != nil || !marks[ref.Conversation].IsUnread(c) {
			return err
		}
		return cs.recordReadMark(ctx, tx, ref, member)
	})
	return isRead && err == nil, err
}

// MarkUnread marks a conversation as unread for a member. Fails with RESOURCE_NOT_FOUND.
func (cs *Conversations) MarkUnread(ctx context.Context, ref parley.ConversationRef, member parley.UserID) error {
	return cs.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		if _, err := tx.LockConversation(ctx, ref); err != nil {
			return err
		}
		if err := tx.MarkUnread(ctx, ref, member, cs.Now()); err != nil {
			return err
		}
		return cs.recordReadMark(ctx, tx, ref, member)
	})
}

// recordReadMark tells the member's other pages. The event is not one of the conversation, of which nothing changes.
func (cs *Conversations) recordReadMark(ctx context.Context, tx *store.DB, ref parley.ConversationRef,
	member parley.UserID) error {
	return tx.RecordEvents(ctx, ref.Account, cs.Now(), store.NewEvent{Kind: parley.EventReadMarkChanged,
		Subject: string(ref.Conversation), Payload: map[string]string{"userId": string(member)}})
}

// redactedParts returns a text as it may be stored: without personal data where the agent masks it.
func redactedParts(ctx context.Context, tx *store.DB, ref parley.AgentRef, text string) ([]parley.Part, error) {
	mustRedact, err := tx.AgentRedacts(ctx, ref)
	if mustRedact {
		text = redact.Text(text)
	}
	return []parley.Part{{Type: "text", Text: text}}, err
}

// Rate stores the end user's rating of one of the assistant's messages; an empty rating removes it. Fails with
// RESOURCE_NOT_FOUND of the conversation, RESOURCE_MESSAGE_NOT_FOUND and RESOURCE_MESSAGE_NOT_ASSISTANT.
func (cs *Conversations) Rate(ctx context.Context, ref parley.ConversationRef, message parley.MessageID,
	rating string) (*parley.Message, error) {
	return cs.RateWithComment(ctx, ref, message, rating, "")
}

// RateWithComment is Rate with what the end user writes about it. Without one the earlier comment stays as long as the
// rating does. Fails as Rate does, and with VALIDATION_INVALID_BODY of a comment without a rating.
func (cs *Conversations) RateWithComment(ctx context.Context, ref parley.ConversationRef, message parley.MessageID,
	rating, comment string) (*parley.Message, error) {
	if comment != "" && rating == "" {
		return nil, parley.Invalid("comment", "needs a rating")
	}
	now := cs.Now()
	var rated *parley.Message
	err := cs.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		if _, err := tx.LockConversation(ctx, ref); err != nil {
			return err
		}
		m, err := tx.Message(ctx, ref, message)
		if err != nil {
			return err
		}
		if m.Author == parley.AuthorUser {
			return parley.NewError(parley.CodeNotAssistant)
		}
		if rated = m; m.Feedback == rating && (comment == "" || comment == m.Comment) {
			return nil
		}
		m.Feedback, m.Comment = rating, comment
		if mustRedact, err := tx.AgentRedacts(ctx, ref.AgentRef); err != nil {
			return err
		} else if mustRedact {
			m.Comment = redact.Text(comment)
		}
		if err := tx.RateMessage(ctx, ref.AgentRef, m, now); err != nil {
			return err
		}
		return tx.RecordEvents(ctx, ref.Account, now, store.NewEvent{Kind: parley.EventMessageFeedback, AgentID: ref.Agent,
			ConversationID: ref.Conversation, Subject: string(m.ID),
			Payload: map[string]string{"feedback": rating}})
	})
	if err != nil {
		return nil, err
	}
	return rated, nil
}

// checkSent returns VALIDATION_INVALID_BODY of the failure to send a file that is not there any more.
func checkSent(err error) error {
	if parley.IsCode(err, parley.CodeResourceNotFound) {
		return parley.Invalid("fileIds", "names a file that was sent already")
	}
	return err
}

// questionForModel returns the message to answer as models read it: with its files.
func (t *Turn) questionForModel() string {
	files := t.files
	for _, p := range parley.FileParts(t.request.Files) {
		files = append(files, *p.File)
	}
	if t.tellsOfFiles() {
		return t.question + t.fileNotes(files)
	}
	return textWithoutFileNames(t.question, files)
}

// textWithoutFileNames returns a message without the names of files that stand for a text that is missing.
func textWithoutFileNames(text string, files []parley.SentFile) string {
	if len(files) > 0 && text == parley.FileNames(files) {
		return ""
	}
	return text
}

// tellsOfFiles reports whether the model is told of files. The built-in one takes every word of a message for a part of
// the question.
func (t *Turn) tellsOfFiles() bool { return t.backend.Label != model.BuiltinName }

// withFileNotes returns an earlier message as the model may read it: with what it is told of files, as texts.
func (t *Turn) withFileNotes(m parley.Message) parley.Message {
	files := m.Files()
	if len(files) == 0 {
		return m
	}
	text := textWithoutFileNames(m.Text(), files)
	if t.tellsOfFiles() {
		text = m.Text() + t.fileNotes(files)
	}
	m.Parts = []parley.Part{{Type: "text", Text: text}}
	return m
}

// maxSentFilesText is the most bytes of the files of one message that a model is given.
const maxSentFilesText = 32 << 10

// fileNotes returns what models are told of files: their texts, as far as there are any. Each gets its share.
func (t *Turn) fileNotes(files []parley.SentFile) string {
	var b strings.Builder
	for _, f := range files {
		text := t.fileTexts[f.ID]
		part := parley.ClipBytes(text, maxSentFilesText/len(files))
		b.WriteString(prompt.FileNote(prompt.File{Name: f.Name, MediaType: f.MediaType, Size: f.Size, Text: part,
			IsCut: len(part) < len(text) || len(text) >= parley.MaxFileText-utf8.UTFMax}))
	}
	return b.String()
}

// loadFileTexts loads the texts of the files that the model gets with the conversation.
func (e *Engine) loadFileTexts(ctx context.Context, t *Turn) error {
	if !t.tellsOfFiles() {
		return nil
	}
	var ids []parley.AttachmentID
	for _, f := range t.files {
		ids = append(ids, f.ID)
	}
	for i := range t.history {
		for _, f := range t.history[i].Files() {
			ids = append(ids, f.ID)
		}
	}
	t.fileTexts = map[parley.AttachmentID]string{}
	for _, f := range t.request.Files {
		if t.fileTexts[f.ID] = f.Text; f.Text == "" { // it may have been sent before
			ids = append(ids, f.ID)
		}
	}
	texts, err := e.DB.FileTexts(ctx, t.AccountID.AgentRef(t.AgentID), ids)
	maps.Copy(t.fileTexts, texts)
	return err
}
