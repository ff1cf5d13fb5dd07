package console

import (
	"cmp"
	"context"
	"time"

	"parley"
	"parley/internal/access"
)

const (
	presenceLifetime = 20 * time.Second // after which somebody who says nothing has left
	maxPresences     = 20               // things that a person may look at
	maxPresenceBytes = 4 << 10
)

// The states of a person at a thing.
const (
	stateLooking = "looking"
	stateTyping  = "typing"
	stateGone    = "gone"
)

// presenceRule is what a role must have to see who looks at a thing, and to be seen typing there.
type presenceRule struct{ look, write parley.Permission }

var presenceRules = map[string]presenceRule{
	liveAgent:        {parley.PermissionAgentsRead, parley.PermissionAgentsWrite},
	liveConversation: {parley.PermissionConversationsRead, parley.PermissionConversationsWrite},
	liveSource:       {parley.PermissionSourcesRead, parley.PermissionSourcesWrite},
	liveTicket:       {parley.PermissionTicketsRead, parley.PermissionTicketsWrite},
}

// Presence says what the member looks at. Who says nothing for 20 seconds has left.
type Presence struct {
	Body PresenceBody
}

// PresenceBody names a thing by its id. Nobody checks that it exists: those who look at the same have the same id.
type PresenceBody struct {
	Type    string `json:"type" enum:"agent,conversation,source,ticket"`
	ID      string `json:"id" min:"1" max:"64" pattern:"^[A-Za-z0-9_-]+$"`
	AgentID string `json:"agentId,omitempty" max:"64" pattern:"^[A-Za-z0-9_-]*$"`
	State   string `json:"state" enum:"looking,typing,gone"`
}

// PresenceResult says for how long it holds.
type PresenceResult struct {
	Seconds int `json:"seconds"`
}

// presenceKey is a person at a thing of an account.
type presenceKey struct {
	user parley.UserID
	kind string
	id   string
}

type presence struct {
	agent string
	state string
	until time.Time
}

// presenceEvent tells the others in the account.
type presenceEvent struct {
	UserID  parley.UserID `json:"userId"` // empty for the customer of a conversation
	Type    string        `json:"type"`
	ID      string        `json:"id"`
	AgentID string        `json:"agentId,omitempty"`
	State   string        `json:"state"`
}

func (e presenceEvent) compare(o presenceEvent) int {
	return cmp.Or(cmp.Compare(e.UserID, o.UserID), cmp.Compare(e.Type, o.Type), cmp.Compare(e.ID, o.ID))
}

func (k presenceKey) event(p presence) presenceEvent {
	return presenceEvent{k.user, k.kind, k.id, p.agent, p.state}
}

func (l *Live) tellPresence(_ context.Context, c *call, in *Presence) (*PresenceResult, error) {
	member, b := *c.Caller.(*parley.Member), in.Body
	rule := presenceRules[b.Type]
	needed := rule.look
	if b.State == stateTyping {
		needed = rule.write
	}
	if !access.May(member.Role, needed) {
		return nil, parley.NewErrorf(parley.CodeInsufficientScope, "The role %s may not do this.", member.Role)
	}
	if b.Type == liveConversation && b.State == stateTyping && l.MemberTypes != nil {
		l.MemberTypes(member.Account, parley.ConversationID(b.ID))
	}
	l.setPresence(member, presenceKey{member.User, b.Type, b.ID},
		presence{b.AgentID, b.State, l.Now().Add(presenceLifetime)})
	return &PresenceResult{int(presenceLifetime.Seconds())}, nil
}

// setPresence notes a presence and tells the others if it is another one than before.
func (l *Live) setPresence(m parley.Member, key presenceKey, p presence) {
	l.mu.Lock()
	defer l.mu.Unlock()
	present := l.presence[m.Account]
	before, wasThere := present[key]
	switch {
	case p.state == stateGone && !wasThere:
		return
	case p.state == stateGone:
		delete(present, key)
	case present == nil:
		l.presence[m.Account] = map[presenceKey]presence{key: p}
	default:
		if !wasThere && countPresences(present, m.User) >= maxPresences {
			return
		}
		present[key] = p
	}
	if p.state != before.state {
		l.announce(m.Account, key.event(p))
	}
}

// maxTypingCustomers is how many customers of an account are shown typing at a time.
const maxTypingCustomers = 1000

// CustomerTypes shows those who look at a conversation that its customer writes.
func (l *Live) CustomerTypes(ref parley.ConversationRef) {
	key := presenceKey{"", liveConversation, string(ref.Conversation)}
	p := presence{string(ref.Agent), stateTyping, l.Now().Add(presenceLifetime)}
	l.mu.Lock()
	defer l.mu.Unlock()
	present := l.presence[ref.Account]
	_, wasThere := present[key]
	switch {
	case len(l.streams[ref.Account]) == 0: // nobody looks
		return
	case present == nil:
		l.presence[ref.Account] = map[presenceKey]presence{key: p}
	case !wasThere && countPresences(present, "") >= maxTypingCustomers:
		return
	default:
		present[key] = p
	}
	if !wasThere {
		l.announce(ref.Account, key.event(p))
	}
}

func countPresences(present map[presenceKey]presence, user parley.UserID) (n int) {
	for key := range present {
		if key.user == user {
			n++
		}
	}
	return n
}

// announce tells the account's streams. l.mu is held.
func (l *Live) announce(account parley.AccountID, e presenceEvent) {
	for s := range l.streams[account] {
		s.addPresence(e)
		s.wakeUp()
	}
}

// forgetAbsent forgets those who have said nothing for a while, and tells the others.
func (l *Live) forgetAbsent() {
	now := l.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	for account, present := range l.presence {
		for key, p := range present {
			if now.Before(p.until) {
				continue
			}
			delete(present, key)
			p.state = stateGone
			l.announce(account, key.event(p))
		}
		if len(present) == 0 {
			delete(l.presence, account)
		}
	}
}
