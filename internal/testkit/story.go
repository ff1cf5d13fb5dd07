package testkit

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"parley/internal/api/admin"
	"parley/internal/testkit/expect"
	"parley/internal/testkit/scripted"
)

// StoryRunner runs one story against a server and keeps the values of its placeholders.
type StoryRunner struct {
	T            *testing.T
	Server       *Server
	Placeholders expect.Placeholders
	ModelGate    *scripted.Barrier // where the model waits
	BasePath     string            // base path of the API; paths that begin with /api/ or /openapi are complete

	RunEvent      func(event string) error                  // actions without a request
	OfEveryRoute  func(x expect.Exchange) []expect.Exchange // the requests for an exchange that stands for every route
	CompareStream func(got, want string) error              // the lines of two streams
	pendingCalls  []pendingCall                             // requests that wait for their replies
}

// NewStoryRunner returns a runner without its server, which Open opens.
func NewStoryRunner(t *testing.T, basePath string) *StoryRunner {
	return &StoryRunner{T: t, BasePath: basePath, ModelGate: scripted.NewBarrier()}
}

// Open opens the server.
func (r *StoryRunner) Open(options ...Option) {
	r.T.Helper()
	r.Server = Open(r.T, options...)
	r.Server.Client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	r.Placeholders = expect.Placeholders{"key": r.Server.Key, "account": r.Server.Account, "otherKey": r.Server.OtherKey}
}

// RunStories runs the stories of the package under test. With halfClosing, the client closes its half of the connection
// after sending its request, and must get the same answers.
func RunStories(t *testing.T, open func(*testing.T, expect.Story) *StoryRunner, halfClosing bool) {
	for _, s := range expect.ReadStories(t) {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			r := open(t, s)
			if halfClosing {
				r.Server.UseHalfClosing(t)
			}
			r.run(s)
		})
	}
}

func (r *StoryRunner) run(s expect.Story) {
	r.T.Helper()
	for _, x := range s.Exchanges {
		err := r.runExchange(x)
		if x.RetryUntilMatch {
			Eventually(r.T, x.Title, func() bool { err = r.runExchange(x); return err == nil })
		}
		if err != nil {
			r.T.Fatalf("%s\n%s %s\n%v", x.Title, x.Method, x.Path, err)
		}
	}
	if err := r.FinishCalls(); err != nil {
		r.T.Fatal(err)
	}
}

func (r *StoryRunner) runExchange(x expect.Exchange) error {
	switch {
	case x.Method == "HOUSE":
		return r.RunEvent(x.Path)
	case x.Method == "EVERY":
		return r.runOnEveryRoute(x)
	case x.Concurrent:
		return r.beginExchange(x)
	}
	return r.sendExchange(x)
}

func (r *StoryRunner) runOnEveryRoute(x expect.Exchange) error {
	all := r.OfEveryRoute(x)
	if len(all) == 0 {
		return fmt.Errorf("no route below this path lists the reply %d", x.Status)
	}
	ids := ResourceIDs(r.Placeholders)
	for _, one := range all {
		one.Path, one.Body = ids.Substitute(r.Placeholders.Expand(one.Path)), ids.Substitute(one.Body)
		if err := r.sendExchange(one); err != nil {
			return fmt.Errorf("%s %s: %w", one.Method, one.Path, err)
		}
	}
	return nil
}

// pendingCall is a request that waits at the model's barrier.
type pendingCall struct {
	exchange expect.Exchange
	result   chan callResult
}

type callResult struct {
	reply *storyReply
	err   error
}

type storyReply struct {
	status int
	header http.Header
	body   string
}

var errNotWaiting = errors.New("the model has not been asked")

