package server_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"parley/internal/api/admin"
	"parley/internal/server"
	"parley/internal/testkit"
	"parley/internal/testkit/provider"
)

// listingServer is a server of models that lists them.
type listingServer struct {
	*httptest.Server
	status   int
	kind     string // of its content
	body     string
	requests []*http.Request
}

func startListing(t *testing.T) *listingServer {
	t.Helper()
	s := &listingServer{status: http.StatusOK, kind: "application/json"}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests = append(s.requests, r)
		w.Header().Set("Content-Type", s.kind)
		if s.status == http.StatusFound {
			w.Header().Set("Location", "/elsewhere")
		}
		w.WriteHeader(s.status)
		_, _ = io.WriteString(w, s.body)
	}))
	t.Cleanup(s.Close)
	return s
}

func (mt *modelServerTest) listModels(in admin.ModelListQuery) (admin.ModelList, error) {
	mt.Helper()
	in.AccountID = mt.Account
	return call(mt, admin.ListModelsOfServer, in)
}

// A server is asked for its models with the key that is given or stored, as its format wants that.
func TestServersListTheirModels(t *testing.T) {
	mt, s := openModelServerTest(t), startListing(t)
	s.body = `{"object":"list","data":[{"id":"b"},{"id":"a"},{"id":"b"},{"id":" "},{"id":"c\u0007"}]}`
	for _, address := range []string{s.URL + "/v1", s.URL + "/v1/", s.URL + "/v1/chat/completions"} {
		list, err := mt.listModels(admin.ModelListQuery{Kind: "chat", URL: address, Key: provider.Key})
		if err != nil || !slices.Equal(list.Models, []string{"a", "b"}) || list.Error != "" {
			t.Errorf("%s: %+v, %v", address, list, err)
		}
	}
	last := s.requests[len(s.requests)-1]
	if last.URL.Path != "/v1/models" || last.Header.Get("Authorization") != "Bearer "+provider.Key {
		t.Errorf("asked %s with %v", last.URL, last.Header)
	}
	m := mt.connect(admin.ModelServerSettings{Kind: "chat", Format: "anthropic", URL: s.URL + "/v1", Model: "m"})
	list, err := mt.listModels(admin.ModelListQuery{StoredID: m.ID, Kind: "chat", Format: "anthropic", URL: s.URL + "/v1"})
	last = s.requests[len(s.requests)-1]
	if err != nil || len(list.Models) != 2 || last.Header.Get("X-Api-Key") != provider.Key ||
		last.Header.Get("Anthropic-Version") == "" || last.URL.RawQuery != "limit=1000" {
		t.Errorf("%+v, %v: asked %s with %v", list, err, last.URL, last.Header)
	}
	for _, body := range []string{`{"models":[{"name":"a"},{"name":"b"}]}`, `[{"id":"b"},{"id":"a"}]`} {
		s.body = body
		list, err := mt.listModels(admin.ModelListQuery{Kind: "embedding", URL: s.URL})
		if err != nil || !slices.Equal(list.Models, []string{"a", "b"}) {
			t.Errorf("%s: %+v, %v", body, list, err)
		}
	}
	if last = s.requests[len(s.requests)-1]; last.Header.Get("Authorization") != "" {
		t.Errorf("a server without a key is asked with %v", last.Header)
	}
}

// What a server cannot list is said in words, without its key.
func TestServersThatListNoModels(t *testing.T) {
	mt, s := openModelServerTest(t), startListing(t)
	for want, answer := range map[string]listingServer{
		"answered 401": {status: http.StatusUnauthorized, body: "no such key: " + provider.Key},
		"answered 404": {status: http.StatusNotFound, body: "{}"},
		"answered 302": {status: http.StatusFound},
		"with a page":  {status: http.StatusOK, kind: "text/html; charset=utf-8", body: "<p>Welcome"},
		"with a list":  {status: http.StatusOK, body: "busy"},
		"no models":    {status: http.StatusOK, body: `{"data":[]}`},
		"more than":    {status: http.StatusOK, body: strings.Repeat(" ", 9<<20)},
	} {
		s.status, s.kind, s.body = answer.status, answer.kind, answer.body
		list, err := mt.listModels(admin.ModelListQuery{Kind: "chat", URL: s.URL, Key: provider.Key})
		if err != nil || len(list.Models) != 0 || !strings.Contains(list.Error, want) {
			t.Errorf("%s: %+v, %v", want, list, err)
		}
	}
}

// A stored key is sent nowhere else, nothing but a web address is asked, and no local network that is not open.
func TestListingOfModelsIsBounded(t *testing.T) {
	mt, s := openModelServerTest(t), startListing(t)
	m := mt.connect(admin.ModelServerSettings{Kind: "chat", URL: "https://model.example/v1", Model: "m"})
	_, err := mt.listModels(admin.ModelListQuery{StoredID: m.ID, Kind: "chat", URL: s.URL})
	if detailOf(err, "key") == "" {
		t.Errorf("the key would be sent to another host: %v", err)
	}
	for field, bad := range map[string]admin.ModelListQuery{
		"url":    {Kind: "chat", URL: "ftp://model.example"},
		"format": {Kind: "embedding", Format: "anthropic", URL: s.URL},
		"key":    {Kind: "chat", URL: s.URL, Key: "a\nb"},
	} {
		if _, err := mt.listModels(bad); detailOf(err, field) == "" {
			t.Errorf("%s: %v", field, err)
		}
	}
	closed := openModelServerTest(t, testkit.WithConfig(func(c *server.Config) { c.FetchAllow = nil }))
	list, err := closed.listModels(admin.ModelListQuery{Kind: "chat", URL: s.URL})
	if err != nil || !strings.Contains(list.Error, "address is not public") || len(s.requests) != 0 {
		t.Errorf("%+v, %v: %d requests", list, err, len(s.requests))
	}
}
