//go:build ignore

// Program pack packs the built console and widget for a release, which is built with the tag parley_packed:
//
//	go run web/pack.go
package main

import (
	"archive/zip"
	"compress/flate"
	"errors"
	"io"
	"io/fs"
	"os"
)

func main() {
	for _, name := range []string{"console", "widget"} {
		if err := pack("built/"+name, "web/"+name+".zip"); err != nil {
			panic(err)
		}
	}
}

// pack writes the files below a folder of the front end into an archive: the same bytes for the same files.
func pack(folder, archive string) error {
	file, err := os.Create(archive)
	if err != nil {
		return err
	}
	w := zip.NewWriter(file)
	w.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(out, flate.BestCompression)
	})
	files := os.DirFS("web")
	err = fs.WalkDir(files, folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		out, err := w.Create(name)
		if err != nil {
			return err
		}
		_, err = out.Write(content)
		return err
	})
	return errors.Join(err, w.Close(), file.Close())
}
