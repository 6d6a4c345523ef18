package idp_test

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha1"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"minicloud/shared/errs"
	"minicloud/shared/user/idp"
)

var (
	key   = base64.StdEncoding.EncodeToString([]byte("sixteen bytes ok"))
	other = base64.StdEncoding.EncodeToString([]byte("sixteen bytes no"))
	iv    = base64.StdEncoding.EncodeToString([]byte("0123456789abcdef"))
)

// sign returns the signature of a host.
func sign(raw, key string) string {
	sum := sha1.Sum([]byte(raw + key))
	return hex.EncodeToString(sum[:])
}

// pad adds PKCS#7 padding.
func pad(text string) []byte {
	n := aes.BlockSize - len(text)%aes.BlockSize
	return append([]byte(text), bytes.Repeat([]byte{byte(n)}, n)...)
}

// encrypt encrypts padded text as a host does.
func encrypt(t testing.TB, padded []byte, key string) string {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString(key)
	if err != nil {
		t.Fatal(err)
	}
	block, err := aes.NewCipher(raw)
	if err != nil {
		t.Fatal(err)
	}
	vector, err := base64.StdEncoding.DecodeString(iv)
	if err != nil {
		t.Fatal(err)
	}
	cipher.NewCBCEncrypter(block, vector).CryptBlocks(padded, padded)
	return base64.StdEncoding.EncodeToString(padded)
}

const profileJSON = `{"nickName":"Ada","avatarUrl":"https://a.example/1.png","gender":2,"country":"CN","province":"Hubei",` +
	`"city":"Wuhan","language":"zh_CN"`

