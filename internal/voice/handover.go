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
func (d *dialog) followConversation(ctx context.Context) {
	f, err := d.Conversations.Follow(ctx, d.session.ConversationRef(), nil)
	if err != nil {
		d.Logger.Warn("a voice session cannot follow its conversation", "session", d.session.ID, "err", err)
		return
	}
	defer f.Close()
	for {
		news, err := f.Next(ctx)
		if err != nil {
			return // it has ended, which was sent, or the server stops
		}
		if news.Status != "" {
			send(d, d.statusChanges, news.Status)
		}
	}
}

// handleStatus handles a new status of the conversation. When a person has taken over, the agent finishes what it was
// saying, or says so, and leaves; when the conversation has ended, the dialog ends.
func (d *dialog) handleStatus(status parley.ConversationStatus) {
	switch status {
	case parley.ConversationEnded:
		d.end(parley.EndOperator)
	case parley.ConversationTakenOver:
		if !d.isTakenOver {
			d.isTakenOver, d.takenOverAt = true, d.Now()
		}
	case parley.ConversationOngoing:
	}
}

// enforceHandoverTimeout ends what takes too long once a person has taken over: the current answer, and then the
// farewell.
func (d *dialog) enforceHandoverTimeout(now time.Time) {
	switch {
	case !d.isTakenOver || d.utterance == nil || now.Sub(d.takenOverAt) <= farewellTimeout ||
		now.Sub(d.utterance.createdAt) <= farewellTimeout:
	case d.isHandingOver:
		d.end(parley.EndEscalated)
	default:
		d.interrupt(d.utterance)
	}
}

// handOver tells the customer that a person will continue, unless the agent has said so, and then ends the dialog.
func (d *dialog) handOver() {
	d.storeForPerson(strings.Join(d.typedTexts, "\n"))
	d.typedTexts = nil
	if d.isHandingOver {
		d.end(parley.EndEscalated)
		return
	}
	d.isHandingOver = true
	language, _ := words.GuessLanguage(slices.Collect(words.Tokens(d.lastQuestion)))
	d.announce(quote.HandoverText(language), true)
}

// storeForPerson stores what the customer says for the person who has taken over, when the agent does not answer any
// more.
func (d *dialog) storeForPerson(text string) {
	if text == "" {
		return
	}
	d.work.Go(func() {
		d.store("keep what the customer said", func(ctx context.Context) error {
			_, err := d.Conversations.AddCustomerMessage(ctx, d.session.ConversationRef(), text)
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
func (d *dialog) store(operation string, write func(ctx context.Context) error) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(d.ctx), storeTimeout)
	defer stop()
	if err := write(ctx); err != nil {
		d.Logger.Warn(operation, "session", d.session.ID, "err", err)
	}
}

// recheckConversation reads the status of a conversation in which a turn has failed, unless a person has taken over.
func (d *dialog) recheckConversation() {
	if d.isTakenOver {
		return
	}
	state, err := d.DB.ConversationHead(d.ctx, d.session.ConversationRef())
	switch {
	case parley.IsCode(err, parley.CodeResourceNotFound):
		d.end(parley.EndOperator)
	case err != nil:
		d.Logger.Warn("how a conversation stands", "session", d.session.ID, "err", err)
	default:
		d.handleStatus(state.Status)
	}
}
