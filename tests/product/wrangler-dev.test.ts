/** `wrangler dev` in the root, as a developer starts it after `npm run build`. */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rootDir, wranglerRedirectFile } from '../../scripts/lib/paths.ts'
import { prepareWranglerDev, redirectWrangler } from '../../scripts/lib/wrangler-dev.ts'
import type { HealthBody } from '../../worker/contract/http.ts'
import { newGuest } from '../support/guest.ts'
import { freePort } from '../support/ports.ts'

const wrangler = join(rootDir, 'node_modules', 'wrangler', 'bin', 'wrangler.js')
const dir = mkdtempSync(join(tmpdir(), 'wrangler-dev-'))
const [varsFile, stateDir] = [join(dir, 'dev.vars'), join(dir, 'state')]
const output: string[] = []
let url = ''
let stop = async () => {}

beforeAll(async () => {
  expect((await prepareWranglerDev(varsFile, stateDir)).length).toBeGreaterThan(0)
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  const { PATH = '', HOME = '' } = process.env
  const args = ['dev', '--port', `${port}`, '--inspector-port', `${await freePort()}`, '--persist-to', stateDir, '--env-file', varsFile]
  const child = spawn(process.execPath, [wrangler, ...args], {
    cwd: rootDir,
    detached: true,
    env: { PATH, HOME, TMPDIR: tmpdir(), CI: '1', WRANGLER_SEND_METRICS: 'false', CLOUDFLARE_CF_FETCH_ENABLED: 'false' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise((resolve) => child.once('close', resolve))
  stop = async () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM')
    await ended
  }
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', (line) => {
        output.push(line)
        if (line.includes('Ready on')) resolve()
      })
    void ended.then(() => reject(new Error(`wrangler dev ended:\n${output.join('\n')}`)))
  })
}, 120_000)

afterAll(async () => {
  await stop()
  rmSync(dir, { recursive: true, force: true })
})

test('serves the page, its files and the API, and creates a guest', async () => {
  const health = (await (await fetch(`${url}/api/health`)).json()) as HealthBody
  expect(health).toMatchObject({ status: 'ok', environment: 'development' })
  const page = await fetch(url)
  const html = await page.text()
  expect([page.status, html]).toEqual([200, expect.stringContaining('<title>Parley</title>')])
  const script = /<script[^>]+src="(\/assets\/[^"]+)"/.exec(html)?.[1] ?? ''
  expect((await fetch(url + script)).headers.get('content-type')).toMatch(/javascript/)
  const guest = await newGuest(url)
  expect(guest.userId).not.toBe('')
  expect(await guest.token()).not.toBe('')
})

test('the build redirects wrangler in the root to the built configuration', () => {
  const copy = join(dir, 'redirect', 'config.json')
  redirectWrangler(copy)
  expect(existsSync(copy)).toBe(true)
  const { configPath } = JSON.parse(readFileSync(wranglerRedirectFile, 'utf8')) as { configPath: string }
  expect(configPath).toBe('../../dist/local/wrangler.json')
})
