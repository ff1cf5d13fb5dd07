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

// ClientConversation is a conversation that its client keeps, and sends whole with each message to answer. Under its name it is saved too, and
// replaces what was saved before; without a name nothing of it is saved, and nothing is answered that nobody reads.
type ClientConversation struct {
	API    parley.API
	Name   string           // the client's own id of the conversation: unique per agent and face, and no id of any other face
	Before []parley.Message // what was said before the message to answer, oldest first; author and parts are set
	After  []parley.Message // what the client has put behind it: saved, and not shown to the model
}

// errClientGone ends the turn of a conversation that is not saved, once nobody reads it any more.
var errClientGone = errors.New("chat: the client has gone, and nothing is saved of its conversation")

// maxNameTries is how often a conversation is looked for by its name, when others make and delete it meanwhile.
const maxNameTries = 5

// startNamed is start for a conversation with a name. Two messages may find that there is none yet: the second one to make it
// finds it then.
func (e *Engine) startNamed(ctx context.Context, account parley.Account, plan parley.Plan, agent parley.AgentID, req Request) (*Turn, error) {
	for range maxNameTries {
		id, err := e.DB.ConversationByExternalID(ctx, account.ID, agent, req.ClientConversation.API, req.ClientConversation.Name)
		if err != nil {
			return nil, err
		}
		req.ConversationID = id
		t, err := e.start(ctx, account, plan, agent, req)
		if !sqldb.IsDuplicate(err) && !parley.IsCode(err, parley.CodeConversationNotFound) {
			return t, err
		}
	}
	return nil, busyError()
}

// hasName reports that the client keeps the conversation and gives it a name.
func (r Request) hasName() bool {
	return r.ClientConversation != nil && r.ClientConversation.Name != ""
}

// isUnsaved reports that nothing of the conversation is saved.
func (r Request) isUnsaved() bool {
	return r.ClientConversation != nil && r.ClientConversation.Name == ""
}

// api is where the conversation belongs.
func (r Request) api() parley.API {
	if r.ClientConversation == nil {
		return parley.APIV2
	}
	return r.ClientConversation.API
}

// configuredAgent returns the agent as it is to answer this request.
func (r Request) configuredAgent(a *parley.Agent) *parley.Agent {
	own := *a
	own.Model = cmp.Or(r.Model, a.Model)
	if r.Temperature != nil {
		own.Temp = *r.Temperature
	}
	return &own
}

// loadSentHistory takes what was said so far from the request.
func (t *Turn) loadSentHistory() {
	before := t.request.ClientConversation.Before
	t.history = before[max(0, len(before)-maxHistoryMessages):]
}

// buildSentMessages are the rows of everything the client has sent, in its order.
func (t *Turn) buildSentMessages() []*parley.Message {
	var rows []*parley.Message
	row := func(m parley.Message) {
		m.ID, m.ConversationID, m.State, m.CreatedAt = parley.NewMessageID(), t.ConversationID, parley.MessageComplete, t.StartedAt
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

// overwriteConversation makes a saved conversation what the client says it is. The messages that are the same, from the first one on, stay as
// they are; of the others only the rows remain.
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

// countUnchanged counts the sent messages that are saved like that already, and gives the number of the last of them.
func (t *Turn) countUnchanged(ctx context.Context, tx *store.DB, sent []*parley.Message) (n int, last int64, err error) {
	for n < len(sent) {
		saved, err := tx.MessagesAfter(ctx, t.AccountID, t.AgentID, t.ConversationID, last, len(sent)-n)
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
		if err := tx.AddMessage(ctx, t.AccountID, t.AgentID, m, nil); err != nil {
			return err
		}
	}
	return nil
}

// isDeserted reports that the turn was cut short because nobody reads it, and nothing would be saved.
func (t *Turn) isDeserted() bool { return errors.Is(context.Cause(t.ctx), errClientGone) }

// storeCalls keeps the rows of calls, unless nothing is saved.
func (t *Turn) storeCalls(ctx context.Context, tx *store.DB, calls []parley.ToolCall) error {
	if t.request.isUnsaved() {
		return nil
	}
	return tx.AddToolCalls(ctx, t.redactCalls(calls))
}

// closeTurn closes the turn. Of one that is not saved there remains what it cost.
func (t *Turn) closeTurn(ctx context.Context, tx *store.DB, state string, cost parley.Credits, trace *parley.Trace, now time.Time, events ...store.NewEvent) error {
	if t.request.isUnsaved() {
		trace, events = nil, nil
	}
	return tx.CloseTurn(ctx, &t.Turn, state, cost, trace, now, events...)
}

// usableTools leaves out the tools that run at a client which can run none, and those that need a conversation which is saved.
func (r Request) usableTools(tools []Tool) []Tool {
	if r.ClientConversation == nil && r.Voice == nil {
		return tools
	}
	return slices.DeleteFunc(slices.Clone(tools), func(t Tool) bool {
		return t.Run == nil || r.isUnsaved() && (t.Kind == parley.ActionEscalate || t.Kind == parley.ActionProcedure)
	})
}
