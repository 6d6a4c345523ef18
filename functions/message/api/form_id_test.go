package api_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/shared/table"
)

// keyPair returns an RSA key pair in PEM, as JSON strings.
func keyPair(t *testing.T) (private, public string) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	inner, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	text := func(kind string, der []byte) string {
		quoted, err := json.Marshal(string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})))
		if err != nil {
			t.Fatal(err)
		}
		return string(quoted)
	}
	return text("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(key)), text("PUBLIC KEY", inner)
}

// TestMessageSetting: given members replace the old ones, secrets are never returned, and other applications do not
// see the setting.
func TestMessageSetting(t *testing.T) {
	p := newPlatform(t)
	private, public := keyPair(t)
	for i, step := range []struct {
		method, vendor, token, body string
		status                      int
		want                        string
	}{
		{"GET", "chat", "shop", "", 200, `{"app_id":"","base_url":"","public_key":"","secrets":[],"vendor":"chat"}`},
		{"PUT", "chat", "shop", `{"app_id":" wx1 ","app_secret":"topsecret"}`, 200, `"secrets":["app_secret"],"vendor":"chat"`},
		{"GET", "chat", "shop", "", 200, `{"app_id":"wx1","base_url":"","public_key":"","secrets":["app_secret"],"vendor":"chat"}`},
		{"PUT", "chat", "shop", `{"app_id":"wx2"}`, 200, `"app_id":"wx2","base_url":"","public_key":"","secrets":["app_secret"]`},
		{"GET", "chat", "bank", "", 200, `{"app_id":"","base_url":"","public_key":"","secrets":[],"vendor":"chat"}`},
		{"GET", "tpay", "shop", "", 200, `"secrets":[],"vendor":"tpay"`},
		{"GET", "sms", "shop", "", 404, "only chat, alt and tpay"},
		{"PUT", "sms", "shop", "{}", 404, "only chat, alt and tpay"},
		{"PUT", "alt", "shop", `{"app_id":"2021","private_key":` + private + `,"public_key":` + public + `}`, 200,
			`"secrets":["private_key"]`},
		{"PUT", "alt", "shop", `{"app_secret":"x"}`, 400, "app_secret is no secret of alt"},
		{"PUT", "alt", "shop", `{"private_key":"x"}`, 400, "private_key must be an RSA private key"},
		{"PUT", "alt", "shop", `{"public_key":"x"}`, 400, "public_key must be"},
		{"PUT", "tpay", "shop", `{"public_key":` + public + `}`, 400, "public_key must be"},
		{"PUT", "chat", "shop", `{"app_secret":""}`, 400, "app_secret must be 1 to 8192 bytes"},
		{"PUT", "chat", "shop", `{"app_secret":7}`, 400, "app_secret must be a string or null"},
		{"PUT", "chat", "shop", `{"app_id":"a\nb"}`, 400, "app_id must be at most 64 bytes on one line"},
		{"PUT", "chat", "shop", `{"app_secret":null}`, 200, `"secrets":[]`},
		{"PUT", "chat", "shop", `{"base_url":" https://vendor.example/api/ "}`, 200, `"base_url":"https://vendor.example/api"`},
		{"PUT", "chat", "shop", `{"app_id":"wx3"}`, 200, `"app_id":"wx3","base_url":"https://vendor.example/api"`},
		{"PUT", "chat", "shop", `{"base_url":"ftp://vendor.example"}`, 400, "base_url: url must start with"},
		{"PUT", "chat", "shop", `{"base_url":"https://vendor.example/?a=b"}`, 400, "base_url must be an address"},
		{"PUT", "chat", "shop", `{"base_url":"https://me:secret@vendor.example"}`, 400, "base_url: url must not hold"},
		{"PUT", "chat", "shop", `{"base_url":"http://127.0.0.1"}`, 400, "base_url: host"},
		{"PUT", "chat", "shop", `{"base_url":"http://169.254.169.254/latest"}`, 400, "base_url: host"},
		{"PUT", "chat", "shop", `{"base_url":"https://vendor.example:22"}`, 400, "base_url: port 22 is not allowed"},
		{"GET", "chat", "shop", "", 200, `"base_url":"https://vendor.example/api"`},
		{"PUT", "chat", "shop", `{"base_url":""}`, 200, `"base_url":""`},
	} {
		p.wantSetting(i, "/oserve/v3/message-setting/"+step.vendor+"/", step.method, step.token, step.body, step.status, step.want)
	}

	name := "SettingsTable"
	all, err := p.client.Scan(t.Context(), &dynamodb.ScanInput{TableName: &name})
	if text := fmt.Sprint(all.Items); err != nil || strings.Contains(text, "topsecret") || strings.Contains(text, "RSA PRIVATE") {
		t.Errorf("a secret is kept in clear: %v %s", err, text)
	}
}

