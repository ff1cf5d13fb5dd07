package chat_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/chat"
	"parley/internal/events"
	"parley/internal/jobs"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/check"
	"parley/internal/testkit/dbs"
	"parley/internal/testkit/scripted"
)

// conversations returns Conversations on the engine's database.
func (te *testEngine) conversations() *chat.Conversations {
	return &chat.Conversations{DB: te.db, Queue: &jobs.Queue{Now: te.clock.Now}, Hub: &chat.Hub{}, Now: te.clock.Now,
		Logger: slog.New(slog.DiscardHandler), StopTurn: te.Stop}
}

// startConversation starts a conversation with a question and an answer.
func (te *testEngine) startConversation() parley.ConversationID {
	te.t.Helper()
	te.model.AddScript(scripted.Text("Good morning."), scripted.Stop())
	turn := te.start("Hello", "")
	te.finish(turn)
	return turn.ConversationID
}

// events lists the kinds of events of a conversation that begin with "conversation".
func (te *testEngine) events(id parley.ConversationID) (list []string) {
	te.t.Helper()
	list, err := sqldb.All(te.t.Context(), te.db.SQL(), sqldb.Column[string],
		`select kind from events where conversation_id = ? and (kind like 'conversation.%' or kind like 'message.f%')
		order by seq`, id)
	check.Must(te.t, err)
	return list
}

// conversationStep is a change of a conversation after earlier ones, with its expected result.
type conversationStep struct {
	before []string
	step   string
	code   parley.Code
	status parley.ConversationStatus
	paused bool
	event  string // of the step; empty if nothing changes
}

const (
	refusedStep = parley.CodeNotOngoing
	freeStep    = parley.CodeNotTakenOver
)

var conversationSteps = []conversationStep{
	{nil, "pause", "", parley.ConversationOngoing, true, "conversation.paused"},
	{nil, "resume", "", parley.ConversationOngoing, false, ""},
	{nil, "take", "", parley.ConversationTakenOver, false, "conversation.taken_over"},
	{nil, "back", freeStep, "", false, ""},
	{nil, "end", "", parley.ConversationEnded, false, "conversation.ended"},
	{[]string{"pause"}, "pause", "", parley.ConversationOngoing, true, ""},
	{[]string{"pause"}, "resume", "", parley.ConversationOngoing, false, "conversation.resumed"},
	{[]string{"pause"}, "take", "", parley.ConversationTakenOver, true, "conversation.taken_over"},
	{[]string{"pause"}, "end", "", parley.ConversationEnded, false, "conversation.ended"},
	{[]string{"take"}, "pause", refusedStep, "", false, ""},
	{[]string{"take"}, "take", "", parley.ConversationTakenOver, false, ""},
	{[]string{"take"}, "back", "", parley.ConversationOngoing, false, "conversation.handed_back"},
	{[]string{"take"}, "end", "", parley.ConversationEnded, false, "conversation.ended"},
	{[]string{"end"}, "pause", refusedStep, "", false, ""},
	{[]string{"end"}, "take", refusedStep, "", false, ""},
	{[]string{"end"}, "back", freeStep, "", false, ""},
	{[]string{"end"}, "end", refusedStep, "", false, ""},
}

func TestConversationStatusChanges(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		steps := te.conversationSteps()
		for _, c := range conversationSteps {
			te.testStep(steps, c)
		}
		for name, step := range steps {
			_, err := step("01900000-0000-7000-8000-000000000000")
			if !parley.IsCode(err, parley.CodeResourceNotFound) {
				te.t.Errorf("%s of nothing: %v", name, err)
			}
		}
	})
}

func (te *testEngine) conversationSteps() map[string]func(parley.ConversationID) (*parley.Conversation, error) {
	cs, ctx := te.conversations(), te.t.Context()
	ref := te.account.ID.AgentRef(te.agent.ID).ConversationRef
	return map[string]func(id parley.ConversationID) (*parley.Conversation, error){
		"pause": func(id parley.ConversationID) (*parley.Conversation, error) {
			return cs.Pause(ctx, ref(id), true)
		},
		"resume": func(id parley.ConversationID) (*parley.Conversation, error) {
			return cs.Pause(ctx, ref(id), false)
		},
		"take": func(id parley.ConversationID) (*parley.Conversation, error) {
			return cs.TakeOver(ctx, ref(id), "kim", "asked for", false)
		},
		"back": func(id parley.ConversationID) (*parley.Conversation, error) {
			return cs.HandBack(ctx, ref(id), "kim")
		},
		"end": func(id parley.ConversationID) (*parley.Conversation, error) {
			return cs.End(ctx, ref(id), "kim")
		},
	}
}

