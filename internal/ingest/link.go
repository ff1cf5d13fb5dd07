package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/ingest/crawl"
	"parley/internal/jobs"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// linkKind is the kind of sources that are read of websites: pages, and sites with their pages below them.
var linkKind = sourceKind{newJob: newLinkJob, pieces: linkPieces}

// newLinkJob returns the job that reads a link, or trains a page of a site, whose text is known.
func newLinkJob(s *parley.Source) jobs.Job {
	if s.ParentID != "" {
		return newTrainJob(s)
	}
	return newCrawlJob(s)
}

func linkPieces(_ *parley.Source, v *parley.Version) (iter.Seq[Piece], error) {
	if v.Content == nil {
		return EachPiece(v.Text), nil
	}
	var page pageContent
	if err := decodeContent(v, &page); err != nil {
		return nil, err
	}
	return eachPiece(v.Text, page.withTitle), nil
}

// Link is what is to be read of a website (docs/interface/sources.md#links).
type Link struct {
	URL              string
	Type             crawl.Kind
	Exclude, Include []string // regular expressions
	Slow             bool
}

// LinkRecord is the metadata of a link (docs/interface/sources.md#links). SiteRecord is nil for an individual page.
type LinkRecord struct {
	Type crawl.Kind `json:"type"`
	*SiteRecord
}

// SiteRecord is the metadata of a link to more than one page.
type SiteRecord struct {
	ExcludePaths     []string `json:"excludePaths"`
	IncludeOnlyPaths []string `json:"includeOnlyPaths"`
	SlowScraping     bool     `json:"slowScraping"`
	CrawlStatus      string   `json:"crawlStatus"` // fetching, fetched, failed
	Children         Children `json:"children"`
}

// Children counts the addresses of a site by what came of them.
type Children struct {
	Included int `json:"included"`
	Excluded int `json:"excluded"`
	Failed   int `json:"failed"`
}

// Values of SiteRecord.CrawlStatus.
const (
	statusFetching = "fetching"
	statusFetched  = "fetched"
	statusFailed   = "failed"
)

// resyncPeriod is how often the links of an agent with automatic re-sync are read again.
const resyncPeriod = 7 * 24 * time.Hour

// CrawlJob is the kind of the job that reads a link; its key is the source's id.
const CrawlJob = "source.crawl"

func newCrawlJob(s *parley.Source) jobs.Job {
	job := newJob(CrawlJob, s)
	job.MaxAttempts = 0 // the usual: sites are away for longer than texts
	return job
}

// NewLink is a link that is not written yet.
type NewLink struct {
	service *Service
	source  parley.Source
	kind    crawl.Kind
	plan    parley.Plan
}

// NewLink checks a link for an agent. Fails with VALIDATION_INVALID_BODY, by field, for what cannot be read.
func (s *Service) NewLink(caller parley.Caller, agent parley.AgentID, link Link) (*NewLink, error) {
	if err := link.Check(); err != nil {
		return nil, err
	}
	u, err := crawl.Canonical(nil, link.URL)
	if err != nil {
		return nil, err // Validate has found none
	}
	now := s.Now()
	src := parley.Source{ID: parley.SourceID(parley.NewUUID()), AccountID: caller.Account.ID, AgentID: agent,
		Kind: parley.SourceLink, Name: parley.StorableText(link.URL),
		URL: u.String(), Status: parley.SourceUntrained, Metadata: encodeRecord(link.record()), CreatedAt: now,
		UpdatedAt: now}
	return &NewLink{service: s, source: src, kind: link.Type, plan: caller.Plan}, nil
}

// ID returns the id that the link has once it is written.
func (n *NewLink) ID() parley.SourceID { return n.source.ID }

