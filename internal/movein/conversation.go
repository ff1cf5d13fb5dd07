package movein

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley"
	"parley/internal/store"
)

// countConversations asks how many conversations an agent has, so that the progress has an end.
func (r *run) countConversations(ctx context.Context, a *store.MoveInAgent) (time.Duration, error) {
	p, err := r.client.readPage(ctx, store.MoveInWalk{}, 1, "agents", a.RemoteID, "conversations", "export")
	if err != nil {
		return 0, err
	}
	return p.wait, r.write(ctx, func(tx *store.DB, _ *store.MoveIn) error {
		to := *a
		to.Stage = store.MoveInConversations
		if total := p.Pagination.Total; total != nil {
			to.Total = min(max(*total, 0), maxTotal)
		}
		return tx.SaveMoveInAgent(ctx, &to)
	})
}

const maxTotal = 1 << 40

// readConversations reads a page of the export of an agent and writes the conversations that are not here.
func (r *run) readConversations(ctx context.Context, a *store.MoveInAgent) (time.Duration, error) {
	p, err := r.client.readPageAsLarge(ctx, a.Walk, "agents", a.RemoteID, "conversations", "export")
	if err != nil {
		return 0, err
	}
	next, isEnd, err := p.next(a.Walk)
	if err != nil {
		return 0, err
	}
	list := make([]movedConversation, len(*p.Data))
	for i, record := range *p.Data {
		list[i] = newMovedConversation(a, record)
	}
	return p.wait, r.write(ctx, func(tx *store.DB, _ *store.MoveIn) error {
		to := *a
		if to.Walk = next; isEnd {
			to.Walk, to.Stage = store.MoveInWalk{}, store.MoveInDone
		}
		if err := tx.CheckAgent(ctx, a.Ref, r.Now()); parley.IsCode(err, parley.CodeAgentNotFound) {
			to.Stage = store.MoveInDone // it was deleted here meanwhile
			return tx.SaveMoveInAgent(ctx, &to)
		} else if err != nil {
			return err
		}
		if err := r.addConversations(ctx, tx, &to, list); err != nil {
			return err
		}
		return tx.SaveMoveInAgent(ctx, &to)
	})
}

// movedConversation is a conversation that was read, or why it cannot be written.
type movedConversation struct {
	remoteID     string
	reason       string
	itemID       string // of what is noted where it is left out
	key          string // by which it is known here
	conversation parley.Conversation
	messages     []parley.Message
}

// exported is a conversation as the export has it, with what this program adds to that.
type exported struct {
	ID          string            `json:"id"`
	Title       *string           `json:"title"`
	CreatedAt   *float64          `json:"createdAt"`
	UpdatedAt   *float64          `json:"updatedAt"`
	UserID      *string           `json:"userId"`
	Status      string            `json:"status"`
	Source      *string           `json:"source"`
	EmbedOrigin *string           `json:"embedOrigin"`
	Messages    []exportedMessage `json:"messages"`
}

type exportedMessage struct {
	ID        string        `json:"id"`
	Role      string        `json:"role"`
	Parts     []parley.Part `json:"parts"`
	CreatedAt *float64      `json:"createdAt"`
	Feedback  *string       `json:"feedback"`
	Metadata  *struct {
		Score       *float64            `json:"score"`
		AnswerState *parley.AnswerState `json:"answerState"`
		Citations   []parley.Citation   `json:"citations"`
	} `json:"metadata"`
}

func newMovedConversation(a *store.MoveInAgent, record json.RawMessage) movedConversation {
	var e exported
	if err := json.Unmarshal(record, &e); err != nil {
		var named struct {
			ID string `json:"id"`
		}
		_ = json.Unmarshal(record, &named) // what there is of it names the conversation
		return refusedConversation(named.ID, "is not written as the interface says")
	}
	createdAt, hasCreated := timeOf(e.CreatedAt)
	updatedAt, hasUpdated := timeOf(e.UpdatedAt)
	switch {
	case e.ID == "" || len(e.ID) > maxIDBytes:
		return refusedConversation(e.ID, "has no usable id")
	case !hasCreated:
		return refusedConversation(e.ID, "has no usable time")
	case !hasUpdated || updatedAt.Before(createdAt):
		updatedAt = createdAt
	}
	c := parley.Conversation{AccountID: a.Ref.Account, AgentID: a.Ref.Agent, API: parley.APIV2,
		Channel: channelOf(textOf(e.Source)), Title: textOf(e.Title), UserID: userOf(e.UserID),
		EmbedOrigin: textOf(e.EmbedOrigin), CreatedAt: createdAt, UpdatedAt: updatedAt}
	c.Status, c.Paused = statusOf(e.Status)
	m := movedConversation{remoteID: e.ID, key: conversationKey(a.RemoteID, e.ID, createdAt), conversation: c,
		messages: make([]parley.Message, len(e.Messages))}
	for i := range e.Messages {
		m.messages[i] = newMovedMessage(&e.Messages[i], createdAt)
	}
	return m
}

