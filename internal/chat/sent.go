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

// Sent is a conversation that its client keeps, and sends whole with each message to answer. Under its name it is saved too, and
// replaces what was saved before; without a name nothing of it is saved, and nothing is answered that nobody reads.
type Sent struct {
	Face   parley.Face
	Name   string           // the client's own id of the conversation: unique per agent and face, and no id of any other face
	Before []parley.Message // what was said before the message to answer, oldest first; author and parts are set
	After  []parley.Message // what the client has put behind it: saved, and not shown to the model
}

// errLeft ends the turn of a conversation that is not saved, once nobody reads it any more.
var errLeft = errors.New("chat: the client has gone, and nothing is saved of its conversation")

// findTries is how often a conversation is looked for by its name, when others make and delete it meanwhile.
const findTries = 5

// startNamed is start for a conversation with a name. Two messages may find that there is none yet: the second one to make it
// finds it then.
func (e *Engine) startNamed(ctx context.Context, account parley.Account, plan parley.Plan, agent parley.AgentID, req Request) (*Turn, error) {
	for range findTries {
		id, err := e.DB.ConversationNamed(ctx, account.ID, agent, req.Sent.Face, req.Sent.Name)
		if err != nil {
			return nil, err
		}
		req.ConversationID = id
		t, err := e.start(ctx, account, plan, agent, req)
		if !sqldb.Duplicate(err) && !parley.IsCode(err, parley.CodeConversationGone) {
			return t, err
		}
	}
	return nil, busy()
}

// named reports that the client keeps the conversation and gives it a name.
func (r Request) named() bool { return r.Sent != nil && r.Sent.Name != "" }

// unsaved reports that nothing of the conversation is saved.
func (r Request) unsaved() bool { return r.Sent != nil && r.Sent.Name == "" }

// face is where the conversation belongs.
func (r Request) face() parley.Face {
	if r.Sent == nil {
		return parley.FaceV2
	}
	return r.Sent.Face
}

// as gives the agent as it is to answer this request.
func (r Request) as(a *parley.Agent) *parley.Agent {
	own := *a
	own.Model = cmp.Or(r.Model, a.Model)
	if r.Temperature != nil {
		own.Temp = *r.Temperature
	}
	return &own
}

// remember takes what was said so far from the request.
func (t *Turn) remember() {
	before := t.request.Sent.Before
	t.history = before[max(0, len(before)-remembered):]
}

// sentMessages are the rows of everything the client has sent, in its order.
func (t *Turn) sentMessages() []*parley.Message {
	var rows []*parley.Message
	row := func(m parley.Message) {
		m.ID, m.ConversationID, m.State, m.CreatedAt = parley.NewMessageID(), t.ConversationID, parley.MessageComplete, t.StartedAt
		m.Parts = []parley.Part{{Type: "text", Text: t.keepable(m.Text())}}
		rows = append(rows, &m)
	}
	for _, m := range t.request.Sent.Before {
		row(m)
	}
	rows = append(rows, t.words())
	for _, m := range t.request.Sent.After {
		row(m)
	}
	return rows
}

// overwrite makes a saved conversation what the client says it is. The messages that are the same, from the first one on, stay as
// they are; of the others only the rows remain.
func (e *Engine) overwrite(ctx context.Context, tx *store.DB, t *Turn, c *parley.Conversation) error {
	rows := t.sent
	same, last, err := t.same(ctx, tx, rows[:len(t.request.Sent.Before)])
	if err != nil {
		return err
	}
	if err := tx.Overwrite(ctx, c, last, t.request.Streamed, t.StartedAt); err != nil {
		return err
	}
	return addAll(ctx, tx, t, rows[same:])
}

// same counts the sent messages that are saved like that already, and gives the number of the last of them.
func (t *Turn) same(ctx context.Context, tx *store.DB, sent []*parley.Message) (n int, last int64, err error) {
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

func addAll(ctx context.Context, tx *store.DB, t *Turn, rows []*parley.Message) error {
	for _, m := range rows {
		if err := tx.AddMessage(ctx, t.AccountID, t.AgentID, m, nil); err != nil {
			return err
		}
	}
	return nil
}

// deserted reports that the turn was cut short because nobody reads it, and nothing would be saved.
func (t *Turn) deserted() bool { return errors.Is(context.Cause(t.ctx), errLeft) }

// keepCalls keeps the rows of calls, unless nothing is saved.
func (t *Turn) keepCalls(ctx context.Context, tx *store.DB, calls []parley.ToolCall) error {
	if t.request.unsaved() {
		return nil
	}
	return tx.AddToolCalls(ctx, t.keptCalls(calls))
}

// closeAs closes the turn. Of one that is not saved there remains what it cost.
func (t *Turn) closeAs(ctx context.Context, tx *store.DB, state string, cost parley.Credits, trace *parley.Trace, now time.Time, events ...store.Event) error {
	if t.request.unsaved() {
		trace, events = nil, nil
	}
	return tx.CloseTurn(ctx, &t.Turn, state, cost, trace, now, events...)
}

// offered leaves out the tools that run at a client which can run none, and those that need a conversation which is saved.
func (r Request) offered(tools []Tool) []Tool {
	if r.Sent == nil && r.Spoken == nil {
		return tools
	}
	return slices.DeleteFunc(slices.Clone(tools), func(t Tool) bool {
		return t.Run == nil || r.unsaved() && (t.Kind == parley.ActionEscalate || t.Kind == parley.ActionProcedure)
	})
}
