package api

import (
	"context"
	"fmt"
	"unicode/utf8"

	"parley"
	"parley/internal/ingest"
	"parley/internal/wire"
)

// SourceChange changes a source.
type SourceChange struct {
	SourceRef
	Body   SourceChangeBody
	Upload *wire.Upload
}

// SourceChangeBody holds what is to change. What a source of that kind does not have is ignored.
type SourceChangeBody struct {
	Name             wire.Opt[string]   `json:"name,omitzero" min:"1" doc:"Of a text or a file, at most 100 characters, or of questions with their answer."`
	Content          wire.Opt[string]   `json:"content,omitzero" min:"1" max:"1048576" doc:"Of a text."`
	Questions        wire.Opt[[]string] `json:"questions,omitzero" min:"1" max:"50" doc:"Of questions with their answer."`
	Answer           wire.Opt[string]   `json:"answer,omitzero" min:"1" doc:"Of questions with their answer."`
	ExcludePaths     wire.Opt[[]string] `json:"excludePaths,omitzero" doc:"Of a link."`
	IncludeOnlyPaths wire.Opt[[]string] `json:"includeOnlyPaths,omitzero" doc:"Of a link."`
	SlowScraping     wire.Opt[bool]     `json:"slowScraping,omitzero" doc:"Of a link."`
}

// mostTextName is the most characters that the name of a text may have.
const mostTextName = 100

func (s *server) changeSource(ctx context.Context, c *wire.Call, in *SourceChange) (*WrittenSource, error) {
	if _, err := s.agent(ctx, c, in.AgentID); err != nil {
		return nil, err
	}
	there, err := s.DB.Source(ctx, caller(c).Account.ID, parley.AgentID(in.AgentID), parley.SourceID(in.SourceID))
	if err != nil {
		return nil, fmt.Errorf("find source: %w", err)
	}
	src, err := s.change(ctx, c, there, in)
	if err != nil {
		return nil, fmt.Errorf("change source: %w", err)
	}
	out, err := s.sized(ctx, c, src)
	if err != nil {
		return nil, err
	}
	return &WrittenSource{*out, uploadedID(src, in.Upload)}, nil
}

// change changes a source as one of its kind is.
func (s *server) change(ctx context.Context, c *wire.Call, src *parley.Source, in *SourceChange) (*parley.Source, error) {
	if in.Upload != nil {
		return s.changeFile(ctx, c, src, in.Upload.Name, fileOf(in.Upload))
	}
	who, b := caller(c), &in.Body
	switch src.Kind {
	case parley.SourceFile:
		if err := shortName(b.Name.Value); err != nil {
			return nil, err
		}
		return s.changeFile(ctx, c, src, b.Name.Ptr(), nil)
	case parley.SourceQnA:
		if err := qnaFits(b.Questions.Value, b.Answer.Value); err != nil {
			return nil, err
		}
		return s.Ingest.ChangeQnA(ctx, who.Account, who.Plan, src.AgentID, src.ID, ingest.QnAChange{Name: b.Name.Ptr(), Questions: b.Questions.Value, Answer: b.Answer.Ptr()})
	case parley.SourceLink:
		return s.Ingest.ChangeLink(ctx, who.Account, src.AgentID, src.ID, ingest.LinkChange{Exclude: listOf(b.ExcludePaths), Include: listOf(b.IncludeOnlyPaths), Slow: b.SlowScraping.Ptr()})
	default:
		return s.changeText(ctx, c, src, b)
	}
}

func (s *server) changeText(ctx context.Context, c *wire.Call, src *parley.Source, b *SourceChangeBody) (*parley.Source, error) {
	who := caller(c)
	if err := shortName(b.Name.Value); err != nil {
		return nil, err
	}
	return s.Ingest.ChangeText(ctx, who.Account, who.Plan, src.AgentID, src.ID, ingest.TextChange{Name: b.Name.Ptr(), Content: b.Content.Ptr()})
}

func shortName(name string) error {
	if utf8.RuneCountInString(name) > mostTextName {
		return wire.Invalid("name", fmt.Sprintf("must have at most %d characters", mostTextName))
	}
	return nil
}

// listOf gives the list that was sent, which may be empty, or nil.
func listOf(o wire.Opt[[]string]) []string {
	if !o.Set {
		return nil
	}
	return append([]string{}, o.Value...)
}
