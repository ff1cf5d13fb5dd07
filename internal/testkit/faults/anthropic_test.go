package faults

import (
	"net/http"
	"strings"
	"testing"

	"parley/internal/testkit/provider"
)

// What a provider with Anthropic's format does with each request, and how the answer must end. Faults that both formats
// share are in providerFaults.
var anthropicFaults = map[string]providerFault{
	"stalls at once": {behaviour: provider.StallRequest(), wantsFailure: true, firstByteTimeout: shortSilence},
	"stalls in the middle": {behaviour: provider.AnthropicTextThen(provider.StallRequest(), "Hello ", "wor"),
		wantsFailure: true, wantsText: true, idleTimeout: shortSilence},
	"cuts in the middle": {behaviour: provider.AnthropicTextThen(provider.CutConnection(), "Hello ", "wor"),
		wantsFailure: true, wantsText: true},
	"ends in the middle": {behaviour: provider.AnthropicTextThen(provider.SendRaw(""), "Hello ", "wor"),
		wantsFailure: true, wantsText: true},
	"says nothing": {behaviour: provider.AnthropicText("end_turn"), wantsFailure: true},
	"sends half an event": {behaviour: provider.AnthropicTextThen(provider.SendRaw("data: {\"type\":\"content_bl\n\n"),
		"Hello "), wantsFailure: true, wantsText: true},
	"sends no event stream": {behaviour: provider.Garbage(), wantsFailure: true},
	"sends an endless line": {behaviour: provider.EndlessLine(), wantsFailure: true},
	"never stops talking": {behaviour: provider.AnthropicTextThen(provider.RepeatRaw("data: " +
		provider.TextDelta(0, strings.Repeat("on and on ", 100)) + "\n\n")), wantsInterrupted: true},
	"only pings": {behaviour: provider.AnthropicTextThen(provider.RepeatRaw("event: ping\ndata: {\"type\":\"ping\"}\n\n")),
		wantsFailure: true},
	"calls a tool of its own": {behaviour: provider.AnthropicToolCall("c1", "delete_everything", `{"all"`, `:true}`),
		wantsFailure: true},
	"sends a broken tool call": {behaviour: provider.AnthropicToolCall("c1", "look_up", `{"all`), wantsFailure: true},
	"is overloaded at once":    {behaviour: provider.AnthropicError("overloaded_error"), wantsFailure: true},
	"is overloaded later": {behaviour: provider.AnthropicError("overloaded_error", "Hello "), wantsFailure: true,
		wantsText: true},
	"is overloaded": {behaviour: provider.RefuseWith(529, -1,
		`{"type":"error","error":{"type":"overloaded_error","message":"sk-secret"}}`), wantsFailure: true},
	"is busy": {behaviour: provider.RefuseWith(http.StatusTooManyRequests, 3600,
		`{"type":"error","error":{"type":"rate_limit_error"}}`), wantsFailure: true},
	"breaks off what it says": {behaviour: provider.AnthropicText("refusal", "Hello "), wantsFailure: true,
		wantsText: true},
	"speaks another format": {behaviour: provider.AnswerText("Hello."), wantsFailure: true},
	"does what it should":   {behaviour: provider.AnthropicText("end_turn", "Hello ", "world.")},
}

// The same holds for the other wire format.
func TestMisbehavingAnthropicProvider(t *testing.T) {
	for name, m := range anthropicFaults {
		m.isAnthropic = true
		for _, streams := range []bool{false, true} {
			kind := map[bool]string{false: "/json", true: "/stream"}[streams]
			t.Run(strings.ReplaceAll(name, " ", "_")+kind, func(t *testing.T) {
				t.Parallel()
				m.runTest(t, streams)
			})
		}
	}
}
