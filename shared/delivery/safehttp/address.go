package safehttp

import "net/netip"

// special lists the ranges of the IANA IPv4 and IPv6 special-purpose address registries, multicast, and the
// metadata service that has a public address. The first matching range names the rule.
var special = []struct {
	prefix netip.Prefix
	rule   string
}{
	{netip.MustParsePrefix("0.0.0.0/8"), "unspecified address"},
	{netip.MustParsePrefix("10.0.0.0/8"), "private address"},
	{netip.MustParsePrefix("100.64.0.0/10"), "carrier-grade NAT address"},
	{netip.MustParsePrefix("127.0.0.0/8"), "loopback address"},
	{netip.MustParsePrefix("169.254.169.254/32"), "metadata service"},
	{netip.MustParsePrefix("169.254.0.0/16"), "link-local address"},
	{netip.MustParsePrefix("168.63.129.16/32"), "metadata service"},
	{netip.MustParsePrefix("172.16.0.0/12"), "private address"},
	{netip.MustParsePrefix("192.0.0.0/24"), "protocol assignment"},
	{netip.MustParsePrefix("192.0.2.0/24"), "documentation address"},
	{netip.MustParsePrefix("192.31.196.0/24"), "AS112 address"},
	{netip.MustParsePrefix("192.52.193.0/24"), "AMT address"},
	{netip.MustParsePrefix("192.88.99.0/24"), "6to4 relay address"},
	{netip.MustParsePrefix("192.168.0.0/16"), "private address"},
	{netip.MustParsePrefix("192.175.48.0/24"), "AS112 address"},
	{netip.MustParsePrefix("198.18.0.0/15"), "benchmarking address"},
	{netip.MustParsePrefix("198.51.100.0/24"), "documentation address"},
	{netip.MustParsePrefix("203.0.113.0/24"), "documentation address"},
	{netip.MustParsePrefix("224.0.0.0/4"), "multicast address"},
	{netip.MustParsePrefix("255.255.255.255/32"), "broadcast address"},
	{netip.MustParsePrefix("240.0.0.0/4"), "reserved address"},

	{netip.MustParsePrefix("::/128"), "unspecified address"},
	{netip.MustParsePrefix("::1/128"), "loopback address"},
	{netip.MustParsePrefix("::ffff:0:0/96"), "IPv4-mapped address"},
	{netip.MustParsePrefix("::ffff:0:0:0/96"), "IPv4-translated address"},
	{netip.MustParsePrefix("::/96"), "IPv4-compatible address"},
	{netip.MustParsePrefix("64:ff9b::/96"), "NAT64 address"},
	{netip.MustParsePrefix("64:ff9b:1::/48"), "NAT64 address"},
	{netip.MustParsePrefix("100::/64"), "discard address"},
	{netip.MustParsePrefix("100:0:0:1::/64"), "dummy address"},
	{netip.MustParsePrefix("2001::/32"), "Teredo address"},
	{netip.MustParsePrefix("2001:2::/48"), "benchmarking address"},
	{netip.MustParsePrefix("2001::/23"), "protocol assignment"},
	{netip.MustParsePrefix("2001:db8::/32"), "documentation address"},
	{netip.MustParsePrefix("2002::/16"), "6to4 address"},
	{netip.MustParsePrefix("2620:4f:8000::/48"), "AS112 address"},
	{netip.MustParsePrefix("3fff::/20"), "documentation address"},
	{netip.MustParsePrefix("5f00::/16"), "segment routing address"},
	{netip.MustParsePrefix("fc00::/7"), "private address"},
	{netip.MustParsePrefix("fe80::/10"), "link-local address"},
	{netip.MustParsePrefix("fec0::/10"), "site-local address"},
	{netip.MustParsePrefix("ff00::/8"), "multicast address"},
}

// globalUnicast is the part of IPv6 that IANA has allocated; the rest is reserved.
var globalUnicast = netip.MustParsePrefix("2000::/3")

// refusal returns the rule that forbids dialling the address, "" if it is allowed.
func refusal(addr netip.Addr) string {
	if !addr.IsValid() {
		return "not an address"
	}
	if addr.Zone() != "" {
		return "address with a zone"
	}
	if addr.Is4In6() {
		return "IPv4-mapped address" // prefixes of IPv6 never match it in netip
	}

	for _, entry := range special {
		if entry.prefix.Contains(addr) {
			return entry.rule
		}
	}

	if addr.Is6() && !globalUnicast.Contains(addr) {
		return "reserved address"
	}

	return ""
}
