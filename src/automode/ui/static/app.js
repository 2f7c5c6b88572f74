// What the pages do by themselves: follow decisions, open one beside the list, keys. Everything
// works without it, except that nothing moves.
"use strict";

const MOST_ROWS = 300;

// --- Live decisions -------------------------------------------------------------------------

let stream = null;
let held = [];
let latest = 0;

function stopFollowing() {
  if (stream) stream.close();
  stream = null;
}

function follow() {
  stopFollowing();
  const place = document.body.dataset.live;
  if (!place || document.hidden) return;
  const box = document.querySelector("[data-follow]");
  const address = new URL(place, location.href);
  if (box) address.search = box.dataset.follow;
  if (box && latest) address.searchParams.set("after", String(latest));
  stream = new EventSource(address);
  stream.addEventListener("open", () => showState(true, "live"));
  stream.addEventListener("error", () => showState(false, stream && stream.readyState === 2 ? "ended: load the page again" : "waiting for the connection"));
  stream.addEventListener("inbox", (event) => showWaiting(Number(event.data)));
  stream.addEventListener("decision", (event) => {
    latest = Number(event.lastEventId) || latest;
    const made = document.createElement("template");
    made.innerHTML = event.data;
    held.unshift(made.content.firstElementChild);
    held.length = Math.min(held.length, MOST_ROWS);
    if (reads()) showHeld();
    else requestAnimationFrame(showRows);
  });
}

function showState(on, text) {
  const state = document.querySelector("[data-live-state]");
  if (!state || !state.querySelector("[data-live-text]")) return;
  state.classList.toggle("on", on);
  state.querySelector("[data-live-text]").textContent = text;
}

// Whoever reads a row, or is about to open one, must not have it move away.
function reads() {
  const rows = document.querySelector("[data-rows]");
  return rows && (rows.matches(":hover") || rows.contains(document.activeElement) || window.scrollY > 80);
}

function showHeld() {
  const button = document.querySelector("[data-held]");
  if (!button) return;
  button.hidden = held.length === 0;
  button.textContent = held.length === 1 ? "1 new decision" : `${held.length} new decisions`;
}

function showRows() {
  const rows = document.querySelector("[data-rows]");
  if (!rows || held.length === 0) return;
  const fresh = held;
  held = [];
  for (const one of fresh) one.classList.add("new");
  const known = [...rows.children].map((one) => {
    const same = one.cloneNode(true);  // a copy in another place is no shift of what was there
    same.classList.remove("new");
    return same;
  });
  const kept = known.filter((one) => one.matches(".row")).slice(0, MOST_ROWS - fresh.length);
  const rest = known.length > MOST_ROWS ? [] : known.filter((one) => !one.matches(".row"));
  rows.replaceChildren(...fresh, ...kept, ...rest);
  htmx.process(rows);
  const empty = document.querySelector("#decisions .empty");
  if (empty) empty.remove();
  showHeld();
  announce(fresh.length);
}

let announced = 0;
function announce(count) {
  const place = document.querySelector("[data-announce]");
  if (!place || Date.now() - announced < 5000) return;
  announced = Date.now();
  place.textContent = count === 1 ? "1 new decision" : `${count} new decisions`;
}

document.addEventListener("visibilitychange", () => (document.hidden ? stopFollowing() : follow()));

// --- The pane -------------------------------------------------------------------------------

let opener = null;

function closePane() {
  const pane = document.getElementById("pane");
  if (!pane || !pane.firstChild) return false;
  pane.replaceChildren();
  for (const row of document.querySelectorAll(".row.open")) row.classList.remove("open");
  if (opener && opener.isConnected) opener.focus();
  opener = null;
  return true;
}

// Where no pane is, a row is a plain link.
document.addEventListener("click", (event) => {
  if (event.target.closest(".row > a") && !document.getElementById("pane")) event.stopPropagation();
}, true);

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-close]")) closePane();
  if (event.target.closest("[data-held]")) {
    showRows();
    window.scrollTo({ top: 0 });
  }
  const link = event.target.closest(".row > a");
  if (link) {
    opener = link;
    for (const row of document.querySelectorAll(".row.open")) row.classList.remove("open");
    link.parentElement.classList.add("open");
  }
});

document.addEventListener("htmx:after:swap", () => {
  const pane = document.getElementById("pane");
  if (pane && pane.firstChild && opener && !pane.contains(document.activeElement)) {
    pane.scrollTop = 0;
    pane.focus({ preventScroll: true });
  }
  if (document.querySelector("[data-follow]") !== followed) begin();
});

// --- Keys -----------------------------------------------------------------------------------

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape" && closePane()) return;
  if (event.target.closest("input, select, textarea, [contenteditable]")) return;
  if (event.key === "/") {
    const search = document.querySelector("input[type=search]");
    if (search) {
      event.preventDefault();
      search.focus();
    }
  }
  const step = { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1 }[event.key];
  const links = [...document.querySelectorAll(".row > a")];
  const at = links.indexOf(document.activeElement);
  if (!step || links.length === 0 || (at < 0 && event.key.startsWith("Arrow"))) return;
  event.preventDefault();
  links[Math.min(Math.max(at + step, 0), links.length - 1)].focus();
});

// --- The inbox ------------------------------------------------------------------------------

const title = document.title;
let waits = null;

function showWaiting(count) {
  for (const place of document.querySelectorAll("[data-waiting]")) {
    place.hidden = count === 0;
    place.textContent = String(count);
    place.setAttribute("aria-label", count === 1 ? "1 waits" : `${count} wait`);
  }
  document.title = count ? `(${count}) ${title}` : title;
  const asks = document.getElementById("asks");
  if (asks && waits !== null) {
    // What a person types, what they opened, and what was said to their last answer stays.
    htmx.ajax("GET", location.pathname, { target: "#asks", select: "#asks", swap: "outerMorph" });
  }
  waits = count;
}

setInterval(() => {
  for (const place of document.querySelectorAll("[data-until]")) {
    const left = Math.max(0, Math.round(Number(place.dataset.until) - Date.now() / 1000));
    place.textContent = left ? `${left} s left` : "time is over";
  }
}, 1000);

// --- Start ----------------------------------------------------------------------------------

let followed = null;

function begin() {
  followed = document.querySelector("[data-follow]");
  held = [];
  latest = 0;
  follow();
}

begin();
