package stub

import (
	"strings"
	"testing"
)

func TestArticleIs24kBIn1200Tokens(t *testing.T) {
	tokens := articleTokens(LongTokens)
	for i, token := range tokens {
		if len(token) != 20 {
			t.Fatalf("token %d has %d bytes: %q", i, len(token), token)
		}
	}
	text := strings.Join(tokens, "")
	if len(tokens) != 1200 || len(text) != 24_000 || !strings.HasSuffix(text, "\n\nThis is the end.") {
		t.Errorf("%d tokens, %d bytes, end %q", len(tokens), len(text), text[len(text)-30:])
	}
	for _, mark := range []string{"\n## 2. ", "\n- ", "\n| ", "```sh\n", "](https://"} {
		if !strings.Contains(text, mark) {
			t.Errorf("no %q", mark)
		}
	}
}