// refusedConversation returns one that is only noted. One without an id has that of its text.
func refusedConversation(id, reason string) movedConversation {
	id = parley.ClipBytes(parley.StorableText(id), maxIDBytes)
	return movedConversation{remoteID: id, reason: reason, itemID: parley.NewTimedUUID()}
}

// timeOf returns a time in seconds since 1970.
func timeOf(seconds *float64) (time.Time, bool) {
	const endOfTime = 4_102_444_800 // the year 2100
	if seconds == nil || math.IsNaN(*seconds) || *seconds < 0 || *seconds > endOfTime {
		return time.Time{}, false
	}
	return time.UnixMilli(int64(*seconds * 1000)).UTC(), true
}

func textOf(s *string) string {
	if s == nil {
		return ""
	}
	return parley.StorableText(*s)
}

// userOf returns the id of an end user; one that no user can have here is none.
func userOf(s *string) parley.EndUserID {
	id := textOf(s)
	if len(id) > maxIDBytes {
		return ""
	}
	return parley.EndUserID(id)
}

// channelOf returns the channel that an origin is here. The list of origins is open.
func channelOf(origin string) parley.Channel {
	if strings.HasSuffix(origin, " site") { // the service's own, which each calls by its name
		return parley.ChannelServiceSite
	}
	if c := parley.Channel(origin); slices.Contains(parley.Channels(), c) {
		return c
	}
	return parley.ChannelUnspecified
}

// statusOf returns a status and whether the conversation is paused, which newer services have as a status.
func statusOf(text string) (parley.ConversationStatus, bool) {
	if status := parley.ConversationStatus(text); slices.Contains(parley.ConversationStatuses(), status) {
		return status, false
	}
	return parley.ConversationOngoing, text == "paused"
}

func newMovedMessage(e *exportedMessage, conversationBegan time.Time) parley.Message {
	m := parley.Message{ID: parley.MessageID(e.ID), Author: parley.AuthorAssistant, State: parley.MessageComplete,
		Parts: partsOf(e.Parts), CreatedAt: conversationBegan}
	if at, ok := timeOf(e.CreatedAt); ok {
		m.CreatedAt = at
	}
	if e.Role == "user" {
		m.Author = parley.AuthorUser
		return m
	}
	if f := textOf(e.Feedback); f == "positive" || f == "negative" {
		m.Feedback = f
	}
	if e.Metadata == nil {
		return m
	}
	if s := e.Metadata.Score; s != nil && *s >= 0 && *s <= 1 {
		m.Score = s
	}
	if s := e.Metadata.AnswerState; s != nil && slices.Contains(parley.AnswerStates(), *s) {
		m.AnswerState = *s
	}
	m.Citations = citationsOf(e.Metadata.Citations)
	return m
}

// citationsOf returns citations as they can be stored. The sources that they name are those of the other service.
func citationsOf(list []parley.Citation) []parley.Citation {
	for i := range list {
		c := &list[i]
		c.SourceID = parley.SourceID(parley.StorableText(string(c.SourceID)))
		c.Name, c.URL = parley.StorableText(c.Name), parley.StorableText(c.URL)
		c.VersionHash, c.Quote = parley.StorableText(c.VersionHash), parley.StorableText(c.Quote)
	}
	return list
}

// partsOf returns the parts of a message that are kept here: those that the interface names.
func partsOf(list []parley.Part) []parley.Part {
	parts := make([]parley.Part, 0, len(list))
	for _, p := range list {
		switch p.Type {
		case "text":
			parts = append(parts, parley.Part{Type: p.Type, Text: parley.StorableText(p.Text)})
		case "tool-call", "tool-result":
			parts = append(parts, parley.Part{Type: p.Type, ToolCallID: parley.StorableText(p.ToolCallID),
				ToolName: parley.StorableText(p.ToolName), Input: p.Input, Output: p.Output})
		}
	}
	return parts
}

