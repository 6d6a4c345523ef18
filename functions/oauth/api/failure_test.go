package api_test

import (
	"bytes"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/functions/oauth/api"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo/appdb"
	"minicloud/shared/httpapi"
	"minicloud/shared/oauth"
)

// refusing is an HTTP client whose connections are refused. A free port would not do: another process could take it.
type refusing struct{}

func (refusing) Do(*http.Request) (*http.Response, error) {
	return nil, &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
}

// TestAnswersUnavailableWithoutDatabase: the status is 503, and the log has the cause without the client's data.
func TestAnswersUnavailableWithoutDatabase(t *testing.T) {
	var text bytes.Buffer
	log := slog.New(slog.NewJSONHandler(&text, nil))
	client := dynamodb.New(dynamodb.Options{
		Region: "local", BaseEndpoint: aws.String("http://database.invalid"), RetryMaxAttempts: 1, HTTPClient: refusing{},
		Credentials: credentials.NewStaticCredentialsProvider("a", "b", ""),
	})
	group := &api.Group{
		Log: log, OAuth: &oauth.Service{Store: &appdb.Tokens{Client: client, Table: "T"}, Clock: clock.System, Log: log},
	}
	h := (&httpapi.API{Routes: group.Routes(), Log: log}).Handler()

	body := `{"client_id":"0123456789abcdef0123","client_secret":"a-secret","code":"a-code","refresh_token":"a-token","grant_type":"`
	for path, body := range map[string]string{tokenPath: body + `authorization_code"}`, authorizePath: body +
		`"}`, tokenPath + "?": body + `refresh_token"}`} {
		text.Reset()
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("POST", path, strings.NewReader(body)))
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" ||
			strings.Contains(w.Body.String(), "refused") {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
		if log := text.String(); !strings.Contains(log, `"level":"WARN","msg":"request failed","status":503`) ||
			!strings.Contains(log, "connection refused") ||
			strings.Contains(log, "a-secret") || strings.Contains(log, "a-code") || strings.Contains(log, "a-token") {
			t.Errorf("%s: log %s", path, log)
		}
	}
}