func (te *testEngine) testStep(steps map[string]func(parley.ConversationID) (*parley.Conversation, error),
	c conversationStep) {
	ctx := te.t.Context()
	id := te.startConversation()
	for _, s := range c.before {
		_, err := steps[s](id)
		check.Must(te.t, err)
	}
	before := te.events(id)
	got, err := steps[c.step](id)
	if c.code != "" {
		check.WantCode(te.t, err, c.code)
	} else if check.Must(te.t, err); got.Status != c.status || got.Paused != c.paused {
		te.t.Errorf("%s after %v: %s, paused %v", c.step, c.before, got.Status, got.Paused)
	}
	stored, err := te.db.Conversation(ctx, te.account.ID.AgentRef(te.agent.ID).ConversationRef(id))
	if check.Must(te.t, err); c.code == "" && (stored.Status != c.status || stored.Paused != c.paused) {
		te.t.Errorf("%s after %v is stored as %s, paused %v", c.step, c.before, stored.Status, stored.Paused)
	}
	var by string
	check.Must(te.t, te.db.SQL().QueryRow(ctx,
		`select coalesce(ended_by || ' at ' || ended_at, '') from conversations where id = ?`, id).Scan(&by))
	if want := fmt.Sprint("kim at ", te.clock.Now().
		UnixMilli()); (stored.Status == parley.ConversationEnded) != (by == want) || by != "" && by != want {
		te.t.Errorf("%s after %v: ended by %q", c.step, c.before, by)
	}
	want := slices.Clone(before)
	if c.event != "" {
		want = append(want, c.event)
	}
	if now := te.events(id); !slices.Equal(now, want) {
		te.t.Errorf("%s after %v: events %v, want %v", c.step, c.before, now, want)
	}
}

func TestTakeOverInterruptsTheAnswer(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		for _, ongoing := range []bool{false, true} {
			cs, barrier := te.conversations(), scripted.NewBarrier()
			te.model.AddScript(scripted.Text("half "), scripted.Step{Barrier: barrier}, scripted.Text("whole"), scripted.Stop())
			turn := te.start("Hello", "")
			check.Receive(te.t, "a model at its barrier", barrier.Reached())
			_, err := cs.TakeOver(te.t.Context(), te.account.ID.AgentRef(te.agent.ID).ConversationRef(turn.ConversationID),
				"kim", "", ongoing)
			check.Must(te.t, err)
			want := "assistant interrupted: half "
			if ongoing {
				barrier.Release()
				want = "assistant complete: half whole"
			}
			check.Receive(te.t, "the end of the turn", turn.Done())
			barrier.Release()
			te.wantHistory(turn.ConversationID, "user complete: Hello", want)
			_, err = te.tryStart("Are you there?", turn.ConversationID)
			check.WantCode(t, err, parley.CodeNotOngoing)
		}
	})
}

func TestMessagesInATakenOverConversation(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		cs, id := te.conversations(), te.startConversation()
		ctx, account, agent := te.t.Context(), te.account.ID, te.agent.ID
		_, err := cs.AddCustomerMessage(ctx, account.AgentRef(agent).ConversationRef(id), "Anybody?")
		check.WantCode(t, err, parley.CodeNotTakenOver)
		_, err = cs.TakeOver(ctx, account.AgentRef(agent).ConversationRef(id), "kim", "", false)
		check.Must(te.t, err)
		question, err := cs.AddCustomerMessage(ctx, account.AgentRef(agent).ConversationRef(id), "Anybody?")
		check.Must(te.t, err)
		reply, err := cs.AddHumanReply(ctx, account.AgentRef(agent).ConversationRef(id), "kims-id", "Here I am.")
		check.Must(te.t, err)
		_, err = cs.AddHumanReply(ctx, account.AgentRef(agent).ConversationRef(id), "kims-id", " \n")
		check.WantCode(t, err, parley.CodeInvalidBody)
		stored, err := te.db.Message(ctx, account.AgentRef(agent).ConversationRef(id), reply.ID)
		if check.Must(te.t, err); question.Seq != 3 || stored.Seq != 4 || stored.Author != parley.AuthorHuman ||
			stored.AuthorID != "kims-id" || stored.Role() != "assistant" {
			te.t.Errorf("%+v", stored)
		}
		_, err = cs.HandBack(ctx, account.AgentRef(agent).ConversationRef(id), "kim")
		check.Must(te.t, err)
		_, err = cs.AddHumanReply(ctx, account.AgentRef(agent).ConversationRef(id), "kims-id", "One more thing.")
		check.WantCode(t, err, parley.CodeNotTakenOver)
		te.model.AddScript(scripted.Text("Again me."), scripted.Stop())
		te.finish(te.start("Thanks", id))
		te.wantHistory(id, "user complete: Hello", "assistant complete: Good morning.", "user complete: Anybody?",
			"human complete: Here I am.",
			"user complete: Thanks", "assistant complete: Again me.")
	})
}

