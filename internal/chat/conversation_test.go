package chat_test

import (
	"fmt"
	"io"
	"log/slog"
	"slices"
	"testing"
	"time"

	"parley"
	"parley/internal/chat"
	"parley/internal/jobs"
	"parley/internal/model/scripted"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// conversations returns Conversations on the engine's database.
func (d *testEngine) conversations() *chat.Conversations {
	return &chat.Conversations{DB: d.db, Queue: &jobs.Queue{Now: d.clock.now}, Hub: &chat.Hub{}, Now: d.clock.now,
		Logger: slog.New(slog.DiscardHandler), StopTurn: d.Stop}
}

// startConversation is one with a question and an answer.
func (d *testEngine) startConversation() parley.ConversationID {
	d.t.Helper()
	d.model.AddScript(scripted.Text("Good morning."), scripted.Stop())
	turn := d.start("Hello", "")
	d.finish(turn)
	return turn.ConversationID
}

// events lists the kinds of events of a conversation that begin with its word.
func (d *testEngine) events(id parley.ConversationID) (list []string) {
	d.t.Helper()
	list, err := sqldb.All(d.t.Context(), d.db.SQL(), sqldb.Column[string],
		`select kind from events where conversation_id = ? and (kind like 'conversation.%' or kind like 'message.f%')
		order by seq`, id)
	must(d.t, err)
	return list
}

func TestStepsOfAConversation(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		k := d.conversations()
		ctx, account, agent := d.t.Context(), d.account.ID, d.agent.ID
		steps := map[string]func(id parley.ConversationID) (*parley.Conversation, error){
			"pause": func(id parley.ConversationID) (*parley.Conversation, error) {
				return k.Pause(ctx, account.AgentRef(agent).ConversationRef(id), true)
			},
			"resume": func(id parley.ConversationID) (*parley.Conversation, error) {
				return k.Pause(ctx, account.AgentRef(agent).ConversationRef(id), false)
			},
			"take": func(id parley.ConversationID) (*parley.Conversation, error) {
				return k.TakeOver(ctx, account.AgentRef(agent).ConversationRef(id), "kim", "asked for", false)
			},
			"back": func(id parley.ConversationID) (*parley.Conversation, error) {
				return k.HandBack(ctx, account.AgentRef(agent).ConversationRef(id), "kim")
			},
			"end": func(id parley.ConversationID) (*parley.Conversation, error) {
				return k.End(ctx, account.AgentRef(agent).ConversationRef(id), "kim")
			},
		}
		const refused, free = parley.CodeNotOngoing, parley.CodeNotTakenOver
		for _, c := range []struct {
			before []string
			step   string
			code   parley.Code
			status parley.ConversationStatus
			paused bool
			event  string // of the step; empty when nothing changed
		}{
			{nil, "pause", "", parley.ConversationOngoing, true, "conversation.paused"},
			{nil, "resume", "", parley.ConversationOngoing, false, ""},
			{nil, "take", "", parley.ConversationTakenOver, false, "conversation.taken_over"},
			{nil, "back", free, "", false, ""},
			{nil, "end", "", parley.ConversationEnded, false, "conversation.ended"},
			{[]string{"pause"}, "pause", "", parley.ConversationOngoing, true, ""},
			{[]string{"pause"}, "resume", "", parley.ConversationOngoing, false, "conversation.resumed"},
			{[]string{"pause"}, "take", "", parley.ConversationTakenOver, true, "conversation.taken_over"},
			{[]string{"pause"}, "end", "", parley.ConversationEnded, false, "conversation.ended"},
			{[]string{"take"}, "pause", refused, "", false, ""},
			{[]string{"take"}, "take", "", parley.ConversationTakenOver, false, ""},
			{[]string{"take"}, "back", "", parley.ConversationOngoing, false, "conversation.handed_back"},
			{[]string{"take"}, "end", "", parley.ConversationEnded, false, "conversation.ended"},
			{[]string{"end"}, "pause", refused, "", false, ""},
			{[]string{"end"}, "take", refused, "", false, ""},
			{[]string{"end"}, "back", free, "", false, ""},
			{[]string{"end"}, "end", refused, "", false, ""},
		} {
			id := d.startConversation()
			for _, s := range c.before {
				_, err := steps[s](id)
				must(t, err)
			}
			was := d.events(id)
			got, err := steps[c.step](id)
			if c.code != "" {
				wantCode(t, err, c.code)
			} else if must(d.t, err); got.Status != c.status || got.Paused != c.paused {
				d.t.Errorf("%s after %v: %s, paused %v", c.step, c.before, got.Status, got.Paused)
			}
			stored, err := d.db.Conversation(ctx, account.AgentRef(agent).ConversationRef(id))
			if must(d.t, err); c.code == "" && (stored.Status != c.status || stored.Paused != c.paused) {
				d.t.Errorf("%s after %v is stored as %s, paused %v", c.step, c.before, stored.Status, stored.Paused)
			}
			var by string
			must(d.t, d.db.SQL().QueryRow(ctx,
				`select coalesce(ended_by || ' at ' || ended_at, '') from conversations where id = ?`, id).Scan(&by))
			if want := fmt.Sprint("kim at ", d.clock.now().
				UnixMilli()); (stored.Status == parley.ConversationEnded) != (by == want) || by != "" && by != want {
				d.t.Errorf("%s after %v: ended by %q", c.step, c.before, by)
			}
			want := slices.Clone(was)
			if c.event != "" {
				want = append(want, c.event)
			}
			if now := d.events(id); !slices.Equal(now, want) {
				d.t.Errorf("%s after %v: events %v, want %v", c.step, c.before, now, want)
			}
		}
		for name, step := range steps {
			_, err := step("01900000-0000-7000-8000-000000000000")
			if !parley.IsCode(err, parley.CodeResourceNotFound) {
				d.t.Errorf("%s of nothing: %v", name, err)
			}
		}
	})
}

