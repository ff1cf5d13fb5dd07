package ingest

import (
	"context"
	"encoding/json"
	"time"

	"parley"
	"parley/internal/ingest/crawl"
	"parley/internal/jobs"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// Link is what is to be read of a website (facts 4.11).
type Link struct {
	URL              string
	Type             crawl.Kind
	Exclude, Include []string // regular expressions
	Slow             bool
}

// LinkRecord is the metadata of a link (facts 2.8f). SiteRecord is nil for an individual page.
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
func (d *Service) NewLink(account parley.Account, plan parley.Plan, agent parley.AgentID, link Link) (*NewLink, error) {
	if faults := crawl.Validate(link.site()); len(faults) > 0 {
		return nil, &parley.Error{Code: parley.CodeInvalidBody, Message: parley.CodeInvalidBody.DefaultMessage(), Details: faults}
	}
	u, err := crawl.Canonical(nil, link.URL)
	if err != nil {
		return nil, err // Validate has found none
	}
	now := d.Now()
	s := parley.Source{ID: parley.SourceID(parley.NewUUID()), AccountID: account.ID, AgentID: agent, Kind: parley.SourceLink, Name: stripNUL(link.URL),
		URL: u.String(), Status: parley.SourceUntrained, Metadata: link.record().encode(), CreatedAt: now, UpdatedAt: now}
	return &NewLink{service: d, source: s, kind: link.Type, plan: plan}, nil
}

// AddLink returns the agent a page or a site to read; it is read by a job. Fails with VALIDATION_INVALID_BODY, AGENT_NOT_FOUND,
// SOURCE_DUPLICATE for an address that is read in the same way already, or SOURCE_SIZE_LIMIT_EXCEEDED when there is no room left.
func (d *Service) AddLink(ctx context.Context, account parley.Account, plan parley.Plan, agent parley.AgentID, link Link) (*parley.Source, error) {
	n, err := d.NewLink(account, plan, agent, link)
	if err != nil {
		return nil, err
	}
	err = d.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
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

// Create writes the link in a transaction, and nothing when it fails; see AddLink.
func (n *NewLink) Create(ctx context.Context, tx *store.DB) error {
	s := n.source
	a, err := tx.AgentForUpdate(ctx, s.AccountID, s.AgentID, s.CreatedAt)
	if err != nil {
		return err
	}
	there, err := tx.LinksByURL(ctx, s.AccountID, s.AgentID, s.URL)
	if err != nil {
		return err
	}
	for i := range there {
		if linkRecordOf(&there[i]).Type == n.kind {
			return parley.NewError(parley.CodeSourceDuplicate)
		}
	}
	if !n.plan.AllowsStorage(a.Size + 1) {
		return parley.NewErrorf(parley.CodeSourceSize, "The %s plan allows %d bytes of sources for an agent, and there is no room for more.", n.plan.Name, *n.plan.StoragePerAgent)
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
	return tx.RecordEvents(ctx, s.AccountID, s.CreatedAt, sourceEvent("source.created", &s))
}

// scheduleSync says when the link is to be read again.
func (d *Service) scheduleSync(ctx context.Context, tx *store.DB, s *parley.Source, auto bool) error {
	if !auto {
		return tx.SetNextSync(ctx, s.AccountID, s.AgentID, s.ID, nil)
	}
	next := s.UpdatedAt.Add(resyncPeriod)
	return tx.SetNextSync(ctx, s.AccountID, s.AgentID, s.ID, &next)
}

func (l Link) site() crawl.Site {
	return crawl.Site{Start: l.URL, Kind: l.Type, Include: l.Include, Exclude: l.Exclude, Slow: l.Slow}
}

func (l Link) record() LinkRecord {
	r := LinkRecord{Type: l.Type}
	if l.Type != crawl.Individual {
		r.SiteRecord = &SiteRecord{ExcludePaths: append([]string{}, l.Exclude...), IncludeOnlyPaths: append([]string{}, l.Include...),
			SlowScraping: l.Slow, CrawlStatus: statusFetching}
	}
	return r
}

// toLink returns back what the record was made of.
func (r LinkRecord) toLink(url string) Link {
	l := Link{URL: url, Type: r.Type}
	if r.SiteRecord != nil {
		l.Exclude, l.Include, l.Slow = r.ExcludePaths, r.IncludeOnlyPaths, r.SlowScraping
	}
	return l
}

func (r LinkRecord) encode() json.RawMessage {
	b, err := json.Marshal(r)
	if err != nil {
		panic(err) // strings and numbers always encode
	}
	return b
}

func linkRecordOf(s *parley.Source) (r LinkRecord) {
	if json.Unmarshal(s.Metadata, &r) != nil || r.Type == "" {
		return LinkRecord{Type: crawl.Individual}
	}
	return r
}
