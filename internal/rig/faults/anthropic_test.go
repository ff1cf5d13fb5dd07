package faults

import (
	"net/http"
	"strings"
	"testing"

	"parley/internal/rig/provider"
)

// What a provider of Anthropic's format does to each of its requests, and how the answer must end. What both formats have in common
// is in misdeeds.
var claudesMisdeeds = map[string]misdeed{
	"stalls at once":           {does: provider.Stalls(), fails: true},
	"stalls in the middle":     {does: provider.MessageThen(provider.Stalls(), "Hello ", "wor"), fails: true, says: true},
	"cuts in the middle":       {does: provider.MessageThen(provider.Breaks(), "Hello ", "wor"), fails: true, says: true},
	"ends in the middle":       {does: provider.MessageThen(provider.Sends(""), "Hello ", "wor"), fails: true, says: true},
	"says nothing":             {does: provider.Message("end_turn"), fails: true},
	"sends half an event":      {does: provider.MessageThen(provider.Sends("data: {\"type\":\"content_bl\n\n"), "Hello "), fails: true, says: true},
	"sends no event stream":    {does: provider.Garbage(), fails: true},
	"sends an endless line":    {does: provider.EndlessLine(), fails: true},
	"never stops talking":      {does: provider.MessageThen(provider.Repeats("data: " + provider.TextDelta(0, strings.Repeat("on and on ", 100)) + "\n\n")), cut: true},
	"only pings":               {does: provider.MessageThen(provider.Repeats("event: ping\ndata: {\"type\":\"ping\"}\n\n")), fails: true},
	"calls a tool of its own":  {does: provider.MessageUses("c1", "delete_everything", `{"all"`, `:true}`), fails: true},
	"sends a broken tool call": {does: provider.MessageUses("c1", "look_up", `{"all`), fails: true},
	"is overloaded at once":    {does: provider.MessageFails("overloaded_error"), fails: true},
	"is overloaded later":      {does: provider.MessageFails("overloaded_error", "Hello "), fails: true, says: true},
	"is overloaded":            {does: provider.Refuses(529, -1, `{"type":"error","error":{"type":"overloaded_error","message":"sk-secret"}}`), fails: true},
	"is busy":                  {does: provider.Refuses(http.StatusTooManyRequests, 3600, `{"type":"error","error":{"type":"rate_limit_error"}}`), fails: true},
	"breaks off what it says":  {does: provider.Message("refusal", "Hello "), fails: true, says: true},
	"speaks another format":    {does: provider.Says("Hello."), fails: true},
	"does what it should":      {does: provider.Message("end_turn", "Hello ", "world.")},
}

// The other wire format keeps the same promise.
func TestBadAnthropic(t *testing.T) {
	for name, m := range claudesMisdeeds {
		m.claude = true
		for _, streams := range []bool{false, true} {
			kind := map[bool]string{false: "/json", true: "/stream"}[streams]
			t.Run(strings.ReplaceAll(name, " ", "_")+kind, func(t *testing.T) {
				t.Parallel()
				m.test(t, streams)
			})
		}
	}
}
