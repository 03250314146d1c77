// A server that a test starts as a script in a separate process group, and stops together with all child processes.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

export type ServerProcess = { stop(): Promise<void> }

/** Resolves once the script prints `ready`. Rejects with its output if it ends before. */
export async function startServerProcess(
  args: readonly string[],
  { cwd, env, ready }: { readonly cwd: string; readonly env: Readonly<Record<string, string>>; readonly ready: string },
): Promise<ServerProcess> {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, [...args], {
    cwd,
    detached: true,
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output: string[] = []
  const ended = new Promise((resolve) => child.once('close', resolve))
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', (line) => {
        output.push(line)
        if (line.includes(ready)) resolve()
      })
    void ended.then(() => reject(new Error(`the server ended:\n${output.join('\n')}`)))
  })
  return {
    stop: async () => {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM')
      await ended
    },
  }
}
