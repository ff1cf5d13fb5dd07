//go:build !novoice && (!darwin || cgo)

package sfu

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
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

// LiveKit opens its ports by number and takes no listener, so a port that is found free must stay free until then.
// Those from 32768 on are not chosen: from them systems serve whoever asks for any port.
const lowestPort, highestPort = 10_000, 32_767

// freeTCP returns the port if it is free, and any free one for 0.
func freeTCP(ctx context.Context, host string, port int) (int, error) {
	return findFree(port, func(port string) error {
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(host, port))
		if err != nil {
			return withoutAddress(err)
		}
		return l.Close()
	})
}

func freeUDP(ctx context.Context, host string, port int) (int, error) {
	return findFree(port, func(port string) error {
		c, err := new(net.ListenConfig).ListenPacket(ctx, "udp", net.JoinHostPort(host, port))
		if err != nil {
			return withoutAddress(err)
		}
		return c.Close()
	})
}

// findFree returns the port if tryPort can open it, and for 0 any that it can.
func findFree(port int, tryPort func(port string) error) (_ int, err error) {
	if port != 0 {
		return port, tryPort(strconv.Itoa(port))
	}
	for range 100 {
		port = lowestPort + rand.IntN(highestPort-lowestPort+1)
		if err = tryPort(strconv.Itoa(port)); err == nil {
			return port, nil
		}
	}
	return 0, err
}

// withoutAddress removes the address, which the message names already.
func withoutAddress(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err
	}
	return err
}