func TestMessagesOfPeopleAreRedacted(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		cs, id := te.conversations(), te.startConversation()
		ctx, account, agent := te.t.Context(), te.account.ID, te.agent.ID
		check.Must(te.t, te.db.UpdateAgent(ctx, account.AgentRef(agent), func(a *parley.Agent) error {
			a.Redact = true
			return nil
		}))
		_, err := cs.TakeOver(ctx, account.AgentRef(agent).ConversationRef(id), "kim", "", false)
		check.Must(te.t, err)
		_, err = cs.AddCustomerMessage(ctx, account.AgentRef(agent).ConversationRef(id), "Write to jo@example.com.")
		check.Must(te.t, err)
		te.wantHistory(id, "user complete: Hello", "assistant complete: Good morning.", "user complete: Write to [email].")
	})
}

func TestRatings(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		cs, id := te.conversations(), te.startConversation()
		ctx, account, agent := te.t.Context(), te.account.ID, te.agent.ID
		page, err := te.db.Messages(ctx, account.AgentRef(agent).ConversationRef(id), parley.PageRequest{Limit: 2})
		check.Must(te.t, err)
		question, answer := page.Items[0].ID, page.Items[1].ID
		for _, rating := range []string{parley.RatingPositive, parley.RatingPositive, parley.RatingNegative, ""} {
			m, err := cs.Rate(ctx, account.AgentRef(agent).ConversationRef(id), answer, rating)
			check.Must(te.t, err)
			stored, err := te.db.Message(ctx, account.AgentRef(agent).ConversationRef(id), answer)
			if check.Must(te.t, err); m.Feedback != rating || stored.Feedback != rating {
				te.t.Errorf("%q is given as %q and stored as %q", rating, m.Feedback, stored.Feedback)
			}
		}
		if got := te.events(id); !slices.Equal(got,
			[]string{"conversation.created", "message.feedback", "message.feedback", "message.feedback"}) {
			te.t.Error(got)
		}
		for _, r := range []struct{ rating, comment, want string }{
			{parley.RatingNegative, "The link is dead.", "The link is dead."}, {parley.RatingNegative, "", "The link is dead."},
			{parley.RatingPositive, "", ""}} {
			m, err := cs.RateWithComment(ctx, account.AgentRef(agent).ConversationRef(id), answer, r.rating, r.comment)
			if check.Must(te.t, err); m.Feedback != r.rating || m.Comment != r.want {
				te.t.Errorf("%+v: %q", r, m.Comment)
			}
		}
		_, err = cs.RateWithComment(ctx, account.AgentRef(agent).ConversationRef(id), answer, "", "Alone")
		check.WantCode(t, err, parley.CodeInvalidBody)
		_, err = cs.Rate(ctx, account.AgentRef(agent).ConversationRef(id), question, parley.RatingPositive)
		check.WantCode(t, err, parley.CodeNotAssistant)
		_, err = cs.Rate(ctx, account.AgentRef(agent).ConversationRef(id), "nothing", parley.RatingPositive)
		check.WantCode(t, err, parley.CodeMessageNotFound)
		_, err = cs.Rate(ctx, account.AgentRef(agent).ConversationRef(te.startConversation()), answer, parley.RatingPositive)
		check.WantCode(t, err, parley.CodeMessageNotFound)
		_, err = cs.Rate(ctx, parley.ConversationRef{AgentRef: parley.AgentRef{Account: "another", Agent: agent},
			Conversation: id}, answer, parley.RatingPositive)
		check.WantCode(t, err, parley.CodeResourceNotFound)
	})
}

