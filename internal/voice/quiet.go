package voice

import (
	"context"
	"strings"
	"time"

	"parley"
	"parley/internal/model/quote"
	"parley/internal/text/words"
)

// handleTick looks at the clock: the greeting of those without a microphone, silence, and a farewell that takes too long.
func (t *dialog) handleTick(now time.Time) {
	passed := now.Sub(t.lastTick)
	t.lastTick = now
	t.writeRecording(now)
	if t.joinedAt.IsZero() {
		return
	}
	if !t.hasGreeted && now.Sub(t.joinedAt) >= greetingDelay {
		t.greet()
	}
	t.enforceHandoverTimeout(now)
	if at := t.room.LastMedia(); at.After(t.lastMediaAt) {
		t.lastMediaAt = at
		t.session.MarkSeen()
	}
	if gap := now.Sub(t.lastAudioAt); gap > microphoneGap && !t.lastAudioAt.IsZero() && len(t.room.Audio()) == 0 { // else it is we who are late
		t.feedSilence(gap)
		t.lastAudioAt = now
	}
	t.addSilence(passed)
}

// addSilence adds up how long nobody has said anything. What the agent does is no silence, and neither is a muted microphone: while it
// lasts the time stands still. It does so too while somebody seems to speak, until that is known.
func (t *dialog) addSilence(passed time.Duration) {
	switch {
	case t.utterance != nil:
		t.silentFor, t.uncertainSound = 0, 0
	case len(t.segments) > 0:
		t.uncertainSound += passed
	case !t.isMuted:
		t.silentFor += passed
	}
	if limit := t.settings.Silence(); limit > 0 && t.silentFor >= limit {
		t.end(parley.EndSilence)
	}
}

// addRejectedSound adds to the silence what was taken for speech and was none: what was said and has an answer is not there any more.
func (t *dialog) addRejectedSound() {
	if len(t.segments) == 0 {
		t.silentFor, t.uncertainSound = t.silentFor+t.uncertainSound, 0
	}
}

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
	case t.saidGoodbye:
		t.end(parley.EndEscalated)
	default:
		t.interrupt(t.utterance)
	}
}

// handOver tells the customer that a person will go on, unless the agent has, and then ends the talk.
func (t *dialog) handOver() {
	t.storeForPerson(strings.Join(t.typedTexts, "\n"))
	t.typedTexts = nil
	if t.saidGoodbye {
		t.end(parley.EndEscalated)
		return
	}
	t.saidGoodbye = true
	t.announce(quote.HandoverText(t.userLanguage()), true)
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
