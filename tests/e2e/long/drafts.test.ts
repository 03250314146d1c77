/** Unsent messages survive: two tabs on one thread, interrupted uploads, and threads that another device deleted. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { openRecord } from '../../support/record-file.ts'
import { serverAway, unorderedStream } from '../../support/server-away.ts'
import { isPersisted } from '../is-persisted.ts'
import { pathOf, setStage, show } from '../stage.ts'
import { type UserPage, untilReplaced } from '../user-page.ts'

const { openComposer, newUser, newDevice, product, signIn } = setStage({
  ignoredErrors: new RegExp(`${serverAway.source}|the session has ended|401 \\(Unauthorized\\)|Unauthorized`),
})

const composerOf = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true })
const sentIn = (page: Page, text: string) =>
  page.getByRole('log', { name: 'Conversation' }).getByRole('article', { name: 'Your message' }).filter({ hasText: text })
const offerIn = (page: Page, text: string) => page.getByRole('status').filter({ hasText: `Draft from another tab: ${text}` })

const openTab = async ({ context }: UserPage, path: string): Promise<Page> => {
  const page = await context.newPage()
  await page.goto(path)
  await untilReplaced(page)
  await composerOf(page).waitFor()
  return page
}

const expectDraft = (page: Page, text: string) => expect.poll(() => composerOf(page).inputValue()).toBe(text)

test('two tabs on one thread have separate drafts; the draft of a closed tab is offered, and sending clears only the draft of its tab', async () => {
  const guest = await openComposer()
  await guest.send('/demo chunks=2 delay=0')
  await guest.untilAnswered()
  const second = await openTab(guest, pathOf(guest))
  // The second tab has a draft before the first one: an empty composer would take the other draft from the server as its own.
  await composerOf(second).fill('From')
  await guest.composer.fill('From the first tab')
  await composerOf(second).fill('From the second tab')
  // One after the other: a page that starts while the other one reloads can adopt its draft, because nothing holds the lock in between.
  for (const [page, text] of [
    [guest.page, 'From the first tab'],
    [second, 'From the second tab'],
  ] as const) {
    await page.reload()
    await expectDraft(page, text)
  }

  // A duplicated tab starts with a copy of the session storage. It takes the draft from the server, as another device does.
  const [copy] = await Promise.all([guest.context.waitForEvent('page'), guest.page.evaluate(() => void window.open(location.href))])
  await untilReplaced(copy)
  await composerOf(copy).waitFor()
  await expect.poll(() => composerOf(copy).inputValue()).toMatch(/^From the (first|second) tab$/)
  await copy.close()
  await guest.page.close()

  await second.reload()
  await offerIn(second, 'From the first tab').waitFor()
  await expectDraft(second, 'From the second tab')
  await show({ page: second }, 'draft-offer')
  await offerIn(second, 'From the first tab').getByRole('button', { name: 'Use' }).click()
  await expectDraft(second, 'From the first tab')
  await second.getByRole('button', { name: 'Send message' }).click()
  await sentIn(second, 'From the first tab').waitFor()
  await expectDraft(second, '')
  await offerIn(second, 'From the second tab').waitFor()
  // The next page restores it into an empty composer.
  await second.reload()
  await expectDraft(second, 'From the second tab')
})

const textFile = (name: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from('ebb and flow') })

test.each(['a reload', 'a login'])('names an upload that was interrupted by %s and keeps the rest of the draft', async (way) => {
  const guest = await openComposer()
  const { page } = guest
  const attachments = page.getByRole('list', { name: 'Attachments' })
  const line = page.getByText('Upload interrupted: report.txt. Attach it again.')
  await guest.send('/demo chunks=2 delay=0')
  await guest.untilAnswered()
  await page.getByLabel('Files', { exact: true }).setInputFiles(textFile('notes.txt'))
  await attachments.getByRole('button', { name: 'Remove notes.txt' }).waitFor()
  await page.route('**/api/files', () => new Promise(() => undefined))
  await guest.composer.fill('See the report')
  await page.getByLabel('Files', { exact: true }).setInputFiles(textFile('report.txt'))
  await attachments.getByRole('progressbar', { name: 'Uploading report.txt' }).waitFor()
  if (way === 'a reload') await page.reload()
  else await signIn(page, 'interrupted@example.test', pathOf(guest))
  await line.waitFor()
  await expectDraft(page, 'See the report')
  await attachments.getByRole('button', { name: 'Remove notes.txt' }).waitFor()
  await expect.poll(() => attachments.getByRole('listitem').count()).toBe(1)
  await show(guest, `upload-interrupted-${way.replace(' ', '-')}`)

  await page.unroute('**/api/files')
  await page.getByLabel('Files', { exact: true }).setInputFiles(textFile('report.txt'))
  await line.waitFor({ state: 'detached' })
  await attachments.getByRole('button', { name: 'Remove report.txt' }).waitFor()
})

type Wire = 'open' | 'muted' | 'closed'

/** Controls the sync sockets of a browser. `muted`: the server receives what the page sends, and the page receives nothing. */
async function wireOf({ context, ignoreErrors }: UserPage): Promise<(next: Wire) => Promise<void>> {
  ignoreErrors(unorderedStream)
  let wire: Wire = 'open'
  const sockets = new Set<{ close(): Promise<void> }>()
  await context.routeWebSocket(/\/sync\//, async (socket) => {
    if (wire === 'closed') return socket.close()
    sockets.add(socket)
    const server = socket.connectToServer()
    server.onMessage((message) => {
      if (wire !== 'muted') socket.send(message)
    })
  })
  return async (next) => {
    wire = next
    if (next !== 'closed') return
    await Promise.all([...sockets].map((socket) => socket.close()))
    sockets.clear()
  }
}

