package action

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"minicloud/shared/errs"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/user"
)

// Users reads users; *user.Service implements it.
type Users interface {
	user.Reader
	// Profiles lists users. It returns errs.Invalid that names the mistake in the query.
	Profiles(ctx context.Context, scope tenant.Scope, q user.Query) (user.List, error)
	// Group returns a group, errs.NotFound if it does not exist.
	Group(ctx context.Context, scope tenant.Scope, id user.GroupID) (user.Group, error)
}

// Recipients finds the recipients of a message (G6: R).
type Recipients struct {
	Users Users
}

// Find returns a page of the recipients, oldest first, with their id and the named fields of their profiles. next is
// the cursor of the following page, "" after the last one. The templates of to must be rendered.
//
// The triggering user is the creator of the event's subject; there is no recipient if the subject has no creator or
// that user was deleted. Find returns errs.NotFound if the group was deleted, and errs.Invalid if no index can answer
// the condition.
func (r *Recipients) Find(
	ctx context.Context, w Work, to trigger.Recipient, keys string, some page.Request,
) (found []user.Profile, next page.Cursor, err error) {
	scope := w.Run.Scope
	q := user.Query{OrderBy: "id", Keys: keys, Page: some}

	switch to.Kind {
	case trigger.TriggeringUser:
		return r.creator(ctx, w, keys)
	case trigger.UserGroup:
		if some.After == "" { // a deleted group has no members, which would hide the reason
			if _, err := r.Users.Group(ctx, scope, user.GroupID(to.Group)); err != nil {
				return nil, "", err
			}
		}
		q.Where = fmt.Sprintf(`{%q:{"$in":[%d]}}`, "_group", to.Group)
	case trigger.SomeUsers:
		if len(to.Where) > 0 {
			text, err := json.Marshal(to.Where)
			if err != nil {
				return nil, "", fmt.Errorf("recipient.where: %w", err)
			}
			q.Where = string(text)
		}
	case trigger.ListedUsers:
		return r.listed(ctx, scope, to.Users, q)
	default:
		return nil, "", errs.Invalid("recipient.kind: %q names no users", to.Kind)
	}

	list, err := r.Users.Profiles(ctx, scope, q)
	if errs.Is(err, errs.KindInvalid) {
		err = errs.Invalid("recipient.where: %s", errs.Message(err))
	}
	return list.Objects, list.Next, err
}

// creator returns the triggering user as the only recipient.
func (r *Recipients) creator(ctx context.Context, w Work, keys string) ([]user.Profile, page.Cursor, error) {
	profile, err := Creator(ctx, r.Users, w.Run.Event, keys)
	if profile == nil || err != nil {
		return nil, "", err
	}
	return []user.Profile{profile}, "", nil
}

// listed returns the existing users of the next page of a list of ids.
func (r *Recipients) listed(
	ctx context.Context, scope tenant.Scope, all []int64, q user.Query,
) (found []user.Profile, next page.Cursor, err error) {
	if after, err := strconv.ParseInt(string(q.Page.After), 10, 64); err == nil {
		i, _ := slices.BinarySearch(all, after+1)
		all = all[i:]
	}
	if len(all) > q.Page.Limit {
		all = all[:q.Page.Limit]
		next = page.Cursor(strconv.FormatInt(all[len(all)-1], 10))
	}
	if len(all) == 0 {
		return nil, "", nil
	}

	text, err := json.Marshal(map[string]any{"id": map[string]any{"$in": all}})
	if err != nil {
		return nil, "", fmt.Errorf("recipient.users: %w", err)
	}
	q.Where, q.Page.After = string(text), ""
	list, err := r.Users.Profiles(ctx, scope, q)
	return list.Objects, next, err
}
