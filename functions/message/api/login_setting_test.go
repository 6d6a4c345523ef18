package api_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// TestLoginSetting: given members replace the old ones, the secret is never returned or stored in plaintext, and every
// provider and application has its own setting.
func TestLoginSetting(t *testing.T) {
	p := newPlatform(t)
	const web, mp = "oauth-chat-web", "oauth-chat-mp"
	const empty = `{"app_id":"","base_url":"","provider":"oauth-chat-web","secrets":[]}`
	const whole = `{"app_id":"wx1","base_url":"https://vendor.example","provider":"oauth-chat-web","secrets":["app_secret"]}`
	for i, step := range []struct {
		method, provider, token, body string
		status                        int
		want                          string
	}{
		{"GET", web, "shop", "", 200, empty},
		{"PUT", web, "shop", `{"app_id":" wx1 ","app_secret":"topsecret"}`, 200, `"secrets":["app_secret"]`},
		{"PUT", web, "shop", `{"base_url":"https://vendor.example/"}`, 200, whole},
		{"GET", web, "shop", "", 200, whole},
		{"GET", web, "bank", "", 200, empty},
		{"GET", mp, "shop", "", 200, `"app_id":""`},
		{"PUT", web, "shop", `{"base_url":"http://10.0.0.1"}`, 400, "base_url: host"},
		{"PUT", web, "shop", `{"app_id":"a\nb"}`, 400, "app_id must be at most 64 bytes on one line"},
		{"PUT", web, "shop", `{"app_secret":""}`, 400, "app_secret must be 1 to 8192 bytes"},
		{"GET", web, "shop", "", 200, whole},
		{"PUT", web, "shop", `{"app_secret":null}`, 200, `"secrets":[]`},
		{"GET", "chat", "shop", "", 404, "there is no login provider"},
		{"PUT", "oauth-", "shop", `{}`, 404, "there is no login provider"},
		{"PUT", "oauth-A", "shop", `{}`, 404, "there is no login provider"},
		{"PUT", "oauth-" + strings.Repeat("a", 40), "shop", `{}`, 404, "there is no login provider"},
	} {
		path := "/oserve/v3/login-setting/" + step.provider + "/"
		p.wantSetting(i, path, step.method, step.token, step.body, step.status, step.want)
	}

	// The list has the providers with a setting, in the order of their names; a cleared setting is as none.
	const list = "/oserve/v3/login-setting/"
	const inChat = `{"app_id":"wx2","base_url":"","provider":"oauth-chat-mp","secrets":[]}`
	const keycloak = `{"app_id":"shop","base_url":"https://id.example","provider":"oauth-keycloak","secrets":["app_secret"]}`
	for i, step := range []struct{ method, path, token, body, want string }{
		{"GET", "", "shop", "", `"provider":"oauth-chat-web"`},
		{"PUT", "oauth-keycloak/", "shop", `{"app_id":"shop","base_url":"https://id.example","app_secret":"topsecret"}`, keycloak},
		{"PUT", "oauth-chat-mp/", "shop", `{"app_id":"wx2"}`, inChat},
		{"PUT", "oauth-chat-web/", "shop", `{"app_id":"","base_url":""}`, empty},
		{"GET", "", "shop", "", `"objects":[` + inChat + "," + keycloak + "]"},
		{"GET", "?limit=1", "shop", "", `"objects":[` + inChat + "]"},
		{"GET", "?limit=1&offset=1", "shop", "", `"objects":[` + keycloak + "]"},
		{"GET", "", "bank", "", `"objects":[]`},
	} {
		p.wantSetting(100+i, list+step.path, step.method, step.token, step.body, 200, step.want)
	}

	name := "SettingsTable"
	all, err := p.client.Scan(t.Context(), &dynamodb.ScanInput{TableName: &name})
	if text := fmt.Sprint(all.Items); err != nil || strings.Contains(text, "topsecret") {
		t.Errorf("a secret is stored in plaintext: %v %s", err, text)
	}
}
