"""JSON Schemas of model and problem files, made from the declarations of blocks; editors complete and check by them.

``model.schema.json`` and ``problem.schema.json`` beside this file are what ``flexblocks schema`` writes.
"""

from flexblocks.schemas.documents import SCHEMAS, document_schema, text_of

__all__ = ["SCHEMAS", "document_schema", "text_of"]