// beginExchange sends the request and returns when the model has received it.
func (r *StoryRunner) beginExchange(x expect.Exchange) error {
	req, err := r.newRequest(x)
	if err != nil {
		return err
	}
	c := pendingCall{x, make(chan callResult, 1)}
	go func() {
		reply, err := r.sendRequest(req)
		c.result <- callResult{reply, err}
	}()
	r.pendingCalls = append(r.pendingCalls, c)
	select {
	case <-r.ModelGate.Reached():
		return nil
	case end := <-c.result:
		return fmt.Errorf("it did not wait: %v, %w", end.reply, cmp.Or(end.err, errNotWaiting))
	}
}

// FinishCalls waits for the replies of pending requests and compares them.
func (r *StoryRunner) FinishCalls() error {
	for _, c := range r.pendingCalls {
		end := <-c.result
		if end.err != nil {
			return end.err
		}
		if err := r.checkReply(c.exchange, end.reply); err != nil {
			return fmt.Errorf("%s: %w", c.exchange.Title, err)
		}
	}
	r.pendingCalls = nil
	return nil
}

// sendExchange sends one request and compares its reply.
func (r *StoryRunner) sendExchange(x expect.Exchange) error {
	req, err := r.newRequest(x)
	if err != nil {
		return err
	}
	reply, err := r.sendRequest(req)
	if err != nil {
		return err
	}
	return r.checkReply(x, reply)
}

// FormBoundary is the boundary of forms in stories.
const FormBoundary = "--parley-form"

func (r *StoryRunner) newRequest(x expect.Exchange) (*http.Request, error) {
	url := r.Server.URL + r.BasePath + r.Placeholders.Expand(x.Path)
	if strings.HasPrefix(x.Path, "/api/") || strings.HasPrefix(x.Path, "/openapi") {
		url = r.Server.URL + r.Placeholders.Expand(x.Path)
	}
	body := strings.NewReader(r.Placeholders.Expand(x.Body))
	req, err := http.NewRequestWithContext(r.T.Context(), x.Method, url, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+r.Server.Key)
	SetFormContentType(req, x.Body)
	for _, line := range x.Headers {
		name, value, _ := strings.Cut(line, ":")
		req.Header.Set(name, r.Placeholders.Expand(strings.TrimSpace(value)))
		if strings.TrimSpace(value) == "" {
			req.Header.Del(name)
		}
	}
	return req, nil
}

// SetFormContentType sets the Content-Type of a request whose body is a form.
func SetFormContentType(req *http.Request, body string) {
	if strings.HasPrefix(body, FormBoundary) {
		req.Header.Set("Content-Type", `multipart/form-data; boundary="`+FormBoundary[2:]+`"`)
	}
}

func (r *StoryRunner) sendRequest(req *http.Request) (*storyReply, error) {
	resp, err := r.Server.Client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	return &storyReply{resp.StatusCode, resp.Header, string(body)}, err
}

func (r *StoryRunner) checkReply(x expect.Exchange, reply *storyReply) error {
	if reply.status != x.Status {
		return fmt.Errorf("status %d, want %d\n%s", reply.status, x.Status, reply.body)
	}
	for _, line := range x.WantHeaders {
		name, value, _ := strings.Cut(line, ":")
		if got, want := reply.header.Get(name), r.Placeholders.Expand(strings.TrimSpace(value)); got != want &&
			(want != "{{*}}" || got == "") {
			return fmt.Errorf("header %s: %q, want %q", name, got, want)
		}
	}
	if reply.header.Get("Access-Control-Allow-Origin") != "" {
		return errors.New("a CORS header")
	}
	switch {
	case x.Want == "":
		return nil
	case strings.HasPrefix(x.Want, "data:"), strings.HasPrefix(x.Want, "event: "):
		return r.CompareStream(reply.body, x.Want)
	}
	return r.Placeholders.Compare(reply.body, x.Want)
}

// ParseNumber parses a number in a setting.
func (r *StoryRunner) ParseNumber(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		r.T.Fatal(err)
	}
	return n
}

