package ingest_test

import (
	"testing"

	"parley/internal/ingest"
	"parley/internal/ingest/extract/draft"
	"parley/internal/outbound"
)

// TestReasonCodes holds that reasons as they are stored have their codes, and that a longer prefix comes before the
// shorter one that it begins with.
func TestReasonCodes(t *testing.T) {
	for reason, want := range map[string]string{
		"":                           "",
		"it broke":                   "",
		draft.ErrEncrypted.Error():   "encrypted",
		draft.ErrTooMuchText.Error(): "tooLarge",
		draft.NewDamagedError("it has no pages", nil).Error():                       "damaged",
		outbound.Reason(&outbound.Error{Reason: "the host did not answer in time"}): "timeout",
		"the file is XML; it must be text":                                          "format",
		"the file is empty":                                                         "noText",
		"the file holds no text; it may be a scan, which would need reading":        "scanned",
		"the host answered 404 Not Found":                                           "hostAnswered",
		"it redirects to another site: other.example":                               "otherSite",
		"it redirects to itself":                                                    "redirects",
		"the free plan's storage is full, so not every page was read":               "storageFull",
	} {
		if got := ingest.ReasonCode(reason); got != want {
			t.Errorf("%q: %q, want %q", reason, got, want)
		}
	}
}
