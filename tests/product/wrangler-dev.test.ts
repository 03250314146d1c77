/** Plain wrangler in the root, as a developer starts it after `npm run build`. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { productionDir, rootDir, workerDir, wranglerRedirectFile } from '../../scripts/lib/paths.ts'
import { prepareWranglerDev } from '../../scripts/lib/plain-wrangler.ts'
import { filesBelow } from '../../scripts/lib/sources.ts'
import { readWranglerConfig } from '../../scripts/lib/wrangler-config.ts'
import type { HealthBody } from '../../worker/contract/http.ts'
import { copyRepository } from '../support/checkout.ts'
import { newGuest } from '../support/guest.ts'
import { freePort } from '../support/ports.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'

const wrangler = join(rootDir, 'node_modules', 'wrangler', 'bin', 'wrangler.js')
const dir = mkdtempSync(join(tmpdir(), 'wrangler-dev-'))
const [varsFile, stateDir] = [join(dir, 'dev.vars'), join(dir, 'state')]
const env = {
  PATH: process.env.PATH ?? '',
  TMPDIR: tmpdir(),
  CI: '1',
  WRANGLER_SEND_METRICS: 'false',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
}
let url = ''
let server: ServerProcess | undefined

beforeAll(async () => {
  expect((await prepareWranglerDev(varsFile, stateDir)).length).toBeGreaterThan(0)
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  const inspectorPort = await freePort()
  const args = ['dev', '--port', `${port}`, '--inspector-port', `${inspectorPort}`, '--persist-to', stateDir, '--env-file', varsFile]
  server = await startServerProcess([wrangler, ...args], {
    cwd: rootDir,
    env,
    ready: 'Ready on',
  })
}, 120_000)

afterAll(async () => {
  await server?.stop()
  rmSync(dir, { recursive: true, force: true })
})

test('serves the page, its files and the API, and creates a guest', async () => {
  const health = (await (await fetch(`${url}/api/health`)).json()) as HealthBody
  expect(health).toMatchObject({ status: 'ok', environment: 'development' })
  const page = await fetch(url)
  const html = await page.text()
  expect([page.status, html]).toEqual([200, expect.stringContaining('<title>Parley</title>')])
  const script = /<script[^>]+src="(\/assets\/[^"]+)"/.exec(html)?.[1] ?? ''
  const file = await fetch(url + script)
  expect(file.headers.get('content-type')).toMatch(/javascript/)
  expect(file.headers.get('cache-control')).toContain('immutable')
  // A file of the build before: a browser or a proxy that stored the 404 could not load it after a rollback.
  const missing = await fetch(`${url}/assets/of-another-build.js`)
  expect([missing.status, missing.headers.get('cache-control')]).toEqual([404, 'no-store'])
  const guest = await newGuest(url)
  expect(guest.userId).not.toBe('')
  expect(await guest.token()).not.toBe('')
})

test('has the stand-ins of the development Worker', async () => {
  const { parts } = (await (await fetch(`${url}/api/health`)).json()) as HealthBody
  expect(parts.models?.state).toBe('stand-in')
})

test.each(['deploy', 'versions upload'])('`wrangler %s` in the root uploads the production Worker', (command) => {
  // A copy, because the server of the other tests reads the same folder.
  const root = copyRepository()
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const outDir = join(root, 'upload')
  const output = execFileSync(process.execPath, [wrangler, ...command.split(' '), '--dry-run', '--outdir', outDir], {
    cwd: root,
    env,
    encoding: 'utf8',
  })
  expect(output).toMatch(/env\.ENVIRONMENT \("production"\)/)
  const uploaded = (name: string) => readFileSync(join(outDir, name), 'utf8')
  for (const file of filesBelow(productionDir).filter((file) => file.endsWith('.js'))) {
    const name = relative(productionDir, file)
    // Wrangler adds a comment with the source map at the end.
    expect(uploaded(name).startsWith(readFileSync(file, 'utf8').replace(/\/\/# sourceMappingURL=.*\s*$/, '')), name).toBe(true)
  }
  const { configPath } = JSON.parse(readFileSync(wranglerRedirectFile, 'utf8')) as { configPath: string }
  const config = readWranglerConfig(join(dirname(wranglerRedirectFile), configPath))
  expect([config.name, readWranglerConfig(join(workerDir, 'wrangler.json')).name]).toEqual(['parley', 'parley-development'])
})
