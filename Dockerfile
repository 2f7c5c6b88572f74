# automode in an image: `docker build -t automode .`. docs/guides/container.md says how an agent inside is gated.
FROM python:3.13-slim AS build

WORKDIR /src
COPY requirements/base.txt requirements/base.txt
RUN python -m venv /opt/automode \
    && /opt/automode/bin/python -m pip install --no-cache-dir --require-hashes -r requirements/base.txt

COPY pyproject.toml README.md LICENSE ./
COPY tools/description.py tools/description.py
COPY docs/automode.1 docs/automode.1
COPY src src
RUN /opt/automode/bin/python -m pip wheel --no-deps --no-build-isolation --wheel-dir /wheel . \
    && /opt/automode/bin/python -m pip install --no-cache-dir --no-deps /wheel/automode-*.whl

FROM python:3.13-slim

# Agents need git. It comes in the version of the base image's own release.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends git \
    && rm -rf /var/lib/apt/lists/*

# Owned by root: the agent's account cannot change its gate.
COPY --from=build /opt/automode /opt/automode

# UID: of the person whose files are mounted at /workspace.
ARG UID=1000
RUN ln -s /opt/automode/bin/automode /usr/local/bin/automode \
    && useradd --create-home --uid "$UID" agent \
    && install -d -o agent -g agent -m 700 \
        /home/agent/.config /home/agent/.local /home/agent/.local/state /home/agent/.local/state/automode \
    && install -d -o agent -g agent /workspace

USER $UID
WORKDIR /workspace
VOLUME ["/home/agent/.local/state/automode"]
ENTRYPOINT ["automode"]
CMD ["status"]
