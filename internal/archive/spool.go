package archive

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
)

// spool is a file that is read while it is written: the writer does not wait for the reader.
type spool struct {
	file *os.File

	mu       sync.Mutex
	hasGrown sync.Cond
	size     int64 // written so far
	isEnd    bool
	err      error // of the writer
}

// writeThrough calls a function that writes to a file in a folder, and copies to a reader what is in it as soon as it
// is. The file is gone afterwards.
func writeThrough(ctx context.Context, dir string, to io.Writer, write func(context.Context, io.Writer) error) error {
	file, err := os.CreateTemp(dir, "export-*")
	if err != nil {
		return err
	}
	s := &spool{file: file}
	s.hasGrown.L = &s.mu
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var writing sync.WaitGroup
	writing.Go(func() { s.end(write(ctx, s)) })
	err = s.copyTo(to)
	stop() // where the reader is gone
	writing.Wait()
	return errors.Join(err, file.Close(), removeIfThere(file.Name()))
}

// removeIfThere removes a file. The sweep of uploads may have done so where somebody has read for hours.
func removeIfThere(path string) error {
	if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

func (s *spool) Write(part []byte) (int, error) {
	n, err := s.file.WriteAt(part, s.size) // which the writer alone changes
	s.mu.Lock()
	s.size += int64(n)
	s.mu.Unlock()
	s.hasGrown.Broadcast()
	return n, err
}

// end notes that the writer has come to its end.
func (s *spool) end(err error) {
	s.mu.Lock()
	s.isEnd, s.err = true, err
	s.mu.Unlock()
	s.hasGrown.Broadcast()
}

// waitBehind returns how much is written once there is something behind a place, or nothing more to come.
func (s *spool) waitBehind(place int64) (size int64, isEnd bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.size == place && !s.isEnd {
		s.hasGrown.Wait()
	}
	return s.size, s.isEnd, s.err
}

// copyTo copies all that is written. Where the writer fails, the rest is left.
func (s *spool) copyTo(to io.Writer) error {
	for place := int64(0); ; {
		size, isEnd, err := s.waitBehind(place)
		if err != nil {
			return err
		}
		n, err := io.Copy(to, io.NewSectionReader(s.file, place, size-place))
		if place += n; err != nil || isEnd && place == size {
			return err
		}
	}
}
