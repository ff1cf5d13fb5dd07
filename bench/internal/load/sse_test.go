package load

import (
	"bufio"
	"errors"
	"strings"
	"testing"
	"testing/iotest"
)

const answerStream = `data: {"type":"start"}

data: {"type":"text-delta","id":"t1","delta":"Hello, "}

: ping

data: {"type":"text-delta","id":"t1","delta":"you."}

data: {"type":"finish","finishReason":"stop"}

data: [DONE]

`

const modelStream = `data: {"choices":[{"delta":{"role":"assistant","content":""},"finish_reason":null}]}

data: {"choices":[{"delta":{"content":"Hello, "},"finish_reason":null}]}

data: {"choices":[{"delta":{"content":"you."},"finish_reason":null}]}

data: {"choices":[{"delta":{},"finish_reason":"stop"}]}

data: {"choices":[],"usage":{}}

data: [DONE]

`

func readText(stream string) (string, error) {
	var text strings.Builder
	err := readEvents(bufio.NewReader(iotest.OneByteReader(strings.NewReader(stream))), func(s string) {
		text.WriteString(s)
	})
	return text.String(), err
}

func TestBothStreamsAreRead(t *testing.T) {
	for _, stream := range []string{answerStream, modelStream} {
		if text, err := readText(stream); text != "Hello, you." || err != nil {
			t.Errorf("got %q, %v", text, err)
		}
	}
}

func TestBrokenStreamsAreErrors(t *testing.T) {
	for name, stream := range map[string]string{
		"cut":            answerStream[:len(answerStream)-len("data: [DONE]\n\n")],
		"cut in a line":  answerStream[:40],
		"without finish": "data: [DONE]\n\n",
		"more after end": answerStream + "data: {}\n\n",
		"one line end":   strings.Replace(answerStream, "\n\n", "\n", 1),
		"half JSON":      strings.Replace(answerStream, `"start"}`, `"start"`, 1),
		"other field":    "event: x\n" + answerStream,
		"error":          strings.Replace(answerStream, `"start"`, `"error"`, 1),
		"other reason":   strings.Replace(answerStream, `"stop"`, `"error"`, 1),
	} {
		if _, err := readText(stream); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if _, err := readText(""); !errors.Is(err, errNoDone) {
		t.Errorf("nothing: %v", err)
	}
}
