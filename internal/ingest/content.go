package ingest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley"
	"parley/internal/ingest/crawl"
	"parley/internal/jobs"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// Content is all texts and pages that an agent is to answer from: one text, and pages one by one.
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

// NewContent checks content for an agent. An address that is there twice is read once. Fails with
// VALIDATION_INVALID_BODY for addresses that cannot be read; its details name them as urls.0 and so on.
func (s *Service) NewContent(caller parley.Caller, agent parley.AgentID, c Content) (*NewContent, error) {
	n := &NewContent{service: s, plan: caller.Plan, account: caller.Account.ID, agent: agent,
		replacement: contentReplacement{ID: parley.NewUUID(), Agent: agent}}
	if c.Text != "" {
		name := contentName
		n.text, n.textUpdate = s.textDraft(caller.AgentRef(agent), TextChange{&name, &c.Text}),
			s.textDraft(caller.AgentRef(agent), TextChange{Content: &c.Text})
	}
	faults, seen := map[string]string{}, map[string]bool{}
	for i, url := range c.URLs {
		link, err := s.NewLink(caller, agent, Link{URL: url, Type: crawl.Individual})
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
	if err := parley.InvalidFields(faults); err != nil {
		return nil, err
	}
	return n, nil
}

// Create writes the content of an agent that has none, in a transaction, and nothing when it fails. Fails with
// SOURCE_SIZE_LIMIT_EXCEEDED when the plan does not allow it.
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

// Replace puts the content in the place of all texts and links that the agent has, in a transaction, and nothing when
// it fails; what it has of other kinds stays. What was there answers until the new content does: a text becomes another
// version of the text that was there, an address that was read is read again, and the rest leaves by a job. Fails with
// AGENT_NOT_FOUND, or with SOURCE_SIZE_LIMIT_EXCEEDED when the plan would not allow it even without the old content.
func (n *NewContent) Replace(ctx context.Context, tx *store.DB) error {
	if err := tx.LockAgent(ctx, n.account.AgentRef(n.agent)); err != nil {
		return err
	}
	existing, err := tx.ManagedSources(ctx, n.account.AgentRef(n.agent))
	if err != nil {
		return err
	}
	old := &oldContent{}
	for _, s := range existing {
		if (s.Kind == parley.SourceText || s.Kind == parley.SourceLink) && s.Status != parley.SourceToBeDeleted {
			old.sources = append(old.sources, s)
		}
	}
	next := n.replacement
	if err := n.replaceSources(ctx, tx, old, &next); err != nil {
		return n.explainSizeError(err)
	}
	for _, s := range old.sources {
		next.OldSources = append(next.OldSources, s.ID)
	}
	// also when none leaves: it overrides an earlier one
	return n.service.Queue.Enqueue(ctx, tx.SQL(), next.job(n.account))
}

// replaceSources writes each part of the content onto what it continues, or as something new.
func (n *NewContent) replaceSources(ctx context.Context, tx *store.DB, old *oldContent,
	next *contentReplacement) error {
	text := old.takeText(n.text)
	links := make([]parley.SourceID, len(n.links))
	for i, link := range n.links {
		links[i] = old.takeLink(link.source.URL)
	}
	leaves, err := old.remainingBytes(ctx, tx, n)
	if err != nil {
		return err
	}
	plan := withExtraStorage(n.plan, leaves)
	if n.text != nil {
		id, err := n.writeText(ctx, tx, text, plan)
		if err != nil {
			return err
		}
		next.NewSources = append(next.NewSources, id)
	}
	for i, link := range n.links {
		id, err := n.writeLink(ctx, tx, link, links[i], plan)
		if err != nil {
			return err
		}
		next.NewSources = append(next.NewSources, id)
	}
	return nil
}

func (n *NewContent) writeText(ctx context.Context, tx *store.DB, target parley.SourceID,
	plan parley.Plan) (parley.SourceID, error) {
	if target == "" {
		return n.text.source.ID, n.text.create(ctx, tx, plan)
	}
	_, err := n.textUpdate.applyTo(ctx, tx, target, plan)
	if errors.Is(err, errUnchanged) {
		err = nil
	}
	return target, err
}

func (n *NewContent) writeLink(ctx context.Context, tx *store.DB, link *NewLink, target parley.SourceID,
	plan parley.Plan) (parley.SourceID, error) {
	if target == "" {
		wider := *link
		wider.plan = plan
		return link.source.ID, wider.Create(ctx, tx)
	}
	_, err := n.service.restartCrawl(ctx, tx, n.account.AgentRef(n.agent), target, link.source.CreatedAt, LinkChange{})
	return target, err
}

// oldContent holds the sources that an agent has: those taken from it are continued, and the rest is removed.
type oldContent struct{ sources []store.ManagedSource }

func (o *oldContent) takeFirst(matches func(*store.ManagedSource) bool) parley.SourceID {
	for i := range o.sources {
		if s := o.sources[i]; matches(&s) {
			o.sources = append(o.sources[:i:i], o.sources[i+1:]...)
			return s.ID
		}
	}
	return ""
}

// takeText takes the text that becomes the new one: one with the same content, else the oldest.
func (o *oldContent) takeText(w *draft) parley.SourceID {
	if w == nil {
		return ""
	}
	id := o.takeFirst(func(s *store.ManagedSource) bool { return s.Kind == parley.SourceText && s.Hash == w.version.Hash })
	if id == "" {
		id = o.takeFirst(func(s *store.ManagedSource) bool { return s.Kind == parley.SourceText })
	}
	return id
}

// takeLink takes the page of an address.
func (o *oldContent) takeLink(url string) parley.SourceID {
	return o.takeFirst(func(s *store.ManagedSource) bool {
		return s.Kind == parley.SourceLink && s.URL == url && linkRecordOf(&s.Source).Type == crawl.Individual
	})
}

// remainingBytes returns how many bytes are removed, those of sites' pages among them.
func (o *oldContent) remainingBytes(ctx context.Context, tx *store.DB, n *NewContent) (total int64, err error) {
	var sites []parley.SourceID
	for _, s := range o.sources {
		total += s.Size
		if s.Kind.HasPages() {
			sites = append(sites, s.ID)
		}
	}
	pages, err := tx.SumSitePages(ctx, n.account.AgentRef(n.agent), sites)
	for _, p := range pages {
		total += p.Size
	}
	return total, err
}

// withExtraStorage returns a plan that allows so many bytes more, those of content that is about to be removed.
func withExtraStorage(plan parley.Plan, bytes int64) parley.Plan {
	if plan.StoragePerAgent != nil {
		limit := *plan.StoragePerAgent + bytes
		plan.StoragePerAgent = &limit
	}
	return plan
}

// explainSizeError returns an error that names the storage of the plan itself, without what it allows while old and new
// content exist together.
func (n *NewContent) explainSizeError(err error) error {
	if parley.IsCode(err, parley.CodeSourceSize) {
		return parley.NewErrorf(parley.CodeSourceSize,
			"The %s plan allows %d bytes of sources for an agent, and this content would bring them to more.",
			n.plan.Name, *n.plan.StoragePerAgent)
	}
	return err
}

// ReplaceJob is the kind of the job that removes an agent's old content once the new content answers; its key is the
// agent's id.
const ReplaceJob = "content.succeed"

// replaceRetryDelay is how often the job looks whether the new content is read.
const replaceRetryDelay = time.Second

// removeBatchSize is how many sources one transaction removes at most.
const removeBatchSize = 40

// contentReplacement is new content that takes the place of old: what a ReplaceJob is about. A later one of the same
// agent overrides it.
type contentReplacement struct {
	ID         string            `json:"id"`
	Agent      parley.AgentID    `json:"agent"`
	NewSources []parley.SourceID `json:"new"`
	OldSources []parley.SourceID `json:"leaving"`
}

func (c contentReplacement) job(account parley.AccountID) jobs.Job {
	return jobs.Job{Kind: ReplaceJob, Key: string(c.Agent), AccountID: account, Payload: jobs.EncodePayload(c)}
}

// FinishReplacement handles ReplaceJob. It waits until all of the new content is trained or has failed; if none of
// it can be read, the old content stays, as the earlier version of a source does.
func (s *Service) FinishReplacement(ctx context.Context, job jobs.Job) error {
	replacement, err := jobs.DecodePayload[contentReplacement](job)
	if err != nil {
		return err
	}
	for more := true; more; {
		r := replacementRun{s, replacement, job.AccountID.AgentRef(replacement.Agent), s.Now()}
		err := s.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) (err error) {
			more, err = r.doStep(ctx, tx)
			return err
		})
		if err != nil {
			return ignoreDropped(err)
		}
	}
	return nil
}

