package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"minicloud/shared/language/value"
	"minicloud/shared/permission"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
	"minicloud/shared/user/session"
)

const infos = "/hserve/v2.5/user/info/"

// logIn returns the headers of a user's requests.
func (p *platform) logIn(id int64, temporary bool) []string {
	token := string(session.NewToken(id))
	p.sessions[token] = session.Identity{Subject: permission.Subject{User: id, Temporary: temporary}}
	return []string{"Authorization", "Service-r1 " + token, "X-Service-Client-ID", string(shop.ClientID)}
}

// withPrivateColumns adds a column of each access to the profiles of the shop.
func (p *platform) withPrivateColumns(t *testing.T) {
	t.Helper()
	column := func(name string, acl table.ACL) table.Column {
		return table.Column{Column: value.Column{Name: name, Type: value.String}, ACL: &acl}
	}
	scope := tenant.Scope{App: 7, Env: tenant.Production}
	_, err := p.users.Tables.Modify(t.Context(), scope, table.UserProfiles, table.Definition{Columns: []table.Column{
		column("diary", table.ACL{ClientVisible: true, CreatorVisible: true}),
		column("rank", table.ACL{ClientVisible: true, ClientReadOnly: true}),
		column("note", table.ACL{}),
		{Column: value.Column{Name: "friend", Type: value.Pointer, Target: table.UserProfilesName}},
	}})
	if err != nil {
		t.Fatal(err)
	}
}

// read sends a request of a user and returns the object of the response.
func (p *platform) read(t *testing.T, request string, header []string) map[string]any {
	t.Helper()
	got := p.send(t, request, "", header...)
	var object map[string]any
	if err := json.Unmarshal([]byte(got.body), &object); err != nil || got.status != 200 {
		t.Fatalf("%s: %d %s", request, got.status, got.body)
	}
	return object
}

func fieldNames(object map[string]any) string {
	return strings.Join(slices.Sorted(maps.Keys(object)), " ")
}

const (
	ownFields = "_anonymous _email _email_verified _phone _phone_verified _provider _username avatar city country created_at " +
		"created_by diary friend gender id is_authorized language level nickname openid province rank tags test unionid updated_at user_id"
	othersFields = "avatar friend id level nickname rank tags test"
)

// TestUsersSeeOneselfAndOthers: oneself with everything but hidden columns, others with what they show.
func TestUsersSeeOneselfAndOthers(t *testing.T) {
	p := newPlatform(t)
	p.withPrivateColumns(t)
	ada := p.newUser(t, 7, tenant.Production, map[string]any{
		"nickname": "Ada", "openid": "o-ada", "city": "Paris", "diary": "dear diary", "rank": "gold", "note": "hidden", "level": 3.0,
	})
	ben := p.newUser(t, 7, tenant.Production, map[string]any{"openid": "o-ben", "friend": ada})
	if _, err := p.users.ChangeAccount(t.Context(), tenant.Scope{App: 7, Env: tenant.Production}, user.ID(ada),
		user.AccountChange{Username: user.To("ada"), Email: user.To("ada@example.com")}); err != nil {
		t.Fatal(err)
	}
	asAda, asBen, asGuest := p.logIn(ada, false), p.logIn(ben, false), p.logIn(99, true)

	for _, version := range []string{"2.0", "2.1", "2.2", "2.5"} {
		path := fmt.Sprintf("GET /hserve/v%s/user/info/%d/", version, ada)
		own := p.read(t, path, asAda)
		if fieldNames(own) != ownFields || own["_username"] != "ada" || own["_email"] != "ada@example.com" || own["_phone"] != nil ||
			own["_email_verified"] != false || own["diary"] != "dear diary" || own["city"] != "Paris" || own["avatar"] != nil ||
			own["gender"] != nil || own["user_id"] != own["id"] || own["_anonymous"] != false {
			t.Errorf("%s: %v\n%s", path, own, fieldNames(own))
		}
		for who, header := range map[string][]string{"a user": asBen, "a temporary user": asGuest} {
			others := p.read(t, path, header)
			if fieldNames(others) != othersFields || others["nickname"] != "Ada" || others["rank"] != "gold" || others["level"] != 3.0 {
				t.Errorf("%s as %s: %v\n%s", path, who, others, fieldNames(others))
			}
		}
	}

	friend := p.read(t, fmt.Sprintf("GET %s%d/?expand=friend", infos, ben), asBen)["friend"].(map[string]any)
	if delete(friend, "_table"); fieldNames(friend) != othersFields {
		t.Errorf("expanded: %v", friend)
	}
	list := p.read(t, "GET /hserve/v2.2/user/info/?order_by=id", asBen)["objects"].([]any)
	if len(list) != 2 || fieldNames(list[0].(map[string]any)) != othersFields || fieldNames(list[1].(map[string]any)) != ownFields {
		t.Errorf("list: %v", list)
	}

	p.refuse(t, fmt.Sprint("GET ", infos, ada+5), "", 404, "not found", asAda...)
	p.refuse(t, "GET "+infos+"x/", "", 404, "", asAda...)
	nobody := []string{"Authorization", "", "X-Service-Client-ID", string(shop.ClientID)}
	p.refuse(t, fmt.Sprint("GET ", infos, ada), "", 401, "log in first", nobody...)
	p.refuse(t, "GET /hserve/v2.2/user/info/", "", 401, "log in first", nobody...)
	p.refuse(t, "PUT "+infos, `{}`, 401, "log in first", nobody...)
	p.refuse(t, fmt.Sprint("GET ", infos, ada), "", 401, "X-Service-Client-ID", asAda[:2]...)
}

