package store

import (
	"context"

	"parley"
	"parley/internal/sqldb"
)

// Crawl is one reading of a link. What it writes is refused with SOURCE_NOT_FOUND once the link is read again or is
// gone.
type Crawl struct {
	Account parley.AccountID
	Agent   parley.AgentID
	Source  parley.SourceID
	Run     int64
}

// CrawlPage is an address that a reading has found. State is empty while it waits.
type CrawlPage struct {
	ID                 string
	URL, Role          string
	Depth, Hops        int
	Position           int64 // in the order in which addresses were found
	Excluded           bool  // it is not to be read, by the settings of the link
	State, Reason      string
	TargetURL          string // the other address that it stands for
	Status             int
	Bytes              int64
	ETag, LastModified string // validators
}

// CrawlCount is how many addresses of a reading are in a state, and their bytes.
type CrawlCount struct {
	State        string
	Count        int
	Bytes        int64
	LastPosition int64 // place of the last one
}

var crawlPageTable = newTable("crawl_pages", func(p *CrawlPage) []field {
	return append(foundPageFields(p),
		field{"target", &p.TargetURL},
		field{"status", &p.Status},
		field{"bytes", &p.Bytes},
		field{"etag", &p.ETag},
		field{"modified", &p.LastModified})
})

// foundPageFields has what is known of an address before it is read.
func foundPageFields(p *CrawlPage) []field {
	return []field{
		{"id", &p.ID},
		{"url", &p.URL},
		{"role", &p.Role},
		{"depth", &p.Depth},
		{"hops", &p.Hops},
		{"place", &p.Position},
		{"left_out", boolDest{&p.Excluded}},
		{"state", &p.State},
		{"reason", &p.Reason},
	}
}

// foundPage is an address as it is written when it is found: with the reading that has found it.
type foundPage struct {
	crawl Crawl
	page  CrawlPage
}

var foundPageTable = newTable("crawl_pages", func(p *foundPage) []field {
	return append(foundPageFields(&p.page),
		field{"account_id", &p.crawl.Account},
		field{"agent_id", &p.crawl.Agent},
		field{"source_id", &p.crawl.Source})
})

const crawlWhere = ` source_id = ? and agent_id = ? and account_id = ?`

func (c Crawl) ownerArgs() []any { return []any{c.Source, c.Agent, c.Account} }

// LockCrawl returns the link's source and keeps every other writer of its row out until the transaction ends. Fails
// with SOURCE_NOT_FOUND when the reading is not the latest one.
func (db *DB) LockCrawl(ctx context.Context, c Crawl) (*parley.Source, error) {
	s, err := db.LockSource(ctx, parley.AgentRef{Account: c.Account, Agent: c.Agent}, c.Source)
	if err != nil {
		return nil, err
	}
	run, err := db.CrawlRun(ctx, parley.AgentRef{Account: c.Account, Agent: c.Agent}, c.Source)
	if err == nil && (run != c.Run || s.Status == parley.SourceToBeDeleted) {
		err = parley.NewError(parley.CodeSourceNotFound)
	}
	return s, err
}

// CrawlRun returns the number of a link's latest reading. Fails with SOURCE_NOT_FOUND.
func (db *DB) CrawlRun(ctx context.Context, ref parley.AgentRef, id parley.SourceID) (int64, error) {
	run, err := sqldb.One(ctx, db.sql, sqldb.Column[int64], `
		select crawl_run
		from sources
		where id = ? and agent_id = ? and account_id = ? and deleted_at is null`, id, ref.Agent, ref.Account)
	return run, mapNotFound(err, parley.CodeSourceNotFound)
}

// unlisted is the state of pages that wait for a sitemap to list them again.
const unlisted = "unlisted"

// RestartCrawl begins another reading of a link. Addresses that were read, or could not be, wait again, with their
// validators; the rest is forgotten but for what the settings leave out. With afresh validators are forgotten too, and
// so is what was left out. With listed the pages wait until they are found again.
func (db *DB) RestartCrawl(ctx context.Context, ref parley.AgentRef, id parley.SourceID, clearValidators,
	waitForListing bool) error {
	c := Crawl{Account: ref.Account, Agent: ref.Agent, Source: id}
	state := ""
	if waitForListing {
		state = unlisted
	}
	steps := []string{
		`update sources set crawl_run = crawl_run + 1 where id = ? and agent_id = ? and account_id = ?`,
		`delete from crawl_pages where` + crawlWhere + ` and (state = 'merged' or role <> '')`,
		`update crawl_pages set state = '` + state +
			`', reason = '', target = '', status = 0, bytes = 0, claimed = 0, hops = 0 where` + crawlWhere + `
			and left_out = 0`,
	}
	if clearValidators {
		steps = append(steps, `delete from crawl_pages where`+crawlWhere+` and left_out = 1`,
			`update crawl_pages set etag = '', modified = '' where`+crawlWhere)
	}
	for _, step := range steps {
		if err := db.exec(ctx, step, c.ownerArgs()...); err != nil {
			return err
		}
	}
	return nil
}

// SeedCrawl begins a run of a reading: addresses that a dead run has claimed wait again, and pages that are not known
// are added. It must be called in a transaction.
func (db *DB) SeedCrawl(ctx context.Context, c Crawl, pages []CrawlPage) error {
	if _, err := db.LockCrawl(ctx, c); err != nil {
		return err
	}
	if err := db.exec(ctx, `
		update crawl_pages set claimed = 0
		where`+crawlWhere+`
		and claimed = 1`, c.ownerArgs()...); err != nil {
		return err
	}
	_, err := db.insertCrawlPages(ctx, c, pages)
	return err
}

