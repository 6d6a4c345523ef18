"""Rehearses a deployment without an account: SAM expands the template, and moto, an implementation of CloudFormation that is
not ours, creates the stack of the template before, updates it to this one, lets it use restored tables and deletes it.

    rehearse.py BEFORE.yaml NOW.yaml

What moto does not know is taken out and listed. The exit status is 1 when a step fails, when the template has more resources
than CloudFormation takes, or when the update replaces a resource that holds data.
"""

import collections
import io
import json
import logging
import os
import pathlib
import subprocess
import sys
import tempfile
import warnings
import zipfile

os.environ.update(AWS_ACCESS_KEY_ID="moto", AWS_SECRET_ACCESS_KEY="moto", AWS_DEFAULT_REGION="us-east-1")

import boto3
from moto import mock_aws
from moto.cloudformation import parsing
from moto.dynamodb.models.table import Table
from moto.events.models import EventBus
from samtranslator.translator.transform import transform
from samtranslator.yaml_helper import yaml_parse

STACK = "minicloud-rehearsal"
ENVIRONMENTS = [  # parameters of a new account's stack, and of one where every condition holds
    {"Stage": "dev"},
    {
        "Stage": "prod", "SandboxConcurrency": "300", "AlarmEmail": "alarms@example.com", "Rollout": "Canary10Percent5Minutes",
        "DomainName": "api.example.com", "CertificateArn": "arn:aws:acm:us-east-1:123456789012:certificate/1",
        "FilesDomainName": "files.example.com", "FilesCertificateArn": "arn:aws:acm:us-east-1:123456789012:certificate/2",
        "SendsMessages": "yes", "Tracing": "Active",
        "EgressSubnetIds": "subnet-0123456789abcdef0,subnet-0fedcba9876543210", "EgressSecurityGroupId": "sg-0123456789abcdef0",
    },
]
RESTORED = ("RowsTable", "CountsTable")  # one with a stream and one without
HOLDS_DATA = ("AWS::DynamoDB::Table", "AWS::SQS::Queue", "AWS::KMS::Key", "AWS::S3::Bucket")

# moto 5.2 gives the object where a Ref of an event bus is its name.
EventBus.physical_resource_id = property(lambda bus: bus.name)


def update_table(original_resource, cloudformation_json, **_):
    """Changes a table. moto 5.2 has no update of tables: any change loses them. The reference of AWS::DynamoDB::Table says
    "Update requires: Replacement" for TableName and KeySchema only; a replaced table is lost here as well."""
    now, name = cloudformation_json["Properties"], original_resource.name
    if "TableName" in now or now["KeySchema"] != original_resource.schema:
        return None
    dynamodb = boto3.client("dynamodb")
    stream = now.get("StreamSpecification")
    if stream and not original_resource.latest_stream_label:
        dynamodb.update_table(TableName=name, StreamSpecification={**stream, "StreamEnabled": True})
    dynamodb.update_table(TableName=name, DeletionProtectionEnabled=now.get("DeletionProtectionEnabled", False))
    return original_resource


Table.update_from_cloudformation_json = update_table


class ManagedPolicies:
    """The ARNs that SAM asks IAM for."""

    def load(self):
        names = "AWSLambdaBasicExecutionRole", "AWSLambdaSQSQueueExecutionRole", "AWSLambdaDynamoDBExecutionRole"
        return {name: "arn:aws:iam::aws:policy/service-role/" + name for name in names}


def expand(path, parameters):
    """Returns the template as CloudFormation gets it after the transform."""
    with open(path) as file:
        template = yaml_parse(file.read())
    for resource in template["Resources"].values():
        if resource["Type"] == "AWS::Serverless::Function":
            resource["Properties"]["CodeUri"] = "s3://code/zip"
    return transform(template, dict(parameters), ManagedPolicies())


def known(template):
    """Takes out what moto does not know, and returns the template and how many of each type went."""
    unknown = {id for id, r in template["Resources"].items() if r["Type"] not in parsing.get_model_map()}
    counts = collections.Counter(template["Resources"][id]["Type"] for id in unknown)

    def plain(value):  # a reference to what is taken out becomes a text
        if isinstance(value, dict):
            if value.get("Ref") in unknown:
                resource = template["Resources"][value["Ref"]]
                alias = resource["Type"] == "AWS::Lambda::Alias"  # its function stands in for it
                return resource["Properties"]["FunctionName"] if alias else value["Ref"]
            if "Fn::GetAtt" in value and value["Fn::GetAtt"][0] in unknown:
                return ".".join(value["Fn::GetAtt"])
            if "Fn::Sub" in value and any(id in json.dumps(value) for id in unknown):
                return "text"
            return {name: plain(inner) for name, inner in value.items()}
        if isinstance(value, list):
            return [plain(inner) for inner in value]
        return value

    resources = {id: r for id, r in template["Resources"].items() if id not in unknown}
    return plain({**template, "Resources": resources}), counts


