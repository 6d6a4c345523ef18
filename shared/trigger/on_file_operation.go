package trigger

import (
	"fmt"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/tenant"
)

var onFileOperation = Definition{
	name: TypeFileOperation, Source: "file_operation", condition: func() Condition { return &FileCondition{} },
	Actions: VisibleUser, Keys: VisibleUser, sample: sampleFile,
}

// fileFields are the fields of a file record (contract, File record).
var fileFields = []string{
	"id", "name", "status", "categories", "size", "media_type", "mime_type", "reference", "cdn_path", "path",
	"created_at", "updated_at", "created_by",
}

// fileEvents is the contract's table of file events, with the fields that each event sets in the record. A failed
// deletion has no event.
var fileEvents = []struct {
	operation FileOperation
	result    string
	status    string
	filled    bool // mime_type, media_type and size are set; otherwise null
}{
	{FileUpload, ResultSuccess, "success", true},
	{FileUpload, ResultFail, "pending", false},
	{FileImageCheck, ResultSuccess, "success", true},
	{FileImageCheck, ResultFail, "success", true},
	{FileDelete, ResultSuccess, "running", true},
}

// unknownUpload lists the fields that are null in the record of a failed upload.
var unknownUpload = []string{"mime_type", "media_type", "size"}

// FileEvent returns the event of a bus detail {operation, result, file} (D48). It returns errs.Invalid, naming the
// member, if the detail is wrong.
func FileEvent(scope tenant.Scope, id string, at time.Time, detail map[string]any) (Event, error) {
	file, ok := detail["file"].(map[string]any)
	subject, isText := file["id"].(string)
	if !ok || !isText || subject == "" {
		return Event{}, errs.Invalid("file must be a file record with an id")
	}
	operation, result := fmt.Sprint(detail["operation"]), fmt.Sprint(detail["result"])

	for _, row := range fileEvents {
		if string(row.operation) != operation || row.result != result {
			continue
		}
		record := pick(file, fileFields)
		record["status"] = row.status
		if !row.filled {
			for _, name := range unknownUpload {
				record[name] = nil
			}
		}
		return Event{
			ID: id, Scope: scope, Type: TypeFileOperation, Kind: OnFile, At: at, Subject: subject, Key: subject,
			Facts: map[string]any{"operation": operation, "result": result}, Payload: record,
		}, nil
	}
	return Event{}, errs.Invalid("operation %q with result %q is no file event: they are upload and image_check "+
		"with success or fail, delete with success", operation, result)
}

func sampleFile(s sampling) Event {
	now := float64(s.at.Unix())
	file := overlaid(map[string]any{
		"id": sampleID, "name": "sample.png", "categories": []any{}, "size": 1024.0,
		"media_type": "image", "mime_type": "image/png",
		"reference": "", "cdn_path": "sample.png", "path": "https://files.example.com/sample.png",
		"created_at": now, "updated_at": now, "created_by": float64(sampleUser),
	}, s.given)
	if text, ok := file["id"].(string); !ok || text == "" {
		file["id"] = sampleID
	}

	c := s.of.Condition.(*FileCondition)
	detail := map[string]any{"operation": string(c.Operation), "result": c.Result, "file": file}
	e, err := FileEvent(s.scope, s.id, s.at, detail)
	if err != nil { // the condition matches no possible event
		detail["result"] = ResultSuccess
		e, _ = FileEvent(s.scope, s.id, s.at, detail)
	}

	return e
}

// FileOperation is the operation on a file.
type FileOperation string

// The operations (D34).
const (
	FileUpload     FileOperation = "upload"
	FileDelete     FileOperation = "delete"
	FileImageCheck FileOperation = "image_check"
)

// FileCondition matches file events with this operation and result.
type FileCondition struct {
	Operation FileOperation `json:"operation"`
	Result    string        `json:"result"`
}

// AllRules implements Condition.
func (c *FileCondition) AllRules() (rules []Rule, one bool) {
	return []Rule{
		{Field: "operation", Operator: Equal, Value: string(c.Operation)},
		{Field: "result", Operator: Equal, Value: c.Result},
	}, false
}