// newUser creates a user of the shop and returns the path of their form ids.
func (p *platform) newUser() string {
	p.Helper()
	users, err := p.tables.Table(p.Context(), shop, table.UserProfiles)
	if err != nil {
		p.Fatal(err)
	}
	made := p.tables.Insert(p.Context(), shop, users, []map[string]any{{"nickname": "Ada"}}, table.Author{})
	if made[0].Err != nil {
		p.Fatal(made[0].Err)
	}
	return fmt.Sprintf("/oserve/v3/user/%d/form-id/", made[0].Row.ID.Number())
}

// TestStoresFormIDs: a form id allows the messages of the contract, lives for seven days, is stored once, and belongs
// to a user of the application.
func TestStoresFormIDs(t *testing.T) {
	p := newPlatform(t)
	here := p.newUser()
	for i, step := range []struct {
		path, token, body string
		status            int
		want              string
	}{
		{here, "shop", `{"vendor":"chat","kind":"form","form_id":"f1"}`, 201, `"form_id":"f1","kind":"form","left":1`},
		{here, "shop", `{"vendor":"chat","kind":"form","form_id":"f1"}`, 201, `"left":1`},
		{here, "shop", `{"vendor":"chat","kind":"payment","form_id":"f1"}`, 201, `"kind":"form","left":1`},
		{here, "shop", `{"vendor":"chat","kind":"payment","form_id":"p1"}`, 201, `"left":3`},
		{here, "shop", `{"vendor":"alt","kind":"form","form_id":"f1"}`, 201, `"left":3`},
		{here, "shop", `{"vendor":"alt","kind":"payment","form_id":"p1"}`, 201, `"left":3`},
		{here, "shop", `{"vendor":"tpay","kind":"form","form_id":"f#1"}`, 201, `"form_id":"f#1","kind":"form","left":1`},
		{here, "shop", `{"vendor":"tpay","kind":"payment","form_id":"p1"}`, 400, "kind: tpay takes no form ids of payments"},
		{here, "shop", `{"vendor":"sms","kind":"form","form_id":"p1"}`, 400, "vendor must be one of"},
		{here, "shop", `{"vendor":"chat","kind":"tap","form_id":"p1"}`, 400, "kind must be one of"},
		{here, "shop", `{"vendor":"chat","kind":"form","form_id":"the formId is a mock one"}`, 400, "form_id must be that of a real device"},
		{here, "shop", `{"vendor":"chat","kind":"form"}`, 400, "form_id must be"},
		{here, "bank", `{"vendor":"chat","kind":"form","form_id":"f2"}`, 404, "not found"},
		{"/oserve/v3/user/none/form-id/", "shop", `{"vendor":"chat","kind":"form","form_id":"f2"}`, 404, "not found"},
	} {
		p.wantSetting(i, step.path, "POST", step.token, step.body, step.status, step.want)
	}

	const all = `{"alt":{"form":3,"payment":3},"chat":{"form":1,"payment":3},"tpay":{"form":1,"payment":0}}`
	p.wantSetting(0, here, "GET", "shop", "", 200, all)
	p.wantSetting(1, here, "GET", "bank", "", 404, "not found")
	p.now = p.now.Add(7*24*time.Hour - time.Second)
	p.wantSetting(2, here, "GET", "shop", "", 200, all)
	p.now = p.now.Add(time.Second)
	p.wantSetting(3, here, "GET", "shop", "", 200,
		`{"alt":{"form":0,"payment":0},"chat":{"form":0,"payment":0},"tpay":{"form":0,"payment":0}}`)
}
