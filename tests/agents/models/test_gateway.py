"""The gateway's own rules: store, budgets under concurrency, places, fallback, closing."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from scripted_endpoint import Stall, Status, Text

from eurisko.agents.models import Budget, BudgetExhausted, MemoryStore, ModelError
from eurisko.agents.models.errors import AccessDenied, GatewayClosed, ServerFault
from eurisko.agents.models.providers.openai_api import OpenAIProvider


def outcomes(gateway, requests, threads=8):
    """Ask all at once and return answers and errors in order."""

    def one(request):
        try:
            return gateway.ask(request)
        except (ModelError, BudgetExhausted) as error:
            return error

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(one, requests))


def test_the_same_call_is_asked_once(scripted_endpoint, gateway_to, question):
    """A stored answer is used for the same key and prompt, and for nothing else."""
    server = scripted_endpoint(["one", "two", "three"])
    gateway = gateway_to(server.base_url, store=MemoryStore())
    first = gateway.ask(question("a"))
    again = gateway.ask(question("a"))
    assert (again.text, again.cached) == ("one", True)
    assert again == replace(first, cached=True)
    assert gateway.ask(question("b")).text == "two", "another key is another call"
    assert gateway.ask(question("a", text="Other.")).text == "three", "another prompt too"
    assert (gateway.usage.calls, gateway.usage.cached, gateway.usage.tokens) == (3, 1, 450)


def test_answers_are_stored_before_they_are_returned(scripted_endpoint, gateway_to, question):
    """What ask returns is in the store, and so is a failure, which is asked again."""
    server = scripted_endpoint([Status(400), "ok"])
    store = MemoryStore()
    gateway = gateway_to(server.base_url, store=store)
    with pytest.raises(ModelError):
        gateway.ask(question())
    assert "400" in store.calls()[0].error
    assert gateway.ask(question()).text == "ok"
    assert [(call.text, call.error) for call in store.calls()] == [("ok", None)]


def test_usage_by_role(scripted_endpoint, gateway_to, question):
    """Totals are kept for each role."""
    server = scripted_endpoint([Text("a", (10, 1)), Text("b", (20, 2)), Text("c", (40, 4))])
    gateway = gateway_to(server.base_url)
    for key, role in (("1", "heuristic"), ("2", "insight"), ("3", "heuristic")):
        gateway.ask(question(key, role=role))
    by_role = gateway.usage.by_role
    assert by_role["heuristic"].prompt_tokens + by_role["heuristic"].completion_tokens == 55
    assert (by_role["insight"].calls, by_role["insight"].tokens) == (1, 22)


def test_a_call_budget_is_never_overshot(scripted_endpoint, gateway_to, question):
    """With many callers at once the server sees exactly the allowed number of requests."""
    server = scripted_endpoint([Text("ok", delay_s=0.05)])
    gateway = gateway_to(server.base_url, budget=Budget(calls=7), concurrency=8)
    found = outcomes(gateway, [question(str(n)) for n in range(20)], threads=20)
    assert len(server.requests) == 7
    refused = [error for error in found if isinstance(error, BudgetExhausted)]
    assert len(refused) == 13
    assert {(e.limit, e.used, e.allowed) for e in refused} == {("calls", 7, 7)}


def test_retries_count_in_the_budget(scripted_endpoint, gateway_to, question):
    """A request sent again is a request."""
    server = scripted_endpoint([Status(500)])
    with pytest.raises(BudgetExhausted):
        gateway_to(server.base_url, budget=Budget(calls=2), retries=9).ask(question())
    assert len(server.requests) == 2


def test_a_token_budget_stops_before_the_next_call(scripted_endpoint, gateway_to, question):
    """The call that crosses the limit is finished, the next one is refused."""
    server = scripted_endpoint([Text("ok", usage=(60, 40))])
    gateway = gateway_to(server.base_url, budget=Budget(tokens=150))
    gateway.ask(question("1"))
    gateway.ask(question("2"))
    with pytest.raises(BudgetExhausted, match="200 tokens of 150 tokens") as caught:
        gateway.ask(question("3"))
    assert caught.value.limit == "tokens"
    assert not isinstance(caught.value, ModelError), "a clean stop, not a failure"
    assert gateway.ask(question("1")).cached, "what is stored costs nothing"


def test_a_money_budget(scripted_endpoint, question):
    """Money adds up from the list price, and the budget holds."""
    server = scripted_endpoint([Text("ok", usage=(1_000_000, 0))])
    provider = OpenAIProvider("scripted", base_url=server.base_url)

    class Priced:
        name = "priced"

        def complete(self, request):
            return replace(provider.complete(request), usd=0.4)

        def close(self):
            provider.close()

    from eurisko.agents.models import ModelGateway

    with ModelGateway(Priced(), budget=Budget(usd=1.0)) as gateway:
        for key in "abc":
            gateway.ask(question(key))
        assert gateway.usage.usd == pytest.approx(1.2)
        with pytest.raises(BudgetExhausted, match=r"\$1\.2000 of \$1\.0000"):
            gateway.ask(question("d"))


def test_a_time_budget(scripted_endpoint, gateway_to, question):
    """After the time no call is sent, and no wait begins that would outlast it."""
    from eurisko.agents.models.budget import Ledger

    now = [100.0]
    server = scripted_endpoint(["ok", Status(429, {"Retry-After": "30"})])
    ledger = Ledger(Budget(seconds=20), clock=lambda: now[0])
    gateway = gateway_to(server.base_url, budget=ledger)
    gateway.ask(question("1"))
    now[0] += 10
    with pytest.raises(BudgetExhausted):
        gateway.ask(question("2"))
    now[0] += 11
    with pytest.raises(BudgetExhausted):
        gateway.ask(question("3"))
    assert len(server.requests) == 2


def test_a_resumed_run_has_spent_already(scripted_endpoint, gateway_to, question):
    """What an earlier process of the run used counts in the budget and the totals."""
    from eurisko.agents.models.budget import Ledger

    server = scripted_endpoint(["ok"])
    before = gateway_to(server.base_url)
    for key in "abc":
        before.ask(question(key))
    ledger = Ledger(Budget(calls=4), spent=before.usage)
    after = gateway_to(server.base_url, budget=ledger)
    after.ask(question("d"))
    with pytest.raises(BudgetExhausted):
        after.ask(question("e"))
    assert after.usage.calls == 4
    assert after.usage.by_role["heuristic"].calls == 4


@pytest.mark.parametrize("limit", ["calls", "tokens", "usd", "seconds"])
@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf")])
def test_a_budget_is_positive(limit, value):
    """A budget that is no positive number is refused by name."""
    with pytest.raises(ValueError, match=limit):
        Budget(**{limit: value})


def test_places(scripted_endpoint, gateway_to, question):
    """No more requests are under way at once than there are places, and all places are used."""
    server = scripted_endpoint([Text("ok", delay_s=0.1)])
    gateway = gateway_to(server.base_url, concurrency=3)
    outcomes(gateway, [question(str(n)) for n in range(12)], threads=12)
    assert server.most_at_once == 3


def test_the_fallback_answers(scripted_endpoint, gateway_to, question, caplog):
    """When the model does not answer the fallback does, under its own name."""
    first, second = scripted_endpoint([Status(500)]), scripted_endpoint(["rescued"])
    fallback = OpenAIProvider("spare", base_url=second.base_url)
    gateway = gateway_to(first.base_url, retries=1, fallback=fallback)
    reply = gateway.ask(question())
    assert (reply.text, reply.model) == ("rescued", "openai/spare")
    assert len(first.requests) == 2
    assert "asking openai/spare instead" in caplog.text
    assert gateway.usage.calls == 3


def test_a_model_that_can_never_answer_is_asked_once(scripted_endpoint, gateway_to, question):
    """After a refused key the fallback is asked directly."""
    first, second = scripted_endpoint([Status(401)]), scripted_endpoint(["rescued"])
    fallback = OpenAIProvider("spare", base_url=second.base_url)
    gateway = gateway_to(first.base_url, fallback=fallback)
    for key in "ab":
        gateway.ask(question(key))
    assert (len(first.requests), len(second.requests)) == (1, 2)


def test_both_fail(scripted_endpoint, gateway_to, question):
    """The message names both reasons."""
    first, second = scripted_endpoint([Status(500)]), scripted_endpoint([Status(401)])
    fallback = OpenAIProvider("spare", base_url=second.base_url)
    gateway = gateway_to(first.base_url, retries=0, fallback=fallback)
    with pytest.raises(AccessDenied, match=r"failed \(500\).*the fallback failed too.*401"):
        gateway.ask(question())


def test_closing_ends_a_call_under_way(scripted_endpoint, gateway_to, question):
    """Ctrl-C need not wait for a server that stalls; nothing is stored of such a call."""
    server = scripted_endpoint([Stall()])
    store = MemoryStore()
    gateway = gateway_to(server.base_url, timeout_s=60, store=store)
    found = []

    def ask():
        try:
            gateway.ask(question())
        except ModelError as error:
            found.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    while not server.requests:
        time.sleep(0.01)
    gateway.close()
    thread.join(timeout=10)
    assert not thread.is_alive()
    assert isinstance(found[0], GatewayClosed)
    assert store.calls() == []
    with pytest.raises(GatewayClosed):
        gateway.ask(question("later"))


def test_closing_ends_a_wait(scripted_endpoint, question):
    """Closing ends the back-off, too."""
    server = scripted_endpoint([Status(500, {"Retry-After": "50"})])
    from eurisko.agents.models import ModelGateway

    gateway = ModelGateway(OpenAIProvider("scripted", base_url=server.base_url))
    timer = threading.Timer(0.3, gateway.close)
    timer.start()
    with pytest.raises((GatewayClosed, ServerFault)):
        gateway.ask(question())
    assert len(server.requests) == 1
