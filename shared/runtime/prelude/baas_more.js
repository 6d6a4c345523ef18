// What few functions use of BaaS, and what it sends to people. Names of fields
// are those of the endpoints, in snake case.
(function (host, load) {
  "use strict";
  const { BaaS, api, wrong, key, named } = load("baas");

  // skipped logs what was left out of a write (F16).
  function skipped(headers) {
    const needs = JSON.parse(headers["x-service-skipped-needs"]);
    headers["x-service-skipped-fields"].split(",").forEach((name, i) => {
      host.log("WARN", `BaaS: field ${JSON.stringify(decodeURIComponent(name.replace(/\+/g, " ")))} ${needs[i]}; skipped`);
    });
  }

  function object(given, what) {
    if (typeof given !== "object" || given === null) throw wrong(`${what} needs an object`);
    return given;
  }

  // useVersion accepts what there was; the behaviour is always the newest (F12).
  function useVersion(version) {
    const found = /^v?(\d+)(?:\.(\d+))?(?:\.\d+)?$/.exec(`${version}`);
    const major = found === null ? 0 : +found[1], minor = found === null ? 0 : +(found[2] ?? 0);
    if (major < 2 || major > 3 || (major === 3 && minor > 20)) throw new Error(`BaaS@${version} not found`);
  }

  function invokeFunction(name, data = {}, sync = true) {
    const path = `/oserve/v1.3/cloud-function/${encodeURIComponent(named(name, "BaaS.invokeFunction"))}/job/`;
    return api("POST", path, null, { data, sync: Boolean(sync) });
  }

  return {
    __proto__: null, skipped, useVersion, invokeFunction,
    getOrderList: (filters) => new BaaS.Order().getOrderList(filters),
    getServerDate: () => api("GET", "/oserve/v2.2/server/time/"),
    getAsyncJobResult: (id) => api("GET", `/oserve/v1/bulk-operation/${key(id, "an operation")}/`),
    sendEmail: (mail) => api("POST", "/dserve/v1/message/mail/", null, { ...object(mail, "sendEmail") }),
  };
});
