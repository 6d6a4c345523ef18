package conformance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// varies are the members that no two runs have in common. Only their type is compared.
var varies = map[string]bool{
	"MessageId": true, "ReceiptHandle": true, "SentTimestamp": true, "ApproximateFirstReceiveTimestamp": true,
	"SenderId": true, "QueueUrl": true, "SequenceNumber": true, "ShardIterator": true, "NextShardIterator": true,
	"ApproximateCreationDateTime": true, "eventID": true, "ShardId": true, "StreamArn": true, "LatestStreamArn": true,
	"LatestStreamLabel": true, "StreamLabel": true, "TableArn": true, "TableId": true, "IndexArn": true,
	"CreationDateTime": true, "CreationRequestDateTime": true, "StartingSequenceNumber": true,
}

// unordered are the members whose elements come in any order, as do those of sets.
var unordered = map[string]bool{
	"Responses": true, "SS": true, "NS": true, "BS": true, "Successful": true, "Failed": true,
	"ConsumedCapacity": true, "AttributeDefinitions": true,
}

// read returns an answer in the form in which answers are compared.
func read(status int, head http.Header, body []byte) (Answer, any) {
	var raw any
	if err := json.Unmarshal(body, &raw); len(body) > 0 && err != nil {
		return Answer{Refuses: fmt.Sprintf("%d %.200s", status, body)}, nil
	}
	object, _ := raw.(map[string]any)
	if object == nil {
		object = map[string]any{} // an empty body is an answer without members
	}
	if status == http.StatusOK {
		return Answer{Gives: level("", object)}, raw
	}

	kind, _ := object["__type"].(string)
	kind = kind[strings.LastIndex(kind, "#")+1:]
	// SQS's older code is the one that the SDK shows.
	if older, _, _ := strings.Cut(head.Get("X-Amzn-Query-Error"), ";"); older != "" && older != kind {
		kind += " (" + older + ")"
	}
	if status != http.StatusBadRequest {
		kind = fmt.Sprint(status, " ", kind)
	}
	message, isText := object["message"].(string)
	if !isText {
		message, _ = object["Message"].(string)
	}
	a := Answer{Refuses: strings.TrimSuffix(kind+": "+message, ": ")}
	delete(object, "__type")
	delete(object, "message")
	delete(object, "Message")
	if len(object) > 0 {
		a.Gives = level("", object)
	}
	return a, raw
}

// level takes out of a value what varies: ids, times and orders that nobody promised.
func level(name string, v any) any {
	if text, _ := v.(string); varies[name] && !strings.HasPrefix(text, "<") { // the corpus has the types
		return fmt.Sprintf("<%T>", v)
	}
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for member, value := range v {
			// The tables of a batch are members of Responses, each with a list without order.
			if _, isList := value.([]any); isList && name == "Responses" {
				value = inOrder(level("", value).([]any))
			}
			out[member] = level(member, value)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, element := range v {
			out[i] = level("", element)
		}
		if unordered[name] {
			return inOrder(out)
		}
		return out
	}
	return v
}

func inOrder(list []any) []any {
	slices.SortFunc(list, func(a, b any) int { return strings.Compare(text(a), text(b)) })
	return list
}

// text is a value as JSON, with sorted members.
func text(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err.Error()
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// String writes an answer on one line for refusal and members.
func (a Answer) String() string {
	parts := []string{}
	if a.Refuses != "" {
		parts = append(parts, a.Refuses)
	}
	if a.Gives != nil {
		parts = append(parts, text(a.Gives))
	}
	return strings.Join(parts, " ")
}

// sameButWording reports whether two answers differ in nothing but the message of the same error.
func sameButWording(a, b Answer) bool {
	kind := func(refusal string) string { kind, _, _ := strings.Cut(refusal, ":"); return kind }
	withoutMessages := func(a Answer) string {
		return kind(a.Refuses) + text(strip(plain(a.Gives)))
	}
	return a.Refuses != "" && withoutMessages(a) == withoutMessages(b)
}

// strip removes the messages of cancellation reasons.
func strip(v any) any {
	object, _ := v.(map[string]any)
	reasons, _ := object["CancellationReasons"].([]any)
	for _, r := range reasons {
		if reason, ok := r.(map[string]any); ok {
			delete(reason, "Message")
		}
	}
	return v
}

// like returns got without members that want leaves open: an object with the member "..." names only some.
func like(want, got any) any {
	switch want := want.(type) {
	case map[string]any:
		object, ok := got.(map[string]any)
		if !ok {
			return got
		}
		_, open := want["..."]
		out := map[string]any{}
		for name, member := range object {
			if expected, named := want[name]; named || !open {
				out[name] = like(expected, member)
			}
		}
		if open {
			out["..."] = want["..."]
		}
		return out
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			return got
		}
		out := make([]any, len(list))
		for i := range list {
			out[i] = like(want[i], list[i])
		}
		return out
	}
	return got
}

// at returns the value at a path like "Messages.0.Body", as text.
func at(v any, path string) (string, error) {
	for _, name := range strings.Split(path, ".") {
		switch in := v.(type) {
		case map[string]any:
			v = in[name]
		case []any:
			i := 0
			if _, err := fmt.Sscan(name, &i); err != nil || i >= len(in) {
				return "", fmt.Errorf("no element %s in %s", name, text(in))
			}
			v = in[i]
		}
	}
	found, ok := v.(string)
	if !ok {
		return "", fmt.Errorf("no text at %s", path)
	}
	return found, nil
}
