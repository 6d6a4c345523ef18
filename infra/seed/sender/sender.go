// Package sender confirms a sender of mails for an application of the local cloud, as its owner does: with the link and
// the code that arrive in the outbox.
package sender

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"

	"minicloud/shared/tenant"
)

// Call sends a request to the API as the application, and returns its response.
type Call func(ctx context.Context, method, path, body string) ([]byte, error)

var (
	link = regexp.MustCompile(`(/_local/ses/verify\?token=\w+)`)
	code = regexp.MustCompile(`\\n([A-Z2-7]{16})\\n`) // the line breaks are escaped in JSON
)

const setting = "/oserve/v3/mail-setting/"

// Confirm sets an address as the sender of an application, and confirms it. A confirmed sender stays confirmed.
func Confirm(ctx context.Context, app tenant.AppID, call Call, address string) error {
	if _, err := call(ctx, "PUT", setting, fmt.Sprintf(`{"sender":%q}`, address)); err != nil {
		return err
	}
	// Amazon SES verifies the address first, if no application has used it before.
	for range 2 {
		status, err := verify(ctx, call)
		switch {
		case err != nil:
			return err
		case status == "confirmed":
			return nil
		case status == "code_sent":
			mail, err := newest(ctx, call, fmt.Sprintf("Application %d wants to send mail as %s", app, address), code)
			if err != nil {
				return err
			}
			_, err = call(ctx, "POST", setting+"confirmation/", fmt.Sprintf(`{"code":%q}`, mail))
			return err
		}
		if err := follow(ctx, call, address); err != nil {
			return err
		}
	}
	return fmt.Errorf("the sender %s is not verified", address)
}

// verify asks for a code, and returns the status of the sender.
func verify(ctx context.Context, call Call) (string, error) {
	answer, err := call(ctx, "POST", setting+"verification/", `{}`)
	if err != nil {
		return "", err
	}
	var state struct {
		Status string `json:"status"`
	}
	return state.Status, json.Unmarshal(answer, &state)
}

// follow opens the link that verifies an address or a domain.
func follow(ctx context.Context, call Call, name string) error {
	to, err := newest(ctx, call, "Verification Request: "+name, link)
	if err != nil {
		return err
	}
	_, err = call(ctx, "GET", to, "")
	return err
}

// newest returns the first group of a match in the newest message of the outbox that contains a text.
func newest(ctx context.Context, call Call, text string, what *regexp.Regexp) (string, error) {
	answer, err := call(ctx, "GET", "/_local/outbox?contains="+url.QueryEscape(text), "")
	if err != nil {
		return "", err
	}
	var all []struct{ Sent json.RawMessage }
	if err := json.Unmarshal(answer, &all); err != nil {
		return "", err
	}
	if len(all) == 0 {
		return "", fmt.Errorf("no message says %q", text)
	}
	found := what.FindSubmatch(all[len(all)-1].Sent)
	if found == nil {
		return "", fmt.Errorf("the message that says %q has another form: %s", text, all[len(all)-1].Sent)
	}
	return string(found[1]), nil
}
