package extract_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"parley/internal/ingest/extract"
	"parley/internal/ingest/extract/sandbox"
	"parley/internal/testkit/documents"
)

// The test binary is also the child process that reads files.
func TestMain(m *testing.M) {
	if len(os.Args) < 2 || os.Args[1] != "extract" {
		os.Exit(m.Run())
	}
	if err := runExtract(os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func runExtract(args []string) error {
	if len(args) > 3 && args[0] == "--need" {
		return sandbox.Become(sandbox.Need(args[1]), args[3], args[4:])
	}
	return extract.Serve(os.Stdin, os.Stdout)
}

func TestPoolReusesAndEndsProcesses(t *testing.T) {
	p := documents.NewPool(t)
	p.Size, p.IdleTimeout = 1, 50*time.Millisecond
	for i := range 250 { // more than two children read
		doc, err := p.ReadFile(t.Context(), extract.TXT, "a.txt", []byte(fmt.Sprint("words ", i)))
		if err != nil || doc.Text != fmt.Sprint("words ", i) {
			t.Fatal(doc.Text, err)
		}
		if i%100 == 50 {
			if err := p.WaitUntilIdle(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestClosedPool(t *testing.T) {
	p := documents.NewPool(t)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if got := documents.ReadFailure(t, p); !strings.Contains(got, "closed") {
		t.Error(got)
	}
}

func TestPoolReadsInProcess(t *testing.T) {
	p := &extract.Pool{}
	doc, err := p.ReadFile(t.Context(), extract.MD, "a.md", []byte("# Kettle\n\nBoils."))
	if err != nil || doc.Title != "Kettle" {
		t.Error(doc, err)
	}
}
