package provider

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// AnswerText answers correctly, one delta per piece.
func AnswerText(pieces ...string) Behaviour {
	return func(x *Exchange) {
		EndAfter(pieces...)(x)
		x.Finish("stop")
	}
}

// SendRaw writes raw bytes as the whole body and ends it properly.
func SendRaw(raw string) Behaviour { return func(x *Exchange) { x.Write(raw) } }

// AnswerUnstreamed answers as a server that does not stream.
func AnswerUnstreamed(text string) Behaviour {
	return func(x *Exchange) {
		x.w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(x.w, `{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":%q},`+
			`"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2}}`, text)
	}
}

// StallRequest accepts the request and never answers.
func StallRequest() Behaviour { return func(x *Exchange) { x.Stall() } }

// StallAfter sends the pieces and then nothing.
func StallAfter(pieces ...string) Behaviour {
	return func(x *Exchange) {
		EndAfter(pieces...)(x)
		x.Stall()
	}
}

// CutAfter breaks the connection after n bytes of a correct answer.
func CutAfter(n int) Behaviour {
	return func(x *Exchange) {
		stream := "data: " + Delta("Hello ") + "\n\ndata: " + Delta("world.") + "\n\n"
		x.Write(stream[:min(n, len(stream))])
		x.Cut()
	}
}

// EndAfter ends the body properly after the pieces, without a finish.
func EndAfter(pieces ...string) Behaviour {
	return func(x *Exchange) {
		for _, p := range pieces {
			x.Text(p)
		}
	}
}

// HalfJSON sends a piece and then half an event.
func HalfJSON() Behaviour {
	return func(x *Exchange) {
		x.Text("Hello ")
		x.Event(`{"choices":[{"index":0,"delta":{"cont`)
		x.Finish("stop")
	}
}

// InvalidUTF8 sends text with invalid bytes, and splits a code point over two events.
func InvalidUTF8() Behaviour {
	return func(x *Exchange) {
		const event = `{"choices":[{"index":0,"delta":{"content":"%s"}}]}`
		x.Event(fmt.Sprintf(event, "a\xffb \xe2\x82"))
		x.Event(fmt.Sprintf(event, "\xac c"))
		x.Finish("stop")
	}
}

// Garbage answers with something that is not an event stream.
func Garbage() Behaviour {
	return func(x *Exchange) { x.Write("<html><body>It works!</body></html>\n") }
}

// EndlessText sends text endlessly.
func EndlessText(piece string) Behaviour {
	return func(x *Exchange) {
		events := strings.Repeat("data: "+Delta(piece)+"\n\n", 16)
		for x.Write(events) && x.r.Context().Err() == nil {
		}
	}
}

// EndlessLine sends an endless line.
func EndlessLine() Behaviour {
	return func(x *Exchange) {
		x.Write(`data: {"choices":[{"delta":{"content":"`)
		for x.Write(strings.Repeat("x", 32<<10)) && x.r.Context().Err() == nil {
		}
	}
}

// RefuseWith answers with a status and an error body; retryAfter in seconds is sent when it is not negative.
func RefuseWith(status, retryAfter int, body string) Behaviour {
	return func(x *Exchange) {
		if retryAfter >= 0 {
			x.w.Header().Set("Retry-After", strconv.Itoa(retryAfter))
		}
		http.Error(x.w, body, status)
	}
}

// AnswerSlowly sends the pieces one by one, with a pause before each.
func AnswerSlowly(pause time.Duration, pieces ...string) Behaviour {
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

// AnswerAfterRelease sends the first piece, waits until release is closed, and sends the rest.
func AnswerAfterRelease(release <-chan struct{}, first string, rest ...string) Behaviour {
	return func(x *Exchange) {
		x.Text(first)
		select {
		case <-release:
		case <-x.r.Context().Done():
			return
		case <-x.quit:
			return
		}
		AnswerText(rest...)(x)
	}
}

// CallTool asks for one tool call in fragments.
func CallTool(id, name string, fragments ...string) Behaviour {
	return func(x *Exchange) {
		const part = `{"choices":[{"index":0,"delta":{"tool_calls":[%s]}}]}`
		x.Event(fmt.Sprintf(part,
			fmt.Sprintf(`{"index":0,"id":%q,"type":"function","function":{"name":%q,"arguments":""}}`, id, name)))
		for _, f := range fragments {
			x.Event(fmt.Sprintf(part, fmt.Sprintf(`{"index":0,"function":{"arguments":%q}}`, f)))
		}
		x.Finish("tool_calls")
	}
}
