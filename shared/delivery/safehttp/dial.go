package safehttp

import (
	"context"
	"net"
	"net/netip"
	"syscall"
	"time"

	"minicloud/shared/errs"
)

// maxAddresses is the maximum number of addresses tried per name.
const maxAddresses = 4

// dial resolves the host once and connects to the addresses it has checked, because a second lookup could return
// others (DNS rebinding). The transport passes the host in ASCII, so full-width digits and ideographic full stops
// are already converted.
func (c *Client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, errs.Invalid("url must name a host")
	}

	addrs, err := c.resolve(ctx, host)
	if err != nil {
		return nil, err
	}

	// One address of a host may be down, so try the next.
	for i, addr := range addrs {
		var conn net.Conn
		conn, err = c.attempt(ctx, network, net.JoinHostPort(addr.String(), port), len(addrs)-i)
		if err == nil {
			return conn, nil
		}
	}

	return nil, err
}

// attempt connects within its share of the remaining time, so that one address that does not answer leaves time for
// the others.
func (c *Client) attempt(ctx context.Context, network, address string, left int) (net.Conn, error) {
	if deadline, ok := ctx.Deadline(); ok && left > 1 {
		share := time.Until(deadline) / time.Duration(left)
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, share)
		defer cancel()
	}
	return c.connect(ctx, network, address)
}

// resolve returns the public addresses of a host, in the resolver's order. If there are none, the error names the
// rule that refuses the first address.
func (c *Client) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	addr, ok, err := c.literal(host)
	if err != nil {
		return nil, err
	}
	if ok {
		return []netip.Addr{addr}, nil
	}

	found, err := c.options.Resolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, err
	}

	var public []netip.Addr
	refused := ""
	for _, addr := range found {
		addr = addr.Unmap() // resolvers return IPv4 addresses as IPv4-mapped ones
		if rule := refusal(addr); rule == "" || c.options.AllowPrivate {
			public = append(public, addr)
		} else if refused == "" {
			refused = rule
		}
	}

	if len(public) > 0 {
		return public[:min(len(public), maxAddresses)], nil
	}
	if refused != "" {
		return nil, because(ReasonBlocked, errs.Invalid("host %q has a forbidden address (%s)", host, refused))
	}

	return nil, errs.Unavailable(0, "host %q has no address", host)
}

// control checks the address again just before the socket connects, independently of the code that chose it.
func (c *Client) control(_ context.Context, _, address string, _ syscall.RawConn) error {
	if c.options.AllowPrivate {
		return nil
	}
	target, err := netip.ParseAddrPort(address)
	if err != nil {
		return errs.Invalid("the target is not an address")
	}
	if rule := refusal(target.Addr()); rule != "" {
		return because(ReasonBlocked, errs.Invalid("the target has a forbidden address (%s)", rule))
	}
	return nil
}
