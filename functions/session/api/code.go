package api

import (
	"context"

	"minicloud/shared/app"
	"minicloud/shared/httpapi"
	"minicloud/shared/httpapi/strictjson"
	"minicloud/shared/proof/smscode"
	"minicloud/shared/user"
	"minicloud/shared/user/login"
	"minicloud/shared/user/session"
)

type codeLogin struct {
	Phone  strictjson.Text `json:"phone" type:"string,integer" required:"true"`
	Code   strictjson.Text `json:"code" type:"string,integer" required:"true"` // Of the message to the phone.
	Create *bool           `json:"create_user"`                                // True by default. False: 404 if nobody has the phone.
}

// loginCode serves POST /hserve/v2.1/login/sms/.
func (g *Group) loginCode(ctx context.Context, in codeLogin) (Login, error) {
	return enter(ctx, app.LoginSMS, func(caller httpapi.Caller, from session.Sender) (login.Login, error) {
		return g.Codes.LogIn(ctx, caller.Scope, smscode.LoginRequest{
			Phone: string(in.Phone), Code: string(in.Code), Create: in.Create == nil || *in.Create,
			From: from, Before: caller.User,
		})
	})
}

type ownCode struct {
	Code strictjson.Text `json:"code" type:"string,integer" required:"true"` // Of the message to the caller's phone.
}

// verifyPhone serves POST /hserve/v2.1/sms-phone-verification/.
func (g *Group) verifyPhone(ctx context.Context, in ownCode) (Own, error) {
	caller := httpapi.From(ctx)
	own, err := g.Codes.VerifyOwn(ctx, caller.Scope, user.ID(caller.User.User), string(in.Code))
	return Own(own), err
}
