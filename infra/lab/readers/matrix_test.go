package readers

import (
	"fmt"
	"strings"
	"testing"

	"minicloud/shared/language/value/update"
	"minicloud/shared/page"
	"minicloud/shared/permission"
	"minicloud/shared/table"
)

// TestMatrix prints the status of each operation by each caller on a row of each permission, and compares it with the
// rules of section 4.3 as written there. A function calls as the administrator does; a blocked user has no session.
func TestMatrix(t *testing.T) {
	const creator = 12
	callers := []struct {
		name    string
		subject *permission.Subject
	}{
		{"nobody", &permission.Subject{}}, {"temporary", &permission.Subject{User: 11, Temporary: true}},
		{"other user", &permission.Subject{User: 13}}, {"creator", &permission.Subject{User: creator}},
		{"group member", &permission.Subject{User: 14, Groups: []int64{3}}}, {"administrator", nil},
	}
	forms := []string{"user:anonymous", "user:*", "user:12", "gid:3", "user:{created_by}", "[]"}
	// Rows of the table: the read or the write permission is the form, the other one is empty or the same.
	want := map[string]string{ // nobody, temporary, other user, creator, group member, administrator
		"read user:anonymous": "200 200 200 200 200 200", "read user:*": "404 404 200 200 200 200",
		"read user:12": "404 404 404 200 404 200", "read gid:3": "404 404 404 404 200 200",
		"read user:{created_by}": "404 404 404 200 404 200", "read []": "404 404 404 404 404 200",
		"write user:anonymous": "401 200 200 200 200 200", "write user:*": "401 404 200 200 200 200",
		"write user:12": "401 404 404 200 404 200", "write gid:3": "401 404 404 404 200 200",
		"write user:{created_by}": "401 404 404 200 404 200", "write []": "401 404 404 404 404 200",
		"write what may be read": "401 403 403 403 403 200",
		"create user:anonymous":  "401 200 200 200 200 200", "create user:*": "401 403 200 200 200 200",
		"create user:12": "401 403 403 200 403 200", "create gid:3": "401 403 403 403 200 200", "create []": "401 403 403 403 403 200",
	}

	var b strings.Builder
	row := func(name string, status func(*permission.Subject) int) {
		line := make([]string, len(callers))
		for i, c := range callers {
			if line[i] = fmt.Sprint(status(c.subject)); line[i] == "0" {
				line[i] = "200"
			}
		}
		got := strings.Join(line, " ")
		fmt.Fprintf(&b, "%-40s", name)
		for i := range line {
			fmt.Fprintf(&b, "%-15s", line[i])
		}
		b.WriteString("\n")
		rule, _, _ := strings.Cut(name, ",")
		for _, op := range []string{"update", "delete", "bulk"} {
			rule = strings.Replace(rule, op, "write", 1)
		}
		rule = strings.Replace(rule, "list", "read", 1)
		if want[rule] != got {
			t.Errorf("%s: %s, not %s", name, got, want[rule])
		}
	}
	fmt.Fprintf(&b, "%-40s", "")
	for _, c := range callers {
		fmt.Fprintf(&b, "%-15s", c.name)
	}
	b.WriteString("\n")

	lists := func(form string) []any {
		if form == "[]" {
			return []any{}
		}
		return []any{form}
	}
	p := newPlay(t, 1)
	p.lists = [][]string{{}}
	p.createTable()
	// A new row of this creator; the stored row keeps user:{created_by} as older rows do.
	fresh := func(read, write string) table.Row {
		draft := map[string]any{"n": 1.0, "_read_perm": lists(read), "_write_perm": lists(write), "created_by": float64(creator)}
		made := p.tables.Insert(t.Context(), scope, p.table, []map[string]any{draft}, table.Author{ByFunction: true})[0]
		if made.Err != nil {
			t.Fatal(made.Err)
		}
		p.refresh()
		if read != "user:{created_by}" && write != "user:{created_by}" {
			return made.Row
		}
		older := made.Row
		older.Revision++
		older.Perm.Read, older.Perm.Write = texts(read), texts(write)
		if err := p.tables.Rows.Write(t.Context(), scope, p.table, []table.Change{{Old: &made.Row, New: &older}})[0]; err != nil {
			t.Fatal(err)
		}
		return older
	}
	increment, err := update.FromObject(map[string]any{"m": map[string]any{"$incr_by": 1.0}}, p.table.Writable(), nil)
	if err != nil {
		t.Fatal(err)
	}
	author := func(s *permission.Subject) table.Author {
		if s == nil {
			return table.Author{}
		}
		return table.ByClient(*s, table.Origin{})
	}

	for _, form := range forms {
		row("read "+form, func(s *permission.Subject) int {
			_, err := p.tables.ReadAs(t.Context(), scope, p.table, fresh(form, "[]").ID, s)
			return code(err)
		})
		row("list "+form+", 404 = left out", func(s *permission.Subject) int {
			made := fresh(form, "[]")
			q := table.Query{Page: page.Request{Limit: 1}}
			if s != nil {
				q.Reader = &table.Reader{Subject: *s, Key: []byte("a key of 32 bytes for the cursor")}
			}
			q.Where, err = p.table.Grammar().Where(fmt.Sprintf(`{"id":%q}`, made.ID))
			found, err := p.tables.Find(t.Context(), scope, p.table, q)
			if err == nil && len(found.Objects) == 0 {
				return 404
			}
			return code(err)
		})
	}
	for _, form := range forms {
		row("update "+form, func(s *permission.Subject) int {
			_, err := p.tables.Update(t.Context(), scope, p.table, fresh("[]", form).ID, increment, author(s))
			return code(err)
		})
		row("delete "+form, func(s *permission.Subject) int {
			_, err := p.tables.Delete(t.Context(), scope, p.table, fresh("[]", form).ID, author(s))
			return code(err)
		})
	}
	row("update what may be read", func(s *permission.Subject) int {
		_, err := p.tables.Update(t.Context(), scope, p.table, fresh("user:anonymous", "[]").ID, increment, author(s))
		return code(err)
	})
	row("delete what may be read", func(s *permission.Subject) int {
		_, err := p.tables.Delete(t.Context(), scope, p.table, fresh("user:anonymous", "[]").ID, author(s))
		return code(err)
	})
	for _, form := range []string{"user:anonymous", "user:*", "user:12", "gid:3", "[]"} {
		row("create "+form, func(s *permission.Subject) int {
			in := p.table
			in.WritePerm = texts(form)
			return code(p.tables.Insert(t.Context(), scope, in, []map[string]any{{}}, author(s))[0].Err)
		})
	}
	t.Logf("\n%s", b.String())
}

func texts(form string) []string {
	if form == "[]" {
		return []string{}
	}
	return []string{form}
}
