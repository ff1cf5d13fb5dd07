package v2

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"parley"
	"parley/internal/store"
	"parley/internal/text/words"
)

// PassageQuery names a span of a source's text, as citations do.
type PassageQuery struct {
	SourceRef
	Version string `query:"version" doc:"Hash of the version, as citations give it. By default the live one."`
	Start   int    `query:"start" min:"0" doc:"First byte."`
	End     int    `query:"end" min:"1" doc:"The byte behind the last. By default the end of the text."`
}

// Passage is a span of a source's text, and whether the source still contains it.
type Passage struct {
	State       string  `json:"state" enum:"holds,changed,gone"`
	Text        *string `json:"text" doc:"The bytes asked for; null where that version is no longer kept."`
	Version     *string `json:"version" doc:"Hash of the version asked for."`
	LiveVersion *string `json:"liveVersion"`
	Start       *int    `json:"start"`
	End         *int    `json:"end" doc:"The byte behind text; moved back where it stood inside of a character."`
	Occurs      *bool   `json:"occurs"`
}

// FieldDocs returns the docs that are too long for tags.
func (Passage) FieldDocs() map[string]string {
	return map[string]string{
		"state":       "Whether the source's live version is the one asked for, another one, or there is no source any more.",
		"liveVersion": "Hash of the version that the agent answers from; null where there is none.",
		"start":       "First byte of text; moved on to the next character where it stood inside of one.",
		"occurs":      "Whether the live version holds the same words in the same order; null where that cannot be told.",
	}
}

// The states of a passage.
const (
	passageHolds   = "holds"
	passageChanged = "changed"
	passageGone    = "gone"
)

func (s *server) getPassage(ctx context.Context, c *call, in *PassageQuery) (*Passage, error) {
	cited, err := s.DB.CitedSource(ctx, agentRef(c, in.AgentID), parley.SourceID(in.SourceID), in.Version)
	if err != nil {
		return nil, fmt.Errorf("find passage: %w", err)
	}
	out := &Passage{State: passageState(cited), Version: textOrNull(in.Version)}
	if cited.LiveVersion != nil {
		out.LiveVersion = &cited.LiveVersion.Hash
	}
	if cited.RequestedVersion == nil {
		return out, in.checkBounds(max(in.Start+1, in.End))
	}
	out.Version = &cited.RequestedVersion.Hash
	if err := in.checkBounds(cited.RequestedVersion.Size); err != nil {
		return nil, err
	}
	if err := s.readPassage(ctx, c, in, cited, out); err != nil {
		return nil, fmt.Errorf("read passage: %w", err)
	}
	return out, nil
}

// readPassage reads the span, and checks whether the live version contains its words.
func (s *server) readPassage(ctx context.Context, c *call, in *PassageQuery, cited store.CitedSource,
	out *Passage) error {
	account, agent, source := callerOf(c).Account.ID, parley.AgentID(in.AgentID), parley.SourceID(in.SourceID)
	start, end := in.Start, cmp.Or(in.End, cited.RequestedVersion.Size)
	// one byte more, to see whether a character is cut
	stretch, err := s.DB.VersionBytes(ctx, account.AgentRef(agent), source, cited.RequestedVersion.ID, start, end+1)
	if err != nil {
		return err
	}
	text, start, end := trimToRunes(string(stretch), start, end)
	out.Text, out.Start, out.End = &text, &start, &end
	if cited.LiveVersion == nil {
		return nil
	}
	occurs := out.State == passageHolds
	if !occurs {
		live, err := s.DB.Version(ctx, account.AgentRef(agent), source, cited.LiveVersion.ID)
		if err != nil {
			return err
		}
		occurs = containsWords(text, live.Text)
	}
	out.Occurs = &occurs
	return nil
}

func passageState(c store.CitedSource) string {
	switch {
	case c.Deleted:
		return passageGone
	case c.LiveVersion != nil && c.RequestedVersion != nil && c.RequestedVersion.Hash == c.LiveVersion.Hash:
		return passageHolds
	default:
		return passageChanged
	}
}

// checkBounds fails unless the span is inside a text of so many bytes.
func (q *PassageQuery) checkBounds(size int) error {
	faults := map[string]string{}
	if q.End > size {
		faults["end"] = fmt.Sprintf("must be at most %d, the length of that version in bytes", size)
	}
	if end := q.End; q.Start >= size || end > 0 && q.Start >= end {
		faults["start"] = "must be before the end"
	}
	return parley.InvalidFields(faults)
}

// trimToRunes returns the span [start, end) without partial characters at its ends. stretch begins at start.
func trimToRunes(stretch string, start, end int) (string, int, int) {
	from, to := 0, end-start
	for from < to && !utf8.RuneStart(stretch[from]) {
		from++
	}
	for to > from && to < len(stretch) && !utf8.RuneStart(stretch[to]) {
		to--
	}
	return stretch[from:to], start + from, start + to
}

// containsWords reports whether the text contains the words of the span in the same order, ignoring case, accents,
// punctuation and line breaks.
func containsWords(stretch, text string) bool {
	if strings.Contains(text, stretch) {
		return true
	}
	wanted := normalizeWords(stretch)
	return wanted != " " && strings.Contains(normalizeWords(text), wanted)
}

func normalizeWords(text string) string {
	var all strings.Builder
	all.WriteByte(' ')
	for t := range words.Tokens(text) {
		all.WriteString(t.Word)
		all.WriteByte(' ')
	}
	return all.String()
}
