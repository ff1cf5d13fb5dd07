package actions

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"parley"
	"parley/internal/chat"
	"parley/internal/outbound"
)

const (
	searchTimeout   = 15 * time.Second
	maxResults      = 5
	maxSnippetBytes = 400  // bytes
	maxQueryBytes   = 1000 // bytes of a query
)

var errNoEngine = errors.New("web-search is not offered: the server has no PARLEY_SEARCH_URL")

// WebSearch is the operator's search engine, which answers like SearXNG.
type WebSearch struct {
	address *url.URL
	http    *outbound.Client
}

// NewWebSearch returns the engine with that JSON endpoint, such as http://searxng:8080/search. It may be in a private
// network, since the operator has configured it.
func NewWebSearch(address string) (*WebSearch, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return nil, errors.New("not an http:// or https:// address without a user")
	}
	return &WebSearch{u, &outbound.Client{AllowedHosts: []string{outbound.HostPort(u)}}}, nil
}

// Close drops idle connections.
func (s *WebSearch) Close() { s.http.Close() }

// SearchResult is one result of a search.
type SearchResult struct {
	Title   string `json:"title"`
	URL     string `json:"url"`
	Snippet string `json:"snippet"`
}

// Find searches the web, on these sites only if there are any, and returns at most five results. Fails with
// *outbound.Error.
func (s *WebSearch) Find(ctx context.Context, query string, sites []string) ([]SearchResult, error) {
	u := *s.address
	q := u.Query()
	q.Set("q", restrictToSites(clip(query, maxQueryBytes), sites))
	q.Set("format", "json")
	u.RawQuery = q.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	reply, err := s.http.Do(req, outbound.Limits{Timeout: searchTimeout, MaxBytes: maxReplyBytes})
	if err != nil {
		return nil, err
	}
	var page struct {
		Results []struct{ Title, URL, Content string }
	}
	if reply.Status != http.StatusOK || json.Unmarshal(reply.Body, &page) != nil {
		return nil, &outbound.Error{Kind: outbound.KindFailed, Reason: "the search engine gave no results as JSON"}
	}
	list := []SearchResult{}
	for _, r := range page.Results {
		if len(list) < maxResults && isAllowedResult(r.URL, sites) {
			list = append(list, SearchResult{oneLine(r.Title), r.URL, oneLine(r.Content)})
		}
	}
	return list, nil
}

// restrictToSites adds the sites to the query; isAllowedResult leaves out other results.
func restrictToSites(query string, sites []string) string {
	if len(sites) == 0 {
		return query
	}
	return query + " (site:" + strings.Join(sites, " OR site:") + ")"
}

// isAllowedResult reports whether a result is a web page of one of the sites or of a host below one.
func isAllowedResult(address string, sites []string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || len(address) > 2000 {
		return false
	}
	host := strings.ToLower(u.Hostname())
	for _, site := range sites {
		site = strings.ToLower(site)
		if host == site || strings.HasSuffix(host, "."+site) {
			return true
		}
	}
	return len(sites) == 0
}

func oneLine(text string) string {
	return clip(strings.Join(strings.Fields(parley.StorableText(text)), " "), maxSnippetBytes)
}

func (t *Toolbox) webSearchTool(a *parley.Action) (toolRun, error) {
	var c searchConfig
	if err := decodeStrict(a.Config, &c); err != nil {
		return nil, err
	}
	if t.Search == nil {
		return nil, errNoEngine
	}
	return withCheckedInputs(actionInputs(a), func(ctx context.Context, call chat.Call, v values) chat.Output {
		found, err := t.Search.Find(ctx, parley.JSONText(v.inputs["query"]), c.Sites)
		if err != nil {
			t.Logger.Warn("a web search failed", "agent", call.Turn.AgentID, "err", err)
			return unreachableOutput(err)
		}
		return successOutput(map[string]any{"results": found})
	}), nil
}