// AddLink adds a page or a site to the agent's sources; it is read by a job. Fails with VALIDATION_INVALID_BODY,
// AGENT_NOT_FOUND, SOURCE_DUPLICATE for an address that is read in the same way already, or SOURCE_SIZE_LIMIT_EXCEEDED
// when the storage of the plan is full.
func (s *Service) AddLink(ctx context.Context, caller parley.Caller, agent parley.AgentID,
	link Link) (*parley.Source, error) {
	n, err := s.NewLink(caller, agent, link)
	if err != nil {
		return nil, err
	}
	err = s.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		if err := n.Create(ctx, tx); err != nil {
			return err
		}
		return tx.CompleteClaim(ctx, "source:"+string(n.source.ID))
	})
	if err != nil {
		return nil, err
	}
	return &n.source, nil
}

// PutLink makes the agent's link of that key what it is to be: it is added when there is none, and read again when its
// settings differ. Fails as AddLink and ChangeLink do, and with VALIDATION_INVALID_BODY for another address.
func (s *Service) PutLink(ctx context.Context, caller parley.Caller, agent parley.AgentID, key string,
	link Link) error {
	n, err := s.NewLink(caller, agent, link)
	if err != nil {
		return err
	}
	return s.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		existing, err := findForKey(ctx, tx, n.source.AgentRef(), key)
		switch {
		case err != nil:
			return err
		case existing == nil:
			if err := n.Create(ctx, tx); err != nil {
				return err
			}
			return tx.SetSourceKey(ctx, n.source.AgentRef(), n.source.ID, key)
		case existing.URL != n.source.URL:
			return parley.Invalid("url", "cannot change; another key makes another source")
		case LinkOf(existing).Equals(link):
			return nil
		}
		_, err = s.restartCrawl(ctx, tx, n.source.AgentRef(), existing.ID, n.source.CreatedAt, link.change())
		return err
	})
}

// Check fails with VALIDATION_INVALID_BODY, by field, for a link that cannot be read.
func (l Link) Check() error { return parley.InvalidFields(crawl.Validate(l.site())) }

// LinkOf returns what a link stands for, by its address as it was written.
func LinkOf(s *parley.Source) Link { return linkRecordOf(s).toLink(s.Name) }

// Equals reports whether the same is read in the same way, from whatever address.
func (l Link) Equals(other Link) bool {
	return l.Type == other.Type && (l.Type == crawl.Individual || l.Slow == other.Slow &&
		slices.Equal(l.Exclude, other.Exclude) && slices.Equal(l.Include, other.Include))
}

// change returns the change that makes an existing link be read in this way.
func (l Link) change() LinkChange {
	return LinkChange{Exclude: append([]string{}, l.Exclude...), Include: append([]string{}, l.Include...), Slow: &l.Slow}
}

// Create writes the link in a transaction, and nothing when it fails; see AddLink.
func (n *NewLink) Create(ctx context.Context, tx *store.DB) error {
	s := n.source
	a, err := tx.AgentForUpdate(ctx, s.AgentRef(), s.CreatedAt)
	if err != nil {
		return err
	}
	existing, err := tx.LinksByURL(ctx, s.AgentRef(), s.URL)
	if err != nil {
		return err
	}
	for i := range existing {
		if linkRecordOf(&existing[i]).Type == n.kind {
			return parley.NewError(parley.CodeSourceDuplicate)
		}
	}
	if !n.plan.AllowsStorage(a.Size + 1) {
		return parley.NewErrorf(parley.CodeSourceSize,
			"The %s plan allows %d bytes of sources for an agent, and there is no room for more.", n.plan.Name,
			*n.plan.StoragePerAgent)
	}
	if _, err := tx.CreateSource(ctx, &s); err != nil {
		return err
	}
	if err := n.service.scheduleSync(ctx, tx, &s, a.AutoRetrain); err != nil {
		return err
	}
	if err := n.service.Queue.Enqueue(ctx, tx.SQL(), newCrawlJob(&s)); err != nil {
		return err
	}
	return tx.RecordEvents(ctx, s.AccountID, s.CreatedAt, sourceEvent(parley.EventSourceCreated, &s))
}

