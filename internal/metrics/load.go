package metrics

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// CPULoad measures how much of the processors this program and its children use, as Linux counts it. What other
// programs do does not count. On other systems it knows nothing. It is not safe for concurrent use.
type CPULoad struct {
	Now        func() time.Time
	Root       string // of the file system; empty for /
	Processors int    // of the machine; 0 asks

	lastAt    time.Time
	lastTicks float64 // so far, in ticks
	hasLast   bool
}

const (
	maxSampleAge    = 10 * time.Second // how old the last sample may be: an older one shows nothing about now
	ticksPerSecond  = 100              // USER_HZ, which is the same on every Linux that Go runs on
	maxProcessDepth = 4                // generations of children that are looked at
)

// Share returns the share since the last call of the processors that this program may use, from 0 to 1; below 0 if
// nothing is known, as at first.
func (l *CPULoad) Share() float64 {
	now, share := l.Now(), -1.0
	past := now.Sub(l.lastAt)
	used, ok := l.cpuTicks("self", 0)
	if ok && l.hasLast && past > 0 && past < maxSampleAge && used >= l.lastTicks {
		share = (used - l.lastTicks) / ticksPerSecond / past.Seconds() / l.processors()
	}
	l.lastTicks, l.hasLast, l.lastAt = used, ok, now
	return min(share, 1)
}

// cpuTicks returns the processor time of a process, of its children that live, and of those that it has waited for.
func (l *CPULoad) cpuTicks(process string, depth int) (ticks float64, ok bool) {
	const utime, stime, cutime, cstime = 11, 12, 13, 14 // counted behind the name, which may contain anything
	stat := l.readFile("proc/" + process + "/stat")
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if len(fields) <= cstime {
		return 0, false
	}
	for _, i := range []int{utime, stime, cutime, cstime} {
		v, err := strconv.ParseFloat(fields[i], 64)
		if err != nil {
			return 0, false
		}
		ticks += v
	}
	if depth < maxProcessDepth {
		for _, child := range l.children(process) {
			t, _ := l.cpuTicks(child, depth+1)
			ticks += t
		}
	}
	return ticks, true
}

// children lists the processes that the threads of a process have started.
func (l *CPULoad) children(process string) (list []string) {
	threads, _ := filepath.Glob(filepath.Join("/", l.Root, "proc", process, "task", "*", "children"))
	for _, file := range threads {
		text, _ := os.ReadFile(file) // of a thread that has ended there are none
		list = append(list, strings.Fields(string(text))...)
	}
	return list
}

// processors returns how many processors there are, or how many this program's control group may use where that is
// less.
func (l *CPULoad) processors() float64 {
	n := float64(l.Processors)
	if n == 0 {
		n = float64(runtime.NumCPU())
	}
	quota, period, _ := strings.Cut(strings.TrimSpace(l.readFile(filepath.Join(l.cgroupPath(), "cpu.max"))), " ")
	q, err1 := strconv.ParseFloat(quota, 64) // "max" if there is no limit
	p, err2 := strconv.ParseFloat(period, 64)
	if err1 != nil || err2 != nil || q <= 0 || p <= 0 {
		return n
	}
	return min(n, q/p)
}

// cgroupPath returns the folder of this program's control group (version 2). Within a container it is the root.
func (l *CPULoad) cgroupPath() string {
	const root = "sys/fs/cgroup"
	for line := range strings.Lines(l.readFile("proc/self/cgroup")) {
		if path, found := strings.CutPrefix(strings.TrimSpace(line), "0::"); found {
			if own := filepath.Join(root, path); l.readFile(filepath.Join(own, "cpu.max")) != "" {
				return own
			}
		}
	}
	return root
}

func (l *CPULoad) readFile(path string) string {
	text, err := os.ReadFile(filepath.Join("/", l.Root, path))
	if err != nil {
		return "" // as on systems that have no such file
	}
	return string(text)
}
