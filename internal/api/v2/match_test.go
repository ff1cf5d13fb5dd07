package v2_test

import (
	"fmt"
	"strings"
)

// compareReply compares a reply, as JSON or as the lines of a stream.
func (tl *storyRunner) compareReply(got, want string) error {
	if want == "" {
		return nil
	}
	if !strings.HasPrefix(want, "data: ") && !strings.HasPrefix(want, "event: ") {
		return tl.placeholders.Compare(got, want)
	}
	gotLines, wantLines := strings.Split(strings.TrimSpace(got), "\n\n"), strings.Split(want, "\n\n")
	for i, line := range wantLines {
		if i >= len(gotLines) {
			return fmt.Errorf("the stream ends before %s:\n%s", line, got)
		}
		if line == gotLines[i] {
			continue
		}
		gotHead, gotData, _ := strings.Cut(gotLines[i], "data: ")
		wantHead, wantData, _ := strings.Cut(line, "data: ")
		if gotHead != wantHead {
			return fmt.Errorf("event %d begins with %q, want %q\n%s", i, gotHead, wantHead, got)
		}
		if err := tl.placeholders.Compare(gotData, wantData); err != nil {
			return fmt.Errorf("event %d: %w\n%s", i, err, got)
		}
	}
	if len(gotLines) > len(wantLines) {
		return fmt.Errorf("the stream goes on after its end:\n%s", got)
	}
	return nil
}
