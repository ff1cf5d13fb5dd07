package ingest_test

import (
	"strings"
	"testing"

	"parley"
	"parley/internal/ingest"
)

// databaseFileCount counts the files whose bytes are in the database.
func (s *testService) databaseFileCount() (n int) {
	s.Helper()
	s.must(s.DB.SQL().QueryRow(s.Context(), `select count(distinct hash) from blob_data`).Scan(&n))
	return n
}

func TestFilesLieInTheDatabase(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		s.enableFiles()
		s.Files.InDatabase = true
		large := strings.Repeat("We open at nine in the morning. ", 90_000) // in several parts
		first := s.addFile("hours.txt", large)
		twin := s.addFile("twin.txt", large)
		s.runJobs()
		for _, src := range []*parley.Source{first, twin} {
			if got := s.findSource(src.ID); got.Status != parley.SourceTrained {
				t.Fatalf("%+v", got)
			}
		}
		if n := s.databaseFileCount(); n != 1 {
			t.Errorf("equal files lie there %d times", n)
		}
		_, err := s.AddFile(t.Context(), s.account, s.plan, s.agent, "hours.txt", s.writeUpload("hours.txt", large))
		s.wantCode(err, parley.CodeSourceDuplicate)
		next := s.writeUpload("hours.txt", "We open at ten in the morning, and close at six in the evening.")
		_, err = s.ChangeFile(t.Context(), s.account, s.plan, s.agent, first.ID, ingest.FileChange{File: &next})
		s.must(err)
		s.runJobs()
		if n := s.databaseFileCount(); n != 2 {
			t.Errorf("%d files in the database", n)
		}
		for _, id := range []parley.SourceID{first.ID, twin.ID} {
			_, err := s.Delete(t.Context(), s.account, s.agent, id)
			s.must(err)
		}
		s.runJobs()
		if n := s.databaseFileCount(); n != 0 {
			t.Errorf("%d files are left", n)
		}
	})
}

func TestSweepErasesBytesThatNoRowNames(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		s.enableFiles()
		s.Files.InDatabase = true
		kept := s.addFile("kept.txt", "We open at nine in the morning.")
		s.must(s.DB.PutBlobData(t.Context(), "lost", strings.NewReader("bytes of a source that is gone")))
		s.must(s.SweepFiles(t.Context()))
		s.runJobs()
		if got := s.findSource(kept.ID); got.Status != parley.SourceTrained || s.databaseFileCount() != 1 {
			t.Errorf("%+v, %d in the database", got, s.databaseFileCount())
		}
	})
}
