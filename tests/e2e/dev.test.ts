/** `npm run dev` in a copy of the project, because the test edits a source file. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cacheDir, rootDir } from '../../scripts/lib/paths.ts'
import { sharedBrowser } from '../support/browser.ts'
import { freePort } from '../support/ports.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { visit } from './user-page.ts'

const notCopied = ['node_modules', 'dist', '.git', '.cache', '.state', '.wrangler', '.dev.vars', '.prod.vars']

let copy = ''
let url = ''
let server: ServerProcess | undefined

beforeAll(async () => {
  copy = copyOfProject()
  const port = await freePort()
  server = await startServerProcess([join(copy, 'scripts', 'dev.ts')], {
    cwd: copy,
    env: { PORT: `${port}`, STATE_DIR: join(copy, '.state') },
    ready: 'is being developed at',
  })
  url = `http://localhost:${port}`
}, 180_000)

afterAll(async () => {
  await server?.stop()
  rmSync(copy, { recursive: true, force: true })
})

/** Below `.cache`, on the same disk as the packages, whose files are linked. A link to their folder would be outside of Vite's root. */
function copyOfProject(): string {
  mkdirSync(cacheDir, { recursive: true })
  const directory = mkdtempSync(join(cacheDir, 'dev-project-'))
  for (const entry of readdirSync(rootDir).filter((name) => !notCopied.includes(name)))
    cpSync(join(rootDir, entry), join(directory, entry), { recursive: true })
  execFileSync('cp', ['-al', join(rootDir, 'node_modules'), join(directory, 'node_modules')])
  rmSync(join(directory, 'node_modules', '.vite'), { recursive: true, force: true })
  return directory
}

test('opens a page whose components compile, and shows an edited component without a reload', async () => {
  const user = await visit(await sharedBrowser(), { url })
  try {
    await user.open()
    const greeting = user.page.getByRole('heading', { level: 1 })
    expect(await greeting.innerText()).toMatch(/./)
    // A reload would remove it.
    await user.page.evaluate(() => Object.assign(window, { openedBefore: true }))

    const component = join(copy, 'web/features/chat/thread/empty-thread.tsx')
    const source = readFileSync(component, 'utf8')
    const edited = source.replace('{greetingAt(', 'Edited: {greetingAt(')
    expect(edited).not.toBe(source)
    writeFileSync(component, edited)

    await expect.poll(() => greeting.innerText()).toMatch(/^Edited: ./)
    expect(await user.page.evaluate(() => 'openedBefore' in window)).toBe(true)
    expect(user.errors()).toEqual([])
  } finally {
    await user.leave()
  }
})