// AddCrawlPages adds addresses, and returns the states of those that were not known or waited to be listed. It must be
// called in a transaction.
func (db *DB) AddCrawlPages(ctx context.Context, c Crawl, pages []CrawlPage) ([]string, error) {
	if _, err := db.LockCrawl(ctx, c); err != nil {
		return nil, err
	}
	return db.insertCrawlPages(ctx, c, pages)
}

func (db *DB) insertCrawlPages(ctx context.Context, c Crawl, pages []CrawlPage) ([]string, error) {
	if len(pages) == 0 {
		return nil, nil
	}
	rows := make([]*foundPage, len(pages))
	for i, p := range pages {
		rows[i] = &foundPage{c, p}
	}
	query, args := foundPageTable.insertion(overwrite("source_id, url", "state", "left_out", "reason", "depth", "hops",
		"place")+` where crawl_pages.state = '`+unlisted+`' returning state`, rows...)
	return sqldb.All(ctx, db.sql, sqldb.Column[string], query, args...)
}

// ClaimCrawlPages claims the next addresses that wait, nearest to the start first. It must be called in a transaction.
func (db *DB) ClaimCrawlPages(ctx context.Context, c Crawl, n int) ([]CrawlPage, error) {
	if _, err := db.LockCrawl(ctx, c); err != nil {
		return nil, err
	}
	list, err := crawlPageTable.list(ctx, db, `
		where`+crawlWhere+`
		and state = '' and claimed = 0
		order by depth, place
		limit ?`, append(c.ownerArgs(), n)...)
	if err != nil || len(list) == 0 {
		return list, err
	}
	args := c.ownerArgs()
	for _, p := range list {
		args = append(args, p.ID)
	}
	err = db.exec(ctx, `
		update crawl_pages set claimed = 1
		where`+crawlWhere+` and id in `+placeholders(len(list)), args...)
	return list, err
}

// CrawledPage returns what is known of an address; known is false if nothing is.
func (db *DB) CrawledPage(ctx context.Context, c Crawl, url string) (page CrawlPage, known bool, err error) {
	found, err := crawlPageTable.findOrNil(ctx, db, `where`+crawlWhere+` and url = ?`, append(c.ownerArgs(), url)...)
	if err != nil || found == nil || found.State == unlisted {
		return CrawlPage{}, false, err
	}
	return *found, true, nil
}

// SavePageOutcome writes down what came of an address, by its URL. It must be called in a transaction that has locked
// the crawl.
func (db *DB) SavePageOutcome(ctx context.Context, c Crawl, p CrawlPage) error {
	args := append([]any{p.State, p.Reason, p.TargetURL, p.Status, p.Bytes, p.ETag, p.LastModified}, c.ownerArgs()...)
	return db.exec(ctx, `
		update crawl_pages set
		  state = ?,
		  reason = ?,
		  target = ?,
		  status = ?,
		  bytes = ?,
		  etag = ?,
		  modified = ?,
		  claimed = 0
		where`+crawlWhere+`
		and url = ?`,
		append(args, p.URL)...)
}

// ClearPageValidators makes an address whose source is removed be read in full when it comes again.
func (db *DB) ClearPageValidators(ctx context.Context, c Crawl, url string) error {
	return db.exec(ctx, `
		update crawl_pages set
		  etag = '',
		  modified = ''
		where`+crawlWhere+`
		and url = ?`, append(c.ownerArgs(), url)...)
}

// SaveCrawlMetadata writes the metadata of a link alone, which no counter follows from.
func (db *DB) SaveCrawlMetadata(ctx context.Context, c Crawl, metadata []byte) error {
	return db.exec(ctx, `
		update sources set metadata = ?
		where id = ? and agent_id = ? and account_id = ? and deleted_at is null`,
		string(metadata), c.Source, c.Agent, c.Account)
}

// CrawlPages lists the addresses that the readings of a link have found, by address.
func (db *DB) CrawlPages(ctx context.Context, ref parley.AgentRef, id parley.SourceID,
	ask parley.PageRequest) (page parley.Page[CrawlPage], err error) {
	owner, after := []any{id, ref.Agent, ref.Account}, ""
	if ask.After != nil {
		after = ask.After.ID
	}
	page.Total, err = db.count(ctx, `from crawl_pages where source_id = ? and agent_id = ? and account_id = ?`, owner...)
	if err != nil {
		return page, err
	}
	list, err := crawlPageTable.list(ctx, db, `
		where source_id = ? and agent_id = ? and account_id = ? and url > ?
		order by url
		limit ?`, append(owner, after, ask.Limit+1)...)
	page.Items, page.Next = cutPage(list, ask.Limit, func(p CrawlPage) parley.Cursor { return parley.Cursor{ID: p.URL} })
	return page, err
}

// CrawlCounts counts the addresses of a reading by their state.
func (db *DB) CrawlCounts(ctx context.Context, c Crawl) ([]CrawlCount, error) {
	return sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (n CrawlCount, err error) {
		err = scan(&n.State, &n.Count, &n.Bytes, &n.LastPosition)
		return n, err
	}, `
		select state, count(*), sum(bytes), max(place)
		from crawl_pages
		where`+crawlWhere+` group by state order by state`, c.ownerArgs()...)
}

// FirstCrawlFailure returns the first reason, from the start of the link on, for which an address was not read; empty
// for none.
func (db *DB) FirstCrawlFailure(ctx context.Context, c Crawl) (string, error) {
	list, err := sqldb.All(ctx, db.sql, sqldb.Column[string], `
		select reason
		from crawl_pages
		where`+crawlWhere+`
		and state in ('failed', 'excluded') and reason <> ''
		order by case state when 'failed' then 0 else 1 end, depth, place
		limit 1`, c.ownerArgs()...)
	if err != nil || len(list) == 0 {
		return "", err
	}
	return list[0], nil
}