// TestKeysOfUserInfo: also of fields of the account, which others do not have.
func TestKeysOfUserInfo(t *testing.T) {
	p := newPlatform(t)
	p.withPrivateColumns(t)
	ada := p.newUser(t, 7, tenant.Production, map[string]any{"nickname": "Ada"})
	asAda, asGuest := p.logIn(ada, false), p.logIn(99, true)
	for _, c := range []struct {
		keys        string
		own, others string
	}{
		{"nickname", "id nickname", "id nickname"},
		{"_username,nickname", "_username id nickname", "id nickname"},
		{"_phone,user_id", "_phone id user_id", "id"},
		{"diary", "diary id", "id"},
		{"-nickname,-_email,-friend", strings.NewReplacer(" nickname", "", "_email ", "", " friend", "").Replace(ownFields),
			"avatar id level rank tags test"},
		{"nickname,-avatar", ownFields, othersFields},
		{"", ownFields, othersFields},
	} {
		path := fmt.Sprintf("GET %s%d/?keys=%s", infos, ada, url.QueryEscape(c.keys))
		if own := fieldNames(p.read(t, path, asAda)); own != c.own {
			t.Errorf("keys=%s, oneself: %s, want %s", c.keys, own, c.own)
		}
		if others := fieldNames(p.read(t, path, asGuest)); others != c.others {
			t.Errorf("keys=%s, others: %s, want %s", c.keys, others, c.others)
		}
	}
	for _, keys := range []string{"note", "nothing", "_password", "nickname.x"} { // hidden and unknown are the same
		path := fmt.Sprintf("GET %s%d/?keys=%s", infos, ada, keys)
		p.refuse(t, path, "", 400, `keys: field "`+keys+`" does not exist`, asAda...)
	}
}

// TestUserListHidesPrivateFields: a condition or an order by a field that others do not show would tell its value.
func TestUserListHidesPrivateFields(t *testing.T) {
	p := newPlatform(t)
	p.withPrivateColumns(t)
	var ids []int64
	for n := range 5 {
		ids = append(ids, p.newUser(t, 7, tenant.Production, map[string]any{
			"nickname": fmt.Sprint("user ", n), "level": float64(n), "diary": "x", "openid": fmt.Sprint("o", n),
		}))
	}
	header := p.logIn(ids[0], false)
	for _, version := range []string{"2.0", "2.1", "2.2"} {
		list := p.read(t, "GET /hserve/v"+version+`/user/info/?where={"level":{"$gte":2}}&order_by=-level&limit=2`, header)
		objects, meta := list["objects"].([]any), list["meta"].(map[string]any)
		if len(objects) != 2 || objects[0].(map[string]any)["level"] != 4.0 || meta["next"] == nil {
			t.Errorf("%v", list)
		}
		if _, counted := meta["total_count"]; counted != (version < "2.2") || counted && meta["total_count"] != 3.0 {
			t.Errorf("version %s: %v", version, meta)
		}
		// The cursor of another caller is 400.
		next := strings.TrimSuffix(meta["next"].(string), "/")
		if rest := p.read(t, "GET "+next, header)["objects"].([]any); len(rest) != 1 {
			t.Errorf("next: %v", rest)
		}
		p.refuse(t, "GET "+next, "", 400, "cursor", p.logIn(ids[1], false)...)
	}

	for _, query := range []string{
		`where={"openid":"o1"}`, `where={"city":"Paris"}`, `where={"created_at":{"$gt":1}}`, `where={"diary":"x"}`,
		`where={"note":"x"}`, `where={"nothing":"x"}`, `where={"_group":{"$in":[1]}}`, `where={"_username":"ada"}`,
		`where={"user_group":{"$all":[1]}}`, `where={"$or":[{"level":1},{"unionid":"u"}]}`, `where={"created_by":1}`,
		`where={"_read_perm":"user:*"}`, `where={"is_authorized":true}`,
		"order_by=openid", "order_by=created_at", "order_by=-updated_at", "order_by=diary", "order_by=note", "order_by=_email",
	} {
		name, text, _ := strings.Cut(query, "=")
		p.refuse(t, "GET /hserve/v2.2/user/info/?"+name+"="+url.QueryEscape(text), "", 400, "", header...)
	}
	for _, query := range []string{`where={"id":1}`, `where={"user_id":1}`, `where={"nickname":"user 1"}`, `openid=o1`, "order_by=-id"} {
		name, text, _ := strings.Cut(query, "=")
		p.read(t, "GET /hserve/v2.2/user/info/?"+name+"="+url.QueryEscape(text), header)
	}
	// A parameter by the name of a field is no condition here.
	if all := p.read(t, "GET /hserve/v2.2/user/info/?openid=o1", header)["objects"].([]any); len(all) != 5 {
		t.Errorf("%d users", len(all))
	}
	for _, head := range []string{"X-Service-Plan", "X-Service-Scanned"} {
		if got := p.send(t, "GET /hserve/v2.2/user/info/", "", header...).header.Get(head); got != "" {
			t.Errorf("%s: %s", head, got)
		}
	}
}

