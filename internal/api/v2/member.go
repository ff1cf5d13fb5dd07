package v2

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"parley"
	"parley/internal/access"
	"parley/internal/api/once"
	"parley/internal/httpapi"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/text/redact"
)

// memberActions names, for the audit chain, what members change by each operation.
var memberActions = map[string]string{
	"createAgent":         "agent.create",
	"cloneAgent":          "agent.clone",
	"updateAgent":         "agent.update",
	"updateStyles":        "agent.styles",
	"setAutoRetrain":      "agent.auto-retrain",
	"trainAgent":          "agent.train",
	"deleteAgent":         "agent.delete",
	"createSource":        "source.create",
	"updateSource":        "source.update",
	"deleteSource":        "source.delete",
	"restoreSource":       "source.restore",
	"chat":                "conversation.ask",
	"retry":               "conversation.retry",
	"sendToolResult":      "conversation.tool-result",
	"writeMessage":        "conversation.write",
	"pauseConversation":   "conversation.pause",
	"rateMessage":         "message.rate",
	"createVoiceSession":  "voice.create",
	"createTicket":        "ticket.create",
	"updateTicket":        "ticket.update",
	"createTicketMessage": "ticket.reply",
}

// recordedOfKeys are those that are recorded of programs too: what changes agents, and what they answer from. What
// programs ask and say for customers is in conversations and tickets.
var recordedOfKeys = map[string]bool{
	"createAgent":    true,
	"cloneAgent":     true,
	"updateAgent":    true,
	"updateStyles":   true,
	"setAutoRetrain": true,
	"deleteAgent":    true,
	"createSource":   true,
	"updateSource":   true,
	"deleteSource":   true,
}

// auditEntryKey is the key of the entry of a request in its context.
type auditEntryKey struct{}

// beforeRun has what a member or a program changes written to the audit chain, in the transaction of the change, and
// says who changes something.
func (s *server) beforeRun(ctx context.Context, c *call) context.Context {
	caller, ok := c.Caller.(*access.Caller)
	if !ok || caller.Visitor != nil {
		return ctx
	}
	action := memberActions[c.Operation.Name]
	ctx = store.WithActor(ctx, actorOf(caller))
	if action == "" || caller.Member == nil && !recordedOfKeys[c.Operation.Name] {
		return ctx
	}
	agent := httpapi.PathParam(c.Request, "agentId")
	named := cmp.Or(httpapi.PathParam(c.Request, "messageId"), httpapi.PathParam(c.Request, "conversationId"),
		httpapi.PathParam(c.Request, "sourceId"), httpapi.PathParam(c.Request, "ticketNumber"))
	facts := map[string]any{}
	if agent != "" {
		facts["agent"] = agent
	}
	_, makesSomething := s.runner.Rules[c.Operation.Name]
	entry := &store.AuditEntry{
		Account:  caller.Account.ID,
		Actor:    actorOf(caller),
		At:       s.Now(),
		AwaitsID: makesSomething,
		Describe: func(id string) (string, string, map[string]any) { return action, cmp.Or(named, id, agent), facts },
	}
	return context.WithValue(store.WithAuditEntry(ctx, entry), auditEntryKey{}, entry)
}

// actorOf returns who calls, for the audit chain.
func actorOf(caller *access.Caller) string {
	if caller.Member == nil {
		return access.KeyActor(caller.Key.ID)
	}
	return access.UserActor(caller.Member.User)
}

// beforeReply records what was done without a transaction, and masks what a viewer must not read.
func (s *server) beforeReply(ctx context.Context, c *call, out any) (any, error) {
	caller, ok := c.Caller.(*access.Caller)
	if !ok {
		return out, nil
	}
	entry, _ := ctx.Value(auditEntryKey{}).(*store.AuditEntry)
	isReplayed := c.Header().Get(once.ReplayedHeader) != ""
	if entry != nil && !entry.IsWritten() && !isReplayed {
		if err := s.appendEntry(ctx, entry, out); err != nil {
			return nil, err
		}
	}
	if out == nil || caller.Member == nil || access.SeesPersonalData(*caller.Member) || !holdsPersonalData(c.Operation) {
		return out, nil
	}
	return hidePersonalData(out)
}