// scheduleSync sets when the link is to be read again.
func (s *Service) scheduleSync(ctx context.Context, tx *store.DB, src *parley.Source, auto bool) error {
	if !auto {
		return tx.SetNextSync(ctx, src.AgentRef(), src.ID, nil)
	}
	next := src.UpdatedAt.Add(resyncPeriod)
	return tx.SetNextSync(ctx, src.AgentRef(), src.ID, &next)
}

func (l Link) site() crawl.Site {
	return crawl.Site{Start: l.URL, Kind: l.Type, Include: l.Include, Exclude: l.Exclude, Slow: l.Slow}
}

func (l Link) record() LinkRecord {
	r := LinkRecord{Type: l.Type}
	if l.Type != crawl.Individual {
		r.SiteRecord = &SiteRecord{ExcludePaths: append([]string{}, l.Exclude...),
			IncludeOnlyPaths: append([]string{}, l.Include...), SlowScraping: l.Slow, CrawlStatus: statusFetching}
	}
	return r
}

// toLink returns the link that the record was made of.
func (r LinkRecord) toLink(url string) Link {
	l := Link{URL: url, Type: r.Type}
	if r.SiteRecord != nil {
		l.Exclude, l.Include, l.Slow = r.ExcludePaths, r.IncludeOnlyPaths, r.SlowScraping
	}
	return l
}

func linkRecordOf(s *parley.Source) (r LinkRecord) {
	if json.Unmarshal(s.Metadata, &r) != nil || r.Type == "" {
		return LinkRecord{Type: crawl.Individual}
	}
	return r
}

// LinkChange is a change of a link; nil fields stay. The settings of an individual page do not matter.
type LinkChange struct {
	Exclude, Include []string
	Slow             *bool
}

// ChangeLink changes how a link is read and reads it again, in any case. What was read before answers meanwhile. Fails
// with AGENT_NOT_FOUND, SOURCE_NOT_FOUND (also for a source that is no link), SOURCE_PENDING_DELETION or
// VALIDATION_INVALID_BODY.
func (s *Service) ChangeLink(ctx context.Context, ref parley.AgentRef, id parley.SourceID,
	change LinkChange) (*parley.Source, error) {
	now := s.Now()
	var after *parley.Source
	err := s.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) (err error) {
		after, err = s.restartCrawl(ctx, tx, ref, id, now, change)
		return err
	})
	return after, err
}

