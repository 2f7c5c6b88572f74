// automode's half in OpenCode's terminal: shows what is asked, and how many calls were allowed and denied.
// It decides nothing: an answer goes back to the plugin, with a proof that it comes from here.
import { createHmac } from "node:crypto";
import { createElement, insert } from "@opentui/solid";
import { createSignal } from "solid-js";

const AGENT = "opencode";
const INSTALLED = {/*automode:installed*/};

/*automode:wire*/

const COMMAND = "automode.";
const SOON_MS = 300; // many events come at once

type Option = { title: string; value: string };
type Api = {
	ui: {
		dialog: { replace(shown: () => unknown, closed?: () => void): void; clear(): void; setSize?(size: string): void };
		DialogSelect(props: { title: string; options: Option[]; skipFilter?: boolean; onSelect(chosen: Option): void }): unknown;
	};
	event: { on(type: string, heard: (event: { properties: { command?: unknown; sessionID?: unknown } }) => void): unknown };
	client: { tui: { publish(wanted: object): Promise<unknown> } };
	slots: { register(slots: object): unknown };
};

/** One question at a time: who comes later waits until the one on the screen is answered. */
const waiting: { nonce: string; question: string }[] = [];
let open = "";

function signed(at: Installed, word: string, nonce: string): string {
	return createHmac("sha256", secret(at, "person")).update(`${word} ${nonce}`).digest("hex");
}

function next(api: Api, at: Installed): void {
	const found = waiting[0];
	if (open || !found) return;
	open = found.nonce;
	const done = (word: "yes" | "no") => {
		if (open !== found.nonce) return;
		open = "";
		waiting.shift();
		say(api, at, word, found.nonce);
		next(api, at);
	};
	const options = [NO, YES].map((title) => ({ title, value: title }));
	const onSelect = (chosen: Option) => {
		const word = chosen.value === YES ? "yes" : "no";
		done(word);
		api.ui.dialog.clear();
	};
	api.ui.dialog.replace(() => api.ui.DialogSelect({ title: found.question, options, skipFilter: true, onSelect }), () => done("no"));
	api.ui.dialog.setSize?.("large");
}

function say(api: Api, at: Installed, word: string, nonce: string): void {
	const command = `${COMMAND}${word} ${nonce} ${signed(at, word, nonce)}`;
	const sent = { type: "tui.command.execute", properties: { command } };
	api.client.tui.publish({ body: sent }).catch(() => {});
}

function heard(api: Api, at: Installed, command: string): void {
	const [word, ...rest] = command.slice(COMMAND.length).split(" ");
	if (word !== "ping" && word !== "ask") return;
	const found = parsed(rest.join(" "));
	if (!/^[0-9a-f]{32}$/.test(text(found.nonce))) return;
	say(api, at, "heard", text(found.nonce));
	if (word === "ping") return;
	waiting.push({ nonce: text(found.nonce), question: plain(text(found.question), LONGEST_SHOWN * 4) });
	next(api, at);
}

/** The daemon's own numbers, of the session in which something happened last. */
function status(api: Api, at: Installed): void {
	const daemon = new Daemon(at);
	const [line, show] = createSignal("");
	let soon: ReturnType<typeof setTimeout> | undefined;
	const look = async (session: string) => {
		const wanted: Wanted = { moment: "-", token: "decide", millis: TELLING_MS, wakes: false };
		const { status: failed, said } = await daemon.ask("json", "-", { do: "inspect", session: `${AGENT}/${session}` }, wanted);
		const number = (name: string) => Number(said[name]) || 0;
		const denied = number("blockedActions");
		const counts = `a:${number("checkedActions") - denied} d:${denied} ca:${number("classifierAllowed")} cd:${number("classifierDenied")}`;
		show(failed ? "" : said.mode === "enforce" ? `AM● ${counts}${said.standsIn === true ? " the model fails: the embedded judge stands in" : ""}` : "AM○");
	};
	for (const type of ["message.part.updated", "session.idle", "session.created"]) {
		api.event.on(type, ({ properties }) => {
			clearTimeout(soon);
			soon = setTimeout(() => void look(text(properties.sessionID)).catch(() => show("AM? no daemon")), SOON_MS);
		});
	}
	const drawn = () => {
		const row = createElement("text");
		insert(row, line);
		return row;
	};
	api.slots.register({ order: 300, slots: { app_bottom: drawn } });
}

export default {
	id: "automode",
	tui: async (api: Api) => {
		if (!whole(installed)) return;
		const at = installed;
		api.event.on("tui.command.execute", (event) => {
			const command = text(event.properties.command);
			if (!command.startsWith(COMMAND)) return;
			try {
				heard(api, at, command);
			} catch {
				// Whoever waits for an answer closes.
			}
		});
		status(api, at);
	},
};
