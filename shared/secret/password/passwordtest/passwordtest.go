// Package passwordtest hashes passwords in microseconds, for tests that log in often.
package passwordtest

import "minicloud/shared/secret/password"

// New is password.New with hashes that use 64 KiB instead of 19 MB.
func New(parallel int) *password.Hasher {
	p := password.New(parallel)
	p.Memory = 64
	return p
}