func TestTakeOverCutsTheAnswerShort(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		for _, going := range []bool{false, true} {
			k, gate := d.conversations(), scripted.NewBarrier()
			d.model.AddScript(scripted.Text("half "), scripted.Step{Barrier: gate}, scripted.Text("whole"), scripted.Stop())
			turn := d.start("Hello", "")
			<-gate.Reached()
			_, err := k.TakeOver(d.t.Context(), d.account.ID.AgentRef(d.agent.ID).ConversationRef(turn.ConversationID),
				"kim", "", going)
			must(d.t, err)
			want := "assistant interrupted: half "
			if going {
				gate.Release()
				want = "assistant complete: half whole"
			}
			<-turn.Done()
			gate.Release()
			d.wantHistory(turn.ConversationID, "user complete: Hello", want)
			_, err = d.tryStart("Are you there?", turn.ConversationID)
			wantCode(t, err, parley.CodeNotOngoing)
		}
	})
}

func TestPeopleTalkWhileItIsTakenOver(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		k, id := d.conversations(), d.startConversation()
		ctx, account, agent := d.t.Context(), d.account.ID, d.agent.ID
		_, err := k.AddCustomerMessage(ctx, account.AgentRef(agent).ConversationRef(id), "Anybody?")
		wantCode(t, err, parley.CodeNotTakenOver)
		_, err = k.TakeOver(ctx, account.AgentRef(agent).ConversationRef(id), "kim", "", false)
		must(d.t, err)
		asked, err := k.AddCustomerMessage(ctx, account.AgentRef(agent).ConversationRef(id), "Anybody?")
		must(d.t, err)
		reply, err := k.AddHumanReply(ctx, account.AgentRef(agent).ConversationRef(id), "kims-id", "Here I am.")
		must(d.t, err)
		_, err = k.AddHumanReply(ctx, account.AgentRef(agent).ConversationRef(id), "kims-id", " \n")
		wantCode(t, err, parley.CodeInvalidBody)
		stored, err := d.db.Message(ctx, account.AgentRef(agent).ConversationRef(id), reply.ID)
		if must(d.t, err); asked.Seq != 3 || stored.Seq != 4 || stored.Author != parley.AuthorHuman ||
			stored.AuthorID != "kims-id" || stored.Role() != "assistant" {
			d.t.Errorf("%+v", stored)
		}
		_, err = k.HandBack(ctx, account.AgentRef(agent).ConversationRef(id), "kim")
		must(d.t, err)
		_, err = k.AddHumanReply(ctx, account.AgentRef(agent).ConversationRef(id), "kims-id", "One more thing.")
		wantCode(t, err, parley.CodeNotTakenOver)
		d.model.AddScript(scripted.Text("Again me."), scripted.Stop())
		d.finish(d.start("Thanks", id))
		d.wantHistory(id, "user complete: Hello", "assistant complete: Good morning.", "user complete: Anybody?",
			"human complete: Here I am.",
			"user complete: Thanks", "assistant complete: Again me.")
	})
}

func TestPeoplesWordsAreMaskedToo(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		k, id := d.conversations(), d.startConversation()
		ctx, account, agent := d.t.Context(), d.account.ID, d.agent.ID
		must(d.t, d.db.UpdateAgent(ctx, account.AgentRef(agent), func(a *parley.Agent) error { a.Redact = true; return nil }))
		_, err := k.TakeOver(ctx, account.AgentRef(agent).ConversationRef(id), "kim", "", false)
		must(d.t, err)
		_, err = k.AddCustomerMessage(ctx, account.AgentRef(agent).ConversationRef(id), "Write to jo@example.com.")
		must(d.t, err)
		d.wantHistory(id, "user complete: Hello", "assistant complete: Good morning.", "user complete: Write to [email].")
	})
}

