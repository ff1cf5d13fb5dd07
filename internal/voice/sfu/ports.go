//go:build !novoice && (!darwin || cgo)

package sfu

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"

	"parley/internal/voice/rtc"
)

// choosePorts chooses the ports. Its errors name the port that is taken and its setting; LiveKit's name neither.
func choosePorts(ctx context.Context, cfg rtc.ChildConfig) (ports rtc.ChildReady, err error) {
	host := ""
	if cfg.Loopback {
		host = loopback
	}
	if ports.Port, err = freeTCP(ctx, loopback, 0); err != nil {
		return ports, fmt.Errorf("find a port for signalling: %w", err)
	}
	if ports.UDPPort, err = freeUDP(ctx, host, cfg.UDPPort); err != nil {
		return ports, fmt.Errorf("UDP port %d for sound: %w; --voice-udp-port (PARLEY_VOICE_UDP_PORT) chooses another",
			cfg.UDPPort, err)
	}
	if cfg.TCPPort == 0 {
		return ports, nil
	}
	// LiveKit listens on every interface, whatever its configuration.
	if ports.TCPPort, err = freeTCP(ctx, "", cfg.TCPPort); err != nil {
		return ports, fmt.Errorf("TCP port %d for sound: %w; --voice-tcp-port (PARLEY_VOICE_TCP_PORT) chooses another",
			cfg.TCPPort, err)
	}
	return ports, nil
}

const loopback = "127.0.0.1"

// freeTCP returns the port if it is free, and any free one for 0.
func freeTCP(ctx context.Context, host string, port int) (int, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return 0, withoutAddress(err)
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}

func freeUDP(ctx context.Context, host string, port int) (int, error) {
	c, err := new(net.ListenConfig).ListenPacket(ctx, "udp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return 0, withoutAddress(err)
	}
	return c.LocalAddr().(*net.UDPAddr).Port, c.Close()
}

// withoutAddress removes the address, which the message names already.
func withoutAddress(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err
	}
	return err
}
