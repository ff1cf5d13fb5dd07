package sqlite

import (
	"encoding/binary"
	"errors"
	"sync"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// SQLite writes each page of a commit to the write-ahead log by itself, and before it the page's header: thirty system
// calls for a small commit. A connection of OpenWriter goes through a layer of SQLite's own kind (a VFS) that differs
// from the default one in this: what is written to the log is collected and written at once, at the latest with the
// last page of a commit, and when SQLite reads the log or asks for its size. SQLite shows a commit to other connections
// only after it has written that page, so that nobody sees less than without the layer. And the log grows in large
// steps: SQLite reads it up to the first page that is none of it, such as zeros.

// logWriterVFS is the name of the layer.
const logWriterVFS = "parley-log-writer"

// maxPendingLog is the most bytes that are collected. SQLite's own VFS for Unix writes less than 128 kB at once.
const maxPendingLog = 120 << 10

// logGrowth is by how many bytes the log grows at a time.
const logGrowth = 256 << 10

var zeros [64 << 10]byte

// A page in the log follows a header of so many bytes, which hold at commitMark the size of the database if the page is
// the last one of a commit, else zeros.
const (
	frameHeaderBytes = 24
	commitMark       = 4 // four bytes
)

// logFile is the write-ahead log of a writer's connection.
type logFile struct {
	original uintptr // *sqlite3_io_methods of the default VFS
	pending  []byte
	offset   int64 // of pending in the file
	size     int64 // of the file; less if another connection has truncated it meanwhile
	isLast   bool  // the page that is being written is the last one of its commit
}

var (
	registerLogWriter = sync.OnceValue(newLogWriterVFS)
	logFiles          sync.Map // address of a sqlite3_file → *logFile
	logMethodsMu      sync.Mutex
	logMethods        = map[uintptr]uintptr{} // *sqlite3_io_methods of the default VFS → of this one
	defaultOpen       uintptr                 // xOpen of the default VFS
)

// Signatures of the functions that SQLite calls.
type (
	openFunc  = func(tls *libc.TLS, vfs, name, file uintptr, flags int32, outFlags uintptr) int32
	closeFunc = func(tls *libc.TLS, file uintptr) int32
	dataFunc  = func(tls *libc.TLS, file, data uintptr, bytes int32, offset int64) int32
	sizeFunc  = func(tls *libc.TLS, file uintptr, size int64) int32
	flagsFunc = func(tls *libc.TLS, file uintptr, flags int32) int32
	outFunc   = func(tls *libc.TLS, file, out uintptr) int32
)

// functionAddress returns the address by which SQLite calls a function of this package.
func functionAddress[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&f)) }

// functionAt returns the function at an address of SQLite's.
func functionAt[F any](address uintptr) F { return *(*F)(unsafe.Pointer(&address)) }

// newLogWriterVFS registers the layer, a copy of the default VFS with another function that opens files.
func newLogWriterVFS() error {
	tls := libc.NewTLS()
	defer tls.Close()
	base := lib.Xsqlite3_vfs_find(tls, 0)
	name, err := libc.CString(logWriterVFS)
	if err != nil {
		return err
	}
	vfs := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(lib.Tsqlite3_vfs{})))
	if base == 0 || vfs == 0 {
		return errors.New("sqlite: there is no VFS, or no memory for one")
	}
	layer := vfsAt(vfs)
	*layer = *vfsAt(base)
	defaultOpen = layer.FxOpen
	layer.FpNext, layer.FzName, layer.FxOpen = 0, name, functionAddress(openFile)
	if rc := lib.Xsqlite3_vfs_register(tls, vfs, 0); rc != lib.SQLITE_OK {
		return &Error{Code: int(rc), Message: libc.GoString(lib.Xsqlite3_errstr(tls, rc))}
	}
	return nil
}

func vfsAt(address uintptr) *lib.Tsqlite3_vfs {
	return *(**lib.Tsqlite3_vfs)(unsafe.Pointer(&address))
}

func methodsAt(address uintptr) *lib.Tsqlite3_io_methods {
	return *(**lib.Tsqlite3_io_methods)(unsafe.Pointer(&address))
}

func fileAt(address uintptr) *lib.Tsqlite3_file {
	return *(**lib.Tsqlite3_file)(unsafe.Pointer(&address))
}

func bytesAt(address uintptr, n int32) []byte {
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&address)), n)
}

func openFile(tls *libc.TLS, vfs, name, file uintptr, flags int32, outFlags uintptr) int32 {
	rc := functionAt[openFunc](defaultOpen)(tls, vfs, name, file, flags, outFlags)
	f := fileAt(file)
	if rc != lib.SQLITE_OK || flags&lib.SQLITE_OPEN_WAL == 0 || f.FpMethods == 0 {
		return rc
	}
	methods := logMethodsOf(tls, f.FpMethods)
	if methods == 0 {
		return rc // no memory: as the default VFS does it
	}
	logFiles.Store(file, &logFile{original: f.FpMethods})
	f.FpMethods = methods
	return rc
}

