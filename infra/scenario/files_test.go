package scenario_test

import (
	"net/http"
	"strings"
	"testing"

	"minicloud/shared/httpapi"
)

// settleFiles gives the owner's user files and uploads, and the owner a category.
func settleFiles(t *testing.T, owner caller, e owned) {
	t.Helper()
	user := owner.as(httpapi.Client)
	photo := uploadPhoto(t, user, secret+".png")
	e["uploaded-file/{id}"], e["file/{id}"], e["async-censor/{id}"] = photo.ID, photo.ID, photo.ID
	find(t, user.ask(t, "POST", "/hserve/v2.2/async-censor/", `{"file_id":"`+photo.ID+`"}`), "id")
	e["file-category/{id}"] = find(t, owner.ask(t, "POST", "/oserve/v2.2/file-category/", `{"name":"`+secret+`"}`), "id")
	started := user.ask(t, "POST", "/hserve/v2.7/resumable-upload/", `{"filename":"`+secret+`.bin","file_size":10}`)
	e["resumable-upload/{id}"] = find(t, started, "id")
}

const keyedFiles = "/oserve/v2.2/file/?limit=1000"

// inParts uploads the parts of a new file, and replaces {parts} and {multi} by its ids.
func (r *repeater) inParts(a repeated) repeated {
	r.Helper()
	begun := r.ask(r.T, "POST", "/hserve/v2.7/resumable-upload/", `{"filename":"keyed.txt","file_size":7}`)
	path := strings.TrimPrefix(find(r.T, begun, "upload_url"), r.base)
	part := r.with("Authorization", find(r.T, begun, "authorization")).with("X-Date", find(r.T, begun, "date")).
		with("X-Service-Multi-Stage", "upload").with("X-Service-Multi-UUID", find(r.T, begun, "multi_uuid")).
		with("X-Service-Part-ID", "0")
	if answer := part.ask(r.T, "PUT", path, "content"); answer.status != http.StatusOK {
		r.Fatalf("a part: %d %s", answer.status, answer.body)
	}
	a.path = strings.ReplaceAll(a.path, "{parts}", find(r.T, begun, "id"))
	a.body = strings.ReplaceAll(a.body, "{multi}", find(r.T, begun, "multi_uuid"))
	return a
}

func init() {
	for _, path := range []string{"/hserve/v1.7/censor-msg", "/hserve/v2.4/alt/censor-msg", "/hserve/v2.2/tpay/censor-msg"} {
		attempts["POST "+path] = attempt{body: `{"content":"hello"}`, stranger: http.StatusBadRequest} // without settings of vendors
	}
	for _, path := range []string{"/hserve/v2.6/censor-image", "/hserve/v1.7/censor-image"} {
		attempts["POST "+path] = attempt{body: `{}`, stranger: http.StatusUnsupportedMediaType, owner: http.StatusUnsupportedMediaType}
	}
	attempts["POST /hserve/v2.2/async-censor"] = attempt{body: `{"file_id":"uploaded-file/{id}"}`, stranger: 404, owner: 0}

	// Of files of others and unknown ones, a deletion of many deletes none. The first version deletes the file.
	for _, version := range []string{"v2.1", "v1.3", "v2.2"} {
		files := "DELETE /hserve/" + version + "/uploaded-file"
		attempts[files] = attempt{body: `{"id__in":["111111111111111111111111"]}`, stranger: 204}
		attempts[files+"/{id}"] = attempt{again: true}
	}
	for _, prefix := range []string{"/oserve", "/userve"} {
		files, categories := prefix+"/v2.2/file", prefix+"/v2.2/file-category"
		attempts["POST "+files+"/query"] = attempt{body: `{"where":{}}`}
		attempts["DELETE "+files] = attempt{query: `?id__in=111111111111111111111111`, stranger: 204}
		attempts["DELETE "+files+"/{id}"] = attempt{again: true}
		attempts["POST "+categories] = attempt{body: `{"name":"owned"}`, stranger: 201, owner: 201}
		attempts["PUT "+categories+"/{id}"] = attempt{body: `{"name":"taken"}`}
	}

	for _, path := range []string{"/hserve/v2.1/upload", "/hserve/v1/upload", "/oserve/v2.1/upload", "/hserve/v2.7/resumable-upload"} {
		attempts["POST "+path] = attempt{body: `{"filename":"owned.txt","file_size":10}`, stranger: http.StatusOK}
		repetitions["POST "+path] = []repeated{
			{body: `{"filename":"made-#.txt","file_size":10}`, watch: keyedFiles},
			{body: `{"filename":"named-#.txt","file_size":10,"random_file_link":false}`, watch: keyedFiles},
		}
	}
	// No part was sent.
	attempts["PUT /hserve/v2.7/resumable-upload/{id}"] = attempt{
		body: `{"multi_uuid":"resumable-upload/{id}"}`, owner: http.StatusBadRequest,
	}
	repetitions["PUT /hserve/v2.7/resumable-upload/{id}"] = []repeated{{
		path: "/hserve/v2.7/resumable-upload/{parts}/", body: `{"multi_uuid":"{multi}"}`, watch: keyedFiles,
	}}

	const keyedCategories = "/oserve/v2.2/file-category/?limit=1000"
	repetitions["POST /oserve/v2.2/file-category"] = []repeated{{body: `{"name":"made #"}`, watch: keyedCategories}}
	repetitions["PUT /oserve/v2.2/file-category/{id}"] = []repeated{{
		path: "/oserve/v2.2/file-category/{category}/", body: `{"name":"mine #"}`, watch: keyedCategories,
		between: `PUT /oserve/v2.2/file-category/{category}/ {"name":"theirs #"}`,
	}}
	repetitions["POST /hserve/v2.2/async-censor"] = []repeated{{
		body: `{"file_id":"{photo}"}`, watch: keyedFiles,
		// The check may end before the repetition, which answers with its result.
		between: `GET /hserve/v2.2/async-censor/{photo}/ `,
	}}
}
