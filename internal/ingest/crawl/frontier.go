package crawl

import "context"

// Frontier remembers the addresses of one site and what came of them. It is used by several goroutines at a time, of
// one run at a time. An address that is once known stays so: it is neither added again nor does its place change.
type Frontier interface {
	// Seed begins a run. Claims of a run that did not end are given back, and links that are not known are added. To
	// read a site again, an implementation lets pages that were Included or Unchanged wait once more, with their
	// validators, and forgets the rest: a page that has not changed is then not asked for its links, because what they
	// led to is known.
	Seed(ctx context.Context, links []Link) error
	// Next claims up to n of the addresses that wait, those nearest to the start first. It returns none when none is left.
	Next(ctx context.Context, n int) ([]Link, error)
	// AddLinks adds links, at most 200 at a time. Those with an ExcludeReason are Excluded at once, the others wait. It
	// counts those that were not known.
	AddLinks(ctx context.Context, links []Link) (added Counts, err error)
	// Outcome returns what is known of an address; its State is Waiting until it is done.
	Outcome(ctx context.Context, url string) (outcome Outcome, known bool, err error)
	// Finish ends a claim.
	Finish(ctx context.Context, link Link, outcome Outcome) error
	// Counts may be asked for at any time, also while nobody crawls.
	Counts(ctx context.Context) (Counts, error)
}

// Role is what an address is read as.
type Role string

// The roles.
const (
	PageRole    Role = ""
	SitemapRole Role = "map" // a sitemap, or an index of sitemaps
)

// Link is an address to be read.
type Link struct {
	URL           string // canonical
	Role          Role
	Depth         int    // clicks from the start; for sitemaps, how deep they are nested
	Hops          int    // redirects and canonical links that led here
	ExcludeReason string // for AddLinks: why it is left out
	Validators
}

// Validators are what a host said to tell versions of a page apart. They are sent back to it the next time, so that it
// need not send what has not changed.
type Validators struct {
	ETag         string // ETag
	LastModified string // Last-Modified
}

// State is what came of an address.
type State string

// The states.
const (
	Waiting       State = ""          // not read yet
	Included      State = "included"  // it was visited
	Unchanged     State = "unchanged" // the host says it is as it was the last time (304); it was not visited
	Excluded      State = "excluded"  // by the patterns, by robots.txt, by the page itself, or it is no text
	Failed        State = "failed"
	Merged        State = "merged" // another address is read instead of it
	ReadAsSitemap State = "read"   // a sitemap
)

// Outcome is what came of an address.
type Outcome struct {
	State      State
	Reason     string // why it was excluded or has failed, for the operator
	MergedInto string // where it was merged
	Status     int    // of the reply; 0 if there was none. A page that failed with 404 or 410 is gone
	Bytes      int64  // of the page, if it was included
	Validators
	Err error // the cause, for the log

	isHostFailure bool // it is the host that fails
}

// Counts are what came of all addresses of a site.
type Counts struct {
	Included int // with those that have not changed
	Excluded int
	Failed   int
	Other    int // merged, and sitemaps
	Waiting  int // claimed or not
	Bytes    int64
}

// Total counts the addresses.
func (c *Counts) Total() int { return c.Included + c.Excluded + c.Failed + c.Other + c.Waiting }

// Add counts n addresses more of a state.
func (c *Counts) Add(state State, n int) {
	switch state {
	case Included, Unchanged:
		c.Included += n
	case Excluded:
		c.Excluded += n
	case Failed:
		c.Failed += n
	case Merged, ReadAsSitemap:
		c.Other += n
	case Waiting:
		c.Waiting += n
	}
}

func failedOutcome(reason string, err error) Outcome {
	return Outcome{State: Failed, Reason: reason, Err: err}
}

func excludedOutcome(reason string) Outcome { return Outcome{State: Excluded, Reason: reason} }
