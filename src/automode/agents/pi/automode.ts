// automode in Pi: every tool call is decided by the daemon before it runs, and whatever goes wrong closes.
// One file without a build; types only from Pi, so that it works under each of its package names.
import { execFile } from "node:child_process";
import type { ExtensionAPI, ExtensionCommandContext, ExtensionContext } from "@earendil-works/pi-coding-agent";

const AGENT = "pi";
const INSTALLED = {/*automode:installed*/};

/*automode:wire*/

const STATE = "automode-state";
const TOOL = "automode_inspect";
const SCRIPTS = "codemode";
const SESSION = "Yes, for this session";
const ALWAYS = "Always: choose a rule";
const WHY = "No, and say why";
const BACK = "Back";
const OTHER = "Another rule";
const WORDS: Record<string, string> = {
	status: "what automode did in this session",
	on: "switch auto mode on for this session",
	off: "switch auto mode off for this session",
	reload: "read the settings anew",
	reset: "clear this session's counters, denials and approvals",
	defaults: "the built-in policy",
	config: "the settings in force, and where each comes from",
	denials: "what was denied in this session, and why",
	approve: "allow an exact retry of a denied call, once: approve ID",
	model: "the classifier's model: model [provider/id]",
};

/** What a file says was shown before: numbers and switches, and nothing else of it. */
function remembered(found: unknown): Shown {
	const known = (typeof found === "object" && found !== null ? found : {}) as Record<string, unknown>;
	const number = (name: string) => (Number.isSafeInteger(known[name]) ? Math.max(0, known[name] as number) : 0);
	return {
		enabled: typeof known.enabled === "boolean" ? known.enabled : null,
		on: known.on !== false,
		allowed: number("allowed"),
		denied: number("denied"),
		classifierAllowed: number("classifierAllowed"),
		classifierDenied: number("classifierDenied"),
		standsIn: known.standsIn === true,
		usd: typeof known.usd === "number" && known.usd > 0 && known.usd < 1e6 ? known.usd : 0,
	};
}

type Message = { role?: string; content?: unknown };

function wordsOf(content: unknown): string {
	if (typeof content === "string") return content;
	return Array.isArray(content) ? (content as Block[]).map((one) => (one.type === "text" ? text(one.text) : "")).filter(Boolean).join("\n") : "";
}

function lastTurn(messages: readonly Message[]): { words: string; calls: string[] } {
	const calls: string[] = [];
	let words = "";
	for (const message of messages) {
		if (message.role !== "assistant" || !Array.isArray(message.content)) continue;
		const blocks = message.content as (Block & { id?: string; name?: string })[];
		for (const one of blocks) if (one.type === "toolCall" && one.id && one.name !== TOOL) calls.push(one.id);
		words = blocks.map((one) => (one.type === "text" ? text(one.text) : "")).filter(Boolean).join("\n") || words;
	}
	return { words, calls };
}

// --- the extension --------------------------------------------------------------------------------------------------

type Shown = { enabled: boolean | null; on: boolean; allowed: number; denied: number; classifierAllowed: number; classifierDenied: number; standsIn: boolean; usd: number };
type Denial = { timestamp?: number; tool?: string; reason?: string; record?: string; cleared_by?: string };

const STANDS_IN = " the model fails: the embedded judge stands in";
const NOTHING_YET: Shown = { enabled: null, on: true, allowed: 0, denied: 0, classifierAllowed: 0, classifierDenied: 0, standsIn: false, usd: 0 };
const INSPECT_PARAMETERS = { type: "object", properties: {}, additionalProperties: false } as const;