// logMethodsOf returns the functions of a log whose default ones are given; 0 if there is no memory.
func logMethodsOf(tls *libc.TLS, original uintptr) uintptr {
	logMethodsMu.Lock()
	defer logMethodsMu.Unlock()
	if methods := logMethods[original]; methods != 0 {
		return methods
	}
	methods := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(lib.Tsqlite3_io_methods{})))
	if methods == 0 {
		return 0
	}
	m := methodsAt(methods)
	*m = *methodsAt(original)
	m.FxClose, m.FxRead, m.FxWrite = functionAddress(closeLog), functionAddress(readLog), functionAddress(writeLog)
	m.FxTruncate, m.FxSync = functionAddress(truncateLog), functionAddress(syncLog)
	m.FxFileSize = functionAddress(sizeOfLog)
	logMethods[original] = methods
	return methods
}

func logFileAt(file uintptr) *logFile {
	f, _ := logFiles.Load(file)
	return f.(*logFile)
}

// flush writes what is pending. When that fails it is dropped, as SQLite has been told.
func (f *logFile) flush(tls *libc.TLS, file uintptr) int32 {
	if len(f.pending) == 0 {
		return lib.SQLITE_OK
	}
	f.grow(tls, file)
	data := uintptr(unsafe.Pointer(unsafe.SliceData(f.pending)))
	write := functionAt[dataFunc](methodsAt(f.original).FxWrite)
	rc := write(tls, file, data, int32(len(f.pending)), f.offset) //nolint:gosec // at most maxPendingLog
	f.pending = f.pending[:0]
	return rc
}

// grow writes zeros behind what is pending if that ends behind the end of the file: to make a commit durable takes half
// the time where the file keeps its size. Where the disk is too full for them, it may have space for what is pending.
func (f *logFile) grow(tls *libc.TLS, file uintptr) {
	end := f.offset + int64(len(f.pending))
	if f.offset == 0 || end > f.size { // at its beginning it may have been truncated
		size := functionAt[outFunc](methodsAt(f.original).FxFileSize)
		if size(tls, file, uintptr(unsafe.Pointer(&f.size))) != lib.SQLITE_OK || end <= f.size {
			return
		}
	}
	if end <= f.size {
		return
	}
	write := functionAt[dataFunc](methodsAt(f.original).FxWrite)
	for at := end; at < end+logGrowth; at += int64(len(zeros)) {
		if write(tls, file, uintptr(unsafe.Pointer(&zeros)), int32(len(zeros)), at) != lib.SQLITE_OK {
			return
		}
		f.size = at + int64(len(zeros))
	}
}

func writeLog(tls *libc.TLS, file, data uintptr, bytes int32, offset int64) int32 {
	f := logFileAt(file)
	if offset != f.offset+int64(len(f.pending)) || len(f.pending)+int(bytes) > maxPendingLog {
		if rc := f.flush(tls, file); rc != lib.SQLITE_OK {
			return rc
		}
	}
	if len(f.pending) == 0 {
		f.offset = offset
	}
	page := bytesAt(data, bytes)
	f.pending = append(f.pending, page...)
	if bytes == frameHeaderBytes {
		f.isLast = binary.BigEndian.Uint32(page[commitMark:]) != 0
		return lib.SQLITE_OK
	}
	if f.isLast {
		return f.flush(tls, file)
	}
	return lib.SQLITE_OK
}

func readLog(tls *libc.TLS, file, data uintptr, bytes int32, offset int64) int32 {
	f := logFileAt(file)
	if rc := f.flush(tls, file); rc != lib.SQLITE_OK {
		return rc
	}
	return functionAt[dataFunc](methodsAt(f.original).FxRead)(tls, file, data, bytes, offset)
}

func syncLog(tls *libc.TLS, file uintptr, flags int32) int32 {
	f := logFileAt(file)
	if rc := f.flush(tls, file); rc != lib.SQLITE_OK {
		return rc
	}
	return functionAt[flagsFunc](methodsAt(f.original).FxSync)(tls, file, flags)
}

func truncateLog(tls *libc.TLS, file uintptr, size int64) int32 {
	f := logFileAt(file)
	if rc := f.flush(tls, file); rc != lib.SQLITE_OK {
		return rc
	}
	return functionAt[sizeFunc](methodsAt(f.original).FxTruncate)(tls, file, size)
}

func sizeOfLog(tls *libc.TLS, file, out uintptr) int32 {
	f := logFileAt(file)
	if rc := f.flush(tls, file); rc != lib.SQLITE_OK {
		return rc
	}
	return functionAt[outFunc](methodsAt(f.original).FxFileSize)(tls, file, out)
}

func closeLog(tls *libc.TLS, file uintptr) int32 {
	f := logFileAt(file)
	flushed := f.flush(tls, file)
	logFiles.Delete(file)
	rc := functionAt[closeFunc](methodsAt(f.original).FxClose)(tls, file)
	if flushed != lib.SQLITE_OK {
		return flushed
	}
	return rc
}
