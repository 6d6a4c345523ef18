package api

import (
	"net/http"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/order/payment"
)

// refused is the only reason that a response to a refused notification gives. The log has the real one, so that a
// forger learns nothing.
const refused = "the notification was not accepted"

// answer writes the response that the vendor expects for each form (G18).
//
//	XML    200   return_code SUCCESS or FAIL
//	JSON   200, 4xx, or 503 if the platform is busy; {"code","message"}
//	form   200   success or failure
func answer(w http.ResponseWriter, form payment.Form, err error) {
	switch form {
	case payment.XML:
		code, message := "SUCCESS", "OK"
		if err != nil {
			code, message = "FAIL", refused
		}
		write(w, "text/xml; charset=utf-8", "<xml><return_code><![CDATA["+code+"]]></return_code><return_msg><![CDATA["+
			message+"]]></return_msg></xml>")
	case payment.JSON:
		status, code, message := http.StatusOK, "SUCCESS", "OK"
		if err != nil {
			status, code, message = statusOf(err), "FAIL", refused
		}
		httpapi.Write(w, status, map[string]string{"code": code, "message": message})
	default:
		text := "success"
		if err != nil {
			text = "failure"
		}
		write(w, "text/plain; charset=utf-8", text)
	}
}

// statusOf returns 401 for a notification that is not from the vendor: 403 would mean that the sender is known.
func statusOf(err error) int {
	switch status := httpapi.Status(err); {
	case errs.Is(err, errs.KindForbidden):
		return http.StatusUnauthorized
	case status >= http.StatusInternalServerError:
		return http.StatusServiceUnavailable
	default:
		return status
	}
}

func write(w http.ResponseWriter, contentType, text string) {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write([]byte(text))
}
