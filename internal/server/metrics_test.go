package server_test

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"parley/docs"
	"parley/internal/server"
	"parley/internal/testkit"
	"parley/internal/voice"
)

// metricsSample holds what Prometheus reads: the kind and the labels of each metric, and the values by name and labels.
type metricsSample struct {
	kinds  map[string]string
	values map[string]float64
}

func scrapeMetrics(t *testing.T, s *testkit.Server) metricsSample {
	t.Helper()
	listening := httptest.NewServer(s.MetricsHandler())
	defer listening.Close()
	res, err := listening.Client().Get(listening.URL + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatal(res.Status, err)
	}
	out := metricsSample{map[string]string{}, map[string]float64{}}
	for name, f := range families {
		for _, m := range f.GetMetric() {
			var names, pairs []string
			for _, l := range m.GetLabel() {
				names, pairs = append(names, l.GetName()), append(pairs, l.GetName()+"="+l.GetValue())
			}
			slices.Sort(names)
			slices.Sort(pairs)
			out.kinds[name] = fmt.Sprint(strings.ToLower(f.GetType().String()), " ", names)
			value := m.GetGauge().GetValue() + m.GetCounter().GetValue()
			if hist := m.GetHistogram(); hist != nil {
				value = float64(hist.GetSampleCount())
			}
			out.values[strings.TrimSpace(name+" "+strings.Join(pairs, " "))] = value
		}
	}
	return out
}

func withMetrics() testkit.Option {
	return testkit.WithConfig(func(c *server.Config) { c.MetricsListen, c.Version = "somewhere", "1.2.3" })
}

func (s metricsSample) requireValues(t *testing.T, want map[string]float64) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if got, shown := s.values[name]; !shown || got != want[name] {
			t.Errorf("%s is %v (shown: %v), want %v", name, got, shown, want[name])
		}
	}
}

// Real requests appear in the metrics, which are those that the manual lists.
func TestMetricsOfAServer(t *testing.T) {
	s := testkit.Open(t, withMetrics())
	agent := s.NewAgent(t, s.Key, "We deliver within three days.")
	ask := func(path string, body any, status int) {
		t.Helper()
		s.Do(t, "POST", "/agents/"+agent+path, s.Key, body).Decode(t, status, &struct{}{})
	}
	ask("/chat", map[string]any{"message": "How long is the delivery?"}, http.StatusOK)
	if r := s.Do(t, "POST", "/agents/"+agent+"/chat", s.Key,
		map[string]any{"message": "How long?", "stream": true}); r.Status != http.StatusOK {
		t.Fatal(r.Status)
	}
	s.Do(t, "GET", "/nowhere/at/all", s.Key, nil)
	s.Do(t, "GET", "/agents/nobody", s.Key, nil)
	s.Do(t, "PUT", "/agents/"+agent, s.Key,
		map[string]any{"voiceSettings": map[string]any{"maxConcurrentSessions": 1}}).Decode(t, http.StatusOK, &struct{}{})
	ask("/voice/sessions", map[string]any{}, http.StatusOK)
	ask("/voice/sessions", map[string]any{}, http.StatusTooManyRequests)
	s.Do(t, "POST", "/agents/nobody/voice/sessions", s.Key, map[string]any{})
	testkit.Eventually(t, "the end of the turns", func() bool { return s.Engine.LiveTurns() == 0 })

	const chat, sessions = "method=POST route=/api/v2/agents/{agentId}/chat",
		"method=POST route=/api/v2/agents/{agentId}/voice/sessions"
	scrapeMetrics(t, s).requireValues(t, map[string]float64{
		"parley_http_requests_total " + chat + " status=2xx":                              2,
		"parley_http_request_duration_seconds " + chat:                                    2,
		"parley_http_requests_total " + sessions + " status=2xx":                          1,
		"parley_http_requests_total " + sessions + " status=4xx":                          2,
		"parley_http_requests_total method=GET route=other status=4xx":                    1,
		"parley_http_requests_total method=GET route=/api/v2/agents/{agentId} status=4xx": 1,
		"parley_http_streams_open":                                                        0,
		"parley_turns_total outcome=done":                                                 2,
		"parley_turns_total outcome=failed":                                               0,
		"parley_turn_first_text_seconds":                                                  2,
		"parley_turn_duration_seconds":                                                    2,
		"parley_database_up":                                                              1,
		"parley_jobs state=dead":                                                          0,
		"parley_voice_sessions":                                                           1,
		"parley_voice_sessions_opened_total":                                              1,
		"parley_voice_sessions_refused_total reason=concurrent_exceeded":                  1,
		"parley_voice_sessions_refused_total reason=other":                                1,
		"parley_build_info goversion=" + runtime.Version() + " version=1.2.3":             1,
	})
	s.Voice.EndAll("operator")
	testkit.Eventually(t, "the end of the session", func() bool { return len(s.Voice.Active()) == 0 })
	got := scrapeMetrics(t, s)
	got.requireValues(t,
		map[string]float64{"parley_voice_sessions": 0, "parley_voice_sessions_ended_total reason=operator": 1})
	maps.DeleteFunc(got.kinds, func(name, _ string) bool { return !strings.HasPrefix(name, "parley_") })
	if want := documentedMetrics(t); !maps.Equal(got.kinds, want) {
		t.Errorf("metrics.md lists\n%v\nand there are\n%v", want, got.kinds)
	}
	for name := range got.values {
		if strings.Contains(name, agent) || strings.Contains(name, s.Account) {
			t.Errorf("%s holds an id", name)
		}
	}
}

