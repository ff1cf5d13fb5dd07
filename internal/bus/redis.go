package bus

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// Redis is an engine on the channels of Redis or Valkey.
type Redis struct {
	client  *redis.Client
	channel string
}

// NewRedis returns an engine on a server such as redis://HOST:6379, or rediss:// with TLS. Those of one channel hear
// each other. It connects when it is used.
func NewRedis(url, channel string) (*Redis, error) {
	options, err := redis.ParseURL(url)
	if err != nil {
		return nil, err
	}
	return &Redis{client: redis.NewClient(options), channel: channel}, nil
}

// CheckRedisURL reports an address that is not one of Redis.
func CheckRedisURL(url string) error {
	_, err := redis.ParseURL(url)
	return err
}

// Listen receives what is published until ctx is done or the connection is lost.
func (r *Redis) Listen(ctx context.Context, ready func(), received func(message string)) error {
	subscription := r.client.Subscribe(ctx, r.channel)
	defer func() { _ = subscription.Close() }()
	// The library does not end a wait when ctx is done.
	defer context.AfterFunc(ctx, func() { _ = subscription.Close() })()
	if _, err := subscription.Receive(ctx); err != nil {
		return err
	}
	ready()
	for {
		m, err := subscription.ReceiveMessage(ctx)
		if err != nil {
			return err
		}
		received(m.Payload)
	}
}

// Publish sends a message to all that listen.
func (r *Redis) Publish(ctx context.Context, message string) error {
	return r.client.Publish(ctx, r.channel, message).Err()
}

// Close closes the connections.
func (r *Redis) Close() { _ = r.client.Close() }
