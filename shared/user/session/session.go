// Package session manages the logins of end users and the tokens of their sessions.
package session

import (
	"minicloud/shared/permission"
)

// Identity is the end user that a session token belongs to, as stored when the request arrived.
type Identity struct {
	permission.Subject
	Nickname  string
	AvatarURL string
	OpenID    string
	UnionID   string
}
