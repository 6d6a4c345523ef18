package api_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// function sends a request as a function of shop.
func (p *platform) function(t *testing.T, method, path, body string, status int) map[string]any {
	t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Run run")
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	if w.Code != status {
		t.Fatalf("%s %s: %d %s, want %d", method, path, w.Code, w.Body, status)
	}
	answer := map[string]any{}
	if w.Body.Len() > 0 {
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
			t.Fatal(err)
		}
	}
	return answer
}

const inner, outer = "/dserve/v1/user/profile/", "/userve/v2.2/miniapp/user_profile/"

// TestFunctionsCreateUsers: with login fields, which only functions see.
func TestFunctionsCreateUsers(t *testing.T) {
	p := newPlatform(t)
	made := p.function(t, "POST", inner, `{"_username":"ada","_password":"secret1","_email":"ada@example.com","_email_verified":true,
		"_phone":"13800138000","_provider":{"chat":{"openid":"o1","unionid":"u1","user_id":"5"}},"nickname":"Ada","gender":2,"is_authorized":true}`, 200)
	number := formatID(t, made)
	for name, want := range map[string]any{
		"_username": "ada", "_email": "ada@example.com", "_email_verified": true, "_phone": "13800138000", "_phone_verified": false,
		"nickname": "Ada", "gender": 2.0, "is_authorized": true, "openid": "o1", "unionid": "u1",
	} {
		if made[name] != want {
			t.Errorf("%s is %v, want %v", name, made[name], want)
		}
	}
	if provider := made["_provider"].(map[string]any)["chat"].(map[string]any); provider["user_id"] != "5" {
		t.Errorf("_provider %v", made["_provider"])
	}

	read := p.function(t, "GET", outer+number+"/", "", 200)
	list := p.function(t, "GET", outer+`?where={"nickname":"Ada"}`, "", 200)["objects"].([]any)
	if read["_username"] != "ada" || len(list) != 1 || list[0].(map[string]any)["_email"] != "ada@example.com" {
		t.Errorf("read %v, listed %v", read, list)
	}
	if some := p.function(t, "GET", outer+number+"/?keys=nickname", "", 200); len(some) != 2 {
		t.Errorf("of one field %v", some)
	}
	for _, path := range []string{outer + number + "/", outer} {
		r := httptest.NewRequest("GET", path, nil)
		r.Header.Set("Authorization", "Bearer shop")
		w := httptest.NewRecorder()
		p.ServeHTTP(w, r)
		if w.Code != http.StatusOK || strings.Contains(w.Body.String(), "_username") || strings.Contains(w.Body.String(), "ada@") {
			t.Errorf("the open API shows %d %s", w.Code, w.Body)
		}
	}

	for body, want := range map[string]string{
		`{"nickname":"x"}`: "one of _username, _phone, _email and _provider",
		`{"_phone":"13800138001","_password":"secret1"}`:     "_password needs _username or _email",
		`{"_username":"ADA"}`:                                "username",
		`{"_username":"b","user_group":[1]}`:                 `field \"user_group\"`,
		`{"_username":"b","nobody":1}`:                       `field \"nobody\"`,
		`{"_username":5}`:                                    "_username must be a string",
		`{"_email_verified":"yes","_email":"b@example.com"}`: "_email_verified must be a boolean",
		`{"_provider":{"chat":{"unionid":"u"}}}`:             "_provider.chat.openid is required",
		`{"_provider":5}`:                                    "_provider must be an object",
		`{"_username":"b","_password":"x"}`:                  "password",
		`{"_username":"b","gender":"x"}`:                     "gender",
		`[]`:                                                 "object",
	} {
		answer := p.function(t, "POST", inner, body, 400)
		text, _ := json.Marshal(answer)
		if !strings.Contains(string(text), want) && !strings.Contains(string(text), strings.ReplaceAll(want, `\"`, `\\\"`)) {
			t.Errorf("%s: %s, want %s", body, text, want)
		}
	}
	if all := p.function(t, "GET", outer+`?where={"openid":"o1"}`, "", 200)["objects"].([]any); len(all) != 1 {
		t.Errorf("%d users are left behind", len(all))
	}
}

