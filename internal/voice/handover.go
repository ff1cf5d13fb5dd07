package voice

import (
	"context"
	"strings"
	"time"

	"parley"
	"parley/internal/model"
	"parley/internal/text/words"
)

// followConversation tells how the conversation stands whenever that changes.
func (t *dialog) followConversation(ctx context.Context) {
	defer t.work.Done()
	f, err := t.Conversations.Follow(ctx, t.session.AccountID, t.session.AgentID, t.session.ConversationID, nil)
	if err != nil {
		t.Logger.Warn("a voice session cannot follow its conversation", "session", t.session.ID, "err", err)
		return
	}
	defer f.Close()
	for {
		news, err := f.Next(ctx)
		if err != nil {
			return // it has ended, which was told, or the server stops
		}
		if news.Status == "" {
			continue
		}
		select {
		case t.statusChanges <- news.Status:
		case <-t.done:
			return
		}
	}
}

// handleStatus takes in how the conversation stands. When a person has taken over the agent says what it was to say, or that, and goes; when
// it has ended the talk is over.
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

// enforceHandoverTimeout ends what takes too long once a person has taken over: the answer that was being given, and then the goodbye.
func (t *dialog) enforceHandoverTimeout(now time.Time) {
	switch {
	case !t.isTakenOver || t.utterance == nil || now.Sub(t.takenOverAt) <= farewellTimeout || now.Sub(t.utterance.createdAt) <= farewellTimeout:
	case t.isHandingOver:
		t.end(parley.EndEscalated)
	default:
		t.interrupt(t.utterance)
	}
}

// handOver tells the customer that a person will go on, unless the agent has, and then ends the talk.
func (t *dialog) handOver() {
	t.storeForPerson(strings.Join(t.typedTexts, "\n"))
	t.typedTexts = nil
	if t.isHandingOver {
		t.end(parley.EndEscalated)
		return
	}
	t.isHandingOver = true
	t.announce(model.HandoverText(t.userLanguage()), true)
}

// userLanguage is the one that the customer speaks, as far as can be told from the last question.
func (t *dialog) userLanguage() words.Language {
	var list []words.Token
	for token := range words.Tokens(t.lastQuestion) {
		list = append(list, token)
	}
	language, _ := words.GuessLanguage(list)
	return language
}

// storeForPerson keeps what the customer says, when the agent does not answer any more, for the person who has taken over.
func (t *dialog) storeForPerson(text string) {
	if text == "" {
		return
	}
	t.work.Add(1)
	go func() {
		defer t.work.Done()
		ctx, stop := context.WithTimeout(context.WithoutCancel(t.ctx), storeTimeout)
		defer stop()
		_, err := t.Conversations.AddCustomerMessage(ctx, t.session.AccountID, t.session.AgentID, t.session.ConversationID, text)
		if err != nil && !parley.IsCode(err, parley.CodeNotTakenOver) {
			t.Logger.Warn("keep what the customer said", "session", t.session.ID, "err", err)
		}
	}()
}

// recheckConversation finds out how a conversation stands that gives no answer.
func (t *dialog) recheckConversation() {
	status, _, err := t.DB.StatusAndLastSeq(t.ctx, t.session.AccountID, t.session.AgentID, t.session.ConversationID)
	switch {
	case parley.IsCode(err, parley.CodeResourceNotFound):
		t.end(parley.EndOperator)
	case err != nil:
		t.Logger.Warn("how a conversation stands", "session", t.session.ID, "err", err)
	default:
		t.handleStatus(status)
	}
}
