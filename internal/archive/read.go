package archive

import (
	"archive/zip"
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"parley"
	"parley/internal/store"
)

// file is an archive that is read.
type file struct {
	zip          *zip.ReadCloser
	manifest     *Manifest
	manifestText []byte
	records      map[string]*zip.File // by the table
	files        map[string]*zip.File // by the hash
}

// openFile opens an archive and checks its shape: it has what the manifest lists and nothing else.
func openFile(path string) (*file, error) {
	opened, err := zip.OpenReader(path)
	if err != nil {
		return nil, noArchive(err)
	}
	f := &file{zip: opened, records: map[string]*zip.File{}, files: map[string]*zip.File{}}
	if err := f.checkShape(); err != nil {
		return nil, errors.Join(noArchive(err), opened.Close())
	}
	if err := f.manifest.checkVersion(); err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	if err := f.checkContents(); err != nil {
		return nil, errors.Join(damaged(err), opened.Close())
	}
	return f, nil
}

// checkShape reads the manifest, and checks that parts of the file do not lie on each other: few bytes could then be
// read as any number.
func (f *file) checkShape() error {
	if err := checkOverlap(f.zip.File); err != nil {
		return err
	}
	var manifests []*zip.File
	for _, z := range f.zip.File {
		if z.Name == manifestName {
			manifests = append(manifests, z)
		}
	}
	if len(manifests) != 1 {
		return fmt.Errorf("it has %d files named %s instead of one", len(manifests), manifestName)
	}
	from, err := manifests[0].Open()
	if err != nil {
		return err
	}
	f.manifest, f.manifestText, err = decodeManifest(from)
	return errors.Join(err, from.Close())
}

func checkOverlap(list []*zip.File) error {
	type span struct{ start, end int64 }
	spans := make([]span, len(list))
	for i, z := range list {
		start, err := z.DataOffset()
		if err != nil {
			return fmt.Errorf("%q: %w", z.Name, err)
		}
		if z.CompressedSize64 > 1<<62 || z.UncompressedSize64 > 1<<62 {
			return fmt.Errorf("%q has no size", z.Name)
		}
		spans[i] = span{start, start + int64(z.CompressedSize64)}
	}
	slices.SortFunc(spans, func(a, b span) int { return int(min(1, max(-1, a.start-b.start))) })
	for i := 1; i < len(spans); i++ {
		if spans[i].start < spans[i-1].end {
			return errors.New("its parts lie on each other")
		}
	}
	return nil
}

// checkContents compares the names and the sizes of what is there with what must be there.
func (f *file) checkContents() error {
	names := map[string]string{} // tables by the names of their records
	for _, r := range f.manifest.Records {
		if store.FindArchiveTable(r.Table) == nil || names[recordsName(r.Table)] != "" {
			return fmt.Errorf("%s names a table %q", manifestName, r.Table)
		}
		names[recordsName(r.Table)] = r.Table
	}
	for _, z := range f.zip.File {
		hash, isFile := hashOfFile(z.Name)
		table, isTable := names[z.Name]
		switch {
		case isFile && f.files[hash] == nil && z.Method == zip.Store:
			f.files[hash] = z
		case isTable && f.records[table] == nil:
			f.records[table] = z
		case z.Name != manifestName:
			return fmt.Errorf("it holds %q, which is no part of an archive", z.Name)
		}
	}
	for _, r := range f.manifest.Records {
		if z := f.records[r.Table]; z == nil || z.UncompressedSize64 != uint64(r.Bytes) { //nolint:gosec // compared only
			return fmt.Errorf("%s is not as long as when the archive was made", recordsName(r.Table))
		}
	}
	if len(f.files) != f.manifest.Files {
		return fmt.Errorf("it has %d files instead of %d", len(f.files), f.manifest.Files)
	}
	return nil
}

// bytes returns how many bytes the records and the files have.
func (f *file) bytes() (records, files uint64) {
	for _, z := range f.records {
		records += z.UncompressedSize64
	}
	for _, z := range f.files {
		files += z.UncompressedSize64
	}
	return records, files
}

// damaged says of an archive that it is not as it was made.
func damaged(err error) error {
	return refused("The archive is damaged", err)
}

func refused(fault string, err error) error {
	e := parley.WrapError(parley.CodeInvalidBody, err)
	e.Message = fmt.Sprintf("%s: %s.", fault, err)
	return e
}

// noArchive says of a file that nothing of it can be read as an archive. A file that is not there is another matter.
func noArchive(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return err
	}
	return refused("The file is no archive of Parley, or it was cut or damaged", err)
}

func (f *file) close() error { return f.zip.Close() }

// eachRow calls a function with each row of a table, and then compares the table with the manifest.
func (f *file) eachRow(t *store.ArchiveTable, each func(row []any) error) (err error) {
	i := slices.IndexFunc(f.manifest.Records, func(r Records) bool { return r.Table == t.Name })
	if i < 0 {
		return nil // the program that made it knew no such table
	}
	want := f.manifest.Records[i]
	from, err := f.records[t.Name].Open()
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }() // it was only read
	sum, reader, got := sha256.New(), newRecordReader(t), Records{Table: t.Name}
	for lines := bufio.NewReaderSize(from, 1<<16); ; {
		line, err := readLine(lines)
		if errors.Is(err, io.EOF) && len(line) == 0 {
			break
		}
		got.Rows++
		got.Bytes += int64(len(line))
		sum.Write(line)
		if err != nil {
			return damaged(fmt.Errorf("%s, line %d: %w", recordsName(t.Name), got.Rows, err))
		}
		row, err := reader.decode(line)
		if err != nil {
			return damaged(fmt.Errorf("%s, line %d: %w", recordsName(t.Name), got.Rows, err))
		}
		if err := each(row); err != nil {
			return err
		}
	}
	if got.Hash = hexOf(sum); got != want {
		return damaged(fmt.Errorf("%s has another content than when the archive was made", recordsName(t.Name)))
	}
	return nil
}

// readLine reads a line with its end. What has no end is cut.
func readLine(from *bufio.Reader) (line []byte, err error) {
	for {
		part, err := from.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxRecordBytes:
			return line, errors.New("it is too long")
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(line) > 0:
			return line, io.ErrUnexpectedEOF
		}
		return line, err
	}
}

// checkFile compares the bytes of a file with its hash.
func checkFile(hash string, z *zip.File) error {
	from, err := z.Open()
	if err != nil {
		return err
	}
	sum := sha256.New()
	_, err = io.Copy(sum, from) //nolint:gosec // it is stored as it is, without compression
	if err := errors.Join(err, from.Close()); err != nil {
		return err
	}
	if hexOf(sum) != hash {
		return fmt.Errorf("%s has another content than when the archive was made", z.Name)
	}
	return nil
}
