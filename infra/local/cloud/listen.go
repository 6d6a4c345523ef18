package cloud

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"strconv"
	"syscall"
)

// loopback is the address of this machine that other machines cannot reach.
const loopback = "127.0.0.1"

// listenAll opens the ports of the HTTP API, of the AWS APIs and of the files. It returns those that it opened also with an
// error.
func listenAll(cfg Config) (open []net.Listener, err error) {
	for _, p := range []struct {
		variable, host string
		port           int
	}{{"PORT", loopback, cfg.Port}, {"AWS_PORT", cfg.AWSBind, cfg.AWSPort}, {"FILES_PORT", loopback, cfg.FilesPort}} {
		l, err := listen(p.variable, p.host, p.port)
		if err != nil {
			return open, err
		}
		open = append(open, l)
	}
	return open, nil
}

func closeAll(open []net.Listener) {
	for _, l := range open {
		l.Close()
	}
}

// listen opens a port on host, loopback if host is "". variable names the setting of the port in the error.
func listen(variable, host string, port int) (net.Listener, error) {
	if port < 0 || port > 65535 {
		return nil, fmt.Errorf("%s is %d, want a number from 1 to 65535, or 0 for any that is free", variable, port)
	}
	host = cmp.Or(host, loopback)
	if net.ParseIP(host) == nil {
		return nil, fmt.Errorf("AWS_BIND is %q, want an address of this machine such as 127.0.0.1", host)
	}

	l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf(
			"port %d is in use: stop what uses it, or choose another with %s=%d", port, variable, max(1024, (port+1)%65536),
		)
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("port %d is for administrators: choose another with %s=8080", port, variable)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return nil, fmt.Errorf("AWS_BIND is %s, which is no address of this machine", host)
	case err != nil:
		return nil, fmt.Errorf("port %d: %w", port, err)
	}

	return l, nil
}

// reachable returns an address of a listener for clients on this machine: loopback if it is bound to all addresses.
func reachable(bound net.Addr) string {
	host, port, err := net.SplitHostPort(bound.String())
	if ip := net.ParseIP(host); err == nil && ip.IsUnspecified() {
		return net.JoinHostPort(loopback, port)
	}
	return bound.String()
}
