// BaaS: text messages, verification codes, and what the vendors of mini programs
// send. Fields of the endpoints are in snake case, as the SDK's objects are.
(function (host, load) {
  "use strict";
  const { api, wrong, key } = load("baas");
  const { method } = load("baas_absent");

  function object(given, what) {
    if (typeof given !== "object" || given === null) throw wrong(`${what} needs an object`);
    return given;
  }

  // message is the body of what goes to many; a Query stands for its condition.
  function message(given, what) {
    const body = { ...object(given, what) };
    const where = body.user_profile_filters?.queryObject;
    if (where !== undefined) body.user_profile_filters = where;
    return body;
  }

  function sendSmsCode(options) {
    const { phone, userID, signatureID } = object(options, "sendSmsCode");
    return api("POST", "/oserve/v2.1/sms-verification-code/", null, { phone, user_id: userID, signature_id: signatureID });
  }

  function verifySmsCode(options) {
    const { phone, code, userID } = object(options, "verifySmsCode");
    return api("POST", "/oserve/v1.8/sms-verification-code/verify/", null, { phone, code, user_id: userID });
  }

  const sendSmsMessage = (data) => api("POST", "/dserve/v1/message/sms/", null, message(data, "sendSmsMessage"));

  // kinds are what submissionType says, by the names of the counts.
  const kinds = { __proto__: null, form_id: "form", form: "form", prepay_id: "payment", trade_no: "payment", payment: "payment" };

  // vendor is what one vendor of mini programs can do here.
  function vendor(name) {
    const counts = (path, userID, query, pick) =>
      api("GET", `/oserve/v3/user/${key(userID, "a user")}/${path}/`, query).then(({ data }) => pick(data[name]));
    const send = (kind, what) => (data) => api("POST", `/dserve/v1/message/${kind}/${name}/`, null, message(data, what));

    return {
      sendTemplateMessage: send("template", "sendTemplateMessage"),
      sendSubscribeMessage: send("subscribe", "sendSubscribeMessage"),
      getTemplateMsgTicketCount(options) {
        const { userID, submissionType } = object(options, "getTemplateMsgTicketCount");
        const kind = kinds[submissionType];
        if (kind === undefined && submissionType !== undefined && submissionType !== "all") {
          throw wrong("submissionType is one of form_id, prepay_id, trade_no, all");
        }
        return counts("form-id", userID, null, (count) => kind === undefined ? count.form + count.payment : count[kind]);
      },
      getSubscribeMsgTicketCount(options) {
        const { userID, templateID } = object(options, "getSubscribeMsgTicketCount");
        return counts("subscription", userID, { template_id: templateID ?? null }, (count) => count);
      },
    };
  }

  // space adds to a vendor's own what cannot be done.
  function space(name, others, left) {
    const made = vendor(name);
    for (const one of left) delete made[one];
    for (const one of [...others, ...left]) made[one] = method(`${name}.${one}`);
    return made;
  }

  const chat = space("chat", ["decryptData", "censorText", "updateUserInfo", "getUserRiskRank", "createActivityID", "UrlScheme", "livestreaming", "profitSharing"], []);
  return {
    __proto__: null, sendSmsCode, verifySmsCode, sendSmsMessage,
    sendTemplateMessage: chat.sendTemplateMessage, getTemplateMsgTicketCount: chat.getTemplateMsgTicketCount, chat,
    get alt() { return space("alt", ["censorText", "profitSharing", "getQRCode"], ["sendSubscribeMessage"]); },
    get tpay() { return space("tpay", ["censorText"], []); },
  };
});
