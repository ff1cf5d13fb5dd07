package outbound

import (
	"net/netip"
	"testing"
)

func TestPublicAddresses(t *testing.T) {
	for text, want := range map[string]bool{
		"8.8.8.8": true, "1.1.1.1": true, "100.63.255.255": true, "100.128.0.0": true, "172.32.0.1": true,
		"172.15.255.255": true, "192.0.1.1": true,
		"198.17.255.255": true, "198.20.0.0": true, "223.255.255.255": true, "2606:4700::1111": true,
		"2a00:1450::1": true, "64:ff9b::808:808": true,
		"2002:808:808::1": true, "::ffff:8.8.8.8": true,

		"0.0.0.0": false, "0.1.2.3": false, "10.0.0.1": false, "100.64.0.0": false, "100.100.100.200": false,
		"100.127.255.255": false, "127.0.0.1": false,
		"127.255.255.254": false, "168.63.129.16": false, "169.254.169.254": false, "172.16.0.1": false,
		"172.31.255.255": false, "192.0.0.192": false,
		"192.0.2.1": false, "192.88.99.1": false, "192.168.1.1": false, "198.18.0.1": false, "198.19.255.255": false,
		"198.51.100.7": false,
		"203.0.113.9":  false, "224.0.0.1": false, "239.255.255.250": false, "240.0.0.1": false, "255.255.255.255": false,
		"::": false, "::1": false, "::7f00:1": false, "::8.8.8.8": false, "::ffff:127.0.0.1": false,
		"::ffff:10.0.0.1": false, "::ffff:169.254.169.254": false,
		"64:ff9b::7f00:1": false, "64:ff9b::a9fe:a9fe": false, "64:ff9b:1::1": false, "2002:7f00:1::": false,
		"2002:a00:1::1": false, "2002:c0a8:101::": false,
		"100::1": false, "2001::1": false, "2001:2::1": false, "2001:10::1": false, "2001:db8::1": false,
		"3fff::1": false, "5f00::1": false,
		"fc00::1": false, "fd00:ec2::254": false, "fe80::1": false, "fe80::1%eth0": false, "fec0::1": false,
		"ff02::1": false, "4000::1": false,
	} {
		if got := isPublic(netip.MustParseAddr(text)); got != want {
			t.Errorf("public(%s) = %v", text, got)
		}
	}
	if isPublic(netip.Addr{}) {
		t.Error("no address is public")
	}
}

func TestAllowedRanges(t *testing.T) {
	list, err := ParseAllow([]string{"10.1.0.0/16", " fd12::/32", "192.168.7.7", ""})
	if err != nil {
		t.Fatal(err)
	}
	c := &Client{AllowedPrefixes: list}
	for text, want := range map[string]bool{
		"10.1.2.3": true, "::ffff:10.1.2.3": true, "10.2.0.1": false, "fd12::1": true, "fd13::1": false,
		"192.168.7.7": true, "192.168.7.8": false,
		"8.8.8.8": true, "64:ff9b::a01:203": false,
	} {
		if got := c.mayDial(netip.MustParseAddr(text)); got != want {
			t.Errorf("allowed(%s) = %v", text, got)
		}
	}
	for _, text := range []string{"10.0.0.0/33", "inside", "10.0.0.0-10.0.0.9"} {
		if _, err := ParseAllow([]string{text}); err == nil {
			t.Errorf("%q is taken for a range", text)
		}
	}
}
