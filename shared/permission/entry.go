package permission

import (
	"slices"
	"strconv"
	"strings"

	"minicloud/shared/clip"
	"minicloud/shared/errs"
)

// Entries of permissions besides user:<id> and gid:<id>. An empty list denies every client.
const (
	Anonymous  = "user:anonymous"    // every client, with or without a session
	Registered = "user:*"            // every registered user
	Creator    = "user:{created_by}" // the creator of the row
)

// maxID is the largest id (D7).
const maxID = 1<<53 - 1

const (
	kindUser  = "user"
	kindGroup = "gid"
)

// OfUser returns the entry of a user.
func OfUser(id int64) string { return kindUser + ":" + strconv.FormatInt(id, 10) }

// OfGroup returns the entry of a group.
func OfGroup(id int64) string { return kindGroup + ":" + strconv.FormatInt(id, 10) }

// Valid reports whether the text is an entry. Users and groups need not exist.
func Valid(entry string) bool {
	if entry == Anonymous || entry == Registered || entry == Creator {
		return true
	}
	_, _, ok := parse(entry)
	return ok
}

// MaxEntries is the maximum number of entries of a list.
const MaxEntries = 100

// Check returns errs.Invalid with the field and the first invalid entry. It does not check that users and groups exist.
func Check(field string, list []string) error {
	if len(list) > MaxEntries {
		return errs.Invalid("%s has more than %d entries", field, MaxEntries)
	}
	for i, entry := range list {
		if !Valid(entry) {
			return errs.Invalid("%s[%d] is %q and must be %s, %s, %s, user:<id> or gid:<id>",
				field, i, clip.Text(entry, clip.Name), Registered, Anonymous, Creator)
		}
	}
	return nil
}

// parse returns the kind and id of user:<id> and gid:<id>.
func parse(entry string) (kind string, id int64, ok bool) {
	kind, number, _ := strings.Cut(entry, ":")
	if kind != kindUser && kind != kindGroup {
		return "", 0, false
	}
	id, err := strconv.ParseInt(number, 10, 64)
	return kind, id, err == nil && 0 < id && id <= maxID && strconv.FormatInt(id, 10) == number
}

// WithCreator returns the list with Creator replaced by the row's creator, or removed if the row has none.
func WithCreator(list []string, creator int64) []string {
	if !slices.Contains(list, Creator) {
		return list
	}
	own := OfUser(creator)
	named := make([]string, 0, len(list))
	for _, entry := range list {
		switch {
		case entry != Creator:
			named = append(named, entry)
		case creator > 0 && !slices.Contains(named, own):
			named = append(named, own)
		}
	}
	return named
}
