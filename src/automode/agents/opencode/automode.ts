// automode in OpenCode: every tool call is decided by the daemon before it runs, and whatever goes wrong closes.
// One file without a build. Questions are shown by its other half, `tui.ts`, which runs in the terminal.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const AGENT = "opencode";
const INSTALLED = {/*automode:installed*/};

/*automode:wire*/

/** The rule that the installer puts into OpenCode's own permissions: where this file does not load, OpenCode asks about
 * everything. Where it loads, the rule has done its work. */
const FLOOR = "ask";
const SYSTEM = "/etc/opencode";
const COMMAND = "automode.";
const HERE_MS = 3_000; // for the terminal's half to say that it is there
const ABSENT_MS = 20_000; // before one that was not there is looked for again
const SHOWN_MS = 5_000; // for it to say that the question is on the screen
const ALONE = new Set(["run", "github", "pr"]);

type Call = { tool: string; sessionID: string; callID: string; args?: unknown };
type Known = { parent: string; guidance: string; refusal: string; halted: string; introduced: number; commands: Commands };
type Commands = { under: string[]; typed: Map<string, string> }; // what a person typed: of those to come, and by what was made of it
type Part = { type?: string; text?: string; synthetic?: boolean; ignored?: boolean };
type Message = { info?: { role?: string; id?: string }; parts?: (Part & { callID?: string })[] };
type Result = { output?: unknown; content?: unknown };
type Asking = { heard: () => void; answered: (yes: boolean) => void };

/** What OpenCode gives a plugin, as far as it is used here. */
type Given = {
	directory: string;
	client: {
		session: {
			get(wanted: object): Promise<{ data?: { parentID?: string } }>;
			abort(wanted: object): Promise<unknown>;
			messages(wanted: object): Promise<{ data?: Message[] }>;
		};
		tui: { publish(wanted: object): Promise<unknown>; showToast(wanted: object): Promise<unknown> };
	};
};

