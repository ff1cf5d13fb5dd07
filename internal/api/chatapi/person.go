package chatapi

import (
	"context"
	"errors"

	"parley"
	"parley/internal/chat"
)

// The states of the person who answers.
const (
	personJoined = "joined"
	personLeft   = "left"
	personAway   = "away" // nobody works who could answer
)

// personEvent is the data of a person event.
type personEvent struct {
	Name    *string `json:"name"`
	Picture *string `json:"picture"`
	State   string  `json:"state"`

	CanAnswerByEmail bool `json:"canAnswerByEmail,omitempty"` // while nobody works: an address is known
}

// typingEvent is the data of a typing event.
type typingEvent struct {
	Until int64 `json:"until"` // epoch milliseconds
}

// sendPeople sends what an update tells of people.
func (u *updateWriter) sendPeople(ctx context.Context, update chat.Update) error {
	var err error
	if update.IsUnclaimed {
		err = u.sendIfAway(ctx)
	}
	if p := update.Person; p != nil {
		state := personJoined
		if p.HasLeft {
			state = personLeft
		}
		err = errors.Join(err, u.out.SendEvent("person", 0, personEvent{Name: textOrNull(p.Name), State: state}))
	}
	if !update.TypingUntil.IsZero() {
		err = errors.Join(err, u.out.SendEvent("typing", 0, typingEvent{update.TypingUntil.UnixMilli()}))
	}
	return err
}

// sendIfAway tells that nobody works who could answer.
func (u *updateWriter) sendIfAway(ctx context.Context) error {
	handover, err := u.server.newHandover(ctx, u.conversation)
	if err != nil || !handover.IsAway {
		return err
	}
	return u.out.SendEvent("person", 0, personEvent{State: personAway, CanAnswerByEmail: handover.CanAnswerByEmail})
}

// tellTyping shows the people in the console that a visitor writes to them.
func (s *server) tellTyping(ctx context.Context, c *call, in *ConversationPath) (*Data[Success], error) {
	conv, err := s.DB.VisitorConversation(ctx, callerOf(c).visitor, parley.ConversationID(in.ConversationID))
	if err != nil {
		return nil, err
	}
	if conv.Status != parley.ConversationTakenOver {
		return nil, parley.NewError(parley.CodeNotTakenOver)
	}
	if s.OnTyping != nil {
		s.OnTyping(conv.Ref())
	}
	return &Data[Success]{Success{true}}, nil
}
