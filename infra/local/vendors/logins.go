package vendors

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
)

// SessionKey returns the session key that chat and tpay give for a code: 16 bytes in base64. Tests sign and encrypt with
// it what the host of a mini program would.
func SessionKey(code string) string {
	sum := sha256.Sum256([]byte("session key of " + code))
	return base64.StdEncoding.EncodeToString(sum[:16])
}

// identityOf returns the ids that a code stands for (C11). The same code works again and again, so that a person can log
// in twice; the prefixes "wrong" and "used" make the vendor refuse.
func identityOf(code string) (openID, unionID, refusal string) {
	switch {
	case code == "", strings.HasPrefix(code, "wrong"):
		return "", "", "invalid code"
	case strings.HasPrefix(code, "used"):
		return "", "", "code been used"
	}
	if _, union, ok := strings.Cut(code, "~"); ok {
		unionID = "stub-union-" + union
	}
	return "stub-" + code, unionID, ""
}

// exchange serves code2Session of chat and tpay.
func (a *API) exchange(w http.ResponseWriter, asked url.Values) {
	a.Count("Login")
	if secret := asked.Get("secret"); secret == "" || strings.HasPrefix(secret, "wrong") {
		code(w, badSecret, "invalid appsecret")
		return
	}
	openID, unionID, refusal := identityOf(asked.Get("js_code"))
	switch {
	case asked.Get("appid") == "":
		code(w, badApp, "invalid appid")
	case refusal == "code been used":
		code(w, usedCode, refusal)
	case refusal != "":
		code(w, badCode, refusal)
	default:
		told := map[string]string{"openid": openID, "session_key": SessionKey(asked.Get("js_code"))}
		if unionID != "" {
			told["unionid"] = unionID
		}
		write(w, told)
	}
}

// tellPhone serves getuserphonenumber of chat: the digits of the code are the number.
func (a *API) tellPhone(w http.ResponseWriter, token string, body []byte) {
	a.Count("Phone")
	var asked struct{ Code string }
	_ = json.Unmarshal(body, &asked) // a missing code is a wrong one
	number := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, asked.Code)
	_, _, refusal := identityOf(asked.Code)
	switch {
	case !a.knows(token):
		code(w, badToken, "invalid access_token")
	case refusal != "" || number == "":
		code(w, badCode, "invalid code")
	default:
		write(w, map[string]any{"errcode": 0, "errmsg": "ok", "phone_info": map[string]any{
			"phoneNumber": number, "purePhoneNumber": number, "countryCode": "86",
		}})
	}
}

const altToken = "token of "

// tellAlt serves the token of a user of alt, and their profile. Both verify no signature, as takeForm.
func (a *API) tellAlt(w http.ResponseWriter, form url.Values) {
	a.Count("Login")
	refuse := func(sub string) {
		write(w, map[string]any{"error_response": map[string]string{
			"code": "40002", "msg": "Invalid Arguments", "sub_code": sub, "sub_msg": sub,
		}})
	}
	userOfToken, known := strings.CutPrefix(form.Get("auth_token"), altToken)
	openID, _, refusal := identityOf(form.Get("code"))
	switch method := form.Get("method"); {
	case form.Get("sign") == "" || form.Get("app_id") == "":
		refuse("isv.invalid-signature")
	case method == altProfile && known:
		write(w, map[string]any{"alipay_user_info_share_response": map[string]string{
			"code": "10000", "msg": "Success", "user_id": userOfToken, "nick_name": userOfToken, "gender": "f",
			"avatar": "https://vendor.example/" + userOfToken + ".png", "province": "Zhejiang", "city": "Hangzhou",
		}})
	case method == altProfile:
		refuse("aop.invalid-auth-token")
	case refusal != "":
		refuse("isv.code-invalid")
	default:
		write(w, map[string]any{"alipay_system_oauth_token_response": map[string]any{
			"user_id": openID, "access_token": altToken + openID, "expires_in": 3600,
		}})
	}
}
