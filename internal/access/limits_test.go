package access_test

import (
	"net/http"
	"strconv"
	"testing"

	"parley/internal/server"
	"parley/internal/testkit"
	"parley/internal/testkit/dbs"
	"parley/internal/testkit/redisserver"
)

// TestServersShareLimits checks that two servers on one database and one Redis count requests together and say so in
// their headers, and that both go on when Redis is killed.
func TestServersShareLimits(t *testing.T) {
	redis, url := redisserver.Start(t), dbs.SharedPostgres(t).NewStore(t)
	open := func() *testkit.Server {
		return testkit.Open(t, testkit.WithDatabase(t.TempDir(), url),
			testkit.WithConfig(func(c *server.Config) { c.RedisURL = redis.URL }))
	}
	one, two := open(), open()
	remaining := func(s *testkit.Server) int {
		t.Helper()
		reply := s.Do(t, "GET", "/me", one.Key, nil)
		n, err := strconv.Atoi(reply.Header.Get("X-RateLimit-Remaining"))
		if reply.Status != http.StatusOK || err != nil {
			t.Fatal(reply.Status, err)
		}
		return n
	}
	// A busy machine may take longer for an answer of Redis than requests wait.
	testkit.Eventually(t, "servers that count together", func() bool { return remaining(one)-1 == remaining(two) })
	redis.Kill()
	for range 5 {
		remaining(one)
		remaining(two)
	}
}
