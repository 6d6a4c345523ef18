package scenario_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"testing"

	"minicloud/infra/local/vendors"
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
	find(t, owner.ask(t, "PUT", "/oserve/v3/message-setting/alt/", `{"app_id":"2021","private_key":`+string(private)+`}`), "vendor")
}

// lettingClientsUpdate switches client_profile_update on. It must come before the first request of an end user: programs
// keep an application in memory for 10 seconds.
func (c caller) lettingClientsUpdate(t *testing.T) caller {
	t.Helper()
	find(t, c.ask(t, "PUT", "/oserve/v1.8/application-setting/", `{"client_profile_update":true}`), "client_profile_update")
	return c
}
