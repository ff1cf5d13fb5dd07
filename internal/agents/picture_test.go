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

// takesFiles has the office keep files, on the disk or in the database.
func (o *office) takesFiles(inDatabase bool) {
	o.desk.Files = &ingest.Files{Dir: o.TempDir(), InDatabase: inDatabase}
	o.Sites = o.desk
	o.runner.Handlers[agents.EraseJob] = o.desk.FreeAfter(o.runner.Handlers[agents.EraseJob])
}

// picture uploads a square of that many pixels.
func (o *office) picture(pixels int) ingest.File {
	o.Helper()
	var b bytes.Buffer
	o.must(png.Encode(&b, image.NewPaletted(image.Rect(0, 0, pixels, pixels), color.Palette{color.Black, color.White})))
	dir, err := o.desk.Files.Incoming()
	o.must(err)
	f := ingest.File{Name: "p.png", Path: filepath.Join(dir, parley.NewUUID()), Size: int64(b.Len())}
	o.must(os.WriteFile(f.Path, b.Bytes(), 0o600))
	sum := sha256.Sum256(b.Bytes())
	f.Hash = hex.EncodeToString(sum[:])
	return f
}

// kept counts the files that are kept: their rows, and where their bytes lie.
func (o *office) kept() (rows, places int) {
	o.Helper()
	found, err := filepath.Glob(filepath.Join(o.desk.Files.Dir, "??", "*"))
	o.must(err)
	return o.count(`select count(*) from blobs`), len(found) + o.count(`select count(*) from blob_data`)
}

func (o *office) shows(id parley.AgentID, which agents.Picture) int {
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
			each(t, func(o *office) {
				o.takesFiles(inDatabase)
				id := o.create(agents.New{Name: "Guide"})
				o.must(o.SetPicture(o.Context(), o.account, id, agents.Icon, o.picture(8)))
				o.must(o.SetPicture(o.Context(), o.account, id, agents.Profile, o.picture(8))) // the same bytes
				if rows, places := o.kept(); rows != 2 || places != 1 {
					t.Error("kept:", rows, places)
				}
				o.must(o.SetPicture(o.Context(), o.account, id, agents.Profile, o.picture(16)))
				if a, b := o.shows(id, agents.Icon), o.shows(id, agents.Profile); a != 8 || b != 16 {
					t.Error("shows", a, b)
				}
				if rows, places := o.kept(); rows != 2 || places != 2 {
					t.Error("kept:", rows, places)
				}
				copied := o.clone(id)
				o.must(o.RemovePicture(o.Context(), o.account, id, agents.Icon))
				o.must(o.RemovePicture(o.Context(), o.account, id, agents.Icon))
				if _, _, err := o.PictureOf(o.Context(), id, agents.Icon); !parley.IsCode(err, parley.CodeAgentNotFound) {
					t.Error("the icon is still there:", err)
				}
				if a, b := o.shows(copied, agents.Icon), o.shows(copied, agents.Profile); a != 8 || b != 16 {
					t.Error("the copy shows", a, b)
				}
				o.must(o.Retire(o.Context(), o.account, id))
				if _, _, err := o.PictureOf(o.Context(), id, agents.Profile); !parley.IsCode(err, parley.CodeAgentNotFound) {
					t.Error("a deleted agent shows a picture:", err)
				}
				o.run()
				if rows, places := o.kept(); rows != 2 || places != 2 {
					t.Error("the copy's pictures went with the original:", rows, places)
				}
				o.must(o.Retire(o.Context(), o.account, copied))
				o.run()
				if rows, places := o.kept(); rows != 0 || places != 0 {
					t.Error("left:", rows, places)
				}
			})
		})
	}
}

func TestPicturesAreRefused(t *testing.T) {
	each(t, func(o *office) {
		o.takesFiles(false)
		id := o.create(agents.New{Name: "Guide"})
		o.fails(o.SetPicture(o.Context(), parley.Account{ID: "other"}, id, agents.Icon, o.picture(8)), parley.CodeAgentNotFound)
		o.fails(o.RemovePicture(o.Context(), parley.Account{ID: "other"}, id, agents.Icon), parley.CodeAgentNotFound)
		o.fails(o.SetPicture(o.Context(), o.account, id, agents.Icon, o.picture(4100)), parley.CodeInvalidBody)
		if rows, places := o.kept(); rows != 0 || places != 0 {
			t.Error("kept:", rows, places)
		}
	})
}
