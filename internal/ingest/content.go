package ingest

import (
	"context"
	"fmt"

	"parley"
	"parley/internal/ingest/crawl"
	"parley/internal/store"
)

// Content is all that an agent is to read of texts and pages: one text, and pages one by one.
type Content struct {
	Text string // empty for none
	URLs []string
}

// contentName is the name of the text of a Content: citations show it.
const contentName = "Source text"

// NewContent is content that is not written yet.
type NewContent struct {
	service     *Service
	plan        parley.Plan
	account     parley.AccountID
	agent       parley.AgentID
	text        *draft // nil for none
	textUpdate  *draft // the same as another version of a text that was there
	links       []*NewLink
	replacement contentReplacement
}

// NewContent checks content for an agent. An address that stands there twice is read once. Fails with VALIDATION_INVALID_BODY for
// addresses that cannot be read; its details name them as urls.0 and so on.
func (d *Service) NewContent(account parley.Account, plan parley.Plan, agent parley.AgentID, c Content) (*NewContent, error) {
	n := &NewContent{service: d, plan: plan, account: account.ID, agent: agent, replacement: contentReplacement{ID: parley.NewUUID(), Agent: agent}}
	if c.Text != "" {
		name := contentName
		n.text, n.textUpdate = d.textDraft(account, agent, TextChange{&name, &c.Text}), d.textDraft(account, agent, TextChange{Content: &c.Text})
	}
	faults, seen := map[string]string{}, map[string]bool{}
	for i, url := range c.URLs {
		link, err := d.NewLink(account, plan, agent, Link{URL: url, Type: crawl.Individual})
		switch {
		case parley.IsCode(err, parley.CodeInvalidBody):
			faults[fmt.Sprintf("urls.%d", i)] = parley.AsError(err).Details["url"]
		case err != nil:
			return nil, err
		case !seen[link.source.URL]:
			seen[link.source.URL] = true
			n.links = append(n.links, link)
		}
	}
	if len(faults) > 0 {
		return nil, &parley.Error{Code: parley.CodeInvalidBody, Message: parley.CodeInvalidBody.DefaultMessage(), Details: faults}
	}
	return n, nil
}

// Create writes the content of an agent that has none, in a transaction, and nothing when it fails. Fails with
// SOURCE_SIZE_LIMIT_EXCEEDED when there is no room for it.
func (n *NewContent) Create(ctx context.Context, tx *store.DB) error {
	if n.text != nil {
		if err := n.text.create(ctx, tx, n.plan); err != nil {
			return err
		}
	}
	for _, link := range n.links {
		if err := link.Create(ctx, tx); err != nil {
			return err
		}
	}
	return nil
}
