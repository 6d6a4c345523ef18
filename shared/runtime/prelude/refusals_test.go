package prelude_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// unsupported are the members of BaaS that the platform does not support: they exist, and reject (F20).
var unsupported = []string{
	"TableObject.exportData", "TableObject.importData", "TableObject.getExportTask", "TableObject.getExportTasks",
	"File.createDownloadTask", "File.getDownloadTaskResult", "File.genVideoSnapshot", "File.videoConcat", "File.videoClip",
	"File.videoMeta", "File.videoAudioMeta", "File.purgeCache", "File.getPurgeCacheHistory",
	"Content.get", "Content.find", "Content.create", "Content.update", "Content.delete", "Content.count",
	"ContentGroup.getContent", "ContentGroup.getCategory", "ContentGroup.getCategoryList",
	"ContentGroup.get", "ContentGroup.find", "ContentGroup.create", "ContentGroup.update", "ContentGroup.delete",
	"ContentCategory.get", "ContentCategory.find", "ContentCategory.create", "ContentCategory.update",
	"Order.chatPay", "Order.alt",
	"chatAccessToken", "chatCensorImage", "chatCensorText", "getChatCode", "chatPromotionTransfer", "RedPack",
	"alt.censorText", "tpay.censorText", "chat.updateUserInfo", "chat.getUserRiskRank", "chat.createActivityID",
	"chat.UrlScheme", "chat.livestreaming", "chat.profitSharing", "alt.profitSharing", "alt.getQRCode",
	"chat.decryptData",
}

// TestUnsupportedMembersReject checks that unsupported members return a promise that rejects with code 611 and a
// uniform message, and that nothing is sent.
func TestUnsupportedMembersReject(t *testing.T) {
	code := `exports.main = async ({ data }) => {
		const said = [];
		for (const name of data) {
			const [first, method] = name.split(".");
			const owner = method === undefined ? BaaS : typeof BaaS[first] === "function" ? new BaaS[first]("table") : BaaS[first];
			let promise;
			// Classes have each of their methods, too: BaaS.ContentGroup.get(id).
			if (owner !== BaaS && /^Content/.test(first)) await BaaS[first][method]().then(() => said.push(name), () => {});
			try { promise = owner[method ?? first]({ a: 1 }, 2); } catch (e) { said.push("threw " + e.message); continue; }
			said.push(await promise.then(() => "done", (e) => [e instanceof BaaS.BaaSError, e.name, e.code, e.status, Object.keys(e).join(), e.message].join("|")));
		}
		return said;
	}`
	report := sandboxed(t).Run(job(code, unsupported), silent{})
	var said []string
	if err := json.Unmarshal(report.Data, &said); err != nil || len(said) != len(unsupported) {
		t.Fatal(err, report.Error)
	}
	for i, name := range unsupported {
		start := "true|BaaSError|611||code|611: unsupported function BaaS." + name + ": "
		if advice, ok := strings.CutPrefix(said[i], start); !ok || len(advice) < 15 {
			t.Errorf("%s: %s", name, said[i])
		}
	}
}

// refused are modules whose functions all refuse with the same message, except for those in but, which need neither
// a network nor a process.
var refused = []struct{ modules, text, but string }{
	{"net tls dgram dns dns/promises http2", "the only way out is BaaS.request",
		`net.isIP net.isIPv4 net.isIPv6 net.getDefaultAutoSelectFamily net.setDefaultAutoSelectFamily
		net.getDefaultAutoSelectFamilyAttemptTimeout net.setDefaultAutoSelectFamilyAttemptTimeout`},
	{"child_process cluster worker_threads vm", "a function runs alone; start another with BaaS.invoke(name, data)",
		`worker_threads.getEnvironmentData worker_threads.setEnvironmentData vm.isContext`},
}

