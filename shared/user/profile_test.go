package user_test

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"minicloud/shared/errs"
	"minicloud/shared/language/value"
	"minicloud/shared/page"
	"minicloud/shared/permission"
	"minicloud/shared/table"
	"minicloud/shared/user"
)

var firstPage = page.Request{Limit: 20}

func TestProfileHasEveryField(t *testing.T) {
	p := newPlatform(t)
	p.addFields(t)
	empty := p.newUser(t, scope, nil)
	full := p.newUser(t, scope, map[string]any{
		"nickname": "Ann", "avatar": "https://example.com/a.png", "city": "深圳", "country": "China", "province": "广东",
		"gender": 2, "is_authorized": true, "language": "zh_CN", "openid": "o-1", "unionid": "u-1", "level": 3,
		"tags": []any{"a"},
	})

	created := p.time().Unix()

	for _, c := range []struct {
		user user.ID
		want user.Profile
	}{
		{empty, user.Profile{
			"avatar": "", "city": "", "country": "", "province": "", "gender": int64(0), "is_authorized": false,
			"language": "", "nickname": "",
			"openid": "", "unionid": nil, "user_group": []any{}, "level": nil, "score": nil, "tags": nil, "test": nil,
			"about": nil,
			"id":    int64(empty), "user_id": int64(empty), "created_by": int64(empty), "created_at": created,
			"updated_at": created,
		}},
		{full, user.Profile{
			"avatar": "https://example.com/a.png", "city": "深圳", "country": "China", "province": "广东",
			"gender": int64(2), "is_authorized": true,
			"language": "zh_CN", "nickname": "Ann", "openid": "o-1", "unionid": "u-1", "user_group": []any{}, "level": int64(3),
			"score": nil, "tags": []any{"a"}, "test": nil, "about": nil,
			"id": int64(full), "user_id": int64(full), "created_by": int64(full), "created_at": created, "updated_at": created,
		}},
	} {
		got, err := p.Profile(t.Context(), scope, c.user, "")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("user %d (-want +got):\n%s", c.user, diff)
		}
	}

	_, err := p.Profile(t.Context(), scope, full+1, "")
	wantKind(t, "unknown user", err, errs.KindNotFound)
	_, err = p.Profile(t.Context(), other, full, "")
	wantKind(t, "another application's user", err, errs.KindNotFound)
}

