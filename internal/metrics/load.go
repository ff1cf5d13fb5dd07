package metrics

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// Load tells how much of the processors this program and its children use, as Linux counts it. What other programs do
// does not count. Elsewhere nothing is known. It is not for use by several goroutines.
type Load struct {
	Now        func() time.Time
	Root       string // of the file system; empty for /
	Processors int    // of the machine; 0 asks

	at   time.Time
	used float64 // so far, in ticks
	know bool
}

const (
	staleLoad      = 10 * time.Second // how long ago the last look may be: what is older tells nothing of now
	ticksPerSecond = 100              // USER_HZ, which is the same on every Linux that Go runs on
	deepest        = 4                // generations of children that are looked at
)

// Share gives the share since the last call of the processors that this program may use, from 0 to 1; below 0 where
// nothing is known, as at first.
func (l *Load) Share() float64 {
	now, share := l.Now(), -1.0
	past := now.Sub(l.at)
	used, ok := l.usedBy("self", 0)
	if ok && l.know && past > 0 && past < staleLoad && used >= l.used {
		share = (used - l.used) / ticksPerSecond / past.Seconds() / l.processors()
	}
	l.used, l.know, l.at = used, ok, now
	return min(share, 1)
}

// usedBy gives the processor time of a process, of its children that live, and of those that it has waited for.
func (l *Load) usedBy(process string, depth int) (ticks float64, ok bool) {
	const utime, stime, cutime, cstime = 11, 12, 13, 14 // counted behind the name, which may hold anything
	stat := l.read("proc/" + process + "/stat")
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
	if depth < deepest {
		for _, child := range l.children(process) {
			t, _ := l.usedBy(child, depth+1)
			ticks += t
		}
	}
	return ticks, true
}

// children lists the processes that any thread of a process has begun.
func (l *Load) children(process string) (list []string) {
	threads, _ := filepath.Glob(filepath.Join("/", l.Root, "proc", process, "task", "*", "children"))
	for _, file := range threads {
		text, _ := os.ReadFile(file) // of a thread that has ended there are none
		list = append(list, strings.Fields(string(text))...)
	}
	return list
}

// processors is how many there are, or how many this program's group may use where that is less.
func (l *Load) processors() float64 {
	n := float64(l.Processors)
	if n == 0 {
		n = float64(runtime.NumCPU())
	}
	quota, period, _ := strings.Cut(strings.TrimSpace(l.read(filepath.Join(l.group(), "cpu.max"))), " ")
	q, err1 := strconv.ParseFloat(quota, 64) // "max" where there is no limit
	p, err2 := strconv.ParseFloat(period, 64)
	if err1 != nil || err2 != nil || q <= 0 || p <= 0 {
		return n
	}
	return min(n, q/p)
}

// group is the folder of this program's control group (version 2). Within a container it is the root.
func (l *Load) group() string {
	const root = "sys/fs/cgroup"
	for line := range strings.Lines(l.read("proc/self/cgroup")) {
		if path, found := strings.CutPrefix(strings.TrimSpace(line), "0::"); found {
			if own := filepath.Join(root, path); l.read(filepath.Join(own, "cpu.max")) != "" {
				return own
			}
		}
	}
	return root
}

func (l *Load) read(path string) string {
	text, err := os.ReadFile(filepath.Join("/", l.Root, path))
	if err != nil {
		return "" // as on systems that have no such file
	}
	return string(text)
}
