package chat_test

import (
	"errors"
	"sync"
	"testing"

	"parley"
	"parley/internal/chat"
	"parley/internal/model/scripted"
)

func (d *testEngine) retry(c parley.ConversationID, message parley.MessageID) (*chat.Turn, error) {
	return d.Start(d.t.Context(), d.account, d.plan, d.agent.ID,
		chat.Request{ConversationID: c, Retry: message, Channel: parley.ChannelAPI})
}

// wantTexts compares the conversation's messages, in order, by what they say.
func (d *testEngine) wantTexts(c parley.ConversationID, want ...string) {
	d.t.Helper()
	page, err := d.db.Messages(d.t.Context(), d.account.ID.AgentRef(d.agent.ID).ConversationRef(c),
		parley.PageRequest{Limit: 100})
	must(d.t, err)
	if len(page.Items) != len(want) || page.Total != len(want) {
		d.t.Fatalf("%d messages of %d, want %q", len(page.Items), page.Total, want)
	}
	for i, m := range page.Items {
		if m.Text() != want[i] {
			d.t.Errorf("message %d is %q, want %q", i, m.Text(), want[i])
		}
	}
	counted, err := d.db.Conversation(d.t.Context(), d.account.ID.AgentRef(d.agent.ID).ConversationRef(c))
	if must(d.t, err); counted.MessageCount != len(want) {
		d.t.Errorf("the conversation counts %d messages, want %d", counted.MessageCount, len(want))
	}
}

func TestRetryCutsTheConversation(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		first := d.start("one", "")
		d.finish(first)
		second := d.start("two", first.ConversationID)
		d.finish(second)
		d.model.AddScript(scripted.Text("better"), scripted.Stop())
		again, err := d.retry(first.ConversationID, first.MessageID)
		must(t, err)
		if f := d.finish(again); f.Credits != parley.Credit || again.UserMessageID != first.UserMessageID ||
			again.MessageID == first.MessageID {
			t.Errorf("retried %s as %s for %d credits", again.UserMessageID, again.MessageID, f.Credits)
		}
		d.wantTexts(first.ConversationID, "one", "better")
		if asked := d.model.Requests()[2].Messages; len(asked) != 1 || asked[0].Text != "one" {
			t.Errorf("the model was told %+v", asked)
		}
		for _, missing := range []parley.MessageID{first.MessageID, second.MessageID, second.UserMessageID,
			"msg_unheard_of"} {
			_, err = d.retry(first.ConversationID, missing)
			wantCode(t, err, parley.CodeRetryNotFound)
		}
		d.wantCredits(3*parley.Credit, 0)
	})
}

func TestRetryOfAFailedTurnNamesTheUsersMessage(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		d.model.AddScript(scripted.Step{Err: errors.New("no")})
		turn := d.start("one", "")
		_, err := turn.Wait(t.Context())
		wantCode(t, err, parley.CodeChatStreaming)
		again, err := d.retry(turn.ConversationID, turn.UserMessageID)
		must(t, err)
		d.finish(again)
		d.wantTexts(turn.ConversationID, "one", "one")
		again, err = d.retry(turn.ConversationID, turn.MessageID) // as a stream has named the answer that failed
		must(t, err)
		d.finish(again)
		d.wantTexts(turn.ConversationID, "one", "one")
	})
}

func TestAFailedRetryLeavesTheOldAnswer(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		turn := d.start("one", "")
		d.finish(turn)
		d.model.AddScript(scripted.Text("half"), scripted.Step{Err: errors.New("cut")})
		again, err := d.retry(turn.ConversationID, turn.MessageID)
		must(t, err)
		_, err = again.Wait(t.Context())
		wantCode(t, err, parley.CodeChatStreaming)
		d.wantTexts(turn.ConversationID, "one", "one")

		gate := scripted.NewBarrier()
		d.model.AddScript(scripted.Text("half"), scripted.Step{Barrier: gate}, scripted.Stop())
		again, err = d.retry(turn.ConversationID, turn.MessageID)
		must(t, err)
		<-gate.Reached()
		d.Stop(d.account.ID.AgentRef(d.agent.ID).ConversationRef(turn.ConversationID))
		_, err = again.Wait(t.Context())
		wantCode(t, err, parley.CodeChatStreaming)
		d.wantTexts(turn.ConversationID, "one", "one")
		d.wantNoOpenTurn()
	})
}

func TestRetryNeedsAUsersMessage(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		turn := d.start("one", "")
		d.finish(turn)
		_, err := d.db.SQL().Exec(t.Context(), `delete from messages where id = ?`, turn.UserMessageID)
		must(t, err)
		_, err = d.retry(turn.ConversationID, turn.MessageID)
		wantCode(t, err, parley.CodeRetryNoUser)
	})
}

func TestRetryOfAContinuedAnswerBeginsAtTheQuestion(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		turn := d.startClientCall()
		must(t, d.submitResult(turn, d.pendingCall(turn), `{"city":"Rome"}`))
		next, err := d.continueTurn(turn.ConversationID)
		must(t, err)
		d.finish(next)
		d.model.AddScript(scripted.Text("Somewhere."), scripted.Stop())
		again, err := d.retry(turn.ConversationID, next.MessageID)
		must(t, err)
		d.finish(again)
		d.wantTexts(turn.ConversationID, "Where am I?", "Somewhere.")
	})
}

func TestOfManyRetriesAtOnceOneCuts(t *testing.T) {
	forEachDatabase(t, func(d *testEngine) {
		turn := d.start("one", "")
		d.finish(turn)
		outcomes := make([]error, 8)
		var all sync.WaitGroup
		for i := range outcomes {
			all.Go(func() {
				again, err := d.retry(turn.ConversationID, turn.MessageID)
				if err == nil {
					_, err = again.Wait(t.Context())
				}
				outcomes[i] = err
			})
		}
		all.Wait()
		done := 0
		for _, err := range outcomes {
			if err == nil {
				done++
			} else {
				wantCode(t, err, parley.CodeRetryNotFound)
			}
		}
		if done != 1 {
			t.Errorf("%d of 8 retries of one message went through", done)
		}
		d.wantTexts(turn.ConversationID, "one", "one")
	})
}
