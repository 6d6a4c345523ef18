package permission

// ACL restricts client access to a column (section 4.4 of the contract). Administrators and functions pass by it.
type ACL struct {
	ClientVisible  bool `json:"clientVisible"`  // false: hidden from all clients
	ClientReadOnly bool `json:"clientReadOnly"` // clients cannot write the column
	CreatorVisible bool `json:"creatorVisible"` // visible to clients in rows they created
}

// Default lets clients read and write a column.
var Default = ACL{ClientVisible: true}

// Known reports whether the column exists for the subject: a hidden column is unknown in where, order_by and keys.
func (a ACL) Known(s *Subject) bool { return s == nil || a.ClientVisible }

// Shown reports whether the subject sees the column's value in a row of this creator.
func (a ACL) Shown(s *Subject, creator int64) bool {
	return a.Known(s) && (!a.CreatorVisible || s.Created(creator))
}

// Queried decides whether the subject may name the column in where and order_by. own reports that such a query sees only
// rows that the subject created (C27).
func (a ACL) Queried(s *Subject) (ok, own bool) {
	if s == nil || !a.CreatorVisible {
		return a.Known(s), false
	}
	return a.Known(s) && s.User > 0, true
}

// Writable reports whether the subject may write the column.
func (a ACL) Writable(s *Subject) bool { return s == nil || !a.ClientReadOnly }