def physical(cloudformation):
    """Returns the physical id of each resource of the stack that holds data, and how many resources there are."""
    pages = cloudformation.get_paginator("list_stack_resources").paginate(StackName=STACK)
    all = [r for page in pages for r in page["StackResourceSummaries"]]
    return {r["LogicalResourceId"]: r["PhysicalResourceId"] for r in all if r["ResourceType"] in HOLDS_DATA}, len(all)


def restore(dynamodb, held, template):
    """Restores tables under new names, and returns the template of the stack that uses these (operations.md)."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "stack.json").write_text(json.dumps(template))
        for id in RESTORED:
            table = "restored-" + id
            dynamodb.restore_table_to_point_in_time(
                SourceTableName=held[id], TargetTableName=table, UseLatestRestorableTime=True
            )
            if stream := template["Resources"][id]["Properties"].get("StreamSpecification"):
                dynamodb.update_table(TableName=table, StreamSpecification={**stream, "StreamEnabled": True})
            described = dynamodb.describe_table(TableName=table)
            (folder / f"{id}.json").write_text(json.dumps(described, default=str))
        files = [str(folder / f"{id}.json") for id in ("stack", *RESTORED)]
        subprocess.run(["go", "run", "./infra/restore", *files], check=True, stdout=subprocess.DEVNULL)
        return json.loads((folder / "detached.json").read_text())


def adopted(held):
    """Fails where a function still has a table that was replaced."""
    functions = boto3.client("lambda").list_functions()["Functions"]
    used = {str(value) for f in functions for value in f["Environment"]["Variables"].values()}
    for id in RESTORED:
        if held[id] in used or "restored-" + id not in used:
            sys.exit(f"rehearse: functions do not use the restored {id}")


@mock_aws
def rehearse(before, now, parameters):
    """Creates, updates and deletes one stack."""
    s3 = boto3.client("s3")
    code = io.BytesIO()
    with zipfile.ZipFile(code, "w") as archive:
        archive.writestr("bootstrap", "")
    s3.create_bucket(Bucket="code")
    s3.put_object(Bucket="code", Key="zip", Body=code.getvalue())

    cloudformation = boto3.client("cloudformation")

    def values(template):  # a parameter that the other template lacks is no error of this one
        given = [(name, value) for name, value in parameters.items() if name in template["Parameters"]]
        return [{"ParameterKey": name, "ParameterValue": value} for name, value in given]

    def done(step, want):
        status = cloudformation.describe_stacks(StackName=STACK)["Stacks"][0]["StackStatus"]
        if status != want:
            sys.exit(f"rehearse: {step}: {status}")

    cloudformation.create_stack(StackName=STACK, TemplateBody=json.dumps(before), Parameters=values(before))
    done("create", "CREATE_COMPLETE")
    held, created = physical(cloudformation)
    if before == now:
        print(f"{parameters}: {created} resources created; the template before is the same, nothing to update")
    else:
        cloudformation.update_stack(StackName=STACK, TemplateBody=json.dumps(now), Parameters=values(now))
        done("update", "UPDATE_COMPLETE")
        after, updated = physical(cloudformation)
        lost = sorted(id for id, name in held.items() if after.get(id) != name)
        if lost:
            sys.exit(f"rehearse: the update replaces {', '.join(lost)}, and what they hold is left behind")
        print(f"{parameters}: {created} resources created, {updated} after the update, none with data replaced")

    # AWS keeps the tables that leave a stack; moto deletes them, and refuses those that are protected.
    dynamodb = boto3.client("dynamodb")
    for table in dynamodb.list_tables()["TableNames"]:
        dynamodb.update_table(TableName=table, DeletionProtectionEnabled=False)

    held, _ = physical(cloudformation)
    detached = restore(dynamodb, held, now)
    cloudformation.update_stack(StackName=STACK, TemplateBody=json.dumps(detached), Parameters=values(detached))
    done("use restored tables", "UPDATE_COMPLETE")
    adopted(held)
    print(f"{parameters}: restored {' and '.join(RESTORED)} took the places of their tables")

    cloudformation.delete_stack(StackName=STACK)
    left = cloudformation.list_stacks(StackStatusFilter=["DELETE_FAILED", "UPDATE_COMPLETE", "CREATE_COMPLETE"])
    if left["StackSummaries"]:
        sys.exit("rehearse: the stack is still there after its deletion")


def main():
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    before, now = sys.argv[1:]
    for parameters in ENVIRONMENTS:
        expanded = expand(now, parameters)
        if len(expanded["Resources"]) > 500:
            sys.exit(f"rehearse: {len(expanded['Resources'])} resources, CloudFormation takes 500")
        new, unknown = known(expanded)
        rehearse(known(expand(before, parameters))[0], new, parameters)
    print(f"SAM makes {len(expanded['Resources'])} resources of the template")
    print("not rehearsed, because moto does not know it:")
    for kind, count in sorted(unknown.items()):
        print(f"  {count:3} {kind}")
    print("  imports of restored tables, event source mappings that move to their streams; DeletionPolicy: RetainExceptOnCreate, sizes of policies and environments, throttling, TenancyConfig")


if __name__ == "__main__":
    main()
