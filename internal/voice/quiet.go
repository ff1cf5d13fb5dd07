package voice

import (
	"context"
	"strings"
	"time"

	"parley"
	"parley/internal/llm"
	"parley/internal/words"
)

// tick looks at the clock: the greeting of those without a microphone, silence, and a farewell that takes too long.
func (t *talk) tick(now time.Time) {
	passed := now.Sub(t.last)
	t.last = now
	t.write(now)
	if t.joined.IsZero() {
		return
	}
	if !t.greeted && now.Sub(t.joined) >= settleTime {
		t.greet()
	}
	t.hurry(now)
	if at := t.room.LastMedia(); at.After(t.media) {
		t.media = at
		t.live.Seen()
	}
	if gap := now.Sub(t.heardAt); gap > microphoneGap && !t.heardAt.IsZero() && len(t.room.Audio()) == 0 { // else it is we who are late
		t.hush(gap)
		t.heardAt = now
	}
	t.silence(passed)
}

// silence adds up how long nobody has said anything. What the agent does is no silence, and neither is a muted microphone: while it
// lasts the time stands still. It does so too while somebody seems to speak, until that is known.
func (t *talk) silence(passed time.Duration) {
	switch {
	case t.said != nil:
		t.quiet, t.maybe = 0, 0
	case len(t.segments) > 0:
		t.maybe += passed
	case !t.muted:
		t.quiet += passed
	}
	if limit := t.set.Silence(); limit > 0 && t.quiet >= limit {
		t.end(parley.EndSilence)
	}
}

// judged adds to the silence what was taken for speech and was none: what was said and has an answer is not there any more.
func (t *talk) judged() {
	if len(t.segments) == 0 {
		t.quiet, t.maybe = t.quiet+t.maybe, 0
	}
}

// follow tells how the conversation stands whenever that changes.
func (t *talk) follow(ctx context.Context) {
	defer t.work.Done()
	f, err := t.Clerk.Follow(ctx, t.live.AccountID, t.live.AgentID, t.live.ConversationID, nil)
	if err != nil {
		t.Logger.Warn("a voice session cannot follow its conversation", "session", t.live.ID, "err", err)
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
		case t.watch <- news.Status:
		case <-t.over:
			return
		}
	}
}

// moved takes in how the conversation stands. When a person has taken over the agent says what it was to say, or that, and goes; when
// it has ended the talk is over.
func (t *talk) moved(status parley.ConversationStatus) {
	switch status {
	case parley.Ended:
		t.end(parley.EndOperator)
	case parley.TakenOver:
		if !t.person {
			t.person, t.taken = true, t.Now()
		}
	case parley.Ongoing:
	}
}

// hurry ends what takes too long once a person has taken over: the answer that was being given, and then the goodbye.
func (t *talk) hurry(now time.Time) {
	switch {
	case !t.person || t.said == nil || now.Sub(t.taken) <= farewell || now.Sub(t.said.made) <= farewell:
	case t.goodbye:
		t.end(parley.EndEscalated)
	default:
		t.interrupt(t.said)
	}
}

// handOver tells the customer that a person will go on, unless the agent has, and then ends the talk.
func (t *talk) handOver() {
	t.pass(strings.Join(t.typed, "\n"))
	t.typed = nil
	if t.goodbye {
		t.end(parley.EndEscalated)
		return
	}
	t.goodbye = true
	t.announce(llm.HandedOver(t.language()), true)
}

// language is the one that the customer speaks, as far as can be told from the last question.
func (t *talk) language() words.Language {
	var list []words.Token
	for token := range words.Tokens(t.asked) {
		list = append(list, token)
	}
	language, _ := words.Guess(list)
	return language
}
