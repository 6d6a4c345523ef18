package lambdahttp

import (
	"encoding/base64"
	"net/http"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/shared/httpapi"
	"minicloud/shared/page"
)

// readable is the size in bytes up to which a body is sent as text, so that recorded responses stay legible. A JSON
// string takes at most six bytes for one, which still fits Lambda's response.
const readable = 64 << 10

// fit makes a response fit Lambda's limit of 6 MB, of which headers may take 10 KB. Lambda sends the body as a JSON
// string, where quotes and backslashes take two bytes and control characters six. Base64, which the gateway
// decodes, takes four bytes for every three.
func fit(answer events.APIGatewayV2HTTPResponse) events.APIGatewayV2HTTPResponse {
	size, limit := len(answer.Body), httpapi.MaxAnswer
	if answer.IsBase64Encoded {
		limit = base64.StdEncoding.EncodedLen(limit)
	}
	switch {
	case size > limit:
		// Reaching this limit is a bug; without this check the gateway would return an error without a message.
		refusal := refuse(http.StatusInternalServerError, "the answer is too large, ask for less")
		refusal.Headers, refusal.Cookies = answer.Headers, answer.Cookies
		refusal.Headers["Content-Type"] = "application/json"
		return refusal
	case !answer.IsBase64Encoded && size > readable && page.Wire(answer.Body) > base64.StdEncoding.EncodedLen(size):
		answer.Body, answer.IsBase64Encoded = base64.StdEncoding.EncodeToString([]byte(answer.Body)), true
	}
	return answer
}
