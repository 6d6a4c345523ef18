package api_test

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/dynamo/settingdb"
	"minicloud/shared/dynamo/userdb"
	"minicloud/shared/errs"
	"minicloud/shared/message/messaging"
	"minicloud/shared/message/templatemessage"
	"minicloud/shared/secret/sealed/sealedtest"
	"minicloud/shared/tenant"
	"minicloud/shared/user/idp"
)

// vendors is a fake of all vendors: it gives codes to persons, each for one use.
type vendors struct {
	settings *messaging.Settings

	mu      sync.Mutex
	next    int
	codes   map[string]person
	keys    map[string]string // the last session key of each openid
	down    bool
	tokens  int      // access tokens given
	refused []string // access tokens that are no longer valid
}

// person is a user of a vendor.
type person struct {
	vendor          messaging.Vendor
	openID, unionID string
	phone           string // the code is for the phone number
	nick            string // alt tells the profile
}

func (p *platform) openVendors(client *dynamodb.Client) *idp.Service {
	const table = "SettingsTable"
	v := &vendors{codes: map[string]person{}, keys: map[string]string{}, settings: &messaging.Settings{
		VendorStores: settingdb.Vendors(client, table), Providers: &settingdb.Providers{Client: client, Table: table}, Sealer: sealedtest.Sealer{}, Clock: p.time,
	}}
	p.vendors = v
	return &idp.Service{
		Accounts: &templatemessage.Accounts{
			Settings: v.settings, Sealer: sealedtest.Sealer{},
			Tokens: &templatemessage.Tokens{
				Store: &settingdb.Tokens{Client: client, Table: table}, Sealer: sealedtest.Sealer{}, Clock: p.time,
				Givers: map[messaging.Vendor]templatemessage.TokenGiver{messaging.Chat: v, messaging.Tpay: v},
			},
		},
		Exchanges: map[messaging.Vendor]idp.Exchange{messaging.Chat: v, messaging.Alt: v, messaging.Tpay: v},
		Phones:    v, Logins: p.logins, Keys: &userdb.SessionKeys{Client: client, Table: "UsersTable"},
	}
}

const appID, appSecret = "wx1", "topsecret"

var privateKey = func() string {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
}()

// configure stores the settings of all vendors in an environment.
func (v *vendors) configure(t testing.TB, scope tenant.Scope) {
	t.Helper()
	id := appID
	for _, vendor := range messaging.Vendors {
		secret := appSecret
		if vendor == messaging.Alt {
			secret = privateKey
		}
		patch := messaging.VendorPatch{AppID: &id, Secrets: map[string]*string{vendor.SecretName(): &secret}}
		if _, err := v.settings.PutVendor(t.Context(), scope, vendor, patch); err != nil {
			t.Fatal(err)
		}
	}
}

// items returns all items of a table.
func (p *platform) items(t testing.TB, table string) []map[string]types.AttributeValue {
	t.Helper()
	all, err := p.sessions.Client.Scan(t.Context(), &dynamodb.ScanInput{TableName: &table})
	if err != nil {
		t.Fatal(err)
	}
	return all.Items
}

// code returns a new code of a person.
func (v *vendors) code(p person) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.next++
	code := fmt.Sprintf("code-%d", v.next)
	v.codes[code] = p
	return code
}

// take spends a code.
func (v *vendors) take(code string) (person, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	p, ok := v.codes[code]
	delete(v.codes, code)
	if ok && p.vendor != messaging.Alt {
		v.keys[p.openID] = keyOf(code)
	}
	return p, ok
}

// keyOf returns the session key that the vendors give for a code.
func keyOf(code string) string {
	sum := sha256.Sum256([]byte(code))
	return base64.StdEncoding.EncodeToString(sum[:16])
}

func (v *vendors) fail(down bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.down = down
}

// key returns the session key of a person's last login.
func (v *vendors) key(openID string) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.keys[openID]
}

// Exchange implements idp.Exchange.
func (v *vendors) Exchange(
	_ context.Context, who templatemessage.Identity, code string, profile bool,
) (i idp.Identity, err error) {
	v.mu.Lock()
	down := v.down
	v.mu.Unlock()
	if down {
		return i, idp.Unreachable(messaging.Chat, errs.Unavailable(0, "down"))
	}
	p, ok := v.take(code)
	if !ok || who.AppID != appID || who.Secret != appSecret && who.Secret != privateKey {
		return i, idp.Refused(messaging.Chat, "40163", "code been used")
	}
	i = idp.Identity{Vendor: p.vendor, OpenID: p.openID, UnionID: p.unionID, SessionKey: v.key(p.openID)}
	if profile {
		i.Profile = idp.Profile{Nickname: p.nick, City: "Hangzhou", Gender: 2}
	}
	return i, nil
}

// Token implements templatemessage.TokenGiver.
func (v *vendors) Token(context.Context, templatemessage.Identity, bool) (string, time.Duration, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.tokens++
	return fmt.Sprintf("access-%d", v.tokens), time.Hour, nil
}

// Phone implements idp.PhoneExchange. Only the last access token is valid, and none of refused.
func (v *vendors) Phone(
	_ context.Context, _ templatemessage.Identity, token, code string,
) (idp.Phone, error) {
	v.mu.Lock()
	last := fmt.Sprintf("access-%d", v.tokens)
	for _, refused := range v.refused {
		if refused == token {
			last = ""
		}
	}
	v.mu.Unlock()
	if token != last {
		return idp.Phone{}, &templatemessage.Refusal{Verdict: templatemessage.BadToken, Code: "40001"}
	}
	p, ok := v.take(code)
	if !ok {
		return idp.Phone{}, &templatemessage.Refusal{Verdict: templatemessage.BadUser, Code: "40029", Message: "invalid code"}
	}
	return idp.Phone{PhoneNumber: p.phone}, nil
}

// body is the body of a request.
type body map[string]any

func (b body) with(more body) body {
	next := maps.Clone(b)
	maps.Copy(next, more)
	return next
}

func (b body) String() string {
	text, err := json.Marshal(b)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// sealed returns what a host tells a page of a profile or a phone number: signed and encrypted with a key.
func sealed(key string, of map[string]any, app string) body {
	raw, err := json.Marshal(of)
	if err != nil {
		panic(err)
	}
	sum := sha1.Sum(append(raw, key...))
	marked := maps.Clone(of)
	marked["watermark"] = map[string]any{"appid": app, "timestamp": 1}
	text, err := json.Marshal(marked)
	if err != nil {
		panic(err)
	}
	n := aes.BlockSize - len(text)%aes.BlockSize
	text = append(text, bytes.Repeat([]byte{byte(n)}, n)...)
	secret, err := base64.StdEncoding.DecodeString(key)
	if err != nil {
		panic(err)
	}
	block, err := aes.NewCipher(secret)
	if err != nil {
		panic(err)
	}
	iv := []byte("0123456789abcdef")
	cipher.NewCBCEncrypter(block, iv).CryptBlocks(text, text)
	return body{
		"rawData": string(raw), "signature": hex.EncodeToString(sum[:]),
		"encryptedData": base64.StdEncoding.EncodeToString(text), "iv": base64.StdEncoding.EncodeToString(iv),
	}
}
