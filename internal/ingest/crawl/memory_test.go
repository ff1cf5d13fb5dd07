package crawl

import (
	"context"
	"slices"
	"sync"
)

// Memory is a frontier in memory. The zero value is ready to use.
type Memory struct {
	mu    sync.Mutex
	urls  []string
	links map[string]*memoryLink
}

type memoryLink struct {
	Link
	outcome Outcome
	claimed bool
}

var _ Frontier = (*Memory)(nil)

func (m *Memory) Seed(_ context.Context, links []Link) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, l := range m.links {
		l.claimed = false
	}
	m.add(links)
	return nil
}

// PrepareRecrawl prepares the frontier for reading the site again.
func (m *Memory) PrepareRecrawl() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.urls = slices.DeleteFunc(m.urls, func(url string) bool {
		l := m.links[url]
		if l.outcome.State != Included && l.outcome.State != Unchanged {
			delete(m.links, url)
			return true
		}
		l.Validators, l.outcome = l.outcome.Validators, Outcome{}
		return false
	})
}

func (m *Memory) Next(_ context.Context, n int) ([]Link, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var waiting []*memoryLink
	for _, url := range m.urls {
		if l := m.links[url]; l.outcome.State == Waiting && !l.claimed {
			waiting = append(waiting, l)
		}
	}
	slices.SortStableFunc(waiting, func(a, b *memoryLink) int { return a.Depth - b.Depth })
	var claimed []Link
	for _, l := range waiting[:min(n, len(waiting))] {
		l.claimed = true
		claimed = append(claimed, l.Link)
	}
	return claimed, nil
}

func (m *Memory) AddLinks(_ context.Context, links []Link) (Counts, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.add(links), nil
}

func (m *Memory) add(links []Link) (added Counts) {
	if m.links == nil {
		m.links = map[string]*memoryLink{}
	}
	for _, link := range links {
		if m.links[link.URL] != nil {
			continue
		}
		l := &memoryLink{Link: link}
		if link.ExcludeReason != "" {
			l.outcome = excludedOutcome(link.ExcludeReason)
		}
		added.Add(l.outcome.State, 1)
		m.links[link.URL] = l
		m.urls = append(m.urls, link.URL)
	}
	return added
}

func (m *Memory) Outcome(_ context.Context, url string) (Outcome, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	l, known := m.links[url]
	if !known {
		return Outcome{}, false, nil
	}
	return l.outcome, true, nil
}

func (m *Memory) Finish(_ context.Context, link Link, outcome Outcome) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	l := m.links[link.URL]
	l.outcome, l.claimed = outcome, false
	return nil
}

func (m *Memory) Counts(context.Context) (Counts, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var c Counts
	for _, l := range m.links {
		c.Add(l.outcome.State, 1)
		c.Bytes += l.outcome.Bytes
	}
	return c, nil
}
