#!/usr/bin/env python3
"""Judges an AsyncAPI 3 document by tools that are not ours.

    contract.py DOCUMENT SCHEMA

SCHEMA is the official JSON Schema of AsyncAPI. The document must satisfy it and the models of the package asyncapi3; each
reference must lead somewhere, within the document or to a file beside it; each example must satisfy the schema of its
message. Needs the packages jsonschema, referencing and asyncapi3. Prints the numbers of what it has seen."""

import json
import pathlib
import sys
import warnings

import jsonschema
import referencing
import referencing.jsonschema

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import asyncapi3.models

DOCUMENT, OFFICIAL = map(pathlib.Path, sys.argv[1:3])


def references(value, place=""):
    """Each reference that AsyncAPI itself resolves, with its place."""
    if isinstance(value, dict):
        for name, member in value.items():
            if name == "$ref" and isinstance(member, str):
                yield place, member
            # An example is data, whatever it looks like.
            elif name != "examples":
                yield from references(member, f"{place}/{name}")
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from references(member, f"{place}/{index}")


def resolve(document, reference):
    if not reference.startswith("#/"):
        return json.loads((DOCUMENT.parent / reference).read_text())
    for part in reference[2:].split("/"):
        document = document[part.replace("~1", "/").replace("~0", "~")]
    return document


def registry():
    """The JSON Schemas beside the document, by the names under which it refers to them."""
    resources = referencing.Registry()
    for path in sorted((DOCUMENT.parent / "json").glob("*.json")):
        contents = json.loads(path.read_text())
        resource = referencing.Resource(contents, referencing.jsonschema.DRAFT202012)
        resources = resources.with_resource(f"json/{path.name}", resource)
    return resources


def main():
    document = json.loads(DOCUMENT.read_text())
    faults = [
        f"{'/'.join(map(str, error.absolute_path))}: {error.message[:300]}"
        for error in jsonschema.Draft7Validator(json.loads(OFFICIAL.read_text())).iter_errors(document)
    ]
    try:
        asyncapi3.models.AsyncAPI3.model_validate(document)
    except ValueError as error:
        faults.append(str(error)[:2000])
    for place, reference in references(document):
        try:
            resolve(document, reference)
        except (KeyError, OSError, ValueError):
            faults.append(f"{place}: {reference} leads nowhere")
    used = {
        reference["$ref"].rsplit("/", 1)[1]
        for channel in document["channels"].values()
        for reference in channel["messages"].values()
    }
    faults += [f"no channel has the message {name}" for name in set(document["components"]["messages"]) - used]
    if faults:
        sys.exit("\n".join(faults))
    examples, schemas = 0, registry()
    for name, message in document["components"]["messages"].items():
        for example in message.get("examples", []):
            validator = jsonschema.Draft202012Validator(
                message["payload"]["schema"],
                registry=schemas,
                format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER,
            )
            faults += [f"{name}, {example['name']}: {error.message[:300]}" for error in validator.iter_errors(example["payload"])]
            examples += 1
    if faults:
        sys.exit("\n".join(faults))
    print(f"{len(document['channels'])} topics, {len(document['components']['messages'])} messages, {examples} examples")


main()
