//go:build !novoice && (!darwin || cgo)

package sfu

import (
	"encoding/json"
	"errors"
	"net"
	"strconv"
	"strings"

	"parley/internal/voice/rtc"
)

// livekitConfig returns LiveKit's configuration as JSON, which is YAML. Rooms are created by the server alone, not by
// joining them. Signalling listens on loopback, behind the server's own port.
func livekitConfig(cfg rtc.ChildConfig, ports rtc.ChildReady) (string, error) {
	media, err := rtcConfig(cfg, ports)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(map[string]any{
		"port":           ports.Port,
		"bind_addresses": []string{loopback},
		"keys":           map[string]string{cfg.Key: cfg.Secret},
		"rtc":            media,
		"room": map[string]any{"auto_create": false,
			"enabled_codecs": []any{map[string]string{"mime": "audio/opus"}, map[string]string{"mime": "audio/red"}}},
	})
	return string(text), err
}

// rtcConfig returns the addresses and ports for sound, and the STUN servers. LiveKit's defaults, for itself and for
// clients, are STUN servers on the internet; here they are those that the operator configured, or none.
func rtcConfig(cfg rtc.ChildConfig, ports rtc.ChildReady) (map[string]any, error) {
	m := map[string]any{"udp_port": strconv.Itoa(ports.UDPPort), "tcp_port": ports.TCPPort, "use_external_ip": false,
		"enable_loopback_candidate": true}
	switch {
	case cfg.Loopback:
		lo, err := loopbackInterfaces()
		if err != nil {
			return nil, err
		}
		m["node_ip"], m["interfaces"], m["ips"] = loopback, includeList(lo), includeList([]string{loopback + "/32"})
	case len(cfg.STUN) > 0:
		m["use_external_ip"], m["stun_servers"], m["advertise_internal_ip"] = true, cfg.STUN, true
	case cfg.NodeIP != "":
		m["node_ip"] = strings.ReplaceAll(cfg.NodeIP, " ", "")
	default:
		own, err := ownAddress()
		if err != nil {
			return nil, err
		}
		m["node_ip"] = own
	}
	if len(cfg.STUN) == 0 {
		m["turn_servers"] = unusedSTUNServers(m["node_ip"].(string))
	}
	return m, nil
}

// discardPort is a port on which nobody answers. On the port for sound Chromium would mistake its packets for those of
// the STUN server.
const discardPort = 9

// unusedSTUNServers keeps LiveKit from sending clients to its default STUN servers, which it does unless another is
// configured: this one is our own address, where nobody answers. Browsers do not wait for it.
func unusedSTUNServers(node string) []any {
	host, _, _ := strings.Cut(node, ",")
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return []any{map[string]any{"host": host, "port": discardPort, "protocol": "udp", "username": "none",
		"credential": "none"}}
}

func includeList(list []string) map[string]any { return map[string]any{"includes": list} }

func loopbackInterfaces() (names []string, err error) {
	all, err := net.Interfaces()
	for _, i := range all {
		if i.Flags&net.FlagLoopback != 0 {
			names = append(names, i.Name)
		}
	}
	return names, err
}

// ownAddress returns the machine's first address that others may reach.
func ownAddress() (string, error) {
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return "", err
	}
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok && n.IP.To4() != nil && n.IP.IsGlobalUnicast() {
			return n.IP.String(), nil
		}
	}
	return "", errors.New("this machine has no address but loopback; --voice-node-ip (PARLEY_VOICE_NODE_IP) names " +
		"the one that clients send to")
}
