package ingest_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/ingest"
	"parley/internal/ingest/extract"
	"parley/internal/jobs"
	"parley/internal/testkit/check"
)

// enableFiles sets up a folder of files, and a reader that returns their bytes as text.
func (s *testService) enableFiles() *testService {
	s.Files = &ingest.Files{Dir: filepath.Join(s.TempDir(), "blobs")}
	s.ReadFile = func(_ context.Context, _ extract.Kind, _ string, data []byte) (string, error) {
		return string(data), nil
	}
	for kind, do := range s.FileHandlers() {
		s.runner.Handlers[kind] = do
	}
	return s
}

// writeUpload writes a file to the folder of uploads.
func (s *testService) writeUpload(name, content string) ingest.File {
	s.Helper()
	dir, err := s.Files.Incoming()
	s.Must(err)
	f, err := os.CreateTemp(dir, "upload-*")
	s.Must(err)
	_, err = f.WriteString(content)
	s.Must(errors.Join(err, f.Close()))
	sum := sha256.Sum256([]byte(content))
	return ingest.File{Name: name, Path: f.Name(), Size: int64(len(content)), Hash: hex.EncodeToString(sum[:])}
}

func (s *testService) addFile(name, content string) *parley.Source {
	s.Helper()
	src, err := s.AddFile(s.Context(), s.caller(), s.agent, name, s.writeUpload(name, content))
	s.Must(err)
	return src
}

// diskFiles lists the files on the disk.
func (s *testService) diskFiles() []string {
	s.Helper()
	list, err := filepath.Glob(filepath.Join(s.Files.Dir, "*", "*"))
	s.Must(err)
	return list
}

func (s *testService) findSource(id parley.SourceID) *parley.Source {
	s.Helper()
	src, err := s.DB.Source(s.Context(), parley.AgentRef{Account: "acc", Agent: s.agent}, id)
	s.Must(err)
	return src
}

func TestFileIsReadOnce(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		s.enableFiles()
		reads := 0
		inner := s.ReadFile
		s.ReadFile = func(ctx context.Context, kind extract.Kind, name string, data []byte) (string, error) {
			if reads++; reads == 1 {
				return "", errors.New("the reader could not be started")
			}
			return inner(ctx, kind, name, data)
		}
		src := s.addFile("hours.txt", "We open at nine in the morning.")
		s.runJobs()
		if got := s.findSource(src.ID); got.Status != parley.SourceUntrained {
			t.Fatal("one attempt that failed is not the end:", got.Status)
		}
		s.now = s.now.Add(time.Minute)
		s.runJobs()
		if got := s.findSource(src.ID); got.Status != parley.SourceTrained || got.LiveVersion != got.WantedVersion ||
			reads != 2 {
			t.Fatalf("%+v after %d readings", got, reads)
		}
		name := "Hours"
		_, err := s.ChangeFile(s.Context(), s.caller(), s.agent, src.ID, ingest.FileChange{Name: &name})
		s.Must(err)
		s.runJobs()
		if got := s.findSource(src.ID); got.Name != name || got.Status != parley.SourceTrained || reads != 2 {
			t.Errorf("%+v after %d readings", got, reads)
		}
		_, err = s.ChangeText(s.Context(), s.caller(), s.agent, src.ID, ingest.TextChange{Name: &name})
		s.WantCode(err, parley.CodeSourceNotFound)
	})
}

func TestFailedFileCanBeRetried(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		s.enableFiles()
		inner := s.ReadFile
		s.ReadFile = func(context.Context, extract.Kind, string, []byte) (string, error) {
			return "", &extract.Error{Reason: "reading the file takes more than 30s"}
		}
		const content = "We open at nine in the morning."
		src := s.addFile("hours.txt", content)
		s.runJobs()
		if got := s.findSource(src.ID); got.Status != parley.SourceFailed ||
			got.Failure != "reading the file takes more than 30s" {
			t.Fatalf("%+v", got)
		}
		s.ReadFile = inner
		f := s.writeUpload("hours.txt", content)
		_, err := s.ChangeFile(s.Context(), s.caller(), s.agent, src.ID, ingest.FileChange{File: &f})
		s.Must(err)
		s.runJobs()
		if got := s.findSource(src.ID); got.Status != parley.SourceTrained || got.Failure != "" {
			t.Errorf("%+v", got)
		}
	})
}

