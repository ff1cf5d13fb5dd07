package v2

import (
	"context"
	"fmt"

	"parley"
	"parley/internal/httpapi"
	"parley/internal/ingest"
	"parley/internal/ingest/crawl"
)

// NewSource creates a source.
type NewSource struct {
	AgentRef
	Body   httpapi.Either[TextSource, httpapi.Either[QnASource, LinkSource]] `name:"NewSource"`
	Upload *httpapi.Upload
}

// TextSource is a snippet of text.
type TextSource struct {
	Type    string `json:"type" enum:"text"`
	Name    string `json:"name" min:"1" max:"100"`
	Content string `json:"content" min:"1" max:"1048576"`
}

// QnASource is an answer with the questions that it answers.
type QnASource struct {
	Type      string   `json:"type" enum:"qna"`
	Name      string   `json:"name" min:"1"`
	Questions []string `json:"questions" min:"1" max:"50" doc:"As customers ask them."`
	Answer    string   `json:"answer" min:"1" doc:"Plain or Markdown; it is quoted as it is."`
}

// LinkSource is a page, a website or what a sitemap lists.
type LinkSource struct {
	Type             string   `json:"type" enum:"link"`
	URL              string   `json:"url" format:"uri"`
	LinkType         string   `json:"linkType" enum:"individual,crawl,sitemap" doc:"One page, a site from this page on by its links, or the pages that a sitemap lists."`
	ExcludePaths     []string `json:"excludePaths,omitempty" default:"[]" doc:"Regular expressions: pages that one of them matches are left out."`
	IncludeOnlyPaths []string `json:"includeOnlyPaths,omitempty" default:"[]" doc:"Regular expressions: where there are any, only pages that one of them matches are read."`
	SlowScraping     bool     `json:"slowScraping,omitempty" default:"false" doc:"One request at a time, with pauses."`
}

// maxQnABytes is the most bytes that a question-and-answer source may hold.
const maxQnABytes = 4_500_000

func (s *server) createSource(ctx context.Context, c *httpapi.Call, in *NewSource) (*WrittenSource, error) {
	src, err := s.addSource(ctx, c, parley.AgentID(in.AgentID), in)
	if err != nil {
		return nil, fmt.Errorf("add source: %w", err)
	}
	return newWrittenSource(src, in.Upload), nil
}

func (s *server) addSource(ctx context.Context, c *httpapi.Call, agent parley.AgentID, in *NewSource) (*parley.Source, error) {
	who := callerOf(c)
	if in.Upload != nil {
		return s.addFile(ctx, c, in.AgentID, in.Upload)
	}
	if b := in.Body.A; b != nil {
		return s.Ingest.AddText(ctx, who.Account, who.Plan, agent, b.Name, b.Content)
	}
	if b := in.Body.B.A; b != nil {
		if err := checkQnASize(b.Questions, b.Answer); err != nil {
			return nil, err
		}
		return s.Ingest.AddQnA(ctx, who.Account, who.Plan, agent, ingest.QnA{Name: b.Name, Questions: b.Questions, Answer: b.Answer})
	}
	b := in.Body.B.B
	return s.Ingest.AddLink(ctx, who.Account, who.Plan, agent, ingest.Link{URL: b.URL, Type: crawl.Kind(b.LinkType), Exclude: b.ExcludePaths, Include: b.IncludeOnlyPaths, Slow: b.SlowScraping})
}

func checkQnASize(questions []string, answer string) error {
	size := len(answer)
	for _, q := range questions {
		size += len(q)
	}
	if size > maxQnABytes {
		return parley.NewErrorf(parley.CodeTooLarge, "The request body is too large: at most %d bytes are accepted here.", maxQnABytes)
	}
	return nil
}
