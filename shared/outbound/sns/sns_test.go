package sns_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"minicloud/shared/errs"
	"minicloud/shared/outbound/sns"
	"minicloud/shared/trigger/action/sms"
)

func client(address string) *sns.Client {
	return sns.New(aws.Config{
		Region: "eu-west-1", BaseEndpoint: &address,
		Credentials: credentials.NewStaticCredentialsProvider("id", "the-secret", ""),
	})
}

// TestSNSErrors checks the kind of each error, that each request is sent once, and that no error contains the secret.
func TestSNSErrors(t *testing.T) {
	for _, c := range []struct {
		status int
		code   string
		want   errs.Kind // internal = the result is unknown
	}{
		{200, "", ""},
		{400, "InvalidParameter", errs.KindInvalid},
		{400, "OptedOut", errs.KindInvalid},
		{400, "Throttling", errs.KindTooMany},
		{429, "Throttled", errs.KindTooMany},
		{403, "AuthorizationError", errs.KindUnavailable},
		{500, "InternalError", errs.KindInternal},
		{503, "ServiceUnavailable", errs.KindInternal},
	} {
		var asked []url.Values
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_ = r.ParseForm() // missing fields fail the checks below
			asked = append(asked, r.PostForm)
			w.Header().Set("Content-Type", "text/xml")
			w.WriteHeader(c.status)
			text := `<PublishResponse><PublishResult><MessageId>m</MessageId></PublishResult></PublishResponse>`
			if c.code != "" {
				text = `<ErrorResponse><Error><Type>Sender</Type><Code>` + c.code +
					`</Code><Message>said</Message></Error></ErrorResponse>`
			}

			_, _ = w.Write([]byte(text))
		}))
		err := client(server.URL).Send(t.Context(), sms.Message{Number: "+8613800138000", Text: "【Tea】 1 + 1"})
		server.Close()
		if errs.KindOf(err) != c.want || len(asked) != 1 {
			t.Fatalf("%d %s: %v, asked %d times; want %s", c.status, c.code, err, len(asked), c.want)
		}
		if err != nil && strings.Contains(err.Error(), "the-secret") {
			t.Errorf("a secret in %v", err)
		}
		if f := asked[0]; f.Get("Action") != "Publish" || f.Get("PhoneNumber") != "+8613800138000" ||
			f.Get("Message") != "【Tea】 1 + 1" || !strings.Contains(f.Encode(), "Transactional") {
			t.Errorf("%v", f)
		}
	}
}