func TestRatings(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		k, id := d.conversations(), d.startConversation()
		ctx, account, agent := d.t.Context(), d.account.ID, d.agent.ID
		page, err := d.db.Messages(ctx, account.AgentRef(agent).ConversationRef(id), parley.PageRequest{Limit: 2})
		must(d.t, err)
		question, answer := page.Items[0].ID, page.Items[1].ID
		for _, rating := range []string{parley.RatingPositive, parley.RatingPositive, parley.RatingNegative, ""} {
			m, err := k.Rate(ctx, account.AgentRef(agent).ConversationRef(id), answer, rating)
			must(d.t, err)
			stored, err := d.db.Message(ctx, account.AgentRef(agent).ConversationRef(id), answer)
			if must(d.t, err); m.Feedback != rating || stored.Feedback != rating {
				d.t.Errorf("%q is given as %q and stored as %q", rating, m.Feedback, stored.Feedback)
			}
		}
		if got := d.events(id); !slices.Equal(got,
			[]string{"conversation.created", "message.feedback", "message.feedback", "message.feedback"}) {
			d.t.Error(got)
		}
		_, err = k.Rate(ctx, account.AgentRef(agent).ConversationRef(id), question, parley.RatingPositive)
		wantCode(t, err, parley.CodeNotAssistant)
		_, err = k.Rate(ctx, account.AgentRef(agent).ConversationRef(id), "nothing", parley.RatingPositive)
		wantCode(t, err, parley.CodeMessageNotFound)
		_, err = k.Rate(ctx, account.AgentRef(agent).ConversationRef(d.startConversation()), answer, parley.RatingPositive)
		wantCode(t, err, parley.CodeMessageNotFound)
		_, err = k.Rate(ctx, parley.ConversationRef{AgentRef: parley.AgentRef{Account: "another", Agent: agent},
			Conversation: id}, answer, parley.RatingPositive)
		wantCode(t, err, parley.CodeResourceNotFound)
	})
}

func TestDeletedConversationStaysDeleted(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		k, gate := d.conversations(), scripted.NewBarrier()
		ctx, account, agent := d.t.Context(), d.account.ID, d.agent.ID
		other := d.startConversation()
		d.model.AddScript(scripted.Text("half "), scripted.Step{Barrier: gate}, scripted.Text("whole"), scripted.Stop())
		turn := d.start("Hello", "")
		<-gate.Reached()
		n, err := k.Delete(ctx, account.AgentRef(agent), []parley.ConversationID{turn.ConversationID, "nothing"}, nil)
		if must(d.t, err); n != 1 {
			d.t.Error("deleted", n)
		}
		<-turn.Done()
		gate.Release()
		_, err = d.tryStart("Are you there?", turn.ConversationID)
		wantCode(t, err, parley.CodeConversationNotFound)
		must(d.t, k.Erase(ctx, jobs.Job{Kind: chat.EraseJob, Key: string(agent), AccountID: account}))
		for _, table := range []string{"messages", "turns", "events", "tool_calls"} {
			left, err := sqldb.One(ctx, d.db.SQL(), sqldb.Column[int],
				`select count(*) from `+table+` where conversation_id = ?`, turn.ConversationID)
			if must(d.t, err); left != 0 {
				d.t.Error(left, "rows left in", table)
			}
		}
		d.wantNoOpenTurn()
		d.wantCredits(parley.Credit, 0) // of the conversation that was kept
		d.wantHistory(other, "user complete: Hello", "assistant complete: Good morning.")
		a, err := d.db.Agent(ctx, account.AgentRef(agent), d.clock.now())
		if must(d.t, err); a.Conversations != 1 || a.APIConversations != 1 {
			d.t.Errorf("the agent counts %d, %d", a.Conversations, a.APIConversations)
		}
	})
}

