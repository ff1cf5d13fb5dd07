package admin_test

import (
	"strings"
	"testing"

	"parley/internal/api/admin"
)

const boothManifest = `{"agent":{"key":"booth"},"settings":{"name":"Booth","topics":%s,"insight":{"againDays":5}}}`

func TestTopicsOfAManifest(t *testing.T) {
	forEachDatabase(t, func(s *manifestTest) {
		tree := `[{"name":"Orders","keywords":["order"],"topics":[{"name":"Returns","examples":["I want to send it back"]}]},{"name":"Hours"}]`
		agent, _ := s.apply(admin.ApplyManifest{}, strings.Replace(boothManifest, "%s", tree, 1))
		_, changes := s.apply(admin.ApplyManifest{}, strings.Replace(boothManifest, "%s", tree, 1))
		s.requireEqual("again", changes, "")
		if out := s.export(agent); !strings.Contains(out, `"topics":`+tree) || !strings.Contains(out, `"insight":{"model":false,"againDays":5}`) {
			t.Error(out)
		}
		r, err := admin.RunOn(t.Context(), s.AdminService, admin.ShowInsights, admin.InsightsQuery{AgentID: string(agent)})
		if err != nil || r.AgainDays != 5 || r.Totals.Conversations != 0 || len(r.Series) != 30 {
			t.Errorf("%+v %v", r, err)
		}
		for topics, path := range map[string]string{
			`[{"name":"A, B"}]`:                                  "0.settings.topics.0.name",
			`[{"name":"Unspecified"}]`:                           "0.settings.topics.0.name",
			`[{"name":"A","topics":[{"name":"a"}]}]`:             "0.settings.topics.0.topics.0.name",
			`[{"name":"A","keywords":["x"," "]}]`:                "0.settings.topics.0.keywords.1",
			`[{"name":"A","topics":[{"name":"B","x":1}]}]`:       "0.settings.topics.0.topics.0.x",
			`[{"name":"A","topics":[{"name":"B","topics":[]}]}]`: "0.settings.topics.0.topics.0.topics",
		} {
			_, err := s.tryApply(admin.ApplyManifest{}, strings.Replace(boothManifest, "%s", topics, 1))
			s.requireFault(err, path, "")
		}
		agent, _ = s.apply(admin.ApplyManifest{}, `{"agent":{"key":"booth"},"settings":{"topics":null,"insight":null}}`)
		if out := s.export(agent); !strings.Contains(out, `"topics":null`) || !strings.Contains(out, `"againDays":3`) {
			t.Error(out)
		}
	})
}
