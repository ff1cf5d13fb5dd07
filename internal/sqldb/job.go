package sqldb

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"
)

// writeJob is a closure for the writer to run.
type writeJob struct {
	fn       func(*transaction) error
	queued   func(*Deferral) // called once it is in the queue; set if it, and its commit, may wait
	dueAt    time.Time       // when it no longer waits for the writer to be idle
	isLast   atomic.Bool     // nothing follows that its commit could wait for
	state    atomic.Int32    // 0 while it waits, then jobTaken or jobWithdrawn, whichever happens first
	done     chan struct{}
	err      error
	panicked *Panic
	exited   bool
}

const (
	jobTaken     = 1
	jobWithdrawn = 2
)

// mayWait reports whether the commit may still wait for another closure.
func (j *writeJob) mayWait() bool { return j.queued != nil && !j.isLast.Load() }

func (j *writeJob) take() bool     { return j.state.CompareAndSwap(0, jobTaken) }
func (j *writeJob) withdraw() bool { return j.state.CompareAndSwap(0, jobWithdrawn) }

func (j *writeJob) finish(err error) {
	j.err = err
	close(j.done)
}

var errPanicked = errors.New("sqldb: the closure panicked")

// runOn runs the closure in the transaction of the connection.
func (j *writeJob) runOn(conn *writeConn) *transaction {
	j.err, j.panicked = nil, nil
	t := &transaction{runner: conn, ctx: context.Background()}
	j.run(t)
	j.err = t.finish(j.err)
	return t
}

// run calls the closure, and notes a panic or a runtime.Goexit of its instead of passing it on to the writer.
func (j *writeJob) run(t *transaction) {
	returned := false
	defer func() {
		if returned {
			return
		}
		if v := recover(); v != nil {
			j.panicked = &Panic{Value: v, Stack: debug.Stack()}
			j.err = errPanicked
			return
		}
		j.exited = true
	}()
	j.err = j.fn(t)
	returned = true
}

// result returns the error of the closure, or panics or exits as the closure did, in the caller's goroutine.
func (j *writeJob) result() error {
	if j.exited {
		runtime.Goexit()
	}
	if j.panicked != nil && errors.Is(j.err, errPanicked) {
		panic(j.panicked)
	}
	return j.err
}

// Panic is the value that Transact panics with when its closure has panicked on the writer's goroutine.
type Panic struct {
	Value any
	Stack []byte
}

func (p *Panic) Error() string { return fmt.Sprintf("%v\n\nin a transaction:\n%s", p.Value, p.Stack) }

func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}
