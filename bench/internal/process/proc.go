package process

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// ID is a process of this machine.
type ID int

func (s *Server) PID() ID { return ID(s.cmd.Process.Pid) }

func (s *Server) Status(field string) (float64, error) { return s.PID().Status(field) }

// Status reads a size from /proc/PID/status, in bytes. VmRSS is what is resident now, VmHWM the most that ever was.
func (id ID) Status(field string) (float64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", id))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, field+":"); ok {
			kB, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kB * 1024, err
		}
	}
	return 0, fmt.Errorf("no %s in /proc", field)
}

func (s *Server) CPUTime() time.Duration {
	if s == nil || s.cmd == nil {
		return 0
	}
	return s.PID().CPUTime()
}

// CPUTime is the processor time the process has used, 0 when that cannot be told. The kernel counts in hundredths of a
// second.
func (id ID) CPUTime() time.Duration {
	fields := id.stat()
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

// Family is a process with those that it starts, such as PostgreSQL; 0 for none.
type Family ID

// CPUTime is the processor time that they have used, those that have ended among them.
func (f Family) CPUTime() time.Duration {
	if f == 0 {
		return 0
	}
	used := ID(f).CPUTime()
	if fields := ID(f).stat(); len(fields) >= 15 {
		user, _ := strconv.Atoi(fields[13])
		system, _ := strconv.Atoi(fields[14])
		used += time.Duration(user+system) * 10 * time.Millisecond
	}
	for _, child := range ID(f).Children() {
		used += child.CPUTime()
	}
	return used
}

// Parent returns the process that has started this one, 0 where that cannot be told.
func (id ID) Parent() ID {
	fields := id.stat()
	if len(fields) < 2 {
		return 0
	}
	parent, _ := strconv.Atoi(fields[1])
	return ID(parent)
}

// stat returns the fields of /proc/PID/stat behind the name: its state, its parent and so on; nothing where the process
// is gone.
func (id ID) stat() []string {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", id))
	if err != nil {
		return nil
	}
	_, after, _ := strings.Cut(string(b), ") ")
	return strings.Fields(after)
}

// Children returns the processes that a process has started.
func (id ID) Children() (list []ID) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		n, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if fields := ID(n).stat(); len(fields) > 1 && fields[1] == strconv.Itoa(int(id)) {
			list = append(list, ID(n))
		}
	}
	return list
}

// OwnCPUTime returns the processor time that this process has used.
func OwnCPUTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
