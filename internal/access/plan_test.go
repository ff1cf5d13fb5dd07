package access

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley"
)

func TestBuiltInPlans(t *testing.T) {
	p, err := LoadPlans("")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(p.Names(), " "); got != "free hobby standard pro enterprise unlimited" {
		t.Error(got)
	}
	for name, want := range map[string]struct {
		api, voice, gpt4 bool
		agents           int
		storage          int64
		credits          parley.Credits
	}{
		"free":     {agents: 1, storage: 400 << 10, credits: 50 * parley.Credit},
		"hobby":    {agents: 1, storage: 10 << 20, credits: 500 * parley.Credit},
		"standard": {true, true, true, 2, 20 << 20, 4000 * parley.Credit},
		"pro":      {true, true, true, 3, 40 << 20, 15_000 * parley.Credit},
	} {
		got, ok := p.Plan(name)
		if !ok || got.API != want.api || got.Voice != want.voice || got.GPT4Models != want.gpt4 ||
			*got.MaxAgents != want.agents || *got.StoragePerAgent != want.storage || *got.CreditsPerMonth != want.credits {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if u, _ := p.Plan(DefaultPlan); !u.API || !u.Voice || !u.GPT4Models || u.MaxAgents != nil ||
		u.StoragePerAgent != nil || u.CreditsPerMonth != nil {
		t.Errorf("%+v", u)
	}
	if _, ok := p.Plan("gold"); ok {
		t.Error("an unknown plan")
	}
}

const tinyPlan = `tiny: {api: true, voice: false, gpt4: false, agents: 3, storagePerAgent: 1_000, ` +
	`creditsPerMonth: 0.5, creditsPerVoiceMinute: 0}` + "\n"

func TestPlansFromAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plans.yaml")
	if err := os.WriteFile(path, []byte(tinyPlan), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := LoadPlans(path)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := p.Plan("tiny"); *got.MaxAgents != 3 || *got.StoragePerAgent != 1000 || *got.CreditsPerMonth != 500 ||
		got.Voice {
		t.Errorf("%+v", got)
	}
	if _, err := LoadPlans(path + ".gone"); err == nil {
		t.Error("a missing file")
	}
}

func TestPlansMayLimitVoice(t *testing.T) {
	p, err := parsePlans([]byte(strings.Replace(tinyPlan, "}",
		", voiceSessionsPerHour: 4, voiceSessionsPerDay: unlimited}", 1)))
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := p.Plan("tiny"); got.VoicePerHour == nil || *got.VoicePerHour != 4 || got.VoicePerDay != nil {
		t.Errorf("%+v", got)
	}
	for _, wrong := range []string{"voiceSessionsPerDay: many", "voiceSessionsPerDay: -1",
		"voiceSessionsPerDay: 1, voiceSessionsPerDay: 2"} {
		if _, err := parsePlans([]byte(strings.Replace(tinyPlan, "}", ", "+wrong+"}", 1))); err == nil {
			t.Error("taken:", wrong)
		}
	}
}

func TestPlansMaySayWhatACreditCosts(t *testing.T) {
	for text, want := range map[string]parley.Price{"0.02 EUR": {Amount: 0.02, Currency: "EUR"},
		"3JPY": {Amount: 3, Currency: "JPY"}} {
		p, err := parsePlans([]byte(strings.Replace(tinyPlan, "}", ", creditPrice: "+text+"}", 1)))
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := p.Plan("tiny"); got.CreditPrice == nil || *got.CreditPrice != want {
			t.Errorf("%s is %+v", text, got.CreditPrice)
		}
	}
	for _, wrong := range []string{"0.02", "EUR", "-1 EUR", "0.02 euros", "1e9 EUR", "[1]"} {
		_, err := parsePlans([]byte(strings.Replace(tinyPlan, "}", ", creditPrice: "+wrong+"}", 1)))
		if err == nil || !strings.Contains(err.Error(), "is not a price") {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}

func TestInvalidPlansNameEveryFault(t *testing.T) {
	_, err := parsePlans([]byte(`a: {api: maybe, voice: false, gpt4: false, agents: -1, storagePerAgent: 3 XB, ` +
		`creditsPerMonth: .nan, creditsPerVoiceMinute: unlimited}
B!:
  api: true
  api: true
  seats: 3
a: 7
`))
	if err == nil {
		t.Fatal("accepted")
	}
	for _, want := range []string{`line 1: "maybe"`, `"-1"`, `"3 XB"`, `".nan"`, `"unlimited" is not credits`,
		"line 2: a plan's name", "line 4: api is not", "line 5: seats",
		"B! does not say storagePerAgent", "line 6: the plan a is there twice", "the plan a holds nothing"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in:\n%v", want, err)
		}
	}
	for _, text := range []string{"", "[]", "a", "{", tinyPlan + "---\n" + tinyPlan, "{}"} {
		if _, err := parsePlans([]byte(text)); err == nil {
			t.Errorf("accepted %q", text)
		}
	}
}
