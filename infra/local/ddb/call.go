package ddb

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"minicloud/infra/local/unkind"
)

// Call runs one operation by the JSON protocol of the database at url, for records that the SDK would change. target is
// the X-Amz-Target: DynamoDB_20120810 or DynamoDBStreams_20120810, a dot, and the operation.
func Call(ctx context.Context, client unkind.HTTPClient, url, target string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-amz-json-1.0")
	req.Header.Set("X-Amz-Target", target)
	req.Header.Set("X-Amz-Date", "20260101T000000Z")
	// Local databases require a signature but do not verify it.
	req.Header.Set(
		"Authorization",
		"AWS4-HMAC-SHA256 Credential=local/20260101/"+Region+"/dynamodb/aws4_request, SignedHeaders=host, Signature=local",
	)
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", target, answer)
	}
	return json.Unmarshal(answer, out)
}
