package objects

import "net/http"

// Failure is an error of S3.
type Failure struct {
	Status  int
	Code    string
	Message string
}

func (f *Failure) Error() string { return f.Code + ": " + f.Message }

// Invalid returns a failure of a request that is wrong.
func Invalid(code, message string) *Failure { return &Failure{http.StatusBadRequest, code, message} }

// Failures of operations on objects, beside fs.ErrNotExist.
var (
	// ErrNoBucket is the failure of a bucket that is not in the template.
	ErrNoBucket = &Failure{http.StatusNotFound, "NoSuchBucket", "The specified bucket does not exist"}
	// ErrPrecondition is the failure of a condition of the request.
	ErrPrecondition = &Failure{
		http.StatusPreconditionFailed, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold",
	}
)