const message = '/demo chunks=2 delay=0 written on a train'
const reason = 'A message was not sent because its thread was deleted.'

/**
 * The desk sends a message without receiving the outcome; then the phone deletes the thread. `muted`: the server accepts the message first.
 */
async function sendAndDelete(wire: Exclude<Wire, 'open'>, { isClosed = true } = {}) {
  const desk = await newUser()
  const setWire = await wireOf(desk)
  await desk.open()
  await desk.send('/demo chunks=2 delay=0')
  await desk.untilAnswered()
  const path = pathOf(desk)
  const phone = await newDevice(desk)
  await phone.open(path)
  await phone.untilAnswered()
  await setWire(wire)
  await desk.send(message)
  await sentIn(desk.page, message).waitFor()
  if (wire === 'muted') {
    await sentIn(phone.page, message).waitFor()
    await phone.untilAnswered()
  } else await expect.poll(() => isPersisted(desk.page, message)).toBe(true)
  if (isClosed) await desk.page.close()
  await phone.threads.getByRole('listitem').first().hover()
  await phone.threads.getByRole('button', { name: /^More for/ }).click()
  await phone.page.getByRole('menuitem', { name: 'Delete' }).click()
  await phone.page.getByRole('button', { name: 'Undo', exact: true }).waitFor()
  // The phone shows its deletion before the server has recorded it; another device does not.
  const observer = await newDevice(phone)
  await observer.page.goto(path)
  await observer.page.getByRole('heading', { name: 'This thread was deleted' }).waitFor()
  return { desk, phone, path, setWire }
}

/** As if the thread had been deleted a minute earlier: Undo is no longer possible. */
async function expireUndo(): Promise<void> {
  await product().kill9()
  const record = openRecord(product().stateDir)
  expect(record.prepare('update thread set deletedAt = deletedAt - 60000 where deletedAt > 0').run().changes).toBeGreaterThan(0)
  record.close()
  await product().restart()
}

/** Takes long enough that a page that returns a message immediately would have done so. */
async function answerElsewhere(phone: UserPage): Promise<void> {
  await phone.startThread()
  await phone.send('/demo chunks=20 delay=100 meanwhile')
  await phone.conversation.getByText('word20').waitFor()
}

test.each(['here', 'on the other device'])(
  'a message that arrived before its thread was deleted returns only with the thread (undone %s)',
  async (where) => {
    const { desk, phone, path, setWire } = await sendAndDelete('muted')
    await setWire('open')
    const page = await openTab(desk, '/')
    await page.getByRole('button', { name: 'Undo', exact: true }).waitFor()
    await answerElsewhere(phone)
    await expectDraft(page, '')
    const undoPage = where === 'here' ? page : phone.page
    await undoPage.getByRole('button', { name: 'Undo', exact: true }).click()
    await page.goto(path)
    await sentIn(page, message).waitFor()
    expect(await sentIn(page, message).count()).toBe(1)
    await page.reload()
    await sentIn(page, message).waitFor()
    await expectDraft(page, '')
    await page.goto('/')
    await composerOf(page).waitFor()
    await expectDraft(page, '')
  },
)

test('a message that arrived after its thread was deleted is sent once when the thread is restored', async () => {
  const { desk, phone, path, setWire } = await sendAndDelete('closed')
  await setWire('open')
  const page = await openTab(desk, '/')
  await page.getByRole('button', { name: 'Undo', exact: true }).waitFor()
  await answerElsewhere(phone)
  await expectDraft(page, '')
  // A reload before the decision changes nothing.
  await page.reload()
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await page.getByRole('navigation', { name: 'Threads' }).locator(`a[href="${path}"]`).click()
  await sentIn(page, message).waitFor()
  await page.goto('/')
  await composerOf(page).waitFor()
  await expectDraft(page, '')
  await phone.page.goto(path)
  await sentIn(phone.page, message).waitFor()
  expect(await sentIn(phone.page, message).count()).toBe(1)
})

test('a message to a thread that can no longer be restored returns to the home composer', async () => {
  const { desk, setWire } = await sendAndDelete('closed')
  await expireUndo()
  await setWire('open')
  const page = await openTab(desk, '/')
  await page.getByRole('alert').filter({ hasText: reason }).waitFor()
  await expectDraft(page, message)
  await page.reload()
  await expectDraft(page, message)
})

test('an open tab returns a refused message to the home composer when the deletion can no longer be undone', async () => {
  const { desk, path, setWire } = await sendAndDelete('closed', { isClosed: false })
  const { page } = desk
  await setWire('open')
  await page.getByRole('heading', { name: 'This thread was deleted' }).waitFor()
  await page.getByRole('button', { name: 'New thread', exact: true }).click()
  // Undo is possible for 30 seconds.
  await page.getByRole('alert').filter({ hasText: reason }).waitFor({ timeout: 90_000 })
  await expectDraft(page, message)
  await show(desk, 'deleted-thread')
  await page.goto(path)
  await page.getByRole('heading', { name: 'This thread was deleted' }).waitFor()
})
