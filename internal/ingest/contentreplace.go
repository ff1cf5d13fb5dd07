package ingest

import (
	"context"
	"errors"

	"parley"
	"parley/internal/ingest/crawl"
	"parley/internal/store"
)

// Replace puts the content in the place of all texts and links that the agent has, in a transaction, and nothing when it fails; what
// it has of other kinds stays. What was there answers until the new content does: a text becomes another version of the text that
// was there, an address that was read is read again, and the rest leaves by a chore. Fails with AGENT_NOT_FOUND, or with
// SOURCE_SIZE_LIMIT_EXCEEDED when there would be no room for it even without the old content.
func (n *NewContent) Replace(ctx context.Context, tx *store.DB) error {
	if err := tx.LockAgent(ctx, n.account, n.agent); err != nil {
		return err
	}
	there, err := tx.ManagedSources(ctx, n.account, n.agent)
	if err != nil {
		return err
	}
	old := &heritage{}
	for _, s := range there {
		if (s.Kind == parley.SourceText || s.Kind == parley.SourceLink) && s.Status != parley.SourceToBeDeleted {
			old.sources = append(old.sources, s)
		}
	}
	next := n.succeed
	if err := n.replace(ctx, tx, old, &next); err != nil {
		return n.plain(err)
	}
	for _, s := range old.sources {
		next.Leaving = append(next.Leaving, s.ID)
	}
	return n.desk.Queue.Enqueue(ctx, tx.SQL(), next.chore(n.account)) // also when none leaves: it overrides an earlier one
}

// replace writes each part of the content onto what it continues, or as something new.
func (n *NewContent) replace(ctx context.Context, tx *store.DB, old *heritage, next *succession) error {
	text := old.text(n.text)
	links := make([]parley.SourceID, len(n.links))
	for i, link := range n.links {
		links[i] = old.link(link.source.URL)
	}
	leaves, err := old.size(ctx, tx, n)
	if err != nil {
		return err
	}
	plan := wider(n.plan, leaves)
	if n.text != nil {
		id, err := n.writeText(ctx, tx, text, plan)
		if err != nil {
			return err
		}
		next.New = append(next.New, id)
	}
	for i, link := range n.links {
		id, err := n.writeLink(ctx, tx, link, links[i], plan)
		if err != nil {
			return err
		}
		next.New = append(next.New, id)
	}
	return nil
}

func (n *NewContent) writeText(ctx context.Context, tx *store.DB, onto parley.SourceID, plan parley.Plan) (parley.SourceID, error) {
	if onto == "" {
		return n.text.source.ID, n.text.create(ctx, tx, plan)
	}
	_, err := n.again.onto(ctx, tx, onto, plan)
	if errors.Is(err, errSame) {
		err = nil
	}
	return onto, err
}

func (n *NewContent) writeLink(ctx context.Context, tx *store.DB, link *NewLink, onto parley.SourceID, plan parley.Plan) (parley.SourceID, error) {
	if onto == "" {
		wider := *link
		wider.plan = plan
		return link.source.ID, wider.Create(ctx, tx)
	}
	_, err := n.desk.anew(ctx, tx, n.account, n.agent, onto, link.source.CreatedAt, LinkChange{})
	return onto, err
}

// heritage is what an agent had: what is taken from it is continued, and the rest leaves.
type heritage struct{ sources []store.ManagedSource }

func (h *heritage) take(is func(*store.ManagedSource) bool) parley.SourceID {
	for i := range h.sources {
		if s := h.sources[i]; is(&s) {
			h.sources = append(h.sources[:i:i], h.sources[i+1:]...)
			return s.ID
		}
	}
	return ""
}

// text takes the text that is to become the new one: one that says the same, else the oldest.
func (h *heritage) text(w *draft) parley.SourceID {
	if w == nil {
		return ""
	}
	id := h.take(func(s *store.ManagedSource) bool { return s.Kind == parley.SourceText && s.Hash == w.version.Hash })
	if id == "" {
		id = h.take(func(s *store.ManagedSource) bool { return s.Kind == parley.SourceText })
	}
	return id
}

// link takes the page of that address.
func (h *heritage) link(url string) parley.SourceID {
	return h.take(func(s *store.ManagedSource) bool {
		return s.Kind == parley.SourceLink && s.URL == url && recordOf(&s.Source).Type == crawl.Individual
	})
}

// size is how many bytes leave, those of links' pages among them.
func (h *heritage) size(ctx context.Context, tx *store.DB, n *NewContent) (total int64, err error) {
	var links []parley.SourceID
	for _, s := range h.sources {
		total += s.Size
		if s.Kind == parley.SourceLink {
			links = append(links, s.ID)
		}
	}
	pages, err := tx.SiteSizes(ctx, n.account, n.agent, links)
	for _, size := range pages {
		total += size
	}
	return total, err
}

// wider is a plan with room for what is about to leave.
func wider(plan parley.Plan, bytes int64) parley.Plan {
	if plan.StoragePerAgent != nil {
		most := *plan.StoragePerAgent + bytes
		plan.StoragePerAgent = &most
	}
	return plan
}

// plain says of a plan without room what it allows, rather than what it allows while old and new content lie side by side.
func (n *NewContent) plain(err error) error {
	if parley.IsCode(err, parley.CodeSourceSize) {
		return parley.Failf(parley.CodeSourceSize, "The %s plan allows %d bytes of sources for an agent, and this content would bring them to more.", n.plan.Name, *n.plan.StoragePerAgent)
	}
	return err
}
