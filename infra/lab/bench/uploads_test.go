package bench

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"minicloud/infra/local/ddb"
)

// startedUpload is the answer to the start of an upload.
type startedUpload struct {
	URL           string `json:"upload_url"`
	Policy        string `json:"policy"`
	Authorization string `json:"authorization"`
	Form          struct {
		URL    string            `json:"url"`
		Fields map[string]string `json:"fields"`
	} `json:"post_form"`
}

// BenchmarkUpload uploads 1 MB by the receiver, by the form of S3 and by the SDK's PutObject, in turns. Goal: the receiver
// has at least 80 % of the speed of plain S3. The receiver with 1 byte shows what does not depend on the size.
func BenchmarkUpload(b *testing.B) {
	const rounds = 60
	p := start(b)
	content := make([]byte, 1<<20)
	rand.Read(content)
	bucket := ""
	for _, one := range p.Template.Buckets {
		if one.ID == "FilesBucket" {
			bucket = one.Name
		}
	}
	client := s3.New(s3.Options{Region: ddb.Region, BaseEndpoint: aws.String(p.Services), Credentials: me})

	var received, tiny, formed, plain series
	for n := range rounds {
		timed := func(into *series, do func() error) {
			began := time.Now()
			must(b, do())
			if n > 5 { // the first ones start programs and connections
				*into = append(*into, time.Since(began))
			}
		}
		s := p.startUpload(b)
		timed(&received, func() error {
			return sendUpload(s.URL, map[string]string{"policy": s.Policy, "authorization": s.Authorization}, content, http.StatusOK)
		})
		s = p.startUpload(b)
		timed(&tiny, func() error {
			return sendUpload(s.URL, map[string]string{"policy": s.Policy, "authorization": s.Authorization}, content[:1], http.StatusOK)
		})
		s = p.startUpload(b)
		timed(&formed, func() error { return sendUpload(s.Form.URL, s.Form.Fields, content, http.StatusNoContent) })
		key := fmt.Sprintf("bench/%d", n)
		timed(&plain, func() error {
			_, err := client.PutObject(b.Context(), &s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: bytes.NewReader(content)})
			return err
		})
	}
	fmt.Printf("1 MB, p50 in ms: receiver %.1f, with 1 byte %.1f, form of S3 %.1f, PutObject %.1f; the receiver has %.0f %% of the speed of the form, %.0f %% of PutObject\n",
		ms(received.median()), ms(tiny.median()), ms(formed.median()), ms(plain.median()),
		100*ms(formed.median())/ms(received.median()), 100*ms(plain.median())/ms(received.median()))
}

func (p *platform) startUpload(b *testing.B) (s startedUpload) {
	b.Helper()
	must(b, p.client.Send(b.Context(), "POST", "/oserve/v2.1/upload/", object{"filename": "a.bin"}, &s))
	return s
}

// sendUpload sends a form with a file at its end.
func sendUpload(url string, fields map[string]string, content []byte, status int) error {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for name, value := range fields {
		if err := form.WriteField(name, value); err != nil {
			return err
		}
	}
	part, err := form.CreateFormFile("file", "a.bin")
	if err != nil {
		return err
	}
	part.Write(content)
	form.Close()
	answer, err := http.Post(url, form.FormDataContentType(), &body)
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