export const Automode = async ({ client, directory }: Given) => {
	const daemon: Pick<Daemon, "ask" | "close" | "dials"> = whole(installed) ? new Daemon(installed) : new Nobody();
	const sessions = new Map<string, Known>();
	const models = new Map<string, string>();
	const running = new Map<string, { session: string; toolName: string; input: Record<string, unknown> }>();
	const unheard = new Set<string>(); // calls that were blocked here: the daemon may not know of them
	const asking = new Map<string, Asking>();
	const turns = new Map<string, AbortController>(); // of sessions that have one
	let terminal: Promise<boolean> | undefined;
	let absent = 0;

	// What OpenCode says to the daemon -------------------------------------------------------------------------------

	async function known(id: string): Promise<Known> {
		const found = sessions.get(id);
		if (found) return found;
		const data = await client.session.get({ path: { id } }).then((said) => said.data, () => undefined);
		// A sub-agent's session that was taken for a person's would have the agent speak as the person.
		if (!data) throw new Closing("OpenCode does not say whose session this is");
		return began(id, text(data.parentID));
	}

	function began(id: string, parent: string): Known {
		const found = sessions.get(id) ?? { parent: "", guidance: "", refusal: "", halted: "", introduced: -1, commands: { under: [], typed: new Map() } };
		found.parent = parent || found.parent;
		sessions.set(id, found);
		return found;
	}

	async function hook(id: string, event: string, fields: object, wanted: Partial<Wanted>): Promise<Answer> {
		const { parent } = await known(id);
		const host = (await attended()) ? AGENT : `${AGENT}+unattended`;
		const usual: Wanted = { moment: "session", token: "decide", millis: TELLING_MS };
		const speaker = { session: id, parent, cwd: directory, model: models.get(id) ?? "" };
		return daemon.ask("hook", host, { event, ...speaker, ...fields }, { ...usual, ...wanted });
	}

	/** For what no call waits for: a daemon that does not listen is told when a call is decided. */
	async function told(id: string, event: string, fields: object, wanted: Partial<Wanted>): Promise<Record<string, unknown>> {
		try {
			return (await hook(id, event, fields, wanted)).said;
		} catch {
			return {};
		}
	}

	/** Also to a daemon that was started meanwhile: it must know who speaks for this session. */
	async function introduce(id: string): Promise<void> {
		const session = await known(id);
		if (session.introduced === daemon.dials) return;
		const said = await told(id, "session_start", {}, {});
		session.introduced = daemon.dials;
		session.guidance = text(said.guidance) || session.guidance;
		if (text(said.notice)) tell(text(said.notice), "warning");
		if (text(said.refusal) && text(said.refusal) !== session.refusal) tell(text(said.refusal), "error");
		session.refusal = text(said.refusal);
	}

	/** What a command makes of a person's words is its author's: a project's, a server's, a skill's. Words that come while
	 * a command is under way count as made by it too, since another plugin may have changed them. */
	function spoken({ under, typed }: Commands, said: string[]): { own: string; made: string } {
		const whole = said.join("\n");
		const commanded = said.find((one) => typed.has(one));
		const next = under.shift();
		const own = commanded === undefined ? next : typed.get(commanded);
		return own === undefined ? { own: whole, made: "" } : { own, made: whole };
	}

	// What people see ------------------------------------------------------------------------------------------------

	function tell(said: string, variant: "info" | "warning" | "error"): void {
		const message = plain(said, LONGEST_NOTICE);
		const shows = inTerminal() ? client.tui.showToast({ body: { title: "automode", message: message.slice(0, LONGEST_SHOWN), variant } }) : undefined;
		if (!shows) process.stderr.write(`${message}\n`);
		shows?.catch(() => {});
	}

	function inTerminal(): boolean {
		return !process.argv.some((word) => ALONE.has(word));
	}

	/** Whether a person can be asked: the terminal's half has to say so, with what only this account's own files hold. */
	function attended(): Promise<boolean> {
		if (!inTerminal() || Date.now() < absent) return Promise.resolve(false);
		terminal ??= exchanged("ping", {}, HERE_MS).then(
			() => true,
			() => {
				terminal = undefined;
				absent = Date.now() + ABSENT_MS;
				return false;
			},
		);
		return terminal;
	}

	/** Says something to the terminal's half and waits until it has heard. */
	async function exchanged(word: string, more: object, millis: number, answered: (yes: boolean) => void = () => {}): Promise<string> {
		const nonce = randomBytes(16).toString("hex");
		const heard = new Promise<void>((resolve, reject) => {
			const late = setTimeout(() => reject(new Closing("nobody is there to be asked")), millis);
			asking.set(nonce, { answered, heard: () => { clearTimeout(late); resolve(); } });
		});
		heard.catch(() => asking.delete(nonce));
		const command = `${COMMAND}${word} ${JSON.stringify({ nonce, ...more })}`;
		client.tui.publish({ body: { type: "tui.command.execute", properties: { command } } }).catch(() => {});
		await heard;
		return nonce;
	}

	/** `automode.heard NONCE PROOF`, `automode.yes NONCE PROOF`, `automode.no NONCE PROOF`. */
	function answeredBy(command: string): void {
		const [word = "", nonce = "", proof = ""] = command.slice(COMMAND.length).split(" ");
		const waiting = asking.get(nonce);
		if (!waiting || !["heard", "yes", "no"].includes(word) || !proven(word, nonce, proof)) return;
		waiting.heard();
		if (word === "heard") return;
		asking.delete(nonce);
		waiting.answered(word === "yes");
	}

	function proven(word: string, nonce: string, proof: string): boolean {
		const wanted = Buffer.from(signed(word, nonce), "latin1");
		const given = Buffer.from(proof, "latin1");
		return wanted.length === given.length && timingSafeEqual(wanted, given);
	}

	// Calls ----------------------------------------------------------------------------------------------------------

	async function decided(call: Call, args: Record<string, unknown>): Promise<void> {
		const { changes, change } = held(args);
		const session = await known(call.sessionID);
		if (session.halted) throw new Closing(session.halted);
		await introduce(call.sessionID);
		const { signal } = turn(call.sessionID);
		const fields = { toolName: call.tool, toolCallId: call.callID, input: { ...args }, changes };
		const answer = await hook(call.sessionID, "tool_call", fields, { moment: "proposed", millis: DEADLINE_MS, signal });
		running.set(call.callID, { session: call.sessionID, toolName: call.tool, input: { ...args } });
		const { verdict } = answer.said;
		const said = text(answer.said.text);
		if (signal.aborted) throw new Closing("the turn was cancelled");
		if (answer.status === 0 && (verdict === null || verdict === "allow")) {
			if (answer.said.input !== undefined) change(answer.said.input);
			return;
		}
		if (answer.status === 0 && verdict === "ask") return await asked(call, args, said, text(answer.said.refused) || said, signal);
		if (answer.status !== 2 || (verdict !== "deny" && verdict !== "halt") || !said) throw rubbish();
		running.delete(call.callID);
		if (verdict === "halt") halt(call.sessionID, session, said);
		throw new Closing(said);
	}

	/** The whole run ends: the session, and those it is a part of. */
	function halt(id: string, session: Known, said: string): void {
		session.halted = said;
		tell(said, "error");
		if (!inTerminal()) process.exitCode = 1;
		client.session.abort({ path: { id } }).catch(() => {});
		const above = session.parent ? sessions.get(session.parent) : undefined;
		if (above) halt(session.parent, above, said);
	}

	async function asked(call: Call, args: Record<string, unknown>, said: string, refused: string, signal: AbortSignal): Promise<void> {
		const question = `${shown(said)}\n\n${callShown(call.tool, args)}`;
		let answer: (yes: boolean) => void = () => {};
		const answered = new Promise<boolean>((resolve) => { answer = resolve; });
		signal.addEventListener("abort", () => answer(false));
		const nonce = await exchanged("ask", { question, session: call.sessionID }, SHOWN_MS, answer);
		const yes = (await answered) && !signal.aborted;
		asking.delete(nonce);
		if (yes) return;
		running.delete(call.callID);
		await told(call.sessionID, "refused", { toolName: call.tool, toolCallId: call.callID, input: args }, { moment: "finished" });
		throw new Closing(refused);
	}

	/** Aborted when the turn is cancelled or over: whoever waits for an answer then gets none. */
	function turn(id: string): AbortController {
		const found = turns.get(id) ?? new AbortController();
		turns.set(id, found);
		return found;
	}

	function ended(id: string): void {
		turns.get(id)?.abort();
		turns.delete(id);
	}

	async function finished(call: Call, output: Result): Promise<void> {
		const found = running.get(call.callID);
		running.delete(call.callID);
		const input = found?.input ?? (call.args as Record<string, unknown>) ?? {};
		const blocks = Array.isArray(output.content) ? (output.content as Block[]) : [{ type: "text", text: text(output.output) }];
		const child = text((output as { metadata?: { sessionId?: unknown } }).metadata?.sessionId);
		const fields = { toolName: call.tool, toolCallId: call.callID, input, isError: false, text: resultText(blocks), child: call.tool === "task" ? child : "" };
		const warning = await hook(call.sessionID, "tool_result", fields, { moment: "finished", wakes: false }).then((answer) => text(answer.said.warning), unseen);
		if (!warning) return;
		if (Array.isArray(output.content)) output.content.unshift({ type: "text", text: warning });
		else output.output = `${warning}\n${text(output.output)}`;
	}

	/** A call that failed has no hook of its own. */
	function failed(part: { callID?: string; state?: { status?: string; error?: unknown } }): void {
		const call = part.callID ? running.get(part.callID) : undefined;
		if (!call || !part.callID || part.state?.status !== "error") return;
		running.delete(part.callID);
		const fields = { toolName: call.toolName, toolCallId: part.callID, input: call.input, isError: true, text: text(part.state.error) };
		void told(call.session, "tool_result", fields, { moment: "finished", wakes: false });
	}

	/** What the agent wrote last, and the calls that it knows to have made since the person spoke. */
	async function turnEnded(id: string): Promise<void> {
		const rows = (await client.session.messages({ path: { id } })).data ?? [];
		const from = rows.map((row) => row.info?.role).lastIndexOf("user") + 1;
		const parts = rows.slice(from).flatMap((row) => row.parts ?? []);
		const words = parts.filter((one) => one.type === "text").map((one) => text(one.text)).filter(Boolean).pop() ?? "";
		const calls = parts.filter((one) => one.type === "tool").map((one) => text(one.callID)).filter((one) => one && !unheard.has(one));
		await told(id, "agent_end", { words, calls }, { wakes: false });
	}

	function heard(event: { type: string; properties?: Record<string, unknown> }): void {
		const found = event.properties ?? {};
		const id = text(found.sessionID);
		switch (event.type) {
			case "session.created":
			case "session.updated":
				if (found.info) began(id || text((found.info as { id?: string }).id), text((found.info as { parentID?: string }).parentID));
				return;
			case "tui.command.execute":
				if (text(found.command).startsWith(COMMAND)) answeredBy(text(found.command));
				return;
			case "message.part.updated":
				if ((found.part as { type?: string })?.type === "tool") failed(found.part as object);
				return;
			case "session.error":
				return ended(id);
			case "session.idle":
				ended(id);
				void turnEnded(id).catch(() => {});
				return;
			case "session.deleted":
				void told(id, "session_shutdown", {}, { millis: HEARD_MS, wakes: false });
				sessions.delete(id);
				return;
		}
	}

	return {
		config: async (config: { permission?: unknown }) => {
			const rules = config.permission;
			if (!whole(installed) || !(installed as { floor?: boolean }).floor) return;
			if (ruleForAll(rules) === FLOOR && typeof rules === "object" && !ruledElsewhere(directory)) delete (rules as Record<string, unknown>)["*"];
		},

		event: async ({ event }: { event: { type: string; properties?: Record<string, unknown> } }) => heard(event),

		"command.execute.before": async (input: { command: string; sessionID: string; arguments: string }, output: { parts: Part[] }) => {
			const { commands } = (await known(input.sessionID).catch(() => undefined)) ?? {};
			if (!commands) return; // then what comes of it counts as nobody's anyway
			const own = `/${input.command} ${text(input.arguments)}`.trim();
			commands.under.push(own);
			for (const one of output.parts) if (text(one.text)) commands.typed.set(text(one.text), own);
		},

		"chat.message": async (input: { sessionID: string }, output: { message: { model?: { providerID?: string; modelID?: string } }; parts: Part[] }) => {
			const session = await known(input.sessionID).catch(() => undefined);
			if (!session) return tell("automode: OpenCode does not say whose session this is; what was typed counts as nobody's", "warning");
			session.halted = "";
			unheard.clear();
			const model = output.message.model;
			if (model) models.set(input.sessionID, `${model.providerID}/${model.modelID}`);
			await introduce(input.sessionID);
			const said = output.parts.filter((one) => one.type === "text" && !one.synthetic && !one.ignored).map((one) => text(one.text));
			const { own, made } = spoken(session.commands, said);
			const source = session.parent ? "extension" : "interactive";
			await told(input.sessionID, "input", { text: own, source }, { moment: "prompt", token: "prompt" });
			if (made) await told(input.sessionID, "input", { text: made, source: "extension" }, { moment: "prompt", token: "prompt" });
			if (session.refusal) throw new Closing(session.refusal);
		},

		"experimental.chat.system.transform": async (input: { sessionID?: string }, output: { system: string[] }) => {
			const guidance = input.sessionID ? sessions.get(input.sessionID)?.guidance : "";
			if (guidance) output.system.push(guidance);
		},

		"tool.execute.before": async (input: Call, output: { args: unknown }) => {
			try {
				await decided(input, (output.args ?? {}) as Record<string, unknown>);
			} catch (error) {
				running.delete(input.callID);
				if (error instanceof Closing && error.message.startsWith("automode")) throw error;
				unheard.add(input.callID);
				tell(closed(error), "error");
				throw new Closing(closed(error));
			}
		},

		"tool.execute.after": async (input: Call, output: Result) => finished(input, output),

		dispose: async () => {
			await Promise.all([...sessions.keys()].map((id) => told(id, "session_shutdown", {}, { millis: HEARD_MS, wakes: false })));
			daemon.close();
		},
	};
};

