package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/api/admin"
	"parley/internal/testkit"
	"parley/internal/testkit/check"
)

// hostileSets are public files that break readers; they are beside the checkout.
var hostileSets = []string{"pdf-hostile", "office-hostile", "doc-extract", "html5lib", "upload-tricks"}

const (
	uploadsPerAccount = 10 // uploads that an account may make in a minute
	senderCount       = 2
	// maxReadTime only guards against hanging: the server stops a reader after 30 seconds of its own.
	maxReadTime = 3 * time.Minute
	// maxPrivateBytes is the limit that the kernel holds a reader to; what is in memory of the program's file is not
	// counted by it.
	maxPrivateBytes = 512 << 20
)

// Every hostile file that is uploaded to a real server is refused, or is trained or fails with a reason, in time. The
// readers stay within their memory limit, and the server continues.
func TestHostileUploads(t *testing.T) {
	check.SkipUnderRace(t)
	t.Parallel()
	files := hostileFiles(t)
	dir := filepath.Join(t.TempDir(), "data")
	server, address := startServer(t, "--data", dir)
	t.Cleanup(func() { server.kill() })
	ctx, stop := context.WithCancel(t.Context())
	peakSeen := make(chan int64, 1)
	go func() { peakSeen <- peakChildMemory(ctx, server.cmd.Process.Pid) }()

	var (
		work sync.WaitGroup
		mu   sync.Mutex
		ends = map[string]int{}
	)
	parts := make(chan []string)
	for range senderCount {
		work.Go(func() {
			for part := range parts {
				s := newUploader(t, address, dir)
				for _, file := range part {
					end := s.uploadFile(file)
					mu.Lock()
					ends[end]++
					mu.Unlock()
				}
			}
		})
	}
	for part := range slices.Chunk(files, uploadsPerAccount) {
		parts <- part
	}
	close(parts)
	work.Wait()
	stop()
	program, err := os.Stat(parleyProgram.path(t))
	if err != nil {
		t.Fatal(err)
	}
	if peak := <-peakSeen; peak > maxPrivateBytes+program.Size() {
		t.Errorf("a reader of files held %d MB", peak>>20)
	} else {
		t.Logf("%d files: %v; readers held at most %d MB", len(files), ends, peak>>20)
	}
	if end := newUploader(t, address, dir).addText("after.txt",
		strings.Repeat("The server is still here. ", 4)); end != "trained" {
		t.Error("after all of them a text is ", end)
	}
	server.kill()
	reopened := testkit.Open(t, testkit.WithDatabase(dir, ""))
	var silent int
	if err := reopened.DB.SQL().QueryRow(t.Context(),
		`select count(*) from sources where status = 'failed' and failure = ''`).Scan(&silent); err != nil || silent > 0 {
		t.Error(silent, "sources failed without a reason", err)
	}
}

func hostileFiles(t *testing.T) (files []string) {
	t.Helper()
	for _, set := range hostileSets {
		check.Must(t, filepath.WalkDir(check.SharedDir(t, set), func(path string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() && e.Name() != "README.md" {
				files = append(files, path)
			}
			return err
		}))
	}
	return files
}

// uploader is an account that sends files to an agent of its own.
type uploader struct {
	*testing.T
	client   *testkit.VerifyingClient
	url, key string
	agent    string
}

func newUploader(t *testing.T, address, dir string) *uploader {
	var account admin.CreatedAccount
	runCommand(t, &account, "account", "create", "--name", "Sender", "--data", dir)
	s := &uploader{T: t, url: address, key: account.APIKey,
		client: testkit.NewVerifyingClient(address, account.APIKey, http.DefaultClient)}
	var err error
	if s.agent, err = s.client.CreateAgent(t.Context(), "Reader"); err != nil {
		t.Error(err)
	}
	return s
}

// uploadFile uploads a file and returns the outcome: refused, or the status of the source.
func (u *uploader) uploadFile(file string) string {
	data, err := os.ReadFile(file)
	if err != nil {
		u.Error(err)
		return "unread"
	}
	return u.addText(filepath.Base(file), string(data))
}

func (u *uploader) addText(name, content string) string {
	began := time.Now()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, _ := form.CreateFormFile("file", name) // a buffer takes everything
	_, _ = io.WriteString(part, content)
	_ = form.Close()
	req, err := http.NewRequestWithContext(u.Context(), http.MethodPost, u.url+"/api/v2/agents/"+u.agent+"/sources", &body)
	if err != nil {
		u.Error(err)
		return "unsent"
	}
	req.Header.Set("Content-Type", form.FormDataContentType())
	req.Header.Set("Authorization", "Bearer "+u.key)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		u.Error(name, err)
		return "unsent"
	}
	reply, _ := io.ReadAll(res.Body) // a missing field cannot be decoded
	_ = res.Body.Close()
	var src struct {
		ID, Status string
		Error      struct{ Details map[string]string }
	}
	if err := json.Unmarshal(reply, &src); err != nil || res.StatusCode != http.StatusCreated &&
		src.Error.Details["file"] == "" && !strings.Contains(string(reply), "SOURCE_DUPLICATE") {
		u.Errorf("%s: %d %s", name, res.StatusCode, reply)
	}
	if res.StatusCode != http.StatusCreated {
		return "refused"
	}
	for src.Status != "trained" && src.Status != "failed" {
		<-time.After(20 * time.Millisecond)
		if err := u.client.Do(u.Context(), http.MethodGet, "/agents/"+u.agent+"/sources/"+src.ID, nil, &src); err != nil {
			u.Error(name, err)
			return "lost"
		}
		if elapsed := time.Since(began); elapsed > maxReadTime {
			u.Errorf("%s is %s after %v", name, src.Status, elapsed)
			return "slow"
		}
	}
	return src.Status
}

// peakChildMemory returns the highest memory use of a child of the process, in bytes.
func peakChildMemory(ctx context.Context, parent int) (peak int64) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for runtime.GOOS == "linux" {
		lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", parent)) // empty if the process has ended
		for _, list := range lists {
			ids, _ := os.ReadFile(list) //nolint:gosec // of /proc
			for id := range strings.FieldsSeq(string(ids)) {
				peak = max(peak, peakMemory(id))
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return peak
		}
	}
	return 0
}

func peakMemory(id string) int64 {
	status, _ := os.ReadFile("/proc/" + id + "/status") // it may have ended
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	if fields := strings.Fields(after); len(fields) > 0 {
		kB, _ := strconv.ParseInt(fields[0], 10, 64) // always a number
		return kB << 10
	}
	return 0
}