func formatID(t *testing.T, profile map[string]any) string {
	t.Helper()
	n, err := json.Marshal(int64(profile["id"].(float64)))
	if err != nil {
		t.Fatal(err)
	}
	return string(n)
}

// TestFunctionsUpdateUsers: also the built-in fields, which endpoints 17 and 18 refuse.
func TestFunctionsUpdateUsers(t *testing.T) {
	p := newPlatform(t)
	ada := formatID(t, p.function(t, "POST", inner, `{"_username":"ada"}`, 200))
	p.function(t, "POST", inner, `{"_username":"bob"}`, 200)
	changed := p.function(t, "PUT", inner+ada+"/", `{"nickname":"Ada","city":"Paris"}`, 200)
	if changed["nickname"] != "Ada" || changed["city"] != "Paris" || changed["_username"] != "ada" {
		t.Errorf("%v", changed)
	}
	for _, body := range []string{`{"openid":"x"}`, `{"user_group":[1]}`, `{"is_authorized":true}`, `{"_username":"x"}`} {
		p.function(t, "PUT", inner+ada+"/", body, 400)
	}
	p.function(t, "PUT", outer+ada+"/", `{"nickname":"Eve"}`, 405)
	p.function(t, "PUT", "/userve/v2.6/miniapp/user_profile/"+ada+"/", `{"nickname":"Eve"}`, 400)

	one := p.function(t, "PUT", inner+`?where={"nickname":"Ada"}&limit=5&return_total_count=1`, `{"country":"FR"}`, 200)
	if one["succeed"] != 1.0 || one["limit"] != 5.0 || one["total_count"] != 1.0 {
		t.Errorf("of a page %v", one)
	}
	all := p.function(t, "PUT", inner+`?where={"country":"FR"}`, `{"country":"France"}`, 200)
	if all["succeed"] != 1.0 || p.function(t, "GET", outer+ada+"/", "", 200)["country"] != "France" {
		t.Errorf("of all %v", all)
	}
	p.function(t, "PUT", inner+`?where={}&offset=3`, `{"country":"x"}`, 400)
}

// TestFunctionsDeleteUsers: their unique names become free, and their groups no longer count them.
func TestFunctionsDeleteUsers(t *testing.T) {
	p := newPlatform(t)
	ada := formatID(t, p.function(t, "POST", inner, `{"_username":"ada","_email":"ada@example.com"}`, 200))
	group := formatID(t, p.function(t, "POST", "/oserve/v1/user-group/", `{"name":"a"}`, 201))
	p.function(t, "PATCH", "/oserve/v1/miniapp/group/membership/",
		`[{"op":"add","path":"/membership","users":[`+ada+`],"groups":[`+group+`]}]`, 204)
	p.function(t, "DELETE", inner+ada+"/", "", 204)
	p.function(t, "DELETE", inner+ada+"/", "", 404)
	p.function(t, "GET", outer+ada+"/", "", 404)
	if g := p.function(t, "GET", "/oserve/v1/user-group/"+group+"/", "", 200); g["members"] != 0.0 {
		t.Errorf("%v", g)
	}
	p.function(t, "POST", inner, `{"_username":"ada","_email":"ada@example.com"}`, 200)
	p.function(t, "DELETE", inner+"x/", "", 404)
}

// TestDeletesGroupsByIDs: id__in lists the ids.
func TestDeletesGroupsByIDs(t *testing.T) {
	p := newPlatform(t)
	const groups = "/oserve/v1/user-group/"
	var ids []string
	for _, name := range []string{"a", "b", "c"} {
		ids = append(ids, formatID(t, p.function(t, "POST", groups, `{"name":"`+name+`"}`, 201)))
	}
	p.function(t, "DELETE", groups+"?id__in="+ids[0]+","+ids[1]+",77", "", 204)
	if left := p.function(t, "GET", groups, "", 200)["objects"].([]any); len(left) != 1 || left[0].(map[string]any)["name"] != "c" {
		t.Errorf("%v", left)
	}
	for _, bad := range []string{"", "?id__in=", "?id__in=x", "?id__in=" + strings.Repeat("1,", 100) + "1"} {
		p.function(t, "DELETE", groups+bad, "", 400)
	}
}
