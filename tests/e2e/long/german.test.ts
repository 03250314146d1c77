/** No screen of a German page shows an English text: neither of the catalogues, nor of the server or a library. */
import { globSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { rootDir } from '../../../scripts/lib/paths.ts'
import { german } from '../../../web/german.ts'
import { openRecord } from '../../support/record-file.ts'
import { createOrganization } from '../organizations.ts'
import { insertThread } from '../past-threads.ts'
import { setStage } from '../stage.ts'
import { untilReplaced } from '../user-page.ts'

// The page that does not exist.
const { newUser, newSignedInUser, product } = setStage({ visits: { locale: 'de-DE' }, ignoredErrors: /status of 404/ })

type Texts = Readonly<Record<string, string>>

const germanTexts = new Set(Object.values(german).flatMap((texts: Texts) => Object.values(texts)))

async function englishTexts(): Promise<ReadonlySet<string>> {
  const files = globSync('{web,worker}/**/texts/en.ts', { cwd: rootDir })
  const modules = await Promise.all(files.map(async (file) => ((await import(join(rootDir, file))) as { en: Texts }).en))
  return new Set(modules.flatMap((texts) => Object.values(texts)).filter((text) => !germanTexts.has(text)))
}

/** Words of nearly every English sentence, and of no German one. */
const englishWord = /\b(?:the|your|you|with|and|of|this|for|are|not|from|dismiss)\b/i

/** Visible texts, names and descriptions, without the texts of messages. */
const textsOf = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => {
    const attributes = ['aria-label', 'aria-description', 'aria-roledescription', 'title', 'placeholder', 'alt']
    const found = [document.title]
    for (const element of document.body.querySelectorAll('*')) {
      if (element.closest('script, style, .md')) continue
      found.push(...attributes.map((name) => element.getAttribute(name) ?? ''))
      for (const node of element.childNodes) if (node.nodeType === Node.TEXT_NODE) found.push(node.textContent ?? '')
    }
    return found.map((text) => text.trim()).filter((text) => text !== '')
  })

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
const press = (name: string | RegExp) => (page: Page) => button(page, name).first().click()
const choose = (name: string) => (page: Page) => page.getByRole('menuitem', { name, exact: true }).click()
const tab = (name: string) => (page: Page) => page.getByRole('tab', { name }).click()
const palette = (page: Page) => page.keyboard.press('Control+k')
const command = (name: string) => async (page: Page) => {
  await palette(page)
  await page.getByRole('combobox').last().fill(name)
  await page.getByRole('option', { name }).first().click()
}

/** `shows`: a selector of what the steps open. */
type Screen = readonly [path: string, shows?: string, ...steps: ((page: Page) => Promise<unknown>)[]]

async function expectGerman(page: Page, screens: readonly Screen[]): Promise<void> {
  const english = await englishTexts()
  const found: Record<string, readonly string[]> = {}
  for (const [i, [path, shows = 'html[lang=de]', ...steps]] of screens.entries()) {
    await page.goto(path)
    await untilReplaced(page)
    await page.waitForLoadState('networkidle')
    for (const step of steps) await step(page)
    await page.locator(shows).filter({ visible: true }).first().waitFor()
    const texts = (await textsOf(page)).filter((text) => english.has(text) || englishWord.test(text))
    if (texts.length > 0) found[`${i} ${path}`] = [...new Set(texts)]
  }
  expect(found).toEqual({})
}

test('for a visitor', async () => {
  const { page } = await newUser()
  await expectGerman(page, [['/'], ['/login'], ['/logged-out'], ['/magic-link'], ['/account'], ['/no/such/page']])
})

test('for a user with an account and an organization', async () => {
  const { page } = await newSignedInUser('german@screens.test')
  await page.goto('/')
  const id = await createOrganization(page, 'Teehaus')
  await page.getByRole('textbox', { name: 'Nachricht', exact: true }).fill('/demo chunks=3 delay=0 Gezeiten')
  await button(page, 'Nachricht senden').click()
  await button(page, 'Neu erzeugen').first().waitFor()
  const thread = new URL(page.url()).pathname
  const menu = press(/^Mehr zu Gezeiten/)
  const account = ['', '/subscription', '/preferences', '/models', '/prompts', '/memory', '/usage', '/tools', '/appearance', '/data'].map(
    (part) => `/account${part}`,
  )
  const team = ['', '/teams', '/billing', '/tools', '/settings'].map((part) => `/team/${id}${part}`)
  await expectGerman(page, [
    ...['/', '/?temporary=true', thread, ...account, '/projects', '/archive', '/bookmarks', '/team', ...team].map((path): Screen => [path]),
    [thread, '[role=menu]', press('Mehr zu dieser Nachricht')],
    [thread, '[role=listbox]', press('Modell')],
    [thread, '[role=menu]', menu],
    [thread, '[role=dialog]', menu, choose('Teilen')],
    [thread, '[role=dialog]', palette],
    ['/', '[role=dialog]', command('Tastenkürzel')],
    ['/', '[role=menu]', press(/Credits/)],
    ['/account', '[role=dialog]', press('Konto löschen')],
    ['/account/prompts', '[role=dialog]', press('Neuer Prompt')],
    ['/account/tools', '[role=dialog]', press('Server hinzufügen')],
    ['/projects', '[role=dialog]', press('Neues Projekt')],
    [
      '/projects',
      '[role=tabpanel]',
      press('Neues Projekt'),
      (page) => page.getByRole('textbox', { name: 'Name' }).fill('Tee'),
      press('Erstellen'),
    ],
    ['/projects', '[role=tabpanel]', (page) => page.getByRole('main').getByRole('link', { name: 'Tee' }).click(), tab('Dateien')],
    ['/projects', '[role=tabpanel]', (page) => page.getByRole('main').getByRole('link', { name: 'Tee' }).click(), tab('Anweisungen')],
    [thread, '[data-sonner-toast]', menu, choose('Archivieren')],
  ])
})

