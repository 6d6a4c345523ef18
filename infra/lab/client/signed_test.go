package client_test

import (
	"testing"

	"minicloud/infra/lab/client"
)

// TestNotification: fields are sorted and escaped, and signed as they are with the key behind them.
func TestNotification(t *testing.T) {
	const want = "<xml><a>1</a><b>&lt;2&gt;</b><sign>8635854EF185569C7CCE1E17639DFF19</sign></xml>"
	if got := string(client.Notification("k", map[string]string{"b": "<2>", "a": "1"})); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestClaims: a token has three parts and the signature of its key.
func TestClaims(t *testing.T) {
	const content = "eyJhbGciOiJIUzI1NiJ9.eyJuIjoxfQ"
	const token = content + ".GSTi2PMESxMH_aE_BVaQxKz7obCYwCjbrtLvO3d17FE"
	if got, err := client.Claims(token, "k"); err != nil || string(got) != `{"n":1}` {
		t.Errorf("%s, %v", got, err)
	}
	for _, wrong := range []string{"", "a.b", content + ".!", content + "." + content, token + "A"} {
		if got, err := client.Claims(wrong, "k"); err == nil {
			t.Errorf("%q: %s", wrong, got)
		}
	}
	if _, err := client.Claims(token, "other"); err == nil {
		t.Error("the key is not looked at")
	}
}
