package eval

import (
	"context"
	"time"

	"parley"
	"parley/internal/chat"
	"parley/internal/model"
	"parley/internal/model/quote"
	"parley/internal/retrieval"
	"parley/internal/store"
)

// Replayed is a past question with its answer then and now.
type Replayed struct {
	ConversationID parley.ConversationID `json:"conversationId"`
	MessageID      parley.MessageID      `json:"messageId"` // of the answer then
	At             time.Time             `json:"at"`
	Question       string                `json:"question"`
	State          string                `json:"state"` // one of the Replay states
	Before         string                `json:"before"`
	Now            string                `json:"now"`
	Score          [2]*float64           `json:"score"`
}

// What may have become of an answer.
const (
	ReplaySame     = "same"
	ReplayChanged  = "changed"
	ReplayRefused  = "refused"  // rested on the sources, and now the agent says that it does not know
	ReplayAnswered = "answered" // rested on nothing, and now on the sources
)

// Replay is what became of an agent's newest questions.
type Replay struct {
	Turns   []Replayed `json:"turns"` // newest first
	Same    int        `json:"same"`
	Skipped int        `json:"skipped"` // answered by another model, with tools, or no longer there
}

// Replayer asks an agent its past questions again, each with the messages before it then.
type Replayer struct {
	DB      *store.DB
	Indexes *retrieval.Indexes

	Questions *chat.QueryEmbedder // nil if sources are searched by words alone
	Reranker  *chat.QueryReranker // nil leaves passages in the order of the search
}

// Run asks the built-in model again what it has answered: the newest turns, at most limit. Nothing is stored.
func (r Replayer) Run(ctx context.Context, agent *parley.Agent, limit int) (*Replay, error) {
	turns, err := r.DB.AnsweredTurns(ctx, agent.Ref(), limit)
	if err != nil {
		return nil, err
	}
	out := &Replay{Turns: []Replayed{}}
	for _, t := range turns {
		again, err := r.replayTurn(ctx, agent, t)
		switch {
		case parley.IsCode(err, parley.CodeRetryNotFound), parley.IsCode(err, parley.CodeRetryNoUser):
			out.Skipped++
		case err != nil:
			return nil, err
		case again == nil:
			out.Skipped++
		default:
			out.Turns = append(out.Turns, *again)
			if again.State == ReplaySame {
				out.Same++
			}
		}
	}
	return out, nil
}

// replayTurn answers the question of one turn; nil if that would compare unlike things.
func (r Replayer) replayTurn(ctx context.Context, agent *parley.Agent, t store.AnsweredTurn) (*Replayed, error) {
	if t.BackEnd != model.BuiltinName || len(t.ToolCalls) > 0 {
		return nil, nil
	}
	user, err := r.DB.UserMessageAnsweredBy(ctx, agent.Ref().ConversationRef(t.ConversationID), t.MessageID)
	if err != nil {
		return nil, err
	}
	stored, err := r.DB.MessagesByID(ctx, []parley.MessageID{t.MessageID})
	if err != nil || len(stored) == 0 || quote.AsksForInputs(stored[0].Text()) {
		return nil, err
	}
	history, err := r.DB.RecentMessages(ctx, agent.Ref().ConversationRef(t.ConversationID), user.Seq,
		chat.MaxHistoryMessages)
	if err != nil {
		return nil, err
	}
	draft := chat.StandaloneTurn{Agent: agent, Backend: model.Backend{Model: quote.Model{}, Label: model.BuiltinName},
		Question: user.Text(), History: history}
	now, refused, err := r.answerDraft(ctx, draft)
	if err != nil {
		return nil, err
	}
	return &Replayed{ConversationID: t.ConversationID, MessageID: t.MessageID, At: t.StartedAt, Question: user.Text(),
		State:  replayState(&stored[0], &now, refused),
		Before: stored[0].Text(), Now: now.Text(), Score: [2]*float64{stored[0].Score, now.Score}}, nil
}

// answerDraft returns the answer as a turn would store it.
func (r Replayer) answerDraft(ctx context.Context, draft chat.StandaloneTurn) (m parley.Message, refused bool,
	err error) {
	query := draft.Query()
	r.Questions.EmbedQuery(ctx, r.Indexes, draft.Agent, &query)
	hits, _, err := r.Reranker.Nearest(ctx, r.Indexes, draft.Agent, query)
	if err != nil {
		return m, false, err
	}
	text := ""
	for chunk, err := range draft.Backend.Model.Stream(ctx, draft.Prompt(hits)) {
		switch {
		case err != nil:
			return m, false, err
		case chunk.Citation != nil:
			p := hits[chunk.Citation.PassageIndex].Passage
			m.Citations = append(m.Citations, parley.Citation{SourceID: p.SourceID, VersionHash: p.VersionHash,
				Start: chunk.Citation.Start, End: chunk.Citation.End,
				AnswerStart: chunk.Citation.AnswerStart, AnswerEnd: chunk.Citation.AnswerEnd})
		case chunk.Finish != nil:
			m.Score, refused = chunk.Finish.Score, chunk.Finish.IsRefusal
		default:
			text += chunk.Text
		}
	}
	m.Parts = []parley.Part{{Type: "text", Text: text}}
	return draft.Redact(m), refused, nil
}

func replayState(before, now *parley.Message, refused bool) string {
	switch {
	case before.Text() == now.Text():
		return ReplaySame
	case refused && len(before.Citations) > 0:
		return ReplayRefused
	case !refused && len(before.Citations) == 0 && len(now.Citations) > 0:
		return ReplayAnswered
	default:
		return ReplayChanged
	}
}
