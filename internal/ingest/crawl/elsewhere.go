package crawl

import (
	"context"
	"net/url"

	"parley/internal/outbound"
)

const maxHops = 5 // redirects and canonical links, one after the other

// moved handles a redirect: its target becomes an address like any other, in the place of this one.
func (r *run) moved(ctx context.Context, link Link, u *url.URL, reply *outbound.Reply) (Outcome, error) {
	location := reply.Header.Get("Location")
	to, err := Canonical(u, location)
	switch {
	case location == "":
		return statusFailed(reply), nil
	case err != nil:
		return failed("it redirects to an address that cannot be read", err), nil
	case to.String() == link.URL:
		return failed("it redirects to itself", nil), nil
	case link.Hops >= maxHops:
		return failed("there are too many redirects", nil), nil
	case !r.inside(to) && link.Depth == 0:
		return failed("it redirects to another site: "+to.Host, nil), nil
	case !r.inside(to):
		return excluded("it redirects to another site: " + to.Host), nil
	case link.Role == PageRole && !r.wanted(to) && !r.leads(link):
		return excluded(byPattern), nil
	}
	if round, err := r.leadsBack(ctx, to.String(), link.URL); err != nil || round {
		return failed("its redirects go round in a circle", nil), err
	}
	next := Link{URL: to.String(), Role: link.Role, Depth: link.Depth, Hops: link.Hops + 1}
	return Outcome{State: Merged, To: next.URL}, r.add(ctx, []Link{next})
}

// leadsBack reports whether an address has been merged, step by step, into another.
func (r *run) leadsBack(ctx context.Context, from, to string) (bool, error) {
	for range maxHops + 1 {
		outcome, _, err := r.frontier.Outcome(ctx, from)
		if err != nil || outcome.State != Merged {
			return false, err
		}
		if from = outcome.To; from == to {
			return true, nil
		}
	}
	return false, nil
}

// elsewhere follows a canonical link: it gives the address that is read in this one's stead, or nothing if it is this one. The
// link counts inside the site only, and not where the other cannot stand in: it has failed or was itself given up for another,
// it is left out, or it is the front page, which careless templates name on every page.
func (r *run) elsewhere(ctx context.Context, link Link, u, canonical *url.URL) (string, error) {
	if canonical == nil || r.Kind == Individual || link.Hops >= maxHops {
		return "", nil
	}
	to := canonical.String()
	if to == link.URL || !r.inside(canonical) || !r.wanted(canonical) || canonical.RequestURI() == "/" && u.Path != "/" {
		return "", nil
	}
	r.mu.Lock()
	_, given := r.merged[to]
	if !given {
		r.merged[link.URL] = to // before looking, so that of two that name one another one stays
	}
	r.mu.Unlock()
	stands, err := r.standsIn(ctx, to, given)
	if err != nil || !stands {
		r.mu.Lock()
		delete(r.merged, link.URL)
		r.mu.Unlock()
		return "", err
	}
	return to, r.add(ctx, []Link{{URL: to, Depth: link.Depth, Hops: link.Hops + 1}})
}

func (r *run) standsIn(ctx context.Context, to string, given bool) (bool, error) {
	if given {
		return false, nil
	}
	outcome, _, err := r.frontier.Outcome(ctx, to)
	switch outcome.State {
	case Waiting, Included, Unchanged:
		return true, err
	default:
		return false, err
	}
}
