package visitor_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"parley"
	"parley/internal/contact"
	"parley/internal/store"
	"parley/internal/testkit/check"
	"parley/internal/testkit/clock"
	"parley/internal/testkit/dbs"
	"parley/internal/visitor"
)

func TestMain(m *testing.M) { dbs.Main(m) }

const secret = "a secret of the agent that signs"

// fixture is the visitors of one agent.
type fixture struct {
	check.T
	context.Context
	*visitor.Service
	clock *clock.Clock
	agent *parley.Agent
}

func forEachStore(t *testing.T, do func(f *fixture)) {
	t.Helper()
	dbs.ForEachStore(t, func(t *testing.T, db *store.DB) {
		f := &fixture{T: check.T{TB: t}, Context: t.Context(), clock: clock.New()}
		f.Service = &visitor.Service{DB: db, Key: []byte("key"), Now: f.clock.Now,
			Contacts: &contact.Service{DB: db, Now: f.clock.Now}}
		account := dbs.CreateAccount(t, db, "unlimited", f.clock.Now()).ID
		f.agent = f.createAgent(account)
		do(f)
	})
}

func (f *fixture) createAgent(account parley.AccountID) *parley.Agent {
	f.Helper()
	a := dbs.NewAgent(account, f.clock.Now())
	a.IdentitySecret = secret
	dbs.CreateAgent(f.TB, f.DB, a)
	return a
}

func (f *fixture) begin() *visitor.Session {
	f.Helper()
	s, err := f.Begin(f, f.agent.Ref(), "https://shop.example/hours?session=1", "de")
	f.Must(err)
	return s
}

// converse has the visitor begin a conversation.
func (f *fixture) converse(v *parley.Visitor) parley.ConversationID {
	f.Helper()
	id := parley.ConversationID(parley.NewTimedUUID())
	first := &parley.Message{ID: parley.NewMessageID(), ConversationID: id, Author: parley.AuthorUser,
		State: parley.MessageComplete, Parts: []parley.Part{{Type: "text", Text: "Hi"}}, CreatedAt: f.clock.Now()}
	f.Must(f.DB.CreateConversation(f, &parley.Conversation{ID: id, AccountID: v.AccountID, AgentID: v.AgentID,
		API: parley.APIV2, Channel: parley.ChannelWidget, Status: parley.ConversationOngoing, VisitorID: v.ID,
		UserID: v.UserID, CreatedAt: f.clock.Now(), UpdatedAt: f.clock.Now()}, first, true))
	return id
}

func (f *fixture) sees(v *parley.Visitor, id parley.ConversationID) bool {
	f.Helper()
	c, err := f.DB.VisitorConversation(f, v, id)
	if parley.IsCode(err, parley.CodeConversationNotFound) {
		return false
	}
	f.Must(err)
	return c.ID == id
}

func (f *fixture) token(claims jwt.MapClaims) string {
	f.Helper()
	text, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString([]byte(secret))
	f.Must(err)
	return text
}

func (f *fixture) identify(s *visitor.Session, user string) *visitor.Session {
	f.Helper()
	next, err := f.Identify(f, f.agent, s.Visitor, visitor.Proof{Token: f.token(jwt.MapClaims{"user_id": user})})
	f.Must(err)
	return next
}

func TestTokenNamesTheVisitorOfOneAgent(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		s := f.begin()
		if v := s.Visitor; v.FirstPage != "https://shop.example/hours" || v.Locale != "de" || v.UserID != "" {
			f.Errorf("visitor: %+v", v)
		}
		again, err := f.Authenticate(f, f.agent.Ref(), s.Token)
		f.Must(err)
		if again.Visitor.ID != s.Visitor.ID || again.Token != "" {
			f.Errorf("again: %+v, token %q", again.Visitor, again.Token)
		}
		other := f.createAgent(f.agent.AccountID)
		for name, bad := range map[string]string{"empty": "", "cut": s.Token[:len(s.Token)-2], "version": "v2." + s.Token[3:],
			"changed": s.Token[:10] + string(s.Token[10]^1) + s.Token[11:], "no token": strings.Repeat("x", 4000)} {
			if _, err := f.Authenticate(f, f.agent.Ref(), bad); !parley.IsCode(err, parley.CodeVisitorRequired) {
				f.Errorf("%s: %v", name, err)
			}
		}
		if _, err := f.Authenticate(f, other.Ref(), s.Token); !parley.IsCode(err, parley.CodeVisitorRequired) {
			f.Errorf("another agent: %v", err)
		}
	})
}

