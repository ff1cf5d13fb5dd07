package admin_test

import (
	"strings"
	"testing"

	"parley/internal/api/admin"
)

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
