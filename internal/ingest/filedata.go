package ingest

import (
	"context"
	"errors"
	"strings"

	"parley"
	"parley/internal/store"
)

const dataPrefix = "data:" // begins the place of a file whose bytes are in the database; the hash follows

// placeFor says where the bytes of an accepted file are to lie.
func (f *Files) placeFor(hash string) string {
	if f.InDatabase {
		return dataPrefix + hash
	}
	return diskPrefix + hash
}

// FileBytes reads a file from where it lies.
func (d *Service) FileBytes(ctx context.Context, blob *store.Blob) ([]byte, error) {
	hash, there := strings.CutPrefix(blob.Location, dataPrefix)
	if !there {
		return d.Files.read(blob.Location)
	}
	data, err := d.DB.BlobData(ctx, hash, blob.Size)
	if parley.IsCode(err, parley.CodeSourceNotFound) {
		return nil, errors.New("its bytes are not in the database")
	}
	return data, err
}

// FilePart reads one part of a file from where it lies, counted from 0: store.BlobPartBytes bytes, and fewer at the end; none behind it.
func (d *Service) FilePart(ctx context.Context, blob *store.Blob, part int) ([]byte, error) {
	if part < 0 || int64(part)*store.BlobPartBytes >= blob.Size {
		return nil, nil
	}
	hash, there := strings.CutPrefix(blob.Location, dataPrefix)
	if !there {
		return d.Files.readPart(blob.Location, part)
	}
	data, err := d.DB.BlobDataPart(ctx, hash, part)
	if parley.IsCode(err, parley.CodeSourceNotFound) {
		return nil, errors.New("its bytes are not in the database")
	}
	return data, err
}

// sweepDatabaseFiles erases bytes that no row names: of sources that were erased when the server stopped.
func (d *Service) sweepDatabaseFiles(ctx context.Context) error {
	for {
		loose, err := d.DB.OrphanedBlobData(ctx, dataPrefix)
		if err != nil || len(loose) == 0 {
			return err
		}
		for _, hash := range loose {
			if err := d.DB.EraseUnusedBlobData(ctx, hash, dataPrefix+hash); err != nil {
				return err
			}
		}
	}
}
