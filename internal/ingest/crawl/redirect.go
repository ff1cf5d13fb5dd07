package crawl

import (
	"context"
	"net/url"
	"slices"

	"parley/internal/outbound"
)

const maxHops = 5 // redirects and canonical links, one after the other

// followRedirect handles a redirect: its target becomes an address like any other, in the place of this one.
func (r *crawlRun) followRedirect(ctx context.Context, link Link, u *url.URL, reply *outbound.Response) (Outcome,
	error) {
	location := reply.Header.Get("Location")
	to, err := Canonical(u, location)
	switch {
	case location == "":
		return statusFailedOutcome(reply), nil
	case err != nil:
		return failedOutcome("it redirects to an address that cannot be read", err), nil
	case to.String() == link.URL:
		return failedOutcome("it redirects to itself", nil), nil
	case link.Hops >= maxHops:
		return failedOutcome("there are too many redirects", nil), nil
	case !r.isInside(to) && link.Depth == 0:
		return failedOutcome("it redirects to another site: "+to.Host, nil), nil
	case !r.isInside(to):
		return excludedOutcome("it redirects to another site: " + to.Host), nil
	case link.Role == PageRole && !r.isWanted(to) && !r.readsForLinks(link):
		return excludedOutcome(excludedByPattern), nil
	}
	if round, err := r.isRedirectLoop(ctx, to.String(), link.URL); err != nil || round {
		return failedOutcome("its redirects go round in a circle", nil), err
	}
	next := Link{URL: to.String(), Role: link.Role, Depth: link.Depth, Hops: link.Hops + 1}
	return Outcome{State: Merged, MergedInto: next.URL}, r.addLinks(ctx, []Link{next})
}

// isRedirectLoop reports whether an address has been merged, step by step, into another.
func (r *crawlRun) isRedirectLoop(ctx context.Context, from, to string) (bool, error) {
	for range maxHops + 1 {
		outcome, _, err := r.frontier.Outcome(ctx, from)
		if err != nil || outcome.State != Merged {
			return false, err
		}
		if from = outcome.MergedInto; from == to {
			return true, nil
		}
	}
	return false, nil
}

// resolveCanonical follows a canonical link, and returns the address that is read instead of this one, or nothing if it
// is this one. The link counts inside the site only, and not where the other cannot stand in: it has failed or was
// itself given up for another, it is left out, or it is the front page, which careless templates name on every page.
func (r *crawlRun) resolveCanonical(ctx context.Context, link Link, u, canonical *url.URL) (string, error) {
	if canonical == nil || r.Kind == Individual || link.Hops >= maxHops {
		return "", nil
	}
	to := canonical.String()
	if to == link.URL || !r.isInside(canonical) || !r.isWanted(canonical) ||
		canonical.RequestURI() == "/" && u.Path != "/" {
		return "", nil
	}
	r.mu.Lock()
	_, isMerged := r.mergedInto[to]
	if !isMerged {
		r.mergedInto[link.URL] = to // before looking, so that of two that name one another one stays
	}
	r.mu.Unlock()
	outcome, _, err := r.frontier.Outcome(ctx, to)
	if err == nil && !isMerged && slices.Contains([]State{Waiting, Included, Unchanged}, outcome.State) {
		return to, r.addLinks(ctx, []Link{{URL: to, Depth: link.Depth, Hops: link.Hops + 1}})
	}
	r.mu.Lock()
	delete(r.mergedInto, link.URL)
	r.mu.Unlock()
	return "", err
}
