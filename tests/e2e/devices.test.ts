/** One user with several devices: two tabs, another browser, a phone that was offline; and texts whose page was closed. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { queryTtlMs } from '../../worker/contract/limits.ts'
import { openRecord, openSyncObjects } from '../support/record-file.ts'
import { serverAway } from '../support/server-away.ts'
import { isPersisted } from './is-persisted.ts'
import { pathOf, setStage } from './stage.ts'
import { chooseMode, untilMode } from './user-page.ts'
import { withoutSocket } from './without-socket.ts'

const { openComposer, newUser, newDevice, product } = setStage({ ignoredErrors: serverAway })

const conversationText = (page: Page, text: string) => page.getByRole('log', { name: 'Conversation' }).getByText(text)
const threadsOf = (page: Page) => page.getByRole('navigation', { name: 'Threads' })

test('two tabs, two browsers and a phone that was offline end with the same messages, each once', async () => {
  const desk = await openComposer()
  await desk.send('/demo chunks=2 delay=0')
  await desk.untilAnswered()
  const path = pathOf(desk)
  const tab = await desk.context.newPage()
  const [laptop, phone] = [await newDevice(desk), await newDevice(desk, { phone: true, prefetches: true })]
  await Promise.all([tab.goto(path), laptop.open(path), phone.open(path)])
  await Promise.all([tab, laptop.page, phone.page].map((page) => conversationText(page, 'word2').waitFor()))

  // Waits until all of them have synced: before, a page may still show its inlined rows and would keep text in the composer.
  await desk.send('/demo chunks=4 delay=0')
  await Promise.all([tab, laptop.page, phone.page].map((page) => conversationText(page, 'word4').waitFor()))

  await phone.context.setOffline(true)
  await phone.send('/demo chunks=5 delay=0')
  const waiting = conversationText(phone.page, 'Waiting for the connection')
  await waiting.waitFor()
  await phone.composer.fill('/demo chunks=6 delay=0')
  await phone.page.getByRole('button', { name: 'Queue message' }).click()
  await expect.poll(() => waiting.count()).toBe(2)
  const lifecycle = await phone.context.newCDPSession(phone.page)
  await lifecycle.send('Page.setWebLifecycleState', { state: 'frozen' })

  await desk.page.goto('/')
  await desk.composer.waitFor()
  await desk.send('/demo chunks=3 delay=0 made while the phone slept')
  await desk.untilAnswered()
  const made = pathOf(desk)
  for (const page of [tab, laptop.page]) await threadsOf(page).locator(`a[href="${made}"]`).waitFor()
  expect(await conversationText(laptop.page, 'chunks=5').count()).toBe(0)

  await lifecycle.send('Page.setWebLifecycleState', { state: 'active' })
  await phone.context.setOffline(false)
  for (const page of [phone.page, tab, laptop.page]) {
    await conversationText(page, 'word6').waitFor()
    await expect.poll(() => conversationText(page, 'chunks=5').count()).toBe(1)
  }
  expect(await waiting.count()).toBe(0)
  await phone.page.goto(made)
  await conversationText(phone.page, 'word3').waitFor()

  await product().kill9()
  const record = openRecord(product().stateDir)
  const messages = record.prepare("select count(*) n from message where message like '%chunks=5%' and message like '%\"user\"%'").get()
  expect(messages?.n).toBe(1)
  record.close()
  // Subscriptions stay for ten minutes after their component unmounts; the client's default is five.
  const desiredQueries = openSyncObjects(product().stateDir).flatMap((object) => object.prepare('select ttlMs from sync_desire').all())
  expect(desiredQueries.length).toBeGreaterThan(10)
  expect(new Set(desiredQueries.map(({ ttlMs }) => ttlMs))).toEqual(new Set([queryTtlMs]))
  await product().restart()
})

test('a refused message whose page was closed returns to the composer', async () => {
  const guest = await newUser()
  const wire = await withoutSocket(guest)
  await guest.open()
  await guest.send('/demo chunks=2 delay=0')
  await guest.untilAnswered()
  const other = await newDevice(guest)
  await other.open(pathOf(guest))
  await wire.cut()
  await chooseMode(guest, 'Search')
  await guest.send('Written on a train')
  await conversationText(guest.page, 'Written on a train').waitFor()
  await expect.poll(() => isPersisted(guest.page, 'Written on a train')).toBe(true)
  await guest.page.reload()
  await untilMode(guest, null)
  await other.send('/demo chunks=4000 delay=50')
  await conversationText(other.page, 'word3').waitFor()
  wire.mend()
  await guest.page.getByText('A message was not sent.').waitFor()
  await expect.poll(() => guest.composer.inputValue()).toBe('Written on a train')
  // With its mode.
  await untilMode(guest, 'Search')
  await expect.poll(() => conversationText(guest.page, 'Written on a train').count()).toBe(0)
  await guest.page.reload()
  await expect.poll(() => guest.composer.inputValue()).toBe('Written on a train')
  await guest.page.getByRole('button', { name: 'Stop generating' }).click()
  await guest.untilAnswered()
})

test('a message whose page closes before the sync client stored it arrives once', async () => {
  const guest = await newUser()
  const wire = await withoutSocket(guest)
  await guest.open()
  await guest.send('/demo chunks=2 delay=0')
  await guest.untilAnswered()
  await wire.cut()
  await guest.send('/demo chunks=2 delay=0 Written at the last moment')
  await guest.page.reload()
  wire.mend()
  const message = guest.conversation.getByRole('article', { name: 'Your message' }).filter({ hasText: 'Written at the last moment' })
  await message.waitFor()
  await guest.untilAnswered()
  expect(await message.count()).toBe(1)
  expect(await guest.composer.inputValue()).toBe('')
})

test('damaged writes of a closed page neither stop the others nor lose a text', async () => {
  const guest = await newUser()
  await guest.open()
  await guest.send('/demo chunks=2 delay=0')
  await guest.untilAnswered()
  const threadId = pathOf(guest).slice(1)
  const send = (text: string, args: object) => ({ name: 'threads.send', args: { text, ...args }, saw: ['no message'] })
  const rename = (title: unknown) => ({ name: 'threads.rename', args: { threadId, title }, saw: [null, 'Demo'] })
  // More than the updates that React allows in effects.
  const damaged = Array.from({ length: 60 }, (_, at) => [`title.${at}`, rename(at)] as const)
  const stored = [
    ...damaged,
    ['message.1', send('Without a thread', {})],
    ['message.2', send('Of an object', { threadId: { toString: 1 } })],
    ['message.3', send('Of a word', { threadId: 'no id!' })],
    ['another key', rename('Never written')],
    [`setting.mode`, { name: 'settings.update', args: { mode: 'light' }, saw: [{ mode: 'auto' }, { mode: null }, { mode: 'dark' }] }],
  ] as const
  await guest.page.evaluate((writes) => {
    for (const [at, [key, write]] of writes.entries())
      localStorage.setItem(`parley:write:${key}`, JSON.stringify({ ...write, pageId: 'closed', storedAtMs: at }))
  }, stored)
  await guest.open()
  await guest.page.locator('html.light').waitFor()
  await expect.poll(() => guest.composer.inputValue()).toBe('Without a thread')
  for (const text of ['Of a word', 'Of an object']) {
    await guest.page.getByText(`Draft from another tab: ${text}`).waitFor()
    await guest.page.reload()
    await guest.page.getByText(`Draft from another tab: ${text}`).waitFor()
    await guest.page.getByRole('button', { name: 'Dismiss draft' }).click()
  }
  expect(await guest.page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('parley:write:')))).toEqual([])
})

test('a message that is refused while the composer is in use survives a reload', async () => {
  const guest = await newUser()
  const wire = await withoutSocket(guest)
  await guest.open()
  await guest.send('/demo chunks=2 delay=0')
  await guest.untilAnswered()
  const other = await newDevice(guest)
  await other.open(pathOf(guest))
  await wire.cut()
  await chooseMode(guest, 'Search')
  await guest.send('Written on a train')
  await guest.composer.fill('The next thought')
  await other.send('/demo chunks=4000 delay=50')
  await conversationText(other.page, 'word3').waitFor()
  wire.mend()
  const offer = guest.page.getByText('Draft from another tab: Written on a train')
  await offer.waitFor()
  await guest.page.reload()
  await offer.waitFor()
  await guest.page.getByRole('button', { name: 'Use', exact: true }).click()
  await expect.poll(() => guest.composer.inputValue()).toBe('Written on a train')
  await guest.page.getByText('Draft from another tab: The next thought').waitFor()
  await other.page.getByRole('button', { name: 'Stop generating' }).click()
  await other.untilAnswered()
})
