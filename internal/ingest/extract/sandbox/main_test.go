package sandbox_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"parley/internal/ingest/extract"
	"parley/internal/ingest/extract/sandbox"
)

// The test binary is also the child process that reads files; its first argument selects the kind.
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
				return sandbox.Become(sandbox.Need(args[1]), args[3], args[4:])
			}
			return extract.Serve(os.Stdin, os.Stdout)
		},
		// greedy, busy, broken and fenced behave like a reader that a hostile file has taken over.
		"greedy": func([]string) error {
			return runHostileChild(func() {
				for chunks := [][]byte{}; ; chunks = append(chunks, make([]byte, 16<<20)) {
					for i := range chunks {
						chunks[i][0]++
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
				if err := sandbox.Confine(); err != nil {
					panic(err)
				}
				panic("reached: " + strings.Join(reachableThings(target{Parent: os.Getppid(), File: "/etc/hosts",
					Folder: "/tmp"}), ","))
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
		"unfiltered": func([]string) error { // on a kernel that cannot filter system calls
			if err := sandbox.DenyFences(true); err != nil {
				return err
			}
			return extract.Serve(os.Stdin, os.Stdout)
		},
	}
}

// onKernelWithout reads a file with another program on a kernel without fences.
func onKernelWithout(filters bool, args []string) error {
	if err := sandbox.DenyFences(filters); err != nil {
		return err
	}
	return childPrograms["extract"](args)
}

// runHostileChild reports that it is ready, takes a file and then does what it should not.
func runHostileChild(do func()) error {
	if err := sandbox.LimitMemory(); err != nil {
		return err
	}
	if err := sandbox.WriteMessage(os.Stdout, []byte("fenced")); err != nil {
		return err
	}
	if _, err := sandbox.ReadMessage(os.Stdin, 4); err != nil {
		return err
	}
	do()
	return nil
}

func requireLinux(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("SKIP: limits and the fence are for Linux")
	}
}
