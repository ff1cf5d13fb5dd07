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
)

// enableFiles lets the service store files, on disk or in the database.
func (o *testService) enableFiles(inDatabase bool) {
	o.ingest.Files = &ingest.Files{Dir: o.TempDir(), InDatabase: inDatabase}
	o.Ingest = o.ingest
	o.runner.Handlers[agents.EraseJob] = o.ingest.WithAgentFileRemoval(o.runner.Handlers[agents.EraseJob])
}

// newPicture uploads a square image with sides of that many pixels.
func (o *testService) newPicture(pixels int) ingest.File {
	o.Helper()
	var b bytes.Buffer
	o.must(png.Encode(&b, image.NewPaletted(image.Rect(0, 0, pixels, pixels), color.Palette{color.Black, color.White})))
	dir, err := o.ingest.Files.Incoming()
	o.must(err)
	f := ingest.File{Name: "p.png", Path: filepath.Join(dir, parley.NewUUID()), Size: int64(b.Len())}
	o.must(os.WriteFile(f.Path, b.Bytes(), 0o600))
	sum := sha256.Sum256(b.Bytes())
	f.Hash = hex.EncodeToString(sum[:])
	return f
}

// fileCounts counts the files that are kept: their rows, and where their bytes lie.
func (o *testService) fileCounts() (rows, places int) {
	o.Helper()
	found, err := filepath.Glob(filepath.Join(o.ingest.Files.Dir, "??", "*"))
	o.must(err)
	return o.countRows(`select count(*) from blobs`), len(found) + o.countRows(`select count(*) from blob_data`)
}

func (o *testService) pictureWidth(id parley.AgentID, which agents.Picture) int {
	o.Helper()
	blob, data, err := o.PictureOf(o.Context(), id, which)
	o.must(err)
	if blob.MediaType != "image/png" {
		o.Error(blob.MediaType)
	}
	size, err := png.DecodeConfig(bytes.NewReader(data))
	o.must(err)
	return size.Width
}

func TestPicturesComeAndGoWithTheirAgent(t *testing.T) {
	for name, inDatabase := range map[string]bool{"disk": false, "database": true} {
		t.Run(name, func(t *testing.T) {
			forEachDatabase(t, func(o *testService) {
				o.enableFiles(inDatabase)
				id := o.createAgent(agents.NewAgent{Name: "Guide"})
				o.must(o.SetPicture(o.Context(), o.account, id, agents.Icon, o.newPicture(8)))
				o.must(o.SetPicture(o.Context(), o.account, id, agents.Profile, o.newPicture(8))) // the same bytes
				if rows, places := o.fileCounts(); rows != 2 || places != 1 {
					t.Error("kept:", rows, places)
				}
				o.must(o.SetPicture(o.Context(), o.account, id, agents.Profile, o.newPicture(16)))
				if a, b := o.pictureWidth(id, agents.Icon), o.pictureWidth(id, agents.Profile); a != 8 || b != 16 {
					t.Error("shows", a, b)
				}
				if rows, places := o.fileCounts(); rows != 2 || places != 2 {
					t.Error("kept:", rows, places)
				}
				copied := o.cloneAgent(id)
				o.must(o.RemovePicture(o.Context(), o.account, id, agents.Icon))
				o.must(o.RemovePicture(o.Context(), o.account, id, agents.Icon))
				if _, _, err := o.PictureOf(o.Context(), id, agents.Icon); !parley.IsCode(err, parley.CodeAgentNotFound) {
					t.Error("the icon is still there:", err)
				}
				if a, b := o.pictureWidth(copied, agents.Icon), o.pictureWidth(copied, agents.Profile); a != 8 || b != 16 {
					t.Error("the copy shows", a, b)
				}
				o.must(o.Delete(o.Context(), o.account, id))
				if _, _, err := o.PictureOf(o.Context(), id, agents.Profile); !parley.IsCode(err, parley.CodeAgentNotFound) {
					t.Error("a deleted agent shows a picture:", err)
				}
				o.runJobs()
				if rows, places := o.fileCounts(); rows != 2 || places != 2 {
					t.Error("the copy's pictures went with the original:", rows, places)
				}
				o.must(o.Delete(o.Context(), o.account, copied))
				o.runJobs()
				if rows, places := o.fileCounts(); rows != 0 || places != 0 {
					t.Error("left:", rows, places)
				}
			})
		})
	}
}

func TestPicturesAreRefused(t *testing.T) {
	forEachDatabase(t, func(o *testService) {
		o.enableFiles(false)
		id := o.createAgent(agents.NewAgent{Name: "Guide"})
		o.wantCode(o.SetPicture(o.Context(), parley.Account{ID: "other"}, id, agents.Icon, o.newPicture(8)),
			parley.CodeAgentNotFound)
		o.wantCode(o.RemovePicture(o.Context(), parley.Account{ID: "other"}, id, agents.Icon), parley.CodeAgentNotFound)
		o.wantCode(o.SetPicture(o.Context(), o.account, id, agents.Icon, o.newPicture(4100)), parley.CodeInvalidBody)
		if rows, places := o.fileCounts(); rows != 0 || places != 0 {
			t.Error("kept:", rows, places)
		}
	})
}
