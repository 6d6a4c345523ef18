"""What schemathesis cannot know of the API: who sends, what there is, and what nobody may see."""

import json
import os
import zlib

import schemathesis

ESTATES = json.loads(os.environ["FUZZ_ESTATES"])
OWN, OTHER = ESTATES["own"], ESTATES["other"]


def number(value):
    """A number that depends on nothing but the value, so that a seed repeats a run."""
    return zlib.crc32(json.dumps(value, sort_keys=True, default=repr).encode())


@schemathesis.auth()
class Tokens:
    """The token that an operation wants, always of the same tenant."""

    def get(self, case, context):
        return OWN["token"]

    def set(self, case, token, context):
        ways = case.operation.definition.raw.get("security") or [{}]
        if "bearer" in ways[0]:
            case.headers["Authorization"] = "Bearer " + token
        elif "serviceR1" in ways[0]:
            case.headers["Authorization"] = "Service-r1 " + token
            case.headers["X-Service-Client-ID"] = OWN["client_id"]
        elif "run" in ways[0]:
            case.headers["Authorization"] = "Run " + OWN["run"]


def known(path, name):
    """The values of a path parameter that lead to something, by the segment before it."""
    before = path.split("{" + name + "}")[0].rstrip("/").rsplit("/", 1)[-1]
    return before + "/" + name


@schemathesis.hook
def map_path_parameters(context, path_parameters):
    """Most requests name what there is: of the sender, or of the other tenant."""
    if not path_parameters:
        return path_parameters
    # API Gateway cuts a decoded path at its "?": what follows names another path.
    path_parameters = {k: v.replace("?", "-") if isinstance(v, str) else v for k, v in path_parameters.items()}
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


@schemathesis.hook
def map_query(context, query):
    """A where is JSON; a log of a job that has not ended is not waited for."""
    if query and "where" in query:
        dice = number(query)
        if dice % 5:
            query = dict(query)
            query["where"] = json.dumps(WHERES[dice % len(WHERES)])
    return query


@schemathesis.check
def other_tenant(ctx, response, case):
    """No answer holds what is the other tenant's, unless it was sent."""
    sent = json.dumps([case.path_parameters, case.query, case.body, case.formatted_path], default=repr)
    if OTHER["mark"] in response.text and OTHER["mark"] not in sent:
        raise AssertionError("the answer holds what is the other tenant's: " + response.text[:500])
