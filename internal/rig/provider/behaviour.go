package provider

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Says answers well, one delta per piece.
func Says(pieces ...string) Behaviour {
	return func(x *Exchange) {
		for _, p := range pieces {
			x.Text(p)
		}
		x.Finish("stop")
	}
}

// Sends writes raw bytes as the whole body and ends it properly.
func Sends(raw string) Behaviour { return func(x *Exchange) { x.Write(raw) } }

// SaysAtOnce answers as a server that does not stream.
func SaysAtOnce(text string) Behaviour {
	return func(x *Exchange) {
		x.w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(x.w, `{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":%q},`+
			`"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2}}`, text)
	}
}

// Stalls accepts the request and never answers.
func Stalls() Behaviour { return func(x *Exchange) { x.Stall() } }

// StallsAfter falls silent after the pieces.
func StallsAfter(pieces ...string) Behaviour {
	return func(x *Exchange) {
		for _, p := range pieces {
			x.Text(p)
		}
		x.Stall()
	}
}

// CutsAfter breaks the connection after n bytes of a good answer.
func CutsAfter(n int) Behaviour {
	return func(x *Exchange) {
		stream := "data: " + Delta("Hello ") + "\n\ndata: " + Delta("world.") + "\n\n"
		x.Write(stream[:min(n, len(stream))])
		x.Cut()
	}
}

// EndsAfter ends the body properly after the pieces, without a finish.
func EndsAfter(pieces ...string) Behaviour {
	return func(x *Exchange) {
		for _, p := range pieces {
			x.Text(p)
		}
	}
}

// HalfJSON says a piece and then half an event.
func HalfJSON() Behaviour {
	return func(x *Exchange) {
		x.Text("Hello ")
		x.Event(`{"choices":[{"index":0,"delta":{"cont`)
		x.Finish("stop")
	}
}

// InvalidUTF8 says text with bytes that are no text, and splits a code point over two events.
func InvalidUTF8() Behaviour {
	return func(x *Exchange) {
		const event = `{"choices":[{"index":0,"delta":{"content":"%s"}}]}`
		x.Event(fmt.Sprintf(event, "a\xffb \xe2\x82"))
		x.Event(fmt.Sprintf(event, "\xac c"))
		x.Finish("stop")
	}
}

// Garbage answers with something that is no event stream.
func Garbage() Behaviour {
	return func(x *Exchange) { x.Write("<html><body>It works!</body></html>\n") }
}

// Endless never stops talking.
func Endless(piece string) Behaviour {
	return func(x *Exchange) {
		events := strings.Repeat("data: "+Delta(piece)+"\n\n", 16)
		for x.Write(events) && x.r.Context().Err() == nil {
		}
	}
}

// EndlessLine sends one line that never ends.
func EndlessLine() Behaviour {
	return func(x *Exchange) {
		x.Write(`data: {"choices":[{"delta":{"content":"`)
		for x.Write(strings.Repeat("x", 32<<10)) && x.r.Context().Err() == nil {
		}
	}
}

// Refuses answers with a status and an error body; retryAfter in seconds is sent when it is not negative.
func Refuses(status, retryAfter int, body string) Behaviour {
	return func(x *Exchange) {
		if retryAfter >= 0 {
			x.w.Header().Set("Retry-After", strconv.Itoa(retryAfter))
		}
		http.Error(x.w, body, status)
	}
}

// Slow says the pieces one by one, with a pause before each.
func Slow(pause time.Duration, pieces ...string) Behaviour {
	return func(x *Exchange) {
		for _, p := range pieces {
			t := time.NewTimer(pause)
			select {
			case <-t.C:
			case <-x.r.Context().Done():
				t.Stop()
				return
			}
			x.Text(p)
		}
		x.Finish("stop")
	}
}

// Held says the first piece, waits until release is closed, and says the rest.
func Held(release <-chan struct{}, first string, rest ...string) Behaviour {
	return func(x *Exchange) {
		x.Text(first)
		select {
		case <-release:
		case <-x.r.Context().Done():
			return
		case <-x.quit:
			return
		}
		Says(rest...)(x)
	}
}

// Calls asks for one tool call in fragments.
func Calls(id, name string, fragments ...string) Behaviour {
	return func(x *Exchange) {
		const part = `{"choices":[{"index":0,"delta":{"tool_calls":[%s]}}]}`
		x.Event(fmt.Sprintf(part, fmt.Sprintf(`{"index":0,"id":%q,"type":"function","function":{"name":%q,"arguments":""}}`, id, name)))
		for _, f := range fragments {
			x.Event(fmt.Sprintf(part, fmt.Sprintf(`{"index":0,"function":{"arguments":%q}}`, f)))
		}
		x.Finish("tool_calls")
	}
}
