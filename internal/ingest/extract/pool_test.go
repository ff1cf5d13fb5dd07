package extract_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"parley/internal/ingest/extract"
	"parley/internal/ingest/extract/sandbox"
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

func newPool(t testing.TB, args ...string) *extract.Pool {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &extract.Pool{Executable: exe, Args: args}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

func readExpectingError(t *testing.T, p *extract.Pool) string {
	t.Helper()
	_, err := p.ReadFile(t.Context(), extract.TXT, "a.txt", []byte("words"))
	if err == nil {
		t.Fatal("no failure")
	}
	return err.Error()
}

func TestPoolReusesAndEndsProcesses(t *testing.T) {
	p := newPool(t)
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
	p := newPool(t)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if got := readExpectingError(t, p); !strings.Contains(got, "closed") {
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
