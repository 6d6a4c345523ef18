package lambdahttp

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"

	"github.com/aws/aws-lambda-go/events"
)

// Handler handles gateway events.
type Handler func(context.Context, events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error)

// Invoke implements lambda.Handler. The library would decode the event of a plain function itself, in several times the time
// for a body of 1 MB (decision 170).
func (h Handler) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	event, text, err := decode(payload)
	if err != nil {
		return nil, err
	}
	if len(text) > 0 {
		ctx = context.WithValue(ctx, sentBody{}, text)
	}
	answer, err := h(ctx, event)
	if err != nil {
		return nil, err
	}

	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false) // a body of "<" must not grow to six times its size
	err = encoder.Encode(answer)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}

// sentBody is the context key of a body in base64 that is not in the event.
type sentBody struct{}

// decode decodes an event. encoding/json scans every byte of a text several times, so a body in base64 is taken out before
// and returned as it is: the request decodes it while it is read.
func decode(payload []byte) (event events.APIGatewayV2HTTPRequest, text []byte, err error) {
	if start, end := body(payload); start < end {
		rest := append(bytes.Clone(payload[:start]), payload[end:]...)
		if err = json.Unmarshal(rest, &event); err == nil && event.IsBase64Encoded {
			event.IsBase64Encoded = false
			return event, payload[start:end], nil
		}
	}
	err = json.Unmarshal(payload, &event)
	return event, nil, err
}

// base64Body reads the bytes of a text in base64. Unlike base64.NewDecoder it looks for no line breaks, which JSON has not.
type base64Body struct {
	text    []byte
	decoded []byte // what is decoded and not read yet
	chunk   [3 << 10]byte
}

// decodedSize returns the size of a text in base64 when it is decoded.
func decodedSize(text []byte) int64 {
	padding := len(text) - len(bytes.TrimRight(text, "="))
	return int64(base64.StdEncoding.DecodedLen(len(text)) - padding)
}

// Read implements io.Reader.
func (b *base64Body) Read(p []byte) (int, error) {
	if len(b.decoded) == 0 {
		if len(b.text) == 0 {
			return 0, io.EOF
		}
		next := b.text[:min(len(b.text), len(b.chunk)/3*4)]
		n, err := base64.StdEncoding.Decode(b.chunk[:], next)
		if b.text = b.text[len(next):]; err == nil && len(b.text) > 0 && next[len(next)-1] == '=' {
			err = base64.CorruptInputError(len(next)) // padding ends a text
		}
		if err != nil {
			b.text = nil
			return 0, err
		}
		b.decoded = b.chunk[:n]
	}
	n := copy(p, b.decoded)
	b.decoded = b.decoded[n:]
	return n, nil
}

// body returns where the text of the body is in the JSON of an event, 0 and 0 if it has escapes or there is none. Only a
// member of the event itself counts: headers and parameters of the query are members of others and may have any name.
func body(event []byte) (start, end int) {
	depth, name := 0, []byte(nil)
	for i := 0; i < len(event); i++ {
		switch event[i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case ',':
			name = nil
		case '"':
			text := event[i+1:]
			n := closing(text)
			if n < 0 {
				return 0, 0
			}
			if depth == 1 && string(name) == "body" {
				if bytes.IndexByte(text[:n], '\\') >= 0 {
					return 0, 0
				}
				return i + 1, i + 1 + n
			}
			if depth == 1 && name == nil {
				name = text[:n]
			}
			i += n + 1
		}
	}
	return 0, 0
}

// closing returns the index of the quote that closes a JSON string, -1 if there is none.
func closing(text []byte) int {
	for i := 0; ; i++ {
		n := bytes.IndexByte(text[i:], '"')
		if n < 0 {
			return -1
		}
		i += n
		escapes := len(text[:i]) - len(bytes.TrimRight(text[:i], `\`))
		if escapes%2 == 0 {
			return i
		}
	}
}
