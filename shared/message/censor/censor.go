// Package censor asks the vendors of mini-programs whether a text or an image breaks their rules (client API, 5).
package censor

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"minicloud/shared/errs"
	"minicloud/shared/message/messaging"
	"minicloud/shared/message/templatemessage"
	"minicloud/shared/tenant"
)

// TextCheck is the port to a vendor that checks texts.
type TextCheck interface {
	// CheckText reports whether the vendor finds the text risky. token is "" for a vendor without tokens. It returns a
	// *templatemessage.Refusal if the vendor refuses the request or the token.
	CheckText(ctx context.Context, who templatemessage.Identity, token string, t Text) (risky bool, err error)
}

// ImageCheck is the port to a vendor that checks images.
type ImageCheck interface {
	// CheckImage reports whether the vendor finds the image risky, with the errors of CheckText.
	CheckImage(ctx context.Context, who templatemessage.Identity, token string, image Image) (risky bool, err error)
}

// Text is a text to check.
type Text struct {
	Content string // at most MaxText bytes
	OpenID  string // of the user who wrote it at the vendor, "" = unknown
}

// Image is an image to check.
type Image struct {
	Name     string
	MIMEType string
	Content  []byte
}

// Limits of the vendors, in bytes. Larger images are shrunk.
const (
	MaxText  = 500 << 10
	MaxImage = 1 << 20
)

// retryAfter is the time after which a check may be repeated, in seconds.
const retryAfter = 5

// Service checks texts and images with the account of the environment at a vendor.
type Service struct {
	Accounts *templatemessage.Accounts
	Texts    map[messaging.Vendor]TextCheck
	Images   map[messaging.Vendor]ImageCheck

	// decoding is held while an image is shrunk: the pixels of one fit into a program's memory, those of ten do not.
	decoding sync.Mutex
}

// Text reports whether the vendor finds the text risky.
//
// Errors: errs.Invalid for a text that is empty or too long, without a setting of the vendor, and if the vendor refuses
// the request; errs.Unavailable if it cannot be asked now.
func (s *Service) Text(ctx context.Context, scope tenant.Scope, v messaging.Vendor, t Text) (risky bool, err error) {
	switch {
	case t.Content == "":
		return false, errs.Invalid("content is required")
	case len(t.Content) > MaxText:
		return false, errs.Invalid("content is over %d KB", MaxText>>10)
	}
	return s.ask(ctx, scope, v, func(at *templatemessage.Account, token string) (bool, error) {
		return s.Texts[v].CheckText(ctx, at.Identity, token, t)
	})
}

// Image reports whether the vendor finds the image risky, with the errors of Text, and errs.Invalid for an image that
// cannot be checked.
func (s *Service) Image(ctx context.Context, scope tenant.Scope, v messaging.Vendor, image Image) (risky bool, err error) {
	if len(image.Content) == 0 {
		return false, errs.Invalid("the image is empty")
	}
	s.decoding.Lock()
	small, err := Shrunk(image)
	s.decoding.Unlock()
	if err != nil {
		return false, err
	}
	return s.ask(ctx, scope, v, func(at *templatemessage.Account, token string) (bool, error) {
		return s.Images[v].CheckImage(ctx, at.Identity, token, small)
	})
}

// ask makes one request with the environment's account at the vendor.
func (s *Service) ask(
	ctx context.Context, scope tenant.Scope, v messaging.Vendor,
	request func(at *templatemessage.Account, token string) (bool, error),
) (risky bool, err error) {
	at, err := s.Accounts.Open(ctx, scope, v)
	if errs.Is(err, errs.KindNotFound) {
		return false, fmt.Errorf("%w: %w", errs.Invalid("checks by %s are not configured", v), errNotConfigured)
	}
	if err != nil {
		return false, err
	}

	err = at.Call(ctx, func(token string) (err error) {
		risky, err = request(at, token)
		return err
	})
	return risky, told(v, err)
}

// told returns the error of a request for the caller.
func told(v messaging.Vendor, err error) error {
	refusal, refused := errors.AsType[*templatemessage.Refusal](err)
	switch {
	case err == nil:
		return nil
	case refused && refusal.Verdict != templatemessage.Later && refusal.Verdict != templatemessage.BadToken:
		return errs.Invalid("%s refuses the check (%s): %s", v, refusal.Code, refusal.Message)
	case errs.Is(err, errs.KindInvalid) && !refused:
		return err
	}
	wait := max(errs.RetryAfter(err), retryAfter)
	return fmt.Errorf("%w: %w", errs.Unavailable(wait, "%s cannot check now, try again later", v), err)
}

// AnyImage is Image at the first vendor that checks images and that the environment has a setting of.
func (s *Service) AnyImage(ctx context.Context, scope tenant.Scope, image Image) (risky bool, err error) {
	err = errs.Invalid("no vendor that checks images is configured")
	for _, v := range messaging.Vendors {
		if s.Images[v] == nil {
			continue
		}
		risky, err = s.Image(ctx, scope, v, image)
		if !errors.Is(err, errNotConfigured) {
			return risky, err
		}
	}
	return false, err
}

// errNotConfigured is in the error for a vendor without a setting.
var errNotConfigured = errors.New("censor: no setting")
