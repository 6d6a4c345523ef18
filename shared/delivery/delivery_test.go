package delivery_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"minicloud/shared/delivery"
	"minicloud/shared/errs"
	"minicloud/shared/tenant"
)

type depths struct{ err error }

func (d depths) DepthHeader(_ context.Context, of tenant.AppID, depth int) (string, error) {
	return fmt.Sprint(of, " ", depth), d.err
}

var at = time.Date(2026, 11, 21, 12, 0, 0, 500e6, time.UTC)

func TestRequestHasTheHeadersOfStandardWebhooks(t *testing.T) {
	m := delivery.Message{URL: "https://a.example/", ID: "one", ContentType: "application/json", Body: "{}", App: 7, Depth: 2}
	plain, err := m.Request(t.Context(), depths{}, nil, at)
	want := delivery.Request{URL: "https://a.example/", Body: "{}", Headers: map[string]string{
		"Content-Type": "application/json", "User-Agent": "minicloud", "X-Service-Trigger-Depth": "7 2",
		"webhook-id": "one", "webhook-timestamp": "1795262400",
	}}
	if diff := cmp.Diff(want, plain); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}

	m.Trace, m.Headers = "t1", map[string]string{"X-More": "more"}
	signed, err := m.Request(t.Context(), depths{}, []string{"new", "old"}, at)
	if err != nil || signed.Headers["X-Service-Trace-Id"] != "t1" || signed.Headers["X-More"] != "more" {
		t.Errorf("%v, %v", signed.Headers, err)
	}
	one, _ := m.Request(t.Context(), depths{}, []string{"old"}, at)
	both := signed.Headers["webhook-signature"]
	if !strings.HasSuffix(both, " "+one.Headers["webhook-signature"]) || strings.Count(both, "v1,") != 2 {
		t.Errorf("two keys sign as %s", both)
	}

	down := errs.Unavailable(1, "no application")
	if _, err := m.Request(t.Context(), depths{down}, nil, at); !errors.Is(err, down) {
		t.Errorf("without a depth: %v", err)
	}
}

func TestJudgesAnswers(t *testing.T) {
	down := errors.New("down")
	for name, c := range map[string]struct {
		answer delivery.Answer
		err    error
		want   error
	}{
		"200":         {delivery.Answer{Status: 200}, nil, nil},
		"299":         {delivery.Answer{Status: 299}, nil, nil},
		"199":         {delivery.Answer{Status: 199}, nil, &delivery.Failure{Type: "status", Message: "a.example answered 199"}},
		"redirect":    {delivery.Answer{Status: 302}, nil, &delivery.Failure{Type: "status", Message: "a.example answered 302, and redirects are not followed"}},
		"gone":        {delivery.Answer{Status: 410, RetryAfter: 1}, nil, &delivery.Failure{Type: "gone", Message: "a.example answered 410: it wants no more of this", Final: true}},
		"later":       {delivery.Answer{Status: 429, RetryAfter: time.Minute}, nil, &delivery.Failure{Type: "status", Message: "a.example answered 429", After: time.Minute}},
		"much later":  {delivery.Answer{Status: 503, RetryAfter: 99 * time.Hour}, nil, &delivery.Failure{Type: "status", Message: "a.example answered 503", After: 24 * time.Hour}},
		"forbidden":   {delivery.Answer{}, errs.Invalid("private"), &delivery.Failure{Type: "target", Message: "private", Final: true}},
		"timeout":     {delivery.Answer{}, errs.Timeout("late"), &delivery.Failure{Type: "timeout", Message: "late"}},
		"unreachable": {delivery.Answer{}, errs.Unavailable(0, "refused"), &delivery.Failure{Type: "unreachable", Message: "refused"}},
		"our fault":   {delivery.Answer{}, down, down},
	} {
		got := delivery.Judge(delivery.Request{URL: "https://a.example:8443/hook"}, c.answer, c.err)
		if failure := delivery.AsFailure(c.want); failure == nil && got != c.want || failure != nil && !cmp.Equal(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestChecksAddresses(t *testing.T) {
	for url, want := range map[string]string{
		"https://a.example": "", "http://a.example:8080/x?y=z": "", "https://a.example:443/": "",
		"": "http or https", "a.example": "http or https", "ftp://a.example/": "http or https", "https:///x": "http or https",
		"http://[": "http or https", "https://me:pw@a.example/": "password", "https://a.example:22/": "port",
	} {
		if wrong := delivery.CheckURL(url, false); (wrong == "") != (want == "") || !strings.Contains(wrong, want) {
			t.Errorf("%q: %q, want %q", url, wrong, want)
		}
	}
	if wrong := delivery.CheckURL("http://127.0.0.1:34567/", true); wrong != "" {
		t.Errorf("any port: %s", wrong)
	}
}
