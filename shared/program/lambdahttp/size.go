package lambdahttp

import (
	"encoding/base64"
	"net/http"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/shared/httpapi"
	"minicloud/shared/page"
)

// readable is up to which size, in bytes, a text travels as it is: recorded
// answers stay legible. Six times as much fits Lambda's answer.
const readable = 64 << 10

// fit makes an answer fit Lambda's 6 MB, of which headers may take 10 KB. The
// body is a JSON string in there: quotes and backslashes, of which JSON is full,
// take two bytes, control characters six. Base64, which the gateway undoes,
// takes four bytes for three, whatever they are.
func fit(answer events.APIGatewayV2HTTPResponse) events.APIGatewayV2HTTPResponse {
	size, limit := len(answer.Body), httpapi.MaxAnswer
	if answer.IsBase64Encoded {
		limit = base64.StdEncoding.EncodedLen(limit)
	}
	switch {
	case size > limit:
		// A mistake of ours: the gateway would not even say this.
		refusal := refuse(http.StatusInternalServerError, "the answer is too large, ask for less")
		refusal.Headers, refusal.Cookies = answer.Headers, answer.Cookies
		refusal.Headers["Content-Type"] = "application/json"
		return refusal
	case !answer.IsBase64Encoded && size > readable && page.Wire(answer.Body) > base64.StdEncoding.EncodedLen(size):
		answer.Body, answer.IsBase64Encoded = base64.StdEncoding.EncodeToString([]byte(answer.Body)), true
	}
	return answer
}
