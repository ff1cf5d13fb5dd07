// Package visitor knows the people who meet an agent in its widget: browsers without a name, and users whom the
// embedding site vouches for. It finds for them what they have talked about.
package visitor

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/contact"
	"parley/internal/store"
)

// Service issues and reads the tokens of visitors.
type Service struct {
	DB       *store.DB
	Contacts *contact.Service
	Key      []byte // signs tokens; the same on all servers of a database
	Now      func() time.Time
}

// Session is a visitor with a token for its next requests; the token is empty where the present one stays.
type Session struct {
	Visitor *parley.Visitor
	Token   string
}

// Bounds of what a page says.
const (
	maxPageBytes   = 500
	maxLocaleBytes = 35
	seenInterval   = 10 * time.Minute // between two notes that a visitor was seen
)

// Begin makes a new visitor of the agent, whom nobody knows. page is where the agent is embedded.
func (s *Service) Begin(ctx context.Context, ref parley.AgentRef, page, locale string) (*Session, error) {
	v := s.newVisitor(ref, page, locale)
	if err := s.DB.CreateVisitor(ctx, v); err != nil {
		return nil, err
	}
	return s.session(v)
}

func (s *Service) newVisitor(ref parley.AgentRef, page, locale string) *parley.Visitor {
	now := s.Now()
	if len(locale) > maxLocaleBytes {
		locale = ""
	}
	return &parley.Visitor{ID: parley.VisitorID(parley.NewUUID()), AccountID: ref.Account, AgentID: ref.Agent,
		FirstPage: PageAddress(page), Locale: locale, CreatedAt: now, LastSeenAt: now}
}

func (s *Service) session(v *parley.Visitor) (*Session, error) {
	token, err := s.newToken(v, s.Now())
	if err != nil {
		return nil, err
	}
	return &Session{v, token}, nil
}

// Authenticate returns the visitor whose token it is, with a new token once the present one is half used. Fails with
// AUTH_VISITOR_REQUIRED: then the browser asks for another.
func (s *Service) Authenticate(ctx context.Context, ref parley.AgentRef, token string) (*Session, error) {
	now := s.Now()
	id, issued, ok := s.readToken(ref.Agent, token, now)
	if !ok {
		return nil, parley.NewError(parley.CodeVisitorRequired)
	}
	v, err := s.DB.FindVisitor(ctx, ref, id)
	if err != nil {
		return nil, err
	}
	if v == nil {
		return nil, parley.NewError(parley.CodeVisitorRequired)
	}
	if now.Sub(v.LastSeenAt) > seenInterval {
		if err := s.DB.TouchVisitor(ctx, v, now); err != nil {
			return nil, err
		}
	}
	if now.Sub(issued) < renewAfter {
		return &Session{Visitor: v}, nil
	}
	return s.session(v)
}

// NoteRead notes that a visitor was shown messages, where a person has written one of them since the visitor was seen
// last: it need not be mailed then.
func (s *Service) NoteRead(ctx context.Context, v *parley.Visitor, messages []parley.Message) error {
	seen := v.LastSeenAt
	for i := range messages {
		m := &messages[i]
		if m.Author == parley.AuthorHuman && !seen.After(m.CreatedAt) {
			seen = m.CreatedAt.Add(time.Millisecond) // what was read is older than the note
		}
	}
	if seen.Equal(v.LastSeenAt) {
		return nil
	}
	if now := s.Now(); now.After(seen) {
		seen = now
	}
	v.LastSeenAt = seen
	return s.DB.TouchVisitor(ctx, v, seen)
}

// Identify returns the visitor as whom the proof shows it. Who was nobody yet takes the conversations along; a visitor
// that is somebody else already does not. What a token says of the user beside the id becomes the contact's. Fails with
// AUTH_IDENTITY_REFUSED, which says why, or with VALIDATION_INVALID_BODY for what cannot be a contact's.
func (s *Service) Identify(ctx context.Context, agent *parley.Agent, v *parley.Visitor, p Proof) (*Session, error) {
	id, err := p.check(s.secrets(agent), s.Now())
	if err != nil {
		return nil, err
	}
	if id.isNamed {
		if _, err := s.Contacts.Put(ctx, agent.Ref(), []contact.Change{id.contact}); err != nil {
			return nil, err
		}
	}
	if v.UserID == id.userID {
		return s.session(v)
	}
	into := s.newVisitor(agent.Ref(), v.FirstPage, v.Locale)
	into.UserID = id.userID
	if err := s.DB.ReplaceVisitor(ctx, v.ID, into); err != nil {
		return nil, err
	}
	return s.session(into)
}

// secrets returns what proofs may be signed with.
func (s *Service) secrets(agent *parley.Agent) []string {
	list := []string{agent.IdentitySecret}
	if agent.OldIdentityUntil != nil && s.Now().Before(*agent.OldIdentityUntil) {
		list = append(list, agent.OldIdentitySecret)
	}
	return slices.DeleteFunc(list, func(secret string) bool { return secret == "" }) // with which anybody could sign
}

// PageAddress returns the address of a page without its query, which may hold what is nobody's business; empty for what
// is no address of a page.
func PageAddress(page string) string {
	u, err := url.Parse(page)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	address := (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
	if len(address) > maxPageBytes {
		return u.Scheme + "://" + u.Host
	}
	return address
}

// IsAllowedOrigin reports whether the agent may be embedded at an origin: on the domains that it names and below them,
// or anywhere where it names none.
func IsAllowedOrigin(agent *parley.Agent, origin string) bool {
	if agent.AllowedDomains == nil {
		return true
	}
	u, err := url.Parse(origin)
	if err != nil {
		return false
	}
	host := strings.ToLower(u.Hostname())
	for _, domain := range agent.AllowedDomains {
		domain = strings.ToLower(strings.TrimPrefix(domain, "*."))
		if host == domain || strings.HasSuffix(host, "."+domain) {
			return true
		}
	}
	return false
}
