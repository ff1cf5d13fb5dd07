// Package check holds what the fixtures of tests have in common: checks of errors, and waiting. Only test files import
// it.
package check

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley"
)

// T is a test with checks of errors, for fixtures to embed.
type T struct{ testing.TB }

// Must stops the test if err is not nil.
func (t T) Must(err error) {
	t.Helper()
	Must(t, err)
}

// WantCode fails the test unless err has the code and its details name the fields.
func (t T) WantCode(err error, code parley.Code, fields ...string) {
	t.Helper()
	WantCode(t, err, code, fields...)
}

// Must stops the test if err is not nil.
func Must(t testing.TB, err error) {
	t.Helper()
	if err == nil {
		return
	}
	if details := parley.AsError(err).Details; len(details) > 0 {
		t.Fatal(err, details)
	}
	t.Fatal(err)
}

// WantCode fails the test unless err has the code and its details name the fields.
func WantCode(t testing.TB, err error, code parley.Code, fields ...string) {
	t.Helper()
	if !parley.IsCode(err, code) {
		t.Errorf("got %v, want %s", err, code)
		return
	}
	for _, field := range fields {
		if details := parley.AsError(err).Details; details[field] == "" {
			t.Errorf("the details do not name %s: %v", field, details)
		}
	}
}

// Concurrently calls f with 0 to n-1, all at once, and returns when all calls have returned.
func Concurrently(n int, f func(i int)) {
	var calls sync.WaitGroup
	for i := range n {
		calls.Go(func() { f(i) })
	}
	calls.Wait()
}

// WaitTimeout is how long a test waits at most for something that should happen at once. It only guards against
// hanging, on a machine that is busy with other things too.
const WaitTimeout = time.Minute

// Eventually waits until done returns true.
func Eventually(t testing.TB, condition string, done func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(WaitTimeout); !done(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within %v", condition, WaitTimeout)
		}
	}
}

// Receive waits for a value of the channel, or until it is closed.
func Receive[V any](t testing.TB, event string, c <-chan V) (value V) {
	t.Helper()
	select {
	case value = <-c:
	case <-time.After(WaitTimeout):
		t.Fatalf("%s: not within %v", event, WaitTimeout)
	}
	return value
}

// RequireNoLeaks returns the status with which a test program ends: that of its tests, or 1 where they have passed and
// left goroutines behind.
func RequireNoLeaks(status int) int {
	if status != 0 {
		return status
	}
	if err := findLeaks(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// findLeaks returns an error if goroutines that tests have started do not end within WaitTimeout: on a busy machine it
// takes a while until all of them have.
func findLeaks() (err error) {
	for end := time.Now().Add(WaitTimeout); time.Now().Before(end); {
		if err = goleak.Find(); err == nil { // waits for half a second itself
			return nil
		}
	}
	return err
}

// SharedDir returns a folder of ../shared/data, the test data of others beside the checkout. Without it the test is
// skipped.
func SharedDir(t testing.TB, folder string) string {
	t.Helper()
	dir, ok := FindSharedDir(t, folder)
	if !ok {
		t.Skipf("SKIP: no ../shared/data/%s", folder)
	}
	return dir
}

// FindSharedDir is SharedDir for tests that have data of their own as well; ok reports whether the folder is there.
// With CI=true the test fails if nothing but this folder is missing.
func FindSharedDir(t testing.TB, folder string) (dir string, ok bool) {
	t.Helper()
	at, err := os.Getwd()
	Must(t, err)
	for parent := filepath.Dir(at); parent != at; at, parent = parent, filepath.Dir(parent) {
		data := filepath.Join(parent, "shared", "data")
		if _, err = os.Stat(data); err != nil {
			continue
		}
		dir = filepath.Join(data, folder)
		_, err = os.Stat(dir)
		if err != nil && os.Getenv("CI") == "true" {
			t.Fatalf("no folder %s, though there is %s", folder, data)
		}
		return dir, err == nil
	}
	return "", false
}

// SkipUnderRace skips a test of what the race detector changes, or finds nothing in.
func SkipUnderRace(t testing.TB) {
	t.Helper()
	if IsRaceBuild {
		t.Skip("SKIP: runs without the race detector")
	}
}
