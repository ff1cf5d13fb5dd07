package store_test

import (
	"testing"
	"time"

	"parley"
	"parley/internal/store"
)

func TestNobodyGetsTwoMailsAboutAConversationAtATime(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		ref, now := fx.Account.ID.AgentRef(fx.Agent.ID).ConversationRef(fx.createEmptyConversation()), testTime
		quiet := 15 * time.Minute
		claim := func(recipient, kind string, after time.Duration) time.Time {
			fx.Helper()
			n := store.MailNotice{Conversation: ref, Recipient: recipient, Kind: kind}
			next, err := fx.ClaimMailNotice(fx, n, now.Add(after), quiet)
			fx.must(err)
			return next
		}
		if next := claim("one", "waits", 0); !next.IsZero() {
			fx.Errorf("the first mail has to wait until %v", next)
		}
		if next := claim("one", "waits", time.Second); !next.IsZero() {
			fx.Errorf("a mail that no server has taken has to wait until %v", next)
		}
		fx.must(fx.NoteMailSent(fx, store.MailNotice{Conversation: ref, Recipient: "one", Kind: "waits"}, now))
		if next := claim("one", "waits", time.Minute); !next.Equal(now.Add(time.Second + quiet)) {
			fx.Errorf("the second mail is due at %v", next)
		}
		if next := claim("one", "assigned", time.Minute); next.IsZero() {
			fx.Error("a mail of another kind is sent at once")
		}
		if next := claim("two", "waits", time.Minute); !next.IsZero() {
			fx.Errorf("the mail of somebody else has to wait until %v", next)
		}
		if next := claim("one", "assigned", time.Second+quiet); !next.IsZero() {
			fx.Errorf("after the quiet time a mail has to wait until %v", next)
		}
		_, err := fx.ClaimMailNotice(fx, store.MailNotice{Conversation: ref.ConversationRef(parley.ConversationID("gone")),
			Recipient: "one"}, now, quiet)
		if !parley.IsCode(err, parley.CodeResourceNotFound) {
			fx.Errorf("a conversation that is gone: %v", err)
		}
	})
}

func TestDailyMailsBeginOnceADay(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		ref := fx.Account.ID.AgentRef(fx.Agent.ID)
		for i, c := range []struct {
			day  string
			want bool
		}{{"2026-11-27", false}, {"2026-11-27", false}, {"2026-11-28", true}, {"2026-11-28", false}, {"2026-11-27", false},
			{"2026-11-30", true}} {
			begins, err := fx.BeginDailyMails(fx, ref, c.day)
			fx.must(err)
			if begins != c.want {
				fx.Errorf("call %d, of %s: %v", i, c.day, begins)
			}
		}
	})
}
