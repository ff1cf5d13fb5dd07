package voice

import (
	"cmp"
	"context"
	"errors"
	"io"
	"strings"

	"parley"
	"parley/internal/chat"
)

// storeProgress is how far an utterance has been stored. Its fields may be read by other goroutines once the channel
// before them is closed.
type storeProgress struct {
	turnStarted     chan struct{} // closed when the turn has started, or has failed to
	turn            *chat.Turn    // nil for what the agent says unasked, and if it failed
	messageStored   chan struct{} // closed when the message is stored, or there is none
	messageID       parley.MessageID
	messageLength   int           // length of the message's text as it was generated
	heardTextStored chan struct{} // closed when it is also stored how much of it was heard
	previousStored  <-chan struct{}
}

var closedChan = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

func newStoreProgress(before *utterance) storeProgress {
	r := storeProgress{turnStarted: make(chan struct{}), messageStored: make(chan struct{}),
		heardTextStored: make(chan struct{}), previousStored: closedChan}
	if before != nil {
		r.previousStored = before.heardTextStored
	}
	return r
}

// turnUpdate is what has happened in a chat turn.
type turnUpdate struct {
	utterance *utterance
	events    []chat.Event
	err       error // the turn could not be started
	isLast    bool  // no update follows
}

// send sends a value to the dialog's goroutine, unless that has ended.
func send[T any](t *dialog, to chan<- T, v T) {
	select {
	case to <- v:
	case <-t.done:
	}
}

// answerQuestion starts the answer to a question. If the previous answer was not heard at all, both questions become
// one.
func (d *dialog) answerQuestion(text string, spoken *segment) {
	question, replaced := text, d.unheardUtterance
	if replaced != nil {
		question = strings.TrimSpace(replaced.question + " " + text)
	}
	d.unheardUtterance = nil
	s, now := d.newUtterance(question), d.Now()
	s.timing.markQuestion(spoken, now)
	req := chat.Request{Message: question, ConversationID: d.session.ConversationID, Channel: d.channel,
		Voice: &chat.VoiceContext{LocalTime: now.In(d.location), Prepaid: d.session.PricePerMinute > 0},
		Model: d.settings.Model, Temperature: &d.settings.Temperature}
	if !req.Voice.Prepaid {
		req.VisitorID = d.session.VisitorID // whose limits then bound the answers
	}
	d.work.Go(func() { d.runTurn(s, req, replaced) })
}

func (d *dialog) runTurn(s *utterance, req chat.Request, previous *utterance) {
	defer close(s.messageStored)
	<-s.previousStored
	if previous != nil && previous.turn != nil {
		req.ReplaceMessageID = previous.turn.UserMessageID
	}
	turn, err := d.Engine.Start(d.ctx, d.session.Caller, d.session.AgentID, req)
	if err == nil {
		s.turn = turn
	}
	close(s.turnStarted)
	if err != nil {
		send(d, d.turnUpdates, turnUpdate{utterance: s, err: err, isLast: true})
		return
	}
	r := turn.Reader()
	defer r.Close()
	for {
		events, err := r.Next(context.Background()) // a turn ends by itself, whatever happens to the session
		if errors.Is(err, io.EOF) {
			send(d, d.turnUpdates, turnUpdate{utterance: s, isLast: true})
			return
		}
		for _, e := range events {
			if e.Kind == chat.Finished && e.Finish.Message != nil {
				s.messageID, s.messageLength = e.Finish.Message.ID, len(e.Finish.Message.Text())
			}
		}
		send(d, d.turnUpdates, turnUpdate{utterance: s, events: events})
	}
}

// handleTurnUpdate handles an update of the current utterance's turn.
func (d *dialog) handleTurnUpdate(n turnUpdate) {
	s := n.utterance
	if s != d.utterance {
		return
	}
	if n.err != nil && !errors.As(n.err, &s.failure) {
		s.failure = parley.WrapError(parley.CodeChatStreaming, n.err)
	}
	for _, e := range n.events {
		switch e.Kind {
		case chat.Text:
			setFirst(&s.timing.firstTextAt, d.Now())
			s.text += e.Text
		case chat.Failed:
			s.failure = e.Err
		case chat.NextRound:
			s.toolBreaks = append(s.toolBreaks, len(s.text))
		case chat.ToolReturned:
			d.isHandingOver = d.isHandingOver || e.Call.Kind == parley.ActionEscalate && e.Call.Status == parley.ToolSuccess
		case chat.ToolCalled, chat.Finished:
		}
	}
	s.isComplete = s.isComplete || n.isLast
}

// handleTurnFailure decides what to do about a turn that failed: some failures end the dialog, the others are spoken.
func (d *dialog) handleTurnFailure(s *utterance) {
	code := s.failure.Code
	if errors.Is(s.failure, parley.ErrDailyLimit) {
		d.end(parley.EndCredits)
		return
	}
	switch code {
	case parley.CodeCreditsExhausted, parley.CodeAgentCredits:
		d.end(parley.EndCredits)
	case parley.CodeUnderMaintenance:
		d.end(parley.EndServerStopped)
	case parley.CodeConversationNotFound, parley.CodeAgentNotFound:
		d.end(parley.EndOperator)
	case parley.CodeNotOngoing:
		d.storeForPerson(s.question)
		d.recheckConversation()
	default:
		d.recheckConversation() // a person who takes over also ends the answer
		if d.isTakenOver || d.endReason != "" {
			return
		}
		d.Logger.Warn("an answer failed", "session", d.session.ID, "code", code)
		d.reportFault("The answer failed.")
		if strings.TrimSpace(s.text) == "" {
			d.sayErrorMessage()
		}
	}
}

// defaultErrorMessage is spoken by an agent without an error message.
const defaultErrorMessage = "Sorry, something went wrong. Please try that again."

func (d *dialog) sayErrorMessage() {
	d.announce(cmp.Or(strings.TrimSpace(d.settings.ErrorMessage), defaultErrorMessage), false)
}

// announce says something unasked, and stores it in the conversation if keep is true.
func (d *dialog) announce(text string, keep bool) {
	s := d.newUtterance("")
	s.text, s.isComplete = text, true
	close(s.turnStarted)
	if !keep {
		close(s.messageStored)
		return
	}
	d.work.Go(func() {
		defer close(s.messageStored)
		<-s.previousStored
		d.store("keep what the agent said", func(ctx context.Context) error {
			m, err := d.Conversations.AddAgentMessage(ctx, d.session.ConversationRef(), text)
			if err == nil {
				s.messageID, s.messageLength = m.ID, len(text)
			}
			return err
		})
	})
}

// storeHeardText truncates the stored message of an utterance to what was heard, once the message is stored. The next
// turn waits for it.
func (d *dialog) storeHeardText(s *utterance, heardLength int, cause error) {
	d.work.Go(func() {
		defer close(s.heardTextStored)
		<-s.previousStored
		<-s.turnStarted
		if s.turn != nil && cause != nil {
			s.turn.Cancel(cause)
		}
		<-s.messageStored
		if cause == nil || s.messageID == "" || heardLength >= s.messageLength {
			return
		}
		d.store("keep what was heard", func(ctx context.Context) error {
			ref := d.session.ConversationRef()
			return d.Conversations.TruncateMessage(ctx, ref, s.messageID, heardLength, s.messageLength)
		})
	})
}