function ruleForAll(rules: unknown): unknown {
	return typeof rules === "object" && rules !== null ? (rules as Record<string, unknown>)["*"] : rules;
}

/** Whether somebody else has a rule for everything, too: OpenCode shows only what came of all rules, and theirs must
 * stay. What cannot be read may hold one. */
function ruledElsewhere(directory: string): boolean {
	const { OPENCODE_CONFIG, OPENCODE_CONFIG_CONTENT, OPENCODE_CONFIG_DIR, OPENCODE_PERMISSION } = process.env;
	const folders = OPENCODE_CONFIG_DIR ? [OPENCODE_CONFIG_DIR, SYSTEM] : [SYSTEM];
	for (let folder = directory; ; folder = dirname(folder)) {
		folders.push(folder, join(folder, ".opencode"));
		if (folder === dirname(folder)) break;
	}
	const own = dirname(dirname(fileURLToPath(import.meta.url))); // where the installer put the floor
	const files = folders.filter((folder) => folder !== own).flatMap((folder) => ["opencode.json", "opencode.jsonc"].map((name) => join(folder, name)));
	if (OPENCODE_CONFIG) files.push(OPENCODE_CONFIG);
	const given = OPENCODE_PERMISSION ? [`{"permission":${OPENCODE_PERMISSION}}`] : [];
	if (OPENCODE_CONFIG_CONTENT) given.push(OPENCODE_CONFIG_CONTENT);
	try {
		return [...given, ...files.map(contentOf)].some((one) => ruleForAll(settingsIn(one).permission) !== undefined);
	} catch {
		return true;
	}
}

function contentOf(path: string): string {
	try {
		return readFileSync(path, "utf8");
	} catch (error) {
		if (["ENOENT", "ENOTDIR"].includes((error as { code?: string }).code ?? "")) return "";
		throw error;
	}
}

/** With comments and last commas, as OpenCode reads it. */
function settingsIn(written: string): { permission?: unknown } {
	const bare = written.replace(/("(?:\\.|[^"\\])*")|\/\/.*|\/\*[^]*?\*\//g, (_, quoted?: string) => quoted ?? " ");
	const strict = bare.replace(/("(?:\\.|[^"\\])*")|,(?=\s*[}\]])/g, (_, quoted?: string) => quoted ?? "");
	return strict.trim() ? ((JSON.parse(strict.replace(/^\uFEFF/, "")) as { permission?: unknown } | null) ?? {}) : {};
}

/** Only who can read this account's own token can answer for the person. */
function signed(word: string, nonce: string): string {
	if (!whole(installed)) throw new Closing(`the extension is not installed; run: automode install ${AGENT}`);
	return createHmac("sha256", secret(installed, "person")).update(`${word} ${nonce}`).digest("hex");
}