func TestAgentsKeepConversationsAsLongAsTheyAreTold(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		k := d.conversations()
		ctx, account, agent := d.t.Context(), d.account.ID, d.agent.ID
		old := d.startConversation()
		revived := d.startConversation()
		d.clock.advance(20 * 24 * time.Hour)
		d.model.AddScript(scripted.Text("Still here."), scripted.Stop())
		d.finish(d.start("And now?", revived))
		d.clock.advance(11 * 24 * time.Hour)
		must(d.t, k.Sweep(ctx))
		if n, err := d.db.CountConversations(ctx, account.AgentRef(agent), store.ConversationFilter{}); err != nil || n != 2 {
			d.t.Error("kept without a limit:", n, err)
		}
		for _, days := range []int64{31, 30} {
			must(d.t, d.db.UpdateAgent(ctx, account.AgentRef(agent), func(a *parley.Agent) error {
				a.RetentionDays = &days
				return nil
			}))
			must(d.t, k.Sweep(ctx))
			_, err := d.db.Conversation(ctx, account.AgentRef(agent).ConversationRef(old))
			if isDeleted := parley.IsCode(err, parley.CodeResourceNotFound); isDeleted != (days == 30) {
				d.t.Errorf("after 31 days, kept for %d: %v", days, err)
			}
		}
		_, err := d.db.Conversation(ctx, account.AgentRef(agent).ConversationRef(revived))
		must(d.t, err)
		huge := int64(2_000_000_000)
		must(d.t, d.db.UpdateAgent(ctx, account.AgentRef(agent), func(a *parley.Agent) error {
			a.RetentionDays = &huge
			return nil
		}))
		must(d.t, k.Sweep(ctx))
		_, err = d.db.Conversation(ctx, account.AgentRef(agent).ConversationRef(revived))
		must(d.t, err)
	})
}

func TestFollowing(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		k, id := d.conversations(), d.startConversation()
		ctx, account, agent := d.t.Context(), d.account.ID, d.agent.ID
		from := func(seq int64) *chat.Follower {
			d.t.Helper()
			f, err := k.Follow(ctx, account.AgentRef(agent).ConversationRef(id), &seq)
			must(d.t, err)
			d.t.Cleanup(f.Close)
			return f
		}
		fresh, err := k.Follow(ctx, account.AgentRef(agent).ConversationRef(id), nil)
		must(d.t, err)
		defer fresh.Close()
		late := from(1)
		wantUpdates(d.t, fresh, "ongoing")
		wantUpdates(d.t, late, "ongoing", "2")
		_, err = k.TakeOver(ctx, account.AgentRef(agent).ConversationRef(id), "kim", "", false)
		must(d.t, err)
		wantUpdates(d.t, fresh, "taken_over")
		_, err = k.AddCustomerMessage(ctx, account.AgentRef(agent).ConversationRef(id), "Anybody?")
		must(d.t, err)
		wantUpdates(d.t, fresh, "3")
		wantUpdates(d.t, late, "taken_over", "3")
		_, err = k.End(ctx, account.AgentRef(agent).ConversationRef(id), "kim")
		must(d.t, err)
		wantUpdates(d.t, fresh, "ended", "EOF")
		wantUpdates(d.t, from(2), "3", "ended", "EOF")
		wantUpdates(d.t, from(99), "ended", "EOF")
		_, err = k.Follow(ctx, account.AgentRef(agent).ConversationRef("nothing"), nil)
		wantCode(t, err, parley.CodeResourceNotFound)
		_, err = k.Follow(ctx,
			parley.ConversationRef{AgentRef: parley.AgentRef{Account: "another", Agent: agent}, Conversation: id}, nil)
		wantCode(t, err, parley.CodeResourceNotFound)
	})
}

// wantUpdates asserts the next news: a status, the number of a message, or the end.
func wantUpdates(t *testing.T, f *chat.Follower, want ...string) {
	t.Helper()
	for _, w := range want {
		news, err := f.Next(t.Context())
		got := string(news.Status)
		if err == io.EOF {
			got = "EOF"
		} else if must(t, err); len(news.Messages) > 0 {
			got = fmt.Sprint(news.Messages[0].Seq)
		}
		if got != w {
			t.Errorf("news %q, want %q", got, w)
		}
	}
}

func TestFollowersAreBoundedAndLeave(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		k, id := d.conversations(), d.startConversation()
		k.Hub.MaxFollowers = 2
		var list []*chat.Follower
		for range 2 {
			f, err := k.Follow(d.t.Context(), d.account.ID.AgentRef(d.agent.ID).ConversationRef(id), nil)
			must(d.t, err)
			list = append(list, f)
		}
		_, err := k.Follow(d.t.Context(), d.account.ID.AgentRef(d.agent.ID).ConversationRef(id), nil)
		wantCode(t, err, parley.CodeTooManyRequests)
		list[0].Close()
		list[0].Close()
		again, err := k.Follow(d.t.Context(), d.account.ID.AgentRef(d.agent.ID).ConversationRef(id), nil)
		must(d.t, err)
		for range 100 {
			k.Hub.Wake(id) // nobody looks, and nothing waits for them
		}
		wantUpdates(d.t, again, "ongoing")
		k.Hub.Close()
		wantUpdates(d.t, again, "EOF")
		_, err = k.Follow(d.t.Context(), d.account.ID.AgentRef(d.agent.ID).ConversationRef(id), nil)
		wantCode(t, err, parley.CodeUnderMaintenance)
		again.Close()
		list[1].Close()
	})
}
