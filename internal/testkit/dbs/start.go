package dbs

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

var errNoBinaries = errors.New("no PostgreSQL binaries (initdb, postgres) are installed")

// newServer creates a data folder and runs a server on it.
func newServer(fsync bool) (*Server, error) {
	bin, err := findBinaries()
	if err != nil {
		return nil, err
	}
	removeStaleDirs()
	s := &Server{binDir: bin, fsync: fsync}
	if s.dir, s.lock, err = newLockedDir(serverBase(fsync)); err != nil {
		return nil, err
	}
	if err := s.initialize(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.dir))
	}
	if err := s.startProcess(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.dir))
	}
	if s.admin, err = sql.Open("pgx", s.databaseURL("postgres")); err == nil && !fsync {
		err = s.findCopyClause()
	}
	return s, err
}

// findCopyClause has the server create databases as copies of files, as versions before 15 do, in place of logging each
// of their pages: nobody needs them after a crash.
func (s *Server) findCopyClause() error {
	return s.admin.QueryRowContext(context.Background(), `
		select case when current_setting('server_version_num')::int >= 150000 then ' strategy file_copy' else '' end`,
	).Scan(&s.copyClause)
}

// newLockedDir creates a folder and locks it. Only when it is locked does it get the name by which other processes find
// folders to remove.
func newLockedDir(parent string) (dir string, lock *os.File, err error) {
	created, err := os.MkdirTemp(parent, "parley-new-pg-")
	if err != nil {
		return "", nil, err
	}
	if lock, err = os.Create(filepath.Join(created, "lock")); err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(created))
	}
	dir = filepath.Join(parent, strings.Replace(filepath.Base(created), "new-", "", 1))
	if err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err == nil {
		err = os.Rename(created, dir)
	}
	if err != nil {
		return "", nil, errors.Join(err, lock.Close(), os.RemoveAll(created))
	}
	return dir, lock, nil
}

func (s *Server) initialize() error {
	if c := postgresCredential(); c != nil {
		if err := os.Chown(s.dir, int(c.Uid), int(c.Gid)); err != nil {
			return err
		}
	}
	cmd := exec.Command(filepath.Join(s.binDir, "initdb"), "-D", s.dataDir(), "-U", "parley", "-A", "trust", "-E",
		"UTF8", "--locale=C", "-N", "--no-instructions")
	cmd.Dir = s.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: postgresCredential()}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	return nil
}

func (s *Server) dataDir() string { return filepath.Join(s.dir, "data") }

// arguments start the server. Compiling a query (jit) takes longer than what it asks of the few rows of a test.
func (s *Server) arguments() []string {
	settings := []string{"listen_addresses=", "unix_socket_directories=" + s.dir, "shared_buffers=32MB",
		"max_connections=300", "synchronous_commit=on", "jit=off"}
	if !s.fsync {
		settings = append(settings, "fsync=off", "full_page_writes=off")
	}
	args := []string{"-D", s.dataDir()}
	for _, setting := range settings {
		args = append(args, "-c", setting)
	}
	return args
}

func (s *Server) startProcess() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	cmd := exec.Command(filepath.Join(s.binDir, "postgres"), s.arguments()...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: postgresCredential(), Pdeathsig: syscall.SIGQUIT}
	p, err := startProcess(cmd)
	s.process = p
	return err
}

func findBinaries() (string, error) {
	var folders []string
	if out, err := exec.Command("pg_config", "--bindir").Output(); err == nil {
		folders = append(folders, strings.TrimSpace(string(out)))
	}
	if p, err := exec.LookPath("initdb"); err == nil {
		folders = append(folders, filepath.Dir(p))
	}
	installed, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	slices.Reverse(installed)
	for _, f := range append(folders, installed...) {
		if isExecutable(f, "initdb") && isExecutable(f, "postgres") {
			return f, nil
		}
	}
	return "", errNoBinaries
}

func isExecutable(folder, name string) bool {
	_, err := exec.LookPath(filepath.Join(folder, name))
	return err == nil
}

