package sqldb

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
)

// logState is what a write-ahead log holds that SQLite would take from it.
type logState struct {
	size   int64
	valid  bool   // it begins as a log does
	counts bool   // a commit in it has the first page
	count  uint32 // the last one's
}

const (
	logHead     = 32
	frameHead   = 24
	logMagic    = 0x377f0682 // the last bit tells the order of bytes of the sums
	longestPage = 64 << 10
)

// readLog reads a write-ahead log from its beginning to where its sums do not hold any more, as SQLite does.
func readLog(path string) (state logState, err error) {
	file, err := os.Open(path) //nolint:gosec // a path of ours
	if errors.Is(err, fs.ErrNotExist) {
		return logState{}, nil
	}
	if err != nil {
		return logState{}, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return logState{}, err
	}
	state.size = info.Size()
	in := bufio.NewReaderSize(file, 1<<20)
	head := make([]byte, logHead)
	if _, err := io.ReadFull(in, head); err != nil {
		return state, ignoreEnd(err)
	}
	sum := newLogSum(head)
	size := binary.BigEndian.Uint32(head[8:])
	sum.add(head[:24])
	fits := size >= 512 && size <= longestPage && size&(size-1) == 0
	if state.valid = binary.BigEndian.Uint32(head)&^1 == logMagic && fits && sum.is(head[24:]); !state.valid {
		return state, nil
	}
	return state, state.read(in, head[16:24], int(size), sum)
}

// read reads the frames.
func (s *logState) read(in io.Reader, salt []byte, size int, sum *logSum) error {
	frame := make([]byte, frameHead+size)
	var pending uint32
	first := false
	for {
		if _, err := io.ReadFull(in, frame); err != nil {
			return ignoreEnd(err)
		}
		sum.add(frame[:8])
		sum.add(frame[frameHead:])
		if string(frame[8:16]) != string(salt) || !sum.is(frame[16:24]) {
			return nil
		}
		if binary.BigEndian.Uint32(frame) == 1 {
			pending, first = countOf(frame[frameHead:]), true
		}
		if commits := binary.BigEndian.Uint32(frame[4:]) != 0; commits && first {
			s.count, s.counts = pending, true
		}
	}
}

func ignoreEnd(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// logSum is the sum of all that comes before in a log.
type logSum struct {
	order  binary.ByteOrder
	s0, s1 uint32
}

func newLogSum(head []byte) *logSum {
	if head[3]&1 == 1 {
		return &logSum{order: binary.BigEndian}
	}
	return &logSum{order: binary.LittleEndian}
}

func (s *logSum) add(b []byte) {
	for ; len(b) >= 8; b = b[8:] {
		s.s0 += s.order.Uint32(b) + s.s1
		s.s1 += s.order.Uint32(b[4:]) + s.s0
	}
}

func (s *logSum) is(b []byte) bool {
	return s.s0 == binary.BigEndian.Uint32(b) && s.s1 == binary.BigEndian.Uint32(b[4:])
}
