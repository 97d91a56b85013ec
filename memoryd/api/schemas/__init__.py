"""The bodies of the REST interface, as the OpenAPI document shows them.

Wire types are not domain types: these models are checked at the edge and nowhere else. A field that may be left out of
an answer has a default here; every other field is always there, ``null`` where it has no value.
"""
