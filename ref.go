package parley

import (
	"context"
)

// AgentRef names an agent together with the account that owns it, so that no query forgets the owner.
type AgentRef struct {
	Account AccountID
	Agent   AgentID
}

// ConversationRef names a conversation together with its agent and the account that owns both.
type ConversationRef struct {
	AgentRef
	Conversation ConversationID
}

// Caller is the account on whose behalf something is done, with the plan whose limits it is held to.
type Caller struct {
	Account Account
	Plan    Plan
}

// AgentRef returns the ref of an agent of the account.
func (c Caller) AgentRef(agent AgentID) AgentRef { return c.Account.ID.AgentRef(agent) }

// AgentRef returns the ref of an agent of the account.
func (id AccountID) AgentRef(agent AgentID) AgentRef { return AgentRef{Account: id, Agent: agent} }

// ConversationRef returns the ref of a conversation of the agent.
func (r AgentRef) ConversationRef(id ConversationID) ConversationRef { return ConversationRef{r, id} }

// Ref returns the agent's own ref.
func (a *Agent) Ref() AgentRef { return a.AccountID.AgentRef(a.ID) }

// Ref returns the conversation's own ref.
func (c *Conversation) Ref() ConversationRef { return c.AgentRef().ConversationRef(c.ID) }

// AgentRef and ConversationRef return the agent or the conversation that something belongs to.

func (a *Action) AgentRef() AgentRef       { return a.AccountID.AgentRef(a.AgentID) }
func (a *Attribute) AgentRef() AgentRef    { return a.AccountID.AgentRef(a.AgentID) }
func (c *Conversation) AgentRef() AgentRef { return c.AccountID.AgentRef(c.AgentID) }
func (in *Insight) AgentRef() AgentRef     { return in.AccountID.AgentRef(in.AgentID) }
func (p *Person) AgentRef() AgentRef       { return p.AccountID.AgentRef(p.AgentID) }
func (p *Procedure) AgentRef() AgentRef    { return p.AccountID.AgentRef(p.AgentID) }
func (r *Rule) AgentRef() AgentRef         { return r.AccountID.AgentRef(r.AgentID) }
func (s *Source) AgentRef() AgentRef       { return s.AccountID.AgentRef(s.AgentID) }
func (t *Team) AgentRef() AgentRef         { return t.AccountID.AgentRef(t.AgentID) }
func (t *Ticket) AgentRef() AgentRef       { return t.AccountID.AgentRef(t.AgentID) }
func (s *TicketStatus) AgentRef() AgentRef { return s.AccountID.AgentRef(s.AgentID) }
func (t *Turn) AgentRef() AgentRef         { return t.AccountID.AgentRef(t.AgentID) }
func (v *Visitor) AgentRef() AgentRef      { return v.AccountID.AgentRef(v.AgentID) }
func (s *VoiceSession) AgentRef() AgentRef { return s.AccountID.AgentRef(s.AgentID) }
func (w *Webhook) AgentRef() AgentRef      { return w.AccountID.AgentRef(w.AgentID) }

func (s *VoiceSession) ConversationRef() ConversationRef {
	return s.AgentRef().ConversationRef(s.ConversationID)
}

func (in *Insight) ConversationRef() ConversationRef {
	return in.AgentRef().ConversationRef(in.ConversationID)
}

func (l *Lead) ConversationRef() ConversationRef {
	return l.AccountID.AgentRef(l.AgentID).ConversationRef(l.ConversationID)
}

func (r *ProcedureRun) ConversationRef() ConversationRef {
	return r.AccountID.AgentRef(r.AgentID).ConversationRef(r.ConversationID)
}

func (t *Ticket) ConversationRef() ConversationRef {
	return t.AgentRef().ConversationRef(t.ConversationID)
}

func (t *Turn) ConversationRef() ConversationRef {
	return t.AgentRef().ConversationRef(t.ConversationID)
}

func (r *VoiceRecording) ConversationRef() ConversationRef {
	return r.AccountID.AgentRef(r.AgentID).ConversationRef(r.ConversationID)
}

// Origin is where a request came from, as the audit log has it.
type Origin struct {
	RequestID string
	Address   string // of the client; empty for the operator, who is on the server's machine
}

type originKey struct{}

// WithOrigin returns a context whose acts are recorded as those of a request from there.
func WithOrigin(ctx context.Context, o Origin) context.Context {
	return context.WithValue(ctx, originKey{}, o)
}

// OriginOf returns where the request of a context came from, as far as that is known.
func OriginOf(ctx context.Context) Origin {
	o, _ := ctx.Value(originKey{}).(Origin)
	return o
}
