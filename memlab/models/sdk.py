"""Errors of the official SDKs, which have the same names in both, as those of memlab."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from memlab.extras import NotInstalled
from memlab.models.client import Reply, TransientError
from memlab.models.model import MalformedAnswer, ModelFailed, Request

PASSING = frozenset({408, 409, 429})
"""Status codes that another attempt may change, beside all from 500."""


def load_sdk(name: str) -> Any:  # noqa: ANN401 - a module that is chosen by its name
    """Return the module of an SDK. Raises ModelFailed if the extra of its name is not installed."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        raise ModelFailed(str(NotInstalled(f"--model {name}", f"the package {name}", name))) from None


def send_once(sdk: Any, send: Callable[[], Reply]) -> Reply:  # noqa: ANN401 - see load_sdk
    """Return the reply of a request. Raises TransientError, ModelFailed or MalformedAnswer, each without its cause.

    The error of an SDK has the request with its key, so nothing but its text is kept.
    """
    try:
        return send()
    except sdk.APITimeoutError:
        raise TransientError("the server did not answer in time") from None
    except sdk.APIConnectionError as error:
        raise TransientError(f"no connection: {error.__cause__ or error}") from None
    except sdk.APIStatusError as error:
        reason = f"status {error.status_code}: {error.message}"
        if error.status_code in PASSING or error.status_code >= 500:  # noqa: PLR2004 - the server's own errors
            raise TransientError(reason, _retry_after(error)) from None
        raise ModelFailed(f"{reason}; check the key, the name of the model and the address") from None
    except (sdk.APIError, ValueError, AttributeError, LookupError, TypeError) as error:
        raise MalformedAnswer(f"the server's reply has another form than its API: {error}") from None


def require_complete(request: Request, stopped: str, max_tokens: int) -> None:
    """Raise MalformedAnswer if a server stopped an answer at its limit in tokens: JSON that is cut off is none."""
    if request.schema is not None and stopped in {"length", "max_tokens"}:
        raise MalformedAnswer(f"the answer was cut off after {max_tokens} tokens; raise max_tokens of the server")


def _retry_after(error: Any) -> float:  # noqa: ANN401 - see load_sdk
    """Return the seconds that the server asks to wait, 0 if it names none or a date."""
    try:
        return max(0.0, float(error.response.headers.get("retry-after", 0)))
    except ValueError:
        return 0.0
