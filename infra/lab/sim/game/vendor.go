package game

import (
	"context"
	"fmt"
	"net/url"
	"time"

	session "minicloud/functions/session/wire"
	"minicloud/infra/lab/sim"
	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/message/messaging"
	"minicloud/shared/message/templatemessage"
	"minicloud/shared/user/idp"
)

// vendor stands in for a vendor of mini programs: code x is of the user "stub-x", as in the local cloud.
type vendor struct {
	world *sim.World
	name  messaging.Vendor
}

// sessionKey signs and encrypts what the host of a mini program tells.
const sessionKey = "MDEyMzQ1Njc4OWFiY2RlZg=="

// Exchange implements idp.Exchange. Some calls get no answer.
func (v vendor) Exchange(ctx context.Context, _ templatemessage.Identity, code string, _ bool) (idp.Identity, error) {
	random := v.world.Random(fmt.Sprint("vendor ", v.name, code, time.Now().UnixNano()))
	if err := clock.Sleep(ctx, random.Jitter(time.Duration(random.IntN(200))*time.Millisecond)); err != nil {
		return idp.Identity{}, err
	}
	if random.Permille(2 * v.world.Rates.LostAnswer) {
		return idp.Identity{}, idp.Unreachable(v.name, errs.Unavailable(0, "the connection was lost"))
	}
	who := idp.Identity{Vendor: v.name, OpenID: "stub-" + code, SessionKey: sessionKey}
	if v.name == messaging.Alt {
		who.SessionKey = ""
	}
	return who, nil
}

// Phone implements idp.PhoneExchange: a code is the number.
func (v vendor) Phone(ctx context.Context, who templatemessage.Identity, _, code string) (idp.Phone, error) {
	_, err := v.Exchange(ctx, who, code, false)
	return idp.Phone{PhoneNumber: code}, err
}

// provider stands in for a login provider of web pages: code x is of the user "stub-x", as at vendors.
type provider struct{ vendor }

// AuthorizeURL implements idp.WebProvider. Nobody visits the page.
func (p provider) AuthorizeURL(_ context.Context, _ messaging.LoginAccount, r idp.WebRedirect) (string, error) {
	query := url.Values{"redirect_uri": {r.Callback}, "state": {r.State}}
	return "https://" + string(p.name) + ".example/?" + query.Encode(), nil
}

// Identify implements idp.WebProvider.
func (p provider) Identify(
	ctx context.Context, _ messaging.LoginAccount, _ idp.WebRedirect, code string,
) (idp.Identity, error) {
	who, err := p.Exchange(ctx, templatemessage.Identity{}, code, false)
	who.SessionKey = "" // only hosts of mini programs have one
	return who, err
}

// sessionProgram is program session with stand-ins for the vendors.
func (c *Cloud) sessionProgram(i *sim.Instance) any {
	exchanges := map[messaging.Vendor]idp.Exchange{}
	for _, name := range messaging.Vendors {
		exchanges[name] = vendor{c.world, name}
	}
	return session.Handler(i.Backend, session.Vendors{
		Exchanges: exchanges, Phones: vendor{c.world, messaging.Chat},
		Web: func(p messaging.Provider) idp.WebProvider {
			return provider{vendor{c.world, messaging.Vendor(p)}}
		},
	})
}
