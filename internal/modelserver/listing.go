package modelserver

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"parley"
	"parley/internal/httpclient"
	"parley/internal/model/anthropic"
)

// Listing is what a server of models says that it has.
type Listing struct {
	Models []string // the names, in the order of their letters
	Error  string   // why there are none; empty if there are some
}

const (
	maxListingBytes = 8 << 20 // routers of models describe hundreds of them at length
	maxListed       = 2000
)

// endpoints are what a base URL may end with although it should not.
var endpoints = []string{"/chat/completions", "/messages", "/embeddings", "/rerank"}

// ModelsOf asks a server for the names of its models, which need not be stored: of the settings only the kind, the
// format, the address and the key count. Where they have no key and name a stored server, that one's key is sent, to no
// other host than the one it was given for. Fails with VALIDATION_INVALID_BODY or NOT_FOUND.
func (s *Service) ModelsOf(ctx context.Context, account parley.AccountID, n Settings,
	stored parley.ModelServerID) (Listing, error) {
	m := &parley.ModelServer{AccountID: account, Kind: n.Kind, Format: n.Format, URL: n.URL}
	details := map[string]string{}
	checkConnection(m, details)
	if err := parley.InvalidFields(details); err != nil {
		return Listing{}, err
	}
	key, err := s.keyToSend(ctx, m, n.Key, stored)
	if err != nil {
		return Listing{}, err
	}
	ctx, stop := context.WithTimeout(ctx, trialTimeout)
	defer stop()
	names, err := s.requestModels(ctx, m, key)
	switch {
	case ctx.Err() != nil && err != nil:
		return Listing{Error: "the server did not answer in time"}, nil
	case err != nil:
		return Listing{Error: reasonOf(httpclient.WithCause(parley.NewError(parley.CodeInternal), err, key))}, nil
	case len(names) == 0:
		return Listing{Error: "the server lists no models"}, nil
	}
	return Listing{Models: names}, nil
}

func (s *Service) requestModels(ctx context.Context, m *parley.ModelServer, key string) ([]string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, listingURL(m), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "parley")
	if m.Format == parley.WireFormatAnthropic {
		anthropic.SetHeaders(req.Header, key)
	} else {
		httpclient.SetBearerToken(req.Header, key)
	}
	resp, err := s.HTTP.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	if resp.StatusCode != http.StatusOK {
		return nil, httpclient.NewStatusError(resp)
	}
	return readListing(resp)
}

// listingURL returns the address at which a server lists its models. Anthropic lists twenty of them unless asked for
// more.
func listingURL(m *parley.ModelServer) string {
	address := strings.TrimRight(m.URL, "/")
	for _, path := range endpoints {
		address = strings.TrimSuffix(address, path)
	}
	if m.Format == parley.WireFormatAnthropic {
		return address + "/models?limit=1000"
	}
	return address + "/models"
}

var errNotListing = errors.New("the server did not answer with a list of models")

func readListing(resp *http.Response) ([]string, error) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxListingBytes+1))
	if err != nil {
		return nil, err
	}
	if len(body) > maxListingBytes {
		return nil, fmt.Errorf("%w: the answer has more than %d bytes", errNotListing, maxListingBytes)
	}
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind == "text/html" {
		return nil, fmt.Errorf("%w but with a page", errNotListing)
	}
	return parseListing(body)
}

// listedModel is a model of a list: id in that of OpenAI and Anthropic, name in others.
type listedModel struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// parseListing reads the list of OpenAI and Anthropic ("data"), one that others have ("models"), and a bare array.
func parseListing(body []byte) ([]string, error) {
	var list struct {
		Data   []listedModel `json:"data"`
		Models []listedModel `json:"models"`
	}
	var bare []listedModel
	if err := json.Unmarshal(body, &list); err != nil && json.Unmarshal(body, &bare) != nil {
		return nil, errNotListing
	}
	var names []string
	for _, m := range slices.Concat(list.Data, list.Models, bare) {
		name := strings.TrimSpace(cmp.Or(m.ID, m.Name))
		if name != "" && len(name) <= maxModelBytes && !hasControls(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	return names[:min(len(names), maxListed)], nil
}
