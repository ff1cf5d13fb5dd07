package admin

import (
	"context"
	"slices"
	"time"

	"parley"
)

// ConversationRef names a conversation.
type ConversationRef struct {
	ID string `json:"conversationId"`
}

// TurnTrace is what one turn did.
type TurnTrace struct {
	parley.Trace
	StartedAt time.Time         `json:"startedAt"`
	Answer    string            `json:"answer,omitempty"` // as stored, while the message is there
	Citations []parley.Citation `json:"citations,omitempty"`
	Passages  []PassageTrace    `json:"passages"`
}

// PassageTrace is a passage that the model was offered, as it was then.
type PassageTrace struct {
	parley.TracePassage
	Text string `json:"text,omitempty"` // while the source has it
}

// Trace explains the turns of a conversation, oldest first.
var Trace = Command[ConversationRef, []TurnTrace]{"trace", false, (*Service).traceConversation}

func (d *Service) traceConversation(ctx context.Context, in ConversationRef) ([]TurnTrace, error) {
	turns, err := d.DB.TurnTraces(ctx, parley.ConversationID(in.ID))
	if err != nil {
		return nil, err
	}
	if len(turns) == 0 {
		return nil, parley.NewErrorf(parley.CodeConversationNotFound, "No turn belongs to the conversation %q.", in.ID)
	}
	list := make([]TurnTrace, len(turns))
	for i, t := range turns {
		list[i] = TurnTrace{Trace: t.Trace, StartedAt: t.StartedAt}
		if list[i].Passages, err = d.addPassageTexts(ctx, t.Trace.Passages); err != nil {
			return nil, err
		}
	}
	return list, d.addAnswers(ctx, list)
}

// addAnswers adds what each turn has said.
func (d *Service) addAnswers(ctx context.Context, turns []TurnTrace) error {
	ids := make([]parley.MessageID, len(turns))
	for i, t := range turns {
		ids[i] = t.MessageID
	}
	for part := range slices.Chunk(ids, 200) {
		said, err := d.DB.MessagesByID(ctx, part)
		if err != nil {
			return err
		}
		for _, m := range said {
			t := &turns[slices.Index(ids, m.ID)]
			t.Answer, t.Citations = m.Text(), m.Citations
		}
	}
	return nil
}

// addPassageTexts adds to what a turn was offered the text that is still there: a source that was changed or deleted has lost its own.
func (d *Service) addPassageTexts(ctx context.Context, offered []parley.TracePassage) ([]PassageTrace, error) {
	ids := make([]parley.PassageID, len(offered))
	for i, o := range offered {
		ids[i] = o.ID
	}
	known, err := d.DB.PassagesByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	list := make([]PassageTrace, len(offered))
	for i, o := range offered {
		list[i] = PassageTrace{TracePassage: o}
		for _, p := range known {
			if p.ID == o.ID {
				list[i].Text = p.Text
			}
		}
	}
	return list, nil
}