func TestMissingFileFails(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		s.enableFiles()
		src := s.addFile("hours.txt", "We open at nine in the morning.")
		for _, path := range s.diskFiles() {
			s.Must(os.Remove(path))
		}
		for range 10 {
			s.runJobs()
			s.now = s.now.Add(time.Hour)
		}
		if got := s.findSource(src.ID); got.Status != parley.SourceFailed || got.Failure == "" {
			t.Errorf("%+v", got)
		}
	})
}

func TestSweepKeepsFilesInUse(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		s.enableFiles()
		s.Must(s.SweepFiles(t.Context())) // when nothing has been uploaded yet
		first := s.addFile("kept.txt", "We open at nine in the morning.")
		cut := s.writeUpload("cut.txt", "an upload that was cut short")
		lost := filepath.Join(s.Files.Dir, "ab", "abcdef")
		s.Must(os.MkdirAll(filepath.Dir(lost), 0o700))
		s.Must(os.WriteFile(lost, []byte("without a row"), 0o600))
		s.now = time.Now()
		s.Must(s.SweepFiles(t.Context()))
		if n := len(s.diskFiles()); n != 3 {
			t.Error("it swept what is new:", n)
		}
		s.now = time.Now().Add(2 * time.Hour)
		s.Must(s.SweepFiles(t.Context()))
		if left := s.diskFiles(); len(left) != 1 || left[0] == cut.Path || left[0] == lost {
			t.Error(left)
		}
		s.Must(s.WithAgentFileRemoval(func(ctx context.Context, job jobs.Job) error {
			_, err := s.DB.SQL().Exec(ctx, `delete from blobs where agent_id = ?`, job.Key)
			return err
		})(t.Context(), jobs.Job{AccountID: "acc", Key: string(s.agent)}))
		if left := s.diskFiles(); len(left) != 0 {
			t.Error(first.ID, left)
		}
	})
}

// A compressed file may hold a text a thousand times its size: the stored text counts.
func TestFileSizeIsThatOfItsText(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		s.enableFiles()
		s.Plan = func(string) (parley.Plan, bool) { return s.plan, true }
		long := strings.Repeat("Much was packed into few bytes. ", 1000)
		s.ReadFile = func(context.Context, extract.Kind, string, []byte) (string, error) { return long, nil }
		src := s.addFile("packed.txt", "Little to see here, and more within.")
		if src.Size != 36 || s.loadAgent().Size != 36 {
			s.Error(src.Size)
		}
		s.runJobs()
		if got := s.findSource(src.ID); got.Status != parley.SourceTrained || got.Size != int64(len(long)) ||
			s.loadAgent().Size != got.Size {
			s.Errorf("%+v", got)
		}
		name := "Renamed"
		s.plan.StoragePerAgent = new(int64) // a plan that has shrunk takes what does not grow
		_, err := s.ChangeFile(s.Context(), s.caller(), s.agent, src.ID, ingest.FileChange{Name: &name})
		s.Must(err)
		s.runJobs()
		if got := s.findSource(src.ID); got.Status != parley.SourceTrained || got.Name != name ||
			s.loadAgent().Size != int64(len(long)) {
			s.Errorf("%+v", got)
		}
	})
}

func TestFileWhoseTextExceedsThePlanFails(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		s.enableFiles()
		log := s.captureLog(slog.LevelWarn)
		limit := int64(1000)
		s.plan.StoragePerAgent = &limit
		s.Plan = func(string) (parley.Plan, bool) { return s.plan, true }
		s.ReadFile = func(context.Context, extract.Kind, string, []byte) (string, error) {
			return strings.Repeat("much ", 1000), nil
		}
		src := s.addFile("packed.txt", "Little to see here, and more within.")
		s.runJobs()
		got := s.findSource(src.ID)
		if got.Status != parley.SourceFailed || !strings.Contains(log.String(), "SOURCE_SIZE_LIMIT_EXCEEDED") ||
			s.loadAgent().Size != 36 {
			s.Errorf("%+v %s", got, log)
		}
		if n := s.queryCount(`select count(*) from passages`) +
			s.queryCount(`select coalesce(sum(length(text)), 0) from source_versions`); n != 0 {
			s.Error("something of it was written:", n)
		}
		limit = 10_000
		_, err := s.ChangeFile(s.Context(), s.caller(), s.agent, src.ID, ingest.FileChange{})
		s.Must(err)
		s.runJobs()
		if got := s.findSource(src.ID); got.Status != parley.SourceTrained || got.Size != 5000 {
			s.Errorf("with room: %+v", got)
		}
	})
}

