// WebKitGTK's MiniBrowser, driven through W3C WebDriver, on a virtual display. Debian's packages are `webkit2gtk-driver` and `xvfb`.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../support/ports.ts'
import type { Engine, Key, Tab } from './tab.ts'

const driverPath = '/usr/bin/WebKitWebDriver'
const displayPath = '/usr/bin/Xvfb'
const miniBrowser = ['4.1', '6.0', '4.0'].map((version) => `/usr/lib/x86_64-linux-gnu/webkit2gtk-${version}/MiniBrowser`).find(existsSync)

const startsWithinMs = 60_000

/** Key codes of the WebDriver specification. */
const keys: Record<Key | 'Control', string> = {
  Enter: '\uE007',
  Escape: '\uE00C',
  ArrowDown: '\uE015',
  ArrowRight: '\uE014',
  Tab: '\uE004',
  Control: '\uE009',
}
/** The property that holds the id of an element, from the specification. */
const elementKey = 'element-6066-11e4-a52e-4f735466cecf'

export const webkit: Engine = {
  name: 'WebKit',
  missing:
    miniBrowser && existsSync(driverPath) && existsSync(displayPath)
      ? null
      : 'MiniBrowser, WebKitWebDriver or Xvfb do not exist (apt-get install webkit2gtk-driver xvfb)',
  launch: async () => {
    const [display, closeDisplay] = await startDisplay()
    const port = await freePort()
    const driver = spawn(driverPath, [`--port=${port}`], { stdio: 'ignore', env: { ...process.env, DISPLAY: display } })
    const base = `http://127.0.0.1:${port}`
    await until(() => fetch(`${base}/status`).then(({ ok }) => ok))
    const options = { binary: miniBrowser, args: ['--automation'] }
    const { sessionId } = await call<{ sessionId: string }>(`${base}/session`, 'POST', {
      capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': options } },
    })
    const session = `${base}/session/${sessionId}`
    // The session starts with a window, which is the first tab.
    let spare: string | null = await call<string>(`${session}/window`, 'GET')
    return {
      newTab: async () => {
        // A window: a tab in the background is hidden, and the sync client connects only visible pages.
        const handle = spare ?? (await call<{ handle: string }>(`${session}/window/new`, 'POST', { type: 'window' })).handle
        spare = null
        return tabOf(session, handle)
      },
      close: async () => {
        await call(session, 'DELETE').catch(() => undefined)
        await end(driver)
        await closeDisplay()
      },
    }
  },
}

function tabOf(session: string, handle: string): Tab {
  const send = async <T>(command: string, body: unknown = {}): Promise<T> => {
    await call(`${session}/window`, 'POST', { handle })
    return call<T>(`${session}/${command}`, 'POST', body)
  }
  const run = <T>(expression: string) => send<T>('execute/sync', { script: `return (${expression})`, args: [] })
  const actions = (steps: readonly (readonly ['keyDown' | 'keyUp', string])[]) =>
    send('actions', { actions: [{ type: 'key', id: 'keyboard', actions: steps.map(([type, value]) => ({ type, value })) }] })
  const press = (value: string) =>
    actions([
      ['keyDown', value],
      ['keyUp', value],
    ])
  return {
    open: async (url) => void (await send('url', { url })),
    reload: async () => void (await send('refresh')),
    back: async () => void (await send('back')),
    evaluate: run,
    click: async (expression) => {
      const element = await run<Record<string, string> | null>(expression)
      if (!element?.[elementKey]) throw new Error(`no element: ${expression}`)
      await send(`element/${element[elementKey]}/click`)
    },
    type: async (text) => {
      for (const character of text) await press(character)
    },
    press: async (key) => void (await press(keys[key])),
    pressWithControl: async (character) =>
      void (await actions([
        ['keyDown', keys.Control],
        ['keyDown', character],
        ['keyUp', character],
        ['keyUp', keys.Control],
      ])),
    resize: async (width, height) => {
      // The window includes the frame of the browser.
      const [frameWidth, frameHeight] = await run<[number, number]>('[outerWidth - innerWidth, outerHeight - innerHeight]')
      await send('window/rect', { width: width + frameWidth, height: height + frameHeight })
    },
  }
}

async function call<T>(url: string, method: 'GET' | 'POST' | 'DELETE', body?: unknown): Promise<T> {
  const response = await fetch(url, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
  const { value } = (await response.json()) as { value: T & { message?: string } }
  if (!response.ok) throw new Error(`${method} ${url}: ${value.message}`)
  return value
}

/** Xvfb chooses a free display and writes its number. */
async function startDisplay(): Promise<readonly [display: string, close: () => Promise<void>]> {
  const server = spawn(displayPath, ['-displayfd', '1', '-screen', '0', '1280x800x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const number = await new Promise<string>((resolve, reject) => {
    server.stdout.once('data', (data: Buffer) => resolve(data.toString().trim()))
    server.once('exit', () => reject(new Error('Xvfb did not start')))
  })
  return [`:${number}`, () => end(server)]
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = new Promise((resolve) => child.once('exit', resolve))
  child.kill()
  await exited
}

async function until(isReady: () => Promise<boolean>): Promise<void> {
  const givenUpAt = Date.now() + startsWithinMs
  while (!(await isReady().catch(() => false))) {
    if (Date.now() > givenUpAt) throw new Error('WebKitWebDriver did not start')
    await sleep(100)
  }
}
