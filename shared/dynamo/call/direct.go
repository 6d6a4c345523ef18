package call

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// Direct makes the first attempt of a call without the SDK's steps, which take longer than all else of a call. It returns
// true if the call has succeeded. Otherwise, whatever the reason, the caller makes the call with the SDK, whose attempts,
// errors and waiting follow as if there had been no attempt. So the call must be one that may be repeated.
//
// The address of the service is the one that the SDK has called last: before, Direct does nothing.
func (p *Pool) Direct(
	ctx context.Context, o dynamodb.Options, operation *smithy.OperationSchema, in smithy.Serializable,
	out smithy.Deserializable,
) bool {
	to := p.base.Load()
	if to == nil {
		return false
	}
	body, err := encoded(ctx, o, operation, in)
	if err != nil {
		return false
	}
	message, err := message(ctx, o, *to, body)
	if err != nil {
		return false
	}
	return p.exchange(ctx, *to, message, func(in *bufio.Reader) (keep bool, err error) {
		length, sum, keep, err := head(in)
		if err != nil {
			return false, err
		}
		body, sums := io.LimitedReader{R: in, N: length}, crc32.NewIEEE()
		err = o.Protocol.DeserializeResponse(ctx, operation, nil, &smithyhttp.Response{Response: &http.Response{
			StatusCode: http.StatusOK, Body: io.NopCloser(io.TeeReader(&body, sums)),
		}}, out)
		if err == nil && (body.N > 0 || sum != "" && sum != strconv.FormatUint(uint64(sums.Sum32()), 10)) {
			err = errUnusual
		}
		return keep, err
	}) == nil
}

// encoded returns the request with which the SDK would make the call, before it is signed.
func encoded(
	ctx context.Context, o dynamodb.Options, operation *smithy.OperationSchema, in smithy.Serializable,
) (*smithyhttp.Request, error) {
	request, _ := smithyhttp.NewStackRequest().(*smithyhttp.Request)
	err := o.Protocol.SerializeRequest(ctx, operation, in, request)
	return request, err
}

// message signs a request and returns it as it is sent.
func message(ctx context.Context, o dynamodb.Options, to base, request *smithyhttp.Request) ([]byte, error) {
	var body bytes.Buffer
	if _, err := body.ReadFrom(request.GetStream()); err != nil {
		return nil, err
	}
	keys, err := o.Credentials.Retrieve(ctx)
	if err != nil {
		return nil, err
	}
	r := request.Request
	r.URL = &url.URL{Scheme: to.scheme, Host: to.host, Path: "/"}
	r.ContentLength = int64(body.Len())
	digest := sha256.Sum256(body.Bytes())
	hash := hex.EncodeToString(digest[:])
	if err := o.HTTPSignerV4.SignHTTP(ctx, keys, r, hash, "dynamodb", o.Region, time.Now()); err != nil {
		return nil, err
	}

	var text bytes.Buffer
	text.Grow(1024 + body.Len())
	text.WriteString("POST / HTTP/1.1\r\nHost: " + to.host + "\r\nContent-Length: " + strconv.Itoa(body.Len()) + "\r\n")
	if err := r.Header.Write(&text); err != nil {
		return nil, err
	}
	text.WriteString("\r\n")
	text.Write(body.Bytes())
	return text.Bytes(), nil
}

// errUnusual means that a response is not one of DynamoDB's usual ones.
var errUnusual = errors.New("call: unusual response")

// head reads the head of a response: the length and the CRC-32 of the body, "" = not given, and whether the connection
// stays open. It returns errUnusual for another status than 200, and for a body in another form than Content-Length gives.
func head(in *bufio.Reader) (length int64, sum string, keep bool, err error) {
	status, err := line(in)
	if err == nil && !strings.HasPrefix(status, "HTTP/1.1 200 ") {
		err = errUnusual
	}
	length, keep = -1, true
	for err == nil {
		var header string
		if header, err = line(in); err != nil || header == "" {
			break
		}
		name, value, _ := strings.Cut(header, ":")
		value = strings.TrimSpace(value)
		switch strings.ToLower(name) {
		case "content-length":
			if length >= 0 {
				return 0, "", false, errUnusual
			}
			length, err = strconv.ParseInt(value, 10, 64)
		case "x-amz-crc32":
			sum = value
		case "connection":
			keep = !strings.EqualFold(value, "close")
		case "transfer-encoding", "content-encoding":
			err = errUnusual
		}
	}
	if err == nil && length < 0 {
		err = errUnusual
	}
	return length, sum, keep, err
}

// line reads a line of a response's head.
func line(in *bufio.Reader) (string, error) {
	text, err := in.ReadSlice('\n')
	if err != nil {
		return "", err
	}
	return strings.TrimSuffix(string(text[:len(text)-1]), "\r"), nil
}
