package local

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"parley/internal/model/safetensors"
)

const (
	configFile     = "config.json"
	tokenizerFile  = "tokenizer.json"
	vocabularyFile = "vocab.txt"
	weightsFile    = "model.safetensors"
	modulesFile    = "modules.json"
	promptsFile    = "config_sentence_transformers.json"
	lengthFile     = "sentence_bert_config.json"
	caseFile       = "tokenizer_config.json"

	maxJSONBytes    = 64 << 20 // of a file that is read as a whole
	maxWeightsBytes = 8 << 30
	hashCharacters  = 12
)

// folder is a folder of a model's files. What is read goes into its hash.
type folder struct {
	path string
	hash hash.Hash
}

func newFolder(path string) (*folder, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, fmt.Errorf("%s is no folder", path)
	}
	return &folder{path: path, hash: sha256.New()}, nil
}

// errorOf returns an error that names a file.
func (f *folder) errorOf(name string, err error) error {
	return fmt.Errorf("%s: %w", filepath.Join(f.path, name), err)
}

// open opens a file of at most so many bytes.
func (f *folder) open(name string, limit int64) (*os.File, int64, error) {
	file, err := os.Open(filepath.Join(f.path, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, fmt.Errorf("%s lacks the file %s: %w", f.path, name, fs.ErrNotExist)
	}
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = f.errorOf(name, errors.New("it is no file"))
	case info.Size() > limit:
		err = f.errorOf(name, fmt.Errorf("it has %d bytes, at most %d", info.Size(), limit))
	}
	if err != nil {
		return nil, 0, errors.Join(err, file.Close())
	}
	return file, info.Size(), nil
}

// read returns a file as a whole.
func (f *folder) read(name string) ([]byte, error) {
	file, _, err := f.open(name, maxJSONBytes)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	data, err := io.ReadAll(io.LimitReader(file, maxJSONBytes))
	if err != nil {
		return nil, f.errorOf(name, err)
	}
	fmt.Fprintf(f.hash, "%s %d\n", name, len(data))
	f.hash.Write(data)
	return data, nil
}

// readOptional returns a file that may be missing: then nil.
func (f *folder) readOptional(name string) ([]byte, error) {
	data, err := f.read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// decodeOptional reads a file of JSON that may be missing.
func (f *folder) decodeOptional(name string, into any) error {
	data, err := f.readOptional(name)
	if err != nil || data == nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return f.errorOf(name, err)
	}
	return nil
}

// useWeights calls use with the file of weights, which is closed then.
func (f *folder) useWeights(use func(*safetensors.File) error) error {
	file, size, err := f.open(weightsFile, maxWeightsBytes)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // it was only read
	tensors, err := safetensors.Read(file, size)
	if err == nil {
		err = use(tensors)
	}
	if err == nil {
		fmt.Fprintf(f.hash, "%s %d\n", weightsFile, size)
		_, err = io.Copy(f.hash, io.NewSectionReader(file, 0, size))
	}
	if err != nil {
		return f.errorOf(weightsFile, err)
	}
	return nil
}

// name returns the name of the folder with the hash of what was read of it.
func (f *folder) name() string {
	path, err := filepath.Abs(f.path)
	if err != nil {
		path = f.path
	}
	return filepath.Base(path) + "@" + hex.EncodeToString(f.hash.Sum(nil))[:hashCharacters]
}
