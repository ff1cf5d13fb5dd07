package voice_test

import (
	"testing"
	"time"

	"parley"
	"parley/internal/testkit/dbs"
	"parley/internal/voice"
)

// newVisitor returns the request of a new visitor of the widget.
func (s *testSessions) newVisitor() voice.SessionRequest {
	s.Helper()
	v := &parley.Visitor{ID: parley.VisitorID(parley.NewUUID()), AccountID: s.account.ID, AgentID: s.agent,
		CreatedAt: s.clock.Now(), LastSeenAt: s.clock.Now()}
	s.Must(s.DB.CreateVisitor(s, v))
	return voice.SessionRequest{Visitor: v, Channel: parley.ChannelWidget}
}

// identify returns the request of the visitor that another one has become.
func (s *testSessions) identify(before voice.SessionRequest, user parley.EndUserID) voice.SessionRequest {
	s.Helper()
	v := *before.Visitor
	v.ID, v.UserID = parley.VisitorID(parley.NewUUID()), user
	s.Must(s.DB.ReplaceVisitor(s, before.Visitor.ID, &v))
	before.Visitor = &v
	return before
}

// requireOfDay asserts what all visitors have used and reserved, in whole credits.
func (s *testSessions) requireOfDay(used, reserved int64) {
	s.Helper()
	for name, want := range map[string]int64{"used": used, "reserved": reserved} {
		for _, visitors := range []string{"= ''", "<> ''"} {
			n := dbs.CountRows(s.TB, s.DB.SQL(), `
				select cast(coalesce(sum(`+name+`), 0) as bigint) from visitor_credits where visitor_id `+visitors)
			if parley.Credits(n) != parley.Credits(want)*parley.Credit {
				s.Errorf("%s of visitors %s: %d, want %d credits", name, visitors, n, want)
			}
		}
	}
}

func TestCallsStopAtTheDailyLimitOfAllVisitors(t *testing.T) {
	forEachStore(t, func(s *testSessions) {
		s.updateAgent(func(a *parley.Agent) { a.WidgetLimits.DailyCredits = new(int64(12)) })
		l := s.activeSession(s.startSession(s.newVisitor()))
		l.MarkJoined()
		s.requireOfDay(0, 5)
		s.clock.Advance(time.Minute + time.Second)
		s.CheckDeadlines(s)
		s.requireOfDay(0, 10)
		_, err := s.tryStart(s.newVisitor())
		if e := s.requireError(err, parley.CodeVoiceAgentCredits, ""); e.RetryAfter <= 0 {
			t.Error("it does not say when to try again")
		}
		s.startSession(voice.SessionRequest{}) // of the REST interface
		s.clock.Advance(time.Minute)
		s.CheckDeadlines(s)
		if v := s.waitUntilEnded(l); v.EndReason != parley.EndCredits || v.Minutes != 2 {
			t.Errorf("%+v", v)
		}
		s.requireOfDay(10, 0)
		s.clock.Advance(24 * time.Hour)
		s.startSession(s.newVisitor())
	})
}

func TestCallsStopAtTheDailyLimitOfTheVisitor(t *testing.T) {
	forEachStore(t, func(s *testSessions) {
		s.updateAgent(func(a *parley.Agent) { a.WidgetLimits.DailyVisitorCredits = new(int64(7)) })
		own := s.newVisitor()
		l := s.activeSession(s.startSession(own))
		l.MarkJoined()
		own = s.identify(own, "anna")
		_, err := s.tryStart(own)
		s.requireError(err, parley.CodeTooManyRequests, "")
		s.clock.Advance(time.Minute + time.Second)
		s.CheckDeadlines(s)
		if v := s.waitUntilEnded(l); v.EndReason != parley.EndCredits || v.Minutes != 1 {
			t.Errorf("%+v", v)
		}
		s.requireOfDay(5, 0)
		_, err = s.tryStart(own)
		s.requireError(err, parley.CodeTooManyRequests, "")
		_, err = s.tryStart(s.identify(s.newVisitor(), "anna"))
		s.requireError(err, parley.CodeTooManyRequests, "")
		s.startSession(s.newVisitor())
	})
}

// A call that has begun before the site has shown who the visitor is counts among what the user has used.
func TestCallGoesOnForWhoeverTheVisitorIs(t *testing.T) {
	forEachStore(t, func(s *testSessions) {
		s.updateAgent(func(a *parley.Agent) { a.WidgetLimits.DailyVisitorCredits = new(int64(12)) })
		before := s.newVisitor()
		l := s.activeSession(s.startSession(before))
		l.MarkJoined()
		s.startSession(s.identify(before, "anna"))
		s.requireOfDay(0, 10)
		s.clock.Advance(time.Minute + time.Second)
		s.CheckDeadlines(s)
		if v := s.waitUntilEnded(l); v.EndReason != parley.EndCredits || v.Minutes != 1 {
			t.Errorf("%+v", v)
		}
	})
}

func TestCallThatCostsNothingNeedsCreditsForAnswers(t *testing.T) {
	forEachStore(t, func(s *testSessions) {
		s.plan.CreditsPerVoiceMinute = 0
		s.startSession(s.newVisitor())
		s.updateAgent(func(a *parley.Agent) { a.WidgetLimits.DailyVisitorCredits = new(int64(0)) })
		_, err := s.tryStart(s.newVisitor())
		s.requireError(err, parley.CodeTooManyRequests, "")
		s.updateAgent(func(a *parley.Agent) {
			a.WidgetLimits = parley.WidgetLimits{DailyCredits: new(int64(0))}
		})
		_, err = s.tryStart(s.newVisitor())
		s.requireError(err, parley.CodeVoiceAgentCredits, "")
	})
}

// Nothing stays reserved for the visitor of a call whose room cannot be made, and of one whose server has died.
func TestLostCallsReleaseWhatTheirVisitorsReserved(t *testing.T) {
	forEachStore(t, func(s *testSessions) {
		s.rooms.SetFailing(true)
		_, err := s.tryStart(s.newVisitor())
		s.requireError(err, parley.CodeSessionFailed, "")
		s.requireOfDay(0, 0)
		s.rooms.SetFailing(false)
		l := s.activeSession(s.startSession(s.newVisitor()))
		l.MarkJoined()
		s.Must(s.RenewLeases(s))
		s.clock.Advance(10 * time.Minute)
		s.Must(s.newSessions(s.DB).RecoverExpired(s))
		s.requireOfDay(5, 0)
	})
}

func TestAnswersOfACallStopAtTheDailyLimit(t *testing.T) {
	for name, limits := range map[string]parley.WidgetLimits{
		"of the visitor":  {DailyVisitorCredits: new(int64(1))},
		"of all visitors": {DailyCredits: new(int64(1))},
	} {
		t.Run(name, func(t *testing.T) {
			d := newSQLiteDialog(t, `{}`, func(d *testDialog) {
				d.plan.CreditsPerVoiceMinute = 0 // then answers are charged
				d.updateAgent(func(a *parley.Agent) { a.WidgetLimits = limits })
				d.request = d.newVisitor()
			})
			d.joinUser()
			d.scriptAnswers("Ten euros.", "Eleven.")
			d.saySegment(question, time.Second)
			d.waitForStored(`
				user: What does it cost?
				assistant: Ten euros.
			`)
			d.waitForState("listening")
			d.saySegment("And now?", time.Second)
			d.waitForEnd(parley.EndCredits)
			d.requireOfDay(1, 0)
		})
	}
}
