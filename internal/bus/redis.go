package bus

import (
	"context"
	"errors"
	"fmt"
	neturl "net/url"
	"sync"

	"github.com/gomodule/redigo/redis"
)

// Redis is an engine on the channels of Redis or Valkey, which counts as well. It has two connections, to listen and to
// publish, and a few that count.
type Redis struct {
	url, channel string
	counting     *connections

	mu     sync.Mutex
	sender redis.Conn // nil until something is published
}

// NewRedis returns an engine on a server: redis://:PASSWORD@HOST:6379, rediss:// with TLS, or unix:///PATH. Those of
// one channel hear each other and count together. It connects when it is used.
func NewRedis(url, channel string) (*Redis, error) {
	r := &Redis{url: url, channel: channel}
	r.counting = newConnections(r.connect)
	return r, CheckRedisURL(url)
}

// CheckRedisURL reports an address that is not one of Redis. The error does not hold the address, which has a password.
func CheckRedisURL(url string) error {
	u, err := neturl.Parse(url)
	if err != nil {
		return errors.New("the address of Redis cannot be read")
	}
	switch u.Scheme {
	case "redis", "rediss", "valkey", "valkeys", "unix":
		return nil
	default:
		return fmt.Errorf("the address of Redis begins with redis://, rediss:// or unix://, not with %q", u.Scheme)
	}
}

// Listen receives what is published until ctx is done or the connection is lost.
func (r *Redis) Listen(ctx context.Context, ready func(), received func(message string)) error {
	conn, err := r.connect(ctx)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })() // ends the wait below
	subscription := redis.PubSubConn{Conn: conn}
	defer func() { _ = subscription.Close() }()
	if err := subscription.Subscribe(r.channel); err != nil {
		return err
	}
	for {
		switch v := subscription.ReceiveWithTimeout(0).(type) {
		case error:
			return v
		case redis.Subscription:
			ready()
		case redis.Message:
			received(string(v.Data))
		}
	}
}

// Publish sends a message to all that listen. A connection that was lost meanwhile is replaced.
func (r *Redis) Publish(ctx context.Context, message string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	isOld := r.sender != nil
	err := r.publish(ctx, message)
	if err != nil && isOld {
		err = r.publish(ctx, message)
	}
	return err
}

// publish sends on the connection, or a new one. r.mu is held.
func (r *Redis) publish(ctx context.Context, message string) (err error) {
	if r.sender == nil {
		if r.sender, err = r.connect(ctx); err != nil {
			r.sender = nil
			return err
		}
	}
	if _, err = redis.DoContext(r.sender, ctx, "PUBLISH", r.channel, message); err != nil {
		r.closeSender() // the next message gets another one
	}
	return err
}

func (r *Redis) connect(ctx context.Context) (redis.Conn, error) {
	limits := []redis.DialOption{redis.DialConnectTimeout(connectTimeout), redis.DialWriteTimeout(publishTime)}
	u, err := neturl.Parse(r.url)
	if err != nil || u.Scheme != "unix" {
		return redis.DialURLContext(ctx, r.url, limits...)
	}
	password, _ := u.User.Password()
	limits = append(limits, redis.DialUsername(u.User.Username()), redis.DialPassword(password))
	return redis.DialContext(ctx, "unix", u.Path, limits...)
}

// Check connects to the server and waits for an answer.
func (r *Redis) Check(ctx context.Context) error {
	conn, err := r.connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	_, err = redis.DoContext(conn, ctx, "PING")
	return err
}

// Close closes the connections that publish and count.
func (r *Redis) Close() {
	r.counting.close()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closeSender()
}

func (r *Redis) closeSender() {
	if r.sender != nil {
		_ = r.sender.Close() // it is of no use any more
		r.sender = nil
	}
}
