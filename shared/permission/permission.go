// Package permission decides what an end user may read and write. It is pure: no I/O and no clock.
package permission

// Subject is the caller of a client endpoint as permissions see them. The zero value is nobody, a caller without a
// session.
type Subject struct {
	User      int64   // id of the user, 0 = nobody
	Temporary bool    // logged in anonymously
	Groups    []int64 // ids of the groups of which the user is a member
}

// Registered reports whether the subject is a user with a login of their own.
func (s Subject) Registered() bool { return s.User > 0 && !s.Temporary }
