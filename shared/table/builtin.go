package table

import (
	"minicloud/shared/language/value"
)

// Public is the permission for every registered user.
var Public = []string{"user:*"}

// userID is the alias of a profile's id (D13).
const userID = "user_id"

// profileColumns are the columns of _userprofile that the platform fills (contract, User profile). An application's
// custom fields follow them.
var profileColumns = []struct {
	name    string
	kind    value.Type
	indexed bool
}{
	{"avatar", value.String, false},
	{"city", value.String, false},
	{"country", value.String, false},
	{"gender", value.Integer, false},
	{"is_authorized", value.Boolean, false},
	{"language", value.String, false},
	{"nickname", value.String, true},
	{"openid", value.String, true},
	{"province", value.String, false},
	{"unionid", value.String, true},
	{"user_group", value.Array, false},
}

// userProfiles returns the table _userprofile without an application's custom fields.
func userProfiles() Table {
	t := Table{
		ID: UserProfiles, Name: UserProfilesName, WritePerm: []string{},
		DefaultRowPerm: RowPerm{Read: Public, Write: []string{}},
	}
	for _, p := range profileColumns {
		c := Column{Column: value.Column{Name: p.name, Type: p.kind, Indexed: p.indexed}, Key: p.name, BuiltIn: true}
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

// BuiltIn returns the built-in table with this id, without an application's changes; ok is false for any other id.
func BuiltIn(id ID) (Table, bool) {
	if id != UserProfiles {
		return Table{}, false
	}
	return userProfiles(), true
}