// ModelSteps fails when the text asks for it, waits at the barrier when it asks for it, and echoes otherwise.
func (r *StoryRunner) ModelSteps(text string) []scripted.Step {
	switch text {
	case "fail at once":
		return []scripted.Step{{Err: errors.New("the provider at 10.1.2.3 is down")}}
	case "fail halfway":
		return []scripted.Step{scripted.Text("Half an "), {Err: errors.New("the provider at 10.1.2.3 went away")}}
	case "wait":
		return []scripted.Step{scripted.Text("Half an "), {Barrier: r.ModelGate}, scripted.Text("answer."), scripted.Stop()}
	}
	return []scripted.Step{scripted.Text(text), scripted.Stop()}
}

// CreateFixture creates the account or the key that a setting asks for, in words: plan NAME, credits NAME NUMBER or
// scopes NAME SCOPES. The placeholder of the name is the key.
func (r *StoryRunner) CreateFixture(setting []string) {
	r.T.Helper()
	switch setting[0] {
	case "plan":
		_, r.Placeholders[setting[1]] = r.Server.NewAccount(r.T, admin.NewAccount{Name: setting[1], Plan: setting[1]})
	case "credits":
		n := int64(r.ParseNumber(setting[2]))
		_, r.Placeholders[setting[1]] = r.Server.NewAccount(r.T,
			admin.NewAccount{Name: setting[1], Plan: "unlimited", Credits: &n})
	case "scopes":
		r.Placeholders[setting[1]] = r.CreateKey(admin.NewKey{Name: setting[1], Scopes: strings.Split(setting[2], ",")})
	}
}

// CreateKey creates a key of the server's account and returns it.
func (r *StoryRunner) CreateKey(k admin.NewKey) string {
	r.T.Helper()
	k.AccountID = r.Server.Account
	created, err := admin.RunOn(r.T.Context(), r.Server.AdminService, admin.CreateKey, k)
	if err != nil {
		r.T.Fatal(err)
	}
	return created.APIKey
}

// ExecSQL changes the database.
func (r *StoryRunner) ExecSQL(query string, args ...any) {
	r.T.Helper()
	if _, err := r.Server.DB.SQL().Exec(r.T.Context(), query, args...); err != nil {
		r.T.Fatal(err)
	}
}

// SetMaintenance puts the server under maintenance, or ends it.
func (r *StoryRunner) SetMaintenance(on bool) error {
	_, err := admin.RunOn(r.T.Context(), r.Server.AdminService, admin.SetMaintenance, admin.MaintenanceState{Enabled: on})
	return err
}

// UpdateIndex waits until the search index is up to date.
func (r *StoryRunner) UpdateIndex() error {
	for {
		if more, err := r.Server.Indexer.StepAll(r.T.Context()); err != nil || !more {
			return err
		}
	}
}

// FindEvent returns the action whose name a text begins with, and the rest of the text.
func FindEvent[R any](events map[string]func(R, string) error, event string) (run func(R, string) error, rest string) {
	for name, run := range events {
		if rest, ok := strings.CutPrefix(event, name); ok {
			return run, strings.TrimSpace(rest)
		}
	}
	return func(R, string) error { return errors.New("no event has this name") }, ""
}

// ResourceIDs are ids by the names of their parameters.
type ResourceIDs map[string]string

// With returns the ids with one of them replaced.
func (ids ResourceIDs) With(name, id string) ResourceIDs {
	other := ResourceIDs{name: id}
	for n, v := range ids {
		if n != name {
			other[n] = v
		}
	}
	return other
}

// Substitute replaces names in braces by their ids.
func (ids ResourceIDs) Substitute(text string) string {
	for name, id := range ids {
		text = strings.ReplaceAll(text, "{"+name+"}", id)
	}
	return text
}

// PathMatches reports whether a path matches one of the document with parameters in braces.
func PathMatches(known, path string) bool {
	return slices.EqualFunc(strings.Split(known, "/"), strings.Split(path, "/"), SegmentMatches)
}

// SegmentMatches reports whether a segment of a path equals that of the document, or its parameter can have that value.
func SegmentMatches(known, segment string) bool {
	return known == segment || strings.HasPrefix(known, "{") && segment != ""
}
