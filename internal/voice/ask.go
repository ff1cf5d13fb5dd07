package voice

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"parley"
	"parley/internal/chat"
)

// record is what becomes of a saying in the store. Its fields may be read by others once the channel named is closed.
type record struct {
	promised chan struct{} // the turn is promised, or failed to be
	turn     *chat.Turn    // nil for what the agent says of itself, and where it failed
	known    chan struct{} // the message is stored, or there is none
	message  parley.MessageID
	length   int           // of the message's text as it was said
	stored   chan struct{} // what was heard of it is stored too
	before   <-chan struct{}
}

var closed = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

func newRecord(before *saying) record {
	r := record{promised: make(chan struct{}), known: make(chan struct{}), stored: make(chan struct{}), before: closed}
	if before != nil {
		r.before = before.stored
	}
	return r
}

// news is what has happened in a turn.
type news struct {
	saying *saying
	events []chat.Event
	err    error // the turn could not be begun
	end    bool  // nothing more will come
}

func (t *talk) tell(n news) {
	select {
	case t.news <- n:
	case <-t.over:
	}
}

// ask has a question answered. Where the one before was not heard at all, both are one question.
func (t *talk) ask(text string, heard *segment) {
	question, instead := text, t.unheard
	if instead != nil {
		question = strings.TrimSpace(instead.question + " " + text)
	}
	t.unheard = nil
	s := t.newSaying(question)
	s.timing.heard(heard, t.Now())
	now := t.Now()
	req := chat.Request{Message: question, ConversationID: t.live.ConversationID, Channel: t.channel, Spoken: &chat.Spoken{At: now.In(t.zone), Paid: t.live.Price > 0},
		Model: t.set.Model, Temperature: &t.set.Temperature}
	t.work.Add(1)
	go t.converse(s, req, instead)
}

// converse follows a turn from its promise to its end.
func (t *talk) converse(s *saying, req chat.Request, instead *saying) {
	defer t.work.Done()
	defer close(s.known)
	<-s.before
	if instead != nil && instead.turn != nil {
		req.Instead = instead.turn.UserMessageID
	}
	turn, err := t.Engine.Start(t.ctx, t.live.Account(), t.live.Plan, t.live.AgentID, req)
	if err == nil {
		s.turn = turn
	}
	close(s.promised)
	if err != nil {
		t.tell(news{saying: s, err: err, end: true})
		return
	}
	r := turn.Reader()
	defer r.Close()
	for {
		events, err := r.Next(context.Background()) // a turn comes to an end, whatever happens to the session
		if errors.Is(err, io.EOF) {
			t.tell(news{saying: s, end: true})
			return
		}
		for _, e := range events {
			if e.Kind == chat.Finished && e.Finish.Message != nil {
				s.message, s.length = e.Finish.Message.ID, len(e.Finish.Message.Text())
			}
		}
		t.tell(news{saying: s, events: events})
	}
}

// learn takes in what a turn has done.
func (t *talk) learn(n news) {
	s := n.saying
	if s != t.said {
		return
	}
	if n.err != nil {
		s.failed = parley.Because(parley.CodeChatStreaming, n.err)
		var e *parley.Error
		if errors.As(n.err, &e) {
			s.failed = e
		}
	}
	for _, e := range n.events {
		switch e.Kind {
		case chat.Text:
			s.timing.at(&s.timing.token, t.Now())
			s.text += e.Text
		case chat.Failed:
			s.failed = e.Err
		case chat.Stepped:
			s.steps = append(s.steps, len(s.text))
		case chat.Returned:
			t.goodbye = t.goodbye || e.Call.Kind == parley.ActionEscalate && e.Call.Status == parley.ToolSuccess
		case chat.Called, chat.Finished:
		}
	}
	s.whole = s.whole || n.end
}

