package ses_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"minicloud/shared/errs"
	"minicloud/shared/message/allowance"
	"minicloud/shared/outbound/ses"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger/action/email"
)

func client(address string) *ses.Client {
	return ses.New(aws.Config{
		Region: "eu-west-1", BaseEndpoint: &address,
		Credentials: credentials.NewStaticCredentialsProvider("id", "the-secret", ""),
	}, account)
}

var account = ses.Account{
	ConfigurationSet: "arn:aws:ses:eu-west-1:123456789012:configuration-set/mails", Tenants: "mini",
}

var letter = email.Mail{
	Scope: tenant.Scope{App: 1001, Env: tenant.Production}, From: "Shop <Shop@Example.com>", ReplyTo: "help@example.com", To: []string{"a@example.com", "b@example.com"},
	Subject: "你好", Body: "<b>x</b>", HTML: true, Unsubscribe: "https://example.com/stop",
}

// TestSESRequest checks the request. The local cloud accepts the same request (infra/scenario).
func TestSESRequest(t *testing.T) {
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ = io.ReadAll(r.Body) // a missing part fails as invalid JSON below
		_, _ = w.Write([]byte(`{"MessageId":"m7"}`))
	}))
	defer server.Close()
	sent, err := client(server.URL).Send(t.Context(), letter)
	if err != nil || sent.ID != "m7" {
		t.Fatal(sent, err)
	}

	var s struct {
		FromEmailAddress, ConfigurationSetName, TenantName string

		EmailTags        []struct{ Name, Value string }
		ReplyToAddresses []string
		Destination      struct{ ToAddresses []string }
		Content          struct {
			Simple struct {
				Subject struct{ Data, Charset string }
				Body    struct {
					Html, Text *struct{ Data, Charset string }
				}
				Headers []struct{ Name, Value string }
			}
		}
	}

	if err := json.Unmarshal(body, &s); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	simple := s.Content.Simple
	if s.FromEmailAddress != `"Shop" <shop@example.com>` || s.TenantName != "mini-1001" ||
		s.ConfigurationSetName != "mails" || len(s.EmailTags) != 2 || s.EmailTags[0].Value != "1001" ||
		s.EmailTags[1].Value != allowance.Key("shop@example.com") || s.ReplyToAddresses[0] != letter.ReplyTo ||
		len(s.Destination.ToAddresses) != 2 || simple.Subject.Data != "你好" || simple.Subject.Charset != "UTF-8" ||
		simple.Body.Html.Data != "<b>x</b>" || simple.Body.Text != nil {
		t.Errorf("%s", body)
	}

	if h := simple.Headers; len(h) != 2 || h[0].Name != "List-Unsubscribe" ||
		h[0].Value != "<https://example.com/stop>" ||
		h[1].Name != "List-Unsubscribe-Post" || h[1].Value != "List-Unsubscribe=One-Click" {
		t.Errorf("%+v", h)
	}
}

// TestSESErrors checks the kind of each error, that each request is sent once, and that no error contains the secret.
func TestSESErrors(t *testing.T) {
	for _, c := range []struct {
		status int
		code   string
		want   errs.Kind // internal = the result is unknown
	}{
		{200, "", ""},
		{400, "BadRequestException", errs.KindInvalid},
		{400, "MessageRejected", errs.KindInvalid},
		{400, "MailFromDomainNotVerifiedException", errs.KindInvalid},
		{400, "AccountSuspendedException", errs.KindInvalid},
		{400, "SendingPausedException", errs.KindTooMany},
		{400, "LimitExceededException", errs.KindTooMany},
		{400, "ThrottlingException", errs.KindTooMany},
		{429, "TooManyRequestsException", errs.KindTooMany},
		{403, "AccessDeniedException", errs.KindUnavailable},
		{404, "NotFoundException", errs.KindInvalid},
		{500, "InternalServiceErrorException", errs.KindInternal},
		{503, "ServiceUnavailable", errs.KindInternal},
	} {
		asked := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			asked++
			w.Header().Set("X-Amzn-Errortype", c.code)
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(c.status)
			_, _ = w.Write([]byte(`{"message":"said","MessageId":"m"}`))
		}))
		_, err := client(server.URL).Send(t.Context(), letter)
		server.Close()
		if errs.KindOf(err) != c.want || asked != 1 {
			t.Errorf("%d %s: %v, asked %d times; want %s", c.status, c.code, err, asked, c.want)
		}
		if err != nil && strings.Contains(err.Error(), "the-secret") {
			t.Errorf("a secret in %v", err)
		}
		if c.want == errs.KindInvalid && errs.Message(err) != c.code+": said" {
			t.Errorf("%q", errs.Message(err))
		}
	}
}

// TestSESConnectionErrors separates a refused connection, where nothing was sent, from a broken one, where the result
// is unknown.
func TestSESConnectionErrors(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		panic(http.ErrAbortHandler)
	}))
	if _, err := client(server.URL).Send(t.Context(), letter); errs.KindOf(err) != errs.KindInternal {
		t.Errorf("hung up: %v", err)
	}
	server.Close()
	// Use port 1: another process may have got the port of the closed server.
	if _, err := client("http://127.0.0.1:1").Send(t.Context(), letter); errs.KindOf(err) != errs.KindUnavailable {
		t.Errorf("nobody there: %v", err)
	}

	late, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := client(server.URL).Send(late, letter); errs.KindOf(err) != errs.KindTimeout {
		t.Errorf("too late: %v", err)
	}
}
