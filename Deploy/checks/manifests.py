#!/usr/bin/env python3
"""Judges the rendered chart on standard input: schemas of Kubernetes and of the operators, and what the chart promises.

    manifests.py PROGRAMS < rendered.yaml

PROGRAMS is a folder with the programs, which check the settings that the chart wrote. Prints a sentence for every fault;
exit code 0 only without one."""

import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import jsonschema
import kubernetes_validate
import yaml

VERSIONS = ["1.29.0", "1.33.0", "1.37.0"]
# A stop takes worker.drain_limit and at most so many seconds more (Settings of every worker).
AFTER_DRAIN = 13
faults = []


def fault(document, text):
    faults.append(f"{document['kind']}/{document['metadata']['name']}: {text}")


def check_schema(document, crds):
    crd = crds.get(document["kind"])
    if crd is None:
        for version in VERSIONS:
            try:
                kubernetes_validate.validate(document, version, strict=True)
            except (kubernetes_validate.ValidationError, kubernetes_validate.SchemaNotFoundError) as error:
                fault(document, f"against Kubernetes {version}: {str(error)[:300]}")
        return
    if document["apiVersion"] != crd["apiVersion"]:
        fault(document, f"apiVersion is not {crd['apiVersion']}")
    for label in crd.get("labels", []):
        if label not in document["metadata"].get("labels", {}):
            fault(document, f"has no label {label}")
    for error in jsonschema.Draft7Validator(crd["spec"]).iter_errors(document["spec"]):
        fault(document, f"{'.'.join(map(str, error.path))}: {error.message[:300]}")


