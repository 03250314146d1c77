/** Drafts while the page waits for the outcome of a write: the server has stored the text, and the page has not received the row. */
import { expect, test } from 'vitest'
import { openRecord } from '../../support/record-file.ts'
import { serverAway } from '../../support/server-away.ts'
import { pathOf, setStage } from '../stage.ts'
import type { UserPage } from '../user-page.ts'

const { openComposer, product } = setStage({ ignoredErrors: serverAway })

const message = '/demo chunks=2 delay=0'
const toggle = ({ page }: UserPage) => page.getByRole('button', { name: 'Temporary thread', exact: true })
const setTemporary = async (user: UserPage, isOn: boolean) => {
  await toggle(user).click()
  await expect.poll(() => toggle(user).getAttribute('aria-pressed')).toBe(String(isOn))
}
/** Opens the composer of a temporary thread. The text stays in the composer of the new thread. */
const openTemporary = async (user: UserPage) => {
  await user.page.keyboard.press('Control+Shift+E')
  await expect.poll(() => toggle(user).getAttribute('aria-pressed')).toBe('true')
}
const newThread = ({ page }: UserPage) => page.getByRole('button', { name: 'New thread', exact: true }).click()
const expectText = (user: UserPage, text: string) => expect.poll(() => user.composer.inputValue()).toBe(text)
/** Drafts with this text on the server. */
const draftsWith = (text: string) => {
  const record = openRecord(product().stateDir)
  const rows = record.prepare('select revision from draft where text = ?').all(text)
  record.close()
  return rows.map(({ revision }) => revision)
}

/** On the page of a new thread, with an older thread. The server receives what the page sends; the page receives nothing until `release`. */
async function openHeld() {
  const desk = await openComposer()
  const newFrames = () => ({ isHeld: false, held: [] as (() => void)[] })
  /** The frames that the latest connection receives. */
  let fromServer = newFrames()
  await desk.context.routeWebSocket(/\/sync\//, (socket) => {
    const own = newFrames()
    fromServer = own
    socket.connectToServer().onMessage((frame) => {
      if (own.isHeld) own.held.push(() => socket.send(frame))
      else socket.send(frame)
    })
  })
  await desk.page.reload()
  await desk.send(message)
  await desk.untilAnswered()
  const path = pathOf(desk)
  await desk.startThread()
  const hold = () => {
    fromServer.isHeld = true
  }
  hold()
  const release = () => {
    fromServer.isHeld = false
    for (const send of fromServer.held.splice(0)) send()
  }
  const reload = () => desk.page.reload()
  return { desk, openOlder: () => desk.threads.locator(`a[href="${path}"]`).click(), hold, release, reload }
}

test('a text of a new thread that was deleted before its write had an outcome does not return after a reload', async () => {
  const { desk, reload } = await openHeld()
  const text = 'deleted on the page of a new thread'
  await desk.composer.fill(text)
  await openTemporary(desk)
  await expect.poll(() => draftsWith(text)).toHaveLength(1)
  await newThread(desk)
  await expectText(desk, text)
  await desk.composer.fill('')
  await openTemporary(desk)
  await reload()
  await setTemporary(desk, false)
  await expect.poll(() => draftsWith(text)).toEqual([])
  await expectText(desk, '')
})

test('a text of a thread that was deleted before its write had an outcome does not return after a reload', async () => {
  const { desk, openOlder, reload } = await openHeld()
  const text = 'deleted in a thread'
  await openOlder()
  await desk.composer.fill(text)
  await newThread(desk)
  await expect.poll(() => draftsWith(text)).toHaveLength(1)
  await openOlder()
  await expectText(desk, text)
  await desk.composer.fill('')
  await newThread(desk)
  await expectText(desk, '')
  await reload()
  await openOlder()
  await expect.poll(() => draftsWith(text)).toEqual([])
  await expectText(desk, '')
})

test('a message that was sent before its draft had an outcome ends the draft and leaves none in the browser', async () => {
  const { desk, release } = await openHeld()
  const text = `${message} sent at once`
  const localDrafts = () => desk.page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('parley:draft:')))
  await desk.composer.fill(text)
  await expect.poll(() => draftsWith(text)).toHaveLength(1)
  await desk.page.getByRole('button', { name: 'Send message' }).click()
  await expect.poll(() => draftsWith(text)).toEqual([])
  release()
  await desk.untilAnswered()
  await desk.startThread()
  await expectText(desk, '')
  await expect.poll(localDrafts).toEqual([])
})

test('a message whose draft was written twice before the first outcome ends the draft', async () => {
  const { desk, reload } = await openHeld()
  const text = `${message} written twice`
  for (const written of [`${message} written`, text]) {
    await desk.composer.fill(written)
    await openTemporary(desk)
    await expect.poll(() => draftsWith(written)).toHaveLength(1)
    await newThread(desk)
    await expectText(desk, written)
  }
  await desk.page.getByRole('button', { name: 'Send message' }).click()
  await expect.poll(() => draftsWith(text)).toEqual([])
  await reload()
  await desk.untilAnswered()
  await desk.startThread()
  await expectText(desk, '')
})

test('a text that becomes temporary, and regular before the page knows that its draft has ended, stays in the composer', async () => {
  const { desk, hold, release } = await openHeld()
  const text = 'temporary for a moment'
  release()
  await desk.composer.fill(text)
  await expect.poll(() => draftsWith(text)).toHaveLength(1)
  await expect.poll(() => desk.page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toMatch(/"pendingRevisions":\["/)
  hold()
  await setTemporary(desk, true)
  await expect.poll(() => draftsWith(text)).toEqual([])
  await setTemporary(desk, false)
  release()
  await expect.poll(() => draftsWith(text)).toHaveLength(1)
  await expectText(desk, text)
})