// failedAt decides what to do about a turn that failed: some failures end the talk, the others are spoken.
func (t *talk) failedAt(s *saying) {
	code := s.failed.Code
	switch code {
	case parley.CodeCreditsExhausted, parley.CodeAgentCredits:
		t.end(parley.EndCredits)
	case parley.CodeUnderMaintenance:
		t.end(parley.EndServerStopped)
	case parley.CodeConversationGone, parley.CodeAgentNotFound:
		t.end(parley.EndOperator)
	case parley.CodeNotOngoing:
		t.pass(s.question)
		if !t.person {
			t.recheck()
		}
	default:
		if !t.person {
			t.recheck() // a person who takes over ends the answer too
		}
		if t.person || t.ending != "" {
			return
		}
		t.Logger.Warn("an answer failed", "session", t.live.ID, "code", code)
		t.fault("The answer failed.")
		if strings.TrimSpace(s.text) == "" {
			t.apologise()
		}
	}
}

// pass keeps what the customer says, when the agent does not answer any more, for the person who has taken over.
func (t *talk) pass(text string) {
	if text == "" {
		return
	}
	t.work.Add(1)
	go func() {
		defer t.work.Done()
		ctx, stop := context.WithTimeout(context.WithoutCancel(t.ctx), storeTime)
		defer stop()
		_, err := t.Clerk.CustomerWrites(ctx, t.live.AccountID, t.live.AgentID, t.live.ConversationID, text)
		if err != nil && !parley.IsCode(err, parley.CodeNotTakenOver) {
			t.Logger.Warn("keep what the customer said", "session", t.live.ID, "err", err)
		}
	}()
}

// recheck finds out how a conversation stands that gives no answer.
func (t *talk) recheck() {
	status, _, err := t.DB.Pulse(t.ctx, t.live.AccountID, t.live.AgentID, t.live.ConversationID)
	switch {
	case parley.IsCode(err, parley.CodeResourceNotFound):
		t.end(parley.EndOperator)
	case err != nil:
		t.Logger.Warn("how a conversation stands", "session", t.live.ID, "err", err)
	default:
		t.moved(status)
	}
}

// sorry is the error message of an agent that has none.
const sorry = "Sorry, something went wrong. Please try that again."

func (t *talk) apologise() {
	t.announce(orDefault(strings.TrimSpace(t.set.ErrorMessage), sorry), false)
}

// announce says what nobody has asked for, and keeps it in the conversation if it is to be kept.
func (t *talk) announce(text string, keep bool) {
	s := t.newSaying("")
	s.text, s.whole = text, true
	close(s.promised)
	if !keep {
		close(s.known)
		return
	}
	t.work.Add(1)
	go func() {
		defer t.work.Done()
		defer close(s.known)
		<-s.before
		ctx, stop := context.WithTimeout(context.WithoutCancel(t.ctx), storeTime)
		defer stop()
		m, err := t.Clerk.Says(ctx, t.live.AccountID, t.live.AgentID, t.live.ConversationID, text)
		if err != nil {
			t.Logger.Warn("keep what the agent said", "session", t.live.ID, "err", err)
			return
		}
		s.message, s.length = m.ID, len(text)
	}()
}

// storeTime is how long the store may take for a sentence.
const storeTime = 5 * time.Second

// causeOf is why a turn is cut short.
func causeOf(heard int) error {
	if heard == 0 {
		return chat.ErrWentOn
	}
	return chat.ErrTalkedOver
}

// settle keeps what was heard of a saying, when all that belongs to it is stored. The next turn waits for it.
func (t *talk) settle(s *saying, heard int, cause error) {
	t.work.Add(1)
	go func() {
		defer t.work.Done()
		defer close(s.stored)
		<-s.before
		<-s.promised
		if s.turn != nil && cause != nil {
			s.turn.Cancel(cause)
		}
		<-s.known
		if cause == nil || s.message == "" || heard >= s.length {
			return
		}
		ctx, stop := context.WithTimeout(context.WithoutCancel(t.ctx), storeTime)
		defer stop()
		if err := t.Clerk.Heard(ctx, t.live.AccountID, t.live.AgentID, t.live.ConversationID, s.message, heard, s.length); err != nil {
			t.Logger.Warn("keep what was heard", "session", t.live.ID, "err", err)
		}
	}()
}
