package movein

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"parley"
	"parley/internal/ingest"
	"parley/internal/ingest/crawl"
	"parley/internal/store"
)

// sourceRecord is the record of a source as the interface has it. It never holds the content.
type sourceRecord struct {
	ID       string  `json:"id"`
	Type     string  `json:"type"`
	Name     *string `json:"name"`
	Metadata *struct {
		Type             crawl.Kind `json:"type"`
		ExcludePaths     []string   `json:"excludePaths"`
		IncludeOnlyPaths []string   `json:"includeOnlyPaths"`
		SlowScraping     bool       `json:"slowScraping"`
	} `json:"metadata"`
}

// readSources reads a page of an agent's sources. Those whose address is told are added here and read; the others are
// noted as left out.
func (r *run) readSources(ctx context.Context, a *store.MoveInAgent) (time.Duration, error) {
	p, err := r.client.readPage(ctx, a.Walk, listPageSize, "agents", a.RemoteID, "sources")
	if err != nil {
		return 0, err
	}
	next, isEnd, err := p.next(a.Walk)
	if err != nil {
		return 0, err
	}
	list, err := r.newSources(ctx, a, *p.Data)
	if err != nil {
		return 0, err
	}
	return p.wait, r.write(ctx, func(tx *store.DB, _ *store.MoveIn) error {
		for i := range list {
			if err := list[i].add(ctx, tx); err != nil {
				return err
			}
		}
		to := *a
		if to.Walk = next; isEnd {
			to.Walk, to.Stage = store.MoveInWalk{}, store.MoveInCount
		}
		return tx.SaveMoveInAgent(ctx, &to)
	})
}

// newSource is a source that is to be noted and, if it is a link, added.
type newSource struct {
	item store.MoveInItem
	link *ingest.NewLink // nil for one that is left out
}

// newSources returns those of a page of sources that are not known.
func (r *run) newSources(ctx context.Context, a *store.MoveInAgent, records []json.RawMessage) ([]newSource, error) {
	read := make([]sourceRecord, 0, len(records))
	ids := make([]string, 0, len(records))
	for _, record := range records {
		var s sourceRecord
		if json.Unmarshal(record, &s) != nil || s.ID == "" || len(s.ID) > maxIDBytes {
			return nil, parley.Invalid("url", "lists a source without a usable id")
		}
		read, ids = append(read, s), append(ids, s.ID)
	}
	known, err := r.DB.KnownMoveInItems(ctx, a.Ref, store.MoveInSource, ids)
	if err != nil {
		return nil, err
	}
	var list []newSource
	for i := range read {
		if !known[read[i].ID] {
			known[read[i].ID] = true
			list = append(list, r.newSource(a, &read[i]))
		}
	}
	return list, nil
}

// Why sources are left out, beside what is wrong with an address.
const (
	reasonNoContent = "the interface does not tell what it says"
	reasonPresent   = "is here already"
)

func (r *run) newSource(a *store.MoveInAgent, s *sourceRecord) newSource {
	name := ""
	if s.Name != nil {
		name = parley.ClipBytes(parley.StorableText(*s.Name), maxSourceName)
	}
	n := newSource{item: store.MoveInItem{ID: parley.NewTimedUUID(), MoveInID: a.MoveInID, Ref: a.Ref,
		Kind: store.MoveInSource, RemoteID: s.ID, Type: parley.ClipBytes(s.Type, maxIDBytes), Name: name}}
	if s.Type != string(parley.SourceLink) {
		n.item.Reason = reasonNoContent
		return n
	}
	link := ingest.Link{URL: name, Type: crawl.Individual}
	if m := s.Metadata; m != nil {
		link.Type, link.Exclude, link.Include, link.Slow = cmp.Or(m.Type, crawl.Individual), m.ExcludePaths,
			m.IncludeOnlyPaths, m.SlowScraping
	}
	var err error
	if n.link, err = r.Ingest.NewLink(r.in.Caller, a.Ref.Agent, link); err != nil {
		n.item.Reason = reasonOf(err)
	}
	return n
}

const maxSourceName = 2000

// add writes the source. One that is refused, such as for want of storage, is noted as left out.
func (n *newSource) add(ctx context.Context, tx *store.DB) error {
	item := n.item
	if n.link != nil {
		err := n.link.Create(ctx, tx)
		switch {
		case parley.IsCode(err, parley.CodeSourceDuplicate):
			item.Reason = reasonPresent
		case parley.IsCode(err, parley.CodeSourceSize):
			item.Reason = reasonOf(err)
		case parley.IsCode(err, parley.CodeAgentNotFound):
			return nil // it was deleted here meanwhile
		case err != nil:
			return err
		default:
			item.SourceID = n.link.ID()
		}
	}
	return tx.AddMoveInItem(ctx, &item)
}
