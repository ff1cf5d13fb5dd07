package manual

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// TestLLMsFileListsEveryChapter checks that the list has all chapters, and that each line is a link with its text.
func TestLLMsFileListsEveryChapter(t *testing.T) {
	w := get(t, LLMsPath)
	text := w.Body.String()
	if w.Code != http.StatusOK || !Serves(LLMsPath) || w.Header().Get("Content-Type") != contentTypeMarkdown ||
		!strings.HasPrefix(text, "# Parley\n") {
		t.Fatal(w.Code, w.Header(), text)
	}
	for _, path := range paths()[1:] {
		if !strings.Contains(text, "]("+path+")") {
			t.Errorf("%s is not listed", path)
		}
	}
	link := regexp.MustCompile(`^- \[[^\]]+\]\(/[^)]*\)(: .+)?$`)
	for line := range strings.Lines(text) {
		if line = strings.TrimSuffix(line, "\n"); strings.HasPrefix(line, "-") && !link.MatchString(line) {
			t.Errorf("%q is no link", line)
		}
	}
}