// TestVerifiesDataOfTheHost: signed and encrypted data is accepted only with the session key, for our app and the same
// user.
func TestVerifiesDataOfTheHost(t *testing.T) {
	ada := idp.Identity{OpenID: "o1", UnionID: "u1"}
	profile := idp.Profile{
		Nickname: "Ada", Avatar: "https://a.example/1.png", Gender: 2, Country: "CN", Province: "Hubei", City: "Wuhan",
		Language: "zh_CN",
	}
	raw := profileJSON + "}"
	whole := profileJSON + `,"openId":"o1","unionId":"u1","watermark":{"appid":"wx1","timestamp":1}}`
	sealed := encrypt(t, pad(whole), key)

	for name, good := range map[string]idp.Data{
		"both": {RawData: raw, Signature: sign(raw, key), EncryptedData: sealed, IV: iv},
		"raw":  {RawData: raw, Signature: strings.ToUpper(sign(raw, key))}, "encrypted": {EncryptedData: sealed, IV: iv},
		"plus signs lost in a form": {EncryptedData: strings.ReplaceAll(sealed, "+", " "), IV: iv},
	} {
		want := ada
		want.Profile = profile
		if got, err := good.Verify(key, "wx1", ada); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	if got, err := (idp.Data{EncryptedData: sealed, IV: iv}).Verify(key, "wx1", idp.Identity{OpenID: "o1"}); err != nil || got.UnionID != "u1" {
		t.Errorf("an unknown union id is %+v, %v", got, err)
	}

	enc := func(text string) idp.Data { return idp.Data{EncryptedData: encrypt(t, pad(text), key), IV: iv} }
	broken := []byte(whole + strings.Repeat(" ", aes.BlockSize-len(whole)%aes.BlockSize)) // no padding
	zero := append(broken[:len(broken)-1:len(broken)-1], 0)
	for name, c := range map[string]struct {
		data idp.Data
		want string
	}{
		"forged signature":          {idp.Data{RawData: raw, Signature: sign(raw, other)}, "signature"},
		"signature of other data":   {idp.Data{RawData: raw, Signature: sign(raw+" ", key)}, "signature"},
		"no signature":              {idp.Data{RawData: raw}, "signature"},
		"signature alone":           {idp.Data{Signature: sign(raw, key)}, "signature"},
		"signed nonsense":           {idp.Data{RawData: "no", Signature: sign("no", key)}, "rawData"},
		"forged beside encrypted":   {idp.Data{RawData: raw, Signature: "00", EncryptedData: sealed, IV: iv}, "signature"},
		"encrypted by another key":  {idp.Data{EncryptedData: encrypt(t, pad(whole), other), IV: iv}, "encryptedData"},
		"another iv":                {idp.Data{EncryptedData: sealed, IV: key}, "encryptedData"},
		"no iv":                     {idp.Data{EncryptedData: sealed}, "iv"},
		"iv alone":                  {idp.Data{IV: iv}, "encryptedData"},
		"short iv":                  {idp.Data{EncryptedData: sealed, IV: "AAAA"}, "iv"},
		"no base64":                 {idp.Data{EncryptedData: "!", IV: iv}, "encryptedData"},
		"half a block":              {idp.Data{EncryptedData: "AAAA", IV: iv}, "encryptedData"},
		"no padding":                {idp.Data{EncryptedData: encrypt(t, bytes.Clone(broken), key), IV: iv}, "encryptedData"},
		"padding of zero":           {idp.Data{EncryptedData: encrypt(t, bytes.Clone(zero), key), IV: iv}, "encryptedData"},
		"encrypted nonsense":        {enc("no"), "encryptedData"},
		"another app":               {enc(profileJSON + `,"openId":"o1","watermark":{"appid":"wx2"}}`), "another app"},
		"no watermark":              {enc(profileJSON + `,"openId":"o1"}`), "another app"},
		"another user":              {enc(profileJSON + `,"openId":"o2","watermark":{"appid":"wx1"}}`), "another user"},
		"another person at the top": {enc(profileJSON + `,"unionId":"u2","watermark":{"appid":"wx1"}}`), "another user"},
	} {
		_, err := c.data.Verify(key, "wx1", ada)
		if !errs.Is(err, errs.KindInvalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error of %s", name, err, c.want)
		}
	}
	for _, bad := range []string{"", "!", "AAAA"} {
		if _, err := (idp.Data{EncryptedData: sealed, IV: iv}).Verify(bad, "wx1", ada); !errs.Is(err, errs.KindInvalid) {
			t.Errorf("session key %q: %v", bad, err)
		}
	}
}

// TestReadsPhones: numbers at home have no country code, and others have.
func TestReadsPhones(t *testing.T) {
	mark := `,"watermark":{"appid":"wx1"}}`
	for text, want := range map[string]string{
		`{"phoneNumber":"13800138000","purePhoneNumber":"13800138000","countryCode":"86"`:    "13800138000",
		`{"phoneNumber":"13800138000","purePhoneNumber":"13800138000","countryCode":86`:      "13800138000",
		`{"phoneNumber":"+4915123456789","purePhoneNumber":"15123456789","countryCode":"49"`: "+4915123456789",
		`{"phoneNumber":"+4915123456789"`:                                                    "+4915123456789",
		`{"purePhoneNumber":"13800138000"`:                                                   "13800138000",
		`{"phoneNumber":""`:                                                                  "",
	} {
		data := idp.Data{EncryptedData: encrypt(t, pad(text+mark), key), IV: iv}
		phone, err := data.Phone(key, "wx1")
		if err != nil {
			t.Fatal(text, err)
		}
		if got, err := phone.Number(); got != want || (want == "") != errs.Is(err, errs.KindInvalid) {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
	stolen := idp.Data{EncryptedData: encrypt(t, pad(`{"phoneNumber":"1","watermark":{"appid":"wx2"}}`), key), IV: iv}
	if phone, err := stolen.Phone(key, "wx1"); !errs.Is(err, errs.KindInvalid) {
		t.Errorf("the number of another app: %+v, %v", phone, err)
	}
	if phone, err := stolen.Phone("", "wx2"); !errs.Is(err, errs.KindInvalid) {
		t.Errorf("without a session key: %+v, %v", phone, err)
	}
}

// FuzzData: no data of a page makes it panic, and without the key nothing is accepted.
func FuzzData(f *testing.F) {
	f.Add("{}", "00", "AAAA", "AAAA")
	f.Add(profileJSON, sign(profileJSON, other), encrypt(f, pad(profileJSON), other), iv)
	f.Fuzz(func(t *testing.T, raw, signature, encrypted, iv string) {
		data := idp.Data{RawData: raw, Signature: signature, EncryptedData: encrypted, IV: iv}
		if got, err := data.Verify(key, "wx1", idp.Identity{}); err == nil && got.Profile != (idp.Profile{}) {
			t.Errorf("%+v is accepted: %+v", data, got)
		}
		_, _ = data.Phone(key, "wx1")
	})
}
