"""The Python client of the Dodeca API: one file, generated from the OpenAPI document of a platform.

It needs Python 3.9 and nothing else. Each operation is a method of `Dodeca`; path parameters come
first, everything else is given by name. A refusal raises `Problem`.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from typing import Any, Callable, Dict, Iterator, List, Literal, Optional, Union


class Problem(Exception):
    """An error that the platform returned. `code` is stable; support needs the `request_id`."""

    def __init__(self, status: int, body: Dict[str, Any]):
        super().__init__(body.get("detail") or body.get("title") or f"The platform answered {status}")
        self.status = status
        self.code = str(body.get("code", "unknown"))
        self.request_id = body.get("request_id")
        self.body = body


class UploadFailed(Exception):
    """A file that the platform refused after its checks. `code` says why."""

    def __init__(self, file: Dict[str, Any]):
        super().__init__(f"The file is {file['state']}: {file['error_code']}")
        self.code = str(file["error_code"])
        self.file = file


class _Unset:
    """The default of a member that is not sent. `None` is sent, as null."""

    def __repr__(self) -> str:
        return "UNSET"


UNSET: Any = _Unset()


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects, such as to a bucket, without showing them the token."""

    def redirect_request(self, req: Any, fp: Any, code: Any, msg: Any, headers: Any, newurl: Any) -> Any:
        following = super().redirect_request(req, fp, code, msg, headers, newurl)
        if following is not None:
            following.remove_header("Authorization")
        return following


_opener = urllib.request.build_opener(_Redirects)


class Transport:
    """Sends requests, refreshes the token, and repeats what cannot take effect twice."""

    def __init__(
        self,
        base_url: str,
        token: Optional[str] = None,
        *,
        refresh: Optional[Callable[[], str]] = None,
        retries: int = 3,
        wait_seconds_max: float = 30,
        timeout: float = 60,
    ):
        """`refresh` returns a new access token; it is called when the token has expired."""
        self.base_url = base_url.rstrip("/")
        self.token = token
        self.refresh = refresh
        self.retries = retries
        self.wait_seconds_max = wait_seconds_max
        self.timeout = timeout
        self._refreshing = threading.Lock()

    def use_session(self, session: Dict[str, Any]) -> None:
        """Logs in with the reply of `log_in`, and refreshes it when its access token has expired."""
        kept = dict(session)

        def refresh() -> str:
            path = f"/v1/sessions/{kept['session_id']}/refresh"
            body = json.dumps({"refresh_token": kept["refresh_token"]}).encode()
            # Within a few seconds the platform returns the same tokens again, so it may be repeated.
            headers = {"Content-Type": "application/json"}
            kept.update(self._send("POST", path, body, headers, repeatable=True, token=None))
            return str(kept["access_token"])

        self.token, self.refresh = session["access_token"], refresh

    def all(self, operation: Callable[..., Any], *ids: str, **given: Any) -> Iterator[Dict[str, Any]]:
        """All rows of a list, page after page: `api.all(api.list_links, state="active")`."""
        while True:
            page = operation(*ids, **given)
            yield from page["data"]
            if not page["has_more"]:
                return
            given["cursor"] = page["next_cursor"]

    def wait_for_job(self, job_id: str) -> Dict[str, Any]:
        """The job after its end; `status` has the outcome."""
        return self._until(f"/v1/jobs/{job_id}", lambda job: job["status"] not in ("queued", "running"))

    def upload(self, path: str, purpose: str = "generic", media_category: str = "any") -> Dict[str, Any]:
        """Sends a file in parts, and returns it when the platform has checked it."""
        digest = hashlib.sha256()
        with open(path, "rb") as file:
            for piece in iter(lambda: file.read(1 << 20), b""):
                digest.update(piece)
            given = {
                "purpose": purpose,
                "media_category": media_category,
                "filename": os.path.basename(path),
                "expected_size": os.path.getsize(path),
                "checksum": f"sha256:{digest.hexdigest()}",
            }
            one = f"/v1/uploads/{self._json('POST', '/v1/uploads', given)['id']}"
            while True:
                left = self._json("POST", f"{one}/parts", {"remaining": True})["part_urls"]
                for part in left:
                    file.seek(part["offset"])
                    self._send("PUT", part["url"], file.read(part["size"]), {}, repeatable=True, token=None)
                if not left:
                    break
        stored = self._json("POST", f"{one}/parts", {})["parts"]
        named = [{"part_number": part["part_number"]} for part in stored]
        done = self._json("POST", f"{one}/complete", {"parts": named})
        seen = self._until(f"/v1/files/{done['file_id']}", lambda one: one["state"] != "uploaded")
        if seen["state"] != "available":
            raise UploadFailed(seen)
        return seen

    def _json(self, method: str, path: str, body: Dict[str, Any]) -> Any:
        headers = {"Content-Type": "application/json"}
        return self._send(method, path, json.dumps(body).encode(), headers, repeatable=False)

    def _until(self, path: str, ended: Callable[[Dict[str, Any]], bool]) -> Dict[str, Any]:
        pause = 0.1
        while True:
            seen: Dict[str, Any] = self._send("GET", path, None, {}, repeatable=True)
            if ended(seen):
                return seen
            time.sleep(pause)
            pause = min(pause * 1.5, 2)

    def _call(
        self,
        method: str,
        path: str,
        *,
        query: Dict[str, Any],
        body: Any = UNSET,
        content_type: str = "application/json",
        headers: Dict[str, Any],
        keyed: bool = False,
    ) -> Any:
        """Makes one operation's request. A keyed one gets a key, the same for all its retries."""
        sent = {name: str(value) for name, value in headers.items() if value is not UNSET}
        if keyed:
            sent.setdefault("Idempotency-Key", str(uuid.uuid4()))
        given = {name: _text(value) for name, value in query.items() if value is not UNSET}
        if given:
            path += "?" + urllib.parse.urlencode(given)
        data: Optional[bytes] = None
        if isinstance(body, bytes):
            data = body
        elif body is not UNSET:
            if isinstance(body, dict):
                body = {name: value for name, value in body.items() if value is not UNSET}
            data = json.dumps(body).encode()
        if data is not None:
            sent["Content-Type"] = content_type
        return self._send(method, path, data, sent, repeatable=method == "GET" or keyed)

    def _send(
        self,
        method: str,
        path: str,
        data: Optional[bytes],
        headers: Dict[str, str],
        *,
        repeatable: bool,
        token: Any = UNSET,
    ) -> Any:
        refreshed, attempt = False, 0
        while True:
            bearer = self.token if token is UNSET else token
            sent = {"Accept": "application/json, */*;q=0.5", **headers}
            if bearer:
                sent["Authorization"] = f"Bearer {bearer}"
            if data is not None:
                sent.setdefault("Content-Type", "application/octet-stream")
            url = self.base_url + path if path.startswith("/") else path
            request = urllib.request.Request(url, data=data, method=method, headers=sent)
            last = not repeatable or attempt >= self.retries
            try:
                return _read(_opener.open(request, timeout=self.timeout))
            except urllib.error.HTTPError as error:
                problem = _problem(error)
                if error.code == 401 and token is UNSET and self.refresh and not refreshed:
                    self._renew(bearer)
                    refreshed = True
                    continue
                wait = _wait(error, attempt)
                if last or not _may_help(problem) or wait > self.wait_seconds_max:
                    raise problem from None
            except (OSError, http.client.HTTPException):
                # The request may have arrived, so only a safe one is sent again.
                if last:
                    raise
                wait = 0.2 * 2**attempt
            time.sleep(wait)
            attempt += 1

    def _renew(self, expired: Optional[str]) -> None:
        with self._refreshing:
            if self.token == expired and self.refresh:
                self.token = self.refresh()


