package chatapi_test

import (
	"net/http"
	"testing"
)

// frameConfig is what tests read of a configuration.
type frameConfig struct {
	AgentID, Name, Reason string
	IsAvailable           bool
	InitialMessages       []string
	SuggestedMessages     []struct{ Text string }
	Styles                struct {
		Chat struct {
			Theme, HeaderColor, AlignChatButton string
			ShowFeedback, ShowAttachments       bool
		}
		CenterStage *struct{ WelcomeMessage, Theme string }
	}
	Leads    *struct{ ToolName string }
	Features struct{ Files, Dictation, Voice, Handover, Email bool }
}

func (f *chatFixture) config(agent, page string) (c frameConfig) {
	f.Helper()
	f.into(f.do(http.MethodGet, agent+"/config?page="+page, "", nil), &c)
	return c
}

func TestFrameIsConfigured(t *testing.T) {
	forEachServer(t, func(f *chatFixture) {
		agent := f.newAgent(`{"visibility":"public","name":"Shop help","initialMessages":["Hi!"],
			"suggestedMessages":[{"type":"single","text":"Opening hours","order":0}]}`)
		c := f.config(agent, "https://shop.example/hours")
		if !c.IsAvailable || c.AgentID != agent || c.Name != "Shop help" || len(c.InitialMessages) != 1 ||
			len(c.SuggestedMessages) != 1 || c.Styles.Chat.Theme != "light" || !c.Styles.Chat.ShowFeedback ||
			c.Styles.Chat.AlignChatButton != "right" || c.Styles.CenterStage != nil || c.Leads != nil {
			t.Errorf("without styles: %+v", c)
		}
		styles := `{"styles":{"chat":{"theme":"dark","headerColor":"#123456","showFeedback":false},
			"centerStage":{"welcomeMessage":"Welcome","theme":"page"}}}`
		if r := f.server.Do(f, http.MethodPut, "/agents/"+agent+"/styles", f.server.Key, styles); r.Status != http.StatusOK {
			f.Fatalf("%s", r.Body)
		}
		c = f.config(agent, "")
		if chat := c.Styles.Chat; chat.Theme != "dark" || chat.HeaderColor != "#123456" || chat.ShowFeedback ||
			c.Styles.CenterStage == nil || c.Styles.CenterStage.WelcomeMessage != "Welcome" ||
			c.Styles.CenterStage.Theme != "page" {
			t.Errorf("with styles: %+v", c)
		}
	})
}

func TestConfigurationSaysWhyTheChatIsNotAvailable(t *testing.T) {
	forEachServer(t, func(f *chatFixture) {
		named := f.newAgent(`{"visibility":"public","name":"Shop help","allowedDomains":["shop.example"]}`)
		private := f.newAgent(`{"visibility":"private","name":"Secret"}`)
		for _, test := range []struct{ name, agent, page, want string }{
			{"its own site", named, "https://www.shop.example/x", ""},
			{"no page", named, "", ""},
			{"another site", named, "https://evil.example", "domain"},
			{"no address", named, "https://%25zz", "domain"},
			{"a private agent", private, "https://shop.example", "agent"},
			{"no agent", "nothing", "https://shop.example", "agent"},
		} {
			c := f.config(test.agent, test.page)
			if c.Reason != test.want || c.IsAvailable != (test.want == "") || c.AgentID != test.agent ||
				!c.IsAvailable && c.Name != "" {
				t.Errorf("%s: %+v", test.name, c)
			}
		}
	})
}
