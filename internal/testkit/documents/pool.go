package documents

import (
	"os"
	"testing"

	"parley/internal/ingest/extract"
)

// NewPool returns a pool whose child processes are this test program, started with the arguments.
func NewPool(t testing.TB, args ...string) *extract.Pool {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &extract.Pool{Executable: exe, Args: args}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// ReadFailure reads a text with the pool, which must fail, and returns the error's text.
func ReadFailure(t testing.TB, p *extract.Pool) string {
	t.Helper()
	_, err := p.ReadFile(t.Context(), extract.TXT, "a.txt", []byte("words"))
	if err == nil {
		t.Fatal("no failure")
	}
	return err.Error()
}
