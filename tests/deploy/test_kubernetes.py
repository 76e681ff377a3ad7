"""The manifests fit together and to the container: what the schemas of Kubernetes cannot know.

.ci/run has kubernetes-validate check them against the schemas; it takes 110 MB and is no requirement of the tests.
"""

from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from attnviz.ui.server import uploads
from attnviz.ui.training import access

from . import containerfile

FOLDER = containerfile.ROOT / "deploy" / "kubernetes"
DEPLOYMENTS = ("attnviz-look", "attnviz-train")


@lru_cache(maxsize=1)
def manifests() -> dict[tuple[str, str], dict[str, Any]]:
    """Return all manifests by kind and name."""
    found = [one for path in sorted(FOLDER.glob("*.yaml")) for one in yaml.safe_load_all(path.read_text())]
    named = {(one["kind"], one["metadata"]["name"]): one for one in found}
    assert len(named) == len(found) > 0
    return named


def pod(name: str) -> dict[str, Any]:
    """Return the template of a deployment's pods."""
    template: dict[str, Any] = manifests()["Deployment", name]["spec"]["template"]
    return template


def container(name: str) -> dict[str, Any]:
    """Return the one container of a deployment."""
    (one,) = pod(name)["spec"]["containers"]
    assert isinstance(one, dict)
    return one


@pytest.mark.parametrize("name", DEPLOYMENTS)
def test_it_may_no_more_than_the_container_needs(name: str) -> None:
    (user,) = containerfile.of("USER")
    spec, own = pod(name)["spec"]["securityContext"], container(name)["securityContext"]
    assert spec["runAsNonRoot"] is True
    assert f"{spec['runAsUser']}:{spec['runAsGroup']}" == user
    assert own["readOnlyRootFilesystem"] is True
    assert own["allowPrivilegeEscalation"] is False
    assert own["capabilities"] == {"drop": ["ALL"]}
    assert pod(name)["spec"]["automountServiceAccountToken"] is False
    limits = container(name)["resources"]
    assert set(limits["requests"]) == {"cpu", "memory"} and "memory" in limits["limits"]


@pytest.mark.parametrize("name", DEPLOYMENTS)
def test_all_folders_that_the_container_writes_are_mounted(name: str) -> None:
    mounts = {one["mountPath"]: one["name"] for one in container(name)["volumeMounts"]}
    volumes = {one["name"]: one for one in pod(name)["spec"]["volumes"]}
    (volume,) = containerfile.of("VOLUME")
    assert set(mounts) == {volume, containerfile.environment()["HOME"]}
    claim = volumes[mounts[volume]]["persistentVolumeClaim"]["claimName"]
    assert manifests()["PersistentVolumeClaim", claim]["spec"]["accessModes"] == ["ReadWriteMany"]
    assert "emptyDir" in volumes[mounts["/tmp"]]


@pytest.mark.parametrize("name", DEPLOYMENTS)
def test_probes_ask_whether_a_model_answers(name: str) -> None:
    one = container(name)
    (check,), (port,) = containerfile.of("HEALTHCHECK"), containerfile.of("EXPOSE")
    assert one["ports"] == [{"name": "http", "containerPort": int(port)}]
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert one[probe]["httpGet"] == {"path": "/health", "port": "http"}
        assert one[probe]["timeoutSeconds"] >= 10  # a busy machine answers late
    assert ":8501/health'" in check


@pytest.mark.parametrize("name", DEPLOYMENTS)
def test_a_visitor_gets_from_the_ingress_to_the_pods(name: str) -> None:
    service = manifests()["Service", name]["spec"]
    labels = pod(name)["metadata"]["labels"]
    assert service["selector"] == labels == manifests()["Deployment", name]["spec"]["selector"]["matchLabels"]
    ingress = manifests()["Ingress", "attnviz"]["spec"]
    hosts = [one["host"] for one in ingress["rules"] if _backend(one) == (name, service["ports"][0]["name"])]
    assert container(name)["args"] == ["--server.allowedHosts", *hosts]
    assert set(hosts) <= set(ingress["tls"][0]["hosts"])


def _backend(rule: dict[str, Any]) -> tuple[str, str]:
    (path,) = rule["http"]["paths"]
    service = path["backend"]["service"]
    return service["name"], service["port"]["name"]


def test_those_who_look_stay_with_their_replica() -> None:
    notes = manifests()["Service", "attnviz-look"]["metadata"]["annotations"]
    assert notes["traefik.ingress.kubernetes.io/service.sticky.cookie"] == "true"


def test_only_one_pod_may_train_and_write() -> None:
    look, train = manifests()["Deployment", "attnviz-look"], manifests()["Deployment", "attnviz-train"]
    assert look["spec"]["replicas"] > 1
    assert (train["spec"]["replicas"], train["spec"]["strategy"]) == (1, {"type": "Recreate"})
    for name, tokens, read_only in (("attnviz-look", 0, True), ("attnviz-train", 1, False)):
        one = container(name)
        assert [variable["name"] for variable in one["env"]].count(access.TOKEN) == tokens
        (data,) = (mount for mount in one["volumeMounts"] if mount["name"] == "data")
        assert data.get("readOnly", False) is read_only


def test_the_page_says_what_a_proxy_must_let_through() -> None:
    page = (containerfile.ROOT / "docs" / "deploy.md").read_text()
    assert uploads.PATH.strip("/") in page
    for path in Path(FOLDER).glob("*.yaml"):
        assert path.name in page
