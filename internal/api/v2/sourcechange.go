package v2

import (
	"context"
	"fmt"
	"unicode/utf8"

	"parley"
	"parley/internal/httpapi"
	"parley/internal/ingest"
)

// SourceChange changes a source.
type SourceChange struct {
	SourceRef
	Body   SourceChangeBody
	Upload *httpapi.Upload
}

// SourceChangeBody holds what is to change. What a source of that kind does not have is ignored.
type SourceChangeBody struct {
	Name             httpapi.Opt[string]   `json:"name,omitzero" min:"1" doc:"Of a text or a file, at most 100 characters, or of questions with their answer."`
	Content          httpapi.Opt[string]   `json:"content,omitzero" min:"1" max:"1048576" doc:"Of a text."`
	Questions        httpapi.Opt[[]string] `json:"questions,omitzero" min:"1" max:"50" doc:"Of questions with their answer."`
	Answer           httpapi.Opt[string]   `json:"answer,omitzero" min:"1" doc:"Of questions with their answer."`
	ExcludePaths     httpapi.Opt[[]string] `json:"excludePaths,omitzero" doc:"Of a link."`
	IncludeOnlyPaths httpapi.Opt[[]string] `json:"includeOnlyPaths,omitzero" doc:"Of a link."`
	SlowScraping     httpapi.Opt[bool]     `json:"slowScraping,omitzero" doc:"Of a link."`
}

// maxTextNameLength is the most characters that the name of a text may have.
const maxTextNameLength = 100

func (s *server) changeSource(ctx context.Context, c *httpapi.Call, in *SourceChange) (*WrittenSource, error) {
	if _, err := s.findAgent(ctx, c, in.AgentID); err != nil {
		return nil, err
	}
	there, err := s.DB.Source(ctx, callerOf(c).Account.ID, parley.AgentID(in.AgentID), parley.SourceID(in.SourceID))
	if err != nil {
		return nil, fmt.Errorf("find source: %w", err)
	}
	src, err := s.changeByKind(ctx, c, there, in)
	if err != nil {
		return nil, fmt.Errorf("change source: %w", err)
	}
	out, err := s.sizedSource(ctx, c, src)
	if err != nil {
		return nil, err
	}
	return &WrittenSource{*out, newUploadedID(src, in.Upload)}, nil
}

// changeByKind changes a source as one of its kind is.
func (s *server) changeByKind(ctx context.Context, c *httpapi.Call, src *parley.Source, in *SourceChange) (*parley.Source, error) {
	if in.Upload != nil {
		return s.changeFile(ctx, c, src, in.Upload.Name, uploadedFile(in.Upload))
	}
	who, b := callerOf(c), &in.Body
	switch src.Kind {
	case parley.SourceFile:
		if err := checkNameLength(b.Name.Value); err != nil {
			return nil, err
		}
		return s.changeFile(ctx, c, src, b.Name.Ptr(), nil)
	case parley.SourceQnA:
		if err := checkQnASize(b.Questions.Value, b.Answer.Value); err != nil {
			return nil, err
		}
		return s.Ingest.ChangeQnA(ctx, who.Account, who.Plan, src.AgentID, src.ID, ingest.QnAChange{Name: b.Name.Ptr(), Questions: b.Questions.Value, Answer: b.Answer.Ptr()})
	case parley.SourceLink:
		return s.Ingest.ChangeLink(ctx, who.Account, src.AgentID, src.ID, ingest.LinkChange{Exclude: sentList(b.ExcludePaths), Include: sentList(b.IncludeOnlyPaths), Slow: b.SlowScraping.Ptr()})
	default:
		return s.changeText(ctx, c, src, b)
	}
}

func (s *server) changeText(ctx context.Context, c *httpapi.Call, src *parley.Source, b *SourceChangeBody) (*parley.Source, error) {
	who := callerOf(c)
	if err := checkNameLength(b.Name.Value); err != nil {
		return nil, err
	}
	return s.Ingest.ChangeText(ctx, who.Account, who.Plan, src.AgentID, src.ID, ingest.TextChange{Name: b.Name.Ptr(), Content: b.Content.Ptr()})
}

func checkNameLength(name string) error {
	if utf8.RuneCountInString(name) > maxTextNameLength {
		return httpapi.InvalidField("name", fmt.Sprintf("must have at most %d characters", maxTextNameLength))
	}
	return nil
}

// sentList returns the list that was sent, which may be empty, or nil.
func sentList(o httpapi.Opt[[]string]) []string {
	if !o.Present {
		return nil
	}
	return append([]string{}, o.Value...)
}
