package ingest

import (
	"context"
	"iter"

	"parley"
)

// textKind is the kind of sources that are texts as they come.
var textKind = sourceKind{
	newJob: newTrainJob,
	pieces: func(_ *parley.Source, v *parley.Version) (iter.Seq[Piece], error) { return EachPiece(v.Text), nil },
}

// TextChange is a change of a text; nil fields stay.
type TextChange struct {
	Name    *string
	Content *string
}

// AddText adds a text to the agent's sources; it is trained right away by a job. Fails with AGENT_NOT_FOUND, with
// SOURCE_DUPLICATE when the agent has a source of the same name and text, or with SOURCE_SIZE_LIMIT_EXCEEDED when its
// sources would outgrow the plan, exactly, however many are added at a time.
func (s *Service) AddText(ctx context.Context, caller parley.Caller, agent parley.AgentID, name,
	content string) (*parley.Source, error) {
	return s.addSource(ctx, s.textDraft(caller.AgentRef(agent), TextChange{&name, &content}), caller.Plan)
}

// ChangeText changes a text. A new content is trained by a job, and the earlier version answers meanwhile; a name that
// changes alone is trained again too, for it is in the citations. A change that changes nothing leaves no trace,
// unless the text has failed: then it is trained again. Fails with AGENT_NOT_FOUND, SOURCE_NOT_FOUND (also for a source
// that is no text), SOURCE_PENDING_DELETION, SOURCE_DUPLICATE or SOURCE_SIZE_LIMIT_EXCEEDED.
func (s *Service) ChangeText(ctx context.Context, caller parley.Caller, agent parley.AgentID,
	id parley.SourceID, change TextChange) (*parley.Source, error) {
	return s.changeSource(ctx, s.textDraft(caller.AgentRef(agent), change), id, caller.Plan)
}

// PutText makes the agent's text of that key what it is to be: it is added when there is none, changed when it differs,
// and left alone when it does not, exactly, however many do so at a time. Fails as AddText and ChangeText do.
func (s *Service) PutText(ctx context.Context, caller parley.Caller, agent parley.AgentID, key,
	name, content string) error {
	return s.putDraft(ctx, caller, agent, key, s.textDraft(caller.AgentRef(agent), TextChange{&name, &content}))
}

func (s *Service) textDraft(ref parley.AgentRef, change TextChange) *draft {
	w := s.contentDraft(ref, parley.SourceText, change.Name, func(old, v *parley.Version) error {
		if change.Content == nil {
			v.Text, v.Hash = old.Text, old.Hash
		}
		return nil
	})
	if change.Content != nil {
		setText(&w.version, parley.StorableText(*change.Content))
		w.source.Size = int64(len(w.version.Text))
	}
	return w
}
