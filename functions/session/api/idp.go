package api

import (
	"context"
	"encoding/json"
	"strings"

	"minicloud/shared/app"
	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/message/messaging"
	"minicloud/shared/user"
	"minicloud/shared/user/idp"
	"minicloud/shared/user/login"
)

// vendorName is the vendor of a path, with its alias, or a provider of logins for web pages.
type vendorName messaging.Vendor

// ReadText implements the reading of path parameters.
func (v *vendorName) ReadText(name string) error {
	if strings.HasPrefix(name, oauthPrefix) {
		return (*messaging.Provider)(v).ReadText(name)
	}
	vendor, err := idp.VendorOf(name)
	*v = vendorName(vendor)
	return err
}

type byVendor struct {
	Vendor vendorName `path:"vendor" schema:"LoginVendor"`
}

// hostData is what the host of the mini-program told the page.
type hostData struct {
	RawData       string `json:"rawData" maxLength:"65536"`       // The profile as JSON.
	Signature     string `json:"signature" maxLength:"128"`       // The hex SHA-1 of rawData and the session key.
	EncryptedData string `json:"encryptedData" maxLength:"65536"` // Base64, AES-128-CBC with the session key.
	IV            string `json:"iv" maxLength:"64"`               // Base64.
}

func (d hostData) data() idp.Data {
	return idp.Data{RawData: d.RawData, Signature: d.Signature, EncryptedData: d.EncryptedData, IV: d.IV}
}

type profileUpdate struct {
	// The fields of the user that the profile changes: all, those without a value (the default), or none.
	Update json.RawMessage `json:"update_userprofile" schema:"ProfileUpdate"`
}

func (u profileUpdate) read() (idp.ProfileUpdate, error) {
	switch update := idp.ProfileUpdate(strings.Trim(string(u.Update), `"`)); update {
	case "", "null":
		return idp.SetUnset, nil
	case idp.Overwrite, idp.SetUnset, idp.Keep:
		return update, nil
	}
	return "", errs.Invalid("update_userprofile must be overwrite, setnx or false")
}

type silentLogin struct {
	byVendor
	Code      string `json:"code" maxLength:"512"`          // One-time, of a mini-program's vendor; required there.
	Token     string `json:"auth_token" maxLength:"128"`    // Of a provider for web pages; required there.
	Verifier  string `json:"code_verifier" maxLength:"128"` // Required if the redirect had a code_challenge.
	Create    *bool  `json:"create_user"`                   // True by default. False: 404 if there is no user.
	WithUnion bool   `json:"login_with_unionid"`            // Find the user by the union id first. Only for chat.
}

// request returns the request of a login.
func (in silentLogin) request(ctx context.Context) (idp.Request, error) {
	caller := httpapi.From(ctx)
	r := idp.Request{
		Vendor: messaging.Vendor(in.Vendor), Code: in.Code, Create: in.Create == nil || *in.Create,
		WithUnion: in.WithUnion, From: sender(ctx), Before: caller.User,
	}
	return r, login.Allow(caller.Application.Settings, app.LoginMethod(r.Vendor))
}

// silentLogin serves POST /hserve/v2.5/idp/:vendor/silent-login/.
func (g *Group) silentLogin(ctx context.Context, in silentLogin) (VendorLogin, error) {
	if p, web := in.provider(); web {
		return g.loginByToken(ctx, p, in.token(profileUpdate{}), true)
	}
	r, err := in.request(ctx)
	if err != nil {
		return nil, err
	}
	return vendorAnswer(g.Vendors.SilentLogin(ctx, httpapi.Scope(ctx), r))
}

type authenticate struct {
	silentLogin
	hostData
	profileUpdate
}

