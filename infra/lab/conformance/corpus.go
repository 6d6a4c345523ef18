// Package conformance plays one corpus of calls of DynamoDB and SQS on every implementation of them that there is:
//
//	engine          the local cloud's DynamoDB: dynoxide behind infra/local/ddb
//	memory          the simulation's, infra/lab/sim/memdb
//	queue           the local cloud's SQS, infra/local/queue
//	dynamodb-local  Amazon's DynamoDB Local
//	moto            moto server, an outside implementation of both
//
// The corpus is testdata/*.yaml. Each step says what AWS answers; a field "why" explains each implementation that
// answers something else. An unexplained difference is an error, and so is an explanation that nothing needs.
package conformance

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"
)

// Corpus is a file of groups.
type Corpus struct {
	// Reasons are explanations that several steps share, by the names that "why" may give. The reason "wording" allows
	// another message of the same error, and nothing else.
	Reasons map[string]string
	Groups  []Group
}

// Group is a sequence of steps on tables and queues of its own.
type Group struct {
	Group  string
	Tables []string          // with the keys pk and sk, both texts; a "*" behind a name gives the table a stream
	Queues []Queue           // with any, the group is about SQS
	Not    map[string]string // implementations that cannot play the group, and why
	Steps  []Step
}

// Queue is a queue of a group. An absent property has SQS's default.
type Queue struct {
	Name       string
	Visibility int    // seconds
	Dead       string // name of its dead-letter queue
	Receives   int    // before a message goes there
}

// Step is a call and the answer of AWS.
type Step struct {
	Does string
	Call string // "GetItem", "Streams.GetRecords", "SQS.SendMessage"
	With map[string]any
	// Later is how many seconds after the step before the call is made.
	Later float64
	Keep  map[string]string // values of the answer that later steps name as ${name}, by their paths: "Messages.0.Body"

	Answer `yaml:",inline"`
	Why    map[string]string // implementations that answer something else, and why
}

// Answer is an answer in the form in which answers are compared.
type Answer struct {
	Refuses string // error code and message; "" = success
	Gives   any    // members of the body
}

// Read reads the corpus of a folder.
func Read(dir string) (Corpus, error) {
	all := Corpus{Reasons: map[string]string{}}
	paths, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		return all, err
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return all, err
		}
		var one Corpus
		// Strict: a misspelled "why" would explain nothing.
		if err := yaml.Load(text, &one, yaml.WithKnownFields()); err != nil {
			return all, fmt.Errorf("%s: %w", path, err)
		}
		for name, reason := range one.Reasons {
			all.Reasons[name] = reason
		}
		all.Groups = append(all.Groups, one.Groups...)
	}
	return all, nil
}

// reason returns the explanation of a step's difference, "" for none.
func (c Corpus) reason(step Step, implementation string) string {
	why := step.Why[implementation]
	if shared, ok := c.Reasons[why]; ok {
		return shared
	}
	return why
}

// pause is the time before a step.
func (s Step) pause() time.Duration { return time.Duration(s.Later * float64(time.Second)) }

var (
	repeated = regexp.MustCompile(`\$\{(.)\*(\d+)\}`)
	variable = regexp.MustCompile(`\$\{(\w+)\}`)
)

// fill writes out what the corpus abbreviates: "${x*1000}" is a text of 1,000 x, "${name}" a kept value, an element
// {repeat: 26, of: …} stands for 26 elements in which "${i}" counts from 0, and a key "a/1" has pk "a" and sk "1".
func fill(v any, known map[string]string) any {
	switch v := v.(type) {
	case string:
		v = repeated.ReplaceAllStringFunc(v, func(m string) string {
			parts := repeated.FindStringSubmatch(m)
			n, _ := strconv.Atoi(parts[2]) // digits
			return strings.Repeat(parts[1], n)
		})
		return variable.ReplaceAllStringFunc(v, func(m string) string {
			if value, ok := known[m[2:len(m)-1]]; ok {
				return value
			}
			return m
		})
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, member := range v {
			if isKey[name] {
				member = key(member)
			}
			out[name] = fill(member, known)
		}
		return out
	case []any:
		return fillList(v, known)
	}
	return v
}

// isKey are the members that hold a key.
var isKey = map[string]bool{"Key": true, "Keys": true, "ExclusiveStartKey": true, "LastEvaluatedKey": true}

// key writes out the abbreviation of a key, or those of a list.
func key(v any) any {
	switch v := v.(type) {
	case string:
		pk, sk, _ := strings.Cut(v, "/")
		return map[string]any{"pk": map[string]any{"S": pk}, "sk": map[string]any{"S": sk}}
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = key(v[i])
		}
		return out
	}
	return v
}

func fillList(list []any, known map[string]string) any {
	out := make([]any, 0, len(list))
	for _, element := range list {
		object, _ := element.(map[string]any)
		times, isRepeat := object["repeat"].(int)
		if !isRepeat {
			out = append(out, fill(element, known))
			continue
		}
		for i := range times {
			known["i"] = strconv.Itoa(i)
			out = append(out, fill(object["of"], known))
		}
	}
	return out
}

// plain is a value as encoding/json reads it, so that values of YAML and of answers compare.
func plain(v any) any {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	var out any
	_ = json.Unmarshal(text, &out) // it was written as JSON
	return out
}
