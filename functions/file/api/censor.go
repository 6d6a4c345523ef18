package api

import (
	"context"
	"errors"
	"io"
	"net/http"

	"minicloud/shared/errs"
	"minicloud/shared/file"
	"minicloud/shared/file/imagecheck"
	"minicloud/shared/httpapi"
	"minicloud/shared/message/censor"
	"minicloud/shared/message/messaging"
	"minicloud/shared/tenant"
)

// Censor checks texts and images; *censor.Service implements it.
type Censor interface {
	Text(ctx context.Context, scope tenant.Scope, v messaging.Vendor, t censor.Text) (risky bool, err error)
	AnyImage(ctx context.Context, scope tenant.Scope, i censor.Image) (risky bool, err error)
}

// censorRoutes are the endpoints of checks. Checks change nothing, so they take no Idempotency-Key.
func (g *Group) censorRoutes() []httpapi.Route {
	checks := httpapi.Alike(httpapi.Route{Method: http.MethodPost, Reads: true, Fresh: true}, []httpapi.Route{
		{Path: "/hserve/v1.7/censor-msg", Call: httpapi.Call(g.censorText(messaging.Chat))},
		{Path: "/hserve/v2.4/alt/censor-msg", Call: httpapi.Call(g.censorText(messaging.Alt))},
		{Path: "/hserve/v2.2/tpay/censor-msg", Call: httpapi.Call(g.censorText(messaging.Tpay))},
		{Path: "/hserve/v2.6/censor-image", Handle: g.censorImage},
		{Path: "/hserve/v1.7/censor-image", Handle: g.censorImage},
	})
	return httpapi.Alike(httpapi.Route{Access: httpapi.Client, Needs: httpapi.LoggedIn}, append(checks, []httpapi.Route{
		{Method: http.MethodPost, Path: "/hserve/v2.2/async-censor", Call: httpapi.Call(g.askCheck),
			Status: http.StatusCreated},
		{Method: http.MethodGet, Path: "/hserve/v2.2/async-censor/{id}", Call: httpapi.Call(g.readCheck)},
	}...))
}

type censoredText struct {
	Content string `json:"content" required:"true"`
}

// Verdict is the result of a check.
type Verdict struct {
	Risky bool `json:"risky"`
}

// censorText serves POST /hserve/v1.7/censor-msg/ and its variants for other vendors.
func (g *Group) censorText(v messaging.Vendor) func(context.Context, censoredText) (Verdict, error) {
	return func(ctx context.Context, in censoredText) (Verdict, error) {
		caller := httpapi.From(ctx)
		text := censor.Text{Content: in.Content}
		// chat checks texts of its users in their context.
		if v == messaging.Chat && caller.User != nil {
			text.OpenID = caller.User.OpenID
		}
		risky, err := g.Censor.Text(ctx, caller.Scope, v, text)
		return Verdict{risky}, err
	}
}

// censorImage serves POST /hserve/v2.6/censor-image/: a form with the image in its field file.
func (g *Group) censorImage(w http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(nil, r.Body, file.MaxReceived)
	content, header, err := r.FormFile("file")
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		return errs.TooLarge("the image is over %d MB", file.MaxReceived>>20)
	}
	switch {
	case errors.Is(err, http.ErrNotMultipart), errors.Is(err, http.ErrMissingBoundary):
		return errs.MediaType("the request body must be multipart/form-data with a boundary")
	case errors.Is(err, http.ErrMissingFile):
		return errs.Invalid("file is required")
	case err != nil:
		return errs.Invalid("the form is malformed")
	}
	defer content.Close()
	image := censor.Image{Name: header.Filename, MIMEType: header.Header.Get("Content-Type")}
	if image.Content, err = io.ReadAll(content); err != nil {
		return errs.Invalid("the form is malformed")
	}

	ctx := r.Context()
	risky, err := g.Censor.AnyImage(ctx, httpapi.Scope(ctx), image)
	if err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, Verdict{risky})
	return nil
}

// ImageCheck is the check of an image that was uploaded.
type ImageCheck struct {
	ID         file.ID `json:"id"`          // That of the file.
	Risky      *bool   `json:"risky"`       // Null until the vendor has answered.
	StatusCode int     `json:"status_code"` // 0, or -1 if the image cannot be checked.
	ErrorCode  int     `json:"error_code"`  // 0, or 400 if the image cannot be checked.
	Error      string  `json:"error_message"`
}

func viewCheck(c imagecheck.Check) ImageCheck {
	view := ImageCheck{ID: c.File}
	switch c.State {
	case imagecheck.Failed:
		view.StatusCode, view.ErrorCode, view.Error = -1, http.StatusBadRequest, c.Error
	case imagecheck.Safe, imagecheck.Risky:
		risky := c.State == imagecheck.Risky
		view.Risky = &risky
	}
	return view
}

type newCheck struct {
	File string `json:"file_id" required:"true"`
}

// askCheck serves POST /hserve/v2.2/async-censor/.
func (g *Group) askCheck(ctx context.Context, in newCheck) (ImageCheck, error) {
	c, err := g.Checks.Ask(ctx, httpapi.Scope(ctx), in.File)
	return viewCheck(c), err
}

type oneCheck struct {
	ID string `path:"id"`
}

// readCheck serves GET /hserve/v2.2/async-censor/:id/.
func (g *Group) readCheck(ctx context.Context, in oneCheck) (ImageCheck, error) {
	c, err := g.Checks.Read(ctx, httpapi.Scope(ctx), in.ID)
	return viewCheck(c), err
}
