package api

// passwordRule is said to who entered another password, in English and Chinese.
var passwordRule = [2]string{"The password must have 6 to 128 characters.", "密码须为 6 至 128 个字符。"}

// pageWords has the pages in English and Chinese. {application}, {address} and {token} are values, escaped; {to} and
// {wrong} are paragraphs, or nothing.
var pageWords = map[pageKind][2]string{
	verifyQuestion: {`<h1>Confirm {address}</h1>
<p>An account of {application} uses this address.</p>
<form method="post">
<button>This is my account. Confirm the address</button>
</form>
<p>If you did not create the account, you can take it over. This removes its password and its other logins, and logs everybody out. Then reset the password in {application}.</p>
<form method="post">
<button class="second" name="take_over" value="1">I did not create it. Take the account over</button>
</form>`, `<h1>验证邮箱 {address}</h1>
<p>“{application}”中有一个账号使用了此邮箱。</p>
<form method="post">
<button>这是我的账号，验证邮箱</button>
</form>
<p>如果该账号不是您注册的，您可以将其收回：他人的密码、登录方式和登录状态将全部失效。之后请在应用中重置密码。</p>
<form method="post">
<button class="second" name="take_over" value="1">不是我注册的，收回账号</button>
</form>`},
	verified: {`<h1>Your email address is confirmed</h1>
<p>You can close this page.</p>`, `<h1>邮箱已验证</h1>
<p>您可以关闭此页面。</p>`},
	takenOver: {`<h1>Nobody else can log in with your address now</h1>
<p>Reset the password in the app, or register.</p>`, `<h1>他人已无法使用您的邮箱</h1>
<p>请在应用中重置密码或重新注册。</p>`},
	resetQuestion: {`<h1>Set a new password</h1>
{to}
{wrong}
<form method="post" action="?">
<input type="hidden" name="token" value="{token}">
<label for="new_password">New password</label>
<input id="new_password" name="new_password" type="password" autocomplete="new-password" minlength="6" maxlength="128" required autofocus>
<button>Set the password</button>
</form>`, `<h1>设置新密码</h1>
{to}
{wrong}
<form method="post" action="?">
<input type="hidden" name="token" value="{token}">
<label for="new_password">新密码</label>
<input id="new_password" name="new_password" type="password" autocomplete="new-password" minlength="6" maxlength="128" required autofocus>
<button>设置密码</button>
</form>`},
	passwordSet: {`<h1>Your new password is set</h1>
<p>You are logged out on all devices. Log in with the new password.</p>`, `<h1>密码已设置</h1>
<p>您已在所有设备上退出登录，请使用新密码登录。</p>`},
	invalidLink: {`<h1>This link is not valid</h1>
<p>It is incomplete, was used before, or has expired. Request another email in the app.</p>`, `<h1>链接无效</h1>
<p>链接有误、已被使用或已过期，请重新申请邮件。</p>`},
}
