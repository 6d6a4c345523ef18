package safehttp

import (
	"net/netip"
	"testing"
)

// TestRefusesSpecialAddresses checks the first and last address of every range, and allows the addresses just
// outside.
func TestRefusesSpecialAddresses(t *testing.T) {
	refused := map[string][]string{
		"unspecified address": {"0.0.0.0", "0.255.255.255", "::"},
		"private address": {
			"10.0.0.0", "10.255.255.255", "172.16.0.0", "172.31.255.255", "192.168.0.0", "192.168.255.255", "fc00::",
			"fd00:ec2::254", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
		},
		"carrier-grade NAT address": {"100.64.0.0", "100.100.100.200", "100.127.255.255"},
		"loopback address":          {"127.0.0.0", "127.0.0.1", "127.255.255.255", "::1"},
		"metadata service":          {"169.254.169.254", "168.63.129.16"},
		"link-local address":        {"169.254.0.0", "169.254.170.2", "169.254.255.255", "fe80::", "febf:ffff::1"},
		"protocol assignment": {
			"192.0.0.0", "192.0.0.192", "192.0.0.255", "2001:1::1", "2001:3::1", "2001:10::1", "2001:20::1", "2001:30::1",
			"2001:1ff:ffff::1",
		},
		"documentation address": {
			"192.0.2.0", "192.0.2.255", "198.51.100.0", "198.51.100.255", "203.0.113.0", "203.0.113.255", "2001:db8::",
			"2001:db8:ffff::1", "3fff::", "3fff:fff:ffff::1",
		},
		"AS112 address":        {"192.31.196.0", "192.31.196.255", "192.175.48.0", "192.175.48.255", "2620:4f:8000::1"},
		"AMT address":          {"192.52.193.0", "192.52.193.255"},
		"6to4 relay address":   {"192.88.99.0", "192.88.99.255"},
		"benchmarking address": {"198.18.0.0", "198.19.255.255", "2001:2::", "2001:2:0:ffff::1"},
		"multicast address":    {"224.0.0.0", "239.255.255.255", "ff00::", "ff02::1", "ffff::1"},
		"broadcast address":    {"255.255.255.255"},
		"reserved address": {
			"240.0.0.0", "255.255.255.254", "1::", "200::1", "400::1", "1fff:ffff::1", "4000::", "8000::1", "e000::1",
			"fe00::1", "0:0:0:1::1", "64:ff9b:2::1",
		},
		"IPv4-mapped address":     {"::ffff:0.0.0.0", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:255.255.255.255"},
		"IPv4-translated address": {"::ffff:0:127.0.0.1", "::ffff:0:8.8.8.8"},
		"IPv4-compatible address": {"::2", "::127.0.0.1", "::8.8.8.8"},
		"NAT64 address": {
			"64:ff9b::", "64:ff9b::7f00:1", "64:ff9b::808:808", "64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff",
		},
		"discard address":         {"100::", "100::ffff:ffff:ffff:ffff"},
		"dummy address":           {"100:0:0:1::1"},
		"Teredo address":          {"2001::", "2001:0:ffff::1"},
		"6to4 address":            {"2002::", "2002:7f00:1::", "2002:ffff:ffff::1"},
		"segment routing address": {"5f00::", "5f00:ffff::1"},
		"site-local address":      {"fec0::", "feff:ffff::1"},
		"address with a zone":     {"fe80::1%eth0", "2606:4700::1%eth0"},
	}

	for want, addresses := range refused {
		for _, address := range addresses {
			if got := refusal(netip.MustParseAddr(address)); got != want {
				t.Errorf("refusal(%s) = %q, want %q", address, got, want)
			}
		}
	}

	public := []string{
		"1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
		"128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "191.255.255.255",
		"192.0.1.0", "192.0.3.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0",
		"198.51.99.255", "203.0.114.0", "223.255.255.255",
		"2000::1", "2001:200::1", "2001:db7:ffff::1", "2001:db9::1", "2003::1", "2606:4700:4700::1111", "2a00::1",
		"3ffe::1", "3fff:1000::1",
	}

	for _, address := range public {
		if got := refusal(netip.MustParseAddr(address)); got != "" {
			t.Errorf("refusal(%s) = %q, want it to pass", address, got)
		}
	}

	if refusal(netip.Addr{}) == "" {
		t.Error("the zero address passes")
	}
}
