/**
 * Time from a bare clone to the first answer of a guest: `npm start`, with the packages in npm's cache. The floor is the time npm needs to
 * install the locked packages.
 */
import { execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Benchmark } from '../../scripts/lib/benchmark.ts'
import { rootDir } from '../../scripts/lib/paths.ts'
import { type Guest, newGuest } from '../support/guest.ts'
import { freePort } from '../support/ports.ts'
import { connectWire } from '../support/wire-client.ts'

const pollEveryMs = 50
const giveUpAfterMs = 10 * 60_000

/** The content of a clone: tracked and untracked files, without installed and built ones. */
function bareClone(): string {
  const dir = mkdtempSync(join(tmpdir(), 'parley-clone-'))
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: rootDir, encoding: 'utf8' })
  for (const file of listed.split('\0').filter((name) => name !== '' && existsSync(join(rootDir, name)))) {
    mkdirSync(dirname(join(dir, file)), { recursive: true })
    cpSync(join(rootDir, file), join(dir, file))
  }
  return dir
}

/** The machine's npm and Node: this process runs under the pinned one, which a new clone does not have. */
const systemPath = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((dir) => !dir.includes('node_modules'))
  .join(delimiter)

async function until(holds: () => boolean | Promise<boolean>, signal: AbortSignal): Promise<number> {
  while (!(await holds())) {
    signal.throwIfAborted()
    await sleep(pollEveryMs)
  }
  return performance.now()
}

const answers = (url: string) =>
  fetch(`${url}/api/health`).then(
    ({ ok }) => ok,
    () => false,
  )

async function firstWord(guest: Guest): Promise<number> {
  const client = await connectWire({ guest, token: await guest.token(), queries: [{ hash: 'me', name: 'me', args: [] }] })
  const [threadId, messageId, answerId] = ['thread', 'message', 'answer'].map((kind) => `${kind}-${Date.now().toString(36)}`)
  client.push('threads.send', { threadId, messageId, answerId, parentId: null, text: 'hello', modelId: 'kimi-k2', at: Date.now() })
  const stream = await guest.fetch(`/api/thread/${threadId}/stream?generation=${answerId}`)
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader()
  for (let seen = ''; !seen.includes('"text-delta"'); ) {
    const read = await reader?.read()
    if (!read || read.done) throw new Error('the answer ended before its first word')
    seen += read.value
  }
  const atMs = performance.now()
  await reader?.cancel()
  await client.close()
  return atMs
}

export const benchmarks: readonly Benchmark[] = [
  {
    id: 'W8',
    name: 'npm start on a bare clone to the first word',
    unit: 's',
    run: async ({ atEnd }) => {
      const dir = bareClone()
      atEnd(async () => rmSync(dir, { recursive: true, force: true }))
      const port = await freePort()
      const ended = new AbortController()
      const startMs = performance.now()
      const { HOME = '', TMPDIR = tmpdir() } = process.env
      const child = spawn('npm', ['start'], {
        cwd: dir,
        detached: true,
        env: { PATH: systemPath, HOME, TMPDIR, PORT: String(port), STATE_DIR: join(dir, '.state') },
        stdio: 'ignore',
      })
      const end = () => {
        if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGTERM')
      }
      // Cleans up after an interrupted run.
      process.once('exit', end)
      const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
      void exited.then(() => ended.abort(new Error('`npm start` ended by itself')))
      const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(giveUpAfterMs)])
      try {
        const installedMs = await until(() => existsSync(join(dir, 'node_modules', '.package-lock.json')), signal)
        const url = `http://localhost:${port}`
        await until(() => answers(url), signal)
        const wordMs = await firstWord(await newGuest(url))
        return [
          {
            at: 'first word',
            value: (wordMs - startMs) / 1000,
            floor: (installedMs - startMs) / 1000,
            mustHold: { most: 90 },
            moonshot: { most: 60 },
          },
        ]
      } finally {
        process.off('exit', end)
        end()
        await exited
      }
    },
  },
]