// documentedMetrics returns the metrics of the manual's table, with their kinds and labels.
func documentedMetrics(t *testing.T) map[string]string {
	t.Helper()
	page, err := docs.Manual.ReadFile("manual/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(parley_\\w+)` \\| (\\w+) \\| (.+?) \\|").
		FindAllStringSubmatch(string(page), -1) {
		labels := []string{}
		for _, l := range regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(row[3], -1) {
			labels = append(labels, l[1])
		}
		slices.Sort(labels)
		list[row[1]] = fmt.Sprint(row[2], " ", labels)
	}
	return list
}

// A stream counts as open until it ends.
func TestOpenStreamIsInTheMetrics(t *testing.T) {
	s := testkit.Open(t, withMetrics(), testkit.WithKeepAlive())
	agent := s.NewAgent(t, s.Key, "We deliver within three days.")
	var first struct {
		Data struct {
			Metadata struct{ ConversationID string }
		}
	}
	s.Do(t, "POST", "/agents/"+agent+"/chat", s.Key, map[string]any{"message": "How long is the delivery?"}).Decode(t,
		http.StatusOK, &first)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
		s.URL+"/api/v2/agents/"+agent+"/conversations/"+first.Data.Metadata.ConversationID+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.Key)
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatal(res.Status, err)
	}
	scrapeMetrics(t, s).requireValues(t, map[string]float64{"parley_http_streams_open": 1})
	_ = res.Body.Close()
	testkit.Eventually(t, "the end of the stream", func() bool {
		return scrapeMetrics(t, s).values["parley_http_streams_open"] == 0
	})
}

// The statistics of voice sessions are in the metrics.
func TestMetricsOfVoiceSessions(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := testkit.Open(t, withMetrics(), testkit.WithConfig(func(c *server.Config) { c.SFUProgram = exe }))
	m := s.Responder.Stats
	m.OnAnswer(false, voice.Delay{Silence: 300, Hearing: 50, Answer: 30, Piece: 1, Speech: 20, Output: 5, Total: 406})
	m.OnAnswer(true, voice.Delay{Total: 60})
	m.OnHold(210 * time.Millisecond)
	s.Media.OnChildExit(errors.New("killed"))
	got := scrapeMetrics(t, s)
	got.requireValues(t, map[string]float64{
		"parley_voice_answer_seconds input=spoken": 1, "parley_voice_answer_seconds input=typed": 1,
		"parley_voice_answer_step_seconds step=silence": 1, "parley_voice_answer_step_seconds step=output": 1,
		"parley_voice_barge_in_hold_seconds": 1, "parley_voice_media_server_deaths_total": 1, "parley_voice_overloaded": 0,
	})
}

// Unless metrics are on, nothing is shown or counted.
func TestMetricsAreOffByDefault(t *testing.T) {
	if s := testkit.Open(t); s.MetricsHandler() != nil {
		t.Error("there are metrics")
	}
}

// On PostgreSQL there is no queue of writes; all other metrics exist.
func TestMetricsOnPostgres(t *testing.T) {
	s := testkit.Open(t, withMetrics(), testkit.WithPostgres())
	got := scrapeMetrics(t, s)
	got.requireValues(t, map[string]float64{"parley_database_up": 1, "parley_jobs state=waiting": 0,
		"parley_jobs_oldest_due_seconds": 0})
	if got.kinds["parley_database_writes_waiting"] != "" {
		t.Error("PostgreSQL has a queue of writes")
	}
}
