package scenario_test

import (
	"net/http"
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

func init() {
	for _, path := range []string{"/hserve/v1.7/censor-msg", "/hserve/v2.4/alt/censor-msg", "/hserve/v2.2/tpay/censor-msg"} {
		attempts["POST "+path] = attempt{body: `{"content":"hello"}`, stranger: http.StatusBadRequest} // without settings of vendors
	}
	// The owner has no secret of tpay.
	attempts["POST /hserve/v2.2/tpay/censor-msg"] = attempt{body: `{"content":"hello"}`, stranger: 400, owner: 400}
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

	const keyedCategories = "/oserve/v2.2/file-category/?limit=1000"
	repetitions["POST /oserve/v2.2/file-category"] = []repeated{{body: `{"name":"made #"}`, watch: keyedCategories}}
	repetitions["PUT /oserve/v2.2/file-category/{id}"] = []repeated{{
		path: "/oserve/v2.2/file-category/{category}/", body: `{"name":"mine #"}`, watch: keyedCategories,
		between: `PUT /oserve/v2.2/file-category/{category}/ {"name":"theirs #"}`,
	}}
	repetitions["POST /hserve/v2.2/async-censor"] = []repeated{{
		body: `{"file_id":"{photo}"}`, watch: "/oserve/v2.2/file/?limit=1000",
	}}
}
