// Package permission decides what an end user may read and write. It is pure: no I/O and no clock.
//
//	Subject   the caller; nil = an administrator or a function, whom permissions do not limit
//	Read, Write, Create, ChangePermissions   decisions on rows, by the entries of their permissions (entry.go)
//	ACL       decisions on columns (column.go)
//
// Every way in which a row reaches an end user asks this package: lists, reads by id, expanded pointers, writes and
// bulk writes.
package permission

import "slices"

// Subject is the caller of a client endpoint as permissions see them. The zero value is nobody, a caller without a
// session. A nil *Subject is an administrator or a function.
type Subject struct {
	User      int64   // id of the user, 0 = nobody
	Temporary bool    // logged in anonymously
	Groups    []int64 // ids of the groups of which the user is a member
}

// Registered reports whether the subject is a user with a login of their own.
func (s Subject) Registered() bool { return s.User > 0 && !s.Temporary }

// Row is a row as permissions see it.
type Row struct {
	Read, Write []string // entries
	Creator     int64    // id of the user, 0 = none
}

// Decision is the answer to a write.
type Decision int

// The decisions, with the status of each (section 4.3 of the contract).
const (
	Allowed   Decision = iota
	NeedLogin          // 401: nobody writes
	Refused            // 403: the subject may know of the row
	Hidden             // 404: as if the row did not exist
)

// Read reports whether the subject may read the row.
func (s *Subject) Read(r Row) bool { return s == nil || s.among(r.Read, r.Creator) }

// Write decides whether the subject may change or delete the row. Who may write a row needs no right to read it (C23).
func (s *Subject) Write(r Row) Decision {
	switch {
	case s == nil:
		return Allowed
	case s.User <= 0:
		return NeedLogin
	case s.among(r.Write, r.Creator):
		return Allowed
	case s.Read(r):
		return Refused
	}
	return Hidden
}

// Create decides whether the subject may create rows in a table with this write permission.
func (s *Subject) Create(writers []string) Decision {
	switch {
	case s == nil:
		return Allowed
	case s.User <= 0:
		return NeedLogin
	case s.among(writers, 0):
		return Allowed
	}
	return Refused
}

// Created reports whether the subject created the row.
func (s *Subject) Created(creator int64) bool { return s == nil || s.User > 0 && s.User == creator }

// ChangePermissions decides whether the subject, who may write the row, may change its permissions: the creator may.
func (s *Subject) ChangePermissions(creator int64) Decision {
	if s.Created(creator) {
		return Allowed
	}
	return Refused
}

// among reports whether an entry of the list means the subject.
func (s *Subject) among(list []string, creator int64) bool {
	return slices.ContainsFunc(list, func(entry string) bool { return s.is(entry, creator) })
}

func (s *Subject) is(entry string, creator int64) bool {
	switch entry {
	case Anonymous:
		return true
	case Registered:
		return s.Registered()
	case Creator:
		return s.User > 0 && s.User == creator
	}
	kind, id, ok := parse(entry)
	switch {
	case !ok:
		return false
	case kind == kindUser:
		return id == s.User
	}
	return s.User > 0 && slices.Contains(s.Groups, id)
}