// replacementRun is one run of a ReplaceJob.
type replacementRun struct {
	*Service
	contentReplacement
	agent parley.AgentRef
	now   time.Time
}

// doStep does one step, and reports whether another one follows at once.
func (r *replacementRun) doStep(ctx context.Context, tx *store.DB) (more bool, err error) {
	if err := tx.LockAgent(ctx, r.agent); err != nil {
		return false, err
	}
	if newest, err := r.isNewest(ctx, tx); err != nil || !newest || len(r.OldSources) == 0 {
		return false, err
	}
	settled, read, err := r.newContentState(ctx, tx)
	switch {
	case err != nil:
		return false, err
	case !settled:
		again := r.job(r.agent.Account)
		again.RunAt = r.now.Add(replaceRetryDelay)
		return false, r.Queue.Enqueue(ctx, tx.SQL(), again)
	case !read:
		return false, nil
	}
	return r.removeOldBatch(ctx, tx)
}

// isNewest reports whether no later content has come: it would have taken the place of this one, and of what leaves for
// it.
func (r *replacementRun) isNewest(ctx context.Context, tx *store.DB) (bool, error) {
	living, err := r.Queue.LiveJobs(ctx, tx.SQL(), ReplaceJob, r.agent.Account)
	if err != nil {
		return false, err
	}
	for _, job := range living {
		payload, err := jobs.DecodePayload[contentReplacement](job)
		if err == nil && job.Key == string(r.Agent) && payload.ID == r.ID {
			return true, nil
		}
	}
	return false, nil
}

// newContentState reports whether all of the new content is trained, failed or gone, and whether any of it is trained.
func (r *replacementRun) newContentState(ctx context.Context, tx *store.DB) (settled, read bool, err error) {
	for _, id := range r.NewSources {
		src, err := tx.Source(ctx, r.agent, id)
		switch {
		case parley.IsCode(err, parley.CodeSourceNotFound):
		case err != nil:
			return false, false, err
		case src.Status == parley.SourceUntrained || src.Status == parley.SourceUpdated:
			return false, false, nil
		case src.Status == parley.SourceTrained:
			read = true
		}
	}
	return true, read, nil
}

func (r *replacementRun) removeOldBatch(ctx context.Context, tx *store.DB) (more bool, err error) {
	left := 0
	for _, id := range r.OldSources {
		if left == removeBatchSize {
			return true, nil
		}
		switch _, err := r.deleteSource(ctx, tx, r.agent, id, r.now); {
		case parley.IsCode(err, parley.CodeSourceNotFound), parley.IsCode(err, parley.CodeSourceAlreadyDel):
		case err != nil:
			return false, err
		default:
			left++
		}
	}
	return false, nil
}