// TestUsersWriteTheirOwnRecord: allowed fields only; of a body with another one, nothing is written.
func TestUsersWriteTheirOwnRecord(t *testing.T) {
	p := newPlatform(t)
	p.withPrivateColumns(t)
	ada := p.newUser(t, 7, tenant.Production, map[string]any{"nickname": "Ada", "level": 1.0, "rank": "gold"})
	header := p.logIn(ada, false)
	change := func(path, body string) map[string]any {
		t.Helper()
		got := p.send(t, "PUT "+path, body, header...)
		var own map[string]any
		if err := json.Unmarshal([]byte(got.body), &own); err != nil || got.status != 200 {
			t.Fatalf("%s: %d %s", body, got.status, got.body)
		}
		return own
	}

	own := change(infos, `{"nickname":"Ada L.","avatar":"https://a.example/a.png","gender":2,"country":"FR","province":"IDF","city":"Paris",
		"language":"fr","level":{"$incr_by":2},"tags":{"$append":["x"]},"diary":"dear","test":null}`)
	if fieldNames(own) != ownFields || own["nickname"] != "Ada L." || own["gender"] != 2.0 || own["level"] != 3.0 || own["diary"] != "dear" ||
		own["rank"] != "gold" {
		t.Errorf("%v", own)
	}
	if own = change("/hserve/v2.0/user/info/", `{"$set":{"city":"Lyon"},"$unset":{"country":""}}`); own["city"] != "Lyon" || own["country"] != nil {
		t.Errorf("%v", own)
	}

	before := p.read(t, fmt.Sprint("GET ", infos, ada), header)
	for _, field := range []string{
		`"rank":"x"`, `"openid":"x"`, `"unionid":"x"`, `"is_authorized":true`, `"user_group":[1]`, `"id":5`, `"user_id":5`,
		`"created_by":5`, `"created_at":5`, `"_username":"x"`, `"_email_verified":true`, `"_provider":{}`, `"_anonymous":false`,
		`"_read_perm":["user:*"]`, `"write_perm":["user:*"]`, `"nothing":1`, `"level":"x"`,
	} {
		name := strings.Trim(strings.Split(field, ":")[0], `"`)
		p.refuse(t, "PUT "+infos, `{"nickname":"taken",`+field+`}`, 400, name, header...)
	}
	if diff := cmp.Diff(before, p.read(t, fmt.Sprint("GET ", infos, ada), header)); diff != "" {
		t.Errorf("a refused body was written: %s", diff)
	}

	ben := p.newUser(t, 7, tenant.Production, nil)
	p.refuse(t, fmt.Sprint("PUT ", infos, ben), `{"nickname":"taken"}`, 405, "", header...)
	p.want(t, "PUT "+infos, `{"nickname":"Guest"}`, 404, p.send(t, fmt.Sprint("GET ", infos, 99), "", header...).body, p.logIn(99, true)...)
}