func TestDeletedConversationStaysDeleted(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		cs, barrier := te.conversations(), scripted.NewBarrier()
		ctx, account, agent := te.t.Context(), te.account.ID, te.agent.ID
		other := te.startConversation()
		te.model.AddScript(scripted.Text("half "), scripted.Step{Barrier: barrier}, scripted.Text("whole"), scripted.Stop())
		turn := te.start("Hello", "")
		check.Receive(te.t, "a model at its barrier", barrier.Reached())
		n, err := cs.Delete(ctx, account.AgentRef(agent), []parley.ConversationID{turn.ConversationID, "nothing"}, nil)
		if check.Must(te.t, err); n != 1 {
			te.t.Error("deleted", n)
		}
		check.Receive(te.t, "the end of the turn", turn.Done())
		barrier.Release()
		_, err = te.tryStart("Are you there?", turn.ConversationID)
		check.WantCode(t, err, parley.CodeConversationNotFound)
		check.Must(te.t, cs.Erase(ctx, jobs.Job{Kind: chat.EraseJob, Key: string(agent), AccountID: account}))
		for _, table := range []string{"messages", "turns", "events", "tool_calls"} {
			left, err := sqldb.One(ctx, te.db.SQL(), sqldb.Column[int],
				`select count(*) from `+table+` where conversation_id = ?`, turn.ConversationID)
			if check.Must(te.t, err); left != 0 {
				te.t.Error(left, "rows remain in", table)
			}
		}
		te.wantNoOpenTurn()
		te.wantCredits(parley.Credit, 0) // of the conversation that was kept
		te.wantHistory(other, "user complete: Hello", "assistant complete: Good morning.")
		a, err := te.db.Agent(ctx, account.AgentRef(agent), te.clock.Now())
		if check.Must(te.t, err); a.Conversations != 1 || a.APIConversations != 1 {
			te.t.Errorf("the agent counts %d, %d", a.Conversations, a.APIConversations)
		}
	})
}

func TestConversationsAreDeletedAfterTheirRetention(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		cs := te.conversations()
		ctx, account, agent := te.t.Context(), te.account.ID, te.agent.ID
		old := te.startConversation()
		revived := te.startConversation()
		te.clock.Advance(20 * 24 * time.Hour)
		te.model.AddScript(scripted.Text("Still here."), scripted.Stop())
		te.finish(te.start("And now?", revived))
		te.clock.Advance(11 * 24 * time.Hour)
		check.Must(te.t, cs.Sweep(ctx))
		if n, err := te.db.CountConversations(ctx, account.AgentRef(agent), store.ConversationFilter{}); err != nil ||
			n != 2 {
			te.t.Error("without a retention:", n, err)
		}
		for _, days := range []int64{31, 30} {
			check.Must(te.t, te.db.UpdateAgent(ctx, account.AgentRef(agent), func(a *parley.Agent) error {
				a.RetentionDays = &days
				return nil
			}))
			check.Must(te.t, cs.Sweep(ctx))
			_, err := te.db.Conversation(ctx, account.AgentRef(agent).ConversationRef(old))
			if isDeleted := parley.IsCode(err, parley.CodeResourceNotFound); isDeleted != (days == 30) {
				te.t.Errorf("after 31 days, with a retention of %d: %v", days, err)
			}
		}
		_, err := te.db.Conversation(ctx, account.AgentRef(agent).ConversationRef(revived))
		check.Must(te.t, err)
		huge := int64(2_000_000_000)
		check.Must(te.t, te.db.UpdateAgent(ctx, account.AgentRef(agent), func(a *parley.Agent) error {
			a.RetentionDays = &huge
			return nil
		}))
		check.Must(te.t, cs.Sweep(ctx))
		_, err = te.db.Conversation(ctx, account.AgentRef(agent).ConversationRef(revived))
		check.Must(te.t, err)
	})
}

