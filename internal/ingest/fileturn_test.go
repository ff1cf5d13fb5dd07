package ingest_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"parley"
	"parley/internal/ingest/extract"
	"parley/internal/jobs"
)

// Ten large PDFs of one account, two of which are being read, do not keep another account's small file waiting: it is
// read next.
func TestAnotherAccountsFileIsReadNext(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		s.enableFiles()
		begun, end := make(chan string), make(chan struct{})
		s.ReadFile = func(_ context.Context, _ extract.Kind, name string, data []byte) (string, error) {
			begun <- name
			<-end
			return "The kettle boils water.", nil
		}
		files := &jobs.Runner{DB: s.DB.SQL(), Queue: s.Queue, Handlers: s.FileHandlers(), MaxWorkers: 2, Fair: true}
		for i := range 10 {
			s.addFile(fmt.Sprintf("large%d.pdf", i), fmt.Sprint("%PDF-1.7\n", i, strings.Repeat(" many words", 20_000)))
		}
		ctx, stop := context.WithCancel(s.Context())
		done := make(chan error)
		go func() { done <- files.Run(ctx) }()
		<-begun
		<-begun

		other := parley.Account{ID: "other", Name: "Other", Plan: "test", CreatedAt: noon}
		s.must(s.DB.CreateAccount(s.Context(), &other))
		agent := &parley.Agent{ID: parley.NewAgentID(), AccountID: other.ID, Name: "Guide", CreatedAt: noon, UpdatedAt: noon}
		s.must(s.DB.CreateAgent(s.Context(), agent))
		_, err := s.AddFile(s.Context(), other, s.plan, agent.ID, "small.txt", s.writeUpload("small.txt", strings.Repeat("Small words. ", 10)))
		s.must(err)
		s.addFile("own small.txt", strings.Repeat("Own small words. ", 10))

		var order []string
		for range 4 {
			end <- struct{}{}
			order = append(order, <-begun)
		}
		if want := []string{"small.txt", "own small.txt", "large2.pdf", "large3.pdf"}; fmt.Sprint(order) != fmt.Sprint(want) {
			t.Errorf("%q, want %q", order, want)
		}
		go func() {
			for range begun {
				continue
			}
		}()
		close(end)
		s.must(files.WaitIdle(s.Context()))
		stop()
		s.must(<-done)
		close(begun)
	})
}
