package sandbox

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"sync"

	"golang.org/x/sys/unix"

	"parley/internal/ingest/extract/draft"
)

// System returns what this system lacks to fence readers of files, for calls (seccomp) and for files (Landlock); nil
// where it lacks nothing.
func System() (calls, files error) {
	_, files = landlockVersion()
	return hasFilters(), files
}

// OnLinux reports whether this system is Linux, the one with fences.
const OnLinux = true

// confine fences this process and all its threads: they can do nothing but compute, and read and write the open
// streams.
func confine() error {
	_ = restrictProcess() // without Landlock the filter alone refuses every path
	return installFilter(false)
}

// Become turns the process into a program that reads a file from its standard input: within the limits of a child,
// without privileges and environment, and with nothing open to it but itself and the libraries, fonts and tables of
// the system, to be read. It returns only when it fails, as it does where the system lacks what is needed.
func Become(need Need, program string, args []string) error {
	runtime.LockOSThread() // the thread that becomes the program
	LimitCPU()
	if err := limitMemory(); err != nil {
		return err
	}
	loader, err := findLoader(program)
	if err != nil {
		return err
	}
	if err := sealInput(); err != nil {
		return fmt.Errorf("take the file: %w", err)
	}
	// what is open beside the standard streams; all of ours is closed then anyway
	_ = unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC)
	if err := errors.Join(need.checkFences(restrictThread(allowedPaths(program, loader)), installFilter(true)),
		dropPrivileges()); err != nil {
		return err
	}
	return unix.Exec(program, append([]string{program}, args...), []string{"LC_ALL=C.UTF-8"})
}

// checkFences returns the errors about fences that are needed.
func (n Need) checkFences(files, calls error) error {
	switch n {
	case NeedNothing:
		return nil
	case NeedCalls:
		return calls
	case NeedAll:
	}
	return errors.Join(files, calls)
}

// systemTrees hold what programs that read files are made of and take tables and fonts from. Nobody's data is there.
var systemTrees = []string{
	"/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/local/lib", "/nix/store", "/gnu/store",
	"/usr/share/poppler", "/usr/share/ghostscript", "/usr/share/catdoc", "/usr/share/antiword",
	"/usr/share/fonts", "/usr/local/share/fonts", "/usr/share/fontconfig", "/etc/fonts", "/var/cache/fontconfig",
	"/usr/share/locale", "/usr/share/i18n", "/usr/share/zoneinfo", "/usr/share/X11/locale",
}

var systemFiles = []string{
	"/etc/ld.so.cache", "/etc/ld.so.preload", "/etc/localtime", "/etc/xpdfrc", "/etc/catdocrc",
	"/dev/null", "/dev/zero", "/dev/random", "/dev/urandom",
}

func allowedPaths(program, loader string) []allowedPath {
	open := []allowedPath{{program, accessRunFile}}
	if loader != "" {
		open = append(open, allowedPath{loader, accessRunFile})
	}
	for _, tree := range systemTrees {
		open = append(open, allowedPath{tree, accessReadTree})
	}
	for _, file := range systemFiles {
		open = append(open, allowedPath{file, accessReadFile})
	}
	return open
}

// findLoader finds what loads the program's libraries; a program without any has none. A script is refused: what runs
// it could run everything else.
func findLoader(program string) (string, error) {
	if !filepath.IsAbs(program) {
		return "", fmt.Errorf("%s: not a full path", program)
	}
	f, err := elf.Open(program)
	if err != nil {
		return "", fmt.Errorf("%s is no program of this system by itself: %w", program, err)
	}
	defer func() { _ = f.Close() }()
	for _, part := range f.Progs {
		if part.Type == elf.PT_INTERP {
			name, err := io.ReadAll(io.LimitReader(part.Open(), unix.PathMax))
			if err != nil {
				return "", fmt.Errorf("%s: %w", program, err)
			}
			return unix.ByteSliceToString(name), nil
		}
	}
	return "", nil
}

// sealInput reads the standard input and puts it in its own place, as a file in memory that can be read anywhere and
// not be changed: some programs seek in their input, and would need a place to copy it to.
func sealInput() error {
	fd, err := unix.MemfdCreate("input", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return err
	}
	f := os.NewFile(uintptr(fd), "input")
	if _, err := io.Copy(f, os.Stdin); err != nil { // one that is too large meets the limit of files
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if _, err := unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS,
		unix.F_SEAL_WRITE|unix.F_SEAL_GROW|unix.F_SEAL_SHRINK|unix.F_SEAL_SEAL); err != nil {
		return err
	}
	return unix.Dup3(int(f.Fd()), 0, 0)
}

// limitMemory bounds what the process may write to: private memory, not addresses, for Go reserves far more of those.
func limitMemory() error {
	for _, l := range []struct {
		name     string
		resource int
		limit    uint64
	}{{"memory", unix.RLIMIT_DATA, maxMemoryBytes}, {"core", unix.RLIMIT_CORE, 0},
		{"file size", unix.RLIMIT_FSIZE, draft.MaxFileBytes},
		{"open files", unix.RLIMIT_NOFILE, maxOpenFiles}} {
		if err := lowerLimit(l.resource, l.limit); err != nil {
			return fmt.Errorf("limit of %s: %w", l.name, err)
		}
	}
	return nil
}

func lowerLimit(resource int, limit uint64) error {
	var now unix.Rlimit
	if err := unix.Getrlimit(resource, &now); err != nil {
		return err
	}
	limit = min(limit, now.Max)
	return unix.Setrlimit(resource, &unix.Rlimit{Cur: limit, Max: limit})
}

// killOnCPULimit ends the process when its time is up: Go itself takes no notice of the signal.
var killOnCPULimit = sync.OnceFunc(func() {
	late := make(chan os.Signal, 1)
	signal.Notify(late, unix.SIGXCPU)
	go func() {
		<-late
		_ = unix.Kill(unix.Getpid(), unix.SIGKILL)
	}()
})

// LimitCPU grants the process the processor time of one file beyond what it has used. Where the kernel cannot say how
// much that is, the clock of the process that waits for it is the limit.
func LimitCPU() {
	killOnCPULimit()
	var used unix.Rusage
	var now unix.Rlimit
	if unix.Getrusage(unix.RUSAGE_SELF, &used) != nil || unix.Getrlimit(unix.RLIMIT_CPU, &now) != nil {
		return
	}
	now.Cur = min(uint64(used.Utime.Sec+used.Stime.Sec)+maxCPUSeconds+1, now.Max)
	_ = unix.Setrlimit(unix.RLIMIT_CPU, &now)
}
