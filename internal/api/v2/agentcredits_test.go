package v2_test

import (
	"encoding/json"
	"testing"
	"time"

	"parley"
	"parley/internal/testkit"
)

// TestCreditsOfAnAgentComeBackWithTheMonth holds creditLimit and creditsUsed to the calendar month, UTC (facts 2.8a).
func TestCreditsOfAnAgentComeBackWithTheMonth(t *testing.T) {
	clock := testkit.NewClock() // the tenth of November
	h := testkit.Open(t, testkit.WithClock(clock))
	agent := "/agents/" + createAgent(t, h)
	mustSend(t, h, "PUT", agent, `{"creditLimit": 1}`)
	chat := func() (int, string) {
		status, reply := sendAs(t, h, h.Key, "POST", agent+"/chat", `{"message": "Hello"}`)
		var refused struct{ Error struct{ Code string } }
		mustUnmarshal(t, reply, &refused)
		return status, refused.Error.Code
	}
	used := func() (n int) {
		var a struct{ CreditsUsed int }
		if err := json.Unmarshal([]byte(mustSend(t, h, "GET", agent, "")), &a); err != nil {
			t.Fatal(err)
		}
		return a.CreditsUsed
	}
	for _, month := range []string{"November", "December"} {
		if status, code := chat(); status != 200 || used() != 1 {
			t.Errorf("%s: %d %s, %d used", month, status, code, used())
		}
		if status, code := chat(); status != 402 || code != string(parley.CodeAgentCredits) {
			t.Errorf("%s, when it is spent: %d %s", month, status, code)
		}
		clock.Advance(21 * 24 * time.Hour) // the first of December
		if month == "November" && used() != 0 {
			t.Error("not back on the first:", used())
		}
	}
}
