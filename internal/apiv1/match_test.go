package apiv1_test

import (
	"fmt"
	"strings"
)

// compare compares a reply, as JSON or as the lines of a stream.
func (tl *teller) compare(got, want string) error {
	if want == "" {
		return nil
	}
	if strings.HasPrefix(want, "data:") {
		if want = tl.known.Expand(want); strings.TrimRight(got, "\n") != want {
			return fmt.Errorf("the stream is\n%s\nwant\n%s", got, want)
		}
		return nil
	}
	return tl.known.Compare(got, want)
}