func TestFollowing(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		cs, id := te.conversations(), te.startConversation()
		ctx, account, agent := te.t.Context(), te.account.ID, te.agent.ID
		from := func(seq int64) *chat.Follower {
			te.t.Helper()
			f, err := cs.Follow(ctx, account.AgentRef(agent).ConversationRef(id), &seq)
			check.Must(te.t, err)
			te.t.Cleanup(f.Close)
			return f
		}
		fresh, err := cs.Follow(ctx, account.AgentRef(agent).ConversationRef(id), nil)
		check.Must(te.t, err)
		defer fresh.Close()
		late := from(1)
		wantUpdates(te.t, fresh, "ongoing")
		wantUpdates(te.t, late, "ongoing", "2")
		_, err = cs.TakeOver(ctx, account.AgentRef(agent).ConversationRef(id), "kim", "", false)
		check.Must(te.t, err)
		wantUpdates(te.t, fresh, "taken_over")
		_, err = cs.AddCustomerMessage(ctx, account.AgentRef(agent).ConversationRef(id), "Anybody?")
		check.Must(te.t, err)
		wantUpdates(te.t, fresh, "3")
		wantUpdates(te.t, late, "taken_over", "3")
		_, err = cs.End(ctx, account.AgentRef(agent).ConversationRef(id), "kim")
		check.Must(te.t, err)
		wantUpdates(te.t, fresh, "ended", "EOF")
		wantUpdates(te.t, from(2), "3", "ended", "EOF")
		wantUpdates(te.t, from(99), "ended", "EOF")
		_, err = cs.Follow(ctx, account.AgentRef(agent).ConversationRef("nothing"), nil)
		check.WantCode(t, err, parley.CodeResourceNotFound)
		_, err = cs.Follow(ctx,
			parley.ConversationRef{AgentRef: parley.AgentRef{Account: "another", Agent: agent}, Conversation: id}, nil)
		check.WantCode(t, err, parley.CodeResourceNotFound)
	})
}

// wantUpdates asserts the next updates: a status, the number of a message, or the end.
func wantUpdates(t *testing.T, f *chat.Follower, want ...string) {
	t.Helper()
	for _, w := range want {
		news, err := f.Next(t.Context())
		got := string(news.Status)
		if err == io.EOF {
			got = "EOF"
		} else if check.Must(t, err); len(news.Messages) > 0 {
			got = fmt.Sprint(news.Messages[0].Seq)
		}
		if got != w {
			t.Errorf("news %q, want %q", got, w)
		}
	}
}

func TestFollowersAreBounded(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		cs, id := te.conversations(), te.startConversation()
		cs.Hub.MaxFollowers = 2
		var list []*chat.Follower
		for range 2 {
			f, err := cs.Follow(te.t.Context(), te.account.ID.AgentRef(te.agent.ID).ConversationRef(id), nil)
			check.Must(te.t, err)
			list = append(list, f)
		}
		_, err := cs.Follow(te.t.Context(), te.account.ID.AgentRef(te.agent.ID).ConversationRef(id), nil)
		check.WantCode(t, err, parley.CodeTooManyRequests)
		list[0].Close()
		list[0].Close()
		again, err := cs.Follow(te.t.Context(), te.account.ID.AgentRef(te.agent.ID).ConversationRef(id), nil)
		check.Must(te.t, err)
		for range 100 {
			cs.Hub.Wake(id) // nobody reads them
		}
		wantUpdates(te.t, again, "ongoing")
		cs.Hub.Close()
		wantUpdates(te.t, again, "EOF")
		_, err = cs.Follow(te.t.Context(), te.account.ID.AgentRef(te.agent.ID).ConversationRef(id), nil)
		check.WantCode(t, err, parley.CodeUnderMaintenance)
		again.Close()
		list[1].Close()
	})
}

// TestIdleFollowerAsksNothing checks that a follower reads nothing until it is woken.
func TestIdleFollowerAsksNothing(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		cs, id := te.conversations(), te.startConversation()
		f, err := cs.Follow(te.t.Context(), te.account.ID.AgentRef(te.agent.ID).ConversationRef(id), nil)
		check.Must(te.t, err)
		defer f.Close()
		woken := make(chan struct{}, 10)
		f.Notify(func() { woken <- struct{}{} })
		ended, end := context.WithCancel(te.t.Context())
		end()
		wantUpdates(te.t, f, "ongoing")
		if news, err := f.Next(ended); err == nil {
			te.t.Errorf("news %+v", news)
		}
		_, err = te.db.SQL().Exec(te.t.Context(), `update conversations set status = 'ended' where id = ?`, id)
		check.Must(te.t, err)
		if news, err := f.Next(ended); err == nil {
			te.t.Errorf("it has asked, and found %+v", news)
		}
		cs.Hub.Wake(id)
		check.Receive(te.t, "news", woken)
		wantUpdates(te.t, f, "ended", "EOF")
	})
}

