"""What schemathesis cannot know of the API: who sends, what there is, and what nobody may see."""

import collections
import json
import os
import re
import threading
import time
import urllib.request
import zlib

import schemathesis

ESTATES = json.loads(os.environ["FUZZ_ESTATES"])
OWN, OTHER = ESTATES["own"], ESTATES["other"]


def number(value):
    """A number that depends on nothing but the value, so that a seed repeats a run."""
    return zlib.crc32(json.dumps(value, sort_keys=True, default=repr).encode())


ROLES = ["viewer", "developer", "owner"]
EVERYWHERE = "everywhere"  # an owner of all applications
# Whom such an owner must not meet: what they change of the other tenant they may change, and so they may those who send.
SPARED = [OTHER["client_id"], OTHER["mark"], OTHER["env"], *(v for vs in OTHER["values"].values() for v in vs if len(v) > 12)]
SPARED += [str(account) for account in OWN["accounts"].values()]


class Administrators:
    """What the accounts send with. It ends while requests are sent, and is then handed out anew."""

    def __init__(self):
        self.given, self.whose, self.lock = {}, {}, threading.Lock()

    def of(self, role):
        with self.lock:
            got, at = self.given.get(role, (None, 0))
            if got is None or time.monotonic() - at > 300:
                with urllib.request.urlopen(OWN["administrators"] + "/" + role) as answer:
                    got = json.load(answer)
                self.given[role] = (got, time.monotonic())
                self.whose[got["token"]] = self.whose[got["cookie"]] = role
            return got

    def sender(self, case):
        """The role that a request is sent with, None for a client's own token."""
        token = str(case.headers.get("Authorization", "")).removeprefix("Console ")
        return self.whose.get(token) or self.whose.get((case.cookies or {}).get("minicloud_session"))

    def renew(self, role):
        with self.lock:
            self.given.pop(role, None)


ADMINISTRATORS = Administrators()


def whole(case):
    return json.dumps([case.path_parameters, case.query, case.body, case.formatted_path], default=repr)


