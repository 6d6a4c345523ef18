package maillink

import (
	"fmt"
	"net/url"
	"strings"
)

// Language is that of mails and pages.
type Language string

// The languages.
const (
	English Language = "en"
	Chinese Language = "zh"
)

// LanguageOf returns the first known language of an Accept-Language header, English without one. Browsers send
// languages in the order of preference.
func LanguageOf(header string) Language {
	for one := range strings.SplitSeq(strings.ToLower(header), ",") {
		tag, _, _ := strings.Cut(strings.TrimSpace(one), ";")
		base, _, _ := strings.Cut(tag, "-")
		if base == string(English) || base == string(Chinese) {
			return Language(base)
		}
	}
	return English
}

// Paths of the platform's own pages.
const (
	VerifyPath = "/hserve/v2.0/user/email-verify/"
	ResetPath  = "/hserve/v2.0/user/password/reset/confirm/"
)

// link returns the address of the page for a token: the application's own with the parameter token, else a plain page
// of the platform.
func (at Place) link(kind Kind, token Token) string {
	own, ours := at.Application.Settings.Pages.Verify, at.Base+VerifyPath+string(token)+"/"
	if kind == Reset {
		own, ours = at.Application.Settings.Pages.Reset, at.Base+ResetPath+"?token="+string(token)
	}
	page, err := url.Parse(own)
	if own == "" || err != nil {
		return ours
	}
	query := page.Query()
	query.Set("token", string(token))
	page.RawQuery = query.Encode()
	return page.String()
}

type words struct{ subject, body string }

// mails are the texts of mails: of the application, the address and the link.
var mails = map[Kind]map[Language]words{
	Verify: {
		English: {"Confirm your email address for %s", `Someone registered at %[1]s with the email address %[2]s.

If this was you, confirm the address within 24 hours:

%[3]s

If this was not you, ignore this email. The address stays unconfirmed.
`},
		Chinese: {"请验证您在 %s 的邮箱", `有人使用 %[2]s 在 %[1]s 注册。

如果是您本人，请在 24 小时内打开以下链接完成验证：

%[3]s

如果不是您本人，无需任何操作，该邮箱将保持未验证状态。
`},
	},
	Reset: {
		English: {"Reset your password for %s", `Someone requested a new password for %[2]s at %[1]s.

If this was you, set a new password within 30 minutes:

%[3]s

If this was not you, ignore this email. Your password stays the same.
`},
		Chinese: {"重置您在 %s 的密码", `有人申请重置 %[2]s 在 %[1]s 的密码。

如果是您本人，请在 30 分钟内打开以下链接设置新密码：

%[3]s

如果不是您本人，无需任何操作，密码不会改变。
`},
	},
}

func text(at Place, kind Kind, address, link string) (subject, body string) {
	of := mails[kind][at.Language]
	return fmt.Sprintf(of.subject, at.Application.Name), fmt.Sprintf(of.body, at.Application.Name, address, link)
}
