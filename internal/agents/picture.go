package agents

import (
	"context"
	"fmt"
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

// field returns the place of the picture in the agent.
func (p Picture) field(a *parley.Agent) *string {
	if p == Icon {
		return &a.IconBlobID
	}
	return &a.PictureBlobID
}

// SetPicture returns the agent a picture in the place of the one it had. Fails with VALIDATION_INVALID_BODY, whose details name the
// file as "file", for what is no image or not square, or with AGENT_NOT_FOUND.
func (k *Service) SetPicture(ctx context.Context, account parley.Account, id parley.AgentID, which Picture, f ingest.File) error {
	if err := k.DB.ShareLockAgent(ctx, account.ID, id); err != nil {
		return err
	}
	data, err := os.ReadFile(f.Path)
	if err != nil {
		return fmt.Errorf("read a picture: %w", err)
	}
	kind, err := checkImage(data)
	if err != nil {
		e := parley.WrapError(parley.CodeInvalidBody, err)
		e.Details = map[string]string{"file": err.Error()}
		return e
	}
	blob := &store.Blob{ID: parley.NewUUID(), AccountID: account.ID, AgentID: id, Hash: f.Hash, Size: f.Size, MediaType: kind, Name: string(which), CreatedAt: k.Now()}
	err = k.Ingest.StoreFile(ctx, f.Path, blob, func(tx *store.DB) error {
		if err := tx.LockAgent(ctx, account.ID, id); err != nil {
			return err
		}
		if err := tx.CreateBlob(ctx, blob); err != nil {
			return err
		}
		return k.setPictureBlob(ctx, tx, account, id, which, blob)
	})
	if err != nil {
		return err
	}
	return k.Ingest.RemoveUnusedFiles(ctx, account.ID, id)
}

// RemovePicture takes a picture from the agent; that there is none is no failure. Fails with AGENT_NOT_FOUND.
func (k *Service) RemovePicture(ctx context.Context, account parley.Account, id parley.AgentID, which Picture) error {
	blob := &store.Blob{CreatedAt: k.Now()}
	err := k.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error { return k.setPictureBlob(ctx, tx, account, id, which, blob) })
	if err != nil {
		return err
	}
	return k.Ingest.RemoveUnusedFiles(ctx, account.ID, id)
}

// setPictureBlob makes a blob the agent's picture; one without an id is none.
func (k *Service) setPictureBlob(ctx context.Context, tx *store.DB, account parley.Account, id parley.AgentID, which Picture, blob *store.Blob) error {
	same := false
	err := tx.UpdateAgent(ctx, account.ID, id, func(a *parley.Agent) error {
		place := which.field(a)
		if same = *place == blob.ID; !same {
			*place = blob.ID
			a.ConfigVersion++
			a.UpdatedAt = blob.CreatedAt
		}
		return nil
	})
	if err != nil || same {
		return err
	}
	return tx.RecordEvents(ctx, account.ID, blob.CreatedAt, store.NewEvent{Kind: "agent.updated", AgentID: id, Subject: string(id)})
}

// PictureOf finds a picture with its bytes. Pictures are shown to everybody, and so it asks for no account. Fails with AGENT_NOT_FOUND,
// also where the agent has no such picture.
func (k *Service) PictureOf(ctx context.Context, id parley.AgentID, which Picture) (*store.Blob, []byte, error) {
	blob, err := k.DB.PictureBlob(ctx, id, which == Icon)
	if err != nil {
		return nil, nil, err
	}
	data, err := k.Ingest.FileBytes(ctx, blob)
	return blob, data, err
}
