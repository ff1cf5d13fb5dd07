package sandbox_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"parley/internal/ingest/extract"
	"parley/internal/ingest/extract/sandbox"
	"parley/internal/testkit/documents"
)

func TestMemoryIsBounded(t *testing.T) {
	requireLinux(t)
	if sandbox.HasRaceDetector {
		t.Skip("SKIP: the race detector needs the memory for itself")
	}
	if got := documents.ReadFailure(t, documents.NewPool(t, "greedy")); !strings.Contains(got, "memory") {
		t.Error(got)
	}
}

func TestTimeIsBounded(t *testing.T) {
	p := documents.NewPool(t, "busy")
	p.FileTimeout = 300 * time.Millisecond
	if got := documents.ReadFailure(t, p); !strings.Contains(got, "more than 300ms") {
		t.Error(got)
	}
}

func TestCrashFailsOneFileOnly(t *testing.T) {
	p := documents.NewPool(t, "broken")
	for range 5 {
		if got := documents.ReadFailure(t, p); !strings.Contains(got, "given up") {
			t.Error(got)
		}
	}
}

func TestCancelledWhileReading(t *testing.T) {
	p := documents.NewPool(t, "busy")
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := p.ReadFile(ctx, extract.TXT, "a.txt", []byte("words")); err != context.DeadlineExceeded {
		t.Error(err)
	}
}

// Another program reads a file that our reader cannot read, within the limits of a child.
func TestExternalProgramReadsWhatOurReaderCannot(t *testing.T) {
	requireLinux(t)
	requireLandlock(t)
	unreadable := []byte("no table of pieces")
	p := documents.NewPool(t)
	if _, err := p.ReadFile(t.Context(), extract.DOC, "a.doc", unreadable); err == nil {
		t.Fatal("ours read it")
	}
	helped := documents.NewPool(t)
	helped.Programs = extract.Programs{Antiword: hostileProgram(t, "antiword")}
	doc, err := helped.ReadFile(t.Context(), extract.DOC, "a.doc", unreadable)
	if err != nil || doc.Text != "The kettle boils water." {
		t.Errorf("%q, %v", doc.Text, err)
	}
}
