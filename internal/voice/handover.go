package voice

import (
	"context"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/model/quote"
	"parley/internal/text/words"
)

// followConversation sends the status of the conversation whenever it changes.
func (t *dialog) followConversation(ctx context.Context) {
	f, err := t.Conversations.Follow(ctx, t.session.ConversationRef(), nil)
	if err != nil {
		t.Logger.Warn("a voice session cannot follow its conversation", "session", t.session.ID, "err", err)
		return
	}
	defer f.Close()
	for {
		news, err := f.Next(ctx)
		if err != nil {
			return // it has ended, which was sent, or the server stops
		}
		if news.Status != "" {
			send(t, t.statusChanges, news.Status)
		}
	}
}

// handleStatus handles a new status of the conversation. When a person has taken over, the agent finishes what it was
// saying, or says so, and leaves; when the conversation has ended, the dialog ends.
func (t *dialog) handleStatus(status parley.ConversationStatus) {
	switch status {
	case parley.ConversationEnded:
		t.end(parley.EndOperator)
	case parley.ConversationTakenOver:
		if !t.isTakenOver {
			t.isTakenOver, t.takenOverAt = true, t.Now()
		}
	case parley.ConversationOngoing:
	}
}

// enforceHandoverTimeout ends what takes too long once a person has taken over: the current answer, and then the
// farewell.
func (t *dialog) enforceHandoverTimeout(now time.Time) {
	switch {
	case !t.isTakenOver || t.utterance == nil || now.Sub(t.takenOverAt) <= farewellTimeout ||
		now.Sub(t.utterance.createdAt) <= farewellTimeout:
	case t.isHandingOver:
		t.end(parley.EndEscalated)
	default:
		t.interrupt(t.utterance)
	}
}

// handOver tells the customer that a person will continue, unless the agent has said so, and then ends the dialog.
func (t *dialog) handOver() {
	t.storeForPerson(strings.Join(t.typedTexts, "\n"))
	t.typedTexts = nil
	if t.isHandingOver {
		t.end(parley.EndEscalated)
		return
	}
	t.isHandingOver = true
	language, _ := words.GuessLanguage(slices.Collect(words.Tokens(t.lastQuestion)))
	t.announce(quote.HandoverText(language), true)
}

// storeForPerson stores what the customer says for the person who has taken over, when the agent does not answer any
// more.
func (t *dialog) storeForPerson(text string) {
	if text == "" {
		return
	}
	t.work.Go(func() {
		t.store("keep what the customer said", func(ctx context.Context) error {
			_, err := t.Conversations.AddCustomerMessage(ctx, t.session.ConversationRef(), text)
			if parley.IsCode(err, parley.CodeNotTakenOver) {
				return nil
			}
			return err
		})
	})
}

// storeTimeout limits the storing of a sentence.
const storeTimeout = 5 * time.Second

// store stores something even if the session has ended, and logs a failure.
func (t *dialog) store(what string, write func(ctx context.Context) error) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(t.ctx), storeTimeout)
	defer stop()
	if err := write(ctx); err != nil {
		t.Logger.Warn(what, "session", t.session.ID, "err", err)
	}
}

// recheckConversation reads the status of a conversation in which a turn has failed.
func (t *dialog) recheckConversation() {
	status, _, err := t.DB.StatusAndLastSeq(t.ctx, t.session.ConversationRef())
	switch {
	case parley.IsCode(err, parley.CodeResourceNotFound):
		t.end(parley.EndOperator)
	case err != nil:
		t.Logger.Warn("how a conversation stands", "session", t.session.ID, "err", err)
	default:
		t.handleStatus(status)
	}
}
