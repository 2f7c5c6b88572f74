"""How a request travels. What does the travelling is loaded with the first request only."""

from automode.llm.failures import Failures
from automode.llm.gguf.child import Children
from automode.llm.parcel import Answer, Carrier, Parcel
from automode.llm.program import Programs


class Wire:
    """Posts requests. With `keep_alive` connections stay open between requests of one event loop,
    and whoever made the wire has to close it there. `children` are the processes of model files,
    `programs` those of subscriptions, which live as long."""

    def __init__(
        self,
        *,
        trust_environment: bool = False,
        keep_alive: bool = False,
        programs_below: str | None = None,
    ) -> None:
        self._trust_environment = trust_environment  # its proxies and certificates
        self._keep_alive = keep_alive
        self._carrier: Carrier | None = None
        self.children = Children(kept=keep_alive)
        self.programs = Programs(kept=keep_alive, below=programs_below)

    async def post(self, parcel: Parcel, failures: Failures) -> Answer:
        if self._carrier is None:
            # 80 ms, which a call that no model judges should not pay.
            from automode.llm.http import Http

            self._carrier = Http(
                trust_environment=self._trust_environment, keep_alive=self._keep_alive
            )
        return await self._carrier.post(parcel, failures)

    async def close(self) -> None:
        await self.children.close()
        await self.programs.close()
        if self._carrier is not None:
            await self._carrier.close()