// restartCrawl begins another reading of a link. Where the patterns are others, nothing that is known of its pages is
// relied on.
func (s *Service) restartCrawl(ctx context.Context, tx *store.DB, ref parley.AgentRef, id parley.SourceID,
	now time.Time, change LinkChange) (*parley.Source, error) {
	a, err := tx.AgentForUpdate(ctx, ref, now)
	if err != nil {
		return nil, err
	}
	pages, err := tx.CountLivePages(ctx, ref, id)
	if err != nil {
		return nil, err
	}
	patternsChanged := false
	src, _, err := tx.UpdateSource(ctx, ref, id, func(src *parley.Source) (err error) {
		patternsChanged, err = change.applyTo(src)
		if err != nil {
			return err
		}
		src.Failure, src.UpdatedAt, src.Status = "", now, parley.SourceUntrained
		if src.LiveVersion != "" || pages > 0 {
			src.Status = parley.SourceUpdated
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := tx.RestartCrawl(ctx, ref, id, patternsChanged, linkRecordOf(src).Type == crawl.Sitemap); err != nil {
		return nil, err
	}
	if err := s.scheduleSync(ctx, tx, src, a.AutoRetrain); err != nil {
		return nil, err
	}
	if err := s.Queue.Enqueue(ctx, tx.SQL(), newCrawlJob(src)); err != nil {
		return nil, err
	}
	return src, tx.RecordEvents(ctx, ref.Account, now, sourceEvent(parley.EventSourceUpdated, src))
}

// applyTo changes the record of the link, and reports whether its patterns are others.
func (c LinkChange) applyTo(s *parley.Source) (patternsChanged bool, err error) {
	switch {
	case s.Kind != parley.SourceLink || s.ParentID != "":
		return false, parley.NewError(parley.CodeSourceNotFound)
	case s.Status == parley.SourceToBeDeleted:
		return false, parley.NewError(parley.CodeSourcePendingDel)
	}
	r := linkRecordOf(s)
	if r.SiteRecord == nil {
		return false, nil
	}
	l := r.toLink(s.URL)
	if c.Exclude != nil {
		l.Exclude = c.Exclude
	}
	if c.Include != nil {
		l.Include = c.Include
	}
	if c.Slow != nil {
		l.Slow = *c.Slow
	}
	if err := parley.InvalidFields(crawl.Validate(l.site())); err != nil {
		return false, err
	}
	s.Metadata = encodeRecord(l.record())
	return !slices.Equal(l.Exclude, r.ExcludePaths) || !slices.Equal(l.Include, r.IncludeOnlyPaths), nil
}

// pageContent is the content of a version of an individual page, beside its text: such a source is called by its
// address (docs/interface/sources.md#record), and its passages would not say what they are of.
type pageContent struct {
	Title string `json:"title,omitempty"`
}

// withTitle puts the page's title above a path of headings that does not say it.
func (p pageContent) withTitle(path string) string {
	if strings.Contains(path, p.Title) || path != "" && strings.Contains(p.Title, path) {
		return path
	}
	return joinTitles(p.Title, path)
}

const (
	resyncInterval  = time.Minute
	resyncBatchSize = 50 // links together
)

// Run has links read again when their time has come, until ctx is done.
func (s *Service) Run(ctx context.Context) error {
	return jobs.RunEvery(ctx, resyncInterval, s.logger(), "read links again", s.Resync)
}

// Resync begins to read again the links whose week is over, of agents with automatic re-sync
// (docs/interface/sources.md#automatic-re-sync).
func (s *Service) Resync(ctx context.Context) error {
	now := s.Now()
	for {
		due, err := s.DB.DueLinks(ctx, now, resyncBatchSize)
		if err != nil {
			return err
		}
		for i := range due {
			if err := s.resyncLink(ctx, &due[i], now); err != nil {
				return err
			}
		}
		if len(due) < resyncBatchSize {
			return nil
		}
	}
}

func (s *Service) resyncLink(ctx context.Context, src *parley.Source, now time.Time) error {
	err := s.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		if err := tx.LockAgent(ctx, src.AgentRef()); err != nil { // before the source's row, always
			return err
		}
		current, err := tx.LockSource(ctx, src.AgentRef(), src.ID)
		if err != nil {
			return err
		}
		due, err := tx.IsSyncDue(ctx, src.AgentRef(), src.ID, now)
		if err != nil || !due {
			return err
		}
		if current.Status == parley.SourceUntrained || current.Status == parley.SourceUpdated {
			return s.requeueCrawl(ctx, tx, current, now)
		}
		_, err = s.restartCrawl(ctx, tx, src.AgentRef(), src.ID, now, LinkChange{})
		return err
	})
	if isDropped(err) || parley.IsCode(err, parley.CodeSourcePendingDel) || errors.Is(err, errUnchanged) {
		return nil
	}
	return err
}

// requeueCrawl leaves a link that is being read to that reading, and brings its job back to life where it has died.
func (s *Service) requeueCrawl(ctx context.Context, tx *store.DB, src *parley.Source, now time.Time) error {
	next := now.Add(resyncPeriod)
	if err := tx.SetNextSync(ctx, src.AgentRef(), src.ID, &next); err != nil {
		return err
	}
	return s.Queue.Enqueue(ctx, tx.SQL(), newCrawlJob(src))
}