export default function automode(pi: ExtensionAPI): void {
	const daemon: Pick<Daemon, "ask" | "close" | "dials"> = whole(installed) ? new Daemon(installed) : new Nobody();
	let now: Shown = { ...NOTHING_YET };
	let kept = "";
	let guidance = "";
	let refusal = "";
	let halted = "";
	let lent = "";
	let introduced = "";
	const unheard = new Set<string>(); // calls that were blocked here: the daemon may not know of them
	let models: string[] = [];
	let denials: Denial[] = [];

	// What Pi says to the daemon -----------------------------------------------------------------------------------

	function speaker(ctx: ExtensionContext): Record<string, string> {
		return {
			session: ctx.sessionManager.getSessionId(),
			cwd: ctx.cwd,
			record: ctx.sessionManager.getSessionFile() ?? "",
			model: ctx.model ? `${ctx.model.provider}/${ctx.model.id}` : "",
		};
	}

	function hook(ctx: ExtensionContext, event: string, fields: object, wanted: Partial<Wanted>): Promise<Answer> {
		const host = ctx.hasUI ? "pi" : "pi+unattended";
		const usual: Wanted = { moment: "session", token: "decide", millis: TELLING_MS };
		return daemon.ask("hook", host, { event, ...speaker(ctx), ...fields }, { ...usual, ...wanted });
	}

	/** For what no call waits for: a daemon that does not listen is told when a call is decided. */
	async function told(ctx: ExtensionContext, event: string, fields: object, wanted: Partial<Wanted>): Promise<Record<string, unknown>> {
		try {
			return (await hook(ctx, event, fields, wanted)).said;
		} catch {
			return {};
		}
	}

	/** A daemon that was started meanwhile does not know yet who speaks for this session. */
	async function introduce(ctx: ExtensionContext): Promise<void> {
		const known = () => `${speaker(ctx).session} ${daemon.dials}`;
		if (introduced === known()) return;
		await hook(ctx, "session_start", {}, {});
		introduced = known();
	}

	async function verb(ctx: ExtensionContext, name: string, fields: object = {}): Promise<Record<string, unknown>> {
		const person = name !== "inspect";
		if (person) await introduce(ctx);
		const asked = { do: name, session: `pi/${speaker(ctx).session}`, ...fields };
		const answer = await daemon.ask("json", "-", asked, { moment: "-", token: person ? "person" : "decide", millis: TELLING_MS });
		if (answer.status === 0) return answer.said;
		const hint = text(answer.said.hint);
		throw new Closing(`${text(answer.said.error) || "that failed"}${hint ? ` (${hint})` : ""}`);
	}

	// What people see ----------------------------------------------------------------------------------------------

	function tell(ctx: ExtensionContext, said: string, kind: "info" | "warning" | "error" = "info"): void {
		const safe = plain(said, LONGEST_NOTICE);
		if (ctx.hasUI) ctx.ui.notify(safe, kind);
		else process.stderr.write(`${safe}\n`);
	}

	function showStatus(ctx: ExtensionContext): void {
		if (!ctx.hasUI) return;
		const counts = `a:${now.allowed} d:${now.denied} ca:${now.classifierAllowed} cd:${now.classifierDenied}`;
		const judge = now.usd > 0 ? ` judge $${now.usd.toFixed(4)}` : ""; // Pi shows its own cost in the same footer
		ctx.ui.setStatus("automode", now.on ? `AM● ${counts}${judge}${now.standsIn ? STANDS_IN : ""}` : "AM○");
	}

	function count(ctx: ExtensionContext, verdict: string | null, source: string): void {
		const judged = source.startsWith("classifier.");
		const ran = verdict === "allow";
		now.on = verdict !== null;
		if (verdict !== null) {
			now.allowed += ran ? 1 : 0;
			now.denied += ran ? 0 : 1;
			now.classifierAllowed += judged && ran ? 1 : 0;
			now.classifierDenied += judged && !ran ? 1 : 0;
			if (judged) now.standsIn = source === "classifier.stand-in";
		}
		showStatus(ctx);
	}

	/** The daemon's own numbers: it is the authority, what is shown here only follows. */
	async function sync(ctx: ExtensionContext): Promise<Record<string, unknown>> {
		const found = await verb(ctx, "inspect");
		const number = (name: string) => Number(found[name]) || 0;
		const override = found.enabledOverride;
		now = {
			enabled: override === "on" ? true : override === "off" ? false : null,
			on: found.mode === "enforce",
			allowed: number("checkedActions") - number("blockedActions"),
			denied: number("blockedActions"),
			classifierAllowed: number("classifierAllowed"),
			classifierDenied: number("classifierDenied"),
			standsIn: found.standsIn === true,
			usd: number("usd"),
		};
		denials = Array.isArray(found.recentDenials) ? (found.recentDenials as Denial[]) : [];
		showStatus(ctx);
		return found;
	}

	function keep(): void {
		const text = JSON.stringify(now);
		if (text === kept) return;
		kept = text;
		pi.appendEntry(STATE, now);
	}

	/** What this branch of the session knew. Only the stricter half of it is ever acted on: a file
	 * must not switch anything off. */
	async function restore(ctx: ExtensionContext): Promise<void> {
		const entries = ctx.sessionManager.getBranch() as { type?: string; customType?: string; data?: unknown }[];
		const known = entries.filter((one) => one.type === "custom" && one.customType === STATE).pop()?.data;
		now = remembered(known);
		kept = known ? JSON.stringify(now) : "";
		const before = now.enabled;
		showStatus(ctx);
		await sync(ctx);
		if (before === true && now.enabled === null) await verb(ctx, "mode", { mode: "on" }).then(() => sync(ctx));
		if (before === false && now.enabled === null && now.on) tell(ctx, "automode is on again in this session; /automode off switches it off");
	}

	// The session --------------------------------------------------------------------------------------------------

	function remark(ctx: ExtensionContext, said: Record<string, unknown>): void {
		if (text(said.notice)) tell(ctx, text(said.notice), "warning");
		if (text(said.refusal) && text(said.refusal) !== refusal) tell(ctx, text(said.refusal), "error");
		refusal = text(said.refusal);
		guidance = text(said.guidance) || guidance;
	}

	pi.on("session_start", async (_event, ctx) => {
		halted = "";
		lent = "";
		try {
			remark(ctx, (await hook(ctx, "session_start", {}, {})).said);
			introduced = `${speaker(ctx).session} ${daemon.dials}`;
			await restore(ctx);
		} catch (error) {
			tell(ctx, `automode: ${reason(error)}. Tool calls are blocked until it runs.`, "error");
		}
		models = ctx.modelRegistry.getAvailable().map((one) => `${one.provider}/${one.id}`);
	});

	/** What stands in the user's place: on the way to where the session is now, and on all other ways. */
	function branch(ctx: ExtensionContext): { words: string[]; left: string[] } {
		const typed = (entries: readonly unknown[]) => (entries as { id?: string; type?: string; message?: Message }[]).filter((one) => one.type === "message" && one.message?.role === "user");
		const here = typed(ctx.sessionManager.getBranch());
		const known = new Set(here.map((one) => one.id));
		const texts = (entries: { message?: Message }[]) => entries.map((one) => wordsOf(one.message?.content)).filter(Boolean);
		return { words: texts(here), left: texts(typed(ctx.sessionManager.getEntries()).filter((one) => !known.has(one.id))) };
	}

	pi.on("session_tree", async (_event, ctx) => {
		await told(ctx, "session_tree", branch(ctx), { moment: "prompt", token: "prompt" });
		await restore(ctx).catch(() => {});
	});

	pi.on("session_shutdown", async (event, ctx) => {
		if ((event as { reason?: string }).reason !== "reload") {
			await told(ctx, "session_shutdown", {}, { millis: HEARD_MS, wakes: false });
		}
		daemon.close();
	});

	pi.on("input", async (event, ctx) => {
		await told(ctx, "input", { text: event.text, source: event.source }, { moment: "prompt", token: "prompt" });
		if (!refusal) return { action: "continue" as const };
		tell(ctx, refusal, "error");
		if (!ctx.hasUI) process.exitCode = 1;
		return { action: "handled" as const };
	});

	pi.on("before_agent_start", async (event, ctx) => {
		halted = "";
		unheard.clear();
		const files = event.systemPromptOptions?.contextFiles?.map((one) => ({ path: one.path, content: one.content }));
		remark(ctx, await told(ctx, "before_agent_start", { contextFiles: files }, {}));
		await lend(ctx).catch(() => {});
		if (!guidance || !now.on) return undefined;
		return { systemPrompt: `${event.systemPrompt}\n\n${guidance}` };
	});

	pi.on("agent_end", async (event, ctx) => {
		const { words, calls } = lastTurn(event.messages as readonly Message[]);
		await told(ctx, "agent_end", { words, calls: calls.filter((one) => !unheard.has(one)) }, { wakes: false });
		try {
			await sync(ctx);
			keep();
		} catch {
			// A run without a terminal may be over by now, and its session with it.
		}
	});

	/** Pi's own key for the classifier's provider, for as long as the session lasts. A subscription's
	 * is not lent: it opens no other door than Pi's. */
	async function lend(ctx: ExtensionContext, name?: string): Promise<void> {
		const wanted = name ?? (text((await verb(ctx, "inspect")).model) || speaker(ctx).model);
		const [provider] = wanted.split("/", 1);
		const registry = ctx.modelRegistry;
		const model = registry.find(provider, wanted.slice(provider.length + 1)) ?? registry.getAvailable().find((one) => one.provider === provider);
		if (!model || registry.isUsingOAuth(model)) return;
		const found = (await registry.getApiKeyAndHeaders(model)) as { ok: boolean; apiKey?: string; baseUrl?: string };
		if (!found.ok || !found.apiKey || lent === `${provider} ${found.apiKey}`) return;
		lent = `${provider} ${found.apiKey}`;
		await verb(ctx, "lend", { provider, key: found.apiKey, baseUrl: found.baseUrl ?? model.baseUrl });
	}

	// Calls --------------------------------------------------------------------------------------------------------

	/** Its own tool only looks; another one that took its name is gated like any. */
	function ownTool(name: string): boolean {
		return name === TOOL && pi.getAllTools().find((one) => one.name === TOOL)?.parameters === (INSPECT_PARAMETERS as unknown);
	}

	/** Pi's own tool for scripts reaches nothing but other tools, whose calls come here one by one, and models. One that
	 * took its name is gated like any. */
	function known(name: string): string {
		if (name !== SCRIPTS) return name;
		const found = pi.getAllTools().find((one) => one.name === name) as { sourceInfo?: { path?: string } } | undefined;
		return found?.sourceInfo?.path === `builtin:${name}` ? `pi:${name}` : name;
	}

	pi.on("tool_call", async (event, ctx) => {
		if (ownTool(event.toolName)) return undefined;
		try {
			const input = event.input as Record<string, unknown>;
			const { changes, change } = held(input);
			const call = { toolName: known(event.toolName), toolCallId: event.toolCallId, input, changes };
			const answer = await hook(ctx, "tool_call", call, { moment: "proposed", millis: DEADLINE_MS, signal: ctx.signal });
			const blocked = await obeyed(ctx, call, answer);
			if (!blocked && answer.said.input !== undefined) change(answer.said.input);
			return blocked;
		} catch (error) {
			unheard.add(event.toolCallId);
			if (!ctx.signal?.aborted) tell(ctx, closed(error), "error");
			return { block: true, reason: closed(error) };
		}
	});

	async function obeyed(ctx: ExtensionContext, call: { toolName: string; input: Record<string, unknown> }, answer: Answer) {
		const { verdict } = answer.said;
		const said = text(answer.said.text);
		const source = text(answer.said.source);
		if (answer.status === 0 && (verdict === null || verdict === "allow")) {
			count(ctx, verdict, source);
			return undefined;
		}
		if (answer.status === 0 && verdict === "ask") return await asked(ctx, call, said, text(answer.said.refused) || said, text(answer.said.record));
		if (answer.status !== 2 || (verdict !== "deny" && verdict !== "halt")) throw rubbish();
		count(ctx, verdict, source);
		// In a terminal the reason stands in the call's own result, right above.
		tell(ctx, ctx.hasUI && verdict === "deny" ? `automode denied ${shown(call.toolName, 60)} (${source}); /automode denials says more` : said, verdict === "halt" ? "error" : "warning");
		if (verdict === "halt") {
			halted = said || "stopped";
			if (!ctx.hasUI) process.exitCode = 1;
		}
		return { block: true, reason: said || closed(rubbish()), terminate: verdict === "halt" };
	}

	async function asked(ctx: ExtensionContext, call: { toolName: string; input: Record<string, unknown> }, said: string, refused: string, record: string) {
		if (!ctx.hasUI) return { block: true, reason: `${said} Nobody is there to be asked.` };
		const question = `${shown(said)}\n\n${callShown(call.toolName, call.input)}${record ? `\n\n${record}` : ""}`;
		const more = record ? [SESSION, ALWAYS, WHY] : [WHY];
		const { signal } = ctx;
		let yes = false;
		let why = "";
		for (;;) {
			const choice = await ctx.ui.select(question, [NO, YES, ...more], { signal });
			if (signal?.aborted) break;
			if (choice === WHY) why = (await ctx.ui.input("Why? The agent reads it.", "", { signal })) ?? "";
			yes = choice === YES;
			if (choice !== SESSION && choice !== ALWAYS) break;
			// Where it cannot be kept, or the person thinks again, this call is asked about once more.
			yes = await lasting(ctx, choice, record);
			if (yes || signal?.aborted) break;
		}
		yes = yes && !signal?.aborted;
		count(ctx, yes ? "allow" : "deny", "");
		if (yes) return undefined;
		await told(ctx, "refused", { ...call, text: why }, { moment: "finished" });
		return { block: true, reason: why ? `${refused} They say: ${shown(why)}` : refused };
	}

	/** A yes that is to hold for longer than one call: whether it does. */
	async function lasting(ctx: ExtensionContext, choice: string, record: string): Promise<boolean> {
		try {
			if (choice === SESSION) await verb(ctx, "approve", { record, session_long: true });
			else {
				const rule = await chosenRule(ctx, record);
				if (!rule) return false;
				const { saved } = await verb(ctx, "approve", { record, rule });
				tell(ctx, `automode saved ${shown(rule)} in ${text(saved)}`);
			}
			return true;
		} catch (error) {
			tell(ctx, `automode: ${reason(error)}`, "error");
			return false;
		}
	}

	/** The rule that a person wants to keep, out of those that cover the call, or their own. */
	async function chosenRule(ctx: ExtensionContext, record: string): Promise<string> {
		const { proposals } = await verb(ctx, "propose", { record });
		const found = (Array.isArray(proposals) ? proposals : []) as { key: string; entries: string[]; note: string; void: string; covered: number | null }[];
		const usable = found.filter((one) => one.key === "permissions.allow" && !one.void);
		const lines = usable.map((one) => shown(`${one.entries.join(" ")}  (${one.note}; ${one.covered ?? 0} calls of the last 30 days)`, 400));
		if (!usable.length) tell(ctx, `automode: no rule lets this call through${found[0]?.void ? `: ${shown(found[0].void)}` : ""}`, "warning");
		const choice = await ctx.ui.select("Which rule? It counts in every session, from now on.", [BACK, ...lines, OTHER], { signal: ctx.signal });
		if (choice === OTHER) return (await ctx.ui.input("A rule that covers this call", usable[0]?.entries.join(" ") ?? "", { signal: ctx.signal })) ?? "";
		return usable[lines.indexOf(choice ?? "")]?.entries.join("\n") ?? "";
	}

	pi.on("tool_result", async (event, ctx) => {
		if (ownTool(event.toolName)) return undefined;
		const { toolCallId, input, isError } = event;
		const fields = { toolName: known(event.toolName), toolCallId, input, isError, text: resultText(event.content as readonly Block[]) };
		const wanted = { moment: "finished", signal: ctx.signal, wakes: false };
		const warning = await hook(ctx, "tool_result", fields, wanted).then((answer) => text(answer.said.warning), unseen);
		if (!warning || ctx.signal?.aborted) return undefined;
		return { content: [{ type: "text" as const, text: warning }, ...event.content] };
	});

	/** A version of Pi that does not heed `terminate`, or other calls of the same message, would go on. */
	pi.on("turn_start", async (_event, ctx) => {
		if (halted) ctx.abort();
	});

	// The agent's own look -----------------------------------------------------------------------------------------

	pi.registerTool({
		name: TOOL,
		label: "automode",
		description: "Shows whether auto mode is on, what was denied in this session and why, and what would clear each denial. Read-only.",
		parameters: INSPECT_PARAMETERS as never,
		async execute(_id, _params, _signal, _update, ctx) {
			const found = await sync(ctx);
			return { content: [{ type: "text" as const, text: `${statusText(found)}\n${denialsText()}` }], details: undefined };
		},
	});

	function statusText(found: Record<string, unknown>): string {
		const state = now.on ? "on" : found.mode === "shadow" ? "in shadow mode: it records and lets everything run" : "off";
		return [
			`auto mode is ${state} in this session${now.enabled === null ? "" : " (chosen here)"}${found.halted ? ", and the run was stopped" : ""}`,
			`allowed ${now.allowed}, denied ${now.denied}; by the classifier: allowed ${now.classifierAllowed}, denied ${now.classifierDenied}`,
			...(Number(found.standIns) > 0 ? [`the embedded judge stood in for the model ${Number(found.standIns)} times`] : []),
			`classifier model: ${text(found.model) || "the session's own"}; spent: $${text(found.usd) || "0"}`,
			...(text(found.lastReason) ? [`last: ${text(found.lastDecision)}, ${shown(text(found.lastReason), 300)}`] : []),
		].join("\n");
	}

	function denialsText(): string {
		if (!denials.length) return "nothing was denied";
		return denials.map((one) => `${shown(text(one.record), 80)} ${shown(text(one.tool), 80)}: ${shown(text(one.reason), 400)}\n    cleared by: ${shown(text(one.cleared_by), 400)}`).join("\n");
	}

	// Commands -----------------------------------------------------------------------------------------------------

	async function run(words: string, ctx: ExtensionCommandContext): Promise<void> {
		const [word = "status", ...rest] = words.trim().split(/\s+/).filter(Boolean);
		switch (word) {
			case "status":
				return tell(ctx, statusText(await sync(ctx)));
			case "on":
			case "off":
				await verb(ctx, "mode", { mode: word });
				await sync(ctx);
				keep();
				return tell(ctx, `automode is ${word} in this session`);
			case "reload":
				await verb(ctx, "reload");
				return tell(ctx, "automode reads its settings again");
			case "reset":
				await verb(ctx, "reset");
				await sync(ctx);
				keep();
				return tell(ctx, "automode has cleared this session's counters, denials and approvals");
			case "defaults":
			case "config":
				return tell(ctx, await printed(word, ctx.cwd));
			case "denials":
				await sync(ctx);
				return tell(ctx, denialsText());
			case "approve":
				if (!rest[0]) return tell(ctx, `say which: /automode approve ID\n${denialsText()}`, "warning");
				await verb(ctx, "approve", { record: rest[0] });
				return tell(ctx, "automode allows an exact retry of that call, once, within ten minutes");
			case "model":
				return await chooseModel(ctx, rest[0]);
			case "help":
				return tell(ctx, Object.entries(WORDS).map(([name, what]) => `/automode ${name}: ${what}`).join("\n"));
			default:
				return tell(ctx, `no such word: ${shown(word, 40)}. It is one of ${Object.keys(WORDS).join(", ")}.`, "warning");
		}
	}

	async function chooseModel(ctx: ExtensionCommandContext, given: string | undefined): Promise<void> {
		models = ctx.modelRegistry.getAvailable().map((one) => `${one.provider}/${one.id}`);
		const inForce = text((await sync(ctx)).model);
		const name = given ?? (ctx.hasUI ? await ctx.ui.select(`The classifier's model (now: ${inForce || "the session's own"})`, models) : undefined);
		if (!name) return tell(ctx, `classifier model: ${inForce || "the session's own"}`);
		const saved = await verb(ctx, "model", { model: name });
		await lend(ctx, name).catch(() => {});
		const other = saved.decides ? `, but ${text(saved.decides)} sets ${text(saved.in_force) || "none"}, and that one counts here` : "";
		tell(ctx, `automode saved ${name} in ${text(saved.file)}${other}`);
	}

	function printed(word: string, cwd: string): Promise<string> {
		if (!whole(installed)) return Promise.reject(new Closing(`the extension is not installed; run: automode install ${AGENT}`));
		const folders = word === "config" ? ["--cwd", cwd, "--config-folder", installed.config, "--state-folder", installed.state] : [];
		const { python } = installed;
		return new Promise((resolve, reject) => {
			execFile(python, ["-I", "-m", "automode", word, ...folders], { cwd: "/", env: { NO_COLOR: "1" }, timeout: WAKING_MS }, (error, out) =>
				error ? reject(new Closing(`\`automode ${word}\` failed; run it in a terminal`)) : resolve(out),
			);
		});
	}

	function completions(prefix: string): { value: string; label: string; description?: string }[] | null {
		const found = /^(model|approve)\s+(.*)$/.exec(prefix);
		const more = found?.[1] === "model" ? models.map((one) => [one, ""]) : denials.map((one) => [text(one.record), `${shown(text(one.tool), 80)}: ${shown(text(one.reason), 80)}`]);
		const rows = found ? more.map(([value, description]) => ({ value: `${found[1]} ${value}`, label: value, description })) : Object.entries(WORDS).map(([value, description]) => ({ value, label: value, description }));
		const fitting = rows.filter((one) => one.value.startsWith(prefix.trimStart()));
		return fitting.length ? fitting : null;
	}

	for (const name of ["automode", "auto-mode"]) {
		pi.registerCommand(name, {
			description: `automode: ${Object.keys(WORDS).join(", ")}`,
			getArgumentCompletions: completions,
			async handler(words, ctx) {
				try {
					await run(words, ctx);
				} catch (error) {
					tell(ctx, `automode: ${reason(error)}`, "error");
				}
			},
		});
	}
}
