package manifest_test

import (
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/api/admin"
	"parley/internal/retrieval"
)

const kioskManifest = `{"agent":{"key":"kiosk"},"settings":{"name":"Kiosk","synonyms":%s},"sources":[
	{"key":"off","name":"Off","content":"Paid time off is granted by the manager."},{"key":"cake","name":"Cake",` +
	`"content":"Cake is sold at noon."}]}`

func TestSynonymsOfAManifestAreSearchedFor(t *testing.T) {
	forEachDatabase(t, func(s *manifestTest) {
		find := func(synonyms string) []retrieval.Hit {
			agent, _ := s.apply(admin.ApplyManifest{}, strings.Replace(kioskManifest, "%s", synonyms, 1))
			if err := s.Runner.WaitIdle(t.Context()); err != nil {
				t.Fatal(err)
			}
			a, err := s.DB.AgentForTurn(t.Context(), parley.AccountID(s.Account).AgentRef(agent), time.Now())
			if err != nil {
				t.Fatal(err)
			}
			hits, err := s.Indexes.Nearest(t.Context(), agent, a.PassageVersion,
				retrieval.Query{Text: "PTO", Synonyms: a.Synonyms})
			if err != nil {
				t.Fatal(err)
			}
			return hits
		}
		if hits := find("null"); len(hits) > 0 {
			t.Errorf("without synonyms: %v", hits)
		}
		if hits := find(`[["PTO"," paid  time off"],["cake","gateau"]]`); len(hits) == 0 ||
			hits[0].Passage.SourceName != "Off" {
			t.Errorf("with synonyms: %v", hits)
		}
		agent, changes := s.apply(admin.ApplyManifest{},
			strings.Replace(kioskManifest, "%s", `[["PTO","paid time off"],["cake","gateau"]]`, 1))
		s.requireEqual("again", changes, "")
		if out := s.export(agent); !strings.Contains(out, `"synonyms":[["PTO","paid time off"],["cake","gateau"]]`) {
			t.Error(out)
		}
		for synonyms, path := range map[string]string{`[["one"]]`: "0.settings.synonyms.0",
			`[["one"," "]]`: "0.settings.synonyms.0.1", `["one"]`: "0.settings.synonyms.0"} {
			_, err := s.tryApply(admin.ApplyManifest{}, strings.Replace(kioskManifest, "%s", synonyms, 1))
			s.requireFault(err, path, "must")
		}
	})
}

const boothManifest = `{"agent":{"key":"booth"},"settings":{"name":"Booth","topics":%s,"insight":{"againDays":5}}}`

func TestTopicsOfAManifest(t *testing.T) {
	forEachDatabase(t, func(s *manifestTest) {
		tree := `[{"name":"Orders","keywords":["order"],"topics":[{"name":"Returns","examples":["I want to send ` +
			`it back"]}]},{"name":"Hours"}]`
		agent, _ := s.apply(admin.ApplyManifest{}, strings.Replace(boothManifest, "%s", tree, 1))
		_, changes := s.apply(admin.ApplyManifest{}, strings.Replace(boothManifest, "%s", tree, 1))
		s.requireEqual("again", changes, "")
		if out := s.export(agent); !strings.Contains(out, `"topics":`+tree) ||
			!strings.Contains(out, `"insight":{"model":false,"againDays":5}`) {
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

func TestVoiceLimitsOfAManifest(t *testing.T) {
	forEachDatabase(t, func(s *manifestTest) {
		limits := func(voice string) string {
			return `{"agent":{"key":"desk"},"settings":{"name":"Desk","voice":` + voice + `}}`
		}
		for voice, want := range map[string]string{
			`{"limits":{"perHour":5,"perDay":20}}`: `"voice":{"limits":{"perHour":5,"perDay":20}}`,
			`{"limits":{"perHour":0}}`:             `"perHour":0`,
		} {
			agent, _ := s.apply(admin.ApplyManifest{}, limits(voice))
			_, changes := s.apply(admin.ApplyManifest{}, limits(voice))
			s.requireEqual("again", changes, "")
			if out := s.export(agent); !strings.Contains(out, want) {
				t.Errorf("%s: %s", voice, out)
			}
		}
		agent, _ := s.apply(admin.ApplyManifest{}, limits(`{"limits":{"perHour":5,"perDay":20}}`))
		s.apply(admin.ApplyManifest{}, limits(`{"limits":{"perDay":null}}`))
		if out := s.export(agent); !strings.Contains(out, `"voice":{"limits":{"perHour":5,"perDay":null}}`) {
			t.Error(out)
		}
		s.apply(admin.ApplyManifest{}, limits(`null`))
		if out := s.export(agent); !strings.Contains(out, `"voice":{"limits":{"perHour":null,"perDay":null}}`) {
			t.Error(out)
		}
		for voice, path := range map[string]string{
			`{"limits":{"perHour":-1}}`: "0.settings.voice.limits.perHour",
			`{"limits":{"perWeek":1}}`:  "0.settings.voice.limits.perWeek",
			`{"limit":{}}`:              "0.settings.voice.limit",
		} {
			_, err := s.tryApply(admin.ApplyManifest{}, limits(voice))
			s.requireFault(err, path, "")
		}
	})
}