@schemathesis.auth(refresh_interval=None)
class Tokens:
    """What an operation wants of its sender: always the same tenant's, or one of their administrators'."""

    sent = collections.Counter()

    def get(self, case, context):
        return OWN["token"]

    def set(self, case, token, context):
        ways = case.operation.definition.raw.get("security") or [{}]
        # In turns, as many operations have nothing that differs. One worker sends all of an operation, so seeds repeat.
        turn = self.sent[case.operation.label]
        self.sent[case.operation.label] += 1
        # A key that is the same in all requests answers 422 to all but one.
        key = case.headers.get("Idempotency-Key", "")
        if turn % 4 and 0 < len(key) < 200:
            case.headers["Idempotency-Key"] = f"{key}-{turn}"
        if "session" in ways[0]:
            self.sign_in(case, (ROLES + [EVERYWHERE])[turn % 4])
        elif {"console": []} in ways and turn % 2:
            case.headers["Authorization"] = "Console " + ADMINISTRATORS.of(ROLES[turn // 2 % 3])["token"]
        elif "bearer" in ways[0]:
            case.headers["Authorization"] = "Bearer " + token
        elif "serviceR1" in ways[0]:
            case.headers["Authorization"] = "Service-r1 " + token
            case.headers["X-Service-Client-ID"] = OWN["client_id"]
        elif "run" in ways[0]:
            case.headers["Authorization"] = "Run " + OWN["run"]

    def sign_in(self, case, role):
        sent = whole(case)
        if role == EVERYWHERE and any(word in sent for word in SPARED):
            role = "owner"
        # Their own account, which only they themselves may see.
        if role != EVERYWHERE and "account" in (case.path_parameters or {}) and number(sent) % 2:
            case.path_parameters["account"] = OWN["accounts"][role]
        given = ADMINISTRATORS.of(role)
        case.cookies = {"minicloud_session": given["cookie"]}
        case.headers["X-CSRF-Token"] = given["csrf"]


@schemathesis.hook
def before_call(context, case, kwargs):
    """API Gateway cuts a decoded path at its "?": what follows names another path."""
    for name, value in (case.path_parameters or {}).items():
        if isinstance(value, str):
            case.path_parameters[name] = value.replace("?", "-").replace("%3F", "-")  # some are encoded already


@schemathesis.hook
def after_call(context, case, response):
    """Sessions are ended by requests, and tokens by their time."""
    if response.status_code == 401:
        role = ADMINISTRATORS.sender(case)
        if role:
            ADMINISTRATORS.renew(role)


def known(path, name):
    """The values of a path parameter that lead to something, by the segment before it."""
    before = path.split("{" + name + "}")[0].rstrip("/").rsplit("/", 1)[-1]
    return before + "/" + name


# What ends the credentials of a whole application, or takes an environment from it.
BREAKING = re.compile(r"/application/{application}/(secret|revoke-tokens|environment)/")


@schemathesis.hook
def map_path_parameters(context, path_parameters):
    """Most requests name what there is: of the sender, or of the other tenant."""
    if not path_parameters:
        return path_parameters
    dice = number(path_parameters)
    whose = OWN if dice % 10 < 6 else OTHER
    # What is deleted is gone for all later requests.
    if context.operation.method.upper() == "DELETE" and whose is OWN and dice % 10 > 0:
        return path_parameters
    if dice % 10 == 9:
        return path_parameters
    out = dict(path_parameters)
    for name in out:
        values = whose["values"].get(known(context.operation.path, name))
        if values:
            out[name] = values[(dice // 10) % len(values)]
    if whose is OWN and BREAKING.search(context.operation.path):
        out["application"] = OWN["spare"]
    return out


@schemathesis.hook
def map_headers(context, headers):
    """An environment that is none would be all that an answer speaks of."""
    if headers and "X-Service-Env-ID" in headers:
        dice = number(headers) % 10
        headers = dict(headers)
        if dice < 5:
            del headers["X-Service-Env-ID"]
        elif dice < 9:
            headers["X-Service-Env-ID"] = OWN["env"]
        else:
            headers["X-Service-Env-ID"] = OTHER["env"]
    return headers


WHERES = [
    {}, {"text": "x"}, {"count": {"$gte": 0}}, {"nickname": {"$contains": "a"}}, {"id": {"$in": []}},
    {"$or": [{"count": {"$lt": 5}}, {"text": {"$isnull": True}}]}, {"created_at": {"$range": [0, 2000000000]}},
    {"text": {"$regex": "("}}, {"nowhere": 1}, {"$and": []}, {"count": {"$gt": "x"}},
]


def named(name, dice):
    """Something there is for a parameter or field that is called so, None for other names."""
    whose = (OWN, OWN, OTHER)[dice % 3]
    if name in ("env", "environment", "from", "to", "source", "target") and dice % 7:
        return [whose["env"], "production"][dice // 7 % 2]
    if name == "application_id" and dice % 7:
        return int(whose["values"]["application/application"][0])
    if name == "email" and dice % 3:
        return OWN["emails"][dice % len(OWN["emails"])]
    if name == "password" and dice % 2:
        return OWN["password"]
    return None


@schemathesis.hook
def map_query(context, query):
    """A where is JSON; an environment is one that there is."""
    if not query:
        return query
    dice = number(query)
    query = dict(query)
    if "where" in query and dice % 5:
        query["where"] = json.dumps(WHERES[dice % len(WHERES)])
    if "env" in query:
        query["env"] = named("env", dice) or query["env"]
    return query


@schemathesis.hook
def map_body(context, body):
    """Applications, environments and accounts are some that there are."""
    if not isinstance(body, dict):
        return body
    dice, kept = number(body), {}
    for name, value in body.items():
        there = named(name, dice)
        kept[name] = there if there is not None and type(there) is type(value) else value
    return kept


def has_all(response, case):
    """Whether the request is of somebody who has all applications; whoever signs in is told so."""
    if case.operation.label == "POST /console/api/session/" and response.status_code == 200:
        return json.loads(response.text)["account"]["applications"] == []
    return ADMINISTRATORS.sender(case) == EVERYWHERE


@schemathesis.check
def other_tenant(ctx, response, case):
    """No answer holds what is the other tenant's, unless it was sent, or is asked for by who has all applications."""
    if OTHER["mark"] in response.text and OTHER["mark"] not in whole(case) and not has_all(response, case):
        raise AssertionError("the answer holds what is the other tenant's: " + response.text[:500])


@schemathesis.check
def role(ctx, response, case):
    """Nobody does what is above their role."""
    sender, least = ADMINISTRATORS.sender(case), case.operation.definition.raw.get("x-role")
    asked = case.method == case.operation.method and response.status_code < 400  # not OPTIONS, which changes nothing
    if asked and sender in ROLES and least in ROLES and ROLES.index(sender) < ROLES.index(least):
        raise AssertionError(f"a {sender} did what is for a {least}: {response.status_code} {response.text[:500]}")
