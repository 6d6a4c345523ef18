package idp

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha1"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strings"

	"minicloud/shared/errs"
)

// Data is what the host of a mini program told the page about its user. The page can read rawData, but neither forge
// its signature nor read encryptedData, because it has no session key.
type Data struct {
	RawData       string // JSON
	Signature     string // hex SHA-1 of RawData and the session key
	EncryptedData string // base64, AES-128-CBC with the session key
	IV            string // base64, 16 bytes
}

// hasRaw and hasEncrypted report whether a part is given.
func (d Data) hasRaw() bool       { return d.RawData != "" || d.Signature != "" }
func (d Data) hasEncrypted() bool { return d.EncryptedData != "" || d.IV != "" }

// errNoKey is the error without a session key: the user must log in first, or send a code.
var errNoKey = errs.Invalid("code is required: there is no session key of an earlier login")

// Verify returns the identity with the profile that the data tells, and with the union id if it was unknown. It returns
// errs.Invalid, which names the field, for a wrong signature, data that the key does not decrypt, and data of another
// app or user.
func (d Data) Verify(sessionKey, appID string, of Identity) (Identity, error) {
	if sessionKey == "" {
		return of, errNoKey
	}
	if d.hasRaw() {
		var told vendorProfile
		if err := d.verify(sessionKey); err != nil {
			return of, err
		}
		if json.Unmarshal([]byte(d.RawData), &told) != nil {
			return of, errs.Invalid("rawData must be the JSON of a profile")
		}
		of.Profile = told.profile()
	}
	if !d.hasEncrypted() {
		return of, nil
	}

	var told struct {
		vendorProfile
		OpenID  string `json:"openId"`
		UnionID string `json:"unionId"`
	}
	if err := d.decrypt(sessionKey, appID, &told); err != nil {
		return of, err
	}
	if told.OpenID != "" && of.OpenID != "" && told.OpenID != of.OpenID ||
		told.UnionID != "" && of.UnionID != "" && told.UnionID != of.UnionID {
		return of, errs.Invalid("encryptedData is of another user")
	}
	// The encrypted profile wins: it contains all of rawData.
	of.Profile = told.profile()
	if of.UnionID == "" {
		of.UnionID = told.UnionID
	}
	return of, nil
}

// Phone is a phone number that a vendor has verified.
type Phone struct {
	PhoneNumber string `json:"phoneNumber"` // with the country code if it is a foreign one
	PureNumber  string `json:"purePhoneNumber"`
	// CountryCode is a text or a number, as the vendor likes.
	CountryCode json.RawMessage `json:"countryCode"`
}

// home is the country code of numbers that are written without one.
const home = "86"

// Number returns the number as accounts store it: without country code at home, else with + and the code.
func (p Phone) Number() (string, error) {
	code := strings.Trim(string(p.CountryCode), `"+ `)
	number := p.PureNumber
	switch {
	case number == "":
		number = p.PhoneNumber
	case code != "" && code != "null" && code != home:
		number = "+" + code + number
	}
	if number == "" {
		return "", errs.Invalid("the vendor tells no phone number")
	}
	return number, nil
}

// Phone returns the phone number in encryptedData. Its errors are those of Verify.
func (d Data) Phone(sessionKey, appID string) (p Phone, err error) {
	if sessionKey == "" {
		return p, errNoKey
	}
	return p, d.decrypt(sessionKey, appID, &p)
}

// verify returns errs.Invalid if the signature is not of rawData.
func (d Data) verify(sessionKey string) error {
	sum := sha1.Sum([]byte(d.RawData + sessionKey))
	given := strings.ToLower(d.Signature)
	if subtle.ConstantTimeCompare([]byte(hex.EncodeToString(sum[:])), []byte(given)) != 1 {
		return errs.Invalid("signature is not that of rawData")
	}
	return nil
}

// decrypt decodes encryptedData, which must be of our app. All keys and paddings that are wrong have one error, which
// tells nothing about the plaintext.
func (d Data) decrypt(sessionKey, appID string, to any) error {
	text, err := d.plaintext(sessionKey)
	var mark struct {
		Watermark *struct {
			AppID string `json:"appid"`
		} `json:"watermark"`
	}
	if err != nil || json.Unmarshal(text, &mark) != nil || json.Unmarshal(text, to) != nil {
		return errs.Invalid("encryptedData or iv is wrong: the session key does not decrypt them")
	}
	if mark.Watermark == nil || mark.Watermark.AppID != appID {
		return errs.Invalid("encryptedData is of another app")
	}
	return nil
}

// plaintext decrypts AES-128-CBC with PKCS#7 padding.
func (d Data) plaintext(sessionKey string) ([]byte, error) {
	wrong := errs.Invalid("encryptedData is wrong")
	key, err := decode(sessionKey)
	if err != nil || len(key) != 16 {
		return nil, wrong
	}
	iv, err := decode(d.IV)
	if err != nil || len(iv) != aes.BlockSize {
		return nil, wrong
	}
	data, err := decode(d.EncryptedData)
	if err != nil || len(data) == 0 || len(data)%aes.BlockSize != 0 {
		return nil, wrong
	}

	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	cipher.NewCBCDecrypter(block, iv).CryptBlocks(data, data)
	padding := int(data[len(data)-1])
	if padding == 0 || padding > aes.BlockSize {
		return nil, wrong
	}
	for _, b := range data[len(data)-padding:] {
		if int(b) != padding {
			return nil, wrong
		}
	}
	return data[:len(data)-padding], nil
}

// decode decodes base64. A form may have turned its plus signs into spaces.
func decode(text string) ([]byte, error) {
	return base64.StdEncoding.DecodeString(strings.ReplaceAll(text, " ", "+"))
}
