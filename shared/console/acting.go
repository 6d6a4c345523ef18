package console

import (
	"minicloud/shared/errs"
	"minicloud/shared/tenant"
)

// EndUser is a user of an application in one environment, with the fields that functions see of their caller.
type EndUser struct {
	ID       int64        `json:"id"`
	Env      tenant.EnvID `json:"env"`
	Nickname string       `json:"nickname,omitempty"`
	Avatar   string       `json:"avatar,omitempty"` // URL
	OpenID   string       `json:"openid,omitempty"`
	UnionID  string       `json:"unionid,omitempty"`
}

// maxUserText is the maximum length of a user's text in a token, in bytes: the token is sent in a header.
const maxUserText = 1 << 10

// Short returns the user without the texts that are too long for a token.
func (u EndUser) Short() EndUser {
	for _, text := range []*string{&u.Nickname, &u.Avatar, &u.OpenID, &u.UnionID} {
		if len(*text) > maxUserText {
			*text = ""
		}
	}
	return u
}

// MayAct returns errs.Forbidden if the administrator acts as a user and the request is not for that, or for another
// environment than the user's. Executing it with the administrator's own rights instead would be worse than refusing it.
func (a Administrator) MayAct(acts bool, env tenant.EnvID) error {
	switch {
	case a.As == nil:
		return nil
	case !acts:
		return errs.Forbidden("you act as user %d and can only run functions and use their rows, files and orders: "+
			"stop acting to do anything else", a.As.ID)
	case a.As.Env != env:
		return errs.Forbidden("you act as user %d, who belongs to another environment", a.As.ID)
	}
	return nil
}
