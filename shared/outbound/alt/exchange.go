package alt

import (
	"cmp"
	"context"

	"minicloud/shared/message/messaging"
	"minicloud/shared/message/templatemessage"
	"minicloud/shared/order/payment"
	"minicloud/shared/outbound/vendor"
	"minicloud/shared/user/idp"
)

const (
	tokenMethod   = "alipay.system.oauth.token"
	profileMethod = "alipay.user.info.share"
)

// Exchange implements idp.Exchange. The vendor exchanges the code for a token of the user, and the token for the profile.
func (c *Client) Exchange(
	ctx context.Context, who templatemessage.Identity, code string, profile bool,
) (idp.Identity, error) {
	of := idp.Identity{Vendor: messaging.Alt}
	// Newer apps get an open_id in place of the user_id.
	var told struct {
		UserID string `json:"user_id"`
		OpenID string `json:"open_id"`
		Token  string `json:"access_token"`
	}
	asked := map[string]string{"grant_type": "authorization_code", "code": code}
	if _, err := c.ask(ctx, who, tokenMethod, asked, code, &told); err != nil {
		return of, err
	}
	if of.OpenID = cmp.Or(told.UserID, told.OpenID); of.OpenID == "" {
		return of, idp.Unreachable(messaging.Alt, vendor.Unknown("its answer has no user_id"))
	}
	if !profile {
		return of, nil
	}

	said, err := c.ask(ctx, who, profileMethod, map[string]string{"auth_token": told.Token}, told.Token, &struct{}{})
	if err != nil {
		return of, err
	}
	if of.Profile, err = idp.AltProfile(said); err != nil {
		return of, idp.Unreachable(messaging.Alt, vendor.Unknown("its profile is no JSON that can be read"))
	}
	return of, nil
}

// ask calls a method whose parameters are fields of the form, and decodes its answer. secret is masked in errors.
func (c *Client) ask(
	ctx context.Context, who templatemessage.Identity, method string, asked map[string]string, secret string, to any,
) ([]byte, error) {
	form, err := payment.SignFields(who.AppID, who.Secret, method, asked, c.Clock.Now())
	if err != nil {
		return nil, err
	}
	a, err := c.post(ctx, who, method, form)
	if err != nil {
		return nil, idp.Unreachable(messaging.Alt, err)
	}

	switch a.Code {
	case success, "":
	case unknown, limited:
		return nil, idp.Unreachable(messaging.Alt, a.refusal(secret))
	default:
		refusal := a.refusal(secret)
		return nil, idp.Refused(messaging.Alt, refusal.Code, refusal.Message)
	}
	if err := vendor.Decode(a.said, to); err != nil {
		return nil, idp.Unreachable(messaging.Alt, err)
	}
	return a.said, nil
}