def _text(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ",".join(_text(one) for one in value)
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)


def _read(reply: Any) -> Any:
    kind = (reply.headers.get("Content-Type") or "").split(";")[0].strip()
    if kind == "text/event-stream":
        return _events(reply)
    with reply:
        content: bytes = reply.read()
    if not content:
        return None
    return json.loads(content) if kind.endswith("json") else content


def _events(reply: Any) -> Iterator[Dict[str, Any]]:
    """The events of a stream: `{"event": …, "id": …, "data": …}`. Leaving the loop closes it."""
    with reply:
        event: Dict[str, Any] = {}
        for line in reply:
            name, _, value = line.decode().rstrip("\r\n").partition(":")
            if name in ("event", "id", "data"):
                event[name] = value[value.startswith(" ") :]
            elif not name and not value and "data" in event:
                yield {"event": "message", **event, "data": json.loads(event["data"])}
                event = {}


def _problem(error: urllib.error.HTTPError) -> Problem:
    with error:
        try:
            body = json.loads(error.read())
        except ValueError:
            body = {}
    return Problem(error.code, body if isinstance(body, dict) else {})


def _may_help(problem: Problem) -> bool:
    codes = ("rate_limited", "idempotency_in_progress")
    return problem.status == 408 or problem.status >= 500 or problem.code in codes


def _wait(error: urllib.error.HTTPError, attempt: int) -> float:
    after = error.headers.get("Retry-After") or ""
    return float(after) if after.isdigit() else 0.2 * 2**attempt


class Dodeca(Transport):
    """The operations of the API."""
