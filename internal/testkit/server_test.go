package testkit_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"parley/internal/testkit"
	"parley/internal/testkit/clock"
	"parley/internal/testkit/dbs"
	"parley/internal/testkit/scripted"
)

func TestMain(m *testing.M) { dbs.MainWithoutLeaks(m) }

const ferryText = "# Ferry\n\nThe last ferry to the island leaves at half past nine in the evening.\n"

func TestServerAnswersFromItsSources(t *testing.T) {
	for name, options := range map[string][]testkit.Option{"sqlite": nil, "postgres": {testkit.WithPostgres()}} {
		t.Run(name, func(t *testing.T) {
			if name == "postgres" {
				dbs.SharedPostgres(t) // skips
			}
			s := testkit.Open(t, options...)
			agent := s.NewAgent(t, s.Key, ferryText)
			var answer struct {
				Data struct {
					Parts    []struct{ Text string }
					Metadata struct{ Citations []struct{ Name string } }
				}
			}
			s.Do(t, "POST", "/agents/"+agent+"/chat", s.Key,
				map[string]any{"message": "When does the last ferry leave?"}).Decode(t, http.StatusOK, &answer)
			if d := answer.Data; len(d.Parts) != 1 || !strings.Contains(d.Parts[0].Text, "half past nine") ||
				len(d.Metadata.Citations) == 0 {
				t.Errorf("%+v", d)
			}
			if r := s.Do(t, "GET", "/agents/"+agent, s.OtherKey, nil); r.Status != http.StatusNotFound {
				t.Errorf("the other account sees the agent: %d", r.Status)
			}
		})
	}
}

func TestScriptAndClock(t *testing.T) {
	clock := clock.New()
	scriptedModel := scripted.New(scripted.Text("By script."), scripted.Stop())
	s := testkit.Open(t, testkit.WithModel(scriptedModel), testkit.WithClock(clock))
	agent := s.NewAgent(t, s.Key)
	if r := s.Do(t, "POST", "/agents/"+agent+"/chat", s.Key, `{"message":"Hello"}`); !strings.Contains(string(r.Body),
		"By script.") {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	clock.Advance(48 * time.Hour)
	var list struct {
		Data []struct{ CreatedAt time.Time }
	}
	s.NewAgent(t, s.Key)
	s.Do(t, "GET", "/agents", s.Key, nil).Decode(t, http.StatusOK, &list)
	if len(list.Data) != 2 || list.Data[0].CreatedAt.Sub(list.Data[1].CreatedAt) != 48*time.Hour {
		t.Errorf("%+v", list)
	}
}