// postgresCredential is the user of PostgreSQL when the tests run as root, which PostgreSQL refuses; nil when they do
// not.
func postgresCredential() *syscall.Credential {
	if os.Geteuid() != 0 {
		return nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, _ := strconv.ParseUint(u.Uid, 10, 32)
		gid, _ := strconv.ParseUint(u.Gid, 10, 32)
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	return nil
}

// tempBase is the parent of the servers' folders: the path of a socket may not be longer than about a hundred bytes.
func tempBase() string {
	if dir := os.TempDir(); len(dir) < 60 {
		return dir
	}
	return "/tmp"
}

const (
	memoryDisk     = "/dev/shm"
	tmpfsType      = 0x01021994 // of statfs(2)
	minMemoryBytes = 4 << 30    // that must be free in it
)

// serverBase is the parent of a server's folder. One that does not sync has it in memory where there is room: it makes
// and removes hundreds of files for each test's database.
func serverBase(fsync bool) string {
	var s syscall.Statfs_t
	err := syscall.Statfs(memoryDisk, &s)
	if fsync || err != nil || s.Type != tmpfsType || s.Bavail*uint64(s.Bsize) < minMemoryBytes {
		return tempBase()
	}
	return memoryDisk
}

// removeStaleDirs removes the folders that test processes have left. A running process holds the lock of its folder.
func removeStaleDirs() {
	locks, _ := filepath.Glob(filepath.Join(tempBase(), "parley-pg-*", "lock"))
	inMemory, _ := filepath.Glob(filepath.Join(memoryDisk, "parley-pg-*", "lock"))
	for _, name := range append(locks, inMemory...) {
		f, err := os.Open(name)
		if err != nil {
			continue
		}
		if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			_ = os.RemoveAll(filepath.Dir(name))
		}
		_ = f.Close()
	}
}

type process struct {
	cmd    *exec.Cmd
	exited chan struct{}
}

// startProcess starts the command and returns when it reports that it is ready. The kernel sends the signal at the
// parent's death when the thread that forked ends, so that thread is kept until the server ends.
func startProcess(cmd *exec.Cmd) (*process, error) {
	out, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, exited: make(chan struct{})}
	started, ready, output := make(chan error), make(chan struct{}), make(chan string, 1)
	go func() {
		runtime.LockOSThread()
		err := cmd.Start()
		started <- err
		if err != nil {
			return
		}
		output <- watchOutput(out, ready)
		_ = cmd.Wait()
		close(p.exited)
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	select {
	case <-ready:
		return p, nil
	case text := <-output:
		return nil, fmt.Errorf("PostgreSQL did not start:\n%s", text)
	case <-time.After(time.Minute):
		p.kill()
		return nil, fmt.Errorf("PostgreSQL did not start within a minute")
	}
}

// watchOutput closes ready when the server reports that it is ready. It returns the first lines of output when the
// server ends.
func watchOutput(out io.Reader, ready chan<- struct{}) string {
	var b strings.Builder
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if b.Len() < 8000 {
			b.WriteString(lines.Text() + "\n")
		}
		if ready != nil && strings.Contains(lines.Text(), "ready to accept connections") {
			close(ready)
			ready = nil
		}
	}
	return b.String()
}

// kill stops the postmaster so that it forks no more, kills its children and then itself. All of them hold the pipe
// that watchOutput reads, so when that ends, none of them can block the next start by holding the shared memory.
func (p *process) kill() {
	pid := p.cmd.Process.Pid
	_ = syscall.Kill(pid, syscall.SIGSTOP)
	for _, child := range childPIDs(pid) {
		_ = syscall.Kill(child, syscall.SIGKILL)
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
	<-p.exited
}

func childPIDs(pid int) []int {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	var pids []int
	for _, word := range strings.Fields(string(text)) {
		if n, err := strconv.Atoi(word); err == nil {
			pids = append(pids, n)
		}
	}
	return pids
}