/** A thread with a failed call, a call that waits for an approval, and one whose server asks. The words of the server are German. */
async function withCalls(page: Page): Promise<string> {
  await page.goto('/')
  const { user } = await (await page.request.get('/api/auth/get-session')).json()
  const [threadId, questionId, answerId] = ['calls', 'question', 'answer'].map((name) => `${name}-${user.id}`) as [string, string, string]
  await product().kill9()
  const nowMs = Date.now()
  insertThread(product(), user.id, threadId, 'Fähre', nowMs, answerId, [
    { id: questionId, parentId: null, text: 'Buche die Fähre' },
    { id: answerId, parentId: questionId, text: 'Ich versuche es.', isAnswer: true },
  ])
  const source = { id: 'hafen', name: 'Hafen' }
  const call = (toolCallId: string, title: string, rest: object) => ({
    ...{ type: `tool-hafen_${toolCallId}`, toolCallId, title, source, input: { ziel: 'Dover' } },
    ...rest,
  })
  const waiting = (id: string, rest = {}) => ({ state: 'approval-requested', approval: { id, ...rest } })
  const parts = [
    call('fahrplan', 'Fahrplan', { state: 'output-error', errorCode: 'redirects', errorText: 'The server redirects to another address.' }),
    call('kauf', 'Kauf', waiting(`kauf-${user.id}`)),
    call('buchung', 'Buchung', waiting(`buchung-${user.id}`, { isInput: true })),
  ]
  const properties = {
    ort: { type: 'string', title: 'Ort' },
    sitze: { type: 'integer', title: 'Sitze' },
    hund: { type: 'boolean', title: 'Hund' },
  }
  const form = [{ message: 'Wohin?', schema: { type: 'object', properties, required: ['ort'], additionalProperties: false } }]
  const record = openRecord(product().stateDir)
  record.prepare(`update message set message = json_set(message, '$.parts', json(?)) where id = ?`).run(JSON.stringify(parts), answerId)
  const row = record.prepare(`insert into approval
    (id, userId, threadId, messageId, toolCallId, source, tool, title, description, digest, cause, input, inputSchema, form, createdAt, expiresAt)
    values (?, ?, ?, ?, ?, ?, ?, ?, 'Tut etwas.', '0', ?, '{"ziel":"Dover"}', '{"type":"object","properties":{"ziel":{"type":"string"}}}', ?, ?, ?)`)
  for (const [tool, title, cause, asked] of [
    ['kauf', 'Kauf', 'changes', null],
    ['buchung', 'Buchung', 'input', JSON.stringify(form)],
  ] as const) {
    const ids = [`${tool}-${user.id}`, user.id, threadId, answerId, tool]
    row.run(...ids, JSON.stringify(source), `hafen_${tool}`, title, cause, asked, nowMs, nowMs + 86_400_000)
  }
  record.close()
  await product().restart()
  return `/${threadId}`
}

test('for calls of tools: failed, waiting, and asking the user', async () => {
  const { page } = await newSignedInUser('werkzeuge@screens.test')
  const thread = await withCalls(page)
  const openCall = press('Fahrplan fehlgeschlagen')
  await expectGerman(page, [
    [thread, 'text=Der Server leitet an eine andere Adresse weiter.', openCall],
    [thread, 'section[aria-label="Freigabe für Kauf"] button', press('Angaben ändern')],
    [thread, 'section[aria-label="Freigabe für Kauf"] textarea', press('Ablehnen')],
    [thread, 'section[aria-label="Anfrage von Hafen"] input', press('Senden')],
  ])
})

test('toasts that are shown while the language changes follow it', async () => {
  const { page } = await newUser()
  await page.goto('/')
  await page.getByRole('textbox', { name: 'Nachricht', exact: true }).fill('/demo chunks=3 delay=0 Gezeiten')
  await button(page, 'Nachricht senden').click()
  await button(page, 'Neu erzeugen').first().waitFor()
  await press(/^Mehr zu Gezeiten/)(page)
  await choose('Archivieren')(page)
  const shown = page.locator('[data-sonner-toast]')
  // A toast under the pointer stays.
  await shown.hover()
  await shown.getByRole('button', { name: 'Schließen' }).waitFor()
  await command('English')(page)
  await page.getByRole('region', { name: 'Notifications' }).waitFor({ state: 'attached' })
  await shown.getByRole('button', { name: 'Dismiss' }).waitFor()
})
