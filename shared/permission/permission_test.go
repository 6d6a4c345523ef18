package permission_test

import (
	"testing"

	"minicloud/shared/permission"
)

var (
	nobody    = &permission.Subject{}
	temporary = &permission.Subject{User: 7, Temporary: true}
	user      = &permission.Subject{User: 8}
	member    = &permission.Subject{User: 9, Groups: []int64{3, 4}}
	admin     *permission.Subject
)

func TestReadersByEntry(t *testing.T) {
	const creator = 8
	for _, c := range []struct {
		entry                           string
		nobody, temporary, user, member bool
	}{
		{entry: "user:anonymous", nobody: true, temporary: true, user: true, member: true},
		{entry: "user:*", user: true, member: true},
		{entry: "user:7", temporary: true},
		{entry: "user:8", user: true},
		{entry: "user:08"},
		{entry: "user:0"},
		{entry: "gid:4", member: true},
		{entry: "gid:8"},
		{entry: "user:{created_by}", user: true},
		{entry: ""},
		{entry: "everybody"},
	} {
		row := permission.Row{Read: []string{"gid:99", c.entry}, Creator: creator}
		for name, s := range map[string]struct {
			s    *permission.Subject
			want bool
		}{
			"nobody": {nobody, c.nobody}, "temporary": {temporary, c.temporary}, "user": {user, c.user},
			"member": {member, c.member}, "administrator": {admin, true},
		} {
			if got := s.s.Read(row); got != s.want {
				t.Errorf("%q: %s reads: %v", c.entry, name, got)
			}
		}
	}
}

func TestWriteDecisions(t *testing.T) {
	rows := map[string]permission.Row{
		"writable":    {Write: []string{"user:8"}, Creator: 9},
		"readable":    {Read: []string{"user:*"}, Write: []string{"gid:3"}, Creator: 9},
		"invisible":   {Read: []string{"user:7"}, Write: []string{}, Creator: 9},
		"everybody's": {Read: []string{"user:anonymous"}, Write: []string{"user:anonymous"}},
	}
	for _, c := range []struct {
		who  *permission.Subject
		row  string
		want permission.Decision
	}{
		{nobody, "everybody's", permission.NeedLogin},
		{nobody, "invisible", permission.NeedLogin},
		{temporary, "everybody's", permission.Allowed},
		{temporary, "readable", permission.Hidden},
		{temporary, "invisible", permission.Refused},
		{user, "writable", permission.Allowed}, // though it cannot be read (C23)
		{user, "readable", permission.Refused},
		{user, "invisible", permission.Hidden},
		{member, "readable", permission.Allowed},
		{admin, "invisible", permission.Allowed},
	} {
		if got := c.who.Write(rows[c.row]); got != c.want {
			t.Errorf("%+v writes %s: %v, not %v", c.who, c.row, got, c.want)
		}
	}
}

func TestCreateDecisions(t *testing.T) {
	for _, c := range []struct {
		who     *permission.Subject
		writers []string
		want    permission.Decision
	}{
		{nobody, []string{"user:anonymous"}, permission.NeedLogin},
		{temporary, []string{"user:anonymous"}, permission.Allowed},
		{temporary, []string{"user:*"}, permission.Refused},
		{user, []string{"user:*"}, permission.Allowed},
		{user, nil, permission.Refused},
		{member, []string{"gid:4"}, permission.Allowed},
		{admin, nil, permission.Allowed},
	} {
		if got := c.who.Create(c.writers); got != c.want {
			t.Errorf("%+v creates with %v: %v, not %v", c.who, c.writers, got, c.want)
		}
	}
}

func TestColumns(t *testing.T) {
	hidden, mine := permission.ACL{CreatorVisible: true}, permission.ACL{ClientVisible: true, CreatorVisible: true}
	fixed := permission.ACL{ClientVisible: true, ClientReadOnly: true}

	if hidden.Known(user) || hidden.Shown(user, 8) || !hidden.Shown(admin, 8) {
		t.Error("a hidden column is hidden from its creator too, and from no administrator")
	}
	if !mine.Shown(user, 8) || mine.Shown(member, 8) || mine.Shown(nobody, 0) || !mine.Shown(admin, 8) {
		t.Error("creatorVisible shows the value to the creator and the administrator")
	}
	for _, c := range []struct {
		acl     permission.ACL
		who     *permission.Subject
		ok, own bool
	}{
		{mine, user, true, true}, {mine, nobody, false, true}, {mine, admin, true, false},
		{hidden, user, false, true}, {permission.Default, nobody, true, false},
	} {
		if ok, own := c.acl.Queried(c.who); ok != c.ok || ok && own != c.own {
			t.Errorf("%+v queries %+v: %v, %v", c.who, c.acl, ok, own)
		}
	}
	if fixed.Writable(user) || !fixed.Writable(admin) || !permission.Default.Writable(user) {
		t.Error("only clients cannot write a clientReadOnly column")
	}
}

func TestCreatorOfOlderRows(t *testing.T) {
	got := permission.WithCreator([]string{"gid:1", "user:{created_by}", "user:8"}, 8)
	if len(got) != 3 || got[1] != "user:8" {
		t.Errorf("%v", got)
	}
	if got := permission.WithCreator([]string{"user:{created_by}"}, 0); len(got) != 0 {
		t.Errorf("a row without a creator: %v", got)
	}
}
