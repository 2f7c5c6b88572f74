// automode as a Pi package: loads the extension that the automode of this machine brings, so the two are always of one release.
// Pi goes on without an extension that fails to load. So whatever goes wrong here blocks every call instead.
import { execFile } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

const SYSTEM_PLACES = ["/opt/homebrew/bin/automode", "/usr/local/bin/automode", "/usr/bin/automode"];
const LOADING_MS = 30_000;

function runs(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}

/** The path of the extension, which automode writes into its state folder. */
function extension(): Promise<string> {
	const home = userInfo().homedir; // of the account: a project may have chosen HOME and PATH
	const places = [`${home}/.local/bin/automode`, ...SYSTEM_PLACES];
	const folders = ["--state-folder", `${home}/.local/state/automode`, "--config-folder", `${home}/.config/automode`];
	const program = places.find(runs);
	if (!program) throw new Error(`the package finds no automode in ${places.join(", ")}; install it there, then: automode doctor pi`);
	const options = { cwd: "/", env: { PATH: "/usr/bin:/bin" }, timeout: LOADING_MS };
	return new Promise((resolve, reject) => {
		execFile(program, ["extension", "pi", ...folders], options, (error, out) => {
			const path = out.trim();
			if (!error && path.startsWith("/")) resolve(path);
			else reject(new Error(`\`${program} extension pi\` failed; run: automode doctor pi`));
		});
	});
}

/** Pi does not start where two extensions bring tools of one name. So beside one that `automode install` or `automode run` put there
 * this one only decides calls: they are decided twice, and automode's tool and commands come from the other. */
function beside(pi: ExtensionAPI): ExtensionAPI {
	const account = process.env.PI_CODING_AGENT_DIR || `${homedir()}/.pi/agent`;
	const installed = [`${account}/extensions/automode.ts`, `${process.cwd()}/.pi/extensions/automode.ts`].some((path) => existsSync(path));
	if (!installed && !process.argv.some((word) => word.endsWith("/install/run/automode.ts"))) return pi;
	const left = ["registerTool", "registerCommand"];
	return new Proxy(pi, { get: (from, name) => (left.includes(String(name)) ? () => {} : Reflect.get(from, name)) });
}

export default async function automode(pi: ExtensionAPI): Promise<void> {
	try {
		const loaded = (await import(await extension())) as { default: (pi: ExtensionAPI) => void };
		loaded.default(beside(pi));
	} catch (error) {
		const why = error instanceof Error ? error.message : "unknown error";
		const reason = `automode could not decide, so this call must not run: ${why}`;
		pi.on("tool_call", async () => ({ block: true, reason }));
		pi.on("session_start", async (_event, ctx) => {
			const notice = `automode: ${why}. Tool calls are blocked until it runs.`;
			if (ctx.hasUI) ctx.ui.notify(notice, "error");
			else process.stderr.write(`${notice}\n`);
		});
	}
}
