"""Document: an HTML page that has everything in it and may load nothing."""

from __future__ import annotations

import html

# The browser itself refuses every request.
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
    "connect-src 'none'; {frames}"
)

DOCUMENT = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="generator" content="flexblocks">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
{body}
<!-- {licenses} -->
</body>
</html>
"""


def document(title: str, style: str, body: str, licenses: str, *, frames: bool = False) -> str:
    """Return a page.

    Parameters
    ----------
    title : str
        Plain text.
    style : str
        CSS.
    body : str
        HTML, scripts included.
    licenses : str
        Of the libraries in it, as plain text.
    frames : bool
        Whether it holds other such pages in frames.
    """
    return DOCUMENT.format(
        policy=POLICY.format(frames="frame-src 'self' data: blob:" if frames else "worker-src 'none'"),
        title=html.escape(title),
        style=style,
        body=body,
        licenses=licenses.replace("--", "=="),
    )