def check_pods(document, settings, programs):
    pod = document["spec"]["template"]["spec"]
    security, container = pod["securityContext"], pod["containers"][0]
    own = container["securityContext"]
    promises = {
        "runs as nobody": security["runAsNonRoot"] and security["runAsUser"] == 65532,
        "has the default seccomp profile": security["seccompProfile"] == {"type": "RuntimeDefault"},
        "has a read-only root": own["readOnlyRootFilesystem"] is True,
        "gains no privileges": own["allowPrivilegeEscalation"] is False and own["privileged"] is False,
        "has no capabilities": own["capabilities"] == {"drop": ["ALL"]},
        "has no token of the cluster": pod["automountServiceAccountToken"] is False,
        "is alive by /livez": container["livenessProbe"]["httpGet"] == {"path": "/livez", "port": "health"},
        "is ready by /readyz": container["readinessProbe"]["httpGet"] == {"path": "/readyz", "port": "health"},
        "has a limit of memory": "memory" in container["resources"]["limits"],
        "shows secrets to its group only": all(
            volume["secret"]["defaultMode"] == 0o440 for volume in pod["volumes"] if "secret" in volume
        ),
    }
    desk = settings.get("serve")
    if desk is not None:
        served = {port["name"] for port in container["ports"]}
        guarded = desk.get("proxy_token_file") is not None
        promises["serves beyond its pod if a proxy shows a token, and only then"] = (
            guarded == ("http" in served) and guarded == (desk.get("host") == "0.0.0.0")
        )
        promises["is known by its Service's names"] = not guarded or set(desk["names"]) >= {
            document["metadata"]["name"], document["metadata"]["name"] + ".fleet.svc"
        }
    drain = int((settings.get("worker") or {}).get("drain_limit", "15s").rstrip("s"))
    promises["has time to drain, commit and leave"] = pod["terminationGracePeriodSeconds"] > drain + AFTER_DRAIN
    if document["kind"] == "StatefulSet":
        instance = {"name": "FLOTILLA_KAFKA_INSTANCE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}
        mounts = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
        crash = (settings.get("worker") or settings.get("state")).get("crash_folder", "")
        volumes = [volume["name"] for volume in pod["volumes"]]
        claims = [claim["metadata"]["name"] for claim in document["spec"].get("volumeClaimTemplates", [])]
        promises["is a static member by its pod's name"] = instance in container["env"]
        promises["keeps the crash guard on a volume"] = crash.startswith(mounts.get("crash-guard", "none"))
        admin = settings.get("admin") or {}
        promises["takes an operator's orders, which outlive a restart"] = all(
            admin.get(name, "").startswith(mounts.get("crash-guard", "none")) for name in ("socket", "choices_file")
        )
        promises["has each volume that it mounts"] = set(mounts) <= set(volumes + claims)
    for promise, holds in promises.items():
        if not holds:
            fault(document, f"it is not so that it {promise}")
    check_settings(document, container, settings, programs)


def check_settings(document, container, settings, programs):
    """Has the program itself judge its settings, with files for the secrets that they name."""
    text = yaml.safe_dump(settings)
    with tempfile.TemporaryDirectory() as folder:
        for path in set(re.findall(r"/etc/flotilla/[^\s,}]+", text)):
            mounted = [mount["mountPath"] for mount in container["volumeMounts"]]
            if not any(path.startswith(mount + "/") for mount in mounted):
                fault(document, f"its settings name {path}, which is on no volume")
            copy = pathlib.Path(folder + path)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(secret(path))
            copy.chmod(0o600)
        file = pathlib.Path(folder, "settings.yaml")
        file.write_text(text.replace("/etc/flotilla/", folder + "/etc/flotilla/"))
        file.chmod(0o600)
        words = [word for word in container["command"][: container["command"].index("--config")] if word not in ("run", "serve")]
        environment = dict(os.environ, FLOTILLA_KAFKA_INSTANCE=document["metadata"]["name"] + "-0")
        if document["kind"] == "Deployment":
            del environment["FLOTILLA_KAFKA_INSTANCE"]
        check = subprocess.run(
            [os.path.join(programs, words[0]), *words[1:], "check-config", str(file)],
            env=environment,
            capture_output=True,
            text=True,
        )
        if check.returncode != 0:
            fault(document, "check-config: " + check.stderr.replace(folder, "").strip())


def secret(path):
    """Content that a program can read: a private key, a certificate with its key, or a word."""
    if path.endswith(".p8"):
        return private_key()
    if path.endswith((".crt", ".key", ".pem")):
        return "".join(certificate())
    if path.endswith(("token", "webhook-secret", "salt")):
        return "0123456789abcdef" * 2
    return "ABCDE12345"


def private_key():
    command = ["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@functools.cache
def certificate():
    """A certificate that signs itself, and its key."""
    with tempfile.TemporaryDirectory() as folder:
        key, certificate = pathlib.Path(folder, "key"), pathlib.Path(folder, "certificate")
        key.write_text(private_key())
        command = ["openssl", "req", "-x509", "-new", "-key", key, "-subj", "/CN=check", "-days", "2", "-out", certificate]
        subprocess.run(command, capture_output=True, check=True)
        return certificate.read_text(), key.read_text()


def check_rights(document, documents, settings):
    """A user may only read its input and what it keeps itself, and there is a topic for every right. The desk reads what
    workers write, and writes to none of it."""
    is_desk = "dead_letters" in settings
    only = "Write" if is_desk else "Read"
    topics = {other["spec"]["topicName"] for other in documents if other["kind"] == "KafkaTopic"}
    for acl in document["spec"]["authorization"]["acls"]:
        resource, operations = acl["resource"], set(acl["operations"])
        if resource["type"] == "topic":
            if resource["name"] not in topics:
                fault(document, f"a right on {resource['name']}, for which there is no KafkaTopic")
            if resource["name"].endswith((".result", ".dead-letter")) and only in operations:
                fault(document, f"may {only.lower()} {resource['name']}")
        if resource["patternType"] == "prefix" and resource["type"] != "transactionalId":
            fault(document, "a prefix where a name is known")


def main():
    programs = sys.argv[1]
    crds = json.loads(pathlib.Path(__file__).with_name("crds.json").read_text())
    documents = [document for document in yaml.safe_load_all(sys.stdin) if document]
    settings = {
        document["metadata"]["name"]: yaml.safe_load(document["data"]["settings.yaml"])
        for document in documents
        if document["kind"] == "ConfigMap" and "settings.yaml" in document["data"]
    }
    names = [(document["kind"], document["metadata"]["name"]) for document in documents]
    for name in {name for name in names if names.count(name) > 1}:
        faults.append(f"{name[0]}/{name[1]} is there twice")
    for document in documents:
        check_schema(document, crds)
        if document["kind"] in ("StatefulSet", "Deployment"):
            check_pods(document, settings[document["metadata"]["name"]], programs)
            for kind in ("PodDisruptionBudget", "NetworkPolicy", "Service"):
                if (kind, document["metadata"]["name"]) not in names:
                    fault(document, f"has no {kind}")
        if document["kind"] == "KafkaUser":
            check_rights(document, documents, settings[document["metadata"]["name"]])
        if document["kind"] == "ScaledObject":
            if ("StatefulSet", document["spec"]["scaleTargetRef"]["name"]) not in names:
                fault(document, "scales what is not there")
            target = next(other for other in documents if other["kind"] == "StatefulSet" and other["metadata"]["name"] == document["spec"]["scaleTargetRef"]["name"])
            if "replicas" in target["spec"]:
                fault(document, "its StatefulSet sets its replicas too, so each release would undo the scaling")
    for text in faults:
        print(text)
    counts = {kind: sum(1 for name in names if name[0] == kind) for kind in sorted({name[0] for name in names})}
    print("checked " + (", ".join(f"{count} {kind}" for kind, count in counts.items()) or "nothing"))
    sys.exit(1 if faults else 0)


main()