// appendEntry writes an entry by itself. It runs even if the client is gone.
func (s *server) appendEntry(ctx context.Context, entry *store.AuditEntry, out any) error {
	ctx, stop := once.Detach(store.WithAuditEntry(ctx, nil))
	defer stop()
	return s.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		return entry.Append(ctx, tx, createdID(out))
	})
}

// createdID returns the id in a reply, or the number of a ticket.
func createdID(out any) string {
	text, err := json.Marshal(out)
	var created struct {
		ID           string
		TicketNumber json.Number
	}
	if err == nil {
		err = json.Unmarshal(text, &created)
	}
	if err != nil {
		return ""
	}
	return cmp.Or(string(created.TicketNumber), created.ID)
}

// CanHidePersonalData reports whether personal data is masked in the replies of an operation for viewers. It is not in
// what is sent piece by piece.
func CanHidePersonalData(op *httpapi.Operation) bool {
	return !op.Streaming && op.Name != "exportConversations"
}

// holdsPersonalData reports whether the replies of an operation hold what customers wrote, or who they are.
func holdsPersonalData(op *httpapi.Operation) bool {
	return op.Scope == parley.ChatlogsExport || op.Scope == parley.TicketsRead
}

// Replies by the names of their members: texts, in which personal data is masked, and data that is masked whole.
var (
	maskedTexts = map[string]bool{"text": true, "title": true, "subject": true, "description": true, "content": true,
		"contentText": true, "parentSummary": true, "example": true}
	maskedDocuments = map[string]bool{"input": true, "output": true}
	maskedWhole     = map[string]string{"userId": "[id]"}
	maskedOfPerson  = map[string]string{"id": "[id]", "name": "[name]", "email": "[email]", "phoneNumber": "[phone]"}
)

// hidePersonalData returns a reply without personal data of customers.
func hidePersonalData(out any) (any, error) {
	text, err := json.Marshal(out)
	if err != nil {
		return nil, err
	}
	var reply any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&reply); err != nil {
		return nil, err
	}
	return hideIn(reply), nil
}

func hideIn(value any) any {
	switch v := value.(type) {
	case []any:
		for i := range v {
			v[i] = hideIn(v[i])
		}
	case map[string]any:
		for name, member := range v {
			v[name] = hideMember(v, name, member)
		}
	}
	return value
}

func hideMember(of map[string]any, name string, value any) any {
	text, isText := value.(string)
	switch {
	case isText && maskedTexts[name]:
		return redact.Text(text)
	case isText && text != "" && maskedWhole[name] != "":
		return maskedWhole[name]
	case maskedDocuments[name]:
		return hideInDocument(value)
	case name == "customer", name == "sender" && isCustomer(value):
		return hidePerson(value)
	case name == "highlights":
		return joinHighlights(value)
	case name == "attachments":
		return []any{} // whose links need no key
	case name == "metadata" && of["customer"] != nil:
		return hideInDocument(value)
	}
	return hideIn(value)
}

func hideInDocument(value any) any {
	text, err := json.Marshal(value)
	if err != nil {
		return nil
	}
	return redact.JSON(text)
}

func isCustomer(sender any) bool {
	s, ok := sender.(map[string]any)
	return ok && s["type"] == "customer"
}

func hidePerson(value any) any {
	person, _ := value.(map[string]any)
	for name, mask := range maskedOfPerson {
		if text, ok := person[name].(string); ok && text != "" {
			person[name] = mask
		}
	}
	return value
}

// joinHighlights returns an excerpt in one piece, as what is masked may reach over several.
func joinHighlights(value any) any {
	var excerpt strings.Builder
	pieces, _ := value.([]any)
	for _, piece := range pieces {
		if p, ok := piece.(map[string]any); ok {
			text, _ := p["value"].(string)
			excerpt.WriteString(text)
		}
	}
	return []any{map[string]any{"value": redact.Text(excerpt.String()), "isHit": false}}
}
