package table

import (
	"minicloud/shared/language/value"
)

// Public is the permission for every registered user.
var Public = []string{"user:*"}

// userID is the alias of a profile's id (D13).
const userID = "user_id"

// own is the access at the start to what a profile shows to its user only, and kept is that to what its user cannot
// change either (client API, 3).
var (
	own  = &ACL{ClientVisible: true, CreatorVisible: true}
	kept = &ACL{ClientVisible: true, CreatorVisible: true, ClientReadOnly: true}
)

// profileColumns are the columns of _userprofile that the platform fills (contract, User profile). An application's
// custom fields follow them.
var profileColumns = []struct {
	name    string
	kind    value.Type
	indexed bool
	acl     *ACL // until an application changes it; nil = DefaultACL
}{
	{"avatar", value.String, false, nil},
	{"city", value.String, false, own},
	{"country", value.String, false, own},
	{"gender", value.Integer, false, own},
	{"is_authorized", value.Boolean, false, kept},
	{"language", value.String, false, own},
	{"nickname", value.String, true, nil},
	{"openid", value.String, true, kept},
	{"province", value.String, false, own},
	{"unionid", value.String, true, kept},
	{"user_group", value.Array, false, kept},
}

// Profiles returns the built-in table _userprofile as it is until an application changes it.
func Profiles() Table {
	t := Table{
		ID: UserProfiles, Name: UserProfilesName, WritePerm: []string{},
		DefaultRowPerm: RowPerm{Read: Public, Write: []string{}},
	}
	for _, p := range profileColumns {
		c := Column{Column: value.Column{Name: p.name, Type: p.kind, Indexed: p.indexed}, Key: p.name, BuiltIn: true, ACL: p.acl}
		if p.kind == value.Array {
			c.Items = value.Integer
		}
		if p.indexed {
			c.Index = &Index{ID: p.name}
		}
		t.Columns = append(t.Columns, c)
	}
	return t
}
