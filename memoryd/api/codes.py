"""``/v1/codes``: a code for the page, and the page's exchange of it for a token of its own."""

from __future__ import annotations

from fastapi import APIRouter, Depends
from starlette.exceptions import HTTPException

from memoryd.api.problems import problem_responses
from memoryd.api.request import Token, refuse_unknown_query
from memoryd.api.route import PREFIX
from memoryd.api.schemas.codes import CodeAnswer, ExchangeBody, SessionToken
from memoryd.api.services import Services

_BY_SESSION = "A session of the page opens no further ones; `memoryd open` does, by the memory's own token."


def codes_router(services: Services) -> APIRouter:
    """Return the routes of codes. They read nothing stored, so they wait for no store."""
    router = APIRouter(prefix=PREFIX, tags=["codes"], dependencies=[Depends(refuse_unknown_query)])

    @router.post(
        "/codes",
        operation_id="create_code",
        status_code=201,
        response_model=CodeAnswer,
        responses=problem_responses(),
    )
    async def create(token: Token) -> dict[str, str]:
        """Make a code for a browser: whoever has it gets in, once, within 60 seconds."""
        if services.logins.accepts(token):
            raise HTTPException(403, _BY_SESSION)
        return {"code": services.logins.issue()}

    @router.post(
        "/codes/exchange",
        operation_id="exchange_code",
        response_model=SessionToken,
        responses=problem_responses(401),
    )
    async def exchange(body: ExchangeBody) -> dict[str, str]:
        """Exchange a code for the token of a session. Needs no token; the code is used up."""
        return {"token": services.logins.exchange(body.code)}

    return router
