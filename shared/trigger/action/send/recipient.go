package send

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"minicloud/shared/errs"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/user"
)

// To selects the recipients of a message from a function. Type determines which of the other fields is used.
type To struct {
	Type   string // phone_number, user_id, user_list, user_group, schema_user
	Phone  string
	User   user.ID
	Users  []user.ID // at most maxUsers
	Groups []string  // by name; for schema_user, the user must be in one of them
	Schema string    // the table of Where
	Where  json.RawMessage
}

// Limits of recipients.
const (
	maxUsers  = 1000
	maxGroups = 20
)

// The values of To.Type.
const (
	phoneNumber = "phone_number"
	userID      = "user_id"
	userList    = "user_list"
	userGroup   = "user_group"
	schemaUser  = "schema_user"
)

// recipient converts to, whose Type must be one of types. It returns errs.Invalid that names the invalid field. Users
// of other applications do not exist here.
func (s *Service) recipient(
	ctx context.Context, scope tenant.Scope, to To, types ...string,
) (r trigger.Recipient, err error) {
	if !slices.Contains(types, to.Type) {
		return r, errs.Invalid("recipient_type must be one of %s", strings.Join(types, ", "))
	}

	switch to.Type {
	case phoneNumber:
		r.Kind = trigger.PhoneNumber
		if r.Phone, err = s.Phones(to.Phone); err != nil {
			return r, errs.Invalid("phone_number must be a phone number, as +8613800138000 or 13800138000")
		}
		return r, nil
	case userID:
		if to.User <= 0 {
			return r, errs.Invalid("user_id must be the id of a user")
		}
		return listed(to.User), nil
	case userList:
		if len(to.Users) == 0 || len(to.Users) > maxUsers {
			return r, errs.Invalid("user_list must be 1 to %d ids of users", maxUsers)
		}
		return listed(to.Users...), nil
	case userGroup:
		if len(to.Groups) == 0 {
			return r, errs.Invalid("user_group_name must be the name of a group of users")
		}
	case schemaUser:
		if to.Schema != "" && to.Schema != table.UserProfilesName {
			return r, errs.Invalid("schema_name must be %s: users are chosen by their own fields", table.UserProfilesName)
		}
		if len(to.Where) == 0 {
			return r, errs.Invalid("user_profile_filters must be a condition on users: {} chooses all of them")
		}
	}
	return s.chosen(ctx, scope, to)
}

// listed returns a recipient of users by id, in the order of sending.
func listed(users ...user.ID) trigger.Recipient {
	r := trigger.Recipient{Kind: trigger.ListedUsers}
	for _, one := range slices.Compact(slices.Sorted(slices.Values(users))) {
		r.Users = append(r.Users, int64(one))
	}
	return r
}

// chosen returns the users that match a condition or are in a group.
func (s *Service) chosen(ctx context.Context, scope tenant.Scope, to To) (trigger.Recipient, error) {
	r := trigger.Recipient{Kind: trigger.SomeUsers}
	if to.Type == schemaUser {
		if err := s.Users.CheckWhere(ctx, scope, string(to.Where)); err != nil {
			return r, errs.Invalid("user_profile_filters: %s", errs.Message(err))
		}
		if err := json.Unmarshal(to.Where, &r.Where); err != nil {
			return r, errs.Invalid("user_profile_filters must be an object")
		}
	}

	if len(to.Groups) == 0 {
		return r, nil
	}
	groups, err := s.groups(ctx, scope, to.Groups)
	if err != nil {
		return r, err
	}
	members := map[string]any{"_group": map[string]any{"$in": groups}}
	if r.Where == nil {
		r.Where = members
	} else {
		r.Where = map[string]any{"$and": []any{r.Where, members}}
	}
	return r, nil
}

// groups returns the ids of all groups with these names. Several groups can have the same name.
func (s *Service) groups(ctx context.Context, scope tenant.Scope, names []string) (ids []user.GroupID, err error) {
	if len(names) > maxGroups {
		return nil, errs.Invalid("user_group_name must be at most %d names", maxGroups)
	}
	all, err := s.Groups.ListGroups(ctx, scope)
	if err != nil {
		return nil, fmt.Errorf("groups of users: %w", err)
	}
	for _, name := range names {
		known := len(ids)
		for _, g := range all {
			if g.Name == name {
				ids = append(ids, g.ID)
			}
		}
		if len(ids) == known {
			return nil, errs.Invalid("user_group_name: there is no group of that name")
		}
	}
	return ids, nil
}
