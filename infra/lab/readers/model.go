// Package readers compares what end users see of random tables with an independent evaluator of the rules in section 4.3
// and 4.4 of the client API. TestRandomSchemas runs on the database in memory: a schema with its rows, callers, lists
// and writes takes 0.06 s of processor time. TestRandomRules compares the decisions alone, in 1 ms per schema.
//
//	go test ./infra/lab/readers                                              80 schemas, the rules of 1,000
//	go test ./infra/lab/readers -args -schemas 10000 -rules 10000 -seed 1    as many as asked for
package readers

import (
	"fmt"
	"strings"

	"minicloud/shared/permission"
	"minicloud/shared/table"
)

// names returns the set of entries that mean the subject; nil means every entry of every row, even of an empty list.
func names(s *permission.Subject) map[string]bool {
	if s == nil {
		return nil
	}
	set := map[string]bool{"user:anonymous": true}
	if s.User == 0 {
		return set
	}
	set[fmt.Sprintf("user:%d", s.User)] = true
	if !s.Temporary {
		set["user:*"] = true
	}
	for _, group := range s.Groups {
		set[fmt.Sprintf("gid:%d", group)] = true
	}
	return set
}

// May reports whether the subject is meant by the list of a row.
func May(s *permission.Subject, list []string, creator int64) bool {
	set := names(s)
	if set == nil {
		return true
	}
	for _, entry := range list {
		if entry == "user:{created_by}" {
			entry = fmt.Sprintf("user:%d", creator)
		}
		if set[entry] && entry != "user:0" {
			return true
		}
	}
	return false
}

// Status returns the status of a write of one row by the subject, 0 = allowed. missing reports that there is no row.
func Status(s *permission.Subject, r table.Row, missing bool) int {
	switch {
	case s != nil && s.User == 0:
		return 401
	case missing:
		return 404
	case May(s, r.Perm.Write, r.CreatedBy):
		return 0
	case May(s, r.Perm.Read, r.CreatedBy):
		return 403
	}
	return 404
}

// hidden reports whether the subject may not name the column in where and order_by, and own whether naming it narrows
// the query to rows that the subject created.
func hidden(s *permission.Subject, c table.Column) (hidden, own bool) {
	acl := c.ACL
	if s == nil || acl == nil {
		return false, false
	}
	return !acl.ClientVisible || acl.CreatorVisible && s.User == 0, acl.CreatorVisible
}

// callerName describes a subject in messages.
func callerName(s *permission.Subject) string {
	switch {
	case s == nil:
		return "administrator"
	case s.User == 0:
		return "nobody"
	case s.Temporary:
		return fmt.Sprintf("temporary %d %v", s.User, s.Groups)
	}
	return fmt.Sprintf("user %d %v", s.User, s.Groups)
}

func ids(rows []table.Row) []table.RowID {
	list := make([]table.RowID, len(rows))
	for i, r := range rows {
		list[i] = r.ID
	}
	return list
}

func byID(a, b table.Row) int { return strings.Compare(string(a.ID), string(b.ID)) }
