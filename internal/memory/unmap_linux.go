package memory

import (
	"bufio"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// unmapUnusedPages unmaps the parts of the program's own file that its start has touched: tables that are built once,
// and code that runs once. What is used again is mapped again, from the same file. A stretch that differs from the file
// stays.
func unmapUnusedPages() {
	program, err := os.Executable()
	if err != nil {
		return
	}
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }() // it was only read
	var from, to uintptr
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := lines.Text()
		switch {
		case strings.HasSuffix(line, " "+program):
			from, to = readOnlyRange(line)
		case strings.HasPrefix(line, "Anonymous:") && strings.Fields(line)[1] != "0": // pages that were copied to be changed
			from, to = 0, 0
		case strings.HasPrefix(line, "VmFlags:") && to > from:
			_, _, _ = unix.Syscall(unix.SYS_MADVISE, from, to-from, unix.MADV_DONTNEED) // it is only advice
			from, to = 0, 0
		}
	}
}

// readOnlyRange returns the addresses of a read-only mapping; zeros for others.
func readOnlyRange(line string) (from, to uintptr) {
	fields := strings.Fields(line)
	if len(fields) < 2 || !strings.HasPrefix(fields[1], "r") || strings.Contains(fields[1], "w") {
		return 0, 0
	}
	first, last, _ := strings.Cut(fields[0], "-")
	a, err := strconv.ParseUint(first, 16, 64)
	if err != nil {
		return 0, 0
	}
	b, err := strconv.ParseUint(last, 16, 64)
	if err != nil {
		return 0, 0
	}
	return uintptr(a), uintptr(b)
}
