/** Account linking (guest to account) with several windows, a streaming answer, or an unsent message. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { codeIn, pathOf, setStage } from './stage.ts'
import type { UserPage } from './user-page.ts'

/** A guest's session ends with the guest; its tabs receive this by socket and by the next request. */
const { openComposer, mailTo, signIn } = setStage({ ignoredErrors: /the session has ended|401 \(Unauthorized\)|Unauthorized/ })

test('the streaming answer of a guest continues in the account, in the tab that signs in and in another one', async () => {
  const guest = await openComposer()
  await guest.send('/demo chunks=200 delay=20')
  await guest.conversation.getByText('word20 ').waitFor()
  const path = new URL(guest.page.url()).pathname
  const otherTab = await guest.context.newPage()
  await otherTab.goto(path)
  await otherTab.getByRole('log', { name: 'Conversation' }).getByText('word25 ').waitFor()
  await otherTab.getByRole('textbox', { name: 'Message', exact: true }).fill('half a thought')
  await signIn(guest.page, 'nia@example.test', path)
  for (const page of [guest.page, otherTab]) {
    await page.getByRole('button', { name: /nia.*Free · 19 credits left/ }).waitFor()
    await page.getByRole('log', { name: 'Conversation' }).getByText('word200').waitFor()
    await expect.poll(() => new URL(page.url()).pathname).toBe(path)
    await expect.poll(() => page.getByRole('navigation', { name: 'Threads' }).getByRole('link').count()).toBe(1)
  }
  await expect.poll(() => otherTab.getByRole('textbox', { name: 'Message', exact: true }).inputValue()).toBe('half a thought')
  await expect.poll(() => guest.answers()).toBe(1)
})

const logInFromMenu = async ({ page }: UserPage) => {
  await page.getByRole('button', { name: /Guest · \d+ credits left/ }).click()
  await page.getByRole('menuitem', { name: 'Log in' }).click()
}
const askForMail = async ({ page }: UserPage, email: string) => {
  await page.getByRole('textbox', { name: 'Email' }).fill(email)
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  await page.getByRole('heading', { name: 'Magic link sent' }).waitFor()
}

test('logging in from a thread returns to the thread; a wrong code is refused', async () => {
  const guest = await openComposer()
  await guest.send('/demo chunks=3 delay=0')
  await guest.untilAnswered()
  const path = pathOf(guest)
  await logInFromMenu(guest)
  await askForMail(guest, 'back@example.test')
  const right = codeIn(await mailTo('back@example.test'))
  const code = guest.page.getByRole('textbox', { name: 'Code' })
  const refused = guest.page.getByText('Incorrect code.')
  await code.fill(right === '000000' ? '000001' : '000000')
  await refused.waitFor()
  // The code was submitted automatically; pressing the button as well does not change the shown result.
  await expect.poll(() => code.inputValue()).toBe('')
  await guest.page.getByRole('button', { name: 'Log in', exact: true }).click()
  await refused.waitFor()
  guest.ignoreErrors(/status of 40[013]/)
  await code.fill(right)
  await expect.poll(() => pathOf(guest)).toBe(path)
  await guest.page.getByRole('button', { name: /back.*Free · \d+ credits left/ }).waitFor()
  await guest.conversation.getByText('word3').waitFor()
})

/** Holds back the writes of a page after `hold`; other requests pass. */
async function heldWrites(page: Page): Promise<{ hold(): void; readonly count: () => number; end(isSent: boolean): void }> {
  let isHeld = false
  const held: (() => void)[] = []
  await page.routeWebSocket(/\/sync\//, (socket) => {
    const server = socket.connectToServer()
    socket.onMessage((message) => {
      if (isHeld && String(message).startsWith('["push"')) held.push(() => server.send(message))
      else server.send(message)
    })
  })
  return {
    hold: () => {
      isHeld = true
    },
    count: () => held.length,
    end: (isSent) => {
      isHeld = false
      for (const send of held.splice(0)) if (isSent) send()
    },
  }
}

test.each(['is never delivered', 'arrives after it'])(
  'a message sent during account linking and %s returns to the composer',
  async (outcome) => {
    const guest = await openComposer()
    await guest.send('/demo chunks=2 delay=0')
    await guest.untilAnswered()
    const path = new URL(guest.page.url()).pathname
    const otherTab = await guest.context.newPage()
    const writes = await heldWrites(otherTab)
    await otherTab.goto(path)
    const composer = otherTab.getByRole('textbox', { name: 'Message', exact: true })
    const conversation = otherTab.getByRole('log', { name: 'Conversation' })
    await conversation.getByText('word2').waitFor()
    // Opens the socket, so that writes are sent at once.
    await guest.send('/demo chunks=3 delay=0')
    await guest.untilAnswered()
    await conversation.getByText('word3').waitFor()
    writes.hold()
    const text = `Written while signing in, ${outcome}`
    await composer.fill(text)
    await otherTab.getByRole('button', { name: 'Send message' }).click()
    await expect.poll(writes.count).toBeGreaterThan(0)
    await expect.poll(() => composer.inputValue()).toBe('')
    await signIn(guest.page, `${outcome.replaceAll(' ', '-')}@example.test`, path)
    writes.end(outcome === 'arrives after it')
    await otherTab.getByRole('button', { name: /Free · \d+ credits left/ }).waitFor()
    await expect.poll(() => composer.inputValue()).toBe(text)
    await expect.poll(() => conversation.getByText(text).count()).toBe(0)
    // The account can send it.
    await otherTab.getByRole('button', { name: 'Send message' }).click()
    await guest.conversation.getByText(text).waitFor()
    await expect.poll(() => composer.inputValue()).toBe('')
  },
)