func TestTokenIsRenewedAndExpires(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		s := f.begin()
		f.clock.Advance(44 * 24 * time.Hour)
		again, err := f.Authenticate(f, f.agent.Ref(), s.Token)
		f.Must(err)
		if again.Token != "" {
			f.Error("renewed too early")
		}
		f.clock.Advance(2 * 24 * time.Hour)
		if again, err = f.Authenticate(f, f.agent.Ref(), s.Token); err != nil || again.Token == "" {
			f.Fatalf("after half its life: %+v, %v", again, err)
		}
		f.clock.Advance(50 * 24 * time.Hour)
		if _, err := f.Authenticate(f, f.agent.Ref(), s.Token); !parley.IsCode(err, parley.CodeVisitorRequired) {
			f.Errorf("the old token after 96 days: %v", err)
		}
		if _, err := f.Authenticate(f, f.agent.Ref(), again.Token); err != nil {
			f.Errorf("the new one: %v", err)
		}
	})
}

func TestIdentifiedVisitorTakesItsConversationsAlong(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		browser := f.begin()
		before := f.converse(browser.Visitor)
		known := f.identify(browser, "anna")
		if !f.sees(known.Visitor, before) || known.Visitor.UserID != "anna" {
			f.Error("the conversation from before is lost")
		}
		after := f.converse(known.Visitor)
		// whoever has kept, or planted, the first token reads nothing of the user
		if _, err := f.Authenticate(f, f.agent.Ref(), browser.Token); !parley.IsCode(err, parley.CodeVisitorRequired) {
			f.Errorf("the token from before: %v", err)
		}
		if f.sees(browser.Visitor, before) || f.sees(browser.Visitor, after) {
			f.Error("the visitor from before sees the user's conversations")
		}
		phone := f.identify(f.begin(), "anna")
		if !f.sees(phone.Visitor, before) || !f.sees(phone.Visitor, after) {
			f.Error("another browser of the user does not see them")
		}
		list, err := f.DB.VisitorConversations(f, phone.Visitor, 10)
		f.Must(err)
		if len(list) != 2 {
			f.Errorf("%d conversations, want 2", len(list))
		}
	})
}

func TestOtherUsersAndVisitorsSeeNothing(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		anna := f.identify(f.begin(), "anna")
		hers := f.converse(anna.Visitor)
		anonymous := f.begin()
		its := f.converse(anonymous.Visitor)
		bert := f.identify(anna, "bert") // the same browser, later
		for name, v := range map[string]*parley.Visitor{"bert": bert.Visitor, "anonymous": anonymous.Visitor} {
			if f.sees(v, hers) {
				f.Errorf("%s sees anna's conversation", name)
			}
		}
		if f.sees(anna.Visitor, its) || f.sees(bert.Visitor, its) {
			f.Error("a user sees a stranger's conversation")
		}
		ofOtherAgent := *anna.Visitor
		ofOtherAgent.AgentID = f.createAgent(f.agent.AccountID).ID
		if f.sees(&ofOtherAgent, hers) {
			f.Error("another agent's visitor sees it")
		}
		again := f.identify(anna, "anna")
		if again.Visitor.ID != anna.Visitor.ID || again.Token == "" {
			f.Error("who identifies again becomes another visitor")
		}
	})
}

