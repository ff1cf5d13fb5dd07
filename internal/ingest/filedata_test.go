package ingest_test

import (
	"strings"
	"testing"

	"parley"
	"parley/internal/ingest"
)

// inDatabase counts the files whose bytes are in the database.
func (s *school) inDatabase() (n int) {
	s.Helper()
	s.must(s.DB.SQL().QueryRow(s.Context(), `select count(distinct hash) from blob_data`).Scan(&n))
	return n
}

func TestFilesLieInTheDatabase(t *testing.T) {
	each(t, func(s *school) {
		s.filed()
		s.Files.InDatabase = true
		large := strings.Repeat("We open at nine in the morning. ", 90_000) // in several parts
		first := s.addFile("hours.txt", large)
		twin := s.addFile("twin.txt", large)
		s.run()
		for _, src := range []*parley.Source{first, twin} {
			if got := s.find(src.ID); got.Status != parley.SourceTrained {
				t.Fatalf("%+v", got)
			}
		}
		if n := s.inDatabase(); n != 1 {
			t.Errorf("equal files lie there %d times", n)
		}
		_, err := s.AddFile(t.Context(), s.account, s.plan, s.agent, "hours.txt", s.file("hours.txt", large))
		s.fails(err, parley.CodeSourceDuplicate)
		next := s.file("hours.txt", "We open at ten in the morning, and close at six in the evening.")
		_, err = s.ChangeFile(t.Context(), s.account, s.plan, s.agent, first.ID, ingest.FileChange{File: &next})
		s.must(err)
		s.run()
		if n := s.inDatabase(); n != 2 {
			t.Errorf("%d files in the database", n)
		}
		for _, id := range []parley.SourceID{first.ID, twin.ID} {
			_, err := s.Delete(t.Context(), s.account, s.agent, id)
			s.must(err)
		}
		s.run()
		if n := s.inDatabase(); n != 0 {
			t.Errorf("%d files are left", n)
		}
	})
}

func TestSweepErasesBytesThatNoRowNames(t *testing.T) {
	each(t, func(s *school) {
		s.filed()
		s.Files.InDatabase = true
		kept := s.addFile("kept.txt", "We open at nine in the morning.")
		s.must(s.DB.PutBlobData(t.Context(), "lost", strings.NewReader("bytes of a source that is gone")))
		s.must(s.SweepFiles(t.Context()))
		s.run()
		if got := s.find(kept.ID); got.Status != parley.SourceTrained || s.inDatabase() != 1 {
			t.Errorf("%+v, %d in the database", got, s.inDatabase())
		}
	})
}
