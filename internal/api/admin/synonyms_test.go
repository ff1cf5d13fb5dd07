package admin_test

import (
	"strings"
	"testing"

	"parley"
	"parley/internal/api/admin"
	"parley/internal/retrieval"
)

const kioskManifest = `{"agent":{"key":"kiosk"},"settings":{"name":"Kiosk","synonyms":%s},"sources":[
	{"key":"off","name":"Off","content":"Paid time off is granted by the manager."},{"key":"cake","name":"Cake","content":"Cake is sold at noon."}]}`

func TestSynonymsOfAManifestFindWhatWasNotFound(t *testing.T) {
	forEachDatabase(t, func(s *manifestTest) {
		find := func(synonyms string) []retrieval.Hit {
			agent, _ := s.apply(admin.ApplyManifest{}, strings.Replace(kioskManifest, "%s", synonyms, 1))
			if err := s.Runner.WaitIdle(t.Context()); err != nil {
				t.Fatal(err)
			}
			a, err := s.DB.AgentForTurn(t.Context(), parley.AccountID(s.Account), agent)
			if err != nil {
				t.Fatal(err)
			}
			hits, err := s.Indexes.Nearest(t.Context(), agent, a.PassageVersion, retrieval.Query{Text: "PTO", Synonyms: a.Synonyms})
			if err != nil {
				t.Fatal(err)
			}
			return hits
		}
		if hits := find("null"); len(hits) > 0 {
			t.Errorf("without synonyms: %v", hits)
		}
		if hits := find(`[["PTO"," paid  time off"],["cake","gateau"]]`); len(hits) == 0 || hits[0].Passage.SourceName != "Off" {
			t.Errorf("with synonyms: %v", hits)
		}
		agent, changes := s.apply(admin.ApplyManifest{}, strings.Replace(kioskManifest, "%s", `[["PTO","paid time off"],["cake","gateau"]]`, 1))
		s.requireEqual("again", changes, "")
		if out := s.export(agent); !strings.Contains(out, `"synonyms":[["PTO","paid time off"],["cake","gateau"]]`) {
			t.Error(out)
		}
		for synonyms, path := range map[string]string{`[["one"]]`: "0.settings.synonyms.0", `[["one"," "]]`: "0.settings.synonyms.0.1", `["one"]`: "0.settings.synonyms.0"} {
			_, err := s.tryApply(admin.ApplyManifest{}, strings.Replace(kioskManifest, "%s", synonyms, 1))
			s.requireFault(err, path, "must")
		}
	})
}
