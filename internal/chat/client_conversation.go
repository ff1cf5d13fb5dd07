package chat

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// ClientConversation is a conversation that its client stores, and sends whole with each message to answer. With a name
// it is saved here too, and replaces what was saved before; without a name nothing of it is saved, and the turn ends
// when nobody reads it.
type ClientConversation struct {
	API    parley.API
	Name   string           // the client's own id of the conversation: unique per agent and API
	Before []parley.Message // before the message to answer, oldest first; author and parts are set
	After  []parley.Message // after the message to answer: saved, and not given to the model
}

// errClientGone cancels a turn that nobody but its client waits for, when its last reader has left.
var errClientGone = errors.New("chat: the client has gone, and nobody else waits for the answer")

// maxNameTries is how often a conversation is looked up by name while others create and delete it.
const maxNameTries = 5

// startNamed is start for a conversation with a name. Of two messages that find none yet, the second one to create it
// finds it on the next try.
func (e *Engine) startNamed(ctx context.Context, caller parley.Caller, agent parley.AgentID,
	req Request) (*Turn, error) {
	for range maxNameTries {
		id, err := e.DB.ConversationByExternalID(ctx, caller.AgentRef(agent), req.ClientConversation.API,
			req.ClientConversation.Name)
		if err != nil {
			return nil, err
		}
		req.ConversationID = id
		t, err := e.start(ctx, caller, agent, req)
		if !sqldb.IsDuplicate(err) && !parley.IsCode(err, parley.CodeConversationNotFound) {
			return t, err
		}
	}
	return nil, busyError()
}

// hasName reports whether the client stores the conversation and has named it.
func (r Request) hasName() bool {
	return r.ClientConversation != nil && r.ClientConversation.Name != ""
}

// isUnsaved reports whether nothing of the conversation is saved.
func (r Request) isUnsaved() bool {
	return r.ClientConversation != nil && r.ClientConversation.Name == ""
}

// api returns the API that the conversation belongs to.
func (r Request) api() parley.API {
	if r.ClientConversation == nil {
		return parley.APIV2
	}
	return r.ClientConversation.API
}

// configuredAgent returns the agent with the overrides of this request.
func (r Request) configuredAgent(a *parley.Agent) *parley.Agent {
	if r.Model == "" && r.Temperature == nil && r.Instructions == nil {
		return a
	}
	own := *a
	own.Model = cmp.Or(r.Model, a.Model)
	if r.Instructions != nil {
		own.Instructions = *r.Instructions
	}
	if r.Temperature != nil {
		own.Temp = *r.Temperature
	}
	return &own
}

// loadSentHistory takes the history from the request.
func (t *Turn) loadSentHistory() {
	before := t.request.ClientConversation.Before
	t.history = before[max(0, len(before)-maxHistoryMessages):]
}

// buildSentMessages returns the rows of all messages that the client has sent, in their order.
func (t *Turn) buildSentMessages() []*parley.Message {
	var rows []*parley.Message
	row := func(m parley.Message) {
		m.ID, m.ConversationID, m.State, m.CreatedAt = parley.NewMessageID(), t.ConversationID, parley.MessageComplete,
			t.StartedAt
		m.Parts = []parley.Part{{Type: "text", Text: t.redactText(m.Text())}}
		rows = append(rows, &m)
	}
	for _, m := range t.request.ClientConversation.Before {
		row(m)
	}
	rows = append(rows, t.userMessage())
	for _, m := range t.request.ClientConversation.After {
		row(m)
	}
	return rows
}

// overwriteConversation replaces a saved conversation by what the client has sent. The messages that are equal, from
// the first one on, stay; the others are superseded.
func (e *Engine) overwriteConversation(ctx context.Context, tx *store.DB, t *Turn, c *parley.Conversation) error {
	rows := t.sentRows
	same, last, err := t.countUnchanged(ctx, tx, rows[:len(t.request.ClientConversation.Before)])
	if err != nil {
		return err
	}
	if err := tx.OverwriteMessages(ctx, c, last, t.request.Streamed, t.StartedAt); err != nil {
		return err
	}
	return addMessages(ctx, tx, t, rows[same:])
}

// countUnchanged returns how many of the sent messages are saved already, from the first one on, and the number of the
// last of them.
func (t *Turn) countUnchanged(ctx context.Context, tx *store.DB,
	sent []*parley.Message) (n int, last int64, err error) {
	for n < len(sent) {
		saved, err := tx.MessagesAfter(ctx, t.AccountID.AgentRef(t.AgentID).ConversationRef(t.ConversationID), last,
			len(sent)-n)
		if err != nil || len(saved) == 0 {
			return n, last, err
		}
		for i := range saved {
			if saved[i].Role() != sent[n].Role() || saved[i].Text() != sent[n].Text() {
				return n, last, nil
			}
			n, last = n+1, saved[i].Seq
		}
	}
	return n, last, nil
}

func addMessages(ctx context.Context, tx *store.DB, t *Turn, rows []*parley.Message) error {
	for _, m := range rows {
		if err := tx.AddMessage(ctx, t.AccountID.AgentRef(t.AgentID), m, nil); err != nil {
			return err
		}
	}
	return nil
}

// endsWithReader reports whether nobody but its readers waits for the turn.
func (r Request) endsWithReader() bool { return r.isUnsaved() || r.StopsWithReader }

// isDeserted reports whether the turn was cancelled because nobody reads it and nobody else waits for it.
func (t *Turn) isDeserted() bool { return errors.Is(context.Cause(t.ctx), errClientGone) }

// storeCalls stores the rows of calls, unless the conversation is unsaved.
func (t *Turn) storeCalls(ctx context.Context, tx *store.DB, calls []parley.ToolCall) error {
	if t.request.isUnsaved() {
		return nil
	}
	return tx.AddToolCalls(ctx, t.redactCalls(calls))
}

// closeTurn closes the turn. Of an unsaved one only the cost is stored.
func (t *Turn) closeTurn(ctx context.Context, tx *store.DB, state string, cost parley.Credits, trace *parley.Trace,
	now time.Time, events ...store.NewEvent) error {
	if t.request.isUnsaved() {
		trace, events = nil, nil
	}
	return tx.CloseTurn(ctx, &t.Turn, state, cost, trace, now, events...)
}

// usableTools leaves out tools that the request does not name, those that run at the client where the client cannot run
// any, and those that need a saved conversation.
func (r Request) usableTools(tools []Tool) []Tool {
	if r.ToolNames != nil {
		tools = slices.DeleteFunc(slices.Clone(tools), func(t Tool) bool { return !slices.Contains(r.ToolNames, t.Name) })
	}
	if r.ClientConversation == nil && r.Voice == nil && r.ExternalID == "" {
		return tools
	}
	return slices.DeleteFunc(slices.Clone(tools), func(t Tool) bool {
		return t.Run == nil || r.isUnsaved() && (t.Kind == parley.ActionEscalate || t.Kind == parley.ActionProcedure)
	})
}
