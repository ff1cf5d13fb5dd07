package agents

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"

	"parley"
	"parley/internal/ingest"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// Picture names one of the pictures of an agent.
type Picture string

// The pictures of an agent.
const (
	Icon    Picture = "icon"            // on the button that opens the chat
	Profile Picture = "profile-picture" // beside the answers
)

func (p Picture) field(a *parley.Agent) *string {
	if p == Icon {
		return &a.IconBlobID
	}
	return &a.PictureBlobID
}

// SetPicture sets a picture of the agent. Fails with VALIDATION_INVALID_BODY, whose details name the
// file as "file", for what is not an image or not square, or with AGENT_NOT_FOUND.
func (s *Service) SetPicture(ctx context.Context, ref parley.AgentRef, picture Picture, f ingest.File) error {
	return s.setPicture(ctx, ref, picture, "", f)
}

// setPicture is SetPicture with the accent color of an icon; empty for none.
func (s *Service) setPicture(ctx context.Context, ref parley.AgentRef, picture Picture, accent string,
	f ingest.File) error {
	if err := s.DB.ShareLockAgent(ctx, ref); err != nil {
		return err
	}
	data, err := os.ReadFile(f.Path)
	if err != nil {
		return fmt.Errorf("read a picture: %w", err)
	}
	kind, err := checkImage(data)
	if err != nil {
		return invalidFile(err)
	}
	blob := &store.Blob{ID: parley.NewUUID(), AccountID: ref.Account, AgentID: ref.Agent, Hash: f.Hash, Size: f.Size,
		MediaType: kind, Name: string(picture), CreatedAt: s.Now()}
	err = s.Ingest.StoreFile(ctx, f.Path, blob, func(tx *store.DB) error {
		if err := tx.LockAgent(ctx, ref); err != nil {
			return err
		}
		if err := tx.CreateBlob(ctx, blob); err != nil {
			return err
		}
		return setPictureBlob(ctx, tx, ref, picture, accent, blob)
	})
	if err != nil {
		return err
	}
	return s.Ingest.RemoveUnusedFiles(ctx, ref)
}

// invalidFile returns the failure of a file that is no picture.
func invalidFile(err error) error {
	e := parley.WrapError(parley.CodeInvalidBody, err)
	e.Details = map[string]string{"file": err.Error()}
	return e
}

// RemovePicture removes a picture of the agent, if it has one. Fails with AGENT_NOT_FOUND.
func (s *Service) RemovePicture(ctx context.Context, ref parley.AgentRef, kind Picture) error {
	blob := &store.Blob{CreatedAt: s.Now()}
	err := s.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		return setPictureBlob(ctx, tx, ref, kind, "", blob)
	})
	if err != nil {
		return err
	}
	return s.Ingest.RemoveUnusedFiles(ctx, ref)
}

// setPictureBlob sets the blob of a picture; a blob without an id removes it.
func setPictureBlob(ctx context.Context, tx *store.DB, ref parley.AgentRef, kind Picture, accent string,
	blob *store.Blob) error {
	return changeTx(ctx, tx, ref, blob.CreatedAt, func(a *parley.Agent) error {
		place := kind.field(a)
		if *place == blob.ID {
			return ErrUnchanged
		}
		*place, a.Styles = blob.ID, withAccent(a.Styles, accent)
		a.ConfigVersion++
		a.UpdatedAt = blob.CreatedAt
		return nil
	})
}

// PictureOf returns a picture with its bytes. Pictures are public, so it needs no account. Fails with AGENT_NOT_FOUND,
// also where the agent has no such picture.
func (s *Service) PictureOf(ctx context.Context, id parley.AgentID, kind Picture) (*store.Blob, []byte, error) {
	blob, err := s.DB.PictureBlob(ctx, id, kind == Icon)
	if err != nil {
		return nil, nil, err
	}
	data, err := s.Ingest.FileBytes(ctx, blob)
	return blob, data, err
}

// maxImageSide is the most pixels of a picture's side: a small file may decompress to any size where it is shown.
const maxImageSide = 4096

var errNoImage = errors.New("must be a PNG, JPEG, GIF or WebP image")

// checkImage returns the media type of a picture by its content, and fails, with a message for the caller, where it is
// not a square image. It reads the header alone: nothing is decompressed.
func checkImage(data []byte) (mediaType string, err error) {
	mediaType, size, err := imageConfig(data)
	switch {
	case err != nil || size.Width < 1 || size.Height < 1:
		return "", errNoImage
	case size.Width != size.Height:
		return "", fmt.Errorf("must be square: it is %d pixels wide and %d high", size.Width, size.Height)
	case size.Width > maxImageSide:
		return "", fmt.Errorf("must be at most %d pixels wide", maxImageSide)
	}
	return mediaType, nil
}

// imageConfig reads the header of an image. Formats are recognized by their signatures; SVG, which can contain scripts,
// is not one.
func imageConfig(data []byte) (string, image.Config, error) {
	for _, format := range []struct {
		signature, mediaType string
		read                 func([]byte) (image.Config, error)
	}{
		{"\x89PNG\r\n\x1a\n", "image/png", func(b []byte) (image.Config, error) {
			return png.DecodeConfig(bytes.NewReader(b))
		}},
		{"\xff\xd8\xff", "image/jpeg", func(b []byte) (image.Config, error) { return jpeg.DecodeConfig(bytes.NewReader(b)) }},
		{"GIF8", "image/gif", func(b []byte) (image.Config, error) { return gif.DecodeConfig(bytes.NewReader(b)) }},
		{"RIFF", "image/webp", webpSize},
	} {
		if bytes.HasPrefix(data, []byte(format.signature)) {
			size, err := format.read(data)
			return format.mediaType, size, err
		}
	}
	return "", image.Config{}, errNoImage
}

// webpSize reads the size of a WebP image from the first chunk of its container, which is of one of three kinds (RFC
// 9649).
func webpSize(b []byte) (size image.Config, err error) {
	const first = 20 // where the content of the first chunk begins
	if len(b) < first+10 || string(b[8:12]) != "WEBP" {
		return size, errNoImage
	}
	content := b[first:]
	switch string(b[12:16]) {
	case "VP8 ":
		if content[0]&1 != 0 || string(content[3:6]) != "\x9d\x01\x2a" { // a key frame, and its start code
			return size, errNoImage
		}
		size.Width, size.Height = littleEndian(content[6:8])&0x3fff, littleEndian(content[8:10])&0x3fff
	case "VP8L":
		if content[0] != 0x2f {
			return size, errNoImage
		}
		bits := littleEndian(content[1:5])
		size.Width, size.Height = bits&0x3fff+1, bits>>14&0x3fff+1
	case "VP8X":
		size.Width, size.Height = littleEndian(content[4:7])+1, littleEndian(content[7:10])+1
	default:
		return size, errNoImage
	}
	return size, nil
}

// littleEndian reads up to four bytes as a number, the least first.
func littleEndian(b []byte) (n int) {
	for i, each := range b {
		n |= int(each) << (8 * i)
	}
	return n
}
