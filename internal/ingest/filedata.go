package ingest

import (
	"context"
	"errors"
	"strings"

	"parley"
	"parley/internal/store"
)

const inData = "data:" // begins the place of a file whose bytes are in the database; the hash follows

// place says where the bytes of an accepted file are to lie.
func (f *Files) place(hash string) string {
	if f.InDatabase {
		return inData + hash
	}
	return onDisk + hash
}

// FileBytes reads a file from where it lies.
func (d *Desk) FileBytes(ctx context.Context, blob *store.Blob) ([]byte, error) {
	hash, there := strings.CutPrefix(blob.Place, inData)
	if !there {
		return d.Files.read(blob.Place)
	}
	data, err := d.DB.BlobData(ctx, hash, blob.Size)
	if parley.IsCode(err, parley.CodeSourceNotFound) {
		return nil, errors.New("its bytes are not in the database")
	}
	return data, err
}

// FilePart reads one part of a file from where it lies, counted from 0: store.BlobPart bytes, and fewer at the end; none behind it.
func (d *Desk) FilePart(ctx context.Context, blob *store.Blob, part int) ([]byte, error) {
	if part < 0 || int64(part)*store.BlobPart >= blob.Size {
		return nil, nil
	}
	hash, there := strings.CutPrefix(blob.Place, inData)
	if !there {
		return d.Files.readPart(blob.Place, part)
	}
	data, err := d.DB.BlobDataPart(ctx, hash, part)
	if parley.IsCode(err, parley.CodeSourceNotFound) {
		return nil, errors.New("its bytes are not in the database")
	}
	return data, err
}

// sweepData erases bytes that no row names: of sources that were erased when the server stopped.
func (d *Desk) sweepData(ctx context.Context) error {
	for {
		loose, err := d.DB.LooseBlobData(ctx, inData)
		if err != nil || len(loose) == 0 {
			return err
		}
		for _, hash := range loose {
			if err := d.DB.FreeBlobData(ctx, hash, inData+hash); err != nil {
				return err
			}
		}
	}
}
