package bench

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"golang.org/x/sync/errgroup"

	"minicloud/infra/lab/client"
	"minicloud/infra/local/ddb"
)

// BenchmarkUpload uploads 1 MB by the SDK's PutObject, by the receiver and by the form of S3, in turns: one at a time, and by
// 4 clients at once. Goal: the receiver has at least 80 % of the speed of plain S3. PutObject stores the content only; the
// form has the same result as the receiver once the record of the file is there. The receiver with 1 byte shows what does
// not depend on the size (decision 181).
func BenchmarkUpload(b *testing.B) {
	p := start(b)
	content := make([]byte, 1<<20)
	rand.Read(content)
	ways := p.uploads(content)
	b.Run("one_by_one", func(b *testing.B) { once(b, func() { p.uploadAlone(b, ways) }) })
	b.Run("by_4_clients", func(b *testing.B) { once(b, func() { p.uploadTogether(b, ways[:4], 4) }) })
}

// way is a way to upload. begin is not measured.
type way struct {
	name  string
	begin func(b *testing.B) (send func() error)
	times series
}

func (p *platform) uploads(content []byte) []*way {
	bucket := p.bucket("FilesBucket")
	storage := s3.New(s3.Options{Region: ddb.Region, BaseEndpoint: aws.String(p.Services), Credentials: me})
	received := func(content []byte) func(*testing.B) func() error {
		return func(b *testing.B) func() error {
			s := p.startUpload(b)
			return func() error {
				return sendUpload(s.URL, s.Fields(), content, http.StatusOK)
			}
		}
	}
	put := func(*testing.B) func() error {
		return func() error {
			key := "bench/" + rand.Text()
			_, err := storage.PutObject(context.Background(), &s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: bytes.NewReader(content)})
			return err
		}
	}
	form := func(b *testing.B) func() error {
		s := p.startUpload(b)
		return func() error { return sendUpload(s.Form.URL, s.Form.Fields, content, http.StatusNoContent) }
	}
	recorded := func(b *testing.B) func() error {
		s := p.startUpload(b)
		return func() error {
			err := sendUpload(s.Form.URL, s.Form.Fields, content, http.StatusNoContent)
			for missing := err == nil; missing; { // the benchmark's own time ends it
				missing = p.send(context.Background(), "GET", "/oserve/v2.2/file/"+s.ID+"/", nil, nil) != nil
			}
			return err
		}
	}
	return []*way{
		{name: "put", begin: put}, {name: "receiver", begin: received(content)},
		{name: "receiver-of-1-byte", begin: received(content[:1])}, {name: "form", begin: form},
		{name: "form-and-record", begin: recorded},
	}
}

// uploadAlone measures one upload at a time. What the uploads of a round cause behind their answers ends before the next
// round, of which PutObject is the first: it causes nothing.
func (p *platform) uploadAlone(b *testing.B, ways []*way) {
	const rounds, warm = 60, 3 // the first ones start programs and connections
	for n := range rounds + warm {
		sends := make([]func() error, len(ways))
		for i, w := range ways {
			sends[i] = w.begin(b)
		}
		must(b, p.Drain(b.Context()))
		for i, w := range ways {
			began := time.Now()
			must(b, sends[i]())
			if n >= warm {
				w.times = append(w.times, time.Since(began))
			}
		}
	}
	for _, w := range ways {
		report(b, w.name, w.times)
	}
	for _, w := range []*way{ways[0], ways[3], ways[4]} {
		b.ReportMetric(100*float64(w.times.median())/float64(ways[1].times.median()), "%-of-"+w.name)
	}
}

// uploadTogether measures the uploads of several clients per second, and the processor time of each.
func (p *platform) uploadTogether(b *testing.B, ways []*way, clients int) {
	const rounds, each = 5, 40
	rates := map[string]series{} // durations of an upload
	for n := range rounds + 1 {
		for _, w := range ways {
			sends := make(chan func() error, each)
			for range each {
				sends <- w.begin(b)
			}
			close(sends)
			must(b, p.Drain(b.Context()))
			began, used := time.Now(), processor("")
			var group errgroup.Group
			for range clients {
				group.Go(func() error {
					for send := range sends {
						if err := send(); err != nil {
							return err
						}
					}
					return nil
				})
			}
			must(b, group.Wait())
			if n > 0 { // the first round starts programs
				rates[w.name] = append(rates[w.name], time.Since(began)/each)
				rates[w.name+"-cpu"] = append(rates[w.name+"-cpu"], (processor("")-used)/each)
			}
		}
	}
	for _, w := range ways {
		b.ReportMetric(float64(time.Second)/float64(rates[w.name].median()), w.name+"/s")
		b.ReportMetric(ms(rates[w.name+"-cpu"].median()), w.name+"-cpu-ms")
	}
	for _, w := range []*way{ways[0], ways[3]} {
		b.ReportMetric(100*float64(rates[w.name].median())/float64(rates[ways[1].name].median()), "%-of-"+w.name)
	}
}

// bucket returns the name of the template's bucket with the logical id.
func (p *platform) bucket(id string) string {
	for _, one := range p.Template.Buckets {
		if one.ID == id {
			return one.Name
		}
	}
	return ""
}

func (p *platform) startUpload(b *testing.B) (s client.Upload) {
	b.Helper()
	must(b, p.client.Send(b.Context(), "POST", "/oserve/v2.1/upload/", object{"filename": "a.bin"}, &s))
	return s
}

// sendUpload sends a form with a file at its end.
func sendUpload(url string, fields map[string]string, content []byte, status int) error {
	kind, body := client.Form(fields, string(content))
	answer, err := http.Post(url, kind, bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != status {
		err = fmt.Errorf("%s: status %d %s", url, answer.StatusCode, text)
	}
	return err
}
