package extract_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"parley/internal/ingest/extract"
)

// The test binary is its own reader of files: its first word says which.
func TestMain(m *testing.M) {
	if stranger := hostilePrograms[filepath.Base(os.Args[0])]; stranger != nil {
		stranger()
		os.Exit(0)
	}
	if len(os.Args) < 2 || childPrograms[os.Args[1]] == nil {
		os.Exit(m.Run())
	}
	if err := childPrograms[os.Args[1]](os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

var childPrograms map[string]func(args []string) error

func init() { //nolint:gochecknoinits // one of the children starts this program again
	childPrograms = map[string]func(args []string) error{
		"extract": func(args []string) error {
			if len(args) > 3 && args[0] == "--need" {
				return extract.Become(extract.Need(args[1]), args[3], args[4:])
			}
			return extract.Serve(os.Stdin, os.Stdout)
		},
		// greedy, busy, broken and fenced behave like a reader that a file has led astray.
		"greedy": func([]string) error {
			return runHostileChild(func() {
				for kept := [][]byte{}; ; kept = append(kept, make([]byte, 16<<20)) {
					for i := range kept {
						kept[i][0]++
					}
				}
			})
		},
		"busy": func([]string) error {
			return runHostileChild(func() {
				for {
					runtime.Gosched()
				}
			})
		},
		"broken": func([]string) error { return runHostileChild(func() { panic("misled") }) },
		"fenced": func([]string) error {
			return runHostileChild(func() {
				if err := extract.Confine(); err != nil {
					panic(err)
				}
				panic("reached: " + strings.Join(reachableThings(target{Parent: os.Getppid(), File: "/etc/hosts", Folder: "/tmp"}), ","))
			})
		},
		"without-landlock": func(args []string) error { return onKernelWithout(false, args) },
		"without-filters":  func(args []string) error { return onKernelWithout(true, args) },
		"busy-or-extract": func(args []string) error { // our own reader hangs
			if len(args) > 0 {
				return childPrograms["extract"](args)
			}
			return childPrograms["busy"](args)
		},
		"unfiltered": func([]string) error { // on a kernel that filters no calls
			if err := extract.DenyFences(true); err != nil {
				return err
			}
			return extract.Serve(os.Stdin, os.Stdout)
		},
	}
}

// onKernelWithout has another program read a file where the kernel lacks fences.
func onKernelWithout(filters bool, args []string) error {
	if err := extract.DenyFences(filters); err != nil {
		return err
	}
	return childPrograms["extract"](args)
}

// runHostileChild says hello, takes a file and then does what it should not.
func runHostileChild(do func()) error {
	if err := extract.LimitMemory(); err != nil {
		return err
	}
	if err := extract.WriteMessage(os.Stdout, []byte("fenced")); err != nil {
		return err
	}
	if _, err := extract.ReadMessage(os.Stdin, 4); err != nil {
		return err
	}
	do()
	return nil
}

func newPool(t testing.TB, args ...string) *extract.Pool {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &extract.Pool{Executable: exe, Args: args}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

func requireLinux(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("SKIP: limits and the fence are for Linux")
	}
}

func readExpectingError(t *testing.T, p *extract.Pool) string {
	t.Helper()
	_, err := p.ReadFile(t.Context(), extract.TXT, "a.txt", []byte("words"))
	if err == nil {
		t.Fatal("no failure")
	}
	return err.Error()
}

func TestMemoryIsBounded(t *testing.T) {
	requireLinux(t)
	if extract.HasRaceDetector {
		t.Skip("SKIP: the race detector needs the memory for itself")
	}
	if got := readExpectingError(t, newPool(t, "greedy")); !strings.Contains(got, "memory") {
		t.Error(got)
	}
}

func TestTimeIsBounded(t *testing.T) {
	p := newPool(t, "busy")
	p.FileTimeout = 300 * time.Millisecond
	if got := readExpectingError(t, p); !strings.Contains(got, "more than 300ms") {
		t.Error(got)
	}
}

func TestCrashCostsOneFile(t *testing.T) {
	p := newPool(t, "broken")
	for range 5 {
		if got := readExpectingError(t, p); !strings.Contains(got, "given up") {
			t.Error(got)
		}
	}
}

func TestChildrenAreUsedAgainAndEnd(t *testing.T) {
	p := newPool(t)
	p.Size, p.IdleTimeout = 1, 50*time.Millisecond
	for i := range 250 { // past two replacements
		doc, err := p.ReadFile(t.Context(), extract.TXT, "a.txt", []byte(fmt.Sprint("words ", i)))
		if err != nil || doc.Text != fmt.Sprint("words ", i) {
			t.Fatal(doc.Text, err)
		}
		if i%100 == 50 {
			if err := p.WaitUntilIdle(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestCancelledWhileReading(t *testing.T) {
	p := newPool(t, "busy")
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := p.ReadFile(ctx, extract.TXT, "a.txt", []byte("words")); err != context.DeadlineExceeded {
		t.Error(err)
	}
}

func TestClosedPool(t *testing.T) {
	p := newPool(t)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if got := readExpectingError(t, p); !strings.Contains(got, "closed") {
		t.Error(got)
	}
}

func TestInThisProcess(t *testing.T) {
	p := &extract.Pool{}
	doc, err := p.ReadFile(t.Context(), extract.MD, "a.md", []byte("# Kettle\n\nBoils."))
	if err != nil || doc.Title != "Kettle" {
		t.Error(doc, err)
	}
}
