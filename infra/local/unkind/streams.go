package unkind

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
)

// HTTPClient sends HTTP requests; *http.Client implements it.
type HTTPClient interface {
	Do(r *http.Request) (*http.Response, error)
}

// Streams is a client of DynamoDB Streams whose shard iterators expire, some at once. One reader uses it. Every iterator
// gets a number in front, so that one that is used again has still expired, and a new one of the same place has not.
type Streams struct {
	Next HTTPClient
	*Switches

	made    atomic.Int64
	expired string
}

// Do implements HTTPClient.
func (s *Streams) Do(r *http.Request) (*http.Response, error) {
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	if operation != "GetRecords" && operation != "GetShardIterator" {
		return s.Next.Do(r)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}

	if operation == "GetRecords" {
		var in map[string]any
		if err := json.Unmarshal(body, &in); err != nil {
			return nil, err
		}
		numbered, _ := in["ShardIterator"].(string)
		if numbered == s.expired || s.Strikes(ExpiredIterators) {
			s.expired = numbered
			return Answer(r, http.StatusBadRequest, failure("ExpiredIteratorException",
				"The shard iterator has expired and can no longer be used to retrieve stream records.", nil)), nil
		}
		_, in["ShardIterator"], _ = strings.Cut(numbered, "|")
		body, _ = json.Marshal(in) // it was read as JSON
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	answer, err := s.Next.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	return Answer(r, answer.StatusCode, s.number(content)), err
}

// number numbers the iterator in an answer.
func (s *Streams) number(content []byte) []byte {
	var out map[string]json.RawMessage
	if json.Unmarshal(content, &out) != nil {
		return content
	}
	for _, name := range []string{"ShardIterator", "NextShardIterator"} {
		var iterator string
		if json.Unmarshal(out[name], &iterator) == nil {
			out[name], _ = json.Marshal(fmt.Sprintf("%d|%s", s.made.Add(1), iterator)) // a text always encodes
		}
	}
	content, _ = json.Marshal(out) // it was read as JSON
	return content
}

// Answer returns a response of DynamoDB to a request, which may be nil.
func Answer(r *http.Request, status int, body []byte) *http.Response {
	return &http.Response{
		StatusCode: status, ProtoMajor: 1, ProtoMinor: 1, ContentLength: int64(len(body)), Request: r,
		Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}}, Body: io.NopCloser(bytes.NewReader(body)),
	}
}
