package v2_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley"
	"parley/internal/server"
	"parley/internal/testkit"
	"parley/internal/testkit/clock"
)

// smallDisk is a file system of a few megabytes, and a file that fills it.
type smallDisk struct {
	*testing.T
	dir    string
	filler *os.File
}

func mountSmallDisk(t *testing.T, size string) *smallDisk {
	t.Helper()
	s := &smallDisk{T: t, dir: t.TempDir()}
	switch err := syscall.Mount("tmpfs", s.dir, "tmpfs", 0, "mode=700,size="+size); {
	case err != nil && os.Getenv("CI") == "true":
		t.Fatal(err)
	case err != nil:
		t.Skip("SKIP: a file system cannot be mounted: ", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(s.dir, 0); err != nil {
			t.Error(err)
		}
	})
	return s
}

// fill leaves so many bytes free.
func (s *smallDisk) fill(free int64) {
	s.Helper()
	s.clear()
	var err error
	if s.filler, err = os.Create(filepath.Join(s.dir, "filler")); err != nil {
		s.Fatal(err)
	}
	chunk := make([]byte, 64<<10)
	var size int64
	for len(chunk) > 0 {
		n, err := s.filler.Write(chunk)
		if size += int64(n); err == nil {
			continue
		}
		if !errors.Is(err, syscall.ENOSPC) {
			s.Fatal(err)
		}
		chunk = chunk[:len(chunk)/2]
	}
	if err := s.filler.Truncate(max(size-free, 0)); err != nil {
		s.Fatal(err)
	}
}

func (s *smallDisk) clear() {
	s.Helper()
	if s.filler == nil {
		return
	}
	if err := errors.Join(s.filler.Close(), os.Remove(s.filler.Name())); err != nil {
		s.Fatal(err)
	}
	s.filler = nil
}

// On a disk without space every write answers 503 or succeeds, whatever it writes and however little space is left,
// and reads go on. Nothing is half written, and with space again all is as before.
func TestEveryWriteOnAFullDisk(t *testing.T) {
	disk := mountSmallDisk(t, "48m")
	d := &uploadTest{T: t, dataDir: disk.dir, clock: clock.New()}
	d.Server = testkit.Open(t, testkit.WithClock(d.clock), testkit.WithConfig(func(c *server.Config) {
		c.Data = disk.dir
	}))
	d.Server.Engine.QueueTimeout = time.Second // a turn whose end could not be stored is open until there is space
	addMember(t, d.Server, d.Account, "kim@shop.example")
	ids := createResources(t, d.Server, parley.AccountID(d.Account), d.Key)
	d.agent = ids["agentId"]
	seen := fillDiskRounds(t, d, ids, []int64{0, 4 << 10, 64 << 10, 400 << 10, 3 << 20}, disk.fill)
	disk.clear()
	d.requireWritable(seen)
}

// The same holds for a database that may not grow.
func TestEveryWriteAtTheDatabasesQuota(t *testing.T) {
	d := newUploadTest(t)
	d.Server.Engine.QueueTimeout = time.Second
	addMember(t, d.Server, d.Account, "kim@shop.example")
	ids := createResources(t, d.Server, parley.AccountID(d.Account), d.Key)
	d.agent = ids["agentId"]
	quota := func(free int64) {
		t.Helper()
		var pages int
		d.requireNoError(d.DB.SQL().QueryRow(t.Context(), `select page_count from pragma_page_count()`).Scan(&pages))
		d.requireNoError(d.DB.SQL().SetQuota(t.Context(), pages+int(free)))
	}
	seen := fillDiskRounds(t, d, ids, []int64{0, 1, 4, 20}, quota)
	d.requireNoError(d.DB.SQL().SetQuota(t.Context(), 0))
	d.requireWritable(seen)
}

// fillDiskRounds goes through all routes with ever so little space, and returns the files that were taken.
func fillDiskRounds(t *testing.T, d *uploadTest, ids resourceIDs, freeBytes []int64,
	leave func(int64)) (taken []string) {
	t.Helper()
	refused := 0
	for _, free := range freeBytes {
		leave(free)
		for _, row := range isolationCases {
			if strings.HasPrefix(row.route, "DELETE /agents/{agentId}") || requiredStatus[row.route] != "" {
				continue
			}
			got := requestForComparison(t, d.Server, row.route, row.body, ids)
			switch status := got[:3]; {
			case status == "503":
				refused++
			case status >= "500":
				t.Errorf("%d free: %s: %s", free, row.route, got)
			}
			if strings.HasPrefix(row.route, "GET") && got[0] != '2' {
				t.Errorf("%d free: a read: %s: %s", free, row.route, got)
			}
		}
		for _, size := range []int{100, 50_000, 1_000_000} {
			text := fmt.Sprintf("File %d of %d bytes. ", rand.Int(), size) //nolint:gosec // any will do
			text = strings.Repeat(text, size/len(text)+1)
			u := d.upload("POST", d.sourcesPath(), filePart("handbook.txt", text))
			switch u.status {
			case 201:
				taken = append(taken, u.record.ID)
			case 503:
				refused++
				if u.retryAfter == "" {
					t.Error("without Retry-After")
				}
			default:
				t.Errorf("%d free: a file of %d bytes: %d %s", free, size, u.status, u.body)
			}
		}
	}
	if refused == 0 {
		t.Error("nothing was refused: the disk was not full")
	}
	t.Logf("%d refused, %d files taken", refused, len(taken))
	return taken
}

// requireWritable sees that what was taken is there, that nothing else is, and that the server takes what comes.
func (ut *uploadTest) requireWritable(taken []string) {
	ut.Helper()
	began := time.Now()
	testkit.Eventually(ut, "an answer", func() bool {
		status, _ := sendAs(ut.T, ut.Server, ut.Key, "POST", "/agents/"+ut.agent+"/chat", `{"message": "Hello"}`)
		return status == 200
	})
	text := strings.Repeat("There is room again. ", 100)
	u := ut.upload("POST", ut.sourcesPath(), filePart("again.txt", text))
	if u.status != 201 {
		ut.Error(u.status, u.body)
	}
	ut.Logf("writes were taken again after %v", time.Since(began))
	for _, id := range append(taken, u.record.ID) {
		testkit.Eventually(ut, "a file that was taken is trained", func() bool {
			ut.clock.Advance(time.Second)
			return ut.get(ut.sourcesPath()+"/"+id).record.Status == "trained"
		})
	}
	for _, hash := range ut.listFiles("") {
		var rows int
		ut.requireNoError(ut.DB.SQL().QueryRow(ut.Context(), `select count(*) from blobs where hash = ?`, hash).Scan(&rows))
		if rows == 0 {
			ut.Errorf("the file %s has no row", hash)
		}
	}
	if sum := sha256.Sum256([]byte(text)); !strings.Contains(strings.Join(ut.listFiles(""), " "),
		hex.EncodeToString(sum[:])) {
		ut.Error("the file is not in its place")
	}
	var open int
	testkit.Eventually(ut, "no turn is left open", func() bool {
		ut.requireNoError(ut.DB.SQL().QueryRow(ut.Context(), `select count(*) from turns where state = 'open'`).Scan(&open))
		return open == 0
	})
}
