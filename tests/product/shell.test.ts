/** `npm start` from outside: npm starts a shell, and passes a signal to the shell only. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { rootDir } from '../../scripts/lib/paths.ts'
import { freePort, isFree } from '../support/ports.ts'

test('it ends with the shell of npm', async () => {
  const port = await freePort()
  const stateDir = mkdtempSync(join(tmpdir(), 'parley-shell-'))
  // A shell may replace itself with its last command, so another command follows.
  const command = `"${process.execPath}" "${join(rootDir, 'scripts', 'start.ts')}" --no-build --no-dev-vars; true`
  const { PATH = '', HOME = '' } = process.env
  const shell = spawn('/bin/sh', ['-c', command], {
    cwd: rootDir,
    detached: true,
    env: { PATH, HOME, PORT: String(port), STATE_DIR: stateDir, npm_lifecycle_event: 'start' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const group = shell.pid
  if (group === undefined) throw new Error('a started shell has a process id')
  try {
    for await (const line of createInterface({ input: shell.stdout })) if (line.includes('Parley is ready')) break
    expect(await isFree(port)).toBe(false)
    const ended = once(shell, 'exit')
    shell.kill('SIGTERM')
    await ended
    await expect.poll(() => isFree(port)).toBe(true)
  } finally {
    try {
      process.kill(-group, 'SIGKILL')
    } catch {
      // The process has ended, as expected.
    }
    rmSync(stateDir, { recursive: true, force: true })
  }
})
