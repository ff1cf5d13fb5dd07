package server

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"
)

// folderPage is one file of a folder.
type folderPage struct {
	name string // path in the folder
	hash string // SHA-256 of text, hex
	text string
}

// maxPageBytes is the largest file that is read, in bytes: the largest text source.
const maxPageBytes = 8 << 20

// readPages reads the Markdown and text files of a folder and of the folders in it, in order of their names. Hidden ones are left
// out; so are those too large or not UTF-8, and skipped hears why.
func readPages(folder fs.FS, skipped func(name, why string)) ([]folderPage, error) {
	var list []folderPage
	err := fs.WalkDir(folder, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil && name == ".":
			return err
		case err != nil:
			skipped(name, err.Error())
			return nil
		case name != "." && strings.HasPrefix(entry.Name(), ".") && entry.IsDir():
			return fs.SkipDir
		case entry.IsDir() || !isReadable(entry.Name()):
			return nil
		}
		text, why := readPage(folder, name)
		if why != "" {
			skipped(name, why)
			return nil
		}
		sum := sha256.Sum256([]byte(text))
		list = append(list, folderPage{name: name, hash: hex.EncodeToString(sum[:]), text: text})
		return nil
	})
	return list, err
}

func isReadable(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".markdown", ".txt":
		return !strings.HasPrefix(name, ".")
	}
	return false
}

func readPage(folder fs.FS, name string) (text, why string) {
	info, err := fs.Stat(folder, name)
	if err != nil {
		return "", err.Error()
	}
	switch {
	case !info.Mode().IsRegular():
		return "", "not a regular file"
	case info.Size() > maxPageBytes:
		return "", fmt.Sprintf("larger than %d MB", maxPageBytes>>20)
	}
	content, err := fs.ReadFile(folder, name)
	if err != nil {
		return "", err.Error()
	}
	if !utf8.Valid(content) {
		return "", "not UTF-8 text"
	}
	return string(content), ""
}