func TestProofs(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		now := f.clock.Now()
		hash := func(user string) string {
			mac := hmac.New(sha256.New, []byte(secret))
			mac.Write([]byte(user))
			return hex.EncodeToString(mac.Sum(nil))
		}
		sign := func(method jwt.SigningMethod, key any, claims jwt.MapClaims) string {
			text, err := jwt.NewWithClaims(method, claims).SignedString(key)
			f.Must(err)
			return text
		}
		good := jwt.MapClaims{"user_id": "anna"}
		for _, test := range []struct {
			name   string
			proof  visitor.Proof
			reason visitor.Reason // empty: accepted
		}{
			{"token", visitor.Proof{Token: f.token(good)}, ""},
			{"token with sub", visitor.Proof{Token: f.token(jwt.MapClaims{"sub": "anna"})}, ""},
			{"a minute late", visitor.Proof{Token: f.token(jwt.MapClaims{"sub": "anna", "exp": now.Unix() - 50})}, ""},
			{"expired", visitor.Proof{Token: f.token(jwt.MapClaims{"sub": "anna", "exp": now.Unix() - 70})},
				visitor.ReasonExpired},
			{"of the future", visitor.Proof{Token: f.token(jwt.MapClaims{"sub": "anna", "nbf": now.Unix() + 70})},
				visitor.ReasonExpired},
			{"other secret", visitor.Proof{Token: sign(jwt.SigningMethodHS256, []byte("other"), good)},
				visitor.ReasonBadSignature},
			{"HS512", visitor.Proof{Token: sign(jwt.SigningMethodHS512, []byte(secret), good)},
				visitor.ReasonWrongAlgorithm},
			{"none", visitor.Proof{Token: sign(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, good)},
				visitor.ReasonWrongAlgorithm},
			{"no user", visitor.Proof{Token: f.token(jwt.MapClaims{"name": "Anna"})}, visitor.ReasonNoUser},
			{"a user with a space", visitor.Proof{Token: f.token(jwt.MapClaims{"sub": "an na"})}, visitor.ReasonNoUser},
			{"no token", visitor.Proof{Token: "x.y"}, visitor.ReasonMalformed},
			{"too long", visitor.Proof{Token: f.token(jwt.MapClaims{"sub": "anna", "x": strings.Repeat("x", 9000)})},
				visitor.ReasonMalformed},
			{"hash", visitor.Proof{UserID: "anna", UserHash: hash("anna")}, ""},
			{"upper-case hash", visitor.Proof{UserID: "anna", UserHash: strings.ToUpper(hash("anna"))}, ""},
			{"another's hash", visitor.Proof{UserID: "anna", UserHash: hash("bert")}, visitor.ReasonBadSignature},
			{"no hash", visitor.Proof{UserID: "anna"}, visitor.ReasonBadSignature},
			{"no hex", visitor.Proof{UserID: "anna", UserHash: "zz"}, visitor.ReasonMalformed},
			{"nothing", visitor.Proof{}, visitor.ReasonNoUser},
		} {
			s, err := f.Identify(f, f.agent, f.begin().Visitor, test.proof)
			switch {
			case test.reason == "" && (err != nil || s.Visitor.UserID != "anna"):
				f.Errorf("%s: %v", test.name, err)
			case test.reason != "" && (!parley.IsCode(err, parley.CodeIdentityRefused) ||
				parley.AsError(err).Details["reason"] != string(test.reason)):
				f.Errorf("%s: %v, want %s", test.name, err, test.reason)
			}
		}
	})
}

func TestOldSecretIsValidForAWhile(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		until := f.clock.Now().Add(24 * time.Hour)
		old := visitor.Proof{Token: f.token(jwt.MapClaims{"sub": "anna"})}
		f.agent.OldIdentitySecret, f.agent.IdentitySecret, f.agent.OldIdentityUntil = secret, "the next one", &until
		if _, err := f.Identify(f, f.agent, f.begin().Visitor, old); err != nil {
			f.Errorf("within the time: %v", err)
		}
		f.clock.Advance(25 * time.Hour)
		if _, err := f.Identify(f, f.agent, f.begin().Visitor, old); !parley.IsCode(err, parley.CodeIdentityRefused) {
			f.Errorf("after it: %v", err)
		}
	})
}

func TestTokenTellsTheContact(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		_, err := f.Identify(f, f.agent, f.begin().Visitor, visitor.Proof{Token: f.token(jwt.MapClaims{"sub": "anna",
			"email": "anna@shop.example", "name": "Anna", "phonenumber": "+4930123"})})
		f.Must(err)
		c, err := f.DB.Contact(f, f.agent.Ref(), "anna")
		f.Must(err)
		if c.Email != "anna@shop.example" || c.Name != "Anna" || c.Phone != "+4930123" {
			f.Errorf("contact: %+v", c)
		}
	})
}

func TestAllowedOrigins(t *testing.T) {
	for _, test := range []struct {
		domains []string
		origin  string
		want    bool
	}{
		{nil, "https://any.example", true},
		{[]string{}, "https://any.example", false},
		{[]string{"shop.example"}, "https://shop.example", true},
		{[]string{"shop.example"}, "https://www.shop.example:8443", true},
		{[]string{"*.shop.example"}, "https://www.shop.example", true},
		{[]string{"Shop.Example"}, "https://shop.example", true},
		{[]string{"shop.example"}, "https://badshop.example", false},
		{[]string{"shop.example"}, "https://shop.example.evil.example", false},
		{[]string{"shop.example"}, "null", false},
	} {
		if got := visitor.IsAllowedOrigin(&parley.Agent{AllowedDomains: test.domains}, test.origin); got != test.want {
			t.Errorf("%v, %s: %v", test.domains, test.origin, got)
		}
	}
}
