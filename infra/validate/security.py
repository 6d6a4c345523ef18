"""Asks checkov about the template as CloudFormation gets it, and compares its findings with the exceptions below.

    security.py CHECKOV TEMPLATE.yaml

CHECKOV is the program. The exit status is 1 for a finding that is no exception, and for an exception without a finding.
"""

import collections
import json
import os
import subprocess
import sys
import tempfile

from rehearse import expand

EVERYWHERE = None

# By check: the resources that may fail it, and why.
EXCEPTIONS = {
    "CKV_AWS_18": (
        {"LostRecordsBucket", "FilesBucket"},
        "programs write to them, and operators and the distribution read them; an access log would need a bucket of its own",
    ),
    "CKV_AWS_21": (
        {"LostRecordsBucket", "FilesBucket"},
        "no lost record is ever written again; a file that its owner deletes must be gone",
    ),
    "CKV_AWS_26": (EVERYWHERE, "the topic of alarms carries names of alarms, no data of applications"),
    "CKV_AWS_27": (EVERYWHERE, "queues are encrypted by SQS itself (SqsManagedSseEnabled); messages hold ids, secrets are sealed"),
    "CKV_AWS_28": (EVERYWHERE, "tables of prod have backups; the check reads no condition (IsProd)"),
    "CKV_AWS_68": (
        {"FilesDistribution"},
        "a firewall costs 5 dollars a month and more than a request of CloudFront does; it serves contents, no programs",
    ),
    "CKV_AWS_86": (
        {"FilesDistribution"},
        "an access log would need a bucket of its own, and would have to be searched for persons who are erased",
    ),
    "CKV_AWS_111": (
        {"ActionrunnerRole", "MessageRole", "NetworkPolicy"},
        "sns:Publish, ses:CreateTenant and the network interfaces of Lambda name no resource: a phone number is none, the others "
        "do not exist before",
    ),
    "CKV_AWS_115": (
        EVERYWHERE,
        "reserved concurrency is taken from the other programs; sandboxes have SandboxConcurrency, queues a MaximumConcurrency",
    ),
    "CKV_AWS_116": (
        EVERYWHERE,
        "only schedules invoke asynchronously, and the next minute repeats them; queues and streams have dead-letter queues",
    ),
    "CKV_AWS_117": (EVERYWHERE, "no program uses anything in a private network; who needs a fixed address names one (FixedEgress)"),
    "CKV_AWS_119": (EVERYWHERE, "tables are encrypted by DynamoDB's own key; secrets in them are sealed by SecretsKey"),
    "CKV_AWS_158": (EVERYWHERE, "logs are encrypted by CloudWatch's own key, and secrets are masked before they are logged"),
    "CKV_AWS_174": (
        {"FilesDistribution"},
        "a domain of its own has TLSv1.2_2021 (HasFilesDomain); CloudFront's own domain has no choice",
    ),
    "CKV_AWS_173": (EVERYWHERE, "variables of the environment are names and addresses, no secrets; Lambda encrypts them by its own key"),
}


def findings(checkov, template):
    """Returns the failed checks of a template: check → names of resources."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "template.json")
        with open(path, "w") as file:
            json.dump(template, file, default=str)
        said = subprocess.run(
            [checkov, "-f", path, "--framework", "cloudformation", "--quiet", "--compact", "--skip-download", "-o", "json"],
            stdout=subprocess.PIPE, check=False,
        ).stdout  # its status is 1 for any finding

    report = json.loads(said)
    # A template of which checkov understands nothing passes every check.
    if report.get("summary", {}).get("passed", 0) == 0 or report["summary"]["parsing_errors"]:
        sys.exit("security: checkov did not read the template: " + json.dumps(report.get("summary")))
    found = collections.defaultdict(set)
    for failed in report["results"]["failed_checks"]:
        found[failed["check_id"], failed["check_name"]].add(failed["resource"].rpartition(".")[2])
    return found


def main():
    found = findings(sys.argv[1], expand(sys.argv[2], {"Stage": "prod", "SandboxConcurrency": "300"}))
    wrong, used = [], set()
    for (check, name), resources in sorted(found.items()):
        allowed, reason = EXCEPTIONS.get(check, (set(), ""))
        used.add(check)
        for resource in sorted(resources if allowed is not EVERYWHERE else ()):
            if resource not in allowed:
                wrong.append(f"{resource} fails {check}: {name}")
        if reason:
            print(f"{check:12} {len(resources):3} times  {reason}")
    wrong += [f"{check} is no exception any more" for check in sorted(EXCEPTIONS.keys() - used)]
    sys.exit("\n".join("security: " + line for line in wrong) or None)


if __name__ == "__main__":
    main()
