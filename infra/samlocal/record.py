"""Records what `sam local start-api` gives to programs.

    .local/venv/bin/python infra/samlocal/record.py           writes testdata/events.json
    .local/venv/bin/python infra/samlocal/record.py --check   fails when sam gives something else by now

Each entry of testdata/events.json is a request, the function that sam gives it to, and the event, which sam's own gateway
makes here from template.yaml; only the container is missing. samlocal_test.go makes the same events and plays them.
"""

import json
import pathlib
import sys

from samcli.lib.providers.api_provider import ApiProvider
from samcli.lib.providers.sam_stack_provider import SamLocalStackProvider
from samcli.local.apigw.local_apigw_service import LocalApigwService

HERE = pathlib.Path(__file__).parent
FILE = HERE / "testdata" / "events.json"
ANSWER = '{"statusCode":200,"headers":{"Content-Type":"text/plain"},"body":"ok"}'


class Recorder:
    """Stands where sam keeps its containers."""

    def is_debugging(self):
        return False

    def invoke(self, function, event, stdout=None, **_):
        self.function, self.event = function, json.loads(event)
        stdout.write_str(ANSWER)


def record(requests):
    root = HERE.parent.parent
    stacks, _ = SamLocalStackProvider.get_stacks(str(root / "template.yaml"))
    recorder = Recorder()
    service = LocalApigwService(
        api=ApiProvider(stacks, cwd=str(root)).api, lambda_runner=recorder, port=3000, host="127.0.0.1"
    )
    service.create()
    client = service._app.test_client(use_cookies=False)
    for request in requests:
        answer = client.open(
            request["path"],
            base_url="http://127.0.0.1:3000",
            method=request["method"],
            headers=request["headers"],
            data=request.get("body"),
        )
        assert answer.status_code == 200, (request, answer.status_code, answer.data)
        event = recorder.event
        # Of these the next call has others.
        event["requestContext"].update(requestId="request", time="time", timeEpoch=0)
        yield {"request": request, "function": recorder.function, "event": event}


before = json.loads(FILE.read_text())
after = list(record([entry["request"] for entry in before]))
if sys.argv[1:] != ["--check"]:
    FILE.write_text(json.dumps(after, indent=1, ensure_ascii=False) + "\n")
elif after != before:
    sys.exit("sam gives other events than infra/samlocal/testdata/events.json holds: record them anew and run the tests")
