package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// processID is a process of this machine.
type processID int

func (c *serverProcess) pid() processID { return processID(c.cmd.Process.Pid) }

func (c *serverProcess) status(field string) (float64, error) { return c.pid().status(field) }

// status reads a size from /proc/PID/status, in bytes. VmRSS is what is resident now, VmHWM the most that ever was.
func (p processID) status(field string) (float64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p))
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

func (c *serverProcess) cpuTime() time.Duration {
	if c == nil || c.cmd == nil {
		return 0
	}
	return c.pid().cpuTime()
}

// cpuTime is the processor time the process has used, 0 when that cannot be told. The kernel counts in hundredths of a second.
func (p processID) cpuTime() time.Duration {
	fields := p.stat()
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

// stat returns the fields of /proc/PID/stat behind the name: its state, its parent and so on; nothing where the process is gone.
func (p processID) stat() []string {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p))
	if err != nil {
		return nil
	}
	_, after, _ := strings.Cut(string(b), ") ")
	return strings.Fields(after)
}

// children returns the processes that a process has started.
func (p processID) children() (list []processID) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		n, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if fields := processID(n).stat(); len(fields) > 1 && fields[1] == strconv.Itoa(int(p)) {
			list = append(list, processID(n))
		}
	}
	return list
}

// machine is where the figures come from.
type machine struct {
	Cores   int     `json:"cores"`
	CPU     string  `json:"cpu"`
	Go      string  `json:"go"`
	OS      string  `json:"os"`
	SyncMS  float64 `json:"fsyncMs"` // a write of 4 kB made durable, median
	Dir     string  `json:"-"`
	Measure string  `json:"at"`
}

func describeMachine(dir string) machine {
	return machine{Cores: runtime.NumCPU(), CPU: cpuName(), Go: runtime.Version(), OS: runtime.GOOS + "/" + runtime.GOARCH,
		SyncMS: measureFsync(dir), Dir: dir, Measure: time.Now().UTC().Format(time.RFC3339)}
}

func (m machine) String() string {
	return fmt.Sprintf("%d cores (%s), %s, %s, a write of 4 kB made durable takes %.2f ms", m.Cores, m.CPU, m.OS, m.Go, m.SyncMS)
}

func cpuName() string {
	b, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown"
	}
	for line := range strings.Lines(string(b)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}

// measureFsync is the median time to append 4 kB and have them on the disk, in milliseconds; 0 when it cannot be told.
func measureFsync(dir string) float64 {
	f, err := os.Create(filepath.Join(dir, "fsync"))
	if err != nil {
		return 0
	}
	defer f.Close()
	var took []time.Duration
	page := make([]byte, 4096)
	for range 40 {
		began := time.Now()
		if _, err := f.Write(page); err != nil || f.Sync() != nil {
			return 0
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	return milliseconds(quantile(took, 0.5))
}