// addConversations writes those conversations of a page that are not here and notes those that cannot be written. What
// was deleted here stays away.
func (r *run) addConversations(ctx context.Context, tx *store.DB, a *store.MoveInAgent,
	list []movedConversation) error {
	known, err := findKnown(ctx, tx, a, list)
	if err != nil {
		return err
	}
	var events []store.NewEvent
	for i := range list {
		if list[i].reason != "" {
			if err := r.noteRefused(ctx, tx, a, &list[i]); err != nil {
				return err
			}
			continue
		}
		if list[i].isDeleted(a, known.deleted) {
			a.Deleted++
			continue
		}
		c, isHere := list[i].named(a, known.owners)
		if isHere || known.moved[list[i].key] {
			a.Present++
			continue
		}
		known.owners[c.ID], known.moved[list[i].key] = a.Ref, true
		messages := nameMessages(c.ID, list[i].messages, known.taken)
		if err := tx.AddMovedConversation(ctx, c, list[i].key, messages); err != nil {
			return err
		}
		if err := tx.QueueTouchAgent(ctx, a.Ref, c.UpdatedAt); err != nil {
			return err
		}
		a.Moved++
		events = append(events, store.NewEvent{Kind: parley.EventConversationImported, AgentID: c.AgentID,
			ConversationID: c.ID, Subject: string(c.ID)})
	}
	if len(events) == 0 {
		return nil
	}
	return tx.RecordEvents(ctx, a.Ref.Account, r.Now(), events...)
}

// knownIDs are the ids of a page of conversations that are known here.
type knownIDs struct {
	owners  map[parley.ConversationID]parley.AgentRef
	taken   map[parley.MessageID]bool
	moved   map[string]bool // keys of conversations that are here
	deleted map[string]bool // ids and keys of conversations that were deleted here
}

// findKnown asks for deletions last: one that is not noted yet has its conversation still there before.
func findKnown(ctx context.Context, tx *store.DB, a *store.MoveInAgent, list []movedConversation) (k knownIDs,
	err error) {
	ids := conversationIDs(a, list)
	if k.owners, err = tx.OwnersOfConversations(ctx, ids); err != nil {
		return k, err
	}
	if k.taken, err = tx.TakenMessageIDs(ctx, messageIDs(list)); err != nil {
		return k, err
	}
	names := keysOf(list)
	if k.moved, err = tx.MovedConversations(ctx, a.Ref, names); err != nil {
		return k, err
	}
	for _, id := range ids {
		names = append(names, string(id))
	}
	k.deleted, err = tx.DeletedMoveIns(ctx, a.Ref.Account, names)
	return k, err
}

func keysOf(list []movedConversation) (keys []string) {
	for i := range list {
		if list[i].key != "" {
			keys = append(keys, list[i].key)
		}
	}
	return keys
}

func conversationIDs(a *store.MoveInAgent, list []movedConversation) (ids []parley.ConversationID) {
	for i := range list {
		ids = append(ids, ownConversationID(a.Ref.Agent, list[i].remoteID),
			derivedConversationID(a.Ref.Agent, list[i].remoteID))
	}
	return ids
}

func messageIDs(list []movedConversation) (ids []parley.MessageID) {
	for i := range list {
		for j := range list[i].messages {
			if id := list[i].messages[j].ID; parley.IsMessageID(string(id)) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// named returns the conversation with the id that it gets here, or that it is here already.
func (m *movedConversation) named(a *store.MoveInAgent,
	owners map[parley.ConversationID]parley.AgentRef) (c *parley.Conversation, isHere bool) {
	copied := m.conversation
	for _, id := range []parley.ConversationID{ownConversationID(a.Ref.Agent, m.remoteID),
		derivedConversationID(a.Ref.Agent, m.remoteID)} {
		owner, isTaken := owners[id]
		if !isTaken {
			copied.ID = id
			return &copied, false
		}
		if owner == a.Ref {
			return nil, true
		}
	}
	return nil, true // of two ids one is the agent's own
}

// isDeleted reports whether the conversation was deleted here, under whatever id it had.
func (m *movedConversation) isDeleted(a *store.MoveInAgent, deleted map[string]bool) bool {
	return deleted[m.key] || deleted[string(ownConversationID(a.Ref.Agent, m.remoteID))] ||
		deleted[string(derivedConversationID(a.Ref.Agent, m.remoteID))]
}

// nameMessages returns messages with the ids that they get here. taken grows by them.
func nameMessages(conversation parley.ConversationID, list []parley.Message,
	taken map[parley.MessageID]bool) []parley.Message {
	named := slices.Clone(list)
	for i := range named {
		m := &named[i]
		m.ConversationID = conversation
		if !parley.IsMessageID(string(m.ID)) || taken[m.ID] {
			m.ID = derivedMessageID(conversation, strconv.Itoa(i))
		}
		taken[m.ID] = true
	}
	return named
}

func (r *run) noteRefused(ctx context.Context, tx *store.DB, a *store.MoveInAgent, m *movedConversation) error {
	return tx.AddMoveInItem(ctx, &store.MoveInItem{ID: m.itemID, MoveInID: a.MoveInID, Ref: a.Ref,
		Kind: store.MoveInConversation, RemoteID: m.remoteID, Name: m.remoteID, Reason: m.reason})
}
