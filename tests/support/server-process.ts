// A server that a test starts as a script in a separate process group, and stops together with all child processes.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

export type ServerProcess = {
  /** All output so far, and the rest until it ends. */
  readonly output: readonly string[]
  /** SIGTERM to the whole group. */
  stop(): Promise<void>
  /** SIGTERM to the script alone, as a container engine sends it. Resolves with the exit code. */
  terminate(): Promise<number | null>
  /** SIGKILL to the whole group. */
  kill9(): Promise<void>
}

type Start = {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Part of the line that the script prints when it is ready. */
  readonly ready: string
  /** The program; by default the Node of this process. */
  readonly program?: string
  /** Only for tests that run as root. */
  readonly uid?: number | undefined
}

/** Resolves once the script prints `ready`. Rejects with its output if it ends before. */
export async function startServerProcess(
  args: readonly string[],
  { cwd, env, ready, program = process.execPath, uid }: Start,
): Promise<ServerProcess> {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(program, [...args], {
    cwd,
    detached: true,
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  })
  const output: string[] = []
  const ended = new Promise((resolve) => child.once('close', resolve))
  const signalGroup = (signal: NodeJS.Signals) => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) process.kill(-child.pid, signal)
  }
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject)
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', (line) => {
        output.push(line)
        if (line.includes(ready)) resolve()
      })
    void ended.then(() => reject(new Error(`the server ended:\n${output.join('\n')}`)))
  })
  const end = async (signal: NodeJS.Signals) => {
    signalGroup(signal)
    await ended
  }
  return {
    output,
    stop: () => end('SIGTERM'),
    kill9: () => end('SIGKILL'),
    terminate: async () => {
      child.kill('SIGTERM')
      await ended
      return child.exitCode
    },
  }
}
