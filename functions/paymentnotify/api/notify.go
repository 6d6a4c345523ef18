package api

import (
	"context"
	"maps"
	"net/http"

	"minicloud/shared/app"
	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/order"
	"minicloud/shared/order/payment"
	"minicloud/shared/tenant"
)

// notify serves POST /hserve/v1/pay/notify/:vendor/:client_id/. It acknowledges a payment only after the bus has it:
// until then the vendor repeats the notification.
func (g *Group) notify(w http.ResponseWriter, r *http.Request) error {
	vendor, err := payment.ParseVendor(r.PathValue("vendor"))
	if err != nil {
		return err
	}
	body, err := httpapi.Body(r)
	if err != nil {
		return err
	}

	form := payment.FormOf(vendor, body)
	err = g.accept(r, vendor, form, body)
	if err != nil {
		// The response does not contain the error. The log may: no error contains a secret.
		g.Log.WarnContext(r.Context(), "notification refused", "vendor", string(vendor), "form", string(form),
			"client_id", r.PathValue("client_id"), "env", r.URL.Query().Get("env"), "address", r.RemoteAddr,
			"kind", string(errs.KindOf(err)), "reason", err.Error())
	}
	answer(w, form, err)
	return nil
}

func (g *Group) accept(r *http.Request, vendor payment.Vendor, form payment.Form, body []byte) error {
	ctx := r.Context()
	scope, err := g.scope(ctx, r.PathValue("client_id"), r.URL.Query().Get("env"))
	if err != nil {
		return err
	}
	keys, err := g.Settings.Open(ctx, scope, vendor, form.Needs()...)
	if err != nil {
		return err
	}
	n := payment.Notification{Body: body, Signature: payment.SignatureOf(maps.Keys(r.Header), r.Header.Get)}
	paid, told, err := payment.Verify(keys, n, g.Clock())
	// A valid notification without a payment is acknowledged and dropped; otherwise the vendor would send it again.
	if err != nil || !told {
		return err
	}

	detail, err := order.Detail{Scope: scope, Payment: paid}.JSON()
	if err != nil {
		return err
	}
	return g.Bus.Put(ctx, payment.DetailType, detail)
}

// scope returns the application and environment of a notification; it returns errs.NotFound if either does not exist.
func (g *Group) scope(ctx context.Context, client, env string) (scope tenant.Scope, err error) {
	application, err := app.ByClient(ctx, g.Applications, app.ClientID(client))
	if err != nil {
		return scope, err
	}
	scope, known := application.Scope(tenant.EnvID(env))
	if !known {
		return scope, errs.Invalid("env is not an environment of this application")
	}
	return scope, nil
}