func TestListFiltersUsers(t *testing.T) {
	p := newPlatform(t)
	p.addFields(t)
	users := p.newUsers(t, 5, func(i int) map[string]any {
		return map[string]any{
			"nickname": []string{"ann", "bob", "cid", "dan", "eve"}[i], "gender": i % 3, "level": i, "city": "深圳",
		}
	})

	p.newUser(t, other, map[string]any{"nickname": "stranger"})
	g, err := p.CreateGroup(t.Context(), scope, "friends", 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.ChangeMembership(
		t.Context(), scope, []user.Membership{{Users: users[1:3], Groups: []user.GroupID{g.ID}}},
	); err != nil {
		t.Fatal(err)
	}

	number := func(i int) string { return digits(int64(users[i])) }

	for _, c := range []struct {
		where, filters, orderBy string
		want                    string // indexes of users
	}{
		{"", "", "", "43210"},
		{"{}", "", "created_at", "01234"},
		{"", "", "-nickname", "43210"},
		{"", "", "user_id", "01234"},
		{"", "", "-user_id", "43210"},
		{"", "", "level,-id", "01234"},
		{`{"gender":{"$eq":1}}`, "", "", "41"},
		{`{"gender":1}`, "level__gt=1", "", "4"},
		{"", "nickname=bob", "", "1"},
		{"", "nickname__in=ann,eve&unknown=1&order_by=", "", "40"},
		{"", "level__gte=1&level__lt=3", "", "21"},
		{"", "nickname__contains=a", "", "30"},
		{"", "user_id=" + number(2), "", "2"},
		{"", "id__in=" + number(2) + "," + number(4), "", "42"},
		{`{"user_id":{"$in":[` + number(0) + `,` + number(3) + `]}}`, "", "", "30"},
		{`{"$or":[{"user_id":` + number(1) + `},{"$and":[{"level":4},{"user_id":{"$gt":0}}]}]}`, "", "", "41"},
		{`{"_group":{"$in":[` + digits(int64(g.ID)) + `]}}`, "", "", "21"},
		{`{"_group":{"$in":[1]}}`, "", "", ""},
		{`{"created_by":` + number(3) + `}`, "", "", "3"},
		{`{"user_group":{"$in":[` + digits(int64(g.ID)) + `]}}`, "", "", "21"},
	} {
		filters, err := url.ParseQuery(c.filters)
		if err != nil {
			t.Fatal(err)
		}
		list, err := p.Profiles(
			t.Context(), scope, user.Query{Where: c.where, Filters: filters, OrderBy: c.orderBy, Page: firstPage, Total: true},
		)
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		var got strings.Builder
		for _, profile := range list.Objects {
			i := slices.Index(users, user.ID(profile["id"].(int64)))
			got.WriteString(string(rune('0' + i)))
		}
		if got.String() != c.want || list.Total != len(c.want) {
			t.Errorf(
				"where %s filters %s order_by %s: users %s of %d, want %s", c.where, c.filters, c.orderBy, got.String(),
				list.Total, c.want,
			)
		}
	}
}

// TestConditionsSeeDefaultValues queries fields without a value.
func TestConditionsSeeDefaultValues(t *testing.T) {
	p := newPlatform(t)
	u := p.newUser(t, scope, map[string]any{"nickname": nil})
	for where, want := range map[string]int{
		`{"gender":0,"nickname":"","city":"","is_authorized":false,"user_group":[]}`: 1,
		`{"unionid":null}`:              1,
		`{"nickname":{"$isnull":true}}`: 0,
		`{"gender":{"$in":[1,2]}}`:      0,
	} {
		list, err := p.Profiles(t.Context(), scope, user.Query{Where: where, Page: firstPage, Total: true})
		if err != nil || list.Total != want || len(list.Objects) != want || want == 1 && list.Objects[0]["id"] != int64(u) {
			t.Errorf("%s: %v, %v", where, list.Objects, err)
		}
	}

	// Values that the user removes are as those that never were.
	who := permission.Subject{User: int64(u)}
	for _, body := range []string{`{"nickname":"Ada","gender":1}`, `{"nickname":null,"$unset":{"gender":""}}`} {
		if _, err := p.UpdateOwn(t.Context(), scope, who, []byte(body), table.Origin{}); err != nil {
			t.Fatal(err)
		}
	}
	asked := user.Query{Where: `{"nickname":"","gender":0}`, Page: firstPage, Total: true}
	list, err := p.Profiles(t.Context(), scope, asked)
	if err != nil || list.Total != 1 {
		t.Errorf("removed values: %v, %v", list.Objects, err)
	}
}

func TestKeysSelectFields(t *testing.T) {
	p := newPlatform(t)
	p.addFields(t)
	u := p.newUser(t, scope, map[string]any{"nickname": "Ann", "level": 3})
	whole, err := p.Profile(t.Context(), scope, u, "")
	if err != nil {
		t.Fatal(err)
	}
	hidden := maps.Clone(whole)
	delete(hidden, "nickname")
	delete(hidden, "level")

	for keys, want := range map[string]user.Profile{
		"nickname, level":      {"id": int64(u), "nickname": "Ann", "level": int64(3)},
		"user_id":              {"id": int64(u), "user_id": int64(u)},
		"-nickname,-level,-id": hidden,
	} {
		one, err := p.Profile(t.Context(), scope, u, keys)
		if diff := cmp.Diff(want, one); err != nil || diff != "" {
			t.Errorf("keys=%s: %v (-want +got):\n%s", keys, err, diff)
		}
		list, err := p.Profiles(t.Context(), scope, user.Query{Keys: keys, Page: firstPage})
		if diff := cmp.Diff([]user.Profile{want}, list.Objects); err != nil || diff != "" {
			t.Errorf("list with keys=%s: %v (-want +got):\n%s", keys, err, diff)
		}
	}

	for _, keys := range []string{"nobody", "nickname,", "_read_perm;"} {
		_, err := p.Profile(t.Context(), scope, u, keys)
		wantKind(t, keys, err, errs.KindInvalid)
		_, err = p.Profiles(t.Context(), other, user.Query{Keys: keys, Page: firstPage})
		wantKind(t, keys, err, errs.KindInvalid)
	}
}

func TestParsesCanonicalIDsOnly(t *testing.T) {
	for text, want := range map[string]user.ID{
		"1": 1, "9007199254740991": 1<<53 - 1, "01": 0, "+1": 0, "-1": 0, "0": 0, "": 0, "1.0": 0, "9007199254740992": 0,
	} {
		if got, err := user.ParseID(text); got != want || (want == 0) != errs.Is(err, errs.KindNotFound) {
			t.Errorf("ParseID(%q) = %d, %v", text, got, err)
		}
	}
}

func digits(n int64) string { return strconv.FormatInt(n, 10) }

func TestListRefusesBadQueries(t *testing.T) {
	p := newPlatform(t)
	for _, c := range []struct{ where, filters, orderBy, want string }{
		{"", "", "gender", "gender"},
		{"", "", "-country", "country"},
		{"", "", "nickname,province", "province"},
		{"", "", "city", "city"},
		{"", "", "language", "language"},
		{"", "", "nobody", "nobody"},
		{"", "", "user_group", "user_group"},
		{"", "gender__like=1", "", "gender"},
		{"", "gender=many", "", "gender"},
		{"", "gender__isnull=perhaps", "", "gender"},
		{"{", "", "", "where"},
		{"[]", "", "", "where"},
		{`{"nobody":1}`, "", "", "nobody"},
		{`{"gender":{"$like":1}}`, "", "", "$like"},
		{`{"nickname":{"$gt":{"$ne":1}}}`, "", "", "nickname"},
		{`{"_group":{"$eq":1}}`, "", "", "_group"},
		{`{"_group":{"$in":["x"]}}`, "", "", "_group"},
		{`{"user_id":{"$contains":"1"}}`, "", "", "user_id"},
		{`{"password_hash":{"$exists":true}}`, "", "", "password_hash"},
		{`{"username":"ann"}`, "", "", "username"},
	} {
		filters, err := url.ParseQuery(c.filters)
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Profiles(
			t.Context(), scope, user.Query{Where: c.where, Filters: filters, OrderBy: c.orderBy, Page: firstPage},
		)
		if !errs.Is(err, errs.KindInvalid) || !strings.Contains(errs.Message(err), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestRefusesReservedFieldNames(t *testing.T) {
	p := newPlatform(t)
	for _, name := range []string{"user_id", "id", "_group", "_read_perm", "created_by"} {
		_, err := p.Tables.Modify(t.Context(), scope, table.UserProfiles, table.Definition{
			Columns: []table.Column{{Column: value.Column{Name: name, Type: value.String}}},
		})
		wantKind(t, name, err, errs.KindInvalid)
	}
}

func TestUpdateChangesCustomFieldsOnly(t *testing.T) {
	p := newPlatform(t)
	p.addFields(t)
	u := p.newUser(t, scope, map[string]any{"nickname": "Ann", "level": 1, "tags": []any{"a"}})

	for _, c := range []struct{ body, want string }{
		{`{"nickname":"Bob"}`, "nickname"},
		{`{"level":2,"nickname":"Bob"}`, "nickname"},
		{`{"$set":{"gender":1}}`, "gender"},
		{`{"$unset":{"openid":""}}`, "openid"},
		{`{"user_group":{"$append":[1]}}`, "user_group"},
		{`{"id":1}`, "id"},
		{`{"user_id":1}`, "user_id"},
		{`{"created_at":1}`, "created_at"},
		{`{"created_by":1}`, "created_by"},
		{`{"_read_perm":[]}`, "_read_perm"},
		{`{"unionid":null}`, "unionid"},
		{`{"nobody":1}`, "nobody"},
		{`{"username":"ann"}`, "username"},
		{`{"level":"2"}`, "level"},
		{`{"level":1.5}`, "level"},
		{`{"level":{"$incr_by":"1"}}`, "level"},
		{`{"level":{"$append":[1]}}`, "level"},
		{`{"level":{"$mul":2}}`, "$mul"},
		{`{"tags":{"$append":[1]}}`, "tags"},
		{`{"tags":[["a"]]}`, "tags"},
		{`{"test":{"$eq":"x"}}`, "test"},
		{`{"test":{"a":1}}`, "test"},
		{`{"about":{"$where":"1"}}`, "about"},
		{`{"level":1,"$set":{"level":2}}`, "level"},
		{`[]`, "body"},
		{`"x"`, "body"},
		{`{"level":9007199254740993}`, "level"},
		{`{"level":1e400}`, "level"},
		{`{"test":"` + strings.Repeat("x", 450<<10) + `"}`, "350 KB"},
		{`{"about":` + strings.Repeat(`{"a":`, 40) + `1` + strings.Repeat("}", 40) + `}`, "about"},
		{strings.Repeat("[", 100000), "body"},
	} {
		_, err := p.Update(t.Context(), scope, u, []byte(c.body), table.Origin{}, false)
		if !errs.Is(err, errs.KindInvalid) || !strings.Contains(errs.Message(err), c.want) || len(errs.Message(err)) > 300 {
			t.Errorf("%.80s: %.300v", c.body, err)
		}
	}

	for _, c := range []struct {
		body string
		want user.Profile
	}{
		{`{}`, user.Profile{"level": int64(1)}},
		{`{"level":2,"test":"x"}`, user.Profile{"level": int64(2), "test": "x", "nickname": "Ann"}},
		{`{"level":{"$incr_by":-5}}`, user.Profile{"level": int64(-3)}},
		{`{"score":{"$incr_by":1}}`, user.Profile{"score": int64(1)}},
		{`{"tags":{"$append":["b","b"]}}`, user.Profile{"tags": []any{"a", "b", "b"}}},
		{`{"tags":{"$append_unique":["b","c"]}}`, user.Profile{"tags": []any{"a", "b", "b", "c"}}},
		{`{"tags":{"$remove":["b"]}}`, user.Profile{"tags": []any{"a", "c"}}},
		{`{"tags":{"$pop":1}}`, user.Profile{"tags": []any{"a"}}},
		{`{"about":{"$update":{"x":1}}}`, user.Profile{"about": map[string]any{"x": 1.0}}},
		{`{"$set":{"test":"y"},"$unset":{"level":""}}`, user.Profile{"test": "y", "level": nil}},
		{`{"test":null}`, user.Profile{"test": nil, "score": int64(1)}},
	} {
		got, err := p.Update(t.Context(), scope, u, []byte(c.body), table.Origin{}, false)
		if err != nil {
			t.Errorf("%s: %v", c.body, err)
			continue
		}
		for name, want := range c.want {
			if diff := cmp.Diff(want, got[name]); diff != "" {
				t.Errorf("%s: %s (-want +got):\n%s", c.body, name, diff)
			}
		}
	}

	_, err := p.Update(t.Context(), scope, u+1, []byte(`{"level":1}`), table.Origin{}, false)
	wantKind(t, "unknown user", err, errs.KindNotFound)
	_, err = p.Update(t.Context(), other, u, []byte(`{"level":1}`), table.Origin{}, false)
	wantKind(t, "another application's user", err, errs.KindNotFound)
}

func TestConcurrentIncrementsAreKept(t *testing.T) {
	p := newPlatform(t)
	p.addFields(t)
	u := p.newUser(t, scope, nil)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			for _, body := range []string{
				`{"level":{"$incr_by":1}}`, `{"score":{"$incr_by":2},"tags":{"$append_unique":["x"]}}`,
			} {
				if _, err := p.Update(t.Context(), scope, u, []byte(body), table.Origin{}, false); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()

	got, err := p.Profile(t.Context(), scope, u, "")
	if err != nil || got["level"] != int64(20) || got["score"] != int64(40) || len(got["tags"].([]any)) != 1 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestCreateRemovesProfileWithoutAccount(t *testing.T) {
	p := newPlatform(t)
	u, err := p.Create(t.Context(), scope, user.New{
		Profile: map[string]any{"nickname": "Ann"},
		Account: user.AccountChange{Username: user.To("ann"), NewPassword: user.To("secret")},
	})
	if err != nil {
		t.Fatal(err)
	}
	if a, err := p.Account(t.Context(), scope, u); err != nil || a.Username != "ann" || a.Password == "" {
		t.Errorf("%+v, %v", a, err)
	}
	_, err = p.Create(
		t.Context(), scope,
		user.New{Profile: map[string]any{"nickname": "Ann 2"}, Account: user.AccountChange{Username: user.To("ANN")}},
	)
	wantKind(t, "taken name", err, errs.KindDuplicate)
	_, err = p.Create(t.Context(), scope, user.New{Profile: map[string]any{"nickname": 1}})
	wantKind(t, "wrong field", err, errs.KindInvalid)
	_, err = p.Create(t.Context(), scope, user.New{Account: user.AccountChange{Username: user.To("")}})
	wantKind(t, "wrong name", err, errs.KindInvalid)
	list, err := p.Profiles(t.Context(), scope, user.Query{Page: firstPage, Total: true})
	if err != nil || list.Total != 1 || len(list.Objects) != 1 {
		t.Errorf("%d users are left, %v", list.Total, err)
	}
}