// authenticate serves POST /hserve/v2.5/idp/:vendor/authenticate/.
func (g *Group) authenticate(ctx context.Context, in authenticate) (VendorLogin, error) {
	if p, web := in.provider(); web {
		return g.loginByToken(ctx, p, in.token(in.profileUpdate), false)
	}
	r, err := in.request(ctx)
	if err != nil {
		return nil, err
	}
	if r.Update, err = in.read(); err != nil {
		return nil, err
	}
	r.Data = in.data()
	return vendorAnswer(g.Vendors.Authenticate(ctx, httpapi.Scope(ctx), r))
}

// phoneData is a phone number as the host tells it.
type phoneData struct {
	EncryptedData string `json:"encryptedData" maxLength:"65536"`
	IV            string `json:"iv" maxLength:"64"`
	PhoneCode     string `json:"phone_code" maxLength:"512"` // One-time, of the vendor, instead of encryptedData and iv.
}

type phoneLogin struct {
	Code   string `json:"code" required:"true" maxLength:"512"`
	Create *bool  `json:"create_user"` // True by default. False: 404 if there is no user.
	phoneData
}

// phoneLogin serves POST /hserve/v2.7/idp/chat/phone-login/.
func (g *Group) phoneLogin(ctx context.Context, in phoneLogin) (VendorLogin, error) {
	r, err := silentLogin{byVendor: ofChat, Code: in.Code, Create: in.Create}.request(ctx)
	if err != nil {
		return nil, err
	}
	r.Data, r.PhoneCode = idp.Data{EncryptedData: in.EncryptedData, IV: in.IV}, in.PhoneCode
	return vendorAnswer(g.Vendors.PhoneLogin(ctx, httpapi.Scope(ctx), r))
}

var ofChat = byVendor{Vendor: vendorName(messaging.Chat)}

type phoneVerification struct {
	phoneData
	Overwrite *bool `json:"overwrite"` // True by default. False: 400 if the user has another phone.
}

// verifyVendorPhone serves PUT /hserve/v2.7/idp/chat/phone-verification/.
func (g *Group) verifyVendorPhone(ctx context.Context, in phoneVerification) (Own, error) {
	caller := httpapi.From(ctx)
	r := idp.Request{
		Vendor: messaging.Chat, PhoneCode: in.PhoneCode, Data: idp.Data{EncryptedData: in.EncryptedData, IV: in.IV},
	}
	own, err := g.Vendors.VerifyPhone(ctx, caller.Scope, *caller.User, r, in.Overwrite == nil || *in.Overwrite)
	return Own(own), err
}

type vendorProfile struct {
	hostData
	profileUpdate
	Code string `json:"code" maxLength:"512"` // Absent: the data is of the session key of the last login.
}

// updateVendorProfile serves PUT /hserve/v2.6/idp/chat/user/info/.
func (g *Group) updateVendorProfile(ctx context.Context, in vendorProfile) (Own, error) {
	return g.updateProfile(ctx, in.profileUpdate, idp.Request{Code: in.Code, Data: in.data()})
}

type toldProfile struct {
	profileUpdate
	NickName  string `json:"nickName"`
	AvatarURL string `json:"avatarUrl"`
	Gender    int    `json:"gender"` // 1 male, 2 female, 0 unknown.
	Country   string `json:"country"`
	Province  string `json:"province"`
	City      string `json:"city"`
	Language  string `json:"language"`
}

// updateToldProfile serves PUT /hserve/v2.5/idp/chat/user/info/.
func (g *Group) updateToldProfile(ctx context.Context, in toldProfile) (Own, error) {
	return g.updateProfile(ctx, in.profileUpdate, idp.Request{Told: &idp.Profile{
		Nickname: in.NickName, Avatar: in.AvatarURL, Gender: in.Gender, Country: in.Country, Province: in.Province,
		City: in.City, Language: in.Language,
	}})
}

