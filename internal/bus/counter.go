package bus

import (
	"context"
	"errors"
	"time"

	"github.com/gomodule/redigo/redis"
)

// Counter is an engine that also counts, for all servers together. It keeps the times of what it has counted, by one
// clock of its own.
type Counter interface {
	// Take counts a use of the key, unless limit uses are in the window before it.
	Take(ctx context.Context, key string, limit int, window time.Duration) (Tally, error)

	// Peek returns what was counted of the key, and counts nothing.
	Peek(ctx context.Context, key string, window time.Duration) (Tally, error)

	// TakeBack forgets the latest use of the key, or all of them.
	TakeBack(ctx context.Context, key string, all bool) error
}

// Tally is what was counted of a key in a window.
type Tally struct {
	IsTaken        bool // by Take
	Uses           int
	Oldest, Latest time.Duration // how long ago the uses were; 0 if there are none
}

// What the script of a counter does with a key.
const (
	countTake  = "take"
	countPeek  = "peek"
	countUndo  = "undo"
	countClear = "clear"
)

// counterScript keeps a list of the times of each key's uses, in microseconds of Redis' own clock. A clock that was set
// back counts as standing still. What has left the window is dropped, and an idle key vanishes.
var counterScript = redis.NewScript(1, `
local uses, verb, window, limit = KEYS[1], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
if verb == 'undo' then redis.call('RPOP', uses) end
if verb == 'clear' then redis.call('DEL', uses) end
if verb == 'undo' or verb == 'clear' then return {0, 0, 0, 0} end
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local latest = tonumber(redis.call('LINDEX', uses, -1))
if latest and latest > now then now = latest end
local oldest = tonumber(redis.call('LINDEX', uses, 0))
while oldest and oldest <= now - window do
	redis.call('LPOP', uses)
	oldest = tonumber(redis.call('LINDEX', uses, 0))
end
local count, taken = redis.call('LLEN', uses), 0
if verb == 'take' and count < limit then
	redis.call('RPUSH', uses, string.format('%.0f', now))
	redis.call('PEXPIRE', uses, math.ceil(window / 1000))
	count, taken, oldest, latest = count + 1, 1, oldest or now, now
end
if count == 0 then return {taken, 0, 0, 0} end
return {taken, count, now - oldest, now - latest}
`)

// errTally is a reply of the script that is none of its own.
var errTally = errors.New("bus: Redis has counted in another way")

// Take counts a use of the key, unless limit uses are in the window before it.
func (r *Redis) Take(ctx context.Context, key string, limit int, window time.Duration) (Tally, error) {
	return r.count(ctx, key, countTake, limit, window)
}

// Peek returns what was counted of the key, and counts nothing.
func (r *Redis) Peek(ctx context.Context, key string, window time.Duration) (Tally, error) {
	return r.count(ctx, key, countPeek, 0, window)
}

// TakeBack forgets the latest use of the key, or all of them.
func (r *Redis) TakeBack(ctx context.Context, key string, all bool) error {
	verb := countUndo
	if all {
		verb = countClear
	}
	_, err := r.count(ctx, key, verb, 0, 0)
	return err
}

// count runs the script. A connection that was lost meanwhile is replaced, once.
func (r *Redis) count(ctx context.Context, key, verb string, limit int, window time.Duration) (t Tally, err error) {
	for range 2 {
		var conn redis.Conn
		if conn, err = r.counting.get(ctx); err != nil {
			return t, err
		}
		t, err = newTally(redis.Int64s(counterScript.DoContext(ctx, conn, r.channel+":"+key, verb, window.Microseconds(),
			limit)))
		if r.counting.release(conn) {
			break
		}
	}
	return t, err
}

func newTally(reply []int64, err error) (Tally, error) {
	if err == nil && len(reply) != 4 {
		err = errTally
	}
	if err != nil {
		return Tally{}, err
	}
	return Tally{IsTaken: reply[0] == 1, Uses: int(reply[1]), Oldest: time.Duration(reply[2]) * time.Microsecond,
		Latest: time.Duration(reply[3]) * time.Microsecond}, nil
}
