// Package s3server is a service with the interface of S3, for tests: it keeps files of one bucket in memory, and checks
// every signature and checksum.
package s3server

import (
	"crypto/hmac"
	"crypto/md5" //nolint:gosec // the tags of S3 are MD5
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// What the server takes.
const (
	Bucket = "backups"
	Key    = "the-id"
	Secret = "the-secret"
	Region = "test-1"
)

// Server is a running service.
type Server struct {
	*httptest.Server

	mu       sync.Mutex
	files    map[string][]byte
	uploads  map[string]map[int][]byte // parts by the id of their upload
	statuses []int                     // of the next requests
	requests []string                  // method and what is asked for
}

// Start starts a server, which ends with the test.
func Start(t testing.TB) *Server {
	t.Helper()
	s := &Server{files: map[string][]byte{}, uploads: map[string]map[int][]byte{}}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

// FailNext lets the next requests be answered with these statuses.
func (s *Server) FailNext(statuses ...int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.statuses = append(s.statuses, statuses...)
}

// Files lists the keys of the files.
func (s *Server) Files() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.files))
}

// OpenUploads counts the uploads that were neither completed nor aborted.
func (s *Server) OpenUploads() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.uploads)
}

// Requests returns what was asked for, such as "PUT part", since it was last called.
func (s *Server) Requests() (list []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list, s.requests = s.requests, nil
	return list
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.statuses) > 0 {
		status := s.statuses[0]
		s.statuses = s.statuses[1:]
		refuse(w, status, "Planned", "This was planned.")
		return
	}
	bucket, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	switch {
	case !isSigned(r, body):
		refuse(w, http.StatusForbidden, "SignatureDoesNotMatch", "The signature is another one.")
	case bucket != Bucket:
		refuse(w, http.StatusNotFound, "NoSuchBucket", "There is no such bucket.")
	case key == "":
		s.requests = append(s.requests, r.Method+" list")
		s.list(w, r)
	case r.URL.Query().Has("uploads") || r.URL.Query().Has("uploadId"):
		s.requests = append(s.requests, r.Method+" part")
		s.upload(w, r, key, body)
	default:
		s.requests = append(s.requests, r.Method+" file")
		s.file(w, r, key, body)
	}
}

func (s *Server) file(w http.ResponseWriter, r *http.Request, key string, body []byte) {
	content, isThere := s.files[key]
	switch {
	case r.Method == http.MethodPut:
		s.files[key] = body
	case r.Method == http.MethodDelete:
		delete(s.files, key)
		w.WriteHeader(http.StatusNoContent)
	case !isThere:
		refuse(w, http.StatusNotFound, "NoSuchKey", "There is no such file.")
	default:
		_, _ = w.Write(content)
	}
}

// pageSize is how many files a page of a list has.
const pageSize = 2

func (s *Server) list(w http.ResponseWriter, r *http.Request) {
	type file struct{ Key string }
	var page struct {
		XMLName               xml.Name `xml:"ListBucketResult"`
		Contents              []file
		IsTruncated           bool
		NextContinuationToken string `xml:",omitempty"`
	}
	after := r.URL.Query().Get("continuation-token")
	for _, key := range slices.Sorted(maps.Keys(s.files)) {
		if key <= after || !strings.HasPrefix(key, r.URL.Query().Get("prefix")) {
			continue
		}
		if len(page.Contents) == pageSize {
			page.IsTruncated, page.NextContinuationToken = true, page.Contents[pageSize-1].Key
			break
		}
		page.Contents = append(page.Contents, file{key})
	}
	_ = xml.NewEncoder(w).Encode(page)
}

// upload answers one step of a file that comes in parts.
func (s *Server) upload(w http.ResponseWriter, r *http.Request, key string, body []byte) {
	id := r.URL.Query().Get("uploadId")
	parts := s.uploads[id]
	switch {
	case r.Method == http.MethodPost && id == "":
		id = "upload " + key
		s.uploads[id] = map[int][]byte{}
		_, _ = fmt.Fprintf(w, "<InitiateMultipartUploadResult><UploadId>%s</UploadId></InitiateMultipartUploadResult>", id)
	case parts == nil:
		refuse(w, http.StatusNotFound, "NoSuchUpload", "There is no such upload.")
	case r.Method == http.MethodPut:
		number, _ := strconv.Atoi(r.URL.Query().Get("partNumber"))
		parts[number] = body
		w.Header().Set("Etag", tagOf(body))
	case r.Method == http.MethodDelete:
		delete(s.uploads, id)
		w.WriteHeader(http.StatusNoContent)
	default:
		s.complete(w, id, key, body)
	}
}

func (s *Server) complete(w http.ResponseWriter, id, key string, body []byte) {
	var named struct {
		Part []struct {
			PartNumber int
			ETag       string
		}
	}
	var content []byte
	err := xml.Unmarshal(body, &named)
	for n, p := range named.Part {
		part, isThere := s.uploads[id][p.PartNumber]
		if !isThere || p.PartNumber != n+1 || p.ETag != tagOf(part) {
			err = fmt.Errorf("the part %d is another one", p.PartNumber)
		}
		content = append(content, part...)
	}
	if err != nil || len(named.Part) != len(s.uploads[id]) {
		refuse(w, http.StatusOK, "InvalidPart", fmt.Sprint(err)) // the status is sent before the work is done
		return
	}
	delete(s.uploads, id)
	s.files[key] = content
	_, _ = io.WriteString(w, "<CompleteMultipartUploadResult></CompleteMultipartUploadResult>")
}

func tagOf(content []byte) string {
	sum := md5.Sum(content) //nolint:gosec // as above
	return `"` + hex.EncodeToString(sum[:]) + `"`
}

func refuse(w http.ResponseWriter, status int, code, message string) {
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, "<Error><Code>%s</Code><Message>%s</Message></Error>", code, message)
}

// isSigned reports whether the request is signed with the secret, over its headers, its address and its body.
func isSigned(r *http.Request, body []byte) bool {
	sum := sha256.Sum256(body)
	hash := hex.EncodeToString(sum[:])
	fields := strings.FieldsFunc(r.Header.Get("Authorization"), func(c rune) bool { return c == ' ' || c == ',' })
	at := r.Header.Get("X-Amz-Date")
	if len(fields) != 4 || len(at) != len("20060102T150405Z") || r.Header.Get("X-Amz-Content-Sha256") != hash {
		return false
	}
	names := strings.TrimPrefix(fields[2], "SignedHeaders=")
	path, query, _ := strings.Cut(r.RequestURI, "?")
	canonical := r.Method + "\n" + path + "\n" + query + "\n"
	for name := range strings.SplitSeq(names, ";") {
		value := r.Header.Get(name)
		if name == "host" {
			value = r.Host
		}
		canonical += name + ":" + value + "\n"
	}
	canonical += "\n" + names + "\n" + hash
	sum = sha256.Sum256([]byte(canonical))
	scope := at[:8] + "/" + Region + "/s3/aws4_request"
	key := []byte("AWS4" + Secret)
	for part := range strings.SplitSeq(scope, "/") {
		key = authenticate(key, part)
	}
	text := fields[0] + "\n" + at + "\n" + scope + "\n" + hex.EncodeToString(sum[:])
	return fields[1] == "Credential="+Key+"/"+scope &&
		fields[3] == "Signature="+hex.EncodeToString(authenticate(key, text))
}

func authenticate(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}