// databaseFileCount counts the files whose bytes are in the database.
func (s *testService) databaseFileCount() (n int) {
	s.Helper()
	s.Must(s.DB.SQL().QueryRow(s.Context(), `select count(distinct hash) from blob_data`).Scan(&n))
	return n
}

func TestFilesAreStoredInTheDatabase(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		s.enableFiles()
		s.Files.InDatabase = true
		large := strings.Repeat("We open at nine in the morning. ", 40_000) // in two parts
		first := s.addFile("hours.txt", large)
		duplicate := s.addFile("twin.txt", large)
		s.runJobs()
		for _, src := range []*parley.Source{first, duplicate} {
			if got := s.findSource(src.ID); got.Status != parley.SourceTrained {
				t.Fatalf("%+v", got)
			}
		}
		if n := s.databaseFileCount(); n != 1 {
			t.Errorf("equal files are stored %d times", n)
		}
		_, err := s.AddFile(t.Context(), s.caller(), s.agent, "hours.txt", s.writeUpload("hours.txt", large))
		s.WantCode(err, parley.CodeSourceDuplicate)
		next := s.writeUpload("hours.txt", "We open at ten in the morning, and close at six in the evening.")
		_, err = s.ChangeFile(t.Context(), s.caller(), s.agent, first.ID, ingest.FileChange{File: &next})
		s.Must(err)
		s.runJobs()
		if n := s.databaseFileCount(); n != 2 {
			t.Errorf("%d files in the database", n)
		}
		for _, id := range []parley.SourceID{first.ID, duplicate.ID} {
			_, err := s.Delete(t.Context(), s.account.ID.AgentRef(s.agent), id)
			s.Must(err)
		}
		s.runJobs()
		if n := s.databaseFileCount(); n != 0 {
			t.Errorf("%d files remain", n)
		}
	})
}

func TestSweepErasesOrphanedBytes(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		s.enableFiles()
		s.Files.InDatabase = true
		first := s.addFile("kept.txt", "We open at nine in the morning.")
		s.Must(s.DB.PutBlobData(t.Context(), "lost", strings.NewReader("bytes of a source that is gone")))
		s.Must(s.SweepFiles(t.Context()))
		s.runJobs()
		if got := s.findSource(first.ID); got.Status != parley.SourceTrained || s.databaseFileCount() != 1 {
			t.Errorf("%+v, %d in the database", got, s.databaseFileCount())
		}
	})
}

// While ten large PDFs of one account wait, two of which are being read, a small file of another account is read next.
func TestAccountsTakeTurnsReadingFiles(t *testing.T) {
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
		check.Receive(s.TB, "a file that is read", begun)
		check.Receive(s.TB, "another file that is read", begun)

		other := parley.Account{ID: "other", Name: "Other", Plan: "test", CreatedAt: noon}
		s.Must(s.DB.CreateAccount(s.Context(), &other))
		agent := &parley.Agent{ID: parley.NewAgentID(), AccountID: other.ID, Name: "Guide", CreatedAt: noon, UpdatedAt: noon}
		s.Must(s.DB.CreateAgent(s.Context(), agent))
		_, err := s.AddFile(s.Context(), parley.Caller{Account: other, Plan: s.plan}, agent.ID, "small.txt",
			s.writeUpload("small.txt", strings.Repeat("Small words. ", 10)))
		s.Must(err)
		s.addFile("own small.txt", strings.Repeat("Own small words. ", 10))

		var order []string
		for range 4 {
			end <- struct{}{}
			order = append(order, check.Receive(s.TB, "the next file", begun))
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
		s.Must(files.WaitIdle(s.Context()))
		stop()
		s.Must(check.Receive(s.TB, "the end of the runner", done))
		close(begun)
	})
}
