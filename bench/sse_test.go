package main

import (
	"bufio"
	"errors"
	"strings"
	"testing"
	"testing/iotest"
)

const answered = `data: {"type":"start"}

data: {"type":"text-delta","id":"t1","delta":"Hello, "}

: ping

data: {"type":"text-delta","id":"t1","delta":"you."}

data: {"type":"finish","finishReason":"stop"}

data: [DONE]

`

const modelled = `data: {"choices":[{"delta":{"role":"assistant","content":""},"finish_reason":null}]}

data: {"choices":[{"delta":{"content":"Hello, "},"finish_reason":null}]}

data: {"choices":[{"delta":{"content":"you."},"finish_reason":null}]}

data: {"choices":[{"delta":{},"finish_reason":"stop"}]}

data: {"choices":[],"usage":{}}

data: [DONE]

`

func read(stream string) (string, error) {
	var text strings.Builder
	err := events(bufio.NewReader(iotest.OneByteReader(strings.NewReader(stream))), func(s string) { text.WriteString(s) })
	return text.String(), err
}

func TestBothStreamsAreRead(t *testing.T) {
	for _, stream := range []string{answered, modelled} {
		if text, err := read(stream); text != "Hello, you." || err != nil {
			t.Errorf("got %q, %v", text, err)
		}
	}
}

func TestBrokenStreamsAreNotAccepted(t *testing.T) {
	for name, stream := range map[string]string{
		"cut":            answered[:len(answered)-len("data: [DONE]\n\n")],
		"cut in a line":  answered[:40],
		"without finish": "data: [DONE]\n\n",
		"more after end": answered + "data: {}\n\n",
		"one line end":   strings.Replace(answered, "\n\n", "\n", 1),
		"half JSON":      strings.Replace(answered, `"start"}`, `"start"`, 1),
		"other field":    "event: x\n" + answered,
		"error":          strings.Replace(answered, `"start"`, `"error"`, 1),
		"other reason":   strings.Replace(answered, `"stop"`, `"error"`, 1),
	} {
		if _, err := read(stream); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if _, err := read(""); !errors.Is(err, errUnended) {
		t.Errorf("nothing: %v", err)
	}
}
