// What BaaS sends to people. Names are those of the endpoints, in snake case.
(function (host, load) {
  "use strict";
  const { api, wrong } = load("baas");
  const { reject } = load("baas_absent");

  function object(given, what) {
    if (typeof given !== "object" || given === null) throw wrong(`${what} needs an object`);
    return given;
  }

  return {
    __proto__: null,
    sendEmail: (mail) => api("POST", "/dserve/v1/message/mail/", null, { ...object(mail, "sendEmail") }),
    sendSmsCode: () => reject("sendSmsCode"),
    verifySmsCode: () => reject("verifySmsCode"),
    sendSmsMessage: () => reject("sendSmsMessage"),
    sendTemplateMessage: () => reject("sendTemplateMessage"),
    getTemplateMsgTicketCount: () => reject("getTemplateMsgTicketCount"),
  };
});