// TestFollowersAreToldOfOtherServers checks that what another server writes reaches a follower, and that all followers
// of an account are told by one subscription.
func TestFollowersAreToldOfOtherServers(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		near, far, id := te.conversations(), te.conversations(), te.startConversation()
		far.DB = store.New(te.db.SQL())
		near.Hub.Events = &events.Broadcast{DB: te.db, Logger: slog.New(slog.DiscardHandler),
			PollInterval: 20 * time.Millisecond}
		ctx, stop := context.WithCancel(context.WithoutCancel(te.t.Context()))
		var running sync.WaitGroup
		running.Go(func() { _ = near.Hub.Events.Run(ctx) })
		defer running.Wait()
		defer stop()
		ref := te.account.ID.AgentRef(te.agent.ID).ConversationRef(id)
		var list []*chat.Follower
		for range 3 {
			f, err := near.FollowAsVisitor(ctx, ref, nil)
			check.Must(te.t, err)
			defer f.Close()
			wantUpdates(te.t, f, "ongoing")
			list = append(list, f)
		}
		steps := []func() error{
			func() error { _, err := far.TakeOver(ctx, ref, "kim", "", false); return err },
			func() error { _, err := far.HandBack(ctx, ref, "kim"); return err },
			func() error { _, err := far.Delete(ctx, ref.AgentRef, []parley.ConversationID{id}, nil); return err },
		}
		for i, want := range []string{"taken_over", "ongoing", "EOF"} {
			check.Must(te.t, steps[i]())
			for _, f := range list {
				wantUpdates(te.t, f, want)
			}
		}
	})
}

// TestVisitorsLeavePlacesToOthers checks that visitors to whom the agent answers take at most four fifths of the
// places.
func TestVisitorsLeavePlacesToOthers(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		cs, id := te.conversations(), te.startConversation()
		cs.Hub.MaxFollowers = 5
		ref := te.account.ID.AgentRef(te.agent.ID).ConversationRef(id)
		for i := range 5 {
			f, err := cs.FollowAsVisitor(te.t.Context(), ref, nil)
			if i == 4 {
				check.WantCode(t, err, parley.CodeTooManyRequests)
				continue
			}
			check.Must(te.t, err)
			defer f.Close()
		}
		_, err := cs.TakeOver(te.t.Context(), ref, "kim", "", false)
		check.Must(te.t, err)
		f, err := cs.FollowAsVisitor(te.t.Context(), ref, nil)
		check.Must(te.t, err)
		f.Close()
	})
}

// TestVisitorsWhoLeftNothingAreDeleted checks who is deleted, in several batches, and that whoever stays is not looked
// at again before long.
func TestVisitorsWhoLeftNothingAreDeleted(t *testing.T) {
	forEachDatabase(t, func(te *testEngine) {
		cs, talks := te.conversations(), te.startConversation()
		ctx, begun := te.t.Context(), te.clock.Now()
		add := func(seen time.Time) parley.VisitorID {
			v := &parley.Visitor{ID: parley.VisitorID(parley.NewUUID()), AccountID: te.account.ID, AgentID: te.agent.ID,
				CreatedAt: seen, LastSeenAt: seen}
			check.Must(te.t, te.db.CreateVisitor(ctx, v))
			return v.ID
		}
		for range 450 {
			add(begun)
		}
		wrote := add(begun)
		_, err := te.db.SQL().Exec(ctx, `update conversations set visitor_id = ? where id = ?`, wrote, talks)
		check.Must(te.t, err)
		back := &parley.Visitor{ID: add(begun), AccountID: te.account.ID, AgentID: te.agent.ID}
		want := func(when string, n int) {
			te.t.Helper()
			check.Must(te.t, cs.Sweep(ctx))
			if got := dbs.CountRows(te.t, te.db.SQL(), `select count(*) from visitors`); got != n {
				te.t.Errorf("%s there are %d visitors, want %d", when, got, n)
			}
			if due := dbs.CountRows(te.t, te.db.SQL(), `select count(*) from visitors where check_at <= ?`,
				te.clock.Now().UnixMilli()); due != 0 {
				te.t.Errorf("%s %d are looked at again", when, due)
			}
		}
		want("at first", 452)
		te.clock.Advance(parley.VisitorRetention - time.Hour)
		check.Must(te.t, te.db.TouchVisitor(ctx, back, te.clock.Now()))
		want("before their time", 452)
		te.clock.Advance(2 * time.Hour)
		want("after it", 2)
		_, err = cs.Delete(ctx, te.account.ID.AgentRef(te.agent.ID), []parley.ConversationID{talks}, nil)
		check.Must(te.t, err)
		check.Must(te.t, cs.Erase(ctx, jobs.Job{Kind: chat.EraseJob, Key: string(te.agent.ID), AccountID: te.account.ID}))
		te.clock.Advance(parley.VisitorRetention + time.Hour)
		want("when nothing is left", 0)
	})
}
