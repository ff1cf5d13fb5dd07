// Package nats is in place of github.com/nats-io/nats.go, over which parts of LiveKit on several machines can call each
// other. Here they are in one process, so nothing connects to a NATS server; but a program that imports the client has
// all of it, since it is set up when the program starts.
package nats

import "errors"

// errNoClient is the error of whatever would need a server.
var errNoClient = errors.New("this program has no client of NATS")

// Conn is never connected.
type Conn struct{}

// Msg is a message.
type Msg struct {
	Subject string
	Data    []byte
}

// MsgHandler takes messages.
type MsgHandler func(msg *Msg)

// Subscription is of messages that never come.
type Subscription struct{}

// Publish fails.
func (*Conn) Publish(string, []byte) error { return errNoClient }

// Subscribe fails.
func (*Conn) Subscribe(string, MsgHandler) (*Subscription, error) { return nil, errNoClient }

// QueueSubscribe fails.
func (*Conn) QueueSubscribe(string, string, MsgHandler) (*Subscription, error) {
	return nil, errNoClient
}

// Unsubscribe fails.
func (*Subscription) Unsubscribe() error { return errNoClient }
