package agents_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"parley"
	"parley/internal/agents"
	"parley/internal/ingest"
	"parley/internal/testkit/dbs"
)

// enableFiles lets the service store files, on disk or in the database.
func (s *testService) enableFiles(inDatabase bool) {
	s.ingest.Files = &ingest.Files{Dir: s.TempDir(), InDatabase: inDatabase}
	s.Ingest = s.ingest
	s.runner.Handlers[agents.EraseJob] = s.ingest.WithAgentFileRemoval(s.runner.Handlers[agents.EraseJob])
}

// newPicture uploads a square image with sides of a number of pixels.
func (s *testService) newPicture(pixels int) ingest.File {
	s.Helper()
	var b bytes.Buffer
	s.Must(png.Encode(&b, image.NewPaletted(image.Rect(0, 0, pixels, pixels), color.Palette{color.Black, color.White})))
	dir, err := s.ingest.Files.Incoming()
	s.Must(err)
	f := ingest.File{Name: "p.png", Path: filepath.Join(dir, parley.NewUUID()), Size: int64(b.Len())}
	s.Must(os.WriteFile(f.Path, b.Bytes(), 0o600))
	sum := sha256.Sum256(b.Bytes())
	f.Hash = hex.EncodeToString(sum[:])
	return f
}

// fileCounts counts the stored files: their rows, and their bytes in the folder or the database.
func (s *testService) fileCounts() (rows, places int) {
	s.Helper()
	found, err := filepath.Glob(filepath.Join(s.ingest.Files.Dir, "??", "*"))
	s.Must(err)
	return dbs.CountRows(s, s.DB.SQL(), `select count(*) from blobs`),
		len(found) + dbs.CountRows(s, s.DB.SQL(), `select count(*) from blob_data`)
}

func (s *testService) pictureWidth(id parley.AgentID, kind agents.Picture) int {
	s.Helper()
	blob, data, err := s.PictureOf(s.Context(), id, kind)
	s.Must(err)
	if blob.MediaType != "image/png" {
		s.Error(blob.MediaType)
	}
	size, err := png.DecodeConfig(bytes.NewReader(data))
	s.Must(err)
	return size.Width
}

func TestPicturesAreStoredAndDeletedWithTheirAgent(t *testing.T) {
	for name, inDatabase := range map[string]bool{"disk": false, "database": true} {
		t.Run(name, func(t *testing.T) {
			forEachDatabase(t, func(s *testService) {
				s.enableFiles(inDatabase)
				id := s.createAgent(agents.NewAgent{Name: "Guide"})
				s.Must(s.SetPicture(s.Context(), s.account.ID.AgentRef(id), agents.Icon, s.newPicture(8)))
				s.Must(s.SetPicture(s.Context(), s.account.ID.AgentRef(id), agents.Profile, s.newPicture(8))) // the same bytes
				if rows, places := s.fileCounts(); rows != 2 || places != 1 {
					t.Error("kept:", rows, places)
				}
				s.Must(s.SetPicture(s.Context(), s.account.ID.AgentRef(id), agents.Profile, s.newPicture(16)))
				if a, b := s.pictureWidth(id, agents.Icon), s.pictureWidth(id, agents.Profile); a != 8 || b != 16 {
					t.Error("shows", a, b)
				}
				if rows, places := s.fileCounts(); rows != 2 || places != 2 {
					t.Error("kept:", rows, places)
				}
				copied := s.cloneAgent(id)
				s.Must(s.RemovePicture(s.Context(), s.account.ID.AgentRef(id), agents.Icon))
				s.Must(s.RemovePicture(s.Context(), s.account.ID.AgentRef(id), agents.Icon))
				if _, _, err := s.PictureOf(s.Context(), id, agents.Icon); !parley.IsCode(err, parley.CodeAgentNotFound) {
					t.Error("the icon was not deleted:", err)
				}
				if a, b := s.pictureWidth(copied, agents.Icon), s.pictureWidth(copied, agents.Profile); a != 8 || b != 16 {
					t.Error("the copy shows", a, b)
				}
				s.Must(s.Delete(s.Context(), s.account.ID.AgentRef(id)))
				if _, _, err := s.PictureOf(s.Context(), id, agents.Profile); !parley.IsCode(err, parley.CodeAgentNotFound) {
					t.Error("a deleted agent shows a picture:", err)
				}
				s.runJobs()
				if rows, places := s.fileCounts(); rows != 2 || places != 2 {
					t.Error("the copy's pictures were deleted with the original:", rows, places)
				}
				s.Must(s.Delete(s.Context(), s.account.ID.AgentRef(copied)))
				s.runJobs()
				if rows, places := s.fileCounts(); rows != 0 || places != 0 {
					t.Error("left:", rows, places)
				}
			})
		})
	}
}

func TestPicturesAreRefused(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		s.enableFiles(false)
		id := s.createAgent(agents.NewAgent{Name: "Guide"})
		s.WantCode(s.SetPicture(s.Context(), parley.AgentRef{Account: "other", Agent: id}, agents.Icon, s.newPicture(8)),
			parley.CodeAgentNotFound)
		s.WantCode(s.RemovePicture(s.Context(), parley.AgentRef{Account: "other", Agent: id}, agents.Icon),
			parley.CodeAgentNotFound)
		s.WantCode(s.SetPicture(s.Context(), s.account.ID.AgentRef(id), agents.Icon, s.newPicture(4100)),
			parley.CodeInvalidBody)
		if rows, places := s.fileCounts(); rows != 0 || places != 0 {
			t.Error("kept:", rows, places)
		}
	})
}
