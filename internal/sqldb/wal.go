package sqldb

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
)

// walState is what SQLite would read from a write-ahead log.
type walState struct {
	size     int64
	valid    bool   // its header is that of a log
	hasCount bool   // a commit in it has changed the first page, which holds user_version
	count    uint32 // user_version of the last such commit
}

const (
	walHeaderBytes   = 32
	frameHeaderBytes = 24
	walMagic         = 0x377f0682 // the last bit is the byte order of the checksums
	maxPageBytes     = 64 << 10
)

// readWAL reads a write-ahead log up to the first frame with a wrong checksum, as SQLite does.
func readWAL(path string) (state walState, err error) {
	file, err := os.Open(path) //nolint:gosec // a path of ours
	if errors.Is(err, fs.ErrNotExist) {
		return walState{}, nil
	}
	if err != nil {
		return walState{}, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return walState{}, err
	}
	state.size = info.Size()
	in := bufio.NewReaderSize(file, 1<<20)
	head := make([]byte, walHeaderBytes)
	if _, err := io.ReadFull(in, head); err != nil {
		return state, ignoreEOF(err)
	}
	sum := newWALChecksum(head)
	size := binary.BigEndian.Uint32(head[8:])
	sum.add(head[:24])
	isPageSize := size >= 512 && size <= maxPageBytes && size&(size-1) == 0
	if state.valid = binary.BigEndian.Uint32(head)&^1 == walMagic && isPageSize && sum.matches(head[24:]); !state.valid {
		return state, nil
	}
	return state, state.readFrames(in, head[16:24], int(size), sum)
}

// readFrames reads the frames up to the first that is not valid.
func (s *walState) readFrames(in io.Reader, salt []byte, size int, sum *walChecksum) error {
	frame := make([]byte, frameHeaderBytes+size)
	var pending uint32
	hasFirstPage := false
	for {
		if _, err := io.ReadFull(in, frame); err != nil {
			return ignoreEOF(err)
		}
		sum.add(frame[:8])
		sum.add(frame[frameHeaderBytes:])
		if string(frame[8:16]) != string(salt) || !sum.matches(frame[16:24]) {
			return nil
		}
		if binary.BigEndian.Uint32(frame) == 1 {
			pending, hasFirstPage = pageUserVersion(frame[frameHeaderBytes:]), true
		}
		if isCommit := binary.BigEndian.Uint32(frame[4:]) != 0; isCommit && hasFirstPage {
			s.count, s.hasCount = pending, true
		}
	}
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// walChecksum is the checksum of a log up to a position.
type walChecksum struct {
	order  binary.ByteOrder
	s0, s1 uint32
}

func newWALChecksum(head []byte) *walChecksum {
	if head[3]&1 == 1 {
		return &walChecksum{order: binary.BigEndian}
	}
	return &walChecksum{order: binary.LittleEndian}
}

func (s *walChecksum) add(b []byte) {
	for ; len(b) >= 8; b = b[8:] {
		s.s0 += s.order.Uint32(b) + s.s1
		s.s1 += s.order.Uint32(b[4:]) + s.s0
	}
}

func (s *walChecksum) matches(b []byte) bool {
	return s.s0 == binary.BigEndian.Uint32(b) && s.s1 == binary.BigEndian.Uint32(b[4:])
}
