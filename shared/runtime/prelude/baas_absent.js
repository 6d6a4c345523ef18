// What BaaS names and cannot do: it rejects with code 611 and says what to do
// instead (F20).
(function (host, load) {
  "use strict";
  const { BaaSError, hidden } = load("baas");
  const later = "it comes with the end users' API", own = "call the vendor with BaaS.request";
  const advice = {
    __proto__: null,
    File: "the platform does not change media", "File.purgeCache": "a file that can be replaced is not cached", "File.getPurgeCacheHistory": "a file never changes at its address",
    "File.createDownloadTask": "download with BaaS.request, responseType arraybuffer, and pass the data to upload", "File.getDownloadTaskResult": "there are no download tasks",
    Content: "keep it in a table", ContentGroup: "keep it in a table", ContentCategory: "keep it in a table",
    TableObject: "page through the rows with find", RedPack: own, Order: own, chat: own, alt: own, tpay: own,
    "chat.decryptData": `${later}, which keep the session key of a login; with a key of your own use createDecipheriv("aes-128-cbc", ...) of crypto`,
    "alt.sendSubscribeMessage": "alt has none; use BaaS.alt.sendTemplateMessage",
  };

  const reject = (name) => Promise.reject(new BaaSError(611, `unsupported function BaaS.${name}: ${advice[name] ?? advice[name.split(".")[0]] ?? own}`));
  const method = (name) => (...args) => reject(name);
  const absent = (object, name, full) => hidden(object, name, method(full));

  // lacking is a class none of whose methods can do anything, nor those of its objects.
  function lacking(name, methods) {
    const kind = { [name]: class {} }[name];
    for (const one of methods.split(" ")) for (const object of [kind, kind.prototype]) absent(object, one, `${name}.${one}`);
    return kind;
  }

  const lists = "get create getWithoutData update delete find count setQuery limit offset orderBy select expand";
  return {
    __proto__: null, reject, method, absent,
    Content: lacking("Content", lists), ContentGroup: lacking("ContentGroup", `${lists} getContent getCategory getCategoryList`), ContentCategory: lacking("ContentCategory", lists),
  };
});
