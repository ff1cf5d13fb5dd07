package v1_test

import (
	"fmt"
	"strings"
)

// compareReply compares a reply, as JSON or as the lines of a stream.
func (tl *storyRunner) compareReply(got, want string) error {
	if want == "" {
		return nil
	}
	if strings.HasPrefix(want, "data:") {
		if want = tl.placeholders.Expand(want); strings.TrimRight(got, "\n") != want {
			return fmt.Errorf("the stream is\n%s\nwant\n%s", got, want)
		}
		return nil
	}
	return tl.placeholders.Compare(got, want)
}