func (g *Group) updateProfile(ctx context.Context, update profileUpdate, r idp.Request) (Own, error) {
	caller := httpapi.From(ctx)
	if !caller.Application.Settings.ClientProfileUpdate {
		return nil, errs.Forbidden("the application has not switched on client_profile_update")
	}
	var err error
	if r.Update, err = update.read(); err != nil {
		return nil, err
	}
	r.Vendor = messaging.Chat
	own, err := g.Vendors.UpdateProfile(ctx, caller.Scope, *caller.User, r)
	return Own(own), err
}

type association struct {
	hostData
	profileUpdate
	Code      string `json:"code" required:"true" maxLength:"512"`
	WithUnion bool   `json:"associate_with_unionid"` // Link the union id, too: 400 if it belongs to another user.
}

// Linked is the answer of a link with chat or tpay.
type Linked struct {
	Status  string  `json:"status" enum:"ok"`
	Message string  `json:"message"`
	OpenID  string  `json:"openid"`
	UnionID *string `json:"unionid"` // Null if the vendor does not tell it.
	UserID  user.ID `json:"user_id"`
}

const linkedMessage = "the identity is linked to the user"

// linked returns the answer of a link of an identity to the caller.
func linked(ctx context.Context, i idp.Identity) Linked {
	return Linked{
		Status: "ok", Message: linkedMessage, OpenID: i.OpenID, UnionID: httpapi.OrNull(i.UnionID), UserID: own(ctx),
	}
}

// associate serves POST /hserve/v2.4/idp/chat/user-associate/ and POST /hserve/v2.0/idp/tpay/user-association/.
func (g *Group) associate(v messaging.Vendor) func(context.Context, association) (Linked, error) {
	return func(ctx context.Context, in association) (Linked, error) {
		update, err := in.read()
		if err != nil {
			return Linked{}, err
		}
		caller := httpapi.From(ctx)
		i, err := g.Vendors.Associate(ctx, caller.Scope, *caller.User, idp.Request{
			Vendor: v, Code: in.Code, Data: in.data(), WithUnion: in.WithUnion, Update: update,
		})
		return linked(ctx, i), err
	}
}

type altAssociation struct {
	profileUpdate
	Code       string `json:"code" required:"true" maxLength:"512"`
	Authorized bool   `json:"authorized"` // The code also gives the profile.
}

// AltLinked is the answer of a link with alt.
type AltLinked struct {
	Status    string  `json:"status" enum:"ok"`
	Message   string  `json:"message"`
	AltUserID string  `json:"alt_user_id"`
	UserID    user.ID `json:"user_id"`
}

// associateAlt serves PUT /hserve/v2.0/idp/alt/user-associate/.
func (g *Group) associateAlt(ctx context.Context, in altAssociation) (AltLinked, error) {
	update, err := in.read()
	if err != nil {
		return AltLinked{}, err
	}
	caller := httpapi.From(ctx)
	i, err := g.Vendors.Associate(ctx, caller.Scope, *caller.User, idp.Request{
		Vendor: messaging.Alt, Code: in.Code, Authorized: in.Authorized, Update: update,
	})
	return AltLinked{
		Status: "ok", Message: linkedMessage, AltUserID: i.OpenID, UserID: own(ctx),
	}, err
}

// Own is a user as they see themselves.
type Own map[string]any

// VendorLogin is the answer of a login by a vendor: Login with user_info, without which clients fail.
type VendorLogin map[string]any

func vendorAnswer(made idp.Login, err error) (VendorLogin, error) {
	if err != nil {
		return nil, err
	}
	answer := VendorLogin(Answer(made.Login))
	info := map[string]any{}
	for _, name := range []string{
		"id", "openid", "unionid", "_provider", "nickname", "avatar", "gender", "country", "province", "city", "language",
		"is_authorized",
	} {
		info[name] = answer[name]
	}
	// The ids of the user are those of chat: those of another vendor are only in _provider.
	if i := made.Identity; i.Vendor != messaging.Chat {
		info["openid"], info["unionid"] = i.OpenID, httpapi.OrNull(i.UnionID)
	}
	answer["user_info"] = info
	return answer, nil
}
