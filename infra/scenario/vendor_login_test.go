package scenario_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"minicloud/infra/local/vendors"
	"minicloud/shared/httpapi"
)

// signedProfile returns the body of a login with a profile, signed as the host of a mini-program does with the session
// key of the code.
func signedProfile(code string) string {
	const raw = `{"nickName":"Ada","gender":2}`
	sum := sha1.Sum([]byte(raw + vendors.SessionKey(code)))
	body, err := json.Marshal(map[string]string{"code": code, "rawData": raw, "signature": hex.EncodeToString(sum[:])})
	if err != nil {
		panic(err)
	}
	return string(body)
}

// setVendors stores settings for logins at chat and alt. The local vendors verify no signature, so any key will do.
func setVendors(t *testing.T, owner caller) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	private, err := json.Marshal(string(pem.EncodeToMemory(&pem.Block{
		Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key),
	})))
	if err != nil {
		t.Fatal(err)
	}
	find(t, owner.ask(t, "PUT", "/oserve/v3/message-setting/chat/", `{"app_id":"wx1","app_secret":"owned"}`), "vendor")
	find(t, owner.ask(t, "PUT", "/oserve/v3/login-setting/oauth-chat-web/", `{"app_secret":"owned"}`), "provider")
	find(t, owner.ask(t, "PUT", "/oserve/v3/message-setting/alt/", `{"app_id":"2021","private_key":`+string(private)+`}`), "vendor")
}

// lettingClientsUpdate switches client_profile_update on, and raises the limit of 600 calls a minute, which the suite
// passes as one user. It must come before the first request of an end user: programs keep an application in memory for
// 10 seconds.
func (c caller) lettingClientsUpdate(t *testing.T) caller {
	t.Helper()
	const settings = `{"client_profile_update":true,"callback_hosts":["shop.example.com"],"client_rate":{"user":1000000}}`
	find(t, c.ask(t, "PUT", "/oserve/v1.8/application-setting/", settings), "client_profile_update")
	return c
}

// ownVendor is a vendor at the base_url of an application. Every code is for one use.
type ownVendor struct {
	mu   sync.Mutex
	used map[string]bool
	// answer, if it is set, replaces the answer of the vendor.
	answer func(w http.ResponseWriter)
}

func (v *ownVendor) answers(with func(w http.ResponseWriter)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.answer = with
}

func (v *ownVendor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v.mu.Lock()
	defer v.mu.Unlock()
	code := r.URL.Query().Get("js_code")
	switch {
	case v.answer != nil:
		v.answer(w)
	case r.URL.Path != "/api/sns/jscode2session" || r.URL.Query().Get("secret") != "own":
		fmt.Fprint(w, `{"errcode":40125,"errmsg":"invalid appsecret"}`)
	case v.used[code]:
		fmt.Fprint(w, `{"errcode":40163,"errmsg":"code been used"}`)
	default:
		v.used[code] = true
		person, _, _ := strings.Cut(code, "-")
		fmt.Fprintf(w, `{"openid":"own-%s","session_key":"c2l4dGVlbiBieXRlcyBvaw=="}`, person)
	}
}

// ownVendors: an application's own vendor is asked at base_url. It refuses a code that was used, and a vendor that is
// down or answers nonsense is 503 with Retry-After.
func ownVendors(t *testing.T, c stage) {
	vendor := &ownVendor{used: map[string]bool{}}
	server := httptest.NewServer(vendor)
	defer server.Close()
	owner := c.owner(t)
	setting := fmt.Sprintf(`{"app_id":"wx1","app_secret":"own","base_url":%q}`, server.URL+"/api/")
	find(t, owner.ask(t, "PUT", "/oserve/v3/message-setting/chat/", setting), "vendor")
	page := owner.as(httpapi.Client)
	login := func(code string, status int) reply {
		t.Helper()
		answer := page.ask(t, "POST", "/hserve/v2.5/idp/chat/silent-login/", `{"code":"`+code+`"}`)
		if answer.status != status {
			t.Errorf("code %s: %d %s, want %d", code, answer.status, answer.body, status)
		}
		if status == http.StatusServiceUnavailable && answer.header.Get("Retry-After") == "" {
			t.Errorf("code %s: 503 without Retry-After", code)
		}
		return answer
	}

	first := find(t, login("ada-1", 201), "id")
	if again := find(t, login("ada-2", 201), "id"); again != first {
		t.Errorf("first user %s, then %s", first, again)
	}
	login("ada-1", 400)

	for _, nonsense := range []func(http.ResponseWriter){
		func(w http.ResponseWriter) { fmt.Fprint(w, "<html>busy</html>") },
		func(w http.ResponseWriter) { fmt.Fprint(w, "{}") },
		func(w http.ResponseWriter) { fmt.Fprint(w, `{"errcode":-1,"errmsg":"system error"}`) },
		func(w http.ResponseWriter) { w.WriteHeader(http.StatusBadGateway) },
		func(w http.ResponseWriter) {
			w.Header().Set("Location", "http://127.0.0.1:1/")
			w.WriteHeader(http.StatusFound)
		},
	} {
		vendor.answers(nonsense)
		login("ada-3", 503)
	}
	vendor.answers(nil)
	login("ada-3", 201) // nothing has spent the code
	server.Close()
	login("ada-4", 503)
}
