"""docker, podman, nerdctl, compose and registry clients."""

import shlex

import pytest

from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.programs.containers import PROGRAMS
from automode.programs.use import Effect, Invocation, Use
from automode.shell.script import Command, Word

WORKSPACE = Workspace(root="/p", cwd="/p", home="/home/u", files=Names("/p"))


def judged(line: str) -> Use:
    words = tuple(Word(text) for text in shlex.split(line))
    name = words[0].text
    command = Command(words=words, cwd="/p")
    return PROGRAMS[name](Invocation(name, words[1:], command, WORKSPACE))


READING = [
    "docker",
    "docker --version",
    "docker ps",
    "docker ps -a --filter status=exited --format '{{.Names}}'",
    "docker ps -n 5",
    "docker -l debug images",
    "docker images -q",
    "docker image ls",
    "docker inspect --format '{{.State.Running}}' web",
    "docker logs -f --tail 100 web",
    "docker container logs web",
    "docker top web",
    "docker stats --no-stream",
    "docker port web",
    "docker diff web",
    "docker history -H --no-trunc image",
    "docker version --format json",
    "docker info",
    "docker events --since 1h --until 2h",
    "docker system df -v",
    "docker volume ls",
    "docker network inspect bridge",
    "docker context ls",
    "docker secret ls",
    "docker service ps web",
    "docker stack services s",
    "docker buildx ls",
    "docker buildx du",
    "docker export web",
    "docker run --help",
    "docker compose --help",
    "docker compose ps -a",
    "docker compose -f docker-compose.dev.yml -p x logs -f web",
    "docker compose config --services",
    "docker compose config -q",
    "docker inspect -f '{{.Config.Image}} {{.NetworkSettings.IPAddress}}' web",
    "docker compose ls",
    "docker compose version",
    "docker-compose -f docker-compose.yml ps",
    "podman ps --all",
    "podman pod ps",
    "podman image tree x",
    "nerdctl ps",
]

NOT_READING = [
    ("docker run ubuntu", Effect.RUNS),
    ("docker run ubuntu --help", Effect.RUNS),
    ("docker exec web ls", Effect.RUNS),
    ("docker compose run web --help", Effect.RUNS),
    ("docker compose exec web sh", Effect.RUNS),
    ("docker-compose up -d", Effect.RUNS),
    ("docker build -t app .", Effect.DEVELOPMENT),
    ("docker buildx build .", Effect.DEVELOPMENT),
    ("docker compose up -d", Effect.DEVELOPMENT),
    ("docker compose build web", Effect.DEVELOPMENT),
    ("docker -H tcp://x.test:2375 ps", Effect.NETWORK),
    ("docker --context other ps", Effect.NETWORK),
    ("docker --context other compose ps", Effect.NETWORK),
    ("docker pull nginx", Effect.NETWORK),
    ("docker search nginx", Effect.NETWORK),
    ("docker manifest inspect nginx", Effect.NETWORK),
    ("docker login", Effect.NETWORK),
    ("docker build https://github.com/x/y.git", Effect.NETWORK),
    ("docker compose -f https://x.test/c.yml config", Effect.NETWORK),
    ("skopeo inspect docker://x", Effect.NETWORK),
    ("crane ls x", Effect.NETWORK),
    ("podman --remote ps", Effect.NETWORK),
    ("docker rm -f web", Effect.WRITES),
    ("docker stop web", Effect.WRITES),
    ("docker export web -o out.tar", Effect.WRITES),
    ("docker save -o out.tar image", Effect.WRITES),
    ("docker cp a web:/a", Effect.WRITES),
    ("docker compose down -v", Effect.WRITES),
    ("docker compose config -o out.yml", Effect.WRITES),
    ("docker swarm join-token worker", Effect.SECRETS),
    ("docker compose config --environment", Effect.SECRETS),
    ("docker compose config", Effect.SECRETS),
    ("docker compose config --format json", Effect.SECRETS),
    ("docker compose config --services=false", Effect.SECRETS),
    ("docker-compose convert", Effect.SECRETS),
    ("docker stack config -c a.yml", Effect.SECRETS),
    ("docker inspect -f '{{.Config.Env}}' web", Effect.SECRETS),
    ("docker container inspect --format='{{index .Config \"Env\"}}' web", Effect.SECRETS),
    ("docker inspect -f '{{json .Config}}' web", Effect.SECRETS),
    ("docker inspect -f '{{json .}}' web", Effect.SECRETS),
    ("docker service inspect -f '{{.Spec.TaskTemplate.ContainerSpec.Env}}' s", Effect.SECRETS),
    ("docker push x", Effect.REMOTE_WRITE),
    ("docker compose push", Effect.REMOTE_WRITE),
    ("docker --config /tmp/c ps", Effect.UNKNOWN),
    ("docker volume prune", Effect.UNKNOWN),
    ("docker buildx rm", Effect.UNKNOWN),
    ("docker frobnicate --help", Effect.UNKNOWN),
    ("docker build . --secret id=x", Effect.UNKNOWN),
    ("docker system prune -f", Effect.UNKNOWN),
    ("podman volume rm x", Effect.UNKNOWN),
]


@pytest.mark.parametrize("line", READING)
def test_what_only_reads_is_judged_as_reading(line: str) -> None:
    assert not judged(line).effect & ~Effect.REMOTE_READ


@pytest.mark.parametrize(("line", "effect"), NOT_READING)
def test_what_does_more_is_judged_by_what_it_does(line: str, effect: Effect) -> None:
    assert effect in judged(line).effect
