package tracing_test

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"parley/internal/server"
	"parley/internal/testkit"
	"parley/internal/testkit/dbs"
)

func TestMain(m *testing.M) { dbs.MainWithoutLeaks(m) }

type receivedAttribute struct {
	Key   string
	Value map[string]any
}

// receivedSpan is a span as a collector gets it.
type receivedSpan struct {
	TraceID, SpanID, ParentSpanID, Name string
	Kind                                int
	Start                               string `json:"startTimeUnixNano"`
	End                                 string `json:"endTimeUnixNano"`
	Attributes                          []receivedAttribute
	Status                              struct{ Code int }
}

func (s receivedSpan) attribute(key string) any {
	for _, a := range s.Attributes {
		if a.Key == key {
			return slices.Collect(maps.Values(a.Value))[0]
		}
	}
	return nil
}

// collector takes what is sent to it.
type collector struct {
	*httptest.Server
	mu       sync.Mutex
	resource receivedSpan // its attributes alone
	spans    []receivedSpan
	bodies   string
}

func startCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct {
			ResourceSpans []struct {
				Resource   struct{ Attributes []receivedAttribute }
				ScopeSpans []struct{ Spans []receivedSpan }
			}
		}
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = json.Unmarshal(body, &request)
		}
		if err != nil || r.URL.Path != "/v1/traces" || r.Header.Get("X-Tenant") != "shop" {
			t.Errorf("%s %s: %v", r.Method, r.URL, err)
			return
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.bodies += string(body)
		for _, resource := range request.ResourceSpans {
			c.resource.Attributes = resource.Resource.Attributes
			for _, scope := range resource.ScopeSpans {
				c.spans = append(c.spans, scope.Spans...)
			}
		}
	}))
	t.Cleanup(c.Close)
	return c
}

func (c *collector) trace(id string) map[string]receivedSpan {
	c.mu.Lock()
	defer c.mu.Unlock()
	byName := map[string]receivedSpan{}
	for _, s := range c.spans {
		if s.TraceID == id {
			byName[s.Name] = s
		}
	}
	return byName
}

func (c *collector) option() testkit.Option {
	return testkit.WithConfig(func(cfg *server.Config) {
		cfg.OTLPEndpoint, cfg.OTLPHeaders = c.URL+"/", map[string]string{"X-Tenant": "shop"}
	})
}

const (
	callersTrace = "4bf92f3577b34da6a3ce929d0e0e4736"
	callersSpan  = "00f067aa0ba902b7"
)

func ask(t *testing.T, s *testkit.Server, agent, traceparent string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/api/v2/agents/"+agent+"/chat",
		strings.NewReader(`{"message":"How long is the delivery of a secret parcel?"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.Key)
	req.Header.Set("Traceparent", traceparent)
	res, err := s.Client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if text, err := io.ReadAll(res.Body); err != nil || res.StatusCode != http.StatusOK {
		t.Fatal(res.Status, string(text), err)
	}
}

// A request is one trace, from its caller's span through the turn to the search, the model and the database. It holds
// no text and no key.
func TestRequestIsOneTrace(t *testing.T) {
	c := startCollector(t)
	s := testkit.Open(t, c.option())
	agent := s.NewAgent(t, s.Key, "We deliver within three days.")
	ask(t, s, agent, "00-"+callersTrace+"-"+callersSpan+"-01")
	const request = "POST /api/v2/agents/{agentId}/chat"
	var trace map[string]receivedSpan
	testkit.Eventually(t, "the spans of the request and of its turn", func() bool {
		trace = c.trace(callersTrace)
		return trace[request].SpanID != "" && trace["invoke_agent"].SpanID != ""
	})
	const model = "chat builtin"
	for name, above := range map[string]string{"invoke_agent": request, "search passages": "invoke_agent",
		model: "invoke_agent"} {
		if span := trace[name]; span.SpanID == "" || span.ParentSpanID != trace[above].SpanID || span.End < span.Start {
			t.Errorf("%q is %+v, and should be below %s %s", name, span, above, trace[above].SpanID)
		}
	}
	root := trace[request]
	if root.ParentSpanID != callersSpan || root.Kind != 2 || root.attribute("http.response.status_code") != "200" ||
		root.attribute("http.route") != "/api/v2/agents/{agentId}/chat" || root.Status.Code != 0 {
		t.Errorf("the request is %+v", root)
	}
	if got := trace["invoke_agent"].attribute("gen_ai.agent.id"); got != agent {
		t.Errorf("the turn is of the agent %v", got)
	}
	if got := trace[model].attribute("gen_ai.request.model"); got != "builtin" {
		t.Errorf("the model is %v", got)
	}
	for _, name := range []string{"invoke_agent", model} {
		if got := trace[name].attribute("gen_ai.provider.name"); got != "parley" {
			t.Errorf("%s is of the provider %v", name, got)
		}
	}
	if trace["SELECT"].attribute("db.system.name") != "sqlite" {
		t.Errorf("the statements are %+v", trace["SELECT"])
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if id, _ := c.resource.attribute("service.instance.id").(string); len(id) != 36 {
		t.Errorf("the server calls itself %q", id)
	}
	for _, text := range []string{"secret", "three days", s.Key} {
		if strings.Contains(c.bodies, text) {
			t.Errorf("the spans hold %q", text)
		}
	}
}

// A caller that does not record its trace is not recorded here either; one without a usable traceparent begins a trace.
func TestTraceparent(t *testing.T) {
	c := startCollector(t)
	s := testkit.Open(t, c.option())
	agent := s.NewAgent(t, s.Key, "We deliver within three days.")
	ask(t, s, agent, "00-"+callersTrace+"-"+callersSpan+"-00")
	for _, header := range []string{"", "00-" + callersTrace, "00-" + strings.Repeat("0", 32) + "-" + callersSpan + "-01",
		"00-" + strings.Repeat("x", 32) + "-" + callersSpan + "-01", "99-" + callersTrace + "-" + callersSpan + "-01"} {
		ask(t, s, agent, header)
	}
	turns := func() (ids []string) {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, span := range c.spans {
			if span.Name == "invoke_agent" {
				ids = append(ids, span.TraceID)
			}
		}
		return ids
	}
	testkit.Eventually(t, "five traces", func() bool { return len(turns()) >= 5 })
	ids := turns()
	slices.Sort(ids)
	if len(slices.Compact(ids)) != 5 || slices.Contains(ids, callersTrace) ||
		slices.Contains(ids, strings.Repeat("0", 32)) {
		t.Errorf("the traces are %v", ids)
	}
}