// TestAbsentModulesNameAlternative calls every function of the unsupported modules.
func TestAbsentModulesNameAlternative(t *testing.T) {
	var node map[string]map[string]string
	if err := json.Unmarshal([]byte(text(t, "testdata/members/names.json")), &node); err != nil {
		t.Fatal(err)
	}
	var names, want []string
	for _, group := range refused {
		but := strings.Fields(group.but)
		for _, module := range strings.Fields(group.modules) {
			for name, kind := range node[module] {
				if module == "cluster" && node["events"]["EventEmitter.prototype."+name] != "" {
					continue // cluster is an EventEmitter
				}
				if full := module + "." + name; kind == "function" && !slices.Contains(but, full) {
					names, want = append(names, full), append(want, full+" is not available in cloud functions: "+group.text)
				}
			}
		}
	}

	if len(names) < 100 {
		t.Fatal("only", len(names), "functions")
	}

	code := `exports.main = async ({ data }) => data.map((full) => {
		const at = full.lastIndexOf("."), f = require(full.slice(0, at))[full.slice(at + 1)];
		try { /^[A-Z]/.test(full.slice(at + 1)) ? new f() : f(); return full + " ran"; } catch (e) { return e.message; }
	})`
	report := sandboxed(t).Run(job(code, names), silent{})
	var said []string
	if err := json.Unmarshal(report.Data, &said); err != nil {
		t.Fatal(err, report.Error)
	}
	for i := range names {
		if said[i] != want[i] {
			t.Errorf("%q, want %q", said[i], want[i])
		}
	}
}

// TestRefusalsNameAlternative compares the messages character by character.
func TestRefusalsNameAlternative(t *testing.T) {
	const bundle = `bundle it with npx esbuild main.js --bundle --format=cjs --platform=node ` +
		`--target=es2022 --minify --keep-names --outfile=function.js; if a package fails or is too large, add ` +
		`--main-fields=browser,module,main --conditions=browser`
	for code, want := range map[string]string{
		`require("http").createServer()`:            "http.createServer is not available in cloud functions: the only way out is BaaS.request",
		`require("https").createServer()`:           "https.createServer is not available in cloud functions: the only way out is BaaS.request",
		`require("left-pad")`:                       `MODULE_NOT_FOUND module "left-pad" is not available in cloud functions: ` + bundle,
		`require("mysql2")`:                         `MODULE_NOT_FOUND module "mysql2" is not available in cloud functions: keep data in BaaS.TableObject`,
		`require("./x.node")`:                       `MODULE_NOT_FOUND module "./x.node" is not available in cloud functions: take the JavaScript build of the package`,
		`require("fs").readFileSync("/etc/passwd")`: "ENOENT ENOENT: no such file or directory, open '/etc/passwd'",
		`require("fs").readFileSync("a.txt")`:       "ENOENT ENOENT: no such file or directory, open 'a.txt'",
		`require("fs").writeFileSync("/etc/x", "")`: "EROFS EROFS: read-only file system, open '/etc/x': only /tmp can be written; keep data in a table or BaaS.File",
		`require("fs").mkdirSync("/x")`:             "EROFS EROFS: read-only file system, mkdir '/x': only /tmp can be written; keep data in a table or BaaS.File",
		`require("fs").appendFileSync("x.log", "")`: "EROFS EROFS: read-only file system, open 'x.log': only /tmp can be written; keep data in a table or BaaS.File",
		`process.exit(0)`:                           "process.exit is not available in cloud functions: a run ends when nothing is left to do; return from main or throw",
		`process.binding("fs")`:                     "process.binding is not available in cloud functions: a function has no process of its own",
		`process.dlopen({}, "x.node")`:              "process.dlopen is not available in cloud functions: take the JavaScript build of the package",
		`new WebAssembly.Module(data)`:              "WebAssembly is not available in cloud functions: take the JavaScript build",
		`new SharedArrayBuffer(8)`:                  "SharedArrayBuffer is not available in cloud functions: take the JavaScript build",
	} {
		main := `exports.main = async ({ data }) => { try { ` + code + `; return "ran"; } catch (e) { return (e.code && !/UNAVAILABLE/.test(e.code) ? e.code + " " : "") + e.message; } }`
		report := sandboxed(t).Run(job(main, nil), silent{})
		var got string
		if json.Unmarshal(report.Data, &got) != nil || got != want {
			t.Errorf("%s\n  says %s %+v\n  want %s", code, got, report.Error, want)
		}
	}
}
